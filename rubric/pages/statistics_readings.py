"""What the parts of the success page are made of: a figure and its conclusion in words, a plot, cells of a table."""

from collections.abc import Sequence

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from msgspec import Struct

from rubric.core.success.figures import Conclusion, Figure
from rubric.core.success.understanding import Share
from rubric.pages.statistics_state import interval_text, number
from workspace.core.interval_plot import IntervalRow, IntervalsChart, interval_plot

WORDS = {
    "holds": (gettext_lazy("holds"), "good"),
    "not_worse": (gettext_lazy("not worse"), "good"),
    "fails": (gettext_lazy("does not hold"), "bad"),
    "cannot_tell": (gettext_lazy("cannot tell yet"), "wait"),
}
_PREFIX = "Cannot tell yet: "


class Reading(Struct, frozen=True):
    """One way to read a metric: the figure, what can be concluded, on how much it rests and how much it would need."""

    title: str
    what: str
    figure: str
    interval: str
    word: str
    tone: str
    reason: str
    basis: str


class MetricPart(Struct, frozen=True):
    """One metric: what it claims, both readings, the plot and its table (first column names the row), what to mind."""

    number: int
    key: str
    claim: str
    readings: list[Reading]
    plot: IntervalsChart | None
    plot_title: str
    columns: list[str]
    rows: list[list[str]]
    caution: str


def reading(
    title: str, what: str, shown: str, figure: Figure, conclusion: Conclusion, places: int = 2
) -> Reading:
    """A figure with its conclusion; `shown` is "" where there is none, which is then said in its place."""
    word, tone = WORDS[conclusion.code]
    reason = conclusion.reason.removeprefix(_PREFIX)
    return Reading(
        title=title,
        what=what,
        figure=shown or "–",
        interval=interval_text(figure.interval, places),
        word=str(word),
        tone=tone,
        reason=reason[:1].upper() + reason[1:],
        basis=rests_on(conclusion),
    )


def rests_on(found: Conclusion) -> str:
    """On how much a conclusion rests, and how much it would need."""
    units = {"comparisons": _("questions"), "answers in each arm": _("answers in each arm")}
    values = {"n": found.count, "needed": found.needed, "unit": units.get(found.unit, found.unit)}
    if found.needed is None:
        return _("Rests on %(n)d %(unit)s; how many it needs cannot be said yet.") % values
    return (
        _("Rests on %(n)d %(unit)s; a difference that matters shows reliably from about %(needed)d on.")
        % values
    )


def figures_plot(
    figures: Sequence[tuple[str, Figure]], places: int, minimum: float | None = None
) -> IntervalsChart | None:
    """The figures that there are on one scale up to 1, from 0 where none lies below."""
    rows = [
        IntervalRow(
            label=label,
            value=each.value,
            text=number(each.value, places),
            low=each.interval[0] if each.interval else None,
            high=each.interval[1] if each.interval else None,
        )
        for label, each in figures
        if each.value is not None
    ]
    if not rows:
        return None
    if minimum is None:
        least = min(end for row in rows for end in (row.value, row.low) if end is not None)
        minimum = 0.0 if least >= 0 else -1.0
    return interval_plot(rows, minimum=minimum, maximum=1.0, reference=0 if minimum < 0 else None)


def cell_text(found: Figure, places: int) -> str:
    """A figure with its interval; with no decimals it is a share, in percent."""
    if found.value is None:
        return found.reason
    if places == 0:
        return share_text(found.value)
    shown, interval = number(found.value, places), interval_text(found.interval, places)
    return f"{shown} ({interval})" if interval else shown


def share_text(value: float | None) -> str:
    """A share of 1 in percent; "" without one."""
    return "" if value is None else _("%(n)s %%") % {"n": number(100 * value, 0)}


def share_interval(found: Share) -> str:
    """Its interval in percent; "" without one."""
    if found.interval is None:
        return ""
    low, high = (number(100 * end, 0) for end in found.interval)
    return _("%(low)s to %(high)s %%") % {"low": low, "high": high}


def basis_of(found: Figure) -> str:
    """On how much a figure rests."""
    return counted_basis(found.responses, found.comparisons) if found.responses else ""


def counted_basis(responses: int, questions: int) -> str:
    """So many responses to so many questions."""
    said = (
        ngettext("%(n)d response", "%(n)d responses", responses) % {"n": responses},
        ngettext("%(n)d question", "%(n)d questions", questions) % {"n": questions},
    )
    return ", ".join(said)
