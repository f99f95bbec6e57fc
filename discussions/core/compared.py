"""What a comparison of two iterations says, as records and in sentences."""

from collections.abc import Sequence
from fractions import Fraction

from msgspec import Struct

from discussions.core.difference import IMPROVED, MORE_GAMES, SAME, WORSE, Difference
from discussions.core.game_figures import GameFigures, scores_of
from rubric.core.records import RubricRecord
from workspace.core.means import exact_mean
from workspace.core.text_display import figure

KEEP, REVERT, INCONCLUSIVE = "keep", "revert", "inconclusive"
MOST_LOOKS = 3


class Rule(Struct, frozen=True):
    """What the rubric's own rule says of one metric; `keeps` is None while an average is not known."""

    keeps: bool | None
    says: str


class MetricCompared(Struct, frozen=True):
    """One metric of two iterations. `difference` rests on the games to which the metric applies.

    `left_out` games are those to which it does not; in the rubric's `rule` they count 100. `answer` is that of the
    difference for the target; all others are held against each other first (Holm), so that among seven none is called
    improved or worse by luck. `is_harmed` marks a guardrail: a metric other than the target that probably fell by more
    than the material difference.
    """

    key: str
    label: str
    scale: str
    threshold: float
    is_target: bool
    difference: Difference
    left_out: int
    rule: Rule
    answer: str
    is_harmed: bool
    notes: list[str]


class Compared(Struct, frozen=True):
    """Two iterations side by side.

    `answer` is the target's; without a target what all metrics say together. `proposal` is keep, revert or
    inconclusive, `action` the sentence that goes with it. `checks` are sentences about the other metrics. `look` counts
    how often these two have been compared, this time included.
    """

    target: str | None
    metrics: list[MetricCompared]
    answer: str
    says: str
    proposal: str
    action: str
    checks: list[str]
    look: int
    looks_left: int

    def metric(self, key: str) -> MetricCompared:
        """That metric's comparison; raises KeyError when the rubric has none."""
        for each in self.metrics:
            if each.key == key:
                return each
        raise KeyError(key)


def rule_of(label: str, control: Fraction | None, change: Fraction | None) -> Rule:
    """The rubric's own rule in words: the change is kept when its average is higher, and reverted when not."""
    if control is None or change is None:
        return Rule(None, f"the rule says nothing yet: an average of {label.lower()} is not known")
    if change == control:
        return Rule(
            False, f"the rule says REVERT: {figure(change)} = {figure(control)}, which is not improved"
        )
    shown = _told_apart(change, control)
    keeps = change > control
    return Rule(
        keeps, f"the rule says {'KEEP' if keeps else 'REVERT'}: {shown[0]} {'>' if keeps else '<'} {shown[1]}"
    )


def says_of(metrics: Sequence[MetricCompared], target: str | None, answer: str) -> str:
    """The whole answer in a sentence: of the target, or of all metrics together."""
    if target is not None:
        return "".join(said_of(each) for each in metrics if each.is_target)
    named = [f"{each.label.lower()} {each.answer}" for each in metrics if each.answer in (IMPROVED, WORSE)]
    rest = f" ({', '.join(named)})" if named else ""
    return f"No target was named, so all {len(metrics)} metrics answer together: {answer}{rest}."


def said_of(metric: MetricCompared) -> str:
    """One metric in a sentence: the answer, both means, the raw and the shrunken difference."""
    found = metric.difference
    if found.raw is None or found.control_mean is None or found.change_mean is None:
        return f"{metric.label}: {metric.answer}. {found.reason}"
    shown = _told_apart(Fraction(found.change_mean), Fraction(found.control_mean))
    shrunken = f", {_signed(found.posterior.shrunken)} after shrinking" if found.posterior else ""
    reason = f" {found.reason}" if found.reason else ""
    return f"{metric.label}: {metric.answer}. {shown[0]} against {shown[1]}, {_signed(found.raw)}{shrunken}.{reason}"


NOT_WORSE = "That does not call the change worse."


def action_of(metrics: Sequence[MetricCompared], answer: str, looks_left: int, checks: list[str]) -> str:
    """What to do by default; "cannot tell yet" stays with the earlier prompt, or collects, and calls nothing worse."""
    if answer == IMPROVED:
        return "Keep the change, after a look at what is to be checked." if checks else "Keep the change."
    if answer == WORSE:
        return "Revert the change."
    if answer == SAME:
        return "Revert the change: what it does is too small to matter."
    if looks_left == 0:
        return f"Stay with the earlier prompt: this was the last of {MOST_LOOKS} looks. {NOT_WORSE}"
    return f"Stay with the earlier prompt for now, or collect games. {_needed(metrics)} {NOT_WORSE}"


def _needed(metrics: Sequence[MetricCompared]) -> str:
    asked = [each for each in metrics if each.is_target] or list(metrics)
    several = [(each.difference.more_games, each) for each in asked if each.difference.more_games is not None]
    if not several:
        return "How many are needed shows once games of one batch differ."
    count, metric = max(several, key=lambda pair: pair[0] or 0)
    material = f"{metric.difference.material:g} point{'' if metric.difference.material == 1 else 's'}"
    if not count:
        return f"There are enough to see {material} in {metric.label.lower()}; the true difference may be smaller."
    games = "1 more game" if count == 1 else f"{roughly(count)} more games"
    shows = f"would show a difference of {material} in {metric.label.lower()}"
    return f"About {games} on each side {shows}{_with_more(metric)}."


def roughly(count: int) -> str:
    """So many games, from 100 on as two digits and noughts: nobody plays 1,235 games rather than 1,200."""
    if count < 100:
        return str(count)
    step = 10 ** (len(str(count)) - 2)
    return f"{round(count / step) * step:,}"


def _with_more(metric: MetricCompared) -> str:
    found = metric.difference.posterior
    if found is None:
        return ""
    return f"; with {MORE_GAMES} more each the interval would be ± {figure(found.half_width_with_more)}"


def checks_of(
    metrics: Sequence[MetricCompared], rubric: RubricRecord, change: Sequence[GameFigures]
) -> list[str]:
    """Sentences on guardrails: metrics that probably fell, and mandatory averages that fail in the change."""
    fell = [
        f"Check {each.label.lower()}: it probably fell by more than {each.difference.material:g}."
        for each in metrics
        if each.is_harmed
    ]
    return fell + [
        f"{criterion.label} is {figure(found, criterion.threshold)} on average, below {figure(criterion.threshold)}: "
        "by the rubric the iteration fails, whatever else improved."
        for criterion in rubric.criteria
        if criterion.is_mandatory
        and criterion.threshold is not None
        and (found := exact_mean(scores_of(change, criterion.key))) is not None
        and found < Fraction(str(criterion.threshold))
    ]


def notes_of(found: Difference, left_out: int) -> list[str]:
    """What to know when reading the answer: how the spread is known, who is left out, what the exact test can show."""
    notes = [found.spread.warning] if found.spread.warning else []
    if left_out:
        notes.append(
            f"Left out: {left_out} game{'' if left_out == 1 else 's'} to which the metric does not apply."
        )
    if found.permutation.either is not None and found.floor is not None:
        notes.append(
            f"Exact permutation p {_p(found.permutation.either)}, two-sided; with {found.change_count} against "
            f"{found.control_count} games it cannot be below {_p(found.floor)}."
        )
    return notes


def _told_apart(one: Fraction, other: Fraction) -> tuple[str, str]:
    """Both figures with one decimal, or as many more as it takes to show that they differ."""
    for decimals in range(1, 12):
        shown = figure(one, decimals=decimals), figure(other, decimals=decimals)
        if shown[0] != shown[1] or one == other:
            break
    return shown


def _signed(value: float) -> str:
    shown = figure(value)
    return shown if shown.startswith("-") else f"+{shown}"


def _p(value: float) -> str:
    """A probability with two decimals, or as many more as it takes not to show as 0."""
    return figure(value, 0.0, decimals=2)
