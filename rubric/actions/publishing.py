"""Publishing rubric versions, those that the app is shipped with too, and retiring them."""

from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from rubric.actions.drafting import note_event
from rubric.models import Rubric, RubricVersion
from rubric.models.rubrics import DRAFT, PUBLISHED, RETIRED
from rubric.models.shipped import Shipped, shipped_versions
from rubric.permissions import check_publish_version, check_retire_version
from workspace.actions.texts import clean_text
from workspace.core.refusals import Conflict
from workspace.models import Person


def publish_version(*, version: RubricVersion, basis: str, reason: str, by: Person, now: datetime) -> None:
    """Publish a draft: from now on it never changes, and new work takes it.

    `basis` is the hash of what was looked at. Raises NotAllowed, Unacceptable without a reason, Conflict when
    somebody saved the draft in between.
    """
    check_publish_version(by, version)
    said = clean_text(reason, field="reason", ask=_("Say why this version is published."))
    with transaction.atomic():
        rows = RubricVersion.objects.filter(pk=version.pk, state=DRAFT, sha256=basis)
        if not rows.update(state=PUBLISHED, published_at=now, published_by=by, reason=said):
            raise Conflict(
                _("Somebody saved or published this draft since you opened the page. Look at it again."),
                code="draft_changed",
            )
        detail = {"sha256": basis, "reason": said}
        note_event(version=version, verb="rubric_version:published", detail=detail, by=by, now=now)


def retire_version(*, version: RubricVersion, reason: str, by: Person, now: datetime) -> None:
    """Retire a published version: what was made with it keeps it, new work does not take it.

    Raises NotAllowed (also for the only published one), Unacceptable without a reason, Conflict when somebody else
    retired it.
    """
    check_retire_version(by, version)
    said = clean_text(reason, field="reason", ask=_("Say why this version is retired."))
    with transaction.atomic():
        Rubric.objects.select_for_update().get(pk=version.rubric_id)
        check_retire_version(by, version)
        rows = RubricVersion.objects.filter(pk=version.pk, state=PUBLISHED)
        if not rows.update(state=RETIRED, retired_at=now, retired_by=by, retired_reason=said):
            raise Conflict(_("This version was retired in the meantime."), code="already_retired")
        note_event(version=version, verb="rubric_version:retired", detail={"reason": said}, by=by, now=now)


def publish_first_versions(*, by: Person, now: datetime) -> list[RubricVersion]:
    """Publish every shipped version that is not there yet; the new ones. Doing it again changes nothing."""
    with transaction.atomic():
        return [
            version for shipped in shipped_versions() if (version := _publish(shipped, by, now)) is not None
        ]


def _publish(shipped: Shipped, by: Person, now: datetime) -> RubricVersion | None:
    rubric, _made = Rubric.objects.get_or_create(
        key=shipped.key, defaults={"kind": shipped.kind, "name": shipped.name}
    )
    version, is_new = RubricVersion.objects.get_or_create(
        rubric=rubric,
        number=shipped.number,
        defaults={
            "state": PUBLISHED,
            "body": shipped.body,
            "sha256": shipped.sha256,
            "created_at": now,
            "created_by": by,
            "published_at": now,
            "published_by": by,
        },
    )
    if not is_new:
        return None
    detail = {"sha256": shipped.sha256}
    note_event(version=version, verb="rubric_version:published", detail=detail, by=by, now=now)
    return version
