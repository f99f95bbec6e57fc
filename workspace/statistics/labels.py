"""Statistics of agreement as the pages of both apps show them: sentences, and the plot of coefficients."""

from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext as _

from workspace.core.text import number
from workspace.display.core.charts import IntervalRow, IntervalsChart, interval_plot
from workspace.statistics.conclusions import Figure
from workspace.statistics.estimates import Agreement

PLACES = 3
LEAST_SCALE = 0.0
# The least alpha that allows tentative conclusions: K. Krippendorff, Content Analysis (2004), 241.
ENOUGH = 0.667
LOW = "low"


def judge_agreement(alpha: Agreement) -> str:
    """ "enough" or "low" where the whole interval lies on that side of `ENOUGH`; else "unclear", "" without a value."""
    if alpha.value is None:
        return ""
    if alpha.interval is None or alpha.interval[0] < ENOUGH <= alpha.interval[1]:
        return "unclear"
    return "enough" if alpha.interval[0] >= ENOUGH else LOW


def agreement_answer(lines: Sequence[tuple[str, Agreement]]) -> str:
    """On how many of these agreement is enough and on which it is too low, in one sentence."""
    judged = [(label, word) for label, alpha in lines if (word := judge_agreement(alpha))]
    low = [label for label, word in judged if word == LOW]
    counts = {
        "n": sum(word == "enough" for _label, word in judged),
        "all": len(judged),
        "low": ", ".join(low),
    }
    if not counts["n"] and not low:
        return _("Nobody can tell yet how far they agree")
    if not low:
        return _("They agree on %(n)d of %(all)d; nothing is too low") % counts
    if len(low) > 2:
        return _("They agree on %(n)d of %(all)d; on %(low)d they do not") % (counts | {"low": len(low)})
    return _("They agree on %(n)d of %(all)d; too low: %(low)s") % counts


def agreement_plot(lines: Sequence[tuple[str, Agreement, Agreement | None]]) -> IntervalsChart | None:
    """Coefficients (label, alpha, another one or None), lowest first, up to 1, from 0 or where one lies below from -1.

    The other one is the ring next to the dot. None where there is nothing to draw.
    """
    words = {"enough": _("enough"), LOW: _("too low"), "unclear": _("unclear")}
    rows = [
        figure_row(
            label, alpha, number(alpha.value, PLACES),
            hollow=other.value if other else None,
            says=words[judge_agreement(alpha)],
            tone="bad" if judge_agreement(alpha) == LOW else "",
        )
        for label, alpha, other in sorted(lines, key=lambda line: line[1].value or 0)
        if alpha.value is not None
    ]  # fmt: skip
    if not rows:
        return None
    lows = [end for row in rows for end in (row.value, row.low, row.hollow) if end is not None]
    return interval_plot(
        rows, minimum=-1.0 if min(lows) < LEAST_SCALE else 0.0, maximum=1.0, reference=ENOUGH
    )


def figure_row(label: str, figure: Any, text: str, **more: Any) -> IntervalRow:
    """The row of a plot for a figure that has a value, with its interval if it has one."""
    low, high = figure.interval or (None, None)
    return IntervalRow(label=label, value=figure.value, text=text, low=low, high=high, **more)


def list_undefined(
    parts: Sequence[tuple[str, Agreement | Figure]], headline: Agreement, called: str
) -> list[str]:
    """What is missing and why, one sentence for each reason; for the headline also why it has no interval."""
    missing: dict[str, list[str]] = {}
    for name, value in parts:
        if value.value is None:
            missing.setdefault(value.reason, []).append(name)
    if headline.value is not None and headline.interval is None:
        missing.setdefault(headline.interval_reason, []).append(_("interval of %(name)s") % {"name": called})
    return [
        _("%(names)s undefined: %(reason)s") % {"names": ", ".join(names), "reason": reason}
        for reason, names in missing.items()
    ]
