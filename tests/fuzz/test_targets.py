"""The targets of `make fuzz` hold over their seeds and a few hundred other inputs, and notice a reader that lies."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from rubric.core.records import Flag, RubricRecord
from rubric.reviews.core.answer_record import read_review
from rubric.versions.core.version_json import read_version
from tests.factories.native_games import as_bytes, native_game
from tests.factories.reading import read_transcripts
from tests.fuzz import promises, review, strict_json, transcript, version
from tests.fuzz.mutating import mutated
from tests.fuzz.targets import TARGETS
from workspace.core.strict_json import read_json

SEEDS = {name: target.seeds() for name, target in TARGETS.items()}


@pytest.mark.parametrize("name", TARGETS)
def test_every_seed_keeps_the_promises(name):
    for seed in SEEDS[name]:
        TARGETS[name].check(seed)
    TARGETS[name].check_long(max(SEEDS[name], key=len))


@pytest.mark.parametrize("name", TARGETS)
@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 99), state=st.integers(0, 2**32), extra=st.binary(max_size=20))
def test_what_is_like_a_seed_keeps_the_promises(name, seed, state, extra):
    seeds = SEEDS[name]
    TARGETS[name].run(mutated(seeds[seed % len(seeds)] + extra, Random(state)))


def test_the_same_state_changes_an_input_the_same_way():
    assert SEEDS["review"]
    for seed in SEEDS["review"]:
        changed = {mutated(seed, Random(state)) for state in range(20)}
        assert changed == {mutated(seed, Random(state)) for state in range(20)}
        assert len(changed) > 10


def lying_once(read, lie):
    """A reader whose first answer is changed by `lie`."""
    answers = []

    def reader(*given, **more):
        answers.append(read(*given, **more))
        return answers[-1] if answers[1:] else lie(answers[-1])

    return reader


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"holistic": 4.25}, "a number that nobody wrote"),
        ({"reported_overall": 8.151}, "a number that nobody wrote"),
        ({"holistic": 11}, "what is no score"),
        ({"notes": "a\0"}, "cannot be stored"),
        ({"notes": None}, "it says something else"),
    ],
    ids=str,
)
def test_a_response_that_is_made_up_is_noticed(changes, says):
    def lie(found):
        return replace(found, responses=[replace(found.responses[0], **changes), *found.responses[1:]])

    with pytest.raises(AssertionError, match=says):
        review.check(SEEDS["review"][0], lying_once(read_review, lie))


@pytest.mark.parametrize(
    "changes",
    [
        {"reported_ranking": None},
        {"ranking": [["Response A", "Response A"]]},
        {"flags": [Flag("x", "No sentence")]},
        {"mode": "partial"},
    ],
    ids=str,
)
def test_a_review_that_is_made_up_is_noticed(changes):
    with pytest.raises(AssertionError):
        review.check(SEEDS["review"][0], lying_once(read_review, lambda found: replace(found, **changes)))


def test_a_reader_that_loses_something_in_its_own_words_is_noticed():
    def read(text, labels, rubric):
        return read_review(
            text.replace('"notes": "', '"noted": "') if "```" not in text else text, labels, rubric
        )

    with pytest.raises(AssertionError, match="its own words"):
        review.check(SEEDS["review"][0], read)


def test_a_reader_of_json_that_lies_is_noticed():
    for data, lie in (
        (b"[1]", {"value": [2]}),
        (b"[1", {"is_readable": True}),
        (b"[NaN]", {"problems": [], "problem_count": 0}),
    ):
        strict_json.check(data)
        with pytest.raises(AssertionError):
            strict_json.check(data, lambda given, lie=lie: replace(read_json(given), **lie))


def test_a_reader_of_versions_that_lies_is_noticed():
    def read(data):
        found = read_version(data)
        if isinstance(found, RubricRecord):
            return replace(
                found, criteria=[replace(criterion, threshold=55.5) for criterion in found.criteria]
            )
        return []

    for seed, says in (
        (SEEDS["version"][0], "a number that nobody wrote"),
        (b"{}", "neither a version nor a fault"),
    ):
        with pytest.raises(AssertionError, match=says):
            version.check(seed, read)


@pytest.mark.parametrize(
    "change", [{"game_id": ""}, {"messages": []}, {"prompt": "\ud800"}, {"winner": "nobody"}], ids=str
)
def test_a_reader_of_transcripts_that_lies_is_noticed(change):
    def lie(found):
        return replace(
            found, games=[replace(game, record=replace(game.record, **change)) for game in found.games]
        )

    with pytest.raises(AssertionError):
        transcript.check(as_bytes(native_game(gameId="x")), lying_once(read_transcripts, lie))


def test_what_takes_too_long_is_noticed(monkeypatch):
    assert promises.in_time(len, b"x") == 1
    monkeypatch.setattr(promises, "SECONDS", 0.0)
    monkeypatch.setattr(promises, "SECONDS_PER_MIB", 0.0)
    with pytest.raises(AssertionError, match="1 bytes or characters took"):
        promises.in_time(len, b"x")


def test_many_of_an_input_are_its_bytes_and_one_of_its_lists_many_times_over():
    bare, listed = promises.longer(b'{"a": [1, 2]}')
    assert bare.startswith(b'{"a": [1, 2]}{"a"') and listed.startswith(b'{"a": [1, 2, 1, 2, 1')
    assert min(len(bare), len(listed)) >= promises.LONG_BYTES
    assert len(promises.longer(b"x")) == 1 and promises.longer(b"") == []
