"""The page of the audit sample: how far the machine's findings are right, and whether they pull people their way."""

from datetime import datetime

from django.utils.translation import gettext as _
from msgspec import Struct

from discussions.metrics.labels import LABELS
from discussions.models import TeamFigures
from discussions.reliability.core.accuracy import AccuracyFigures, VersionAccuracy
from discussions.reliability.labels.accuracy import CARDS
from discussions.reliability.pages.anchoring import AnchoringPart, anchoring_part
from discussions.reliability.pages.stored import TeamState, build_team_state
from discussions.reliability.pages.tables import TablePart, describe_work, table_part
from rubric.models import RubricVersion
from workspace.models import Person, Project
from workspace.stored_statistics.pages import decode_body

KIND = "accuracy"


class VersionChoice(Struct, frozen=True):
    """One rubric version under one version of the metrics; `key` names it in the address."""

    key: str
    label: str
    games: int
    is_shown: bool


class MetricCard(Struct, frozen=True):
    """One metric with its tables; those that nobody could fill are left out where another one says it all."""

    key: str
    title: str
    tables: list[TablePart]


class VersionPart(Struct, frozen=True):
    """What is known under one version."""

    key: str
    basis: str
    not_blind: int
    cards: list[MetricCard]
    anchoring: AnchoringPart


class AccuracyPage(Struct, frozen=True):
    """The page; `shown` is None without figures, and where the address names a version that there is not."""

    state: TeamState
    versions: list[VersionChoice]
    shown: VersionPart | None


def build_accuracy_page(*, project: Project, version: str, now: datetime) -> AccuracyPage:
    """The page of a project under that version, the newest without one; at most eight queries."""
    state, row = build_team_state(project=project, kind=KIND, now=now)
    if row is None:
        return AccuracyPage(state, [], None)
    figures = accuracy_body(row)
    found = find_version(figures, version)
    names = version_names(figures)
    choices = [
        VersionChoice(
            make_version_key(accuracy), names[make_version_key(accuracy)], accuracy.games, accuracy is found
        )
        for accuracy in figures.versions
    ]
    return AccuracyPage(state, choices, _shown(found) if found else None)


def accuracy_body(row: TeamFigures) -> AccuracyFigures:
    """The stored figures."""
    found: AccuracyFigures = decode_body(row, AccuracyFigures)
    return found


def find_version(figures: AccuracyFigures, key: str) -> VersionAccuracy | None:
    """The figures under the version of that key, the newest for ""; None when there is none."""
    return next((version for version in figures.versions if key in ("", make_version_key(version))), None)


def make_version_key(found: VersionAccuracy) -> str:
    """What names a version in addresses."""
    return f"{found.rubric_version}-{found.code_version}"


def version_names(figures: AccuracyFigures) -> dict[str, str]:
    """What the versions are called, by key; that of the metrics is said where there are several."""
    keys = {version.rubric_version for version in figures.versions}
    rubrics = {row.pk: str(row) for row in RubricVersion.objects.filter(pk__in=keys).select_related("rubric")}
    return {
        make_version_key(version): _("%(rubric)s, metrics %(code)s")
        % {"rubric": rubrics.get(version.rubric_version, ""), "code": version.code_version}
        for version in figures.versions
    }


def _shown(found: VersionAccuracy) -> VersionPart:
    people = {person.evaluator for metric in found.anchoring for person in metric.people}
    names = dict(Person.objects.filter(pk__in=people).values_list("pk", "name"))
    return VersionPart(
        key=make_version_key(found),
        basis=describe_work(found.evaluations, found.games, found.evaluators),
        not_blind=found.evaluations - found.blind_evaluations,
        cards=[_card(key, parts, found) for key, parts in CARDS.items()],
        anchoring=anchoring_part(found.anchoring, names),
    )


def _card(key: str, parts: tuple[str, ...], found: VersionAccuracy) -> MetricCard:
    tables = [table_part(found.table(part)) for part in parts]
    filled = [table for table in tables if not table.empty]
    return MetricCard(key, str(LABELS[key].title), filled or tables[:1])
