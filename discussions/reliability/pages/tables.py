"""Tables of automatic against human answers, with shares, intervals and plots."""

from collections.abc import Collection, Iterable, Mapping, Sequence

from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from msgspec import Struct

from discussions.reliability.core.accuracy import SAMPLED
from discussions.reliability.core.crosstab import Crosstab, CrosstabCell, Interval, Rate
from discussions.reliability.labels.accuracy import (
    ALWAYS_COLUMNS,
    ALWAYS_ROWS,
    CELLS,
    EMPTY,
    HEADINGS,
    JUDGED,
    MESSAGES_JUDGED,
    NO_SAMPLE,
    NOTES,
    NOTHING,
    ORDER,
    OWN_RATES,
    RATES,
    SAYS,
)
from workspace.core.text import figure
from workspace.display.core.charts import IntervalRow, IntervalsChart, interval_plot
from workspace.statistics.proportions import wilson

# A share is not reliable when its interval is wider than this many points,
WIDEST = 30.0
# or when it has fewer answers.
FEWEST = 20
# A weighted share is shown if it differs by more points than this.
APART = 1.0
MOST_NEEDED = 1_000_000


class RateLine(Struct, frozen=True):
    """A share in words. `says` is the reason if it is undefined, has no interval or is not reliable yet.

    `weighted` is the weighted share if it differs enough.
    """

    label: str
    what: str
    rate: Rate
    weighted: float | None
    says: str


class RowPart(Struct, frozen=True):
    """A row of a table with its cells."""

    label: str
    cells: list[CrosstabCell]


class TablePart(Struct, frozen=True):
    """A table; without answers, `empty` says why. `part` names it in the URL of its cases."""

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


def table_part(table: Crosstab) -> TablePart:
    """The table with its shares."""
    lines = [_line(table.part, rate) for rate in table.rates]
    columns = _present(ALWAYS_COLUMNS, table.part, {cell.column for cell in table.cells})
    rows = _present(ALWAYS_ROWS, table.part, {cell.row for cell in table.cells})
    return TablePart(
        part=table.part,
        heading=str(HEADINGS.get(table.part, "")),
        says=_says(table),
        note=str(NOTES.get(table.part, "")),
        basis=describe_basis(table) if table.total else "",
        empty="" if table.total else str(EMPTY.get(table.part, NO_SAMPLE)),
        columns=[str(CELLS[column]) for column in columns],
        rows=build_rows(table, rows, columns),
        lines=lines,
        plot=plot_rates((line.label, line.rate) for line in lines),
    )


def build_rows(table: Crosstab, rows: Iterable[str], columns: Sequence[str]) -> list[RowPart]:
    """The counts of these rows and columns, without their cases."""
    return [
        RowPart(
            str(CELLS[row]),
            [CrosstabCell(row, column, table.count(row, column), []) for column in columns],
        )
        for row in rows
    ]


def describe_basis(table: Crosstab) -> str:
    """The number of answers and the work behind the table."""
    return _("%(judged)s: %(work)s.") % {
        "judged": JUDGED.get(table.part, MESSAGES_JUDGED) % {"n": table.total},
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


def percent(value: float) -> str:
    """A share with its percent sign on the same line."""
    return f"{figure(value)}\N{NO-BREAK SPACE}%"


def format_count(rate: Rate) -> str:
    """ "16 of 20"."""
    return _("%(n)d of %(of)d") % {"n": rate.numerator, "of": rate.denominator}


def why_not_yet(rate: Rate) -> str:
    """Why the share is not reliable yet, and what it takes; "" when it is reliable or undefined."""
    if rate.interval is None:
        return ""
    if rate.denominator < FEWEST or _width(rate.interval) > WIDEST:
        given = {"n": count_needed_answers(rate), "there": rate.denominator}
        return _("Too little data: %(there)d of at least %(n)d answers.") % given
    if rate.over_games is not None and _width(rate.over_games) > WIDEST:
        return _("Can't tell yet: games differ too much; it takes more of them.")
    return ""


def count_needed_answers(rate: Rate) -> int:
    """How many answers bring Wilson's interval of this share within `WIDEST` points; at least `FEWEST`."""
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
    """What the shares show; if none is reliable, what the first of them lacks."""
    rates = [(table.rate(name), sentence) for name, sentence in SAYS[table.part]]
    known = [(rate, sentence) for rate, sentence in rates if rate.value is not None]
    told = [
        str(sentence) % {"share": percent(rate.value or 0.0)}
        for rate, sentence in known
        if not why_not_yet(rate)
    ]
    return " ".join(told or [why_not_yet(rate) for rate, _sentence in known[:1]])


def _line(part: str, rate: Rate) -> RateLine:
    label, what = OWN_RATES.get((part, rate.name)) or RATES[rate.name]
    weighted = rate.weighted if part in SAMPLED else None
    if weighted is None or rate.value is None or abs(rate.value - weighted) <= APART:
        weighted = None
    reasons = [why_not_yet(rate), rate.over_games_reason]
    if not rate.denominator:
        reasons = [str(NOTHING.get(rate.name, _("Undefined: nothing to count.")))]
    return RateLine(str(label), str(what), rate, weighted, says=" ".join(filter(None, reasons)))


def _present(always: Mapping[str, Collection[str]], part: str, there: Collection[str]) -> list[str]:
    return [text for text in ORDER if text in there or text in always.get(part, ())]


def plot_rates(rates: Iterable[tuple[str, Rate]]) -> IntervalsChart | None:
    """The shares with their intervals, by label; None when no share has enough answers."""
    rows = []
    for label, rate in rates:
        if rate.value is not None and rate.interval is not None:
            is_wide = bool(why_not_yet(rate))
            rows.append(
                IntervalRow(
                    label=label,
                    value=rate.value,
                    text=percent(rate.value),
                    low=rate.interval[0],
                    high=rate.interval[1],
                    says=_("can't tell yet") if is_wide else format_count(rate),
                    tone="wait" if is_wide else "",
                )
            )
    if all(row.tone == "wait" for row in rows):
        return None
    return interval_plot(rows, minimum=0.0, maximum=100.0)
