"""How comparisons are worded: how often something happens, points, and the first line of a comparison."""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from discussions.comparison.core.comparison import MetricCompared, format_apart
from discussions.comparison.core.verdict_line import (
    CERTAIN,
    LIKELY,
    NO_DIFFERENCE,
    OPEN,
    PERHAPS,
    PERHAPS_SMALL,
    PROBABLY_NO_DIFFERENCE,
    VerdictLine,
    choose_verdict_line,
)
from discussions.metrics.core.metric import PERCENT, RATING
from discussions.metrics.core.registry import METRICS
from workspace.core.text import figure

# Below and above these a share is "hardly ever" and "almost always".
RARE, USUAL = 0.03, 0.97
# A scale as wide as this is shown in whole points, a narrower one with a decimal.
WIDE_SPAN = 20
# The shares that have words, as numerator and denominator.
SHARES = (
    (1, 20), (1, 10), (1, 7), (1, 5), (1, 4), (1, 3), (2, 5), (1, 2), (3, 5), (2, 3), (3, 4), (4, 5), (9, 10), (19, 20),
)  # fmt: skip


def say_how_often(chance: float, *, is_short: bool = False) -> str:
    """A probability in words for a lead: "one time in ten", or "one in ten" after a sentence with the full form."""
    if chance < RARE:
        return _("hardly ever")
    if chance > USUAL:
        return _("almost always")
    part, whole = min(SHARES, key=lambda share: abs(share[0] / share[1] - chance))
    given = {"part": _number_words()[part], "whole": _number_words()[whole]}
    if is_short:
        return _("%(part)s in %(whole)s") % given
    return ngettext("%(part)s time in %(whole)s", "%(part)s times in %(whole)s", part) % given


def _number_words() -> dict[int, str]:
    return {
        1: _("one"),
        2: _("two"),
        3: _("three"),
        4: _("four"),
        5: _("five"),
        7: _("seven"),
        9: _("nine"),
        10: _("ten"),
        19: _("nineteen"),
        20: _("twenty"),
    }


def points(value: float) -> str:
    return _in_points(f"{value:g}")


def material_text(key: str, value: float) -> str:
    scale = METRICS[key].scale
    return points(value) if scale in (PERCENT, RATING) else f"{value:g}{scale.symbol}"


def points_text(value: float, span: float) -> str:
    return _in_points(figure(value, decimals=get_decimals(span)))


def get_decimals(span: float) -> int:
    return 0 if span >= WIDE_SPAN else 1


def describe_verdict(metric: MetricCompared, span: float) -> str:
    """The first line: the word, both means, and the interval in points; `span` is the width of the metric's scale."""
    found, line = metric.difference, choose_verdict_line(metric.difference)
    if found.raw is None or found.control_mean is None or found.change_mean is None:
        return _("Can't tell yet: %(reason)s") % {"reason": found.reason}
    decimals = get_decimals(span)
    means = (found.change_mean, found.control_mean)
    after, before = format_apart(*means, range(decimals, 4), metric.threshold)
    given = {
        "label": metric.label.lower(),
        "after": after,
        "before": before,
        "material": points(found.material),
        "reason": found.reason,
    }
    if line.interval is None:
        says = (
            _("No difference that matters: %(label)s %(after)s against %(before)s.")
            if line.kind == NO_DIFFERENCE
            else _("Can't tell yet: %(label)s %(after)s against %(before)s. %(reason)s")
        )
        return says % given
    given |= _ends(line.interval, decimals)
    return _sentence(line, has_rebound=bool(found.rebound)) % (
        given | {"range": _describe_range(line.interval, decimals)}
    )


def _sentence(line: VerdictLine, *, has_rebound: bool) -> str:
    pair = _("%(label)s %(after)s against %(before)s")
    up, down = {
        CERTAIN: (_("Better, almost certainly"), _("Worse, almost certainly")),
        LIKELY: (_("Better, very likely"), _("Worse, very likely")),
        PERHAPS: (_("Perhaps better, too early to say"), _("Perhaps worse, too early to say")),
        PERHAPS_SMALL: (
            _("Perhaps better, probably by too little to matter"),
            _("Perhaps worse, probably by too little to matter"),
        ),
        NO_DIFFERENCE: (_("No difference that matters"),) * 2,
        PROBABLY_NO_DIFFERENCE: (_("Probably no difference that matters"),) * 2,
        OPEN: (_("Can't tell yet"),) * 2,
    }[line.kind]
    side, small = _("by %(low)s to %(high)s points"), _("by %(low)s to %(high)s points as played")
    if has_rebound:  # the interval is about what is left, not about the difference of the two means beside it
        side = small = _("by %(low)s to %(high)s points without regression to the mean")
    rest = {
        CERTAIN: side,
        LIKELY: side,
        PERHAPS: small,
        PERHAPS_SMALL: small,
        NO_DIFFERENCE: _("%(range)s, less than %(material)s either way"),
        PROBABLY_NO_DIFFERENCE: "%(range)s",
        OPEN: _("anything %(range)s fits these games"),
    }[line.kind]
    return f"{up if line.is_better else down}: {pair}, {rest}."


def _describe_range(interval: tuple[float, float], decimals: int) -> str:
    low, high = interval
    given = _ends(interval, decimals)
    if low > 0:
        return _("%(low)s to %(high)s points better") % given
    if high < 0:
        return _("%(low)s to %(high)s points worse") % given
    return _("from %(worse)s worse to %(better)s better") % {
        "worse": _in_points(figure(-low, 0.0, decimals=decimals)),
        "better": _in_points(figure(high, 0.0, decimals=decimals)),
    }


def _in_points(text: str) -> str:
    return ngettext("%(value)s point", "%(value)s points", 1 if text == "1" else 2) % {"value": text}


def _ends(interval: tuple[float, float], decimals: int) -> dict[str, str]:
    """Both ends without their signs, the smaller one first; an end that is not 0 never shows as 0."""
    first, last = sorted(abs(end) for end in interval)
    low, high = format_apart(first, last, range(decimals, 4), 0.0)
    return {"low": low, "high": high}
