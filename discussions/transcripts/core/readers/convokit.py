"""Corpora of ConvoKit: the utterances with what other files of the corpus say of speakers and conversations."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from discussions.transcripts.core.decoding import Decoded
from discussions.transcripts.core.fields import as_object, read_inside
from discussions.transcripts.core.notes import Games, Limits, NewNotes, Notes
from discussions.transcripts.core.readers.columns import Columns, field_of
from discussions.transcripts.core.readers.json_rows import read_rows
from discussions.transcripts.core.readers.rows import read_table
from workspace.core.strict_json import read_json
from workspace.core.words import mark, say

UTTERANCES, SPEAKERS, TALKS = "utterances.jsonl", ("speakers.json", "users.json"), "conversations.json"
_BESIDE = (*SPEAKERS, TALKS, "corpus.json", "index.json")
# Facts of a speaker and of a conversation that rows have, too.
_OF_SPEAKER, _OF_TALK = ("role", "personality"), ("winner",)
_NO_MESSAGES = mark(
    "{name} is a part of a corpus of ConvoKit without messages, so it was left out. In a zip archive with "
    "utterances.jsonl its roles and winners are used."
)


def recognises_files(names: Sequence[str]) -> bool:
    """Whether files are a corpus: the utterances, and others of it beside them."""
    return UTTERANCES in names and not {*_BESIDE}.isdisjoint(names)


def explain_part(name: str, data: bytes) -> str:
    """Why a file of a corpus other than the utterances holds no game; "" for any other file."""
    last = name.replace(": ", "/").rpartition("/")[2]
    value = read_json(data, is_lenient=True).value if last in _BESIDE else None
    if type(value) is not dict:
        return ""
    is_listed = all(type(part) is dict and "meta" in part for part in value.values())
    is_own = is_listed if last in (*SPEAKERS, TALKS) else last == "corpus.json" or "utterances-index" in value
    return say(_NO_MESSAGES, name=last) if is_own else ""


def read_files(files: Mapping[str, bytes], new_notes: NewNotes, columns: Columns) -> Games:
    """The games of a corpus, with roles of its speakers and winners of its conversations. Never raises."""
    unused = Notes("", "", Limits())
    speakers = [_facts(files.get(name, b"{}"), _OF_SPEAKER, unused) for name in SPEAKERS]
    of_speaker, of_talk = speakers[0] | speakers[1], _facts(files.get(TALKS, b"{}"), _OF_TALK, unused)
    lines = []
    for line in files[UTTERANCES].split(b"\n"):
        row = as_object(read_inside(line, UTTERANCES, unused).value) if line.strip() else {}
        named = {field_of(key): str(part) for key, part in row.items() if type(part) in (str, int)}
        more = of_speaker.get(named.get("player", ""), {}) | of_talk.get(named.get("game", ""), {})
        lines.append(msgspec.json.encode(more | row) if row and more else line)
    yield from read_table(read_rows(Decoded(b"\n".join(lines))), new_notes, columns)


def _facts(data: bytes, wanted: tuple[str, ...], notes: Notes) -> dict[str, dict[str, Any]]:
    """What a file of the corpus says of each of its entries, under the known names of columns."""
    entries = as_object(read_inside(data, "", notes).value)
    found = {}
    for name, entry in entries.items():
        about = as_object(as_object(entry).get("meta", entry))
        known = {str(field_of(key)): part for key, part in about.items() if type(part) is str}
        found[name] = {field: part for field, part in known.items() if field in wanted}
    return found
