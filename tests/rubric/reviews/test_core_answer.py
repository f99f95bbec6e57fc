"""Which object of a text is read: fences, free objects, the last of the right shape; and how fast a megabyte is.

A reviewer's answer is read as it stands: what counts as a score, which label is meant, which mode it is.

A reviewer's own ranking, in JSON or below FINAL RANKING, and whether it fits the overalls it gave.
"""

import json
import re
from fractions import Fraction

import pytest

from benchmarks.calibration import fits
from rubric.core.scores import round_half_up
from rubric.reviews.core.answer_json import REFUSED, decode, find_blocks
from rubric.reviews.core.answer_record import STRICT_READER, contradicts, read_review
from tests.factories.effort import count_lines
from tests.factories.reviews import CRITERIA, EXAMPLE, LABELS, VERSION, codes, evaluations, fenced, read

FIRST = {"evaluations": evaluations(A={"accuracy": 2})}
LAST = {"ranking": LABELS, "evaluations": evaluations(A={"accuracy": 9})}
PLAIN = json.dumps(LAST)


@pytest.mark.parametrize(
    "text",
    [
        PLAIN,
        fenced(LAST),
        f"```\n{PLAIN}\n```",
        f"~~~json\n{PLAIN}\n~~~",
        f"````\n{PLAIN}\n````",
        f"   ```JSON\n   {PLAIN}\n   ```",
        f"> ```json\n> {PLAIN}\n> ```",
        f"```json {PLAIN} ```",
        f"```json {json.dumps(LAST, indent=1)}\n```",
        f"```json\n{PLAIN}```\nThat is all.",
        f"```json\n{PLAIN}",
        f"The block: {PLAIN}. Done.",
        f"I use {{braces}} and {{ more {PLAIN}",
        f'She said {{"no and left.\n{PLAIN}',
        f"A 5\" screen is 'fine'.\n{PLAIN}",
        f"}}}}}} {PLAIN} }}}}",
        f"{{{{ {PLAIN}",
        f"```\ncode {{\n```\n{PLAIN}",
        f'```\n{{"open": \n```\n{fenced(LAST)}}}',
        f'{{"a": 1}} {PLAIN} {{"b": {{"c": 2}}}}',
        f"[{PLAIN}]",
        json.dumps(LAST, indent="\t").replace("\n", "\r\n"),
        PLAIN.replace("9", "9.0"),
        json.dumps(LAST | {"notes": 'brace } and { and \\" and ```'}),
    ],
)
def test_the_object_is_found(text):
    review = read(text)
    assert (review.mode, review.response("Response A").scores["accuracy"]) == ("rubric", 9)
    assert codes(review) == []


@pytest.mark.parametrize("between", ["\n", "\nOn second thought:\n", '\n{"note": 1}\n'])
@pytest.mark.parametrize(("one", "other"), [(fenced, fenced), (fenced, json.dumps), (json.dumps, fenced)])
def test_the_last_one_counts_and_an_earlier_different_one_is_noted(one, other, between):
    review = read(one(FIRST) + between + other(LAST))
    assert review.response("Response A").scores["accuracy"] == 9
    assert codes(review) == [("superseded_block", None)]
    assert codes(read(one(LAST) + between + other(LAST))) == []


@pytest.mark.parametrize(
    "after",
    ['{"confidence": 0.9}', '{"ranking": ["Response C", "Response B", "Response A"]}',
     '{"evaluations": {"Response X": {}}}', '{"evaluations": 3}', "{}", '{"scores": []}'],
)  # fmt: skip
def test_a_later_object_of_another_shape_does_not_count(after):
    review = read(fenced(LAST) + fenced(json.loads(after)))
    assert (review.mode, review.response("Response A").scores["accuracy"]) == ("rubric", 9)
    assert codes(review) == []


BROKEN = [
    fenced(LAST)[:-40],
    PLAIN[:-1],
    PLAIN.replace('"accuracy": 9,', '"accuracy": 9,,'),
    PLAIN.replace("}}", "},}"),
    PLAIN.replace('"ranking"', "'x': 1, \"ranking\""),
    PLAIN[:-1] + ", // done\n}",
]


@pytest.mark.parametrize("broken", BROKEN)
def test_a_block_that_is_no_json_gives_way_to_one_that_is(broken):
    review = read(fenced(FIRST) + broken)
    assert review.response("Response A").scores["accuracy"] == 2
    assert ("broken_block", None) in codes(review)


@pytest.mark.parametrize("broken", BROKEN)
def test_the_first_reader_repairs_nothing(broken):
    review = read_review(broken, LABELS, VERSION, reader=STRICT_READER)
    assert review.mode == "unreadable"
    assert codes(review) == [("broken_block", None)]


def test_json_within_a_text_is_no_review():
    assert read(json.dumps({"example": fenced(EXAMPLE)})).mode == "unreadable"


def test_blocks_are_balanced_objects_that_lie_in_no_other():
    wanted = re.compile('"a"')
    text = 'x {"a": {"a": 1}} {"b": 2} { {"a": 3} {"open": {"a": "}"} {"a"'
    blocks = find_blocks(text, wanted=wanted)
    assert [source for _start, source in blocks] == [
        '{"a": {"a": 1}}',
        '{"a": 3}',
        '{"a": "}"}',
    ]
    assert all(text[start:].startswith(source) for start, source in blocks)


def test_what_a_part_is_worth_is_left_to_who_wants_it():
    value = decode('{"a": 1, "a": 1, "b": {"c": NaN}, "d": 2}')
    assert (value["a"], value["d"]) == (REFUSED, 2)
    assert value["b"]["c"] != value["b"]["c"]
    assert decode('{"a": 1,}') is REFUSED
    assert decode('{"a":' * 100_000) is REFUSED
    assert decode('{"a": ' + "9" * 5000 + "}") is REFUSED


@pytest.mark.parametrize(
    "unit",
    ["{", "}", "{}", "{ ", "{{", "{{}", '{"a":', '{"scores":', '{"a":{', '"', '\\"', "\\", '"\\', "```\n", "```json\n",
     "```\n~~~\n", "`", "~~~", "[", "[{", " ", "\n", "> ", "FINAL RANKING:\n", "1. Response A\n", '"scores":',
     "I can't ", "{x", "} {"],
)  # fmt: skip
def test_a_megabyte_of_anything_is_read_at_once(unit):
    """Alone; beside a block of scores, where all has to be looked at, some of these take longer, but never seconds."""
    text = unit * (1_000_000 // len(unit))
    assert fits(lambda: read(text), 150)
    assert fits(lambda: read(f'{{"scores": 1, {text}\n{PLAIN}'), 1_000)


def test_effort_grows_with_the_length_alone():
    def text(size):
        return '{"ranking": [], ' + '{"x"} "{' * (size // 8) + PLAIN

    assert count_lines(lambda: read(text(200_000))) < 2.2 * count_lines(lambda: read(text(100_000)))
    assert fits(lambda: read(text(400_000)), 500)


def test_the_example_of_the_decision_record():
    review = read("Some thoughts on {all} of them.\n\n" + fenced(EXAMPLE))
    assert review.mode == "rubric"
    assert [str(round_half_up(response.overall)) for response in review.responses] == ["8.15", "8.10", "6.00"]
    assert [response.reported_overall for response in review.responses] == [8.15, 8.0, 6.0]
    assert [response.notes for response in review.responses] == ["a", "b", "c"]
    assert review.ranking == review.reported_ranking == [["Response A"], ["Response B"], ["Response C"]]
    assert codes(review) == [("overall_mismatch", "Response B")]
    assert "8.0; its scores give 8.10" in review.flags[0].message
    assert all(response.holistic is None and not response.is_incomplete for response in review.responses)


@pytest.mark.parametrize("score", [1, 10, 7, 8.5, 1.0, 10.0, 9.99])
def test_scores_from_1_to_10_are_read(score):
    review = read({"evaluations": evaluations(A={"accuracy": score})})
    assert review.mode == "rubric"
    assert review.response("Response A").scores["accuracy"] == score
    assert codes(review) == []


@pytest.mark.parametrize(("written", "score"), [("8", 8), (" 9 ", 9), ("8.5", 8.5), ("10", 10), ("1.0", 1)])
def test_a_number_written_as_text_is_read_and_noted(written, score):
    review = read({"evaluations": evaluations(B={"clarity": written})})
    assert review.mode == "rubric"
    assert review.response("Response B").scores["clarity"] == score
    assert codes(review) == [("numeric_string", "Response B")]


@pytest.mark.parametrize(
    ("source", "code"),
    [
        ("NaN", "not_a_number"),
        ("Infinity", "not_a_number"),
        ("-Infinity", "not_a_number"),
        ("1e999", "not_a_number"),
        ("true", "not_a_number"),
        ("false", "not_a_number"),
        ("null", "null_score"),
        ("[8]", "not_a_number"),
        ('{"score": 8}', "not_a_number"),
        ('"eight"', "not_a_number"),
        ('""', "not_a_number"),
        ('"8/10"', "not_a_number"),
        ('"NaN"', "not_a_number"),
        ('"٨"', "not_a_number"),
        ('"<1-10>"', "not_a_number"),
        ("0", "out_of_range"),
        ("11", "out_of_range"),
        ("95", "out_of_range"),
        ("-8", "out_of_range"),
        ("0.999", "out_of_range"),
        ("10.001", "out_of_range"),
        ('"95"', "out_of_range"),
        ("9" * 18, "out_of_range"),
        ("9" * 400, "not_a_number"),
    ],
)
def test_what_is_no_score_is_refused_for_its_criterion_alone(source, code):
    text = json.dumps({"evaluations": evaluations(A={"accuracy": "HERE"})}).replace('"HERE"', source)
    review = read(text)
    assert review.mode == "partial"
    a, b, c = review.responses
    assert "accuracy" not in a.scores
    assert (a.is_incomplete, b.is_incomplete, c.is_incomplete) == (True, False, False)
    assert a.overall == b.overall == 7
    assert codes(review) == [(code, "Response A")]
    assert review.flags[0].criterion == "accuracy"
    assert "\n" not in review.flags[0].message
    assert len(review.flags[0].message) < 200


def test_a_partial_overall_is_divided_by_the_weights_that_are_there():
    review = read(
        {"evaluations": evaluations(A={"accuracy": 9, "completeness": 8, "conciseness": 7, "clarity": ...})}
    )
    a = review.response("Response A")
    assert a.overall == Fraction("6.55") / Fraction("0.8")
    assert (review.mode, a.is_incomplete, list(a.scores)) == ("partial", True, CRITERIA[:3])
    assert review.ranking == [["Response A"], ["Response B", "Response C"]]


def test_a_response_without_any_score_makes_the_review_partial():
    given = evaluations()
    del given["Response C"]
    review = read({"evaluations": given})
    c = review.response("Response C")
    assert (review.mode, c.scores, c.overall, c.is_incomplete) == ("partial", {}, None, True)
    assert review.ranking == [["Response A", "Response B"]]


def test_a_key_that_is_there_twice_has_no_value():
    text = json.dumps({"evaluations": evaluations()}).replace(
        '"accuracy": 7', '"accuracy": 9, "accuracy": 3', 1
    )
    review = read(text)
    assert (review.mode, codes(review)) == ("partial", [("duplicate_key", "Response A")])
    assert "accuracy" not in review.response("Response A").scores
    same = json.dumps({"evaluations": evaluations()}).replace(
        '"accuracy": 7', '"accuracy": 7, "accuracy": 7', 1
    )
    assert "accuracy" not in read(same).response("Response A").scores


def test_a_response_that_is_there_twice_has_no_scores():
    text = json.dumps({"evaluations": evaluations()}).replace('"Response B": {', '"Response A": {', 1)
    review = read(text)
    assert (review.mode, codes(review)) == ("partial", [("duplicate_key", "Response A")])
    assert review.response("Response A").scores == {}


def test_evaluations_that_are_there_twice_are_not_read():
    inner = json.dumps(evaluations())
    review = read(f'{{"evaluations": {inner}, "evaluations": {inner}}}')
    assert review.mode == "unreadable"


def test_labels_are_matched_exactly_then_in_any_case():
    given = evaluations()
    given["response a "] = given.pop("Response A")
    assert read({"evaluations": given}).mode == "rubric"
    given = evaluations() | {"RESPONSE A": dict.fromkeys(CRITERIA, 1)}
    review = read({"evaluations": given})
    assert codes(review) == [("duplicate_label", "Response A")]
    assert review.response("Response A").overall == 7
    two = {
        "Response B": given["Response B"],
        "response a": given["RESPONSE A"],
        "RESPONSE A": given["Response A"],
    }
    assert read({"evaluations": two}).response("Response A").scores == {}


def test_labels_that_differ_by_case_alone_are_themselves():
    given = {"a": dict.fromkeys(CRITERIA, 2), "A": dict.fromkeys(CRITERIA, 9)}
    review = read({"evaluations": given}, labels=["A", "a"])
    assert [response.overall for response in review.responses] == [9, 2]


def test_unknown_labels_and_criteria_are_noted():
    given = evaluations(B={"style": 10}) | {"Response Z": dict.fromkeys(CRITERIA, 9)}
    review = read({"ranking": ["Response Z", *LABELS], "evaluations": given})
    assert review.mode == "rubric"
    assert codes(review) == [("unknown_criterion", "Response B"), ("unknown_label", "Response Z")]
    assert review.reported_ranking == [[label] for label in LABELS]


def test_criteria_are_matched_in_any_case_too():
    assert read({"evaluations": evaluations(A={"accuracy": ..., "Accuracy": 8})}).mode == "rubric"


def test_the_old_shape_is_holistic():
    review = read(
        '{"ranking": ["Response A", "Response B"], "scores": {"Response A": 8, "Response B": "6"}}',
        LABELS[:2],
    )
    assert review.mode == "holistic"
    assert [response.holistic for response in review.responses] == [8, 6]
    assert all(
        response.overall is None and not response.is_incomplete and response.scores == {}
        for response in review.responses
    )
    assert codes(review) == [("numeric_string", "Response B")]
    assert review.ranking == review.reported_ranking == [["Response A"], ["Response B"]]


def test_holistic_scores_without_a_ranking_give_one_with_ties():
    review = read({"scores": {"Response A": 6, "Response B": 8, "Response C": 6}})
    assert (review.mode, review.reported_ranking) == ("holistic", None)
    assert review.ranking == [["Response B"], ["Response A", "Response C"]]


def test_a_holistic_score_beside_scores_is_kept_apart():
    review = read({"evaluations": evaluations(A={"holistic": 9}), "scores": {"Response B": 4}})
    assert review.mode == "rubric"
    assert [response.holistic for response in review.responses] == [9, 4, None]
    assert [response.overall for response in review.responses] == [7, 7, 7]


def test_an_overall_without_scores_is_a_holistic_score_and_noted():
    review = read({"evaluations": {label: {"overall": 8, "notes": "good"} for label in LABELS}})
    assert (review.mode, review.response("Response A").holistic) == ("holistic", 8)
    assert {flag.code for flag in review.flags} == {"overall_as_holistic"}


@pytest.mark.parametrize(
    "text",
    [
        "I'm sorry, but I can't help with that.",
        "I cannot evaluate these responses because they contain personal data.",
        "I must decline.",
        "I am not able to rank responses about this topic.",
        "Unable to score these responses.",
        "Thank you. I won’t provide an evaluation of this content.",
    ],
)
def test_a_refusal_is_an_abstention(text):
    review = read(text)
    assert (review.mode, review.ranking, review.reported_ranking) == ("abstained", [], None)
    assert [response.label for response in review.responses] == LABELS


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "All three are fine, I think.",
        "{}",
        "[]",
        "null",
        '{"evaluations": []}',
        '{"ranking": []}',
        "```json\n```",
    ],
)
def test_what_says_nothing_is_unreadable(text):
    assert read(text).mode == "unreadable"


def test_a_review_that_hesitates_is_no_refusal():
    review = read("I cannot judge the sources, but here are my scores.\n" + fenced(EXAMPLE))
    assert review.mode == "rubric"
    assert read('I cannot rank these. {"evaluations": {"Response A": ').mode == "unreadable"


@pytest.mark.parametrize(
    ("reported", "is_off"), [(7.05, False), (6.95, False), (7.051, True), (6.9, True), ("7.2", True)]
)
def test_an_overall_is_off_by_more_than_5_hundredths(reported, is_off):
    review = read({"evaluations": evaluations(A={"overall": reported})})
    assert (("overall_mismatch", "Response A") in codes(review)) == is_off
    assert review.response("Response A").overall == 7


def test_an_overall_that_is_no_number_is_noted():
    review = read({"evaluations": evaluations(A={"overall": "high"}, B={"overall": None}, C={"overall": 70})})
    assert [response.reported_overall for response in review.responses] == [None, None, 70]
    assert codes(review) == [("overall_mismatch", "Response C"), ("unreadable_overall", "Response A")]


def test_a_review_of_labels_of_ones_own():
    review = read({"evaluations": {"one": dict.fromkeys(CRITERIA, 3)}}, labels=["one"])
    assert (review.mode, review.ranking) == ("rubric", [["one"]])
    with pytest.raises(KeyError):
        review.response("two")


def test_a_flood_of_unknown_labels_is_cut_off_and_counted():
    review = read({"evaluations": evaluations() | {f"Response {number}": 1 for number in range(1000)}})
    assert (review.mode, len(review.flags)) == ("rubric", 201)
    assert review.flags[-1].message == "There are 800 more things to note."


def test_escapes_of_what_no_database_stores_are_replaced():
    """JSON can write in six plain characters what the text itself must not hold."""
    entries = {"notes": "so\0 \ud800", "a\0": 3, "accuracy": "\udfff"}
    review = read({"evaluations": evaluations(A=entries) | {"B\0": 5}, "ranking": ["C\ud800"]})
    assert review.response("Response A").notes == "so␀ \ufffd"
    said = "".join(flag.message + (flag.response or "") for flag in review.flags)
    assert all(shown in said for shown in ("B␀", "C\ufffd", "a␀", '"\ufffd"'))
    assert "\0" not in said and "\ud800" not in said and "\udfff" not in said


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
