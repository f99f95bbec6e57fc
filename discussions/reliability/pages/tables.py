"""Tables of machine against people with their shares, intervals and plots, in words and figures."""

from collections.abc import Collection, Iterable, Mapping, Sequence

from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from msgspec import Struct

from discussions.reliability.core.accuracy import SAMPLED
from discussions.reliability.core.crosstab import Crosstab, Interval, Rate
from discussions.reliability.labels.accuracy import (
    ALWAYS_COLUMNS,
    ALWAYS_ROWS,
    CELLS,
    EMPTY,
    HEADINGS,
    MESSAGES,
    NO_SAMPLE,
    NOTES,
    NOTHING,
    ORDER,
    OWN_RATES,
    RATES,
    SAYS,
    UNITS,
)
from workspace.display.core.charts import IntervalRow, IntervalsChart, interval_plot
from workspace.statistics.proportions import wilson

# A share whose interval is wider than this many points says too little to go by.
WIDEST = 30.0


# So does one of fewer answers, however alike they are.
FEWEST = 20


# A weighted share that is further than this from the plain one is worth showing.
APART = 1.0


MOST_NEEDED = 1_000_000


class RateLine(Struct, frozen=True):
    """One share in words; `says` is why it is undefined or has no interval, or that it cannot be told yet."""

    label: str
    what: str
    text: str
    counted: str
    interval: str
    games: str
    weighted: str
    says: str


class CellPart(Struct, frozen=True):
    """One cell; `row` and `column` are its names in the address of its cases."""

    row: str
    column: str
    count: int


class RowPart(Struct, frozen=True):
    """One row of a table."""

    label: str
    cells: list[CellPart]


class TablePart(Struct, frozen=True):
    """One table; without answers `empty` says why. `part` names it in the address of its cases."""

    part: str
    heading: str
    says: str
    note: str
    basis: str
    empty: str
    columns: list[str]
    rows: list[RowPart]
    lines: list[RateLine]
    plot: IntervalsChart | None
    has_weighted: bool
    has_says: bool


def table_part(table: Crosstab, name: str = "") -> TablePart:
    """The table with its shares; `name` is what it is called in addresses where that is not its part."""
    lines = [_line(table.part, rate) for rate in table.rates]
    total = table.total
    empty = EMPTY.get(table.part, NO_SAMPLE)
    columns = _present(ALWAYS_COLUMNS, table.part, {cell.column for cell in table.cells})
    rows = _present(ALWAYS_ROWS, table.part, {cell.row for cell in table.cells})
    return TablePart(
        part=name or table.part,
        heading=str(HEADINGS.get(table.part, "")),
        says=_says(table),
        note=str(NOTES.get(table.part, "")),
        basis=describe_basis(table) if total else "",
        empty="" if total else str(empty),
        columns=[str(CELLS[column]) for column in columns],
        rows=build_rows(table, rows, columns),
        lines=lines,
        plot=_plot(table) if total else None,
        has_weighted=any(line.weighted for line in lines),
        has_says=any(line.says for line in lines),
    )


def build_rows(table: Crosstab, rows: Iterable[str], columns: Sequence[str]) -> list[RowPart]:
    """The cells of these rows and columns."""
    return [
        RowPart(str(CELLS[row]), [CellPart(row, column, table.count(row, column)) for column in columns])
        for row in rows
    ]


def describe_basis(table: Crosstab) -> str:
    """How much the table rests on."""
    return _("%(total)d %(unit)s judged: %(work)s.") % {
        "total": table.total,
        "unit": UNITS.get(table.part, MESSAGES),
        "work": describe_work(table.evaluations, table.games, table.evaluators),
    }


def describe_work(evaluations: int, games: int, people: int) -> str:
    """ "6 evaluations, 3 games, 1 evaluator"."""
    return ", ".join(
        (
            ngettext("%(n)d evaluation", "%(n)d evaluations", evaluations) % {"n": evaluations},
            ngettext("%(n)d game", "%(n)d games", games) % {"n": games},
            ngettext("%(n)d evaluator", "%(n)d evaluators", people) % {"n": people},
        )
    )


def percent(value: float | None) -> str:
    """A share as it is printed, never broken over two lines; "" without one."""
    return "" if value is None else f"{value:.1f}\N{NO-BREAK SPACE}%"


def format_interval(interval: Interval | None) -> str:
    """ "41.2 to 52.0 %", "" without an interval."""
    if interval is None:
        return ""
    return _("%(low)s to %(high)s\N{NO-BREAK SPACE}%%") % {
        "low": f"{interval[0]:.1f}",
        "high": f"{interval[1]:.1f}",
    }


def format_count(rate: Rate) -> str:
    """ "16 of 20"."""
    return _("%(n)d of %(of)d") % {"n": rate.numerator, "of": rate.denominator}


def why_not_yet(rate: Rate) -> str:
    """That the share cannot be told yet, and what it takes; "" when it can, and where it is undefined."""
    if rate.interval is None:
        return ""
    if rate.denominator < FEWEST or _width(rate.interval) > WIDEST:
        given = {"n": count_needed_answers(rate), "there": rate.denominator}
        return _("Cannot tell yet: about %(n)d would do, there are %(there)d.") % given
    if rate.over_games is not None and _width(rate.over_games) > WIDEST:
        return _("Cannot tell yet: games differ too much; it takes more of them.")
    return ""


def count_needed_answers(rate: Rate) -> int:
    """How many answers would bring Wilson's interval of such a share within `WIDEST` points; `FEWEST` at least."""
    share, least, most = rate.numerator / rate.denominator, max(rate.denominator, FEWEST), MOST_NEEDED
    while least < most:
        middle = (least + most) // 2
        found = wilson(round(share * middle), middle)
        if found is not None and _width(found) <= WIDEST:
            most = middle
        else:
            least = middle + 1
    return least


def _width(interval: Interval) -> float:
    return interval[1] - interval[0]


def _says(table: Crosstab) -> str:
    """What the table comes to in plain words; what cannot be told yet is said to be so."""
    said = []
    for name, sentence in SAYS[table.part]:
        rate = table.rate(name)
        if rate.value is not None:
            said.append(str(sentence) % {"share": percent(rate.value)})
            if why_not_yet(rate):
                said.append(_("(That cannot be told yet.)"))
    return " ".join(said)


def _line(part: str, rate: Rate) -> RateLine:
    label, what = OWN_RATES.get((part, rate.name)) or RATES[rate.name]
    is_apart = rate.value is not None and rate.weighted is not None and part in SAMPLED
    is_apart = is_apart and abs((rate.value or 0) - (rate.weighted or 0)) > APART
    said = [why_not_yet(rate), rate.over_games_reason]
    if not rate.denominator:
        said = [str(NOTHING.get(rate.name, _("Undefined: nothing to count.")))]
    return RateLine(
        label=str(label),
        what=str(what),
        text=percent(rate.value),
        counted=format_count(rate) if rate.denominator else "",
        interval=format_interval(rate.interval),
        games=format_interval(rate.over_games),
        weighted=percent(rate.weighted) if is_apart else "",
        says=" ".join(text for text in said if text),
    )


def _present(always: Mapping[str, Collection[str]], part: str, there: Collection[str]) -> list[str]:
    return [text for text in ORDER if text in there or text in always.get(part, ())]


def _plot(table: Crosstab) -> IntervalsChart | None:
    rows = []
    for rate in table.rates:
        label, _what = OWN_RATES.get((table.part, rate.name)) or RATES[rate.name]
        if rate.value is not None and rate.interval is not None:
            is_wide = bool(why_not_yet(rate))
            rows.append(
                IntervalRow(
                    label=str(label),
                    value=rate.value,
                    text=percent(rate.value),
                    low=rate.interval[0],
                    high=rate.interval[1],
                    says=_("cannot tell yet") if is_wide else format_count(rate),
                    tone="wait" if is_wide else "",
                )
            )
    return interval_plot(rows, minimum=0.0, maximum=100.0) if rows else None
