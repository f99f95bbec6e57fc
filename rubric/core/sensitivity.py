"""How far the winner depends on the weights: the smallest move that changes it, and how often it wins at all."""

from collections.abc import Mapping
from fractions import Fraction

import numpy as np
from msgspec import Struct

from rubric.core.scoring import overall_of, ranked
from rubric.core.weights import Number, exact

FRAGILE = Fraction(5, 100)

Scores = Mapping[str, Mapping[str, Number]]


class Flip(Struct, frozen=True):
    """What it takes for a rival to draw level with the winner.

    `move` is the weight that goes over to other criteria (half the sum of all changes), None when no weights do it.
    `weights` are those at which both are level; any further move in that direction changes the winner.
    """

    rival: str
    move: Fraction | None
    weights: dict[str, Fraction] | None = None

    @property
    def is_fragile(self) -> bool:
        """Whether less than 5 points of weight do it."""
        return self.move is not None and self.move < FRAGILE


class Edge(Struct, frozen=True):
    """Where the winner loses its lead when one weight changes and the others keep their proportions.

    `below` and `above` are values of that weight, None on the side where nothing changes.
    """

    criterion: str
    below: Fraction | None
    above: Fraction | None


def smallest_move(
    winner: Mapping[str, Number], rival: Mapping[str, Number], weights: Mapping[str, Number]
) -> Flip:
    """The smallest move of weight after which the rival is level; its `rival` is "".

    Weight goes to the criterion where the winner leads least, from those where it leads most: each unit taken from
    criterion i closes d_i - d_min of the gap, so taking it where that is largest is the optimum of the linear
    programme. 0 when they are level already or the rival leads. Only criteria that both have scores for count.
    """
    shares = {key: exact(weight) for key, weight in weights.items() if key in winner and key in rival}
    leads = {key: exact(winner[key]) - exact(rival[key]) for key in shares}
    gap = sum((shares[key] * leads[key] for key in shares), Fraction())
    if gap <= 0:
        return Flip("", Fraction(), shares)
    least = min(leads, key=lambda key: (leads[key], key))
    if leads[least] > 0:
        return Flip("", None)
    moved, left = dict(shares), gap
    for key in sorted(leads, key=lambda name: (-leads[name], name)):
        closes = leads[key] - leads[least]
        if not left or not closes:
            break
        taken = min(shares[key], left / closes)
        moved[key] -= taken
        moved[least] += taken
        left -= taken * closes
    return Flip(
        "", sum((shares[key] - moved[key] for key in shares if moved[key] < shares[key]), Fraction()), moved
    )


def flips(scores: Scores, weights: Mapping[str, Number]) -> dict[str, list[Flip]]:
    """For each winner (several when tied), what each other response needs to draw level, the nearest first.

    Responses that lack a score of a criterion are left out: what they would need cannot be said.
    """
    shares = {key: exact(weight) for key, weight in weights.items()}
    complete = {label: given for label, given in scores.items() if shares.keys() <= given.keys()}
    places = ranked({label: overall_of(given, shares).value for label, given in complete.items()})
    found = {}
    for winner in places[0] if places else []:
        moves = [
            (smallest_move(complete[winner], complete[rival], shares), rival)
            for rival in complete
            if rival != winner
        ]
        ordered = sorted(moves, key=lambda pair: (pair[0].move is None, pair[0].move or 0, pair[1]))
        found[winner] = [Flip(rival, flip.move, flip.weights) for flip, rival in ordered]
    return found


def edges(
    winner: Mapping[str, Number], rival: Mapping[str, Number], weights: Mapping[str, Number]
) -> list[Edge]:
    """Of each criterion, the weight at which the rival draws level when all others are scaled."""
    shares = {key: exact(weight) for key, weight in weights.items()}
    leads = {key: exact(winner[key]) - exact(rival[key]) for key in shares}
    gap = sum((shares[key] * leads[key] for key in shares), Fraction())
    total = sum(shares.values(), Fraction())
    found = []
    for key, share in shares.items():
        others = (gap - share * leads[key]) / (total - share) if total != share else leads[key]
        # With the weight v on this criterion the gap is v x its lead + (total - v) x the mean lead of the others.
        level = total * others / (others - leads[key]) if others != leads[key] else None
        is_there = level is not None and 0 < level < total and gap > 0
        below = level if is_there and level is not None and level < share else None
        above = level if is_there and level is not None and level > share else None
        found.append(Edge(key, below, above))
    return found


def win_shares(
    scores: Scores, weights: Mapping[str, Number], *, kappa: float | None, draws: int = 10_000, seed: int = 0
) -> dict[str, float]:
    """How often each response wins under weights drawn at random around these; ties are shared.

    Draws come from a Dirichlet distribution with parameters kappa x weight (100 lets accuracy vary by about 5 points),
    or, without kappa, from all weights there are. The same seed gives the same shares, whatever the order of criteria
    and responses. A criterion of weight 0 stays at 0 unless kappa is None.
    """
    keys = sorted(key for key in weights if kappa is None or exact(weights[key]) > 0)
    labels = sorted(label for label, given in scores.items() if set(keys) <= set(given))
    if not labels or not keys:
        return {}
    centre = (
        np.ones(len(keys))
        if kappa is None
        else kappa * np.array([float(exact(weights[key])) for key in keys])
    )
    drawn = np.random.default_rng(seed).dirichlet(centre, size=draws)
    table = np.array([[float(exact(scores[label][key])) for key in keys] for label in labels])
    overalls = np.einsum("dk,lk->dl", drawn, table)
    wins = overalls >= overalls.max(axis=1, keepdims=True) - 1e-9
    shares = (wins / wins.sum(axis=1, keepdims=True)).mean(axis=0)
    by_label = dict(zip(labels, map(float, shares), strict=True))
    return {label: by_label[label] for label in scores if label in by_label}
