"""The comparison of two iterations: for each metric an answer, the rubric's own rule, falls and gains, and what to do.

Source of the rule: the rubric's "Iteration Cycle" (keep the change if the averages improved, revert if not).
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from fractions import Fraction

from msgspec import Struct
from msgspec.structs import replace

from discussions.comparison.core.difference import (
    IMPROVED,
    MOST_LOOKS,
    NO_REBOUND,
    SAME,
    UNCLEAR,
    WORSE,
    Chances,
    Difference,
    compute_answer_chances,
    describe_lengths,
    difference,
    find_paired_error,
    find_rebound,
    has_fallen,
    narrow_answer,
)
from discussions.comparison.core.sentences import (
    ACTIONS,
    DROP,
    PLAY_MORE,
    PLAY_REFERENCE,
    SWITCH,
    WAIT,
    describe_checks,
    describe_gain,
    describe_metric,
    format_apart,
    give_reason,
)
from discussions.core.intake import say_weighted
from discussions.core.iteration_states import INCONCLUSIVE, KEEP, REVERT
from discussions.iterations.core.averages import pooled_spread
from discussions.iterations.core.figures import (
    GameFigures,
    collect_scores,
    find_pairs,
    find_weights,
    list_weights,
    mean_score,
)
from discussions.iterations.core.next_target import NextTarget, next_target
from discussions.metrics.core.registry import METRICS
from rubric.core.records import Criterion, RubricRecord
from workspace.core.words import mark, say

PROPOSALS = {IMPROVED: KEEP, WORSE: REVERT, SAME: REVERT, UNCLEAR: INCONCLUSIVE}
# More games are proposed where they give an answer in at least one case of five.
LEAST_CHANCE = 0.2
# Fewer pairs are compared as games without pairs.
LEAST_PAIRS = 3


def get_material_difference(key: str, chosen: Mapping[str, float] | None = None) -> float:
    return (chosen or {}).get(key, METRICS[key].scale.material)


def look_refusal(look: int) -> str:
    """A sentence when this look at the pair is one too many, or else "". `look` counts from 1."""
    if look <= MOST_LOOKS:
        return ""
    return say(
        "These two iterations were compared {look} times already, and {most_looks} looks are "
        "the most. Decide with what is there.",
        look=look - 1,
        most_looks=MOST_LOOKS,
    )


class RubricRule(Struct, frozen=True):
    """The rubric's own rule for one metric; `keeps` is None while an average is not known."""

    keeps: bool | None
    says: str


class MetricCompared(Struct, frozen=True):
    """One metric of two iterations. `difference` is computed from the games to which the metric applies.

    `by_people`: it is that of people's estimates, not of the verdicts' scores. `verdict_means` are the averages of the
    verdicts' scores, control first, in which the `left_out` games to which the metric does not apply count 100; the
    rubric's `rule` reads them. Answers and intervals of other metrics than the target are corrected for multiple
    testing (Holm). `is_harmed` marks another metric that fell by more than the material
    difference and than chance explains; `lowest` is its lowest game. `length_says` is a sentence if the metric depends
    on the length of messages and the lengths differ.
    """

    key: str
    label: str
    scale: str
    threshold: float
    is_target: bool
    difference: Difference
    left_out: int
    rule: RubricRule
    is_harmed: bool
    by_people: bool = False
    verdict_means: tuple[float | None, float | None] = (None, None)
    lowest: int | None = None
    length_says: str = ""

    @property
    def answer(self) -> str:
        return self.difference.answer


class IterationComparison(Struct, frozen=True):
    """Two iterations side by side.

    `answer` is the target's; without a target, that of all metrics together. `proposal` is keep, revert or
    inconclusive; `act` what to do, a key of `ACTIONS`, `action` its sentence, `reason` why and `chance` the chance that
    more games give an answer. `checks` are sentences about what fell, `gains` about what improved besides the target;
    the first of these is `next_target`. `batches` says what differs besides the prompt. `look` counts how often these
    two have been compared, this time included. `withdrawn` are numbers of games that were withdrawn after their figures
    were known, `answer_with` the answer with them.
    """

    target: str | None
    metrics: list[MetricCompared]
    answer: str
    says: str
    proposal: str
    act: str
    action: str
    reason: str
    chance: float
    checks: list[str]
    gains: list[str]
    next_target: str
    look: int
    batches: str = ""
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
    earlier: Sequence[Sequence[GameFigures]] = (),
    target: str | None = None,
    material: Mapping[str, float] | None = None,
    look: int = 1,
    picked: Sequence[GameFigures] = (),
    earlier_count: int | None = None,
    flattered: Collection[str] = (),
    is_switched: bool = False,
) -> IterationComparison:
    """Compares the games of a change with those of its control, both judged under that rubric version.

    `earlier` are the games of each other batch of the same protocol; the first `earlier_count` (None: all) were there
    when the target was named. `target` is the key that was named beforehand, `material` differences that were chosen
    instead of the usual ones, `picked` the games of the control by which the target may have been picked. By the
    metrics that are `flattered` the control's prompt was kept because of these very games: nothing is called worse in
    them. `is_switched`: games of the change were seen before they got this target, so that it is corrected as the other
    metrics are. Raises ValueError for a fourth look, or a target that the rubric does not have.
    """
    _refuse(look, target, rubric)
    batches, chosen = [control, change, *earlier], material or {}
    lowest = next_target(picked, rubric, earlier=earlier[:earlier_count]), {game.number for game in picked}
    found = [_metric(criterion, batches, chosen, target, lowest) for criterion in rubric.criteria]
    corrected = _corrected(found, with_target=is_switched)
    metrics = [_without_luck(metric) if metric.key in flattered else metric for metric in corrected]
    answer, left = _find_answer(metrics, target), MOST_LOOKS - look
    gains = [each for each in metrics if target and not each.is_target and each.answer == IMPROVED]
    next_key = gains[0].key if gains and left and answer != IMPROVED else ""
    act, chances = choose_act(metrics, answer, left, change, flattered, has_gain=bool(next_key))
    return IterationComparison(
        target=target,
        metrics=metrics,
        answer=answer,
        says=summarize_answer(metrics, target, answer),
        proposal=PROPOSALS[answer],
        act=act,
        action=say(ACTIONS[act]),
        reason=give_reason(metrics, act, chances, look),
        chance=chances.total,
        checks=describe_checks(metrics, rubric, change),
        gains=[describe_gain(metric) for metric in gains],
        next_target=next_key,
        look=look,
        batches=describe_batches(control, change),
    )


def _refuse(look: int, target: str | None, rubric: RubricRecord) -> None:
    if refusal := look_refusal(look):
        raise ValueError(refusal)
    if target is not None and target not in {criterion.key for criterion in rubric.criteria}:
        raise ValueError(f"The rubric has no metric {target!r} to be the target.")


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
    material: Mapping[str, float],
    target: str | None,
    lowest: tuple[NextTarget, Collection[int]],
) -> MetricCompared:
    """`lowest` is the target that the control's games proposed, and the numbers of these games."""
    key, scale = criterion.key, METRICS[criterion.key].scale
    by_people = _have_people(key, *batches[:2])
    means = tuple(mean_score(batch, key) for batch in batches[:2])
    sides, is_paired = _choose_sides(key, *batches[:2], by_people=by_people)
    first, second, *others = (
        collect_scores(batch, key, with_by_rule=False, by_people=by_people)
        for batch in (*sides, *batches[2:])
    )
    found = difference(
        *(first, second, pooled_spread([first, second, *others])),
        material=get_material_difference(key, material),
        span=scale.span,
        rebound=find_rebound(key, *lowest, sides[0]) if key == target else NO_REBOUND,
        is_paired=is_paired,
        weights=tuple(list_weights(side, key, with_by_rule=False, by_people=by_people) for side in sides),
    )
    is_harmed = key != target and has_fallen(found)
    shown = [None if mean is None else float(mean) for mean in means]
    return MetricCompared(
        key=key,
        label=criterion.label,
        scale=scale.key,
        threshold=float(criterion.threshold or 0),
        is_target=key == target,
        difference=found,
        left_out=sum(not game.applies(key) for batch in batches[:2] for game in batch),
        rule=apply_rubric_rule(criterion.label, *means),
        is_harmed=is_harmed,
        by_people=by_people,
        verdict_means=(shown[0], shown[1]),
        lowest=_find_lowest(batches[1], key) if is_harmed else None,
        length_says=describe_lengths(key, *batches[:2]),
    )


def _choose_sides(
    key: str, control: Sequence[GameFigures], change: Sequence[GameFigures], *, by_people: bool
) -> tuple[list[Sequence[GameFigures]], bool]:
    """The games that are compared, in pairs if these cover the smaller side and differ, and no game weighs more."""
    pairs = find_pairs(control, change, key, by_people=by_people)
    sides = [[pair[place] for pair in pairs] for place in (0, 1)]
    least = min(len(collect_scores(side, key, with_by_rule=False)) for side in (control, change))
    scores = [collect_scores(side, key, by_people=by_people) for side in sides]
    is_weighted = any(list_weights(side, key, by_people=by_people) for side in (control, change))
    if is_weighted or len(pairs) < max(LEAST_PAIRS, least) or find_paired_error(*scores) is None:
        return [control, change], False
    return [*sides], True


def _have_people(key: str, *sides: Sequence[GameFigures]) -> bool:
    """Whether each game to which the metric applies has people's estimate of it."""
    known = [game for side in sides for game in side if game.applies(key) and game.score(key) is not None]
    return bool(known) and all(key in game.people for game in known)


def _find_lowest(games: Iterable[GameFigures], key: str) -> int | None:
    known = [
        (score, game.number) for game in games if (score := game.score(key)) is not None and game.applies(key)
    ]
    return min(known)[1] if known else None


def _corrected(found: Sequence[MetricCompared], *, with_target: bool) -> list[MetricCompared]:
    """The metrics with answers and intervals that are corrected for their number, the target's only `with_target`."""
    others = [metric for metric in found if with_target or not metric.is_target]
    tails = [[getattr(metric.difference, side) for metric in others] for side in ("better", "worse")]
    corrected = {
        metric.key: narrow_answer(metric.difference, better=up, worse=down)
        for metric, up, down in zip(others, *map(holm, tails), strict=True)
    }
    return [replace(metric, difference=corrected.get(metric.key, metric.difference)) for metric in found]


def _without_luck(metric: MetricCompared) -> MetricCompared:
    """The same without a fall: games by which a prompt was kept lie above its mean, so that any change looks worse."""
    if metric.answer == IMPROVED:
        return metric
    found = replace(metric.difference, interval=None, answer=UNCLEAR)
    return replace(metric, difference=found, is_harmed=False, lowest=None)


def _find_answer(metrics: Sequence[MetricCompared], target: str | None) -> str:
    answers = [metric.answer for metric in metrics if target is None or metric.is_target]
    is_up, is_down = IMPROVED in answers, WORSE in answers
    if is_up != is_down:
        return IMPROVED if is_up else WORSE
    return SAME if set(answers) == {SAME} else UNCLEAR


def choose_act(
    metrics: Sequence[MetricCompared],
    answer: str,
    looks_left: int,
    change: Iterable[GameFigures],
    flattered: Collection[str],
    *,
    has_gain: bool,
) -> tuple[str, Chances]:
    """What to do, and the chances of what further games answer on the target (without one, on any metric)."""
    given_up = SWITCH if has_gain else DROP
    asked = [metric for metric in metrics if metric.is_target] or metrics
    if answer in (IMPROVED, WORSE, SAME):
        return PROPOSALS[answer], Chances()
    if any(game.is_unknown for game in change):
        return WAIT, Chances()
    if flattered and (len(asked) > 1 or asked[0].key in flattered):
        return PLAY_REFERENCE, Chances()
    if not looks_left or {IMPROVED, WORSE} <= {metric.answer for metric in asked}:
        return given_up, Chances()
    known = [metric.difference for metric in asked if metric.difference.error is not None]
    if not known:  # nobody knows yet how much games differ
        return PLAY_MORE, Chances()
    found = [compute_answer_chances(each, looks_left, of=len(asked)) for each in known]
    best = max(found, key=lambda chances: chances.total)
    return (PLAY_MORE, best) if best.total >= LEAST_CHANCE else (given_up, Chances())


def apply_rubric_rule(label: str, control: Fraction | None, change: Fraction | None) -> RubricRule:
    """The rubric's own rule in words: the change is kept when its average is higher, and reverted when not."""
    if control is None or change is None:
        says = say("the rule says nothing yet: an average of {metric} is not known", metric=label.lower())
        return RubricRule(None, says)
    says = mark("the rule says KEEP: {change} > {control}")
    if change < control:
        says = mark("the rule says REVERT: {change} < {control}")
    elif change == control:
        says = mark("the rule says REVERT: {change} = {control}, which is not improved")
    shown = format_apart(change, control)
    return RubricRule(change > control, say(says, change=shown[0], control=shown[1]))


def summarize_answer(metrics: Sequence[MetricCompared], target: str | None, answer: str) -> str:
    if target is not None:
        return "".join(describe_metric(metric) for metric in metrics if metric.is_target)
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


_SAYS = mark(
    "The reference was played {before}, the change {after}: a difference may come from {cause}, not from the prompt."
)


def describe_batches(control: Sequence[GameFigures], change: Sequence[GameFigures]) -> str:
    """A sentence if the sides have no day in common, as spans of dates, or not the same model builds, and one if games
    weigh by how they entered the queue; "" otherwise.

    Games that do not say their day or build are left out; a side of which nothing is known differs in nothing.
    """
    days = [sorted({game.played_on for game in side} - {""}) for side in (control, change)]
    builds = [sorted({game.build for game in side} - {""}) for side in (control, change)]
    parts = []
    weighted = ""
    if find_weights(control) or find_weights(change):
        weighted = say_weighted()
    if all(days) and (days[0][-1] < days[1][0] or days[1][-1] < days[0][0]):
        parts.append((say("the days"), [say("on {days}", days=_span(side)) for side in days]))
    if all(builds) and builds[0] != builds[1]:
        parts.append((say("the model"), [say("with {builds}", builds="; ".join(side)) for side in builds]))
    if not parts:
        return weighted
    before, after = (" ".join(said[place] for _cause, said in parts) for place in (0, 1))
    says = say(_SAYS, before=before, after=after, cause=say(" or ").join(cause for cause, _said in parts))
    return f"{says} {weighted}".rstrip()


def _span(days: Sequence[str]) -> str:
    return days[0] if len(days) < 2 else say("{first} to {last}", first=days[0], last=days[-1])
