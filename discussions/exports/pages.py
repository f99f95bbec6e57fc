"""The page on which an export is requested."""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from msgspec import Struct

from discussions.archives.permissions import check_archive
from discussions.exports.queries.streams import games_of, sets_of
from discussions.models import Evaluation
from rubric.models import Review
from workspace.access.permissions import get_refusal, may
from workspace.exports.core.choices import ARCHIVE, PARQUET, PROJECT, Subject, parse_subject
from workspace.exports.labels import (
    ARCHIVE_WHOLE_ONLY,
    FORMAT_NAMES,
    FORMAT_NOTES,
    PARQUET_MISSING,
    describe_subject,
)
from workspace.exports.permissions import check_export_everything, has_parquet
from workspace.models import Person, Project


class FormatChoice(Struct, frozen=True):
    """One format of the form; `refusal` says why it cannot be chosen, "" when it can."""

    key: str
    label: str
    note: str
    refusal: str


class NewExportPage(Struct, frozen=True):
    """What is exported, in words; how much it is; and who may see its content."""

    subject: str
    amount: str
    formats: list[FormatChoice]
    is_everything: bool


def new_export_page(*, project: Project, person: Person, of: str) -> NewExportPage:
    """The page for a subject of the form; a text that is not a subject is shown as the whole project."""
    subject = parse_subject(of) or Subject(PROJECT)
    is_everything = may(check_export_everything, person, project)
    return NewExportPage(
        subject=describe_subject(str(subject)),
        amount=_amount(project, subject) if is_everything else _own_amount(project, person),
        formats=[
            FormatChoice(
                key,
                str(label),
                str(FORMAT_NOTES[key]),
                _refusal(project, person, subject, key),
            )
            for key, label in FORMAT_NAMES.items()
        ],
        is_everything=is_everything,
    )


def _refusal(project: Project, person: Person, subject: Subject, format_name: str) -> str:
    if format_name == PARQUET and not has_parquet():
        return str(PARQUET_MISSING)
    if format_name == ARCHIVE:
        refusal = get_refusal(check_archive, person, project)
        return refusal or ("" if subject.kind == PROJECT else str(ARCHIVE_WHOLE_ONLY))
    return ""


def _amount(project: Project, subject: Subject) -> str:
    games, sets = games_of(project, subject).count(), sets_of(project, subject).count()
    parts = [
        ngettext("%(n)s game", "%(n)s games", games) % {"n": f"{games:,}"} if games else "",
        ngettext("%(n)s comparison set", "%(n)s comparison sets", sets) % {"n": f"{sets:,}"} if sets else "",
    ]
    return _(" and ").join(part for part in parts if part) or _("nothing yet")


def _own_amount(project: Project, person: Person) -> str:
    games = Evaluation.objects.visible_to(person).filter(game__project=project).count()
    reviews = Review.objects.visible_to(person).filter(reviewer__set__project=project).count()
    parts = [
        ngettext("%(n)s evaluation", "%(n)s evaluations", games) % {"n": f"{games:,}"} if games else "",
        ngettext("%(n)s review", "%(n)s reviews", reviews) % {"n": f"{reviews:,}"} if reviews else "",
    ]
    return _(" and ").join(part for part in parts if part) or _("nothing yet")
