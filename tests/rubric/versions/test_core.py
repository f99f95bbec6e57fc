"""The shipped discussion version, and reading versions strictly.

What differs between two versions.

Scores in words.

A hidden character in any text of a version is refused where the version is written, and read where it is stored.
"""

import copy
import json
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from benchmarks.calibration import fits
from rubric.core.records import Criterion, RubricRecord
from rubric.core.scales import Scale
from rubric.versions.core.differences import Change, differences, mark_words
from rubric.versions.core.draft import draft_texts, read_draft
from rubric.versions.core.version_json import read_version
from rubric.versions.labels import format_mark
from rubric.versions.queries import (
    FIRST_VERSIONS,
    discussion_version,
    first_discussion_version,
    first_response_version,
    first_version_bytes,
    response_version,
)
from workspace.core.canonical import canonical_bytes

FIRST = first_version_bytes("discussion-1.0")


def changed(path: str, value: Any) -> bytes:
    """The first version with one value replaced; `path` is a JSON pointer. Ellipsis removes it."""
    data = json.loads(FIRST)
    *parents, last = path.strip("/").split("/")
    place = data
    for key in parents:
        place = place[int(key)] if isinstance(place, list) else place[key]
    key = int(last) if isinstance(place, list) else last
    if value is ...:
        del place[key]
    else:
        place[key] = value
    return json.dumps(data).encode()


def problems(data: bytes) -> list[tuple[str, str]]:
    """(place, code) of everything that is wrong."""
    found = read_version(data)
    assert isinstance(found, list)
    assert all(problem.message.endswith((".", "].")) for problem in found)
    return [(problem.pointer, problem.code) for problem in found]


def test_the_first_version_is_the_rubric() -> None:
    version = first_discussion_version()
    assert (version.name, version.version, version.kind) == ("Discussion quality", "1.0", "discussion")
    assert "January 2025" in version.source
    assert "Builder-4" in version.source
    assert [criterion.threshold for criterion in version.criteria] == [80, 60, 70, 80, 50, 90, 3]
    assert [criterion.is_mandatory for criterion in version.criteria] == [False] * 6 + [True]
    assert sum(criterion.weight for criterion in version.criteria) == pytest.approx(1)
    engagement = version.criterion("engagement")
    assert list(engagement.anchors) == ["1", "2", "3", "4", "5"]
    assert len(engagement.guiding_questions) == 5
    assert all(question.endswith("?") for question in engagement.guiding_questions)
    assert [row["key"] for row in version.lists["personalities"]] == [
        "analytical", "aggressive", "cautious", "social", "suspicious",
    ]  # fmt: skip


def test_the_advice_has_all_its_lines_and_numbers() -> None:
    advice = {criterion.key: criterion.advice for criterion in first_discussion_version().criteria}
    assert [len(lines) for lines in advice.values()] == [3, 3, 3, 3, 3, 3, 4]
    numbers = {key: re.findall(r"\d+(?:\.\d+)?", " ".join(lines)) for key, lines in advice.items()}
    assert numbers["coherence"] == ["5", "10", "3"]
    assert numbers["personality_diversity"] == ["0.9"]
    assert numbers["anti_repetition"] == ["20", "30"]


def test_the_choices_of_the_first_version() -> None:
    parameters = first_discussion_version().parameters
    expected = {
        "reference_unit": "sentence", "reference_rounds": "past_only", "coherence_min_shared": 2,
        "coherence_denominator": "all", "coherence_names": True, "role_neutral_village": "consistent",
        "similarity": "token_sort_ratio", "similarity_names": False, "similarity_max_chars": 20000,
        "diversity_players": "spoke", "identification_pass": "five", "repetition_scope": "speaker",
        "repetition_min_ordinary": 2, "pass_count": 5, "metric_count": 7, "answers_yes_count": 4,
        "answers_yes_rating": 3.0, "cost_limit_usd": 3.0, "cost_success_usd": 2.0, "cache_hit_percent": 70,
        "baseline_game_count": 3, "iteration_game_count": 3, "successes_in_a_row": 3,
    }  # fmt: skip
    assert {name: parameters[name] for name in expected} == expected


@pytest.mark.parametrize("path", sorted(FIRST_VERSIONS.glob("*.json")), ids=lambda path: path.stem)
def test_a_version_reads_back_as_it_was(path: Path) -> None:
    version = read_version(path.read_bytes())
    assert isinstance(version, RubricRecord)
    assert read_version(canonical_bytes(version)) == version
    written, record = json.loads(path.read_bytes()), msgspec.to_builtins(version)
    criteria = zip(written.pop("criteria"), record["criteria"], strict=True)
    assert [given | criterion == criterion for given, criterion in criteria] == [True] * len(version.criteria)
    assert written | record == record


@pytest.mark.parametrize(
    ("path", "value", "place", "code"),
    [
        ("/name", " ", "/name", "empty"),
        ("/kind", "quiz", "/kind", "unknown_kind"),
        ("/criteria/0/weight", 0.5, "/criteria", "weights"),
        ("/criteria/0/weight", -0.1, "/criteria/0/weight", "out_of_range"),
        ("/criteria/0/threshold", 101, "/criteria", "out_of_range"),
        ("/criteria/6/threshold", 6, "/criteria", "out_of_range"),
        ("/criteria/1/key", "memory_accuracy", "/criteria/0/key", "twice"),
        ("/criteria/0/colour", "red", "/criteria/0", "wrong_shape"),
        ("/parameters/similarity", "difflib", "/parameters/similarity", "illegal"),
        ("/parameters/coherence_names", 1, "/parameters/coherence_names", "illegal"),
        ("/parameters/coherence_min_shared", 0, "/parameters/coherence_min_shared", "illegal"),
        ("/parameters/coherence_min_shared", 1.5, "/parameters/coherence_min_shared", "illegal"),
        ("/parameters/coherence_min_shared", True, "/parameters/coherence_min_shared", "illegal"),
        ("/parameters/cost_limit_usd", "3", "/parameters/cost_limit_usd", "illegal"),
        ("/parameters/pass_count", ..., "/parameters/pass_count", "illegal"),
        ("/parameters/extra", 1, "/parameters/extra", "unknown"),
        ("/parameters/sample_min", 11, "/parameters/sample_min", "illegal"),
        ("/lists/stop_words", "about", "/lists/stop_words", "wrong_shape"),
        ("/lists/extra", [], "/lists/extra", "unknown"),
        ("/lists/role_map", {"mafia": []}, "/lists/role_map", "wrong_shape"),
        ("/lists/personalities/0", {"key": "x"}, "/lists/personalities", "wrong_shape"),
        ("/lists/patterns", ..., "/lists/patterns", "missing"),
        ("/lists/patterns/accuse", ..., "/lists/patterns/accuse", "wrong_shape"),
        ("/lists/patterns/extra", ["x"], "/lists/patterns/extra", "unknown"),
        ("/lists/patterns/accuse/0", "(", "/lists/patterns/accuse/0", "bad_pattern"),
        ("/lists/patterns/accuse/0", "(a+)+b", "/lists/patterns/accuse/0", "bad_pattern"),
        ("/lists/patterns/accuse/0", "a" * 601, "/lists/patterns/accuse/0", "bad_pattern"),
        ("/lists/patterns/accuse/0", "(?:" * 51 + "x" + ")" * 51, "/lists/patterns/accuse/0", "bad_pattern"),
        ("/lists/patterns/accuse/0", "[[a]", "/lists/patterns/accuse/0", "bad_pattern"),
        ("/lists/patterns/accuse/0", "x[a||b]", "/lists/patterns/accuse/0", "bad_pattern"),
        ("/lists", ..., "", "wrong_shape"),
        ("/criteria/0/weight", "heavy", "/criteria/0/weight", "wrong_shape"),
    ],
)
def test_every_fault_is_named_with_its_place(path: str, value: Any, place: str, code: str) -> None:
    assert (place, code) in problems(changed(path, value))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"[1]",
        b"null",
        b"\xff\xfe",
        b'{"name": NaN}',
        b'{"name": "a", "name": "b"}',
        b"[" * 100_000,
        b"\x00",
    ],
)
def test_what_is_no_version_is_refused_and_never_raises(data: bytes) -> None:
    assert problems(data)


@pytest.mark.parametrize("pattern", [r"\[[a-z]", r"[a\[]", "(a)" * 60, "a||b", r"[a-z&]&&"])
def test_patterns_that_only_look_odd_are_read(pattern: str) -> None:
    assert isinstance(read_version(changed("/lists/patterns/accuse/0", pattern)), RubricRecord)


@pytest.mark.parametrize("key", ["a", "k{}"], ids=["one key", "many keys"])
def test_a_flood_of_criteria_is_refused_in_time(key: str) -> None:
    """What is wrong with twenty thousand criteria takes no longer than their number, and is not all listed."""
    criteria = [{"key": key.format(at), "label": "", "description": "", "weight": -1} for at in range(20_000)]
    data = changed("/criteria", criteria)
    assert len(problems(data)) == 1_000
    assert fits(lambda: problems(data), 2_000)


FIRST_VERSION = first_discussion_version()


RESPONSE = first_response_version()


def with_criterion(index, **changes):
    """The response version with one criterion changed."""
    criteria = list(RESPONSE.criteria)
    criteria[index] = replace(criteria[index], **changes)
    return replace(RESPONSE, criteria=criteria)


def test_a_version_does_not_differ_from_itself_whatever_its_number():
    assert differences(FIRST_VERSION, replace(FIRST_VERSION, version="2.0")) == []


def test_changed_values_are_shown_with_both_readings():
    found = differences(RESPONSE, with_criterion(0, weight=0.4, threshold=6.0))
    label = RESPONSE.criteria[0].label
    assert found == [
        Change("criterion", "weight", "35", "40", label),
        Change("criterion", "threshold", "", "6", label),
    ]


def test_weights_are_left_out_for_whoever_may_not_see_them():
    other = with_criterion(0, weight=0.4)
    assert differences(RESPONSE, other, has_weights=False) == []
    more = replace(RESPONSE, criteria=[*RESPONSE.criteria, Criterion("tone", "Tone", "Its sound", 0.0)])
    label, description = [
        change for change in differences(RESPONSE, more, has_weights=False) if change.part == "criterion"
    ]
    assert (label.name, label.how, label.label) == ("label", "added", "Tone")
    assert (description.name, description.how, description.label) == ("description", "", "Tone")


def test_criteria_come_and_go_and_change_places():
    fewer = replace(RESPONSE, criteria=RESPONSE.criteria[:3])
    assert [(change.label, change.how) for change in differences(RESPONSE, fewer) if change.how] == [
        ("Clarity", "removed")
    ]
    turned = replace(RESPONSE, criteria=RESPONSE.criteria[::-1])
    assert differences(RESPONSE, turned) == [
        Change(
            "version",
            "order",
            "accuracy, completeness, conciseness, clarity",
            "clarity, conciseness, completeness, accuracy",
        )
    ]


def test_parameters_and_entries_of_lists():
    lists = FIRST_VERSION.lists | {
        "weak_keywords": [*FIRST_VERSION.lists["weak_keywords"], "guess*"],
        "stop_words": FIRST_VERSION.lists["stop_words"][::-1],
        "role_map": FIRST_VERSION.lists["role_map"] | {"mafia": FIRST_VERSION.lists["role_map"]["mafia"][1:]},
    }
    other = replace(
        FIRST_VERSION,
        parameters=FIRST_VERSION.parameters | {"pass_count": 6, "coherence_names": False},
        lists=lists,
    )
    found = differences(FIRST_VERSION, other)
    assert found == [
        Change("parameter", "pass_count", "5", "6"),
        Change("parameter", "coherence_names", "yes", "no"),
        Change("list", "weak_keywords", "", "guess*"),
        Change("list", "stop_words", "", ""),
        Change("list", "role_map.mafia", "mafia", ""),
    ]


def scaled(scale: Any, anchors: dict[str, str] | None = None) -> bytes:
    """A response version whose first criterion has that scale."""
    data = json.loads(first_version_bytes("response-1.0"))
    data["criteria"][0] |= {"scale": scale, "anchors": anchors or {}}
    return json.dumps(data).encode()


@pytest.mark.parametrize(
    ("scale", "says"),
    [
        ({"lowest": 5, "highest": 1}, "goes from 5 to 1; the lowest must be below the highest"),
        ({"lowest": 3, "highest": 3}, "goes from 3 to 3"),
        ({"lowest": 1, "highest": 5, "step": 0}, "are 0; they must be above 0"),
        ({"lowest": 1, "highest": 5, "step": -1}, "are -1; they must be above 0"),
        ({"lowest": 0, "highest": 1, "step": 0.3}, "does not reach 1 from 0 in steps of 0.3"),
        ({"lowest": 0, "highest": 1, "step": 2}, "does not reach 1"),
        ({"lowest": 0, "highest": 1, "step": 1e-9}, "has 1,000,000,001 points; 101 are the most"),
        ({"lowest": 0, "highest": 2000}, "a number beyond 1000"),
    ],
)
def test_a_scale_on_which_nothing_can_be_scored_is_refused(scale, says):
    found = read_version(scaled(scale))
    assert [(problem.pointer, problem.code) for problem in found] == [("/criteria/0/scale", "bad_scale")]
    assert says in found[0].message


@pytest.mark.parametrize(
    "scale", [{"lowest": "1", "highest": 5}, {"lowest": 1}, [1, 5], {"lowest": 1, "highest": 5, "top": 9}]
)
def test_what_is_no_scale_is_refused(scale):
    assert [code for _place, code in problems(scaled(scale))] == ["wrong_shape"]


def test_anchors_lie_on_the_scale_of_their_criterion():
    five = {"lowest": 1, "highest": 5}
    assert isinstance(read_version(scaled(five, {"1-2": "bad", "5": "good", "else": "?"})), RubricRecord)
    assert problems(scaled(five, {"1-2": "bad", "9-10": "good"})) == [("/criteria/0/anchors", "beyond_scale")]


def test_criteria_of_games_have_no_scale():
    assert problems(changed("/criteria/0/scale", {"lowest": 1, "highest": 5})) == [
        ("/criteria/0/scale", "unknown")
    ]


def test_a_version_says_the_scales_of_its_criteria_and_earlier_ones_keep_their_bytes():
    record = read_version(scaled({"lowest": 0, "highest": 3, "step": 0.5}))
    assert isinstance(record, RubricRecord)
    assert record.scales["accuracy"].text == "0 to 3 in steps of 0.5"
    assert record.scales["clarity"].text == "1 to 10"
    assert read_version(canonical_bytes(record)) == record
    for name in ("discussion-1.0", "discussion-1.1", "response-1.0", "response-1.1"):
        earlier = read_version(first_version_bytes(name))
        assert isinstance(earlier, RubricRecord)
        assert (earlier.scales, b'scale"' in canonical_bytes(earlier)) == ({}, False)


@pytest.mark.parametrize("file", sorted(FIRST_VERSIONS.glob("*.json")), ids=lambda file: file.stem)
def test_a_shipped_version_has_no_faults_that_are_looked_for_in_others(file):
    kind, _dash, number = file.stem.partition("-")
    shipped = {"discussion": discussion_version, "response": response_version}[kind](number)
    assert read_version(file.read_bytes()) == shipped


def test_a_changed_scale_is_a_difference():
    before, after = first_response_version(), read_version(scaled({"lowest": 0, "highest": 1}))
    assert isinstance(after, RubricRecord)
    label = before.criteria[0].label
    assert Change("criterion", "scale", "", "0 or 1", label) in differences(before, after)


@pytest.mark.parametrize(
    ("before", "after", "cut", "new"),
    [
        ("Names the message it answers.", "Names each message it answers.", ["the"], ["each"]),
        ("Uses a name", "Uses a name or a role", [], ["or a role"]),
        ("One. Two. Three.", "One. Three.", [". Two"], []),
        ("20 %", "25 %", [], []),
        ("alpha", "beta", [], []),
        ("same  words", "same words", [], []),
        ("", "new", [], []),
        ("a " * 1001, "a", [], []),
    ],
)
def test_words_that_differ_are_marked_where_something_stays(before, after, cut, new):
    found = mark_words(before, after)
    assert [before[start:end] for start, end in found[0]] == cut
    assert [after[start:end] for start, end in found[1]] == new


FINE, LARGE = Scale(0, 0.05, 0.001), Scale(0, 5000, 0.25)


@pytest.mark.parametrize(
    ("score", "scales", "said"),
    [
        (None, {"a": LARGE}, ""),
        ("", {"a": LARGE}, ""),
        ("4", {}, "4"),
        (7.5, {}, "7.5"),
        (1234.25, {"a": LARGE}, "1234.25 of 5000"),
        (Fraction(4937, 4), {"a": LARGE}, "1234.25 of 5000"),
        (Fraction(22, 3), {}, "7.33"),
        (Fraction(22, 3), {"a": LARGE}, "7.333 of 5000"),
        (Fraction(1, 30), {"a": FINE}, "0.0333 of 0.05"),
        (7, {"b": FINE}, "7 of 10"),
    ],
)
def test_a_mark_is_written_with_its_decimals_and_the_end_of_its_scale(score, scales, said):
    assert format_mark(score, "a", scales) == said


FOLDER = Path("rubric/versions/first_versions")
VERSIONS = [json.loads((FOLDER / name).read_bytes()) for name in ("discussion-1.2.json", "response-1.2.json")]
FREE = ("label", "description", "question", "guiding_questions", "good_examples", "bad_examples", "advice")


def read(document, **given):
    return read_version(json.dumps(document).encode(), **given)


def list_places(value, path=()):
    """The path of every text in a document."""
    if isinstance(value, str):
        yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, inner in items:
        yield from list_places(inner, (*path, name))


def with_text(document, path, add):
    changed = copy.deepcopy(document)
    place = changed
    for part in path[:-1]:
        place = place[part]
    place[path[-1]] += add
    return changed


@pytest.mark.parametrize("document", VERSIONS, ids=["discussion", "response"])
def test_a_hidden_character_in_any_text_is_refused_at_its_place(document):
    # Keys, numbers and choices are no free texts: what is in them has a fault of its own.
    paths = [
        path
        for path in list_places(document)
        if path[0] in ("name", "source", "lists") or (path[0] == "criteria" and path[2] in (*FREE, "anchors"))
    ]
    # One of each kind of place: of a criterion's texts, and of lists the first text of each.
    kinds = {
        (path[0], *path[2:3]) if path[0] == "criteria" else path: path for path in paths if path[-1] != 1
    }
    paths = [path for path in kinds.values() if "lists" not in path or path[-1] == 0]
    assert len(paths) > 8
    for path in paths:
        changed = with_text(document, path, "\u202e")
        problems = read(changed)
        assert [problem.code for problem in problems] == ["hidden"], path
        assert problems[0].pointer == "/" + "/".join(map(str, path))
        assert "⟨U+202E⟩. Remove it" in problems[0].message
        assert not isinstance(read(changed, is_stored=True), list), path


@pytest.mark.parametrize("hidden", ["\u200b", "\u2066", "\xad", "\ufeff", "\x1b", "\U000e0041", "\xa0"])
def test_other_hidden_characters_are_refused(hidden):
    assert [problem.code for problem in read(with_text(VERSIONS[1], ("criteria", 0, "label"), hidden))] == [
        "hidden"
    ]


@pytest.mark.parametrize("seen", ["é", "…", "“x”", "\n", "\t", "日本", "שלום", "👩\u200d🔬", "नमस्\u200dते"])
def test_what_is_seen_is_read(seen):
    assert not isinstance(read(with_text(VERSIONS[1], ("criteria", 0, "question"), seen)), list)


@pytest.mark.parametrize("name", ["label", "question", "description", "guiding_questions"])
def test_the_editor_shows_it_at_its_field(name):
    base = read(VERSIONS[1])
    texts = draft_texts(base)
    texts[f"c0-{name}"] = "Is it\u202e so?"
    ((field, says),) = read_draft(texts, base)
    assert (field, "⟨U+202E⟩" in says) == (f"c0-{name}", True)
