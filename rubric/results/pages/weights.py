"""How far a comparison's winner depends on the weights, and the ranking under other weights."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from django.utils.translation import gettext as _
from msgspec import Struct

from rubric.core.records import Criterion
from rubric.results.core.ranking_uncertainty import (
    Means,
    WeightMove,
    WeightRange,
    moves,
    weight_ranges,
    win_shares,
)
from rubric.results.core.what_if import TriedWeights
from rubric.results.pages.words import NamedResponse, join_names, percent_text, rank_by_value, weight_text
from rubric.reviews.core.panel import PanelScore, panel
from workspace.display.core.charts import Segment, share_bar

KAPPA = 100


class WeightsPart(Struct, frozen=True):
    """What would change the winner. `reason` says why there is no result; then everything else is empty.

    `rivals` says of each other response what it takes to draw level with the first, and by what `gap` it is behind;
    `holds` the values of each weight between which the first stays first.
    """

    reason: str = ""
    winner: str = ""
    is_fragile: bool = False
    rivals: list[dict[str, Any]] = []
    holds: list[dict[str, str]] = []
    shares: list[tuple[NamedResponse, float, float]] = []
    near: list[Segment] = []
    over_all: list[Segment] = []


class WhatIf(Struct, frozen=True):
    """The form of the weights and, unless they have faults, the ranking under them."""

    criteria: Sequence[Criterion]
    tried: TriedWeights
    lead: str = ""
    rows: list[dict[str, Any]] = []


def build_weights_part(
    means: Means,
    shares: Mapping[str, Fraction],
    named_responses: Mapping[str, NamedResponse],
    criteria: Sequence[Criterion],
    first: Sequence[str],
) -> WeightsPart:
    """The sensitivity of the ranking to the weights, from means by criterion over complete reviews."""
    names = {key: named_response.name for key, named_response in named_responses.items()}
    winner = next((key for key in first if key in means), "")
    reason = _reason(winner, means)
    if reason:
        return WeightsPart(reason)
    found = moves(means, shares, winner)
    if not found:
        reason = _("The first response by all scores is not the first by those of complete reviews alone.")
        return WeightsPart(reason)
    labels = {criterion.key: criterion.label for criterion in criteria}
    overalls = {
        key: sum((shares[share] * given[share] for share in shares), Fraction())
        for key, given in means.items()
    }
    near, over_all = win_shares(means, shares, kappa=KAPPA), win_shares(means, shares, kappa=None)
    ordered = sorted(near, key=lambda key: (-overalls[key], key))
    return WeightsPart(
        winner=join_names(names[key] for key in first),
        is_fragile=any(move.is_fragile for move in found),
        rivals=[
            {"name": names[move.rival], "move": move, "gap": overalls[winner] - overalls[move.rival],
             "says": _move_sentence(move, labels)}
            for move in found
        ],
        holds=[_hold(weight_range, names, labels)
 for weight_range in weight_ranges(means, shares, winner) if len(first) == 1],
        shares=[(named_responses[key], near[key], over_all[key]) for key in ordered],
        near=share_bar([(names[key], percent_text(near[key]), near[key]) for key in ordered]),
        over_all=share_bar([(names[key], percent_text(over_all[key]), over_all[key]) for key in ordered]),
    )  # fmt: skip


def build_what_if(
    tried: TriedWeights,
    judgements: Sequence[PanelScore],
    before: Mapping[str, int],
    named_responses: Mapping[str, NamedResponse],
    criteria: Sequence[Criterion],
    *,
    with_incomplete: bool,
) -> WhatIf:
    """The form as it was sent and, unless something is wrong with it, the ranking of `judgements` under its weights.

    `before` are the ranks under the version's own weights.
    """
    if tried.faults:
        return WhatIf(criteria, tried)
    found = panel(judgements, with_incomplete=with_incomplete)
    means = {standing.response: standing.mean for standing in found.standings if standing.mean is not None}
    places = rank_by_value(means)
    rows = [
        {
            "response": named_responses[key],
            "place": places[key],
            "mean": means[key],
            "was": before.get(key),
            "says": _moved(before.get(key), places[key]),
        }
        for key in sorted(means, key=lambda key: (places[key], int(key)))
    ]
    return WhatIf(criteria, tried, _first_sentence(rows), rows)


def _first_sentence(rows: Sequence[Mapping[str, Any]]) -> str:
    now = [row["response"].name for row in rows if row["place"] == 1]
    before = [row["response"].name for row in rows if row["was"] == 1]
    if not now:
        return _("No score counts yet, so nothing is ranked.")
    if now == before:
        return _("%(names)s would still be first.") % {"names": join_names(now)}
    return _("%(names)s would be first instead of %(before)s.") % {
        "names": join_names(now), "before": join_names(before),
    }  # fmt: skip


def _moved(was: int | None, place: int) -> str:
    if was is None or was == place:
        return _("as before")
    steps = abs(was - place)
    return _("up %(n)d") % {"n": steps} if place < was else _("down %(n)d") % {"n": steps}


def _reason(winner: str, means: Means) -> str:
    if not winner:
        return _("No response has a complete review, so nothing can be said about weights.")
    if len(means) < 2:
        return _("Only one response has a complete review, so no weights can change the first.")
    return ""


def _move_sentence(move: WeightMove, labels: Mapping[str, str]) -> str:
    if move.amount is None:
        return _("Never: no weights bring it level.")
    if move.amount == 0:
        return _("Level already: any other weights may put it first.")
    taken = join_names(
        _("%(weight)s from %(criterion)s") % {"weight": weight_text(amount), "criterion": labels[key]}
        for key, amount in move.takes.items()
    )
    return _("Level once %(taken)s goes to %(criterion)s.") % {
        "taken": taken,
        "criterion": labels[move.gives],
    }


def _hold(hold: WeightRange, names: Mapping[str, str], labels: Mapping[str, str]) -> dict[str, str]:
    parts = []
    if hold.low is not None:
        parts.append(
            _("below %(weight)s %(name)s is first")
            % {"weight": weight_text(hold.low), "name": names[hold.low_rival]}
        )
    if hold.high is not None:
        parts.append(
            _("above %(weight)s %(name)s is first")
            % {"weight": weight_text(hold.high), "name": names[hold.high_rival]}
        )
    says = join_names(parts) or _("no value changes the first")
    return {"label": labels[hold.criterion], "weight": weight_text(hold.weight), "says": says}
