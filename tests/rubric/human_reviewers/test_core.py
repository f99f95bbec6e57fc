"""What can be said in a review, what is missing, and how a ranking is moved.

A person's review as a record: scores, what could not be judged, the ranking, and where a second round begins.
"""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rubric.core.scales import COMMON, Scale
from rubric.human_reviewers.core import (
    CANNOT,
    FirstRoundScores,
    Sheet,
    are_scores_complete,
    build_record,
    collect_reasons,
    contradicts_scores,
    find_mark_fault,
    find_spans,
    format_ranking,
    list_keys,
    missing,
    move_response,
    order_in,
    parse_ranking,
    second_start,
    why_not_yet,
)
from rubric.reviews.core.answer_record import read_review
from tests.factories.reviews import CRITERIA, LABELS, VERSION, fenced
from tests.factories.versions import three_scales

TWO_CRITERIA = (("accuracy", "Accuracy"), ("clarity", "Clarity"))


BOTH = Sheet(count=2, criteria=TWO_CRITERIA, mode="both")


WHOLE_IN = {("holistic", "1"): "7", ("holistic", "2"): CANNOT}


@pytest.mark.parametrize(("mode", "whole", "scores"), [("both", 2, 4), ("rubric", 0, 4), ("holistic", 2, 0)])
def test_a_mode_asks_for_what_it_says(mode, whole, scores):
    sheet = Sheet(count=2, criteria=TWO_CRITERIA, mode=mode)
    assert (len(sheet.holistic), len(sheet.scores)) == (whole, scores)
    assert len(missing(sheet, {})) == whole + scores


def test_criteria_are_asked_one_after_the_other():
    assert [subject for _kind, subject in BOTH.scores] == [
        "1.accuracy",
        "2.accuracy",
        "1.clarity",
        "2.clarity",
    ]
    assert [step.says for step in missing(BOTH, WHOLE_IN)][:2] == [
        "Response A has no score for Accuracy.",
        "Response B has no score for Accuracy.",
    ]


@pytest.mark.parametrize("value", ["1", "10", "cannot", "", None])
def test_whole_points_and_cannot_judge_are_scores(value):
    assert find_mark_fault(BOTH, "score", "2.clarity", value) == ""


@pytest.mark.parametrize(
    ("kind", "subject", "value"),
    [
        ("score", "2.clarity", "0"),
        ("score", "2.clarity", "11"),
        ("score", "2.clarity", "7.5"),
        ("score", "2.clarity", "٧"),
        ("score", "2.clarity", " 7"),
        ("score", "3.clarity", "7"),
        ("score", "02.clarity", "7"),
        ("score", "2", "7"),
        ("score", "2.taste", "7"),
        ("holistic", "0", "7"),
        ("holistic", "", "7"),
        ("notes", "3", "x"),
        ("notes", "1", "x" * 4001),
        ("ranking", "1", "1>2"),
        ("ranking", "", "1>3"),
        ("ranking", "", "1>1"),
        ("ranking", "", "1>"),
        ("ranking", "", "1 > 2"),
        ("overall", "1", "7"),
    ],
)
def test_everything_else_is_refused(kind, subject, value):
    assert find_mark_fault(BOTH, kind, subject, value)


def test_criteria_open_when_all_are_scored_as_a_whole_and_then_those_stay():
    half = {("holistic", "1"): "7"}
    assert not are_scores_complete(BOTH, half)
    assert "open when every response" in why_not_yet(BOTH, half, "score")
    assert why_not_yet(BOTH, half, "holistic") == ""
    assert why_not_yet(BOTH, WHOLE_IN, "score") == ""
    assert "stay as they were given" in why_not_yet(BOTH, WHOLE_IN, "holistic")
    assert why_not_yet(BOTH, {}, "notes") == ""


@pytest.mark.parametrize("mode", ["rubric", "holistic"])
def test_where_there_is_one_kind_of_score_it_can_be_changed_to_the_end(mode):
    sheet = Sheet(count=2, criteria=TWO_CRITERIA, mode=mode)
    values = dict.fromkeys([*sheet.holistic, *sheet.scores], "7")
    kind = "score" if mode == "rubric" else "holistic"
    assert why_not_yet(sheet, values, kind) == ""
    assert why_not_yet(sheet, {}, kind) == ""
    assert "opens when all scores are given" in why_not_yet(sheet, {}, "ranking")
    assert why_not_yet(sheet, values, "ranking") == ""


@pytest.mark.parametrize(
    ("before", "place", "way", "after"),
    [
        ("1>2>3", 3, "higher", "1>3>2"),
        ("1>2>3", 1, "lower", "2>1>3"),
        ("1>2>3", 2, "equal", "1=2>3"),
        ("1=2>3", 2, "higher", "2>1>3"),
        ("1=2>3", 1, "lower", "2>1>3"),
        ("1=2>3", 3, "higher", "3>1=2"),
        ("1=2>3", 3, "equal", "1=2=3"),
        ("1>2=3", 1, "lower", "2=3>1"),
        ("1>2=3", 3, "equal", "1=3>2"),
        ("2>1", 3, "lower", "2>1>3"),
    ],
)
def test_a_response_is_moved(before, place, way, after):
    assert format_ranking(move_response(parse_ranking(before, 3), place, way)) == after


@pytest.mark.parametrize(
    ("before", "place", "way"),
    [
        ("1>2", 1, "higher"),
        ("1>2", 2, "lower"),
        ("1=2", 1, "equal"),
        ("1>2", 3, "higher"),
        ("1>2", 3, "equal"),
    ],
)
def test_a_response_cannot_be_moved_out_of_the_ranking(before, place, way):
    assert move_response(parse_ranking(before, 3), place, way) is None


@given(st.data())
def test_moving_loses_nobody_and_can_be_written_and_read(data):
    order = [[place] for place in data.draw(st.permutations(range(1, 6)))]
    for _turn in range(8):
        place = data.draw(st.integers(1, 5))
        way = data.draw(st.sampled_from(["higher", "lower", "equal"]))
        after = move_response(order, place, way)
        if after is None:
            continue
        assert sorted(number for group in after for number in group) == [1, 2, 3, 4, 5]
        assert all(after)
        assert after != order
        assert parse_ranking(format_ranking(after), 5) == [sorted(group) for group in after]
        order = after


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
    assert [response.overall for response in own.responses] == [
        Fraction("8.15"),
        Fraction("8.1"),
        Fraction(6),
    ]
    assert (own.mode, own.ranking, own.reported_ranking) == ("rubric", [[label] for label in LABELS], None)


def test_what_cannot_be_judged_is_missing_and_never_a_number():
    values = scored(p2_clarity=CANNOT, p3_accuracy=CANNOT)
    record = build_record(sheet(), values, VERSION)
    assert record.mode == "partial"
    assert "clarity" not in record.response("Response B").scores
    assert record.response("Response B").is_incomplete
    assert not record.response("Response A").is_incomplete
    reasons = {("score", "2.clarity"): "half of it is missing"}
    assert collect_reasons(values, reasons) == {
        "Response B": {"clarity": "half of it is missing"},
        "Response C": {"accuracy": ""},
    }


def test_a_score_as_a_whole_is_kept_beside_the_criteria_and_never_in_the_overall():
    values = scored() | {("holistic", "1"): "2", ("holistic", "2"): CANNOT, ("holistic", "3"): "9"}
    record = build_record(sheet("both"), values, VERSION)
    assert [response.holistic for response in record.responses] == [2, None, 9]
    assert record.response("Response A").overall == Fraction("8.15")
    assert collect_reasons(values, {("holistic", "2"): "why"}) == {"Response B": {"holistic": "why"}}


def test_a_review_as_a_whole_alone_is_holistic():
    values = {("holistic", "1"): "5", ("holistic", "2"): "5", ("holistic", "3"): "8"}
    record = build_record(sheet("holistic"), values, VERSION)
    assert record.mode == "holistic"
    assert record.ranking == [["Response C"], ["Response A", "Response B"]]
    assert all(response.overall is None for response in record.responses)


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
        FirstRoundScores(3, {"accuracy": 6.0}, 4.0, "thin", {"clarity": "cut off"}),
        FirstRoundScores(1, {"accuracy": 9.0, "clarity": 8.0}, None, "", {"holistic": "no idea"}),
        FirstRoundScores(2, {"accuracy": 7.0, "clarity": 8.0}, 5.0, "", {}),
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


SCALED = Sheet(
    count=2,
    criteria=(("coherence", "Coherence"), ("recommend", "Recommend"), ("pace", "Pace")),
    mode="both",
    scales={"coherence": Scale(1, 5), "recommend": Scale(0, 1), "pace": Scale(0, 2, 0.5)},
)


@pytest.mark.parametrize(
    ("kind", "subject", "value"),
    [
        ("score", "1.coherence", "5"),
        ("score", "2.recommend", "0"),
        ("score", "1.pace", "0.5"),
        ("holistic", "1", "10"),
    ],
)
def test_steps_of_its_own_scale_are_scores(kind, subject, value):
    assert find_mark_fault(SCALED, kind, subject, value) == ""


def test_what_is_not_on_the_scale_is_refused_with_the_criterion_and_its_scale():
    said = find_mark_fault(SCALED, "score", "1.coherence", "7")
    assert said.startswith("“7” is no score for Coherence, whose scale is 1 to 5.")
    assert "whose scale is 0 or 1" in find_mark_fault(SCALED, "score", "1.recommend", "2")
    assert "in steps of 0.5" in find_mark_fault(SCALED, "score", "1.pace", "0.25")
    assert "from 1 to 10" in find_mark_fault(SCALED, "holistic", "1", "0")


def test_a_digit_is_the_key_of_its_own_score_and_0_is_ten_where_there_is_no_0():
    assert list_keys(COMMON)[-1] == ("10", "0")
    assert list_keys(Scale(0, 10))[::10] == [("0", "0"), ("10", "")]
    assert list_keys(Scale(0, 1, 0.5)) == [("0", "0"), ("0.5", ""), ("1", "1")]


def test_half_points_come_back_in_the_second_round():
    given_first = [
        FirstRoundScores(1, {"pace": 0.5}, None, "", {}),
        FirstRoundScores(2, {"pace": 2.0}, 7, "", {}),
    ]
    starts = second_start(given_first, None, [1, 2], [2, 1])
    assert {(start.subject, start.value) for start in starts} == {
        ("2.pace", "0.5"),
        ("1.pace", "2"),
        ("1", "7"),
    }


def test_a_record_holds_scores_as_given_and_the_overall_on_the_common_scale():
    sheet = Sheet(
        count=2,
        criteria=tuple((criterion.key, criterion.label) for criterion in three_scales().criteria),
        mode="rubric",
        scales=three_scales().scales,
    )
    values = {
        (kind, subject): {"coherence": "4", "recommend": "1", "depth": "6"}[subject.partition(".")[2]]
        for kind, subject in sheet.scores
    }
    record = build_record(sheet, values, three_scales())
    assert record.responses[0].scores == {"coherence": 4, "recommend": 1, "depth": 6}
    assert [said.overall for said in record.responses] == [Fraction("7.675")] * 2


@pytest.mark.parametrize(
    ("anchors", "scale", "spans"),
    [
        (["1-2", "3-4", "5-6", "7-8", "9-10"], COMMON, [2, 2, 2, 2, 2]),
        (["1", "2-9", "10"], COMMON, [1, 8, 1]),
        (["0", "1"], Scale(0, 1), [1, 1]),
        (["0.5-1", "1.5-2"], Scale(0.5, 2, 0.5), [2, 2]),
        (["1-2", "5-10"], COMMON, []),
        (["1-2", "3-4"], COMMON, []),
        (["2-10", "1"], COMMON, []),
        (["1-11"], COMMON, []),
        ([], COMMON, []),
        (["0-100"], Scale(0, 100, 5), []),
    ],
)
def test_anchors_head_their_scores_only_if_they_cover_the_row_in_its_order(anchors, scale, spans):
    assert find_spans(anchors, scale) == spans
