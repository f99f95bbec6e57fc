"""Two iterations side by side: for each metric one of four answers, the rubric's own rule, guardrails, a proposal.

Source of the rule: the rubric's "Iteration Cycle" (keep the change if the averages improved, revert if not).
"""

from collections.abc import Iterable, Mapping, Sequence

from msgspec.structs import replace

from discussions.core.compared import (
    INCONCLUSIVE,
    KEEP,
    MOST_LOOKS,
    REVERT,
    Compared,
    MetricCompared,
    action_of,
    checks_of,
    notes_of,
    rule_of,
    says_of,
)
from discussions.core.difference import (
    IMPROVED,
    SAME,
    SURE_HARM,
    UNCLEAR,
    WORSE,
    answer_of,
    difference,
)
from discussions.core.game_figures import GameFigures, scores_of
from discussions.core.metrics import METRICS
from discussions.core.spread import pooled_spread
from rubric.core.records import Criterion, RubricRecord
from workspace.core.means import exact_mean

PROPOSALS = {IMPROVED: KEEP, WORSE: REVERT, SAME: REVERT, UNCLEAR: INCONCLUSIVE}


def material_of(key: str, chosen: Mapping[str, float] | None = None) -> float:
    """The material difference of a metric: the chosen one, else that of its scale."""
    return (chosen or {}).get(key, METRICS[key].scale.material)


def look_refusal(look: int) -> str:
    """A sentence when this would be one look too many at the same pair; empty otherwise. `look` counts from 1."""
    if look <= MOST_LOOKS:
        return ""
    return (
        f"These two iterations were compared {look - 1} times already, and {MOST_LOOKS} looks are the most: "
        "every further one makes a lucky answer likelier. Decide with what is there, or play both anew."
    )


def compare(
    control: Sequence[GameFigures],
    change: Sequence[GameFigures],
    rubric: RubricRecord,
    *,
    earlier: Iterable[Sequence[GameFigures]] = (),
    target: str | None = None,
    material: Mapping[str, float] | None = None,
    look: int = 1,
) -> Compared:
    """Compares the games of a change with those of its control, both judged under that rubric version.

    `earlier` are the games of each other batch of the same protocol, `target` the key that was named beforehand,
    `material` differences that were chosen instead of the usual ones. Raises ValueError for a fourth look, or a target
    that the rubric does not have.
    """
    if refusal := look_refusal(look):
        raise ValueError(refusal)
    if target is not None and target not in {criterion.key for criterion in rubric.criteria}:
        raise ValueError(f"The rubric has no metric {target!r} to be the target.")
    batches = [control, change, *earlier]
    found = [
        _metric(criterion, batches, material_of(criterion.key, material), target)
        for criterion in rubric.criteria
    ]
    metrics = _corrected(found)
    answer = _answer(metrics, target)
    checks = checks_of(metrics, rubric, change)
    return Compared(
        target=target,
        metrics=metrics,
        answer=answer,
        says=says_of(metrics, target, answer),
        proposal=PROPOSALS[answer],
        action=action_of(metrics, answer, MOST_LOOKS - look, checks),
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
    for rank, place in enumerate(sorted(range(len(tails)), key=tails.__getitem__)):
        highest = max(highest, min(1.0, (len(tails) - rank) * tails[place]))
        adjusted[place] = highest
    return adjusted


def _metric(
    criterion: Criterion, batches: Sequence[Sequence[GameFigures]], material: float, target: str | None
) -> MetricCompared:
    key = criterion.key
    applicable = [scores_of(batch, key, with_by_rule=False) for batch in batches]
    control, change = (exact_mean(scores_of(batch, key)) for batch in batches[:2])
    scale = METRICS[key].scale
    found = difference(
        applicable[0], applicable[1], pooled_spread(applicable), material=material, span=scale.span
    )
    left_out = sum(not game.applies(key) for batch in batches[:2] for game in batch)
    is_harmed = key != target and found.posterior is not None and found.posterior.harm > SURE_HARM
    return MetricCompared(
        key=key,
        label=criterion.label,
        scale=scale.key,
        threshold=float(criterion.threshold or 0),
        is_target=key == target,
        difference=found,
        left_out=left_out,
        rule=rule_of(criterion.label, control, change),
        answer=found.answer,
        is_harmed=is_harmed,
        notes=notes_of(found, left_out),
    )


def _corrected(found: Sequence[MetricCompared]) -> list[MetricCompared]:
    """The same with the answers of all but the target corrected for how many of them there are."""
    others = [each for each in found if not each.is_target]
    found_of = [each.difference.posterior for each in others]
    no_better = holm([1 - each.higher if each else 1.0 for each in found_of])
    no_worse = holm([each.higher if each else 1.0 for each in found_of])
    answers = {
        each.key: answer_of(up, down, posterior.within) if posterior else each.answer
        for each, posterior, up, down in zip(others, found_of, no_better, no_worse, strict=True)
    }
    return [replace(each, answer=answers.get(each.key, each.answer)) for each in found]


def _answer(metrics: Sequence[MetricCompared], target: str | None) -> str:
    answers = [each.answer for each in metrics if target is None or each.is_target]
    is_up, is_down = IMPROVED in answers, WORSE in answers
    if is_up != is_down:
        return IMPROVED if is_up else WORSE
    return SAME if set(answers) == {SAME} else UNCLEAR
