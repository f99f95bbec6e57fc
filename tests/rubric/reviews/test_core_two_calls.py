"""Two answers of a model as one review: what rests on scores that are left out is left out, too."""

import json

import pytest

from rubric.reviews.core.answer_record import MIXING_READER
from rubric.reviews.core.two_calls import merge_calls
from tests.factories.reviews import LABELS, VERSION, codes, read

A, B, C = LABELS
WHOLE = {"ranking": [A, B, C], "scores": {A: 8, B: 6, C: 4}}
CRITERIA = ("accuracy", "completeness", "conciseness", "clarity")


def score(notes="", **scores):
    """Evaluations by letter: all criteria with that score."""
    given = {f"Response {letter}": dict.fromkeys(CRITERIA, score) for letter, score in scores.items()}
    return {label: {**entry, **({"notes": notes} if notes else {})} for label, entry in given.items()}


def whole_again(**scores):
    return {f"Response {letter}": {"holistic": score, "notes": "late"} for letter, score in scores.items()}


def merge(first, second, **given):
    return merge_calls(read(first), read(second), VERSION, **given)


def shown(review):
    return [(given.holistic, given.notes, given.reported_overall) for given in review.responses]


def test_the_ranking_of_a_second_answer_goes_with_its_holistic_scores():
    first = {"ranking": [A, B, C], "evaluations": whole_again(A=8, B=6, C=4)}
    second = {
        "ranking": [B, A, C],
        "evaluations": {A: {"holistic": 7}, B: {"holistic": 9}, C: {"holistic": 2}},
    }
    review = merge(first, second)
    assert review.reported_ranking == review.ranking == [[A], [B], [C]]
    assert [given.holistic for given in review.responses] == [8, 6, 4]
    assert codes(review) == [("late_holistic", None), ("left_out_ranking", None)]
    assert not [flag for flag in review.flags if "contradicts" in flag.message]


def test_without_a_ranking_of_the_first_answer_none_is_left():
    review = merge({"scores": {A: 8, B: 6, C: 4}}, {"ranking": [B, A, C], "scores": {A: 7, B: 9, C: 2}})
    assert (review.reported_ranking, review.ranking) == (None, [[A], [B], [C]])


def test_a_ranking_in_words_with_ties_goes_too():
    second = (
        json.dumps({"scores": {A: 7, B: 9, C: 9}}) + "\nFINAL RANKING:\nResponse B = Response C > Response A"
    )
    review = merge_calls(read(WHOLE), read(second), VERSION)
    assert review.reported_ranking == [[A], [B], [C]]


@pytest.mark.parametrize("entry", [{"holistic": 9}, {"overall": 9}, {"overall": 90}])
def test_notes_and_overalls_go_with_the_scores_that_they_explain(entry):
    first = {"evaluations": {label: {"holistic": 5, "notes": "first"} for label in LABELS}}
    second = {"ranking": [C, B, A], "evaluations": {label: {**entry, "notes": "late"} for label in LABELS}}
    review = merge(first, second)
    assert shown(review) == [(5, "first", None)] * 3
    assert review.reported_ranking is None
    assert "late_holistic" in {flag.code for flag in review.flags}


def test_where_one_response_has_only_left_out_scores_the_ranking_of_all_goes():
    second = {"ranking": [C, A, B], "evaluations": {**score("kept", A=8, B=6), **whole_again(C=9)}}
    review = merge(WHOLE, second)
    assert review.mode == "partial"
    assert shown(review) == [(8, "kept", None), (6, "kept", None), (4, None, None)]
    assert review.reported_ranking == [[A], [B], [C]]


def test_criteria_and_holistic_scores_in_the_second_keep_its_ranking_and_notes():
    second = {"ranking": [C, B, A], "evaluations": score("why", A=4, B=6, C=8)}
    for entry in second["evaluations"].values():
        entry["holistic"] = 5
    review = merge(WHOLE, second)
    assert review.reported_ranking == [[C], [B], [A]]
    assert shown(review) == [(8, "why", None), (6, "why", None), (4, "why", None)]
    assert codes(review) == [("first_ranking", None), ("late_holistic", None)]


def test_criteria_in_the_first_answer_are_left_out_with_their_ranking_and_notes():
    first = {"ranking": [C, B, A], "evaluations": score("early", A=2, B=5, C=9)}
    review = merge(first, {"evaluations": score(A=8, B=6, C=4)})
    assert (review.reported_ranking, review.ranking) == (None, [[A], [B], [C]])
    assert shown(review) == [(None, None, None)] * 3
    assert codes(review) == [("early_criteria", None), ("left_out_ranking", None)]


def test_nothing_is_left_of_two_answers_that_each_give_what_the_other_should():
    first = {"ranking": [C, B, A], "evaluations": score(A=2, B=5, C=9)}
    review = merge(first, {"ranking": [B, A, C], "scores": {A: 7, B: 9, C: 2}})
    assert (review.mode, review.ranking, review.reported_ranking) == ("unreadable", [], None)


def test_a_ranking_of_the_first_answer_is_held_against_the_scores_of_the_first():
    review = merge(WHOLE, {"evaluations": score(A=4, B=6, C=8)})
    assert review.reported_ranking == [[A], [B], [C]]
    assert codes(review) == []
    odd = merge({**WHOLE, "ranking": [C, B, A]}, {"evaluations": score(A=4, B=6, C=8)})
    assert codes(odd) == [("rank_mismatch", None)]


def test_a_second_answer_that_only_ranks_is_no_contradiction():
    review = merge(WHOLE, {"ranking": [B, A, C]})
    assert review.reported_ranking == [[B], [A], [C]]
    assert codes(review) == [("first_ranking", None)]


def test_an_earlier_reader_merges_as_it_did():
    review = merge(WHOLE, {"ranking": [B, A, C], "scores": {A: 7, B: 9, C: 2}}, reader=MIXING_READER)
    assert review.reported_ranking == [[B], [A], [C]]
    assert codes(review) == [("first_ranking", None), ("late_holistic", None), ("rank_mismatch", None)]
