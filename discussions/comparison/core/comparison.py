"""The comparison of two iterations: for each metric an answer, the rubric's own rule, guardrails, and a proposal.

Source of the rule: the rubric's "Iteration Cycle" (keep the change if the averages improved, revert if not).
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction

from msgspec import Struct
from msgspec.structs import replace

from discussions.comparison.core.difference import (
    IMPROVED,
    MORE_GAMES,
    SAME,
    UNCLEAR,
    WORSE,
    Difference,
    decide_answer,
    difference,
    has_fallen,
)
from discussions.comparison.core.lengths import describe_lengths
from discussions.comparison.core.rebound import NO_REBOUND, Rebound, find_rebound
from discussions.core.iteration_states import INCONCLUSIVE, KEEP, REVERT
from discussions.iterations.core.averages import Spread, pooled_spread
from discussions.iterations.core.figures import GameFigures, collect_scores
from discussions.iterations.core.next_target import next_target
from discussions.metrics.core.metric import PERCENT, RATING
from discussions.metrics.core.registry import METRICS
from rubric.core.records import Criterion, RubricRecord
from workspace.core.text import figure
from workspace.core.words import mark, say, say_many
from workspace.statistics.means import exact_mean

PROPOSALS = {IMPROVED: KEEP, WORSE: REVERT, SAME: REVERT, UNCLEAR: INCONCLUSIVE}
MOST_LOOKS = 3
NOT_WORSE = mark("That does not call the change worse.")


def get_material_difference(key: str, chosen: Mapping[str, float] | None = None) -> float:
    return (chosen or {}).get(key, METRICS[key].scale.material)


def look_refusal(look: int) -> str:
    """A sentence when this look at the pair is one too many, else "". `look` counts from 1."""
    if look <= MOST_LOOKS:
        return ""
    return say(
        "These two iterations were compared {look} times already, and {most_looks} looks are "
        "the most: every further one makes a false positive more likely. Decide with what is "
        "there.",
        look=look - 1,
        most_looks=MOST_LOOKS,
    )


class RubricRule(Struct, frozen=True):
    """The rubric's own rule for one metric; `keeps` is None while an average is not known."""

    keeps: bool | None
    says: str


class MetricCompared(Struct, frozen=True):
    """One metric of two iterations. `difference` is computed from the games to which the metric applies.

    `left_out` counts the games to which it does not; in the rubric's `rule` they count 100. For the target, `answer`
    is the answer of the difference; the other answers are corrected for multiple testing (Holm). `is_harmed` marks a
    guardrail: a metric other than the target that more likely than not fell by more than the material difference.
    Pages show `rule` only for the target, because the rubric speaks only of it. `length_says` is a sentence if the
    metric depends on the length of messages and the lengths differ.
    """

    key: str
    label: str
    scale: str
    threshold: float
    is_target: bool
    difference: Difference
    left_out: int
    rule: RubricRule
    answer: str
    is_harmed: bool
    notes: list[str]
    length_says: str = ""


class IterationComparison(Struct, frozen=True):
    """Two iterations side by side.

    `answer` is the target's; without a target, that of all metrics together. `proposal` is keep, revert or
    inconclusive, `action` the sentence that goes with it. `checks` are sentences about the other metrics. `look` counts
    how often these two have been compared, this time included. `withdrawn` are numbers of games that were withdrawn
    after their figures were known, `answer_with` the answer with them.
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
    withdrawn: list[int] = []
    answer_with: str = ""
    says_with: str = ""

    def metric(self, key: str) -> MetricCompared:
        return {metric.key: metric for metric in self.metrics}[key]


def compare(
    control: Sequence[GameFigures],
    change: Sequence[GameFigures],
    rubric: RubricRecord,
    *,
    earlier: Iterable[Sequence[GameFigures]] = (),
    target: str | None = None,
    material: Mapping[str, float] | None = None,
    look: int = 1,
    marks: Callable[[Difference], bool] = has_fallen,
    picked: Sequence[GameFigures] = (),
) -> IterationComparison:
    """Compares the games of a change with those of its control, both judged under that rubric version.

    `earlier` are the games of each other batch of the same protocol, `target` the key that was named beforehand,
    `material` differences that were chosen instead of the usual ones, `marks` the rule that marks a guardrail, `picked`
    the games of the control by which the target may have been picked. Raises ValueError for a fourth look, or a target
    that the rubric does not have.
    """
    if refusal := look_refusal(look):
        raise ValueError(refusal)
    if target is not None and target not in {criterion.key for criterion in rubric.criteria}:
        raise ValueError(f"The rubric has no metric {target!r} to be the target.")
    batches = [control, change, *earlier]
    lowest = next_target(picked, rubric, earlier=batches[2:])

    def take_off(key: str, spread: Spread) -> Rebound:
        return find_rebound(key, lowest, control, spread) if key == target else NO_REBOUND

    found = [
        _metric(criterion, batches, get_material_difference(criterion.key, material), target, marks, take_off)
        for criterion in rubric.criteria
    ]
    metrics = _corrected(found)
    answer = _find_answer(metrics, target)
    checks = list_guardrail_checks(metrics, rubric, change)
    return IterationComparison(
        target=target,
        metrics=metrics,
        answer=answer,
        says=summarize_answer(metrics, target, answer),
        proposal=PROPOSALS[answer],
        action=recommend_action(metrics, answer, MOST_LOOKS - look, checks, _list_failing(rubric, change)),
        checks=checks,
        look=look,
        looks_left=MOST_LOOKS - look,
    )


def holm(tails: Sequence[float]) -> list[float]:
    """Each p adjusted for all of them: the smallest times n, the next times n - 1, never falling, at most 1.

    Source: S. Holm, Scandinavian Journal of Statistics 6 (1979), 65-70.
    """
    adjusted = [1.0] * len(tails)
    highest = 0.0
    for rank, index in enumerate(sorted(range(len(tails)), key=tails.__getitem__)):
        highest = max(highest, min(1.0, (len(tails) - rank) * tails[index]))
        adjusted[index] = highest
    return adjusted


def _metric(
    criterion: Criterion,
    batches: Sequence[Sequence[GameFigures]],
    material: float,
    target: str | None,
    marks: Callable[[Difference], bool],
    take_off: Callable[[str, Spread], Rebound],
) -> MetricCompared:
    key = criterion.key
    applicable = [collect_scores(batch, key, with_by_rule=False) for batch in batches]
    control, change = (exact_mean(collect_scores(batch, key)) for batch in batches[:2])
    scale = METRICS[key].scale
    spread = pooled_spread(applicable)
    found = difference(
        applicable[0],
        applicable[1],
        spread,
        material=material,
        span=scale.span,
        rebound=take_off(key, spread),
    )
    left_out = sum(not game.applies(key) for batch in batches[:2] for game in batch)
    return MetricCompared(
        key=key,
        label=criterion.label,
        scale=scale.key,
        threshold=float(criterion.threshold or 0),
        is_target=key == target,
        difference=found,
        left_out=left_out,
        rule=apply_rubric_rule(criterion.label, control, change),
        answer=found.answer,
        is_harmed=key != target and marks(found),
        notes=list_difference_notes(found, left_out),
        length_says=describe_lengths(key, *batches[:2]),
    )


def _corrected(found: Sequence[MetricCompared]) -> list[MetricCompared]:
    others = [metric for metric in found if not metric.is_target]
    posteriors = [metric.difference.posterior for metric in others]
    no_better = holm([1 - posterior.higher if posterior else 1.0 for posterior in posteriors])
    no_worse = holm([posterior.higher if posterior else 1.0 for posterior in posteriors])
    answers = {
        metric.key: decide_answer(no_better=up, no_worse=down, within=posterior.within)
        if posterior
        else metric.answer
        for metric, posterior, up, down in zip(others, posteriors, no_better, no_worse, strict=True)
    }
    return [replace(metric, answer=answers.get(metric.key, metric.answer)) for metric in found]


def _find_answer(metrics: Sequence[MetricCompared], target: str | None) -> str:
    answers = [metric.answer for metric in metrics if target is None or metric.is_target]
    is_up, is_down = IMPROVED in answers, WORSE in answers
    if is_up != is_down:
        return IMPROVED if is_up else WORSE
    return SAME if set(answers) == {SAME} else UNCLEAR


def apply_rubric_rule(label: str, control: Fraction | None, change: Fraction | None) -> RubricRule:
    """The rubric's own rule in words: the change is kept when its average is higher, and reverted when not."""
    if control is None or change is None:
        metric = label.lower()
        return RubricRule(
            None, say("the rule says nothing yet: an average of {metric} is not known", metric=metric)
        )
    keeps = change > control
    says = mark("the rule says KEEP: {change} > {control}")
    if change < control:
        says = mark("the rule says REVERT: {change} < {control}")
    elif not keeps:
        says = mark("the rule says REVERT: {change} = {control}, which is not improved")
    shown = format_apart(change, control)
    return RubricRule(keeps, say(says, change=shown[0], control=shown[1]))


def summarize_answer(metrics: Sequence[MetricCompared], target: str | None, answer: str) -> str:
    if target is not None:
        return "".join(summarize_metric(metric) for metric in metrics if metric.is_target)
    named = [
        f"{metric.label.lower()} {metric.answer}" for metric in metrics if metric.answer in (IMPROVED, WORSE)
    ]
    rest = f" ({', '.join(named)})" if named else ""
    return say(
        "No target was named, so all {metrics_count} metrics answer together: {answer}{rest}.",
        metrics_count=len(metrics),
        answer=answer,
        rest=rest,
    )


def summarize_metric(metric: MetricCompared) -> str:
    found = metric.difference
    if found.raw is None or found.control_mean is None or found.change_mean is None:
        return f"{metric.label}: {metric.answer}. {found.reason}"
    shown = format_apart(Fraction(found.change_mean), Fraction(found.control_mean))
    shrunken = ""
    if found.posterior:
        shrunken = say(", {points} after shrinking", points=_signed(found.posterior.shrunken))
    reason = f" {found.reason}" if found.reason else ""
    played = f"{_signed(found.raw)}{describe_rebound(found)}"
    means = say("{control} against {change}", control=shown[0], change=shown[1])
    return f"{metric.label}: {metric.answer}. {means}, {played}{shrunken}.{reason}"


def describe_rebound(found: Difference) -> str:
    """The regression to the mean in a difference, as the end of a sentence on the difference; "" if there is none."""
    if not found.rebound or found.raw is None:
        return ""
    says = mark(" as played, about {points} of it is regression to the mean")
    if found.raw < found.rebound:
        says = mark(" as played, although about {points} of regression to the mean was expected")
    return say(says, points=_signed(found.rebound))


def recommend_action(
    metrics: Sequence[MetricCompared],
    answer: str,
    looks_left: int,
    checks: list[str],
    failing: Sequence[object],
) -> str:
    """What to do by default; while the answer is unclear, stay with the earlier prompt or collect games.

    `failing` are the mandatory averages of the change that are below their threshold.
    """
    if answer == IMPROVED and failing:
        return say(
            "Better, but by the rubric the iteration fails, see what is to be checked. Keep the change only if you "
            "accept that for now."
        )
    if answer == IMPROVED:
        checked = mark("Keep the change, after a look at what is to be checked.")
        return say(checked if checks else mark("Keep the change."))
    if answer == WORSE:
        return say("Revert the change.")
    if answer == SAME:
        return say("Revert the change: what it does is too small to matter.")
    if looks_left == 0:
        return say(
            "Stay with the earlier prompt: this was the last of {most_looks} looks. {not_worse}",
            most_looks=MOST_LOOKS,
            not_worse=say(NOT_WORSE),
        )
    return say(
        "Stay with the earlier prompt for now, or collect games. {needed} {not_worse}",
        needed=_needed(metrics),
        not_worse=say(NOT_WORSE),
    )


def _needed(metrics: Sequence[MetricCompared]) -> str:
    asked = [metric for metric in metrics if metric.is_target] or metrics
    several = [(count, metric) for metric in asked if (count := metric.difference.more_games) is not None]
    if not several:
        return say("How many are needed shows once games of one batch differ.")
    count, metric = max(several, key=lambda pair: pair[0])
    about = {"material": _material_text(metric), "metric": metric.label.lower()}
    if not count:
        return say(
            "There are enough to see {material} in {metric}; the true difference may be smaller.", **about
        )
    with_more = ""
    if posterior := metric.difference.posterior:
        with_more = say(
            "; with {more_games} more each the interval would be ± {half_width}",
            more_games=MORE_GAMES,
            half_width=figure(posterior.half_width_with_more),
        )
    return say(
        "About {games} on each side {shows}{with_more}.",
        games=say_many("1 more game", "{count} more games", count, count=roughly(count)),
        shows=say("would show a difference of {material} in {metric}", **about),
        with_more=with_more,
    )


def roughly(count: int) -> str:
    """A number of games; from 100 on with two significant digits."""
    if count < 100:
        return str(count)
    step = 10 ** (len(str(count)) - 2)
    return f"{round(count / step) * step:,}"


def _material_text(metric: MetricCompared) -> str:
    scale, material = METRICS[metric.key].scale, metric.difference.material
    if scale in (PERCENT, RATING):
        return say("1 point") if material == 1 else say("{points:g} points", points=material)
    return f"{material:g}{scale.symbol}"


def list_guardrail_checks(
    metrics: Sequence[MetricCompared], rubric: RubricRecord, change: Sequence[GameFigures]
) -> list[str]:
    fell = [
        say(
            "Check {metric}: it probably fell by more than {material}.",
            metric=metric.label.lower(),
            material=_material_text(metric),
        )
        for metric in metrics
        if metric.is_harmed
    ]
    return fell + [
        say(
            "{label} is {average} on average, below {threshold}: by the rubric the iteration "
            "fails, whatever else improved.",
            label=criterion.label,
            average=figure(average, criterion.threshold),
            threshold=figure(criterion.threshold or 0),
        )
        for criterion, average in _list_failing(rubric, change)
    ]


def _list_failing(rubric: RubricRecord, change: Sequence[GameFigures]) -> list[tuple[Criterion, Fraction]]:
    return [
        (criterion, found)
        for criterion in rubric.criteria
        if criterion.is_mandatory
        and criterion.threshold is not None
        and (found := exact_mean(collect_scores(change, criterion.key))) is not None
        and found < Fraction(str(criterion.threshold))
    ]


def list_difference_notes(found: Difference, left_out: int) -> list[str]:
    notes = [found.spread.warning] if found.spread.warning else []
    if left_out:
        notes.append(
            say_many(
                "Left out: {n} game to which the metric does not apply.",
                "Left out: {n} games to which the metric does not apply.",
                left_out,
            )
        )
    if found.permutation.either is not None and found.floor is not None:
        notes.append(
            say(
                "Exact permutation p {p}, two-sided; with {change_count} against {control_count} "
                "games it cannot be below {least_p}.",
                p=format_p(found.permutation.either),
                change_count=found.change_count,
                control_count=found.control_count,
                least_p=format_p(found.floor),
            )
        )
    return notes


def format_apart(
    first: float | Fraction,
    other: float | Fraction,
    places: Iterable[int] = range(1, 12),
    threshold: float | None = None,
) -> tuple[str, str]:
    for decimals in places:
        shown = tuple(figure(value, threshold, decimals=decimals) for value in (first, other))
        if shown[0] != shown[1] or first == other:
            break
    return shown[0], shown[1]


def _signed(value: float) -> str:
    shown = figure(value)
    return shown if shown.startswith("-") else f"+{shown}"


def format_p(value: float) -> str:
    """A probability with two decimals, or as many more as it takes not to show as 0."""
    return figure(value, 0.0, decimals=2)
