"""A verdict's lines as every screen shows them: one row per metric, and the chart of the bars."""

from fractions import Fraction

from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from msgspec import Struct

from discussions.core.outcome import Line as VerdictLine
from discussions.core.outcome import ManualCheck, Outcome
from discussions.metrics.core.registry import METRICS
from discussions.metrics.labels import LABELS, figure_text, limit_text
from workspace.core.text import figure
from workspace.display.core.charts import BarRow, BarsChart, threshold_bars

PASS = "pass"


FAIL = "fail"


PENDING = "pending"


class FigureRow(Struct, frozen=True):
    """One metric as shown. `text` is the figure unrounded across its threshold, `count` what it was counted from.

    `state` is "pass", "fail" or "pending" and `says` its word; `turns` says what would change it, `doubt` that the
    metric could go the other way in a re-run, `check` what the manual check of the agents' language gave.
    """

    key: str
    label: str
    text: str
    count: str
    threshold: str
    state: str
    says: str
    interval: str
    doubt: str
    turns: str
    check: str


def figure_rows(outcome: Outcome) -> list[FigureRow]:
    """The rows in the order of the rubric."""
    return [figure_row(line) for line in outcome.lines]


def figure_row(line: VerdictLine) -> FigureRow:
    """One line of a verdict, in words."""
    low_high = "" if line.interval is None else f"{line.interval[0]:.1f} – {line.interval[1]:.1f} %"
    return FigureRow(
        key=line.key,
        label=line.label,
        text=format_score(line),
        count=counted_from(line),
        threshold=limit_text(line.key, line.threshold),
        state=get_state(line),
        says=get_state_word(line),
        interval=low_high,
        doubt=_("could go the other way in a re-run") if line.could_go_other_way else "",
        turns=describe_flip(line),
        check="" if line.manual_check is None else check_says(line.manual_check),
    )


def get_state(line: VerdictLine) -> str:
    """pass, fail or pending."""
    if line.passes is None:
        return PENDING
    return PASS if line.passes else FAIL


def get_state_word(line: VerdictLine) -> str:
    """The word for it: colour is never the only sign."""
    if line.passes is None:
        return _("pending")
    if line.is_decided_by_hand and line.manual_check and line.manual_check.is_test:
        return _("PASS by the test") if line.passes else _("FAIL by the test")
    if line.is_decided_by_hand:
        return _("PASS by the manual check") if line.passes else _("FAIL by the manual check")
    if line.is_by_rule:
        return str(LABELS[line.key].by_rule)
    return _("PASS") if line.passes else _("FAIL")


def format_score(line: VerdictLine) -> str:
    """The figure alone: "79.96 %", "3.5", "pending"."""
    return _("pending") if line.score is None else figure_text(line)


def counted_from(line: VerdictLine) -> str:
    """What the figure was counted from: "17 of 20 references accurate"."""
    if not line.is_applicable:
        return _("nothing to count")
    return LABELS[line.key].count % {"above": line.numerator, "below": line.denominator}


def describe_flip(line: VerdictLine) -> str:
    """What would change it, in a sentence; "" while pending."""
    if line.passes is None:
        return ""
    if METRICS[line.key].is_rated:
        distance = abs(Fraction(line.numerator, line.denominator) - Fraction(str(line.threshold)))
        way = _("above") if line.passes else _("below")
        return _("%(distance)s points %(way)s the threshold") % {"distance": figure(distance), "way": way}
    if line.flip is None:
        return _("no judgement of messages would change it")
    return LABELS[line.key].turns % {"n": line.flip}


def verdict_turns(outcome: Outcome) -> str:
    """What would change the verdict, in a sentence; "" while it is pending."""
    if outcome.passes is None:
        return ""
    codes = {reason.code for reason in outcome.reasons}
    if "cost" in codes:
        return _("No judgement would change it: the cost decides.")
    if "mandatory" in codes:
        return _("No judgement of messages would change it: the rating decides.")
    if outcome.flip_distance is None:
        return _("No judgement of messages or references would change it.")
    said = ngettext(
        "%(n)d judgement made otherwise would change it.",
        "%(n)d judgements made otherwise would change it.",
        outcome.flip_distance,
    )
    return said % {"n": outcome.flip_distance}


def check_says(check: ManualCheck) -> str:
    """The manual check, or the blind test, beside its metric."""
    said = _(
        "manual check: %(yes)d of %(asked)d agents could be told by their language, %(needed)d needed: %(word)s"
    )
    if check.is_test:
        said = _("test: %(yes)d of %(asked)d messages given to the right agent, %(chance)s: %(word)s")
    shown = said % {
        "yes": check.yes,
        "asked": check.asked,
        "needed": check.needed,
        "chance": test_says(check) if check.is_test else "",
        "word": _("PASS") if check.passes else _("FAIL"),
    }
    return shown + (_(" (decides)") if check.decides else _(" (beside the score)"))


def test_says(check: ManualCheck) -> str:
    """What guessing would give, and how probable the result of the blind test is by guessing."""
    level = {"agents": check.agents, "share": f"{100 / check.agents:.1f}", "p": format_p(check.p or 0.0)}
    chance = _("chance level 1 in %(agents)d (%(share)s %%), exact p %(p)s") % level
    if check.needed > check.asked:
        return chance + _(", too few messages to tell from guessing")
    return chance + _(", %(needed)d hits needed for p < 0.05") % {"needed": check.needed}


def format_p(p: float) -> str:
    """A probability with its sign: three decimals, more where it is near the level of the test, never "0.000"."""
    if p < 0.001:
        return "< 0.001"
    return f"= {p:.3f}" if abs(p - 0.05) >= 0.0005 else f"= {p:.6f}"


def build_threshold_chart(outcome: Outcome) -> BarsChart:
    """The bars against their thresholds, with intervals."""
    return threshold_bars([_bar(line) for line in outcome.lines])


def _bar(line: VerdictLine) -> BarRow:
    row, scale = figure_row(line), METRICS[line.key].scale
    low, high = line.interval if line.interval is not None else (None, None)
    return BarRow(
        label=row.label,
        value=line.score,
        threshold=line.threshold,
        text=row.text,
        state=row.state,
        says=row.says + (f"; {row.doubt}" if row.doubt else ""),
        detail=row.count,
        low=low,
        high=high,
        minimum=scale.low,
        maximum=scale.high,
        interval_text=row.interval,
    )
