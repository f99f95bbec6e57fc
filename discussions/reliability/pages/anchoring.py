"""Whether people go over to the machine's word once they see it, by metric and, for leads, by evaluator."""

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
)
from discussions.reliability.core.crosstab import Interval
from discussions.reliability.labels.accuracy import CELLS, TITLES
from discussions.reliability.pages.tables import RowPart, build_rows, format_count, percent, why_not_yet
from workspace.display.core.charts import IntervalRow, IntervalsChart, interval_plot

# With fewer answers on either side nothing should be read into one person's shares.
FEW = 20


MOVED = "moved-"


COLUMNS = (TO_MACHINE, ELSEWHERE, AWAY, STAYED)


class AnchorLine(Struct, frozen=True):
    """One metric in words; `says` is what can be told from it, or why nothing can."""

    label: str
    toward: str
    toward_counted: str
    away: str
    away_counted: str
    index: str
    interval: str
    games: str
    says: str


class AnchoringPerson(Struct, frozen=True):
    """One evaluator on one metric; `is_few` warns that it is too little to go by."""

    name: str
    metric: str
    toward: str
    away: str
    is_few: bool


class MovedPart(Struct, frozen=True):
    """The table behind one metric's index; `part` names it in the address of its cases."""

    part: str
    label: str
    columns: list[str]
    rows: list[RowPart]


class AnchoringPart(Struct, frozen=True):
    """All metrics; `lines` is empty when nothing was revealed after a blind answer."""

    plot: IntervalsChart | None
    lines: list[AnchorLine]
    tables: list[MovedPart]
    people: list[AnchoringPerson]


def anchoring_part(found: list[Anchoring], names: Mapping[int, str]) -> AnchoringPart:
    """The part of the page; `names` are the evaluators' by key."""
    seen = [metric for metric in found if metric.table.total]
    return AnchoringPart(
        plot=_plot(seen),
        lines=[_line(metric) for metric in seen],
        tables=[
            MovedPart(
                MOVED + metric.metric,
                str(TITLES[metric.metric]),
                [str(CELLS[column]) for column in COLUMNS],
                build_rows(metric.table, (APART, TOGETHER), COLUMNS),
            )
            for metric in seen
        ],
        people=_people(seen, names),
    )


def _line(found: Anchoring) -> AnchorLine:
    toward, away = found.table.rate(TOWARD), found.table.rate(AWAY)
    return AnchorLine(
        label=str(TITLES[found.metric]),
        toward=percent(toward.value),
        toward_counted=format_count(toward),
        away=percent(away.value),
        away_counted=format_count(away),
        index="" if found.index is None else _points(found.index),
        interval=_points_between(found.interval),
        games=_points_between(found.over_games),
        says=_says(found),
    )


def _says(found: Anchoring) -> str:
    """What the index tells in plain words."""
    toward, away = found.table.rate(TOWARD), found.table.rate(AWAY)
    if not toward.denominator:
        return _("Undefined: nobody had said otherwise than the machine.")
    if not away.denominator:
        return _("Undefined: nobody had said the same as the machine.")
    if why_not_yet(toward) or why_not_yet(away):
        return _("Cannot tell yet: too few answers stood apart from the machine's, or with it.")
    interval = found.over_games or found.interval
    if interval is not None and interval[0] > 0:
        return _("People move to the machine's word more often than away from it.")
    if interval is not None and interval[1] < 0:
        return _("People move away from the machine's word more often than to it.")
    return _("No pull can be told from these answers.")


def _plot(seen: list[Anchoring]) -> IntervalsChart | None:
    rows = []
    for metric in seen:
        for name, label in ((TOWARD, _("to the machine's word")), (AWAY, _("away from it"))):
            rate = metric.table.rate(name)
            if rate.value is not None and rate.interval is not None:
                says = _("cannot tell yet") if why_not_yet(rate) else format_count(rate)
                rows.append(
                    IntervalRow(
                        label=f"{TITLES[metric.metric]}: {label}",
                        value=rate.value,
                        text=percent(rate.value),
                        low=rate.interval[0],
                        high=rate.interval[1],
                        says=says,
                        tone="wait" if why_not_yet(rate) else "",
                    )
                )
    return interval_plot(rows, minimum=0.0, maximum=100.0) if rows else None


def _people(seen: list[Anchoring], names: Mapping[int, str]) -> list[AnchoringPerson]:
    lines = [
        AnchoringPerson(
            name=names.get(person.evaluator, ""),
            metric=str(TITLES[metric.metric]),
            toward=_("%(n)d of %(of)d") % {"n": person.toward, "of": person.apart},
            away=_("%(n)d of %(of)d") % {"n": person.away, "of": person.together},
            is_few=min(person.apart, person.together) < FEW,
        )
        for metric in seen
        for person in metric.people
    ]
    return sorted(lines, key=lambda line: line.name)


def _points(value: float) -> str:
    shown = f"{value:+.1f}"
    return "0.0" if float(shown) == 0 else shown


def _points_between(interval: Interval | None) -> str:
    if interval is None:
        return ""
    return _("%(low)s to %(high)s") % {"low": _points(interval[0]), "high": _points(interval[1])}
