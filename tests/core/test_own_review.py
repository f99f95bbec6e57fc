"""A person's review as a record: scores, what could not be judged, the ranking, and where a second round begins."""

from fractions import Fraction

import pytest

from rubric.core.marks import CANNOT, Sheet
from rubric.core.own_review import (
    Given,
    build_record,
    contradicts_scores,
    order_in,
    reasons_of,
    second_start,
)
from rubric.core.reading import read_review
from tests.core.reviews import CRITERIA, LABELS, VERSION, fenced

SCORES = {1: (9, 8, 7, 8), 2: (7, 9, 9, 8), 3: (6, 6, 6, 6)}


def sheet(mode="rubric", count=3):
    return Sheet(count=count, criteria=tuple((key, key.title()) for key in CRITERIA), mode=mode)


def scored(**changes):
    """Marks of the decision record's scores; `p2_clarity="cannot"` changes one, None takes it away."""
    values = {
        ("score", f"{place}.{key}"): str(points)
        for place, row in SCORES.items()
        for key, points in zip(CRITERIA, row, strict=True)
    }
    for name, value in changes.items():
        values["score", f"{name[1]}.{name[3:]}"] = value
    return {key: value for key, value in values.items() if value}


def test_the_record_is_the_one_that_the_same_answer_in_json_gives():
    own = build_record(sheet(), scored() | {("notes", "1"): "good"}, VERSION)
    answer = {
        "evaluations": {
            label: dict(zip(CRITERIA, SCORES[place], strict=True)) | ({"notes": "good"} if place == 1 else {})
            for place, label in enumerate(LABELS, start=1)
        }
    }
    assert own == read_review(fenced(answer), LABELS, VERSION)
    assert [each.overall for each in own.responses] == [Fraction("8.15"), Fraction("8.1"), Fraction(6)]
    assert (own.mode, own.ranking, own.reported_ranking) == ("rubric", [[label] for label in LABELS], None)


def test_what_cannot_be_judged_is_missing_and_never_a_number():
    values = scored(p2_clarity=CANNOT, p3_accuracy=CANNOT)
    record = build_record(sheet(), values, VERSION)
    assert record.mode == "partial"
    assert "clarity" not in record.response("Response B").scores
    assert record.response("Response B").is_incomplete
    assert not record.response("Response A").is_incomplete
    reasons = {("score", "2.clarity"): "half of it is missing"}
    assert reasons_of(values, reasons) == {
        "Response B": {"clarity": "half of it is missing"},
        "Response C": {"accuracy": ""},
    }


def test_a_score_as_a_whole_is_kept_beside_the_criteria_and_never_in_the_overall():
    values = scored() | {("holistic", "1"): "2", ("holistic", "2"): CANNOT, ("holistic", "3"): "9"}
    record = build_record(sheet("both"), values, VERSION)
    assert [each.holistic for each in record.responses] == [2, None, 9]
    assert record.response("Response A").overall == Fraction("8.15")
    assert reasons_of(values, {("holistic", "2"): "why"}) == {"Response B": {"holistic": "why"}}


def test_a_review_as_a_whole_alone_is_holistic():
    values = {("holistic", "1"): "5", ("holistic", "2"): "5", ("holistic", "3"): "8"}
    record = build_record(sheet("holistic"), values, VERSION)
    assert record.mode == "holistic"
    assert record.ranking == [["Response C"], ["Response A", "Response B"]]
    assert all(each.overall is None for each in record.responses)


def test_a_review_that_could_judge_nothing_abstained():
    values = dict.fromkeys(scored(), CANNOT)
    record = build_record(sheet(), values, VERSION)
    assert (record.mode, record.ranking) == ("abstained", [])


def test_the_ranking_is_that_of_the_overalls_whatever_the_person_ranked():
    record = build_record(sheet(), scored() | {("ranking", ""): "3>2>1"}, VERSION)
    assert order_in(record.ranking) == [[1], [2], [3]]
    assert record.reported_ranking == [[label] for label in reversed(LABELS)]
    without = build_record(sheet(), scored(**{f"p1_{key}": CANNOT for key in CRITERIA}), VERSION)
    assert order_in(without.ranking) == [[2], [3]]


@pytest.mark.parametrize(("value", "is_flagged"), [("1>2>3", False), ("2>1>3", True), ("1=2=3", False)])
def test_a_ranking_that_contradicts_the_overalls_is_flagged(value, is_flagged):
    record = build_record(sheet(), scored() | {("ranking", ""): value}, VERSION)
    assert contradicts_scores(record) is is_flagged
    assert record.ranking == [[label] for label in LABELS]
    assert record.reported_ranking is not None


def test_a_second_round_says_the_same_of_the_same_responses_under_its_own_letters():
    first, order = [3, 1, 2], [2, 3, 1]
    given = [
        Given(3, {"accuracy": 6.0}, 4.0, "thin", {"clarity": "cut off"}),
        Given(1, {"accuracy": 9.0, "clarity": 8.0}, None, "", {"holistic": "no idea"}),
        Given(2, {"accuracy": 7.0, "clarity": 8.0}, 5.0, "", {}),
    ]
    ranking = [["Response B"], ["Response A", "Response C"]]
    marks = {
        (start.kind, start.subject): (start.value, start.reason)
        for start in second_start(given, ranking, first, order)
    }
    assert marks == {
        ("holistic", "2"): ("4", ""),
        ("score", "2.accuracy"): ("6", ""),
        ("score", "2.clarity"): (CANNOT, "cut off"),
        ("notes", "2"): ("thin", ""),
        ("holistic", "3"): (CANNOT, "no idea"),
        ("score", "3.accuracy"): ("9", ""),
        ("score", "3.clarity"): ("8", ""),
        ("holistic", "1"): ("5", ""),
        ("score", "1.accuracy"): ("7", ""),
        ("score", "1.clarity"): ("8", ""),
        ("ranking", ""): ("3>1=2", ""),
    }
    assert not any(start.kind == "ranking" for start in second_start(given, None, first, order))
