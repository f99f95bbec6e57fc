"""What the columns of a file with one message per row mean: known names, and mappings that a person made.

A mapping says for each field the name of its column; a field that the file does not have is left out.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from workspace.core.canonical import canonical_hash
from workspace.core.words import say

PLAYER, TEXT = "player", "text"
NEEDED = (PLAYER, TEXT)
MOST_COLUMNS = 200
# The code of the fault of a file that waits for a mapping.
UNKNOWN_COLUMNS = "unknown_columns"

# The spellings of each field, without case, spaces and signs. A name belongs to the first field that lists it.
SPELLINGS: dict[str, tuple[str, ...]] = {
    "game": (
        "game", "gameid", "gameno", "gamenumber", "match", "matchid", "session", "sessionid", "conversation",
        "conversationid", "dialogue", "dialogueid", "dialog", "dialogid", "episode", "episodeid", "chatid",
    ),
    "round": ("round", "roundnumber", "roundno", "day", "daynumber"),
    "phase": ("phase", "channel", "visibility", "audience"),
    PLAYER: (
        "player", "playername", "speaker", "speakername", "name", "agent", "agentname", "author", "sender", "user",
        "username", "participant", "character",
    ),
    TEXT: ("text", "message", "content", "utterance", "speech", "body", "messagetext", "msg"),
    "time": ("time", "timestamp", "datetime", "date", "createdat", "sentat"),
    "id": ("id", "messageid", "msgid", "utteranceid"),
    "turn": ("turn", "turnnumber", "index", "messagenumber"),
    "reply_to": ("replyto", "inreplyto", "inreplytoid", "replytoid", "parentid"),
    "role": ("role", "playerrole", "rolename"),
    "personality": ("personality", "persona", "trait", "traits"),
    "vote": ("vote", "votetarget", "votedfor", "votefor"),
    "winner": ("winner", "winningside"),
}  # fmt: skip
FIELDS = tuple(SPELLINGS)
_FIELD_OF = {spelling: field for field, spellings in SPELLINGS.items() for spelling in spellings}
_SIGNS = re.compile(r"[\W_]+")


class MappingRecord(Struct, frozen=True):
    """A mapping, and the columns of the files that it was made for; without columns it applies to any file."""

    columns: list[str]
    fields: dict[str, str]


def suggest_fields(columns: Sequence[str]) -> dict[str, str]:
    """Field -> column, where a column's name is a known spelling; the first column of a field has it."""
    found: dict[str, str] = {}
    for column in columns:
        field = _FIELD_OF.get(_SIGNS.sub("", column).lower())
        if field is not None:
            found.setdefault(field, column)
    return found


def known_fields(columns: Sequence[str]) -> dict[str, str] | None:
    """The mapping of a file in which all columns have known names, one each; None for any other file.

    A column with an unknown name may be the one that separates games or rounds, so a person is asked.
    """
    found = suggest_fields(columns)
    return found if len(found) == len(columns) and has_needed(found) else None


def has_needed(fields: Mapping[str, str]) -> bool:
    return all(fields.get(field) for field in NEEDED)


def columns_hash(columns: Iterable[str]) -> str:
    """A hash that is equal for files with the same column names, in any order."""
    return canonical_hash(sorted(set(columns)))


def find_fields(columns: Sequence[str], mappings: Iterable[MappingRecord]) -> dict[str, str] | None:
    """What the columns mean: by a mapping that was made for them, else by their names; None when neither applies.

    A mapping also counts for a file that lacks columns of it, as rows of JSON may, but never for one that has more.
    """
    own, rows = set(columns), list(mappings)
    exact = [mapping for mapping in rows if own == set(mapping.columns)]
    wider = [mapping for mapping in rows if own < set(mapping.columns) or not mapping.columns]
    for mapping in (*exact, *wider):
        fields = {field: column for field, column in mapping.fields.items() if column in own}
        if has_needed(fields):
            return fields
    return known_fields(columns)


def parse_fields(texts: Iterable[str]) -> dict[str, str]:
    """Fields written as `player=Speaker,text=Content`. Raises ValueError with a sentence."""
    found: dict[str, str] = {}
    for part in (part.strip() for text in texts for part in text.split(",")):
        field, sign, column = (piece.strip() for piece in part.partition("="))
        if field not in FIELDS or not sign or not column:
            fields = ", ".join(FIELDS)
            raise ValueError(
                f'"{part[:60]}" is no field and column. Write FIELD=COLUMN; the fields are {fields}.'
            )
        if field in found:
            raise ValueError(f'The field "{field}" is given twice. Give it one column.')
        found[field] = column
    if not has_needed(found):
        raise ValueError("The columns of player and text are needed. Write player=COLUMN,text=COLUMN.")
    return found


def describe_unknown(columns: Sequence[str]) -> str:
    """The sentence of the fault of a file that waits for a mapping."""
    shown = ", ".join(f'"{column[:40]}"' for column in columns[:8])
    more = say(" and {columns_count:,} more", columns_count=len(columns) - 8) if len(columns) > 8 else ""
    return say(
        "The names of its columns are not all known: {shown}{more}. Say once what each column is, on the page of the "
        "import or with --map on the command line.",
        shown=shown,
        more=more,
    )
