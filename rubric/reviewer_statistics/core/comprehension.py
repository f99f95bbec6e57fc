"""The third success metric: do people understand better why responses rank as they do?

Scores cannot answer this. So a short survey follows a result page, which shows the breakdown by criterion or not, at
random. It asks how well people understand (1 to 5), and which criterion separated two responses most; that answer is
right or wrong.
"""

import math
from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

from workspace.core.words import mark, say
from workspace.statistics import conclusions
from workspace.statistics.estimates import Interval
from workspace.statistics.means import newcombe, wilson

LEAST_ANSWERS = 10
EFFECT = 0.2
TOP = 4
Arm = Literal["with", "without"]
_UNIT = mark("answers in each arm")


class Surveyed(Struct, frozen=True):
    """One person's survey after one result page, `arm` "with" or "without" the breakdown.

    `understood` is 1 to 5, `is_right` whether the separating criterion was named; None means not answered.
    """

    comparison: str
    person: str
    arm: Arm
    understood: int | None = None
    is_right: bool | None = None


class Share(Struct, frozen=True):
    """A count of hits among answers, with Wilson's interval as shares of 1; None without answers."""

    value: float | None
    interval: Interval | None
    hits: int
    answers: int
    people: int
    comparisons: int


class ArmsCompared(Struct, frozen=True):
    """One question's shares in both arms, and the difference (with minus without) with Newcombe's interval.

    The figure's `rows` are answers.
    """

    with_breakdown: Share
    without: Share
    difference: conclusions.Figure
    conclusion: conclusions.Conclusion


class UnderstandingReport(Struct, frozen=True):
    """What people say (literal: share of 4 and 5), and what they got right (the objective check)."""

    reported: ArmsCompared
    checked: ArmsCompared
    conclusion: conclusions.Conclusion


def understanding_report(surveys: Sequence[Surveyed]) -> UnderstandingReport:
    """Both questions of the survey by arm, and the conclusion from both.

    Sources: E. B. Wilson, JASA 22 (1927), 209-212; R. G. Newcombe, Statistics in Medicine 17 (1998), 873-890.
    """
    understood = [(survey, survey.understood >= TOP) for survey in surveys if survey.understood is not None]
    checked = [(survey, survey.is_right) for survey in surveys if survey.is_right is not None]
    first = _compared(understood, say("say they understand better"))
    second = _compared(checked, say("name the separating criterion more often"))
    said, apart, conclusion = first.conclusion, second.difference.value, first.conclusion
    # What people say of their understanding counts only if the objective check does not contradict it.
    if said.code == "holds" and apart is None:
        why = say("the check has no answers in both arms.")
        conclusion = conclusions.cannot_tell(said.count, why, said.needed, say(_UNIT))
    elif said.code == "holds" and apart is not None and apart < 0:
        why = say("people say they understand better, but fewer name the right criterion.")
        conclusion = conclusions.cannot_tell(said.count, why, said.needed, say(_UNIT))
    return UnderstandingReport(first, second, conclusion)


def answers_needed(base: float) -> int:
    """Answers in each arm to see the share rise from `base` by EFFECT with 80 % power, two-sided at 5 %.

    Source: J. L. Fleiss, Statistical Methods for Rates and Proportions, 2nd edition (1981), chapter 3.
    """
    base = min(max(base, 0.0), 1 - EFFECT)
    risen = base + EFFECT
    mean = (base + risen) / 2
    half = conclusions.Z_TWO_SIDED * math.sqrt(2 * mean * (1 - mean))
    power = conclusions.Z_POWER * math.sqrt(base * (1 - base) + risen * (1 - risen))
    return math.ceil((half + power) ** 2 / EFFECT**2)


def _compared(answers: Sequence[tuple[Surveyed, bool]], claim: str) -> ArmsCompared:
    first, second = (_share([pair for pair in answers if pair[0].arm == arm]) for arm in ("with", "without"))
    if first.value is None or second.value is None:
        arm = "with" if first.value is None else "without"
        reason = say("Nobody in the arm {arm} the breakdown has answered.", arm=arm)
        difference = conclusions.Figure(None, reason=reason, interval_reason=reason)
    else:
        difference = conclusions.Figure(
            value=first.value - second.value,
            interval=newcombe(first.hits, first.answers, second.hits, second.answers),
            comparisons=len({survey.comparison for survey, _ in answers}),
            rows=len(answers),
        )
    return ArmsCompared(first, second, difference, _conclusion(first, second, difference, claim))


def _share(answers: Sequence[tuple[Surveyed, bool]]) -> Share:
    hits, count = sum(is_hit for _, is_hit in answers), len(answers)
    percent = wilson(hits, count)
    return Share(
        value=hits / count if count else None,
        interval=(percent[0] / 100, percent[1] / 100) if percent else None,
        hits=hits,
        answers=count,
        people=len({survey.person for survey, _ in answers}),
        comparisons=len({survey.comparison for survey, _ in answers}),
    )


def _conclusion(
    first: Share, second: Share, difference: conclusions.Figure, claim: str
) -> conclusions.Conclusion:
    count, needed, unit = min(first.answers, second.answers), answers_needed(second.value or 0.5), say(_UNIT)
    if difference.interval is None:
        return conclusions.cannot_tell(count, difference.reason, needed, unit)
    if count < LEAST_ANSWERS:
        few = say(
            "each arm needs at least {least_answers} answers; the smaller one has {count}.",
            least_answers=LEAST_ANSWERS,
            count=count,
        )
        return conclusions.cannot_tell(count, few, needed, unit)
    if difference.interval[0] > 0:
        return conclusions.Conclusion(
            "holds", say("People with the breakdown {claim}.", claim=claim), count, needed, unit
        )
    if difference.interval[1] < 0:
        said = say("People without the breakdown {claim}.", claim=claim)
        return conclusions.Conclusion("fails", said, count, needed, unit)
    if conclusions.is_inside(difference.interval, EFFECT):
        return conclusions.no_difference(count, say("{points:g} points", points=100 * EFFECT), needed, unit)
    return conclusions.cannot_tell(count, say("the interval of the difference holds 0."), needed, unit)
