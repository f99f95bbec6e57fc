"""Measuring whole games: properties, real files, extremes.

Arithmetic on stored measurements: every subject, every label, thresholds on whole numbers.
"""

import json
from functools import partial
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.calibration import fits
from discussions.core.records import GameRecord, Measurement, Message, Player, Score
from discussions.metrics.core.memory_accuracy import without_deliberate
from discussions.metrics.core.metric import Judgements
from discussions.metrics.core.parameters import Parameters, get_parameters
from discussions.metrics.core.prepared_game import read
from discussions.metrics.core.registry import (
    METRICS,
    build_diagnostics,
    build_score,
    figure_value,
    measure_game,
    measured_keys,
    passes,
)
from rubric.versions.queries import DISCUSSION_NUMBERS
from tests.discussions.metrics.golden import made_games
from tests.factories.metrics import game, measured, rubric
from tests.factories.reading import read_transcripts

NATIVE = Path(__file__).parents[4] / "shared" / "data" / "native"


WORDS = (
    "i think you is wolf mafia definitely because evidence pattern voted for in round 1 2 last earlier before not if "
    "calm down let's trust suspicious innocent strange players someone said who ? . , ! \n"
).split(" ")


NAMES = ("Agent-Alpha", "Agent-Bravo", "Mary Lee", "Zed")


def sentences(names: tuple[str, ...]) -> st.SearchStrategy[str]:
    """Texts of words that the rules react to, and of names."""
    return st.lists(st.sampled_from([*WORDS, *names]), max_size=14).map(" ".join)


def games(names: tuple[str, ...] = NAMES) -> st.SearchStrategy[GameRecord]:
    """Small games of those players, mafia and village."""
    said = st.lists(st.tuples(st.sampled_from(names), sentences(names), st.integers(1, 3)), max_size=8)
    votes = st.lists(st.tuples(st.integers(1, 3), st.sampled_from(names), st.sampled_from(names)), max_size=4)
    roles = {name: "Mafia" if at % 2 else "Villager" for at, name in enumerate(names)}
    return st.builds(lambda messages, rows: game(messages=messages, roles=roles, votes=rows), said, votes)


def recount(measurement, values, parameters, added=(), sample=()):
    judgements = Judgements(values, parameters, frozenset(added), frozenset(sample))
    return METRICS[measurement.metric].recount(measurement, judgements)


def everything(record: GameRecord, number: str = "1.0") -> bytes:
    """All measurements and diagnostics of a game under a shipped version, as canonical bytes."""
    version = rubric(number=number)
    found = measure_game(record, version)
    return msgspec.json.encode([found, build_diagnostics(record, version, found)], order="sorted")


def test_the_table_is_in_the_rubrics_order() -> None:
    criteria = [criterion.key for criterion in rubric().criteria]
    assert [key for key in METRICS if key in criteria] == criteria


@given(games())
def test_scores_lie_between_0_and_100_and_repeat(record: GameRecord) -> None:
    found = measure_game(record, rubric())
    newest = measure_game(record, rubric(number=DISCUSSION_NUMBERS[-1]))
    for measurement in (*found.values(), *newest.values()):
        assert 0 <= measurement.numerator <= measurement.denominator
        assert figure_value(measurement) is None or 0 <= figure_value(measurement) <= 100
    assert everything(record) == everything(record)
    json.dumps(build_diagnostics(record, rubric(), found), allow_nan=False)


@given(games())
def test_renaming_the_players_changes_no_number(record: GameRecord) -> None:
    """Every name is replaced, in the roster and in the texts, by one of the same shape."""
    renames = {
        "Agent-Alpha": "Agent-Quebec",
        "Agent-Bravo": "Agent-Yankee",
        "Mary Lee": "Ursula Ng Oo",
        "Zed": "Tycho",
    }

    def renamed(text: str) -> str:
        for old, new in renames.items():
            text = text.replace(old, new)
        return text

    other = GameRecord(
        record.game_id,
        [Player(renames[player.name], player.role) for player in record.players],
        [Message(m.position, m.player, renamed(m.text), m.round) for m in record.messages],
        record.votes,
    )
    before, after = measure_game(record, rubric()), measure_game(other, rubric())
    for key, measurement in before.items():
        twin = after[key]
        assert (measurement.numerator, measurement.denominator) == (twin.numerator, twin.denominator)
        assert measurement.counted == twin.counted
        assert [item.rule for item in measurement.messages] == [item.rule for item in twin.messages]
    assert [item.check for item in before["memory_accuracy"].references] == [
        item.check for item in after["memory_accuracy"].references
    ]
    looks = [
        build_diagnostics(game_record, rubric(), found)
        for game_record, found in ((record, before), (other, after))
    ]
    assert looks[0]["coherence"] == looks[1]["coherence"]


@given(games())
def test_a_silent_bystanders_message_changes_only_what_it_should(record: GameRecord) -> None:
    """Somebody whom nobody names says one word at the end: nothing that was found before it changes."""
    players = [*record.players, Player("Quincy", "Villager")]
    without = msgspec.structs.replace(record, players=players)
    said = Message(
        len(record.messages) + 1, len(players), "Hm", record.messages[-1].round if record.messages else 1
    )
    added = msgspec.structs.replace(without, messages=[*record.messages, said])
    before, after = measure_game(without, rubric()), measure_game(added, rubric())
    for key in ("strategic_depth", "coherence", "role_consistency"):
        assert after[key].messages[:-1] == before[key].messages
        assert after[key].denominator == before[key].denominator + 1
    assert after["memory_accuracy"].references == before["memory_accuracy"].references
    assert after["anti_repetition"] == before["anti_repetition"]
    assert after["personality_diversity"].denominator == before["personality_diversity"].denominator + 1


def test_the_order_in_which_games_are_measured_does_not_matter() -> None:
    first, other, _claims = made_games()
    forward = [everything(first), everything(other)]
    get_parameters(rubric()).vocabulary.forget()
    assert [everything(other), everything(first)] == forward[::-1]


@pytest.mark.skipif(not NATIVE.is_dir(), reason="the real transcripts are not here")
def test_real_files_measured_twice_are_byte_equal() -> None:
    files = sorted(NATIVE.glob("*.json"))
    assert len(files) == 41
    for file in files:
        read_games = read_transcripts(file.read_bytes(), file.name).games
        again = read_transcripts(file.read_bytes(), file.name).games
        assert [everything(item.record) for item in read_games] == [everything(item.record) for item in again]
        for item in read_games:
            texts = [message.text for message in item.record.messages]
            for reference in measure_game(item.record, rubric())["memory_accuracy"].references:
                assert texts[reference.message - 1][reference.start : reference.end] == reference.text


@pytest.mark.parametrize(
    "record",
    [
        game(),
        game(roles={"Alpha": "Mafia"}),
        game(messages=[("Alpha", "")]),
        game(messages=[("Alpha", "I think so")]),
        game(messages=[("Alpha", "I think so")] * 3),
        game(messages=[(f"Player {at}", f"Player {at + 1} lies about it") for at in range(200)]),
        game(messages=[("A\u0301", "\x00 \ud800 \u202e A\u0301 \ue001"), (" ", " : "), ("'s", "'s 's")]),
    ],
    ids=[
        "nothing",
        "no message",
        "empty message",
        "one message",
        "one player",
        "200 players",
        "odd characters",
    ],
)
def test_extremes_are_measured(record: GameRecord) -> None:
    found = measure_game(record, rubric())
    assert list(found) == measured_keys(rubric())
    json.dumps(build_diagnostics(record, rubric(), found), allow_nan=False)


SIZE = 200_000


BOMBS = {
    "one word": "a" * SIZE,
    "dots": "." * (SIZE - 1) + "x",
    "dots and quotes": ".\".'" * (SIZE // 4) + "x",
    "spaces": " " * SIZE,
    "apostrophes": "'" * SIZE,
    "quotes": '"' * SIZE,
    "line breaks": "\n" * SIZE,
    "commas": "you are mafia, " * (SIZE // 15),
    "names": "Alpha and Bravo " * (SIZE // 16) + "voted",
    "votes": "Alpha voted for " * (SIZE // 16),
    "voters": "Alpha and " * (SIZE // 20) + "I voted for me and " + "Alpha and " * (SIZE // 20),
    "has": "Alpha " + "has " * (SIZE // 4) + "voted before",
    "i vote to": "i vote " + "to for out " * (SIZE // 11),
    "rounds": "in round " * (SIZE // 9),
    "digits": "in round " + "9" * SIZE,
    "days": "day 1 " * (SIZE // 6),
    "called": "Alpha, " * (SIZE // 8) + "you voted for me",
    "befores": "before " * (SIZE // 7),
    "ifs": "if " * (SIZE // 6) + "earlier " * (SIZE // 16),
    "my fellow": "as a the " * (SIZE // 9),
    "dashes": "\u2014" * SIZE,
    "emoji": "\U0001f600" * SIZE,
    "colons": "Alpha:" * (SIZE // 6),
    "negations": "not " * (SIZE // 4) + "you are mafia",
    "short name": "Al" * (SIZE // 2),
}


@pytest.mark.parametrize("name", BOMBS)
def test_no_text_of_200_000_characters_takes_long(name: str) -> None:
    """What grows faster than the text takes seconds. From version 1.1 on, every clause is read by more patterns."""
    record = game(
        messages=[("Alpha", BOMBS[name], 2)],
        roles={"Alpha": "Villager", "Bravo": "Mafia", "Al": None},
        votes=[(1, "Alpha", "Bravo")],
    )
    for number in DISCUSSION_NUMBERS:
        parameters = get_parameters(rubric(number=number))
        assert fits(partial(measure_by_tokens, record, parameters), 100 if number == "1.0" else 200), number


def measure_by_tokens(record: GameRecord, parameters: Parameters) -> None:
    reading = read(record, parameters)
    for key, metric in METRICS.items():
        if metric.measure and key != "personality_diversity":
            metric.measure(reading, parameters)


PARAMETERS = rubric().parameters


GAME = game(
    messages=[
        ("Alpha", "Earlier you voted for me. Hello, hello all of you.", 2),
        ("Bravo", "I am mafia. As I said before.", 2),
        ("Charlie", "I think it was you in round 1.", 2),
        ("Alpha", "Hello all of you, slow down", 2),
    ],
    roles={"Alpha": "Villager", "Bravo": "Mafia", "Charlie": None},
)


ALL = measure_game(GAME, rubric())


def test_memory_is_pending_until_every_counted_reference_has_a_label() -> None:
    memory = ALL["memory_accuracy"]
    assert recount(memory, {}, PARAMETERS).missing == ["1.1", "3.1"]
    half = recount(memory, {"1.1": "accurate"}, PARAMETERS)
    assert (half.is_pending, figure_value(half), half.missing, passes(half, 80)) == (
        True,
        None,
        ["3.1"],
        None,
    )
    done = recount(memory, {"1.1": "accurate", "3.1": "vague"}, PARAMETERS)
    assert (done.is_pending, figure_value(done), done.missing) == (False, 50.0, [])
    assert done.counts == {"accurate": 1, "inaccurate": 0, "vague": 1, "not_a_reference": 0}


def test_memory_counts_accepted_and_missed_references_and_drops_what_is_none() -> None:
    labels = {"1.1": "accurate", "3.1": "not_a_reference", "2.2": "inaccurate", "4.1": "accurate"}
    score = recount(ALL["memory_accuracy"], labels, PARAMETERS)
    assert (score.numerator, score.denominator) == (2, 3)
    waiting = recount(
        ALL["memory_accuracy"], {"1.1": "accurate", "3.1": "accurate"}, PARAMETERS, added={"2.2"}
    )
    assert (waiting.is_pending, waiting.missing) == (True, ["2.2"])


def test_memory_without_any_reference_left_passes_by_rule() -> None:
    score = recount(ALL["memory_accuracy"], {"1.1": "not_a_reference", "3.1": "not_a_reference"}, PARAMETERS)
    assert (score.is_applicable, figure_value(score), passes(score, 80)) == (False, 100.0, True)


def test_memory_without_the_deliberate_lies() -> None:
    labels = {"1.1": "accurate", "3.1": "inaccurate"}
    score = without_deliberate(ALL["memory_accuracy"], labels, {"3.1"})
    assert (score.numerator, score.denominator, figure_value(score)) == (1, 1, 100.0)


def test_overrides_go_both_ways() -> None:
    depth = ALL["strategic_depth"]
    assert (depth.counted, depth.numerator) == ([1, 3], 2)
    assert recount(depth, {"1": "no", "4": "yes", "2": "yes"}, PARAMETERS).numerator == 3
    late = {**PARAMETERS, "coherence_denominator": "after_first"}
    assert recount(ALL["coherence"], {"1": "yes", "2": "yes"}, PARAMETERS).denominator == 4
    score = recount(ALL["coherence"], {"1": "yes", "2": "yes", "3": "no", "4": "no"}, late)
    assert (score.numerator, score.denominator) == (1, 3)


def test_roles_wait_for_suspects_and_the_sample() -> None:
    roles = ALL["role_consistency"]
    assert [finding.rule for finding in roles.messages] == [
        "gives_reason", "confesses", "unknown_side", "deflects_without_reason",
    ]  # fmt: skip
    assert recount(roles, {}, PARAMETERS).missing == ["2", "4"]
    assert recount(roles, {}, PARAMETERS, sample={"1", "2"}).missing == ["1", "2", "4"]
    labels = {"1": "not_assessable", "2": "consistent", "4": "inconsistent"}
    score = recount(roles, labels, PARAMETERS, sample={"1", "2"})
    assert (score.is_pending, score.numerator, score.denominator) == (False, 1, 4)


def test_an_acceptable_phrase_is_not_repeated() -> None:
    repetition = measured(
        "anti_repetition", game(messages=[("Al", "one two three"), ("Al", "one two three")])
    )
    score = recount(
        repetition, {"1|one two three": "acceptable", "2|one two three": "acceptable"}, PARAMETERS
    )
    assert (score.numerator, score.denominator) == (2, 2)


def test_unique_players_stay_as_measured() -> None:
    assert recount(ALL["personality_diversity"], {"1": "no"}, PARAMETERS) == build_score(
        ALL["personality_diversity"]
    )


@pytest.mark.parametrize(
    ("numerator", "denominator", "threshold", "expected"),
    [
        (1999, 2500, 80.0, False),
        (4, 5, 80.0, True),
        (7996, 10000, 80, False),
        (9, 10, 90.0, True),
        (2, 3, 66.7, False),
    ],
)
def test_thresholds_are_compared_unrounded(
    numerator: int, denominator: int, threshold: float, *, expected: bool
) -> None:
    assert passes(Score("coherence", numerator, denominator), threshold) is expected


def test_nothing_to_divide_by_neither_passes_nor_fails() -> None:
    assert passes(Score("coherence", 0, 0), 70) is None


def said(measurement: Measurement) -> dict[str, str]:
    """The machine's own value for every message."""
    words = ("consistent", "inconsistent") if measurement.metric == "role_consistency" else ("yes", "no")
    return {str(finding.message): words[0 if finding.counts else 1] for finding in measurement.messages}


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["Alpha", "Bravo"]), st.sampled_from(["I think so", "Alpha lies", "calm down"])
        ),
        max_size=8,
    )
)
def test_overriding_to_what_the_machine_said_changes_nothing(messages: list[tuple[str, str]]) -> None:
    found = measure_game(game(messages=messages, roles={"Alpha": "Mafia"}), rubric())
    for key in ("strategic_depth", "coherence", "role_consistency"):
        score = recount(found[key], said(found[key]), PARAMETERS)
        assert (score.numerator, score.denominator) == (found[key].numerator, found[key].denominator)
        assert not score.is_pending


def test_roles_wait_also_when_the_rules_object_to_nothing() -> None:
    found = measure_game(
        game(
            messages=[("Alpha", "Why did you vote for Bravo?", 1)],
            roles={"Alpha": "Villager", "Bravo": "Mafia"},
        ),
        rubric(),
    )
    roles = found["role_consistency"]
    assert [finding.counts for finding in roles.messages] == [True]
    assert recount(roles, {}, PARAMETERS).is_pending
    assert not recount(roles, {"1": "consistent"}, PARAMETERS).is_pending


def test_a_record_that_says_the_same_has_the_same_compiled_parameters():
    known = get_parameters(rubric())
    assert get_parameters(msgspec.structs.replace(rubric())) is known
    words = {**rubric().lists, "weak_keywords": ["perhaps"]}
    assert get_parameters(msgspec.structs.replace(rubric(), lists=words)) is not known
    choices = {**rubric().parameters, "rules": "none"}
    assert get_parameters(msgspec.structs.replace(rubric(), parameters=choices)) is not known
