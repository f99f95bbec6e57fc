"""What there is to judge in one measured game: the bridge from a game and its measurements to the kinds of acts."""

from collections.abc import Mapping
from typing import Any

from discussions.core import kinds
from discussions.core.kinds import Ground, role_value
from discussions.core.records import GameRecord, Measurement, ReferenceFinding
from discussions.core.sentences import split

LONGEST_SUBJECT = 200


def subject_of(reference: ReferenceFinding) -> str:
    """What a judgement of that reference is keyed by: "19.2" is the second sentence of message 19."""
    return f"{reference.message}.{reference.sentence}"


def ground_of(
    game: GameRecord,
    measurements: Mapping[str, Measurement],
    parameters: Mapping[str, Any],
    question_count: int,
) -> Ground:
    """Everything in the game that an evaluator can judge, with the rubric version's `parameters`."""
    references = measurements["memory_accuracy"].references
    phrases = (f"{finding.player}|{finding.phrase}" for finding in measurements["anti_repetition"].phrases)
    return Ground(
        message_count=len(game.messages),
        sentences=tuple(len(split(message.text)) for message in game.messages),
        is_by_message=parameters["reference_unit"] == "message",
        counted=tuple(subject_of(found) for found in references if found.is_counted),
        possible=tuple(subject_of(found) for found in references if not found.is_counted),
        speakers=tuple(sorted({message.player for message in game.messages})),
        phrases=frozenset(phrase for phrase in phrases if len(phrase) <= LONGEST_SUBJECT),
        question_count=question_count,
    )


def inconsistent_messages(measurements: Mapping[str, Measurement]) -> tuple[int, ...]:
    """The messages to which the rules of role consistency object, in order."""
    findings = measurements["role_consistency"].messages
    return tuple(
        finding.message
        for finding in findings
        if role_value(finding.counts, finding.rule) == kinds.INCONSISTENT
    )
