"""Reviewers together: means, ties, places, what is left out and marked, and what changes between views.

Answers under a version whose criteria have scales of their own: what is read, and what is put right by hand.
"""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rubric.core.records import ReviewRecord
from rubric.core.weights import exact
from rubric.reviews.core.answer_record import read_review
from rubric.reviews.core.corrections import Correction, apply_correction
from rubric.reviews.core.panel import PanelScore, compute_rank_numbers, panel, rank_to_values
from tests.factories.reviews import LABELS, evaluations, fenced, read
from tests.factories.versions import three_scales


def judged(**sheets):
    """Judgements of reviewers: `ann={"x": 8, "y": 7}`."""
    return [
        PanelScore(reviewer, response, overall=None if value is None else Fraction(str(value)))
        for reviewer, sheet in sheets.items()
        for response, value in sheet.items()
    ]


def judgements(reviewer, review):
    """The judgements of a review whose labels are the responses."""
    return [
        PanelScore(
            reviewer,
            line.label,
            overall=line.overall,
            holistic=None if line.holistic is None else exact(line.holistic),
            is_incomplete=line.is_incomplete,
        )
        for line in review.responses
    ]


def shown(result):
    """(response, mean, place, mean rank) of every standing, in order."""
    return [
        (standing.response, standing.mean, standing.place, standing.mean_rank)
        for standing in result.standings
    ]


def test_the_mean_of_raw_overalls_and_of_places():
    result = panel(
        judged(ann={"x": 8, "y": 7, "z": 6}, bob={"x": 5, "y": 7, "z": 4}, cid={"x": 9, "y": 8, "z": 8})
    )
    assert shown(result) == [
        ("x", Fraction(22, 3), 1, Fraction(4, 3)),
        ("y", Fraction(22, 3), 1, Fraction(11, 6)),
        ("z", 6, 3, Fraction(17, 6)),
    ]
    assert result.changes == ["y"]
    assert (result.fallbacks, result.left_out, result.own) == ([], [], [])


def test_a_ranking_alone_enters_mean_places_and_is_named():
    given = judged(ann={"x": 8, "y": 7, "z": 6}, bob={"x": None, "y": None, "z": None})
    bob, ann = rank_to_values([["z"], ["x", "y"]]), rank_to_values([["z"], ["y"], ["x"]])
    result = panel(given, rankings={"bob": bob, "ann": ann})
    assert shown(result) == [("x", 8, 1, Fraction(7, 4)), ("y", 7, 2, Fraction(9, 4)), ("z", 6, 3, 2)]
    assert (result.ranked_only, result.changes) == (["bob"], ["y", "z"])
    alone = panel(judged(bob={"x": None, "y": None, "z": None}), rankings={"bob": bob})
    assert [(rank.response, rank.place, rank.place_by_places) for rank in alone.standings] == [
        ("x", None, 2),
        ("y", None, 2),
        ("z", None, 1),
    ]


def test_equal_means_share_a_place_however_they_came_about():
    result = panel(judged(ann={"x": 8.1, "y": 8.2}, bob={"x": 8.2, "y": 8.1}, cid={"x": 0.1, "y": 0.1}))
    assert [(standing.place, standing.place_by_places) for standing in result.standings] == [(1, 1), (1, 1)]
    assert result.changes == []


def test_holistic_scores_and_overalls_are_never_averaged_together():
    rubric = judgements("ann", read({"evaluations": evaluations(A={"holistic": 2})}))
    fallback = judgements("bob", read({"scores": dict.fromkeys(LABELS, 10)}))
    by_rubric = panel([*rubric, *fallback])
    assert [(standing.mean, standing.count) for standing in by_rubric.standings] == [(7, 1)] * 3
    assert by_rubric.fallbacks == ["bob"]
    by_holistic = panel([*rubric, *fallback], kind="holistic")
    assert {standing.response: (standing.mean, standing.count) for standing in by_holistic.standings} == {
        "Response A": (6, 2), "Response B": (10, 1), "Response C": (10, 1),
    }  # fmt: skip
    assert by_holistic.fallbacks == []
    with pytest.raises(ValueError, match='not "both"'):
        panel(rubric, kind="both")


def test_incomplete_judgements_are_left_out_unless_asked_for():
    review = read({"evaluations": evaluations(A={"accuracy": ...}, B={"accuracy": 9})})
    given = judgements("ann", review)
    without = panel(given)
    assert {standing.response: standing.count for standing in without.standings} == {
        "Response A": 0, "Response B": 1, "Response C": 1,
    }  # fmt: skip
    assert [judgement.response for judgement in without.left_out] == ["Response A"]
    assert without.standings[-1].place is None
    with_all = panel(given, with_incomplete=True)
    assert [standing.count for standing in with_all.standings] == [1, 1, 1]
    assert with_all.left_out == []


def test_own_responses_never_count():
    mine = PanelScore("ann", "x", overall=Fraction(10), is_own=True)
    result = panel([mine, *judged(ann={"y": 6}, bob={"x": 4, "y": 5})])
    assert {standing.response: standing.mean for standing in result.standings} == {
        "x": 4,
        "y": Fraction(11, 2),
    }
    assert result.own == [mine]


def test_reviewers_who_saw_some_responses_only_count_alike():
    result = panel(judged(ann={"x": 9, "y": 8, "z": 7}, bob={"x": 5, "z": 6}, cid={"y": 3}))
    assert {standing.response: standing.mean_rank for standing in result.standings} == {
        "x": 2,
        "y": 2,
        "z": 2,
    }


def test_nobody_is_a_panel_too():
    assert panel([]).standings == []
    assert shown(panel(judged(ann={"x": None}))) == [("x", None, None, None)]


def test_places():
    assert compute_rank_numbers([["a", "b"], ["c"]]) == {"a": 1, "b": 1, "c": 3}


sheets = st.dictionaries(
    st.sampled_from(["ann", "bob", "cid"]),
    st.dictionaries(st.sampled_from("wxyz"), st.integers(10, 100), min_size=1),
)


@given(sheets, st.randoms())
def test_the_order_of_reviewers_and_responses_changes_nothing(given_sheets, order):
    judgements = judged(**given_sheets)
    turned = list(judgements)
    order.shuffle(turned)
    first, other = panel(judgements), panel(turned)
    assert {standing.response: standing for standing in first.standings} == {
        standing.response: standing for standing in other.standings
    }
    assert set(first.changes) == set(other.changes)


def read_scaled(**scores: object) -> ReviewRecord:
    """One response of a version with three scales, with these scores and another that has all."""
    all_in = {"coherence": 5, "recommend": 0, "depth": 10}
    answer = {"evaluations": {"Response A": scores, "Response B": all_in}}
    return read_review(fenced(answer), LABELS[:2], three_scales())


def test_every_criterion_is_read_on_its_own_scale():
    record = read_scaled(coherence=4, recommend=1, depth=6)
    assert (record.mode, record.flags) == ("rubric", [])
    assert [said.scores for said in record.responses][0] == {"coherence": 4, "recommend": 1, "depth": 6}
    assert [said.overall for said in record.responses] == [Fraction("7.675"), Fraction("8.2")]
    assert record.ranking == [["Response B"], ["Response A"]]


def test_a_score_beyond_its_own_scale_is_left_out_and_the_scale_is_named():
    record = read_scaled(coherence=7, recommend=2, depth=11)
    assert record.responses[0].scores == {}
    assert [(flag.code, flag.criterion, flag.message) for flag in record.flags] == [
        ("out_of_range", "coherence", "Response A: coherence is 7; its scale is 1 to 5, so it is left out."),
        ("out_of_range", "recommend", "Response A: recommend is 2; its scale is 0 or 1, so it is left out."),
        ("out_of_range", "depth", "Response A: depth is 11; its scale is 1 to 10, so it is left out."),
    ]


def test_a_score_between_two_steps_counts_and_is_told():
    record = read_scaled(coherence=3.5, recommend=1, depth=6)
    assert record.responses[0].scores["coherence"] == 3.5
    assert [(flag.code, flag.criterion) for flag in record.flags] == [("between_steps", "coherence")]


def test_a_correction_by_hand_is_weighed_on_the_same_scales():
    record = read_scaled(coherence=1, recommend=0, depth=1)
    put_right = Correction(
        {label: {"coherence": 4, "recommend": 1, "depth": 6} for label in LABELS[:2]}, "Misread"
    )
    corrected = apply_correction(record, put_right, three_scales())
    assert [said.overall for said in corrected.responses] == [Fraction("7.675")] * 2
