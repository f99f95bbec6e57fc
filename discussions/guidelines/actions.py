"""Writing a new version of the guideline, and confirming that one has read it."""

from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from discussions.guidelines.permissions import check_write_guideline
from discussions.models import Guideline, GuidelineReading
from workspace.audit.actions import record_event
from workspace.core.refusals import Conflict
from workspace.models import Person, Project
from workspace.texts import check_length

LONGEST_GUIDELINE = 20_000


def write_guideline(*, project: Project, text: str, after: int, by: Person, now: datetime) -> Guideline:
    """Add a version after version `after` (0 for the first); the evaluators read it before their next game.

    The same text as before adds nothing. Raises NotAllowed; Unacceptable for a text that is too long; Conflict when
    somebody else wrote a version in the meantime.
    """
    check_write_guideline(by, project)
    text = text.strip().replace("\r\n", "\n")
    check_length(text, field="text", most=LONGEST_GUIDELINE)
    with transaction.atomic():
        Project.objects.select_for_update().get(pk=project.pk)
        newest = Guideline.objects.filter(project=project).order_by("-number").first()
        number = newest.number if newest else 0
        if newest is not None and newest.text == text:
            return newest
        if number != after:
            raise Conflict(
                _("Somebody wrote version %(number)d while you wrote. Read it below, then save yours again.")
                % {"number": number},
                code="changed",
            )
        made = Guideline.objects.create(
            project=project, number=number + 1, text=text, created_at=now, created_by=by
        )
        _record("guideline:written", made, by, now)
    return made


def confirm_guideline(*, guideline: Guideline, by: Person, now: datetime) -> None:
    """Record that the person has read this version; a second time changes nothing."""
    with transaction.atomic():
        _row, is_new = GuidelineReading.objects.get_or_create(
            guideline=guideline, person=by, defaults={"created_at": now}
        )
        if is_new:
            _record("guideline:read", guideline, by, now)


def _record(verb: str, guideline: Guideline, by: Person, now: datetime) -> None:
    record_event(
        by=by,
        now=now,
        project=guideline.project,
        verb=verb,
        object_kind="guideline",
        object_id=guideline.pk,
        detail={"number": guideline.number},
    )
