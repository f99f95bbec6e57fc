"""The page of the accuracy sample: how accurate the automatic findings are, and whether they anchor evaluators."""

from datetime import datetime

from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from msgspec import Struct

from discussions.metrics.labels import LABELS
from discussions.models import TeamFigures
from discussions.reliability.core.accuracy import AccuracyFigures, MetricTurns, VersionAccuracy
from discussions.reliability.labels.accuracy import CARDS
from discussions.reliability.pages.anchoring import AnchoringPart, anchoring_part
from discussions.reliability.pages.stored import build_team_state
from discussions.reliability.pages.tables import TablePart, describe_work, table_part
from rubric.models import RubricVersion
from workspace.models import Person, Project
from workspace.stored_statistics.pages import StatisticsState, decode_body

KIND = "accuracy"


class MetricCard(Struct, frozen=True):
    """A metric with its tables. Empty tables are left out, except the first when all are empty.

    `turns` says how many verdicts people's estimate of it would flip; "" for a metric without an estimate.
    """

    key: str
    title: str
    tables: list[TablePart]
    turns: str = ""


class VersionPart(Struct, frozen=True):
    """The figures of one version, ready to show."""

    version: VersionAccuracy
    basis: str
    cards: list[MetricCard]
    anchoring: AnchoringPart


class AccuracyPage(Struct, frozen=True):
    """The page. `names` are the names of versions, by key.

    `shown` is None without figures, and when the address names an unknown version.
    """

    state: StatisticsState
    versions: list[VersionAccuracy] = []
    names: dict[str, str] = {}
    shown: VersionPart | None = None


def build_accuracy_page(*, project: Project, version: str, now: datetime) -> AccuracyPage:
    """The page of a project under that version, or the newest if it is ""; at most eight queries."""
    state, row = build_team_state(project=project, kind=KIND, now=now)
    if row is None:
        return AccuracyPage(state)
    figures = accuracy_body(row)
    found = find_version(figures, version)
    return AccuracyPage(state, figures.versions, version_names(figures), _shown(found) if found else None)


def accuracy_body(row: TeamFigures) -> AccuracyFigures:
    """The stored figures."""
    found: AccuracyFigures = decode_body(row, AccuracyFigures)
    return found


def find_version(figures: AccuracyFigures, key: str) -> VersionAccuracy | None:
    """The figures of the version with that key, or of the newest if it is ""; None when there is none."""
    return next((version for version in figures.versions if key in ("", version.key)), None)


def version_names(figures: AccuracyFigures) -> dict[str, str]:
    """The names of the versions by key."""
    keys = {version.rubric_version for version in figures.versions}
    rubrics = {row.pk: str(row) for row in RubricVersion.objects.filter(pk__in=keys).select_related("rubric")}
    return {
        version.key: _("%(rubric)s, metrics %(code)s")
        % {"rubric": rubrics.get(version.rubric_version, ""), "code": version.code_version}
        for version in figures.versions
    }


def _shown(found: VersionAccuracy) -> VersionPart:
    people = {person.evaluator for metric in found.anchoring for person in metric.people}
    names = dict(Person.objects.filter(pk__in=people).values_list("pk", "name"))
    return VersionPart(
        version=found,
        basis=describe_work(found.evaluations, found.games, found.evaluators),
        cards=[_card(key, parts, found) for key, parts in CARDS.items()],
        anchoring=anchoring_part(found.anchoring, names),
    )


def _card(key: str, parts: tuple[str, ...], found: VersionAccuracy) -> MetricCard:
    tables = [table_part(found.table(part)) for part in parts]
    filled = [table for table in tables if not table.empty]
    turns = next((_turns(turns) for turns in found.turns if turns.key == key), "")
    return MetricCard(key, str(LABELS[key].title), filled or tables[:1], turns)


def _turns(turns: MetricTurns) -> str:
    if not turns.estimated:
        return _("No recorded verdict could be flipped by people's estimate of this metric.")
    says = ngettext(
        "By people's estimate of all messages, this metric would be on the other side of its threshold in "
        "%(turned)d of %(n)d recorded verdict, and %(verdicts)d would flip.",
        "By people's estimate of all messages, this metric would be on the other side of its threshold in "
        "%(turned)d of %(n)d recorded verdicts, and %(verdicts)d would flip.",
        turns.estimated,
    )
    return says % {"turned": turns.turned, "n": turns.estimated, "verdicts": turns.verdicts}
