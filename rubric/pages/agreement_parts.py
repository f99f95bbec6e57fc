"""What pages of agreement share, of reviewers or of evaluators: the plot of coefficients, and what is undefined why."""

from collections.abc import Sequence

from django.utils.translation import gettext as _

from rubric.core.agreement.estimates import Agreement
from rubric.core.success.figures import Figure
from rubric.pages.statistics_state import number
from workspace.core.interval_plot import IntervalRow, IntervalsChart, interval_plot

PLACES = 3
LEAST_SCALE = 0.0


def agreement_plot(lines: Sequence[tuple[str, Agreement, Agreement | None]]) -> IntervalsChart | None:
    """Coefficients (label, headline, companion) on one scale up to 1, from 0 or, where one lies below, from -1.

    The companion is the ring beside the dot. None where there is nothing to draw.
    """
    rows = [
        IntervalRow(
            label=label,
            value=alpha.value,
            text=number(alpha.value, PLACES),
            low=alpha.interval[0] if alpha.interval else None,
            high=alpha.interval[1] if alpha.interval else None,
            hollow=companion.value if companion else None,
        )
        for label, alpha, companion in lines
        if alpha.value is not None
    ]
    if not rows:
        return None
    lows = [end for row in rows for end in (row.value, row.low, row.hollow) if end is not None]
    return interval_plot(rows, minimum=-1.0 if min(lows) < LEAST_SCALE else 0.0, maximum=1.0, reference=0)


def undefined(parts: Sequence[tuple[str, Agreement | Figure]], headline: Agreement, called: str) -> list[str]:
    """What is not there and why, one sentence for each reason; of the headline also why it has no interval."""
    missing: dict[str, list[str]] = {}
    for name, each in parts:
        if each.value is None:
            missing.setdefault(each.reason, []).append(name)
    if headline.value is not None and headline.interval is None:
        missing.setdefault(headline.interval_reason, []).append(_("interval of %(name)s") % {"name": called})
    return [
        _("%(names)s undefined: %(reason)s") % {"names": ", ".join(names), "reason": reason}
        for reason, names in missing.items()
    ]
