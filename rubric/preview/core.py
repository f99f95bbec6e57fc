"""What publishing a draft would change, as plain records: outcomes, ranks and figures that change.

The same record serves games under a discussion rubric and comparisons under a response rubric, so that one page shows
both. Stored scores are ranked again under the draft's weights; a preview changes nothing.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction

from msgspec import Struct

from rubric.core.records import DISCUSSION, RESPONSE, RubricRecord
from rubric.core.scales import COMMON
from rubric.core.scores import get_weights, round_half_up
from rubric.reviews.core.panel import Panel, PanelScore, panel
from workspace.core.words import say, say_many

GAMES, COMPARISONS = "games", "comparisons"

# Kind of rubric -> what is previewed, and the kind of the job that computes it.
PARTS = {DISCUSSION: (GAMES, "preview_games"), RESPONSE: (COMPARISONS, "preview_rankings")}
MOST_FLIPS = 200
MOST_MOVES = 50


class Location(Struct, frozen=True, omit_defaults=True):
    """A game by its project and number, or a comparison by its project, its set's number and its own (`within`)."""

    project: str
    number: int
    within: int = 0


# What a ranking orders: games (the name is ""), or responses of a comparison, by name.
Item = tuple[Location, str]


class OutcomeFlip(Struct, frozen=True):
    """One outcome that would change: the outcome before and after, in words, and a sentence for each reason.

    `is_known` is false when the draft asks for something that was not judged. `is_recorded` is false for games that
    were rated and have no verdict yet.
    """

    where: Location
    before: str
    after: str
    reasons: list[str]
    is_known: bool = True
    is_recorded: bool = True


class RankMove(Struct, frozen=True, omit_defaults=True):
    where: Location
    before: float
    after: float
    place_before: int
    place_after: int
    name: str = ""


class CriterionFlips(Struct, frozen=True):
    label: str
    passes: int
    fails: int


class Transition(Struct, frozen=True):
    before: str
    after: str
    count: int
    is_recorded: bool = True


class Impact(Struct, frozen=True):
    """What was found. Lists hold the first entries; the counts say how many there are.

    `looked_at` counts recorded outcomes, `open_count` those that are not recorded yet; `unknown_count` counts recorded
    ones whose outcome under the draft is unknown. `ranked_count` figures have a rank before and after. `notes` are
    sentences about how far to trust it.
    """

    part: str
    looked_at: int
    flip_count: int
    unknown_count: int
    open_count: int
    open_flip_count: int
    flips: list[OutcomeFlip]
    listed_of: int
    transitions: list[Transition]
    turned: list[CriterionFlips]
    ranked_count: int
    move_count: int
    moves: list[RankMove]
    notes: list[str]


def build_impact(
    part: str,
    flips: Sequence[OutcomeFlip],
    rankings: Sequence[Mapping[Item, tuple[float, float]]],
    *,
    looked_at: int,
    notes: list[str],
    open_count: int = 0,
    transitions: Sequence[Transition] = (),
    turned: Sequence[CriterionFlips] = (),
) -> Impact:
    """What changes, from all outcomes that flip and the figures before and after of everything that is ranked."""
    moves = [move for figures in rankings for move in list_moves(figures)]
    return Impact(
        part=part,
        looked_at=looked_at,
        flip_count=sum(flip.is_recorded and flip.is_known for flip in flips),
        unknown_count=sum(flip.is_recorded and not flip.is_known for flip in flips),
        open_count=open_count,
        open_flip_count=sum(not flip.is_recorded for flip in flips),
        flips=select_flips(flips),
        listed_of=len(flips),
        transitions=list(transitions),
        turned=list(turned),
        ranked_count=sum(map(len, rankings)),
        move_count=len(moves),
        moves=farthest(moves),
        notes=notes,
    )


def rank_items(values: Mapping[Item, float]) -> dict[Item, int]:
    """The rank of each item, 1 for the highest; equal values share a rank, and the next rank counts all of them."""
    counts = Counter(values.values())
    numbers: dict[float, int] = {}
    above = 0
    for value in sorted(counts, reverse=True):
        numbers[value] = above + 1
        above += counts[value]
    return {item: numbers[value] for item, value in values.items()}


def list_moves(figures: Mapping[Item, tuple[float, float]]) -> list[RankMove]:
    old = rank_items({item: before for item, (before, _after) in figures.items()})
    new = rank_items({item: after for item, (_before, after) in figures.items()})
    return [
        RankMove(where, before, after, old[where, name], new[where, name], name)
        for (where, name), (before, after) in figures.items()
        if old[where, name] != new[where, name]
    ]


def farthest(moves: Iterable[RankMove]) -> list[RankMove]:
    """The moves to list: the farthest first, equal ones in the order of their ranks."""
    order = sorted(moves, key=lambda move: (*_get_order(move.where), move.name))
    return sorted(order, key=lambda move: -abs(move.place_after - move.place_before))[:MOST_MOVES]


def select_flips(flips: Sequence[OutcomeFlip]) -> list[OutcomeFlip]:
    order = sorted(flips, key=lambda flip: (not flip.is_recorded, not flip.is_known, *_get_order(flip.where)))
    return order[:MOST_FLIPS]


def _get_order(where: Location) -> tuple[str, int, int]:
    return where.project, where.number, where.within


def make_version_subject(version: int) -> str:
    return f"rubric_version:{version}"


_MOST_DECIMALS = 6


class Reranked(Struct, frozen=True):
    """One comparison: who wins before and after, in words ("" when nobody does), why, and the means of responses that
    have one before and after."""

    where: Location
    before: str
    after: str
    reasons: list[str]
    figures: Mapping[Item, tuple[float, float]]


def comparable_weights(own: RubricRecord, draft: RubricRecord) -> dict[str, Fraction]:
    """The draft's weights of the criteria that were scored under `own`, rescaled when the draft has more criteria.

    Criteria that the draft adds have no scores, so its overalls leave them out. Empty when no criterion is left.
    """
    weights = get_weights(draft)
    scored = {criterion.key for criterion in own.criteria}
    kept = {key: weight for key, weight in weights.items() if key in scored}
    total = sum(kept.values(), Fraction())
    if len(kept) == len(weights):
        return weights
    return {key: weight / total for key, weight in kept.items()} if total else {}


def rerank(where: Location, before: Sequence[PanelScore], after: Sequence[PanelScore]) -> Reranked:
    """The comparison ranked under its own weights and under the draft's; responses are named by their numbers."""
    old, new = panel(before), panel(after)
    winners = _winners(old), _winners(new)
    means = {standing.response: standing.mean for standing in old.standings}
    changed = {standing.response: (means[standing.response], standing.mean) for standing in new.standings}
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


def compute_rankings_impact(rankings: Sequence[Reranked], notes: Iterable[str] = ()) -> Impact:
    ranked = [ranking for ranking in rankings if ranking.before or ranking.after]
    flips = [
        OutcomeFlip(
            ranking.where, ranking.before, ranking.after, ranking.reasons, is_known=bool(ranking.after)
        )
        for ranking in ranked
        if ranking.before != ranking.after
    ]
    notes = list(notes)
    if bare := len(rankings) - len(ranked):
        notes.append(
            say_many(
                "1 comparison has no scored criteria, so nothing can change there.",
                "{n:,} comparisons have no scored criteria, so nothing can change there.",
                bare,
            )
        )
    return build_impact(
        COMPARISONS,
        flips,
        [ranking.figures for ranking in ranked],
        looked_at=len(ranked),
        notes=notes,
    )


def lacking(own: RubricRecord, draft: RubricRecord) -> Iterator[str]:
    """A sentence for each thing that scores under `own` lack, or have in excess, for the draft."""
    old = {criterion.key: criterion.label for criterion in own.criteria}
    new = {criterion.key: criterion.label for criterion in draft.criteria}
    if added := [label for key, label in new.items() if key not in old]:
        yield say(
            "Nobody scored {added} under version {version}, which the draft adds. Overalls under "
            "the draft are over the criteria that were scored, with their weights rescaled.",
            added=", ".join(added),
            version=own.version,
        )
    if removed := [label for key, label in old.items() if key not in new]:
        yield say(
            "The draft drops {removed}; what was scored there under version {version} counts for nothing.",
            removed=", ".join(removed),
            version=own.version,
        )
    for key in [key for key in new if key in old]:
        was, now = own.criterion(key).scale or COMMON, draft.criterion(key).scale or COMMON
        if was != now:
            yield say(
                "{new} was scored on a scale of {old_scale} under version {version}, and the draft has "
                "{new_scale}. Stored scores count by where they lie on the scale that they were given on.",
                new=new[key],
                old_scale=was.text,
                version=own.version,
                new_scale=now.text,
            )


def _winners(view: Panel) -> list[str]:
    return sorted((standing.response for standing in view.standings if standing.place == 1), key=int)


def _named(winners: Sequence[str]) -> str:
    if not winners:
        return ""
    *first, last = winners
    return (
        say("Responses {first} and {last}, tied", first=", ".join(first), last=last)
        if first
        else say("Response {number}", number=last)
    )


def _reasons(
    means: Mapping[str, tuple[Fraction | None, Fraction | None]], winners: Iterable[str], *, is_known: bool
) -> list[str]:
    if not is_known:
        return [say("No stored score is of a criterion that the draft asks for.")]
    shown = sorted(winners, key=lambda winner: (-(means[winner][1] or 0), int(winner)))
    decimals = _decimals([value for text in shown for value in means[text] if value is not None])
    return [
        say(
            "Response {response} has {old_mean} and would have {new_mean}.",
            response=text,
            old_mean=_mean(means[text][0], decimals),
            new_mean=_mean(means[text][1], decimals),
        )
        for text in shown
    ]


def _decimals(values: Sequence[Fraction]) -> int:
    """Two decimals, or as many as it takes to distinguish different means."""
    different = len(set(values))
    enough = (
        places
        for places in range(2, _MOST_DECIMALS)
        if len({round_half_up(value, places) for value in values}) == different
    )
    return next(enough, _MOST_DECIMALS)


def _mean(value: Fraction | None, decimals: int) -> str:
    return say("no overall") if value is None else str(round_half_up(value, decimals))
