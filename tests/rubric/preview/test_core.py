"""Places and lists of a preview, and comparisons ranked again under other weights."""

from fractions import Fraction

import pytest
from msgspec.structs import replace

from rubric.core.records import Criterion
from rubric.core.scales import Scale
from rubric.core.scores import compute_overall, get_weights
from rubric.preview.core import (
    MOST_MOVES,
    Location,
    OutcomeFlip,
    RankMove,
    comparable_weights,
    compute_rankings_impact,
    farthest,
    lacking,
    list_moves,
    rank_items,
    rerank,
    select_flips,
)
from rubric.reviews.core.panel import PanelScore
from tests.factories.comparisons import RECORD_SCORES
from tests.factories.reviews import VERSION

HERE = Location("ours", 1, 1)


def weighing(*weights):
    """The shipped version with these weights."""
    criteria = [
        replace(criterion, weight=weight) for criterion, weight in zip(VERSION.criteria, weights, strict=True)
    ]
    return replace(VERSION, criteria=criteria)


def judged(scores, shares, reviewer="ann"):
    """One reviewer's judgements under these weights."""
    return [
        PanelScore(reviewer, str(number), overall=found.value, is_incomplete=found.is_incomplete)
        for number, given in scores.items()
        if (found := compute_overall(given, shares))
    ]


def reranked(scores, draft, *, own=VERSION):
    return rerank(HERE, judged(scores, get_weights(own)), judged(scores, comparable_weights(own, draft)))


def test_equal_figures_share_a_place():
    items = {
        (Location("ours", number), ""): figure for number, figure in ((1, 5.0), (2, 7.0), (3, 5.0), (4, 1.0))
    }
    assert list(rank_items(items).values()) == [2, 1, 2, 4]


def test_moves_are_changed_places_and_the_farthest_are_listed():
    figures = {(Location("ours", number), ""): (10.0 - number, float(number)) for number in range(1, 4)}
    moves = list_moves(figures)
    assert [(move.where.number, move.place_before, move.place_after) for move in moves] == [
        (1, 1, 3),
        (3, 3, 1),
    ]
    near = [RankMove(Location("ours", number), 1, 1, 2, 1) for number in range(90, 0, -1)]
    far = RankMove(Location("theirs", 1), 1, 1, 1, 9)
    found = farthest([*near, far])
    assert (found[0], found[1].where.number, len(found)) == (far, 1, MOST_MOVES)


def test_known_outcomes_are_listed_before_those_that_cannot_be_told():
    flips = [
        OutcomeFlip(Location("ours", 1), "PASS", "FAIL", [], is_recorded=False),
        OutcomeFlip(Location("ours", 2), "PASS", "pending", [], is_known=False),
        OutcomeFlip(Location("ours", 3), "PASS", "FAIL", []),
    ]
    assert [flip.where.number for flip in select_flips(flips)] == [3, 2, 1]


def test_the_example_of_the_record_flips_once_a_little_more_than_0_0125_moves():
    """8.15 against 8.10: accuracy loses 0.0125 to conciseness and both have 8.10 (9 and 7, 7 and 9); beyond, B wins."""
    tie = reranked(RECORD_SCORES, weighing(0.3375, 0.25, 0.2125, 0.2))
    assert (tie.before, tie.after) == ("Response 1", "Responses 1 and 2, tied")
    flip = reranked(RECORD_SCORES, weighing(0.33, 0.25, 0.22, 0.2))
    assert (flip.before, flip.after) == ("Response 1", "Response 2")
    assert flip.reasons == [
        "Response 2 has 8.10 and would have 8.14.",
        "Response 1 has 8.15 and would have 8.11.",
    ]
    same = reranked(RECORD_SCORES, weighing(0.34, 0.25, 0.21, 0.2))
    assert (same.before, same.after, same.reasons) == ("Response 1", "Response 1", [])
    impact = compute_rankings_impact([flip, same])
    assert (impact.part, impact.looked_at, impact.flip_count, impact.move_count) == ("comparisons", 2, 1, 2)
    assert [(move.name, move.place_before, move.place_after) for move in impact.moves] == [
        ("Response 1", 1, 2), ("Response 2", 2, 1),
    ]  # fmt: skip
    assert impact.ranked_count == 6
    assert (impact.turned, impact.transitions, impact.notes) == ([], [], [])


def test_means_that_round_alike_are_told_apart():
    scores = {
        1: dict.fromkeys(RECORD_SCORES[1], 8),
        2: dict.fromkeys(RECORD_SCORES[1], 8) | {"accuracy": 8.004},
    }
    found = reranked(scores, weighing(0.0, 0.5, 0.25, 0.25))
    assert found.reasons == [
        "Response 1 has 8.000 and would have 8.000.",
        "Response 2 has 8.001 and would have 8.000.",
    ]


def test_criteria_that_nobody_scored_are_left_out_and_said():
    safety = Criterion("safety", "Safety", "", 0.5)
    halves = [replace(criterion, weight=criterion.weight / 2) for criterion in VERSION.criteria]
    draft = replace(VERSION, version="1.1", criteria=[*halves, safety])
    assert comparable_weights(VERSION, draft) == get_weights(VERSION)
    found = reranked(RECORD_SCORES, draft)
    assert (found.before, found.after) == ("Response 1", "Response 1")
    (said,) = lacking(VERSION, draft)
    assert said.startswith("Nobody scored Safety under version 1.0, which the draft adds.")
    assert list(lacking(draft, VERSION)) == [
        "The draft drops Safety; what was scored there under version 1.1 counts for nothing."
    ]
    assert not list(lacking(VERSION, VERSION))


def test_a_draft_that_shares_no_criterion_cannot_be_told():
    draft = replace(VERSION, criteria=[Criterion("safety", "Safety", "", 1.0)])
    found = reranked(RECORD_SCORES, draft)
    assert (found.before, found.after, found.figures) == ("Response 1", "", {})
    impact = compute_rankings_impact([found])
    assert (impact.looked_at, impact.flip_count, impact.unknown_count) == (1, 0, 1)
    assert impact.flips[0].reasons == ["No stored score is of a criterion that the draft asks for."]


@pytest.mark.parametrize(("count", "says"), [(1, "1 comparison has no"), (2, "2 comparisons have no")])
def test_comparisons_without_scored_criteria_are_counted_aside(count, says):
    whole = [PanelScore("ann", "1", holistic=Fraction(7)), PanelScore("ann", "2", holistic=Fraction(3))]
    impact = compute_rankings_impact([rerank(HERE, whole, whole)] * count)
    assert (impact.looked_at, impact.flip_count, impact.ranked_count) == (0, 0, 0)
    assert impact.notes[0].startswith(says)


def test_a_draft_with_another_scale_says_how_stored_scores_count():
    criteria = [replace(VERSION.criteria[0], scale=Scale(1, 5)), *VERSION.criteria[1:]]
    (said,) = lacking(VERSION, replace(VERSION, criteria=criteria))
    assert said.startswith(
        "Accuracy was scored on a scale of 1 to 10 under version 1.0, and the draft has 1 to 5."
    )
