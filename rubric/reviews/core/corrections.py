"""A reading that a person corrected by hand: the corrected values, and how they apply to the original reading."""

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Struct

from rubric.core.records import ABSTAINED, HOLISTIC, UNREADABLE, Flag, ReviewRecord, RubricRecord
from rubric.reviews.core.answer_json import GivenScores, Names
from rubric.reviews.core.answer_record import MISMATCHES, assemble_record, given_mode

FORMAT = 1


class Correction(Struct, frozen=True):
    """All scores by label and criterion ("holistic" is the holistic score), the ranking, and why it was corrected."""

    scores: dict[str, dict[str, int | float]]
    reason: str
    ranking: list[list[str]] | None = None
    format: int = FORMAT


def parse_correction(body: Mapping[str, Any]) -> Correction | None:
    """The stored correction; None for a reading that nobody corrected."""
    return msgspec.convert(body, Correction) if body else None


def apply_correction(
    record: ReviewRecord, correction: Correction | None, rubric: RubricRecord
) -> ReviewRecord:
    """The reading with the corrected scores and ranking, and a flag; notes, reported overalls and other flags stay."""
    if correction is None:
        return record
    said = {}
    for response in record.responses:
        given = dict(correction.scores.get(response.label, {}))
        whole = given.pop(HOLISTIC, None)
        said[response.label] = GivenScores(given, whole, response.reported_overall, response.notes)
    mode = given_mode(said, correction.ranking, rubric)
    if mode == ABSTAINED:
        mode = record.mode if record.mode == ABSTAINED else UNREADABLE
    told = f"A person corrected this reading: {correction.reason.rstrip('.')}."
    flags = [flag for flag in record.flags if flag.code not in MISMATCHES] + [Flag("corrected", told)]
    return assemble_record(said, correction.ranking, rubric, mode, flags=flags)


def parse_typed_ranking(text: str, labels: list[str]) -> list[list[str]] | None:
    """The places of "B > A = C", by letters or labels; None if a name is unknown or occurs twice."""
    names = Names(labels, is_loose=True)
    places = [[names.match(name.strip()) for name in group.split("=")] for group in text.split(">")]
    found = [[name for name in group if name] for group in places]
    flat = [name for group in found for name in group]
    is_whole = all(len(group) == len(kept) for group, kept in zip(places, found, strict=True))
    return found if is_whole and len(set(flat)) == len(flat) else None
