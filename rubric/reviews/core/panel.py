"""Combines reviewers: means of their overalls, mean ranks, and what changes from one view to the other.

Holistic scores and overalls of scored criteria are different things and are never averaged with each other.
"""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from msgspec import Struct

from rubric.core.records import HOLISTIC, RUBRIC
from rubric.core.scores import rank_values
from workspace.statistics.means import exact_mean

Places = list[list[str]]

# By reviewer, the value that a ranking gives each response: see `rank_to_values`.
Rankings = Mapping[str, Mapping[str, Fraction]]


class PanelScore(Struct, frozen=True):
    """What one reviewer gave one response: an overall of scored criteria, a holistic score, both or neither."""

    reviewer: str
    response: str
    overall: Fraction | None = None
    holistic: Fraction | None = None
    is_incomplete: bool = False
    is_own: bool = False


class ResponseRank(Struct, frozen=True):
    """The standing of a response. `mean` is None when no judgement counts; ranks count from 1, ties share one.

    `mean_rank` is the mean of its ranks on the reviewers' own lists, as if everybody had judged all responses.
    """

    response: str
    mean: Fraction | None
    count: int
    place: int | None
    mean_rank: Fraction | None
    place_by_places: int | None


class Panel(Struct, frozen=True):
    """All reviewers together, under one kind of score.

    `standings` are in the order of the means. `fallbacks` are reviewers who gave holistic scores although criteria were
    asked for, so they do not count here. `left_out` are incomplete judgements, which do not count. `changes` are the
    responses whose rank by mean ranks differs from that by means. `ranked_only` are reviewers with a ranking that
    counts in mean ranks, but without a score that counts.
    """

    kind: str
    standings: list[ResponseRank]
    fallbacks: list[str]
    left_out: list[PanelScore]
    own: list[PanelScore]
    changes: list[str]
    ranked_only: list[str] = []


def panel(
    judgements: Sequence[PanelScore],
    *,
    kind: str = RUBRIC,
    with_incomplete: bool = False,
    rankings: Rankings | None = None,
) -> Panel:
    """The panel's view by overalls (`kind` "rubric") or by holistic scores ("holistic").

    Judgements of a reviewer's own response never count, incomplete ones only when asked for. Of `rankings`, only those
    of reviewers without a value that counts enter the mean ranks.
    """
    if kind not in (RUBRIC, HOLISTIC):
        raise ValueError(f'A panel is of kind "{RUBRIC}" or "{HOLISTIC}", not "{kind}".')
    others = [judgement for judgement in judgements if not judgement.is_own]
    is_left_out = kind == RUBRIC and not with_incomplete
    left_out = [said for said in others if is_left_out and said.is_incomplete and said.overall is not None]
    counted = counted_values(judgements, kind, with_incomplete=with_incomplete)
    ranked = {reviewer: places for reviewer, places in (rankings or {}).items() if reviewer not in counted}
    responses = list(dict.fromkeys(judgement.response for judgement in judgements))
    means = {
        response: exact_mean(values.values()) for response, values in _by_response(counted, responses).items()
    }
    positions = compute_mean_ranks({**counted, **ranked}, responses)
    by_means = compute_rank_numbers(rank_values(means))
    by_places = _rank_numbers_by_place(positions)
    counts = {response: sum(response in given for given in counted.values()) for response in responses}
    standings = [
        ResponseRank(
            response, means[response], counts[response], by_means.get(response), positions[response],
            by_places.get(response),
        )
        for response in responses
    ]  # fmt: skip
    return Panel(
        kind=kind,
        standings=sorted(standings, key=lambda standing: (standing.place is None, standing.place or 0)),
        fallbacks=_fallbacks(others) if kind == RUBRIC else [],
        left_out=left_out,
        own=[judgement for judgement in judgements if judgement.is_own],
        changes=[response for response in responses if by_means.get(response) != by_places.get(response)],
        ranked_only=list(ranked),
    )


def _rank_numbers_by_place(positions: Mapping[str, Fraction | None]) -> dict[str, int]:
    """The rank numbers by mean rank: the lowest is first."""
    return compute_rank_numbers(
        rank_values({key: None if place is None else -place for key, place in positions.items()})
    )


def counted_values(
    judgements: Iterable[PanelScore], kind: str, *, with_incomplete: bool = False
) -> dict[str, dict[str, Fraction]]:
    """The values that count, by reviewer and response; never those of a reviewer's own responses."""
    counted: dict[str, dict[str, Fraction]] = {}
    for judgement in judgements:
        value = judgement.overall if kind == RUBRIC else judgement.holistic
        is_left_out = kind == RUBRIC and judgement.is_incomplete and not with_incomplete
        if value is not None and not judgement.is_own and not is_left_out:
            counted.setdefault(judgement.reviewer, {})[judgement.response] = value
    return counted


def compute_mean_ranks(
    counted: Mapping[str, Mapping[str, Fraction]], responses: Sequence[str]
) -> dict[str, Fraction | None]:
    """Each response's mean rank (Borda): 1 is above all others, ties get the middle of the ranks they fill.

    If a reviewer judged only some responses, the share of judged responses below is taken for all. A reviewer of one
    response has nothing to rank and is left out.
    """
    shares: dict[str, list[Fraction]] = {response: [] for response in responses}
    for given in counted.values():
        if len(given) < 2:
            continue
        above = Fraction()
        for place in rank_values(given):
            middle = above + Fraction(len(place) - 1, 2)
            for response in place:
                shares[response].append(middle / (len(given) - 1))
            above += len(place)
    means = {response: exact_mean(found) for response, found in shares.items()}
    return {key: None if mean is None else 1 + mean * (len(responses) - 1) for key, mean in means.items()}


def rank_to_values(places: Sequence[Sequence[str]]) -> dict[str, Fraction]:
    """Minus each response's rank number, from 1: these values let a ranking enter mean ranks as scores do."""
    return {response: Fraction(-number) for number, place in enumerate(places, start=1) for response in place}


def compute_rank_numbers(places: Places) -> dict[str, int]:
    """The rank number of each label: one more than the number of labels above it."""
    numbers = {}
    above = 0
    for place in places:
        numbers.update(dict.fromkeys(place, above + 1))
        above += len(place)
    return numbers


def _by_response(
    counted: Mapping[str, Mapping[str, Fraction]], responses: Sequence[str]
) -> dict[str, dict[str, Fraction]]:
    return {
        response: {reviewer: given[response] for reviewer, given in counted.items() if response in given}
        for response in responses
    }


def _fallbacks(others: Sequence[PanelScore]) -> list[str]:
    """Reviewers who gave holistic scores but no overall."""
    scored = {judgement.reviewer for judgement in others if judgement.overall is not None}
    holistic = dict.fromkeys(judgement.reviewer for judgement in others if judgement.holistic is not None)
    return [reviewer for reviewer in holistic if reviewer not in scored]
