"""How far a comparison's winner depends on the weights, and the ranking under other weights."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from django.utils.translation import gettext as _

from rubric.results.core.ranking_uncertainty import (
    Means,
    WeightRange,
    WinnerFlip,
    criterion_means,
    moves,
    weight_ranges,
    win_shares,
)
from rubric.results.core.what_if import TriedWeights
from rubric.results.pages.words import (
    NamedResponse,
    ResultsQuery,
    join_names,
    percent_text,
    rank_by_value,
    weight_text,
)
from rubric.reviews.core.panel import Panel, panel
from rubric.reviews.queries import Reviewed, to_rows
from workspace.display.core.charts import share_bar

KAPPA = 100


def build_weights_part(
    reviewed: Sequence[Reviewed],
    asked: ResultsQuery,
    named_responses: Mapping[str, NamedResponse],
    first: Sequence[str],
) -> dict[str, Any]:
    """What would change the winner, from means by criterion over complete reviews; or the `reason` why that is unknown.

    `rivals` says of each other response what it takes to draw level with the first, and by what `gap` it is behind;
    `holds` the values of each weight between which the first stays first.
    """
    shares = asked.shares
    means = criterion_means(to_rows(reviewed), shares)
    names = {key: named_response.name for key, named_response in named_responses.items()}
    winner = next((key for key in first if key in means), "")
    found = moves(means, shares, winner)
    if reason := _reason(winner, means, found):
        return {"reason": reason, "is_fragile": False}
    labels = {criterion.key: criterion.label for criterion in asked.criteria}
    overalls = {
        key: sum((shares[share] * given[share] for share in shares), Fraction())
        for key, given in means.items()
    }
    near, over_all = win_shares(means, shares, kappa=KAPPA), win_shares(means, shares, kappa=None)
    ordered = sorted(near, key=lambda key: (-overalls[key], key))
    ranges = weight_ranges(means, shares, winner) if len(first) == 1 else []
    return {
        "reason": "",
        "winner": join_names(names[key] for key in first),
        "is_fragile": any(move.is_fragile for move in found),
        "rivals": [
            {"name": names[move.rival], "move": move, "gap": overalls[winner] - overalls[move.rival],
             "says": _move_sentence(move, labels)}
            for move in found
        ],
        "holds": [_hold(weight_range, names, labels) for weight_range in ranges],
        "shares": [(named_responses[key], near[key], over_all[key]) for key in ordered],
        "near": share_bar([(names[key], percent_text(near[key]), near[key]) for key in ordered]),
        "over_all": share_bar([(names[key], percent_text(over_all[key]), over_all[key]) for key in ordered]),
    }  # fmt: skip


def build_what_if(
    reviewed: Sequence[Reviewed],
    asked: ResultsQuery,
    tried: TriedWeights,
    named_responses: Mapping[str, NamedResponse],
    before: Panel,
) -> dict[str, Any]:
    """The form as it was sent and, unless something is wrong with it, the ranking under its weights.

    `before` is the ranking under the version's own weights.
    """
    form = {"criteria": asked.criteria, "tried": tried}
    if tried.faults:
        return form
    was = {standing.response: standing.place for standing in before.standings if standing.place is not None}
    judgements = [review.to_judgement(tried.shares) for review in reviewed]
    found = panel(judgements, with_incomplete=asked.with_incomplete)
    means = {standing.response: standing.mean for standing in found.standings if standing.mean is not None}
    places = rank_by_value(means)
    rows = [
        {
            "response": named_responses[key],
            "place": places[key],
            "mean": means[key],
            "was": was.get(key),
            "says": _moved(was.get(key), places[key]),
        }
        for key in sorted(means, key=lambda key: (places[key], int(key)))
    ]
    return form | {"lead": _first_sentence(rows), "rows": rows}


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


def _reason(winner: str, means: Means, found: Sequence[WinnerFlip]) -> str:
    """Why nothing can be said about weights; "" when something can."""
    if not winner:
        return _("No response has a complete review, so nothing can be said about weights.")
    if len(means) < 2:
        return _("Only one response has a complete review, so no weights can change the first.")
    if not found:
        return _("The first response by all scores is not the first by those of complete reviews alone.")
    return ""


def _move_sentence(move: WinnerFlip, labels: Mapping[str, str]) -> str:
    if move.move is None:
        return _("Never: no weights bring it level.")
    if move.move == 0:
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
