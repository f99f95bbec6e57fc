"""Whether people move to the automatic value once they see it, by metric and by evaluator."""

from collections.abc import Mapping

from django.utils.translation import gettext as _
from msgspec import Struct

from discussions.reliability.core.anchoring import (
    APART,
    AWAY,
    ELSEWHERE,
    STAYED,
    TO_MACHINE,
    TOGETHER,
    TOWARD,
    Anchoring,
    EvaluatorMoves,
)
from discussions.reliability.core.crosstab import Interval, Rate
from discussions.reliability.labels.accuracy import CELLS, TITLES
from discussions.reliability.pages.tables import RowPart, build_rows, plot_rates, why_not_yet
from workspace.display.core.charts import IntervalsChart
from workspace.statistics.labels import format_signed

# If there are fewer answers on either side, the shares of one person mean little.
FEW = 20
MOVED = "moved-"
COLUMNS = (TO_MACHINE, ELSEWHERE, AWAY, STAYED)


class AnchorLine(Struct, frozen=True):
    """A metric; `says` is the conclusion, or why there is none. `part` names its table in URLs."""

    label: str
    part: str
    toward: Rate
    away: Rate
    index: str
    interval: str
    games: str
    says: str
    rows: list[RowPart]


class AnchoringPart(Struct, frozen=True):
    """All metrics; `lines` is empty when nothing was revealed after a blind answer.

    `people` are (name, metric, moves), sorted by name; below `few` answers on either side, moves mean little.
    """

    plot: IntervalsChart | None
    columns: list[str]
    few: int
    lines: list[AnchorLine]
    people: list[tuple[str, str, EvaluatorMoves]]


def anchoring_part(found: list[Anchoring], names: Mapping[int, str]) -> AnchoringPart:
    """The part of the page; `names` are the names of evaluators, by key."""
    lines = [_line(metric) for metric in found if metric.table.total]
    return AnchoringPart(
        plot=plot_rates(
            (f"{line.label}: {label}", rate)
            for line in lines
            for rate, label in ((line.toward, _("to the automatic value")), (line.away, _("away from it")))
        ),
        columns=[str(CELLS[column]) for column in COLUMNS],
        few=FEW,
        lines=lines,
        people=sorted(
            (
                (names.get(person.evaluator, ""), str(TITLES[metric.metric]), person)
                for metric in found
                if metric.table.total
                for person in metric.people
            ),
            key=lambda entry: entry[0],
        ),
    )


def _line(found: Anchoring) -> AnchorLine:
    return AnchorLine(
        label=str(TITLES[found.metric]),
        part=MOVED + found.metric,
        toward=found.table.rate(TOWARD),
        away=found.table.rate(AWAY),
        index=format_signed(found.index, 1),
        interval=_points_between(found.interval),
        games=_points_between(found.over_games),
        says=_says(found),
        rows=build_rows(found.table, (APART, TOGETHER), COLUMNS),
    )


def _says(found: Anchoring) -> str:
    toward, away = found.table.rate(TOWARD), found.table.rate(AWAY)
    if not toward.denominator:
        return _("Undefined: nobody had answered differently from the automatic value.")
    if not away.denominator:
        return _("Undefined: nobody had answered the same as the automatic value.")
    if why_not_yet(toward) or why_not_yet(away):
        return _("Can't tell yet: too few answers stood apart from the automatic value, or with it.")
    interval = found.over_games or found.interval
    if interval is not None and interval[0] > 0:
        return _("People move to the automatic value more often than away from it.")
    if interval is not None and interval[1] < 0:
        return _("People move away from the automatic value more often than to it.")
    return _("These answers show no influence.")


def _points_between(interval: Interval | None) -> str:
    if interval is None:
        return ""
    low, high = (format_signed(end, 1) for end in interval)
    return _("%(low)s to %(high)s") % {"low": low, "high": high}
