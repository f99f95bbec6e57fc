"""What a person may export from: the whole project for its people, parts of it for leads and admins."""

from typing import Any

from django.utils.translation import gettext as _

from discussions.archives.permissions import check_archive, check_nothing_is_read
from discussions.models import Game, Iteration, Stage
from rubric.models import ComparisonSet
from workspace.access.permissions import may
from workspace.core.refusals import NotAllowed, Unacceptable
from workspace.exports.core import choices
from workspace.exports.labels import ARCHIVE_HAS_NAMES, ARCHIVE_WHOLE_ONLY, FORMAT_FOR_LEADS
from workspace.exports.permissions import check_export, check_export_everything
from workspace.models import Person, Project

_ROWS: dict[str, Any] = {
    choices.STAGE: Stage,
    choices.ITERATION: Iteration,
    choices.GAME: Game,
    choices.GAMES: Game,
    choices.SET: ComparisonSet,
}


def check_export_subject(person: Person, project: Project, text: str) -> choices.ExportSubject:
    """The subject that the text stands for, which the person may export from. Raises NotAllowed, and Unacceptable."""
    subject = choices.parse_subject(text)
    if subject is not None and subject.kind == choices.PROJECT:
        check_export(person, project)
        return subject
    check_export_everything(person, project)
    numbers = (subject.numbers or (subject.number,)) if subject else ()
    rows: Any = subject and _ROWS[subject.kind].objects.filter(project=project, number__in=numbers)
    if subject is None or rows.count() != len(numbers):
        says = _("There is nothing to export under “%(text)s” in this project. Go back and choose again.")
        raise Unacceptable(says % {"text": text[:40]}, code="no_subject")
    return subject


def check_format_choice(
    person: Person, project: Project, subject: choices.ExportSubject, format_name: str, has_pseudonyms: bool
) -> None:
    """Some formats are for leads; an archive is of a whole project, with names.

    Raises NotAllowed, Unacceptable, Conflict.
    """
    if format_name in choices.FOR_LEADS and not may(check_export_everything, person, project):
        raise NotAllowed(str(FORMAT_FOR_LEADS))
    if format_name != choices.ARCHIVE:
        return
    check_archive(person, project)
    if subject.kind != choices.PROJECT:
        raise Unacceptable(str(ARCHIVE_WHOLE_ONLY), code="whole_only", field="format")
    if has_pseudonyms:
        raise Unacceptable(str(ARCHIVE_HAS_NAMES), code="has_names", field="pseudonyms")
    check_nothing_is_read(project)
