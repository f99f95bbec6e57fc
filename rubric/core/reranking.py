"""Comparisons that were reviewed, ranked again under a draft: other weights over the scores that are stored."""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from msgspec import Struct

from rubric.core.impact import COMPARISONS, Flip, Impact, Item, Where, farthest, histogram, listed, moves_of
from rubric.core.panel import Judgement, Panel, panel
from rubric.core.records import RubricRecord
from rubric.core.scoring import rounded, weights_of

_MOST_DECIMALS = 6


class Reranked(Struct, frozen=True):
    """One comparison: who wins before and after, in words ("" when nobody does), why, and the means of responses that
    have one before and after."""

    where: Where
    before: str
    after: str
    reasons: list[str]
    figures: Mapping[Item, tuple[float, float]]


def comparable_weights(own: RubricRecord, draft: RubricRecord) -> dict[str, Fraction]:
    """The draft's weights of the criteria that were scored under `own`, rescaled where the draft has others beside.

    Nobody scored what the draft adds, so its overalls are over the criteria that are there. Empty when none is.
    """
    weights = weights_of(draft)
    scored = {criterion.key for criterion in own.criteria}
    kept = {key: weight for key, weight in weights.items() if key in scored}
    total = sum(kept.values(), Fraction())
    if len(kept) == len(weights):
        return weights
    return {key: weight / total for key, weight in kept.items()} if total else {}


def rerank(where: Where, before: Sequence[Judgement], after: Sequence[Judgement]) -> Reranked:
    """The comparison from its judgements under its own weights and under the draft's; responses are their numbers."""
    old, new = panel(before), panel(after)
    winners = _winners(old), _winners(new)
    means = {each.response: each.mean for each in old.standings}
    changed = {each.response: (means[each.response], each.mean) for each in new.standings}
    is_other = winners[0] != winners[1]
    return Reranked(
        where=where,
        before=_named(winners[0]),
        after=_named(winners[1]),
        reasons=_reasons(changed, {*winners[0], *winners[1]}, is_known=bool(winners[1])) if is_other else [],
        figures={
            (where, f"Response {response}"): (float(was), float(now))
            for response, (was, now) in changed.items()
            if was is not None and now is not None
        },
    )


def impact_of(rankings: Sequence[Reranked], notes: Iterable[str] = ()) -> Impact:
    """What publishing the draft would change, over all comparisons that were reviewed."""
    ranked = [each for each in rankings if each.before or each.after]
    flips = [
        Flip(each.where, each.before, each.after, each.reasons, is_known=bool(each.after))
        for each in ranked
        if each.before != each.after
    ]
    moves = [move for each in ranked for move in moves_of(each.figures)]
    changes = [after - before for each in ranked for before, after in each.figures.values()]
    bare = len(rankings) - len(ranked)
    return Impact(
        part=COMPARISONS,
        looked_at=len(ranked),
        flip_count=sum(flip.is_known for flip in flips),
        unknown_count=sum(not flip.is_known for flip in flips),
        open_count=0,
        open_flip_count=0,
        flips=listed(flips),
        listed_of=len(flips),
        transitions=[],
        turned=[],
        ranked_count=len(changes),
        move_count=len(moves),
        moves=farthest(moves),
        distribution=histogram(changes),
        notes=[*notes, *([_bare(bare)] if bare else [])],
    )


def lacking(own: RubricRecord, draft: RubricRecord) -> list[str]:
    """What stored scores under `own` lack or have too much for the draft, in a sentence each."""
    old = {criterion.key: criterion.label for criterion in own.criteria}
    new = {criterion.key: criterion.label for criterion in draft.criteria}
    added = [label for key, label in new.items() if key not in old]
    removed = [label for key, label in old.items() if key not in new]
    said = []
    if added:
        said.append(
            f"Nobody scored {', '.join(added)} under version {own.version}, which the draft adds. Overalls under the "
            "draft are over the criteria that were scored, with their weights rescaled."
        )
    if removed:
        said.append(
            f"The draft drops {', '.join(removed)}; what was scored there under version {own.version} counts for "
            "nothing."
        )
    return said


def _winners(view: Panel) -> list[str]:
    return sorted((each.response for each in view.standings if each.place == 1), key=int)


def _named(winners: Sequence[str]) -> str:
    if not winners:
        return ""
    *first, last = winners
    return f"Responses {', '.join(first)} and {last}, tied" if first else f"Response {last}"


def _reasons(
    means: Mapping[str, tuple[Fraction | None, Fraction | None]], winners: Iterable[str], *, is_known: bool
) -> list[str]:
    """The means of everybody who wins before or after, the best under the draft first."""
    if not is_known:
        return ["No stored score is of a criterion that the draft asks for."]
    shown = sorted(winners, key=lambda each: (-(means[each][1] or 0), int(each)))
    decimals = _decimals([value for each in shown for value in means[each] if value is not None])
    return [
        f"Response {each} has {_mean(means[each][0], decimals)} and would have {_mean(means[each][1], decimals)}."
        for each in shown
    ]


def _decimals(values: Sequence[Fraction]) -> int:
    """Two, or as many as it takes to tell different means apart."""
    different = len(set(values))
    enough = (
        places
        for places in range(2, _MOST_DECIMALS)
        if len({rounded(value, places) for value in values}) == different
    )
    return next(enough, _MOST_DECIMALS)


def _mean(value: Fraction | None, decimals: int) -> str:
    return "no overall" if value is None else str(rounded(value, decimals))


def _bare(count: int) -> str:
    if count == 1:
        return "1 comparison has no scored criteria, so nothing can change there."
    return f"{count:,} comparisons have no scored criteria, so nothing can change there."
