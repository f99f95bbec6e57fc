"""Small files of the formats that people write themselves, and reading them without a file."""

from collections.abc import Sequence
from types import ModuleType
from typing import Any

import msgspec

from discussions.core.records import Fault, GameRecord, PrivateEntry
from discussions.transcripts.core.decoding import Decoded
from discussions.transcripts.core.formats import read_converted
from discussions.transcripts.core.notes import Limits, Notes
from discussions.transcripts.core.readers.columns import MappingRecord

# A file of rows whose columns are no known names, and what they are.
TABLE = b"who,what,match\nAnn,hello,m1\nBea,yes,m1\nCid,no,m2\nDan,so,m2\n"
COLUMNS = ["who", "what", "match"]
FIELDS = {"player": "who", "text": "what", "game": "match"}

ROLES = {"mafia": ["MAFIA"], "village": ["VILLAGER", "SEER"]}


class Read(msgspec.Struct):
    """One game that was read: its record or None, its faults and warnings, and what not everybody could hear."""

    record: GameRecord | None
    faults: list[Fault]
    warnings: list[Fault]
    private: list[PrivateEntry] = []

    @property
    def said(self) -> list[tuple[str, str]]:
        """Who said what."""
        assert self.record is not None, self.faults
        names = [player.name for player in self.record.players]
        return [(names[message.player - 1], message.text) for message in self.record.messages]

    @property
    def codes(self) -> set[str]:
        """The codes of the warnings."""
        return {warning.code for warning in self.warnings}


def read_text(
    reader: ModuleType, text: str, columns: Sequence[MappingRecord] = (), limits: Limits | None = None
) -> list[Read]:
    """The games of a text."""

    def new_notes() -> Notes:
        return Notes("file.txt", "", limits or Limits(), source="file")

    decoded = Decoded(text.encode("utf-8", "replace"))
    return [_checked(value, notes) for value, notes in reader.to_native_text(decoded, new_notes, columns)]


def read_value(reader: ModuleType, value: Any, limits: Limits | None = None) -> Read:
    """The game of a JSON value."""
    notes = Notes("file.json", "", limits or Limits(), source="file")
    return _checked(reader.to_native(value, notes), notes)


def _checked(value: Any, notes: Notes) -> Read:
    record = read_converted(value, notes, ROLES)
    return Read(record=record, faults=notes.faults, warnings=notes.warnings(), private=notes.private)


def inspect_sample(**changes: Any) -> dict[str, Any]:
    """A sample as Inspect AI logs it, of two agents who speak in turn; made up for the tests."""
    spans = [
        {"event": "span_begin", "id": "s0", "parent_id": None, "type": "solver", "name": "game"},
        {"event": "span_begin", "id": "s1", "parent_id": "s0", "type": "agent", "name": "Ann"},
        {"event": "span_begin", "id": "s2", "parent_id": "s1", "type": "tool", "name": "vote"},
        {"event": "span_begin", "id": "s3", "parent_id": "s0", "type": "agent", "name": "Bea"},
    ]
    said = [
        _inspect_message("m1", "Bea was quiet."),
        _inspect_message("m2", "I listen."),
        _inspect_message("m3", "So you say."),
    ]
    calls = [
        {
            "event": "model",
            "span_id": span,
            "timestamp": f"2026-01-01T10:00:0{index}+00:00",
            "output": {"choices": [{"message": message}]},
        }
        for index, (span, message) in enumerate(zip(("s2", "s3", "s1"), said, strict=True))
    ]
    sample: dict[str, Any] = {
        "id": "g1",
        "epoch": 1,
        "uuid": "abcdefghijkl",
        "input": "Play.",
        "target": "",
        "messages": [{"role": "user", "content": "Play.", "source": "input"}, *said],
        "scores": {"won": {"value": 1}},
        "metadata": {"roles": {"Ann": "SEER", "Bea": "MAFIA"}, "personalities": {"Bea": "calm"}},
        "events": [*spans, *calls],
        "attachments": {},
        "model_usage": {
            "one": {
                "input_tokens": 60,
                "output_tokens": 5,
                "input_tokens_cache_read": 40,
                "total_cost": 0.25,
            },
            "two": {"input_tokens": 100, "output_tokens": 5, "total_cost": 0.5},
        },
    }
    return sample | changes


def _inspect_message(number: str, content: Any) -> dict[str, Any]:
    return {
        "id": number,
        "role": "assistant",
        "content": content,
        "source": "generate",
        "model": "some/model",
    }
