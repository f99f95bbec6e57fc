"""The rubric's own examples, measured by a version: what the rubric says of a text, and what the version makes of it.

Source: the Quality Evaluation Rubric 1.0, metrics 1, 3, 4 and 6.
"""

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from discussions.core.judgement_kinds import COHERENCE, ROLE_CONSISTENCY
from discussions.core.outcome import MEMORY, REPETITION
from discussions.core.records import GameRecord, Message, Player
from discussions.metrics.core.parameters import read_parameter
from discussions.metrics.core.registry import (
    build_diagnostics,
    build_score,
    figure_value,
    measure_game,
    measured_keys,
)
from rubric.core.records import RubricRecord
from workspace.core.text import figure

VAGUE, PATTERN, THINK, VOTE, NEUTRAL = "vague", "pattern", "think", "vote", "neutral"
VOTING = ("I looked at the voting pattern.", "A pattern analysis would help.")
SAID, WEATHER = "Someone said that Delta lied.", "Nice weather today."
_NAMES = ("Alpha", "Bravo", "Charlie", "Delta", "Echo", "Foxtrot")


class MeasuredExample(Struct, frozen=True):
    """`outcome` names what the version makes of the example, `values` are the numbers in its sentence."""

    key: str
    metric: str
    outcome: str
    values: Mapping[str, object] = {}


def measure_examples(rubric: RubricRecord) -> Iterator[MeasuredExample]:
    """What the version makes of each example, in the order of the metrics; only of metrics that it has."""
    keys = measured_keys(rubric)
    yield MeasuredExample(VAGUE, MEMORY, _find_reference(rubric))
    if COHERENCE in keys:
        found = measure_game(_build(VOTING), rubric)[COHERENCE].messages[-1]
        needed = {"needed": int(rubric.parameters["coherence_min_shared"])}
        yield MeasuredExample(PATTERN, COHERENCE, "coherent" if found.counts else "not_coherent", needed)
    if ROLE_CONSISTENCY in keys:
        finding = measure_game(_build((WEATHER,)), rubric)[ROLE_CONSISTENCY].messages[0]
        yield MeasuredExample(NEUTRAL, ROLE_CONSISTENCY, finding.machine_value(ROLE_CONSISTENCY))
    if REPETITION in keys:
        votes = [f"I vote {_NAMES[1 + at % 5]}." for at in range(50)]
        yield _measure_phrases(THINK, _repeat_opening(), rubric)
        yield _measure_phrases(VOTE, votes, rubric)


def _find_reference(rubric: RubricRecord) -> str:
    found = measure_game(_build((SAID,)), rubric)[MEMORY].references
    if not found:
        return "not_found"
    if found[0].is_counted:
        return "counted"
    return str(read_parameter(rubric.parameters, "suggested_references"))


def _measure_phrases(key: str, texts: list[str], rubric: RubricRecord) -> MeasuredExample:
    """The score of anti-repetition for one agent's messages."""
    game = _build(texts)
    measurements = measure_game(game, rubric)
    measurement = measurements[REPETITION]
    if not build_score(measurement).is_applicable:
        return MeasuredExample(key, REPETITION, "not_applicable")
    robotic = build_diagnostics(game, rubric, measurements)[REPETITION]["robotic"]
    score = figure_value(measurement) or 0.0
    passes = score >= (rubric.criterion(REPETITION).threshold or 0.0)
    outcome = "passes" if passes else "fails"
    return MeasuredExample(
        key, REPETITION, f"{outcome}_robotic" if robotic else outcome, {"score": figure(score)}
    )


def _repeat_opening() -> list[str]:
    """50 messages of twelve words, of which 15 begin with "I think" and a name; nothing else is said twice."""
    opened = [f"I think {_NAMES[1 + at % 5]}" if at < 15 else f"a{at} b{at} c{at}" for at in range(50)]
    return [
        f"{opening} {' '.join(f'{letter}{at}' for letter in 'defghijkl')}."
        for at, opening in enumerate(opened)
    ]


def _build(texts: Sequence[str]) -> GameRecord:
    """A game of villagers in which the first says all of it."""
    return GameRecord(
        game_id="examples",
        players=[Player(name, "Villager", None) for name in _NAMES],
        messages=[Message(at, 1, text, 2) for at, text in enumerate(texts, start=1)],
        votes=[],
    )
