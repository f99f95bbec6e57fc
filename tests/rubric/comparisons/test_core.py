"""Files of comparisons and reviews: what is read, every fault with its place, and reviews put at their place."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rubric.comparisons.core.lines import (
    Lines,
    NewComparison,
    NewResponse,
    ReviewGiven,
    read_comparison_lines,
    response_numbers,
)
from rubric.comparisons.core.placing import Placed, place_review
from rubric.core.records import RubricRecord
from rubric.core.scales import Scale, rescale_score
from rubric.versions.queries import first_response_version
from tests.factories.versions import three_scales
from workspace.core.json_faults import Problem

SOUP = {
    "id": "soup",
    "question": "How is soup made?",
    "responses": [{"id": "a", "text": "Boil water.", "author": "m-1"}, {"text": "Open a tin."}],
}

SCORED = {
    "comparison": "soup",
    "reviewer": "Reader",
    "scores": {"a": {"holistic": 7}, "2": {"holistic": 9}},
}

NUMBERS = {"a": 1, "2": 2}


def lines(*values: object) -> bytes:
    return "\n".join(value if isinstance(value, str) else json.dumps(value) for value in values).encode()


def read_faults(*values: object) -> list[tuple[int, str, str]]:
    return [(fault.line, fault.pointer, fault.code) for fault in read_comparison_lines(lines(*values)).faults]


def rubric() -> RubricRecord:
    return first_response_version()


def placed(**changes: object) -> Placed:
    found = place_review(given_review(**changes), NUMBERS, rubric())
    assert isinstance(found, Placed), found
    return found


def given_review(**changes: object) -> ReviewGiven:
    return ReviewGiven(**({"line": 4, "comparison": "soup", "reviewer": "Reader", "labels": {}} | changes))


def test_a_file_holds_comparisons_and_reviews():
    found = read_comparison_lines(lines(SOUP, "", SCORED))
    wanted = NewComparison(
        "How is soup made?",
        [NewResponse("Boil water.", key="a", author="m-1"), NewResponse("Open a tin.")],
        key="soup",
    )
    assert found.comparisons == [(1, wanted)]
    assert [(review.line, review.reviewer) for review in found.reviews] == [(3, "Reader")]
    assert found.faults == []
    assert response_numbers(wanted) == NUMBERS


@pytest.mark.parametrize("data", [b"", b"\n \n"])
def test_a_file_without_a_line_is_a_fault(data):
    assert [fault.code for fault in read_comparison_lines(data).faults] == ["empty"]


@pytest.mark.parametrize(
    "data",
    [b"question,first,second\nWhy?,So.,Thus.\n", b'[\n  {\n    "id": "1"\n  }\n]'],
    ids=["table", "several lines"],
)
def test_a_file_without_json_lines_gets_advice_instead_of_a_fault_for_each_line(data):
    [fault] = read_comparison_lines(data).faults
    assert (fault.line, fault.code) == (1, "not_json_lines")
    assert "Write one JSON object a line." in fault.message


@pytest.mark.parametrize(
    ("value", "pointer", "code"),
    [
        ("{", "", "truncated"),
        ('{"id": "x", "id": "y", "question": "?"}', "", "duplicate_key"),
        ("[1]", "", "wrong_shape"),
        ({"id": "x"}, "", "wrong_shape"),
        (SOUP | {"id": 7}, "/id", "wrong_shape"),
        (SOUP | {"id": " "}, "/id", "wrong_shape"),
        (SOUP | {"question": ""}, "/question", "invalid"),
        (SOUP | {"responses": {}}, "/responses", "wrong_shape"),
        (SOUP | {"responses": SOUP["responses"][:1]}, "/responses", "invalid"),
        (SOUP | {"responses": [{"text": "x"}, 3]}, "/responses/1", "wrong_shape"),
        (SOUP | {"responses": [{"text": "x"}, {"text": None}]}, "/responses/1/text", "wrong_shape"),
        (SOUP | {"responses": [{"text": "x"}, {"text": " "}]}, "/responses/1/text", "invalid"),
        (
            SOUP | {"responses": [{"text": "x"}, {"text": "y", "autor": "z"}]},
            "/responses/1/autor",
            "unknown_key",
        ),
        (SOUP | {"responses": [{"text": "x", "id": "2"}, {"text": "y"}]}, "/responses/1/id", "invalid"),
        (SOUP | {"source": "elsewhere"}, "/source", "unknown_key"),
        ({"comparison": "soup", "scores": SCORED["scores"]}, "/reviewer", "wrong_shape"),
        (SCORED | {"reviewer": "r" * 201}, "/reviewer", "too_long"),
        (SCORED | {"text": "I prefer A."}, "", "wrong_shape"),
        ({"comparison": "soup", "reviewer": "Reader"}, "", "wrong_shape"),
        ({"comparison": "soup", "reviewer": "Reader", "text": "A."}, "/labels", "wrong_shape"),
        (SCORED | {"labels": {"Response A": 1}}, "/labels", "wrong_shape"),
        (SCORED | {"scores": {}}, "/scores", "wrong_shape"),
        (SCORED | {"scores": {"a": 7}}, "/scores/a", "wrong_shape"),
        (SCORED | {"scores": {"a": {"holistic": "7"}}}, "/scores/a/holistic", "bad_score"),
        (SCORED | {"scores": {"a": {"holistic": True}}}, "/scores/a/holistic", "bad_score"),
        (SCORED | {"scores": {"a": {"notes": 1}}}, "/scores/a/notes", "bad_score"),
        (SCORED | {"scale": [100, 0]}, "/scale", "wrong_shape"),
        (SCORED | {"ranking": "a > 2"}, "/ranking", "wrong_shape"),
        (SCORED | {"ranking": []}, "/ranking", "wrong_shape"),
        (SCORED | {"ranking": ["a", 2]}, "/ranking", "wrong_shape"),
        (
            {"comparison": "soup", "reviewer": "Reader", "text": "A.", "ranking": ["a", "2"]},
            "",
            "wrong_shape",
        ),
        (SCORED | {"scale": [0, 50, 100]}, "/scale", "wrong_shape"),
    ],
)
def test_every_fault_has_its_line_and_place(value, pointer, code):
    found = read_faults(SOUP | {"id": "first"}, value)
    assert (2, pointer, code) in found
    assert all(line == 2 for line, _pointer, _code in found)


def test_ids_are_there_once():
    assert read_faults(SOUP, SOUP) == [(2, "/id", "duplicate_id")]


def test_all_faults_are_listed_at_once():
    found = read_faults(SOUP | {"id": 7}, "{", SCORED | {"reviewer": ""})
    assert [line for line, _pointer, _code in found] == [1, 2, 3]


@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_whatever_comes_is_read_or_refused(data):
    found = read_comparison_lines(data)
    assert isinstance(found, Lines)
    assert found.faults or found.comparisons or found.reviews


json_values = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=12,
)


@given(json_values, st.sampled_from(["labels", "scores", "text", "scale", "reviewer", "comparison"]))
def test_a_strange_part_of_a_review_never_breaks_the_reader(value, key):
    found = read_comparison_lines(lines(SOUP, SCORED | {key: value}))
    for review in found.reviews:
        place_review(review, NUMBERS, rubric())


def test_plain_scores_stand_in_the_order_in_which_the_responses_were_brought():
    scores = {"2": {"holistic": 9, "notes": "Quick."}, "a": {"holistic": 7}}
    found = placed(scores=scores)
    assert (found.order, found.record.mode) == ([1, 2], "holistic")
    assert [(response.label, response.holistic, response.notes) for response in found.record.responses] == [
        ("Response A", 7, None),
        ("Response B", 9, "Quick."),
    ]
    assert found.record.ranking == [["Response B"], ["Response A"]]
    assert [flag.code for flag in found.record.flags] == ["order_unknown"]


def test_labels_say_the_order():
    labels = {"Response B": "a", "Response A": "2"}
    found = placed(labels=labels, scores=SCORED["scores"])
    assert found.order == [2, 1]
    assert [response.holistic for response in found.record.responses] == [9, 7]
    assert found.record.flags == []


def test_a_text_is_read_under_its_labels():
    text = '{"evaluations": {"Response A": {"accuracy": 4}, "Response B": {"accuracy": 8}}}'
    found = placed(labels={"Response A": "2", "Response B": "a"}, text=text)
    assert (found.order, found.record.mode) == ([2, 1], "partial")
    assert [response.scores for response in found.record.responses] == [{"accuracy": 4}, {"accuracy": 8}]


def test_scores_of_another_scale_are_mapped_exactly_and_flagged():
    keys = [criterion.key for criterion in rubric().criteria]
    low, high = dict.fromkeys(keys, 0), dict.fromkeys(keys, 100) | {keys[0]: 30}
    found = placed(scores={"a": low, "2": high}, scale=Scale(0, 100))
    first, two = found.record.responses
    assert first.scores == dict.fromkeys(keys, 1)
    assert two.scores == dict.fromkeys(keys, 10) | {keys[0]: 3.7}
    assert found.record.mode == "rubric"
    assert "from 0 to 100" in next(flag.message for flag in found.record.flags if flag.code == "rescaled")


@given(st.integers(0, 100))
def test_a_rescaled_score_comes_back(value):
    assert (rescale_score(value, Scale(0, 100)) - 1) * 100 / 9 == pytest.approx(value, abs=1e-12)


def test_what_was_not_given_stays_missing():
    scores = {"a": {"accuracy": 5, "clarity": None}, "2": {"accuracy": 6}}
    record = placed(scores=scores).record
    assert record.mode == "partial"
    assert [response.is_incomplete for response in record.responses] == [True, True]


def test_nothing_in_notes_is_read_as_scores():
    trap = 'FINAL RANKING:\n1. Response A\n```json\n{"evaluations": {"Response A": {"holistic": 10}}}\n```'
    record = placed(scores={"a": {"holistic": 2, "notes": trap}, "2": {"holistic": 3}}).record
    assert [response.holistic for response in record.responses] == [2, 3]
    assert (record.reported_ranking, record.responses[0].notes) == (None, trap)


@pytest.mark.parametrize(
    ("changes", "pointer", "code"),
    [
        ({"labels": {"Response A": "a"}, "text": "x"}, "/labels", "wrong_labels"),
        ({"labels": {"Response A": "a", "Response C": "2"}, "text": "x"}, "/labels", "wrong_labels"),
        ({"labels": {"A": "a", "B": "2"}, "text": "x"}, "/labels", "wrong_labels"),
        ({"labels": {"Response A": "a", "Response B": "a"}, "text": "x"}, "/labels", "wrong_labels"),
        (
            {"labels": {"Response A": "a", "Response B": "b"}, "text": "x"},
            "/labels/Response B",
            "unknown_response",
        ),
        (
            {"labels": {"Response A": "a", "Response B": "2"}, "scores": {"a": {"holistic": 1}}},
            "/labels/Response B",
            "no_score",
        ),
        ({"scores": {"a": {"holistic": 1}}}, "/scores", "no_score"),
        ({"scores": {"a": {"holistic": 1}, "c": {"holistic": 1}}}, "/scores/c", "unknown_response"),
        ({"scores": {"a": {"style": 1}, "2": {"holistic": 1}}}, "/scores/a/style", "unknown_criterion"),
        ({"scores": {"a": {"holistic": 0}, "2": {"holistic": 1}}}, "/scores/a/holistic", "bad_score"),
        (
            {"scores": {"a": {"holistic": 101}, "2": {"holistic": 1}}, "scale": Scale(0, 100)},
            "/scores/a/holistic",
            "bad_score",
        ),
        ({"scores": {"a": {"holistic": None}, "2": {"notes": "x"}}}, "/scores", "no_score"),
    ],
)
def test_a_review_that_has_no_place_says_why(changes, pointer, code):
    found = place_review(given_review(**changes), NUMBERS, rubric())
    assert isinstance(found, list)
    assert (4, pointer, code) in [(fault.line, fault.pointer, fault.code) for fault in found]


def test_a_ranking_beside_scores_or_alone_is_stored_under_the_labels():
    ranking = [["2"], ["a"]]
    found = placed(scores={"a": {"accuracy": 9}, "2": {"accuracy": 2}}, ranking=ranking)
    assert (found.order, found.record.mode) == ([1, 2], "partial")
    assert found.record.reported_ranking == [["Response B"], ["Response A"]]
    assert "rank_mismatch" in {flag.code for flag in found.record.flags}
    [line] = read_comparison_lines(lines(SOUP, {**SCORED, "ranking": [["2", " a"]]})).reviews
    assert line.ranking == [["2", "a"]]
    alone = placed(ranking=ranking, labels={"Response A": "2", "Response B": "a"})
    assert (alone.order, alone.record.mode, alone.record.ranking) == (
        [2, 1],
        "holistic",
        [["Response A"], ["Response B"]],
    )


@pytest.mark.parametrize(
    ("ranking", "labels", "code"),
    [
        ([["a"], ["b"]], {}, "unknown_response"),
        ([["a"], ["2"], ["a"]], {}, "duplicate_label"),
        ([["a"]], {}, "no_score"),
    ],
)
def test_a_ranking_of_other_responses_is_refused(ranking, labels, code):
    found = place_review(given_review(ranking=ranking, labels=labels), NUMBERS, rubric())
    assert [(fault.pointer, fault.code) for fault in found] == [("/ranking", code)]


def test_each_criterion_may_have_a_scale_of_its_own():
    line = {
        **SCORED,
        "scale": {"accuracy": [0, 1], "holistic": [1, 5]},
        "scores": {"a": {"accuracy": 1, "clarity": 4, "holistic": 3}, "2": {"accuracy": 0, "holistic": 5}},
    }
    found = read_comparison_lines(lines(SOUP, line))
    assert found.faults == []
    record = place_review(found.reviews[0], NUMBERS, rubric()).record
    assert [(said.scores, said.holistic) for said in record.responses] == [
        ({"accuracy": 10, "clarity": 4}, 5.5),
        ({"accuracy": 1}, 10),
    ]
    rescaled = [(flag.criterion, flag.message) for flag in record.flags if flag.code == "rescaled"]
    assert rescaled == [
        ("accuracy", "accuracy was given from 0 to 1 and is mapped onto 1 to 10."),
        ("holistic", "holistic was given from 1 to 5 and is mapped onto 1 to 10."),
    ]
    assert read_faults(SOUP, {**line, "scale": {"accuracy": 3}}) == [(2, "/scale", "wrong_shape")]
    scales = {"charm": Scale(0, 1), "accuracy": Scale(0, 1), "clarity": Scale(5, 6)}
    other = place_review(given_review(scores=line["scores"], scales=scales), NUMBERS, rubric())
    assert [fault.pointer for fault in other] == ["/scale/charm", "/scores/a/clarity"]


def place_scaled(**changes: object) -> Placed | list[Problem]:
    """A line of plain scores in a set whose version has three scales."""
    value = {**SCORED, "scores": {"a": {"coherence": 4, "recommend": 1}, "2": {"coherence": 5}}} | changes
    found = read_comparison_lines(lines(SOUP, value))
    assert found.faults == []
    return place_review(found.reviews[0], NUMBERS, three_scales())


def test_plain_scores_are_on_the_scales_of_the_version_unless_the_file_says_otherwise():
    found = place_scaled()
    assert isinstance(found, Placed)
    assert [said.scores for said in found.record.responses] == [
        {"coherence": 4, "recommend": 1},
        {"coherence": 5},
    ]
    assert [flag.code for flag in found.record.flags] == ["order_unknown"]
    beyond = place_scaled(scores={"a": {"coherence": 7}, "2": {"coherence": 5, "recommend": 0.5}})
    assert isinstance(beyond, list)
    assert [(fault.pointer, fault.code) for fault in beyond] == [("/scores/a/coherence", "bad_score")]
    assert "scores lie from 1 to 5" in beyond[0].message


def test_scores_of_the_scale_of_a_file_are_mapped_onto_that_of_the_criterion():
    found = place_scaled(scale=[0, 100], scores={"a": {"coherence": 75, "recommend": 50}, "2": {"depth": 50}})
    assert isinstance(found, Placed)
    assert [said.scores for said in found.record.responses] == [
        {"coherence": 4, "recommend": 0.5},
        {"depth": 5.5},
    ]
    told = [(flag.code, flag.message) for flag in found.record.flags if flag.code != "order_unknown"]
    assert told == [
        ("rescaled", "The scores were given from 0 to 100 and are mapped onto the scale of each criterion.")
    ]
    one = place_scaled(scale={"coherence": [0, 5]})
    assert isinstance(one, Placed)
    assert [said.scores for said in one.record.responses] == [
        {"coherence": 4.2, "recommend": 1},
        {"coherence": 5},
    ]


def test_one_line_says_of_all_reviews_after_it_that_the_criteria_came_first():
    review = '{"comparison": "a", "reviewer": "%s", "scores": {"x": {"holistic": 5}}%s}'
    lines = [
        review % ("Ann", ""),
        '{"criteria_first": true}',
        review % ("Bob", ""),
        review % ("Cid", ', "criteria_first": false'),
    ]
    found = read_comparison_lines("\n".join(lines).encode())
    assert not found.faults and not found.comparisons
    assert [(given.reviewer, given.criteria_first) for given in found.reviews] == [
        ("Ann", False), ("Bob", True), ("Cid", False),
    ]  # fmt: skip
    (fault,) = read_comparison_lines(b'{"criteria_first": "yes"}').faults
    assert (fault.line, fault.pointer, fault.code) == (1, "/criteria_first", "wrong_shape")
