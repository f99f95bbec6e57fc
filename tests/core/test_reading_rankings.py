"""A reviewer's own ranking, in JSON or below FINAL RANKING, and whether it fits the overalls it gave."""

import pytest

from rubric.core.reading_rankings import contradicts
from tests.core.reviews import EXAMPLE, LABELS, codes, evaluations, fenced, read

A, B, C = LABELS
ORDER = [[B], [A], [C]]


@pytest.mark.parametrize(
    "text",
    [
        "FINAL RANKING:\n1. Response B\n2. Response A\n3. Response C",
        "Thoughts.\n\nFINAL RANKING:\n\n1. Response B\n\n2. Response A\n\n3. Response C\n\nThat is it.",
        "**FINAL RANKING:**\n1) **Response B** - best\n2) **Response A**: good\n3) *Response C*",
        "## Final Ranking\n- Response B\n- Response A\n- Response C",
        "FINAL RANKING:\nResponse B\nResponse A\nResponse C",
        "FINAL RANKING: Response B > Response A > Response C",
        "FINAL RANKING: **Response B**, **Response A**, **Response C**",
        "final ranking:\r\n1. response b\r\n2. RESPONSE A\r\n3. Response C\r\n",
        "FINAL RANKING:\n1. Response C\n\nSorry.\n\nFINAL RANKING:\n1. Response B\n2. Response A\n3. Response C",
        "FINAL RANKING:\n1. Response B is best, since Response A is wrong.\n2. Response A\n3. Response C",
    ],
)
def test_a_list_below_final_ranking_is_a_ranking(text):
    review = read(text)
    assert (review.mode, review.reported_ranking, review.ranking) == ("holistic", ORDER, ORDER)
    assert codes(review) == []


@pytest.mark.parametrize(
    "text",
    [
        "FINAL RANKING:",
        "FINAL RANKING:\nnone of them",
        "The final ranking of Response B is low.",
        "RANKING:\n1. Response B",
    ],
)
def test_no_list_is_no_ranking(text):
    assert read(text).mode == "unreadable"


def test_ties_unknown_and_missing_responses():
    assert read("FINAL RANKING:\n1. Response B = Response A\n2. Response C").ranking == [[B, A], [C]]
    assert read({"ranking": [[A, C], B]}).ranking == [[A, C], [B]]
    review = read("FINAL RANKING:\n1. Response B\n2. Response Q\n3. Response A")
    assert review.ranking == [[B], [A]]
    assert codes(review) == [("incomplete_ranking", None), ("unknown_label", "Response Q")]
    review = read({"ranking": [A, B, A, C]})
    assert review.ranking == [[A], [B], [C]]
    assert codes(review) == [("duplicate_label", A)]


def test_a_longer_label_is_not_its_beginning():
    labels = ["Response A", "Response AB"]
    assert read("FINAL RANKING:\n1. Response AB\n2. Response A", labels).ranking == [
        ["Response AB"],
        ["Response A"],
    ]


@pytest.mark.parametrize("ranking", ["Response B > Response A", {"1": "Response B"}, 3, ["x", 4], [[1]]])
def test_a_ranking_that_is_no_list_of_labels_is_noted(ranking):
    review = read({"ranking": ranking, "evaluations": evaluations()})
    assert (review.mode, review.reported_ranking) == ("rubric", None)
    assert codes(review) == [("unreadable_ranking", None)]


def test_a_written_ranking_stands_in_where_the_block_has_none():
    block = fenced({"evaluations": EXAMPLE["evaluations"]})
    review = read(block + "\nFINAL RANKING:\n1. Response B\n2. Response A\n3. Response C")
    assert (review.mode, review.reported_ranking) == ("rubric", ORDER)
    assert review.ranking == [[A], [B], [C]]
    assert ("rank_mismatch", None) in codes(review)


def test_a_ranking_against_the_overalls_that_were_given_is_noted():
    review = read({"ranking": [C, A, B], "evaluations": EXAMPLE["evaluations"]})
    assert codes(review) == [("overall_mismatch", B), ("rank_mismatch", None)]
    assert review.reported_ranking == [[C], [A], [B]]
    assert review.ranking == [[A], [B], [C]]


def test_without_reported_overalls_the_ranking_is_held_against_ours():
    assert codes(read({"ranking": [B, A, C], "evaluations": evaluations(A={"accuracy": 9})})) == [
        ("rank_mismatch", None)
    ]
    assert codes(read({"ranking": [C, B, A], "evaluations": evaluations()})) == []
    assert codes(read({"ranking": [B, A, C], "scores": {A: 9, B: 5, C: 4}})) == [("rank_mismatch", None)]


@pytest.mark.parametrize(
    ("ranking", "is_off"),
    [
        ([["a"], ["b"]], False),
        ([["b"], ["a"]], True),
        ([["a", "b"]], False),
        ([["c"], ["b"], ["a"]], True),
        ([["x"]], False),
    ],
)
def test_a_contradiction_is_a_higher_overall_below_a_lower_one(ranking, is_off):
    assert contradicts(ranking, {"a": 8, "b": 7, "c": 9}) == is_off
