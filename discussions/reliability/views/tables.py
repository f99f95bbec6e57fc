"""Tables of automatic values and what people say, their shares in words, and whether people move between the two."""

from collections.abc import Collection, Iterable, Mapping, Sequence

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from discussions.reliability.core.accuracy import SAMPLED
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
from discussions.reliability.core.crosstab import Crosstab, CrosstabCell, Interval, Rate
from discussions.reliability.labels import (
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
    TITLES,
)
from workspace.core.text import figure
from workspace.display.core.charts import IntervalRow, IntervalsChart, interval_plot
from workspace.statistics.labels import format_signed
from workspace.statistics.proportions import wilson

# A share is not reliable when its interval is wider than this many points,
WIDEST = 30.0
# or when it has fewer answers.
FEWEST = 20
# A weighted share is shown if it differs by more points than this.
DIFFERS = 1.0
MOST_NEEDED = 1_000_000
# If there are fewer answers on either side, the shares of one person mean little.
FEW = 20
MOVED = "moved-"
MOVES = (TO_MACHINE, ELSEWHERE, AWAY, STAYED)


class RateLine:
    """A share in words. `says` is the reason if it is undefined, has no interval or is not reliable yet.

    `weighted` is the weighted share if it differs enough.
    """

    def __init__(self, part: str, rate: Rate) -> None:
        self.label, self.what = OWN_RATES.get((part, rate.name)) or RATES[rate.name]
        self.rate = rate
        weighted = rate.weighted if part in SAMPLED else None
        if weighted is None or rate.value is None or abs(rate.value - weighted) <= DIFFERS:
            weighted = None
        self.weighted = weighted
        reasons = [why_not_yet(rate), rate.over_games_reason]
        if not rate.denominator:
            reasons = [str(NOTHING.get(rate.name, _("Undefined: nothing to count.")))]
        self.says = " ".join(filter(None, reasons))


class RowOfCounts:
    """A row of a table with its cells, without their cases."""

    def __init__(self, table: Crosstab, row: str, columns: Sequence[str]) -> None:
        self.label = CELLS[row]
        self.cells = [CrosstabCell(row, column, table.count(row, column), []) for column in columns]


class TableOfCounts:
    """A table with its shares; without answers, `empty` says why. `part` names it in the URL of its cases."""

    def __init__(self, table: Crosstab) -> None:
        self.part = table.part
        self.heading = HEADINGS.get(table.part, "")
        self.says = _says(table)
        self.note = NOTES.get(table.part, "")
        self.basis = describe_basis(table) if table.total else ""
        self.empty = "" if table.total else EMPTY.get(table.part, NO_SAMPLE)
        columns = _present(ALWAYS_COLUMNS, table.part, {cell.column for cell in table.cells})
        rows = _present(ALWAYS_ROWS, table.part, {cell.row for cell in table.cells})
        self.columns = [CELLS[column] for column in columns]
        self.rows = [RowOfCounts(table, row, columns) for row in rows]
        self.lines = [RateLine(table.part, rate) for rate in table.rates]
        self.plot = plot_rates((str(line.label), line.rate) for line in self.lines)


class MovesLine:
    """A metric; `says` is whether people move to the automatic value, or why that is not known.

    `part` names its table in URLs.
    """

    def __init__(self, anchoring: Anchoring) -> None:
        self.label = str(TITLES[anchoring.metric])
        self.part = MOVED + anchoring.metric
        self.toward, self.away = anchoring.table.rate(TOWARD), anchoring.table.rate(AWAY)
        self.index = format_signed(anchoring.index, 1)
        self.interval = _points_between(anchoring.interval)
        self.games = _points_between(anchoring.over_games)
        self.says = _describe_moves(self.toward, self.away, anchoring.over_games or anchoring.interval)
        self.rows = [RowOfCounts(anchoring.table, row, MOVES) for row in (APART, TOGETHER)]


def anchoring_context(metrics: Sequence[Anchoring], names: Mapping[int, str]) -> dict[str, object]:
    """Whether people move to the automatic value once they see it; `names` are the names of evaluators, by key.

    `lines` is empty when nothing was revealed after a blind answer. `people` are (name, metric, moves), sorted by name;
    below `few` answers on either side, moves mean little.
    """
    known = [metric for metric in metrics if metric.table.total]
    lines = [MovesLine(metric) for metric in known]
    people = [
        (names.get(person.evaluator, ""), TITLES[metric.metric], person)
        for metric in known
        for person in metric.people
    ]
    return {
        "plot": plot_rates(
            (f"{line.label}: {label}", rate)
            for line in lines
            for rate, label in ((line.toward, _("to the automatic value")), (line.away, _("away from it")))
        ),
        "columns": [CELLS[column] for column in MOVES],
        "few": FEW,
        "lines": lines,
        "people": sorted(people, key=lambda entry: entry[0]),
    }


def _describe_moves(toward: Rate, away: Rate, interval: Interval | None) -> str:
    if not toward.denominator:
        return _("Undefined: nobody had answered differently from the automatic value.")
    if not away.denominator:
        return _("Undefined: nobody had answered the same as the automatic value.")
    if why_not_yet(toward) or why_not_yet(away):
        return _("Can't tell yet: too few answers stood apart from the automatic value, or with it.")
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
        counts = {"n": count_needed_answers(rate), "there": rate.denominator}
        return _("Too little data: %(there)d of at least %(n)d answers.") % counts
    if rate.over_games is not None and _width(rate.over_games) > WIDEST:
        return _("Can't tell yet: games differ too much; it takes more of them.")
    return ""


def count_needed_answers(rate: Rate) -> int:
    """How many answers bring Wilson's interval of this share within `WIDEST` points; at least `FEWEST`."""
    share, least, most = rate.numerator / rate.denominator, max(rate.denominator, FEWEST), MOST_NEEDED
    while least < most:
        middle = (least + most) // 2
        bounds = wilson(round(share * middle), middle)
        if bounds is not None and _width(bounds) <= WIDEST:
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
