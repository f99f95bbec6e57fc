"""Read typed values from JSON objects: a wrong type is a fault that says what was expected and what was found."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from msgspec import Struct

from discussions.transcripts.core.audience import THOUGHT, kind_of_type
from discussions.transcripts.core.notes import Limits, Notes
from workspace.core.strict_json import MAX_DIGITS, Document, NotFinite, read_json
from workspace.core.words import mark, say

# Seconds from 1970 to 2000 and to 2100.
_THIS_CENTURY = 946_684_800, 4_102_444_800
_SINCE_1970 = re.compile(r"(\d{10}(?:\d{3}|\d{6}|\d{9})?)(?:\.(\d{1,9}))?", re.ASCII)
_SCIENTIFIC = re.compile(r"\d(?:\.\d{1,20})?e\+\d\d", re.ASCII)
# How an export calls the type of a value: "stringValue", "$numberInt".
_TYPED = re.compile(r"[a-z]{2,20}Value|\$[a-zA-Z]{2,20}")
_DEEPEST = 64
# Of lists whose places are rows.
_LEAST_ROWS, _LONGEST_NAME = 2, 60
LARGEST = 1_000_000_000
NOTHING = ("", None)
_NAMES = {
    dict: mark("an object"),
    list: mark("a list"),
    str: mark("text"),
    bool: mark("true or false"),
    type(None): "null",
}

_INVISIBLE = re.compile(
    "[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e"
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff]"
)


_RANGE = mark('"{key}" is {value}; a number from 0 to {most:,} was expected. Correct it.')
_TOO_MANY = mark('"{key}" has {count:,} entries; at most {most:,} are read. Leave some out.')
_NOT_FINITE = mark('"{where}" is {found}, which is no number. Write one, or null.')
_WRONG = mark('"{where}" should be {expected}, but {actual} was found. Correct the file.')
_WRONG_ENTRY = mark("Entry {where} should be {expected}, but {actual} was found. Correct the file.")
_TOO_LONG = mark("{what} has {length:,} characters; at most {most:,} are read. Shorten it.")
_TWICE = mark('"{name}" is given twice, in two spellings that differ. Keep one.')


def describe_type(value: Any) -> str:
    if type(value) is str and len(value) > MAX_DIGITS and value.lstrip("-").isdecimal():
        return say("a number of {count:,} digits", count=len(value.lstrip("-")))
    return say(_NAMES.get(type(value), mark("a number")))


def snake_to_camel(key: str) -> str:
    """`player_name` as `playerName`; a key without underscores stays as it is."""
    first, *rest = key.split("_")
    return first + "".join(part[:1].upper() + part[1:] for part in rest)


class Keys(Struct, frozen=True):
    """The keys of one kind of object: our spelling, and the other spellings that are accepted."""

    ours: frozenset[str]
    spellings: dict[str, str]


def keys(names: str) -> Keys:
    """Build from our keys, separated by spaces, and other spellings as `other=ours`."""
    parts = [name.partition("=") for name in names.split()]
    spellings = {other: ours or other for other, _sign, ours in parts}
    return Keys(ours=frozenset(spellings.values()), spellings=spellings)


def known_keys(raw: dict[str, Any], known: Keys, pointer: str, notes: Notes) -> dict[str, Any]:
    """The object under our keys; an unknown key is a warning, two spellings that say different things are a fault."""
    if raw.keys() <= known.ours:
        return raw
    built: dict[str, Any] = {}
    for key, value in raw.items():
        name = known.spellings.get(key) or known.spellings.get(snake_to_camel(key))
        if name is None:
            notes.warn("unknown_key", pointer, key)
        elif name in built and built[name] != value:
            notes.fault("said_twice", pointer, _TWICE, name=name)
        else:
            built[name] = value
    return built


def are_ours(entries: list[Any], known: Keys) -> bool:
    """Whether the objects in a list have keys in our spelling alone."""
    return set().union(*as_objects(entries)) <= known.ours


def read_value(data: bytes, limits: Limits, *, is_item: bool = False) -> Document:
    """One JSON value within the limits; an item is a level deeper than its list."""
    depth, digits = limits.depth - is_item, limits.digits
    return read_json(data, max_depth=depth, max_digits=digits, most_problems=limits.faults, is_lenient=True)


def read_inside(data: bytes | str, place: str, notes: Notes) -> Document:
    """The JSON of a file in a folder, or of a text at a pointer. Its problems are faults."""
    if isinstance(data, str):
        data = data.encode("utf-8", "surrogatepass")
    document = read_value(data, notes.limits)
    for found in document.problems:
        within = found.pointer if place.startswith("/") else f" line {found.line} column {found.column}"
        notes.fault(found.code, place + within, found.message)
    notes.warn_replaced(document.replaced.values(), place)
    return document


def read_text(
    raw: dict[str, Any], key: str, pointer: str, notes: Notes, most: int, *, numbers: bool = False
) -> str | None:
    """The text under a key, None when it is absent, null or empty; with `numbers`, also a number as it is written."""
    value = raw.get(key)
    if type(value) is str and value and len(value) <= most:
        if not value.isprintable():
            note_invisible(value, f"{pointer}/{key}", notes)
        return value
    if value in NOTHING:
        return None
    if numbers and type(value) in (int, float):
        return str(value)
    if type(value) is str:
        too_long(notes, f"{pointer}/{key}", f'"{key}"', len(value), most)
    else:
        wrong_type(notes, f"{pointer}/{key}", "text", value)
    return None


def read_time(raw: dict[str, Any], key: str, pointer: str, notes: Notes) -> str | None:
    """The time under a key, as it is written; of one that counts from 1970, its date in UTC."""
    text = read_text(raw, key, pointer, notes, notes.limits.name_characters, numbers=True)
    if text is None or (type(raw[key]) is str and not (text[:13].isdecimal() and len(text) > 12)):
        # Ten digits that are text may be anything, such as the time that a line of a chat begins with.
        return text
    return as_moment(text)


def as_moment(text: str) -> str:
    """The date of a number of seconds, milliseconds, microseconds or nanoseconds in this century; else the text."""
    if "e+" in text and _SCIENTIFIC.fullmatch(text):
        text = str(int(float(text)))
    found = _SINCE_1970.fullmatch(text)
    seconds, rest = (found[1][:10], found[1][10:] + (found[2] or "")) if found else ("0", "")
    if not _THIS_CENTURY[0] <= int(seconds) < _THIS_CENTURY[1]:
        return text
    moment = datetime.fromtimestamp(int(seconds), UTC).strftime("%Y-%m-%dT%H:%M:%S")
    return f"{moment}.{rest.rstrip('0')}Z".replace(".Z", "Z")


def read_whole_number(raw: dict[str, Any], key: str, pointer: str, notes: Notes) -> int | None:
    """The whole number from 0 under a key, None when it is absent or null."""
    value = raw.get(key)
    if value is None or (type(value) is int and 0 <= value <= LARGEST):
        return value
    if type(value) is not int:
        wrong_type(notes, f"{pointer}/{key}", say("a whole number"), value)
        return None
    notes.fault("out_of_range", f"{pointer}/{key}", _RANGE, key=key, value=value, most=LARGEST)
    return None


def read_flag(raw: dict[str, Any], key: str, pointer: str, notes: Notes) -> bool | None:
    """True, false, or None when it is absent or null."""
    value = raw.get(key)
    if value is None or type(value) is bool:
        return value
    wrong_type(notes, f"{pointer}/{key}", say("true or false"), value)
    return None


def read_list(raw: dict[str, Any], key: str, pointer: str, notes: Notes, most: int) -> list[Any] | None:
    """The list under a key, None when it is absent, null or of the wrong type. Its items are not looked at."""
    value = raw.get(key)
    if value is None:
        return None
    if type(value) is not list:
        wrong_type(notes, f"{pointer}/{key}", say("a list"), value)
        return None
    if len(value) > most:
        notes.fault("too_many", f"{pointer}/{key}", _TOO_MANY, key=key, count=len(value), most=most)
        return None
    return value


def read_entries(
    raw: dict[str, Any], key: str, pointer: str, notes: Notes, most: int, known: Keys | None = None
) -> Iterator[tuple[str, dict[str, Any]]]:
    """The objects of a list with their pointers, under the keys that are known; anything else in it is a fault."""
    entries = read_list(raw, key, pointer, notes, most) or []
    if known is not None and are_ours(entries, known):
        known = None
    for index, entry in enumerate(entries):
        place = f"{pointer}/{key}/{index}"
        if type(entry) is dict:
            yield place, entry if known is None else known_keys(entry, known, place, notes)
        else:
            wrong_type(notes, place, say("an object"), entry)


def as_object(value: Any) -> dict[str, Any]:
    """The value, if it is an object; else an empty one, without a fault."""
    return value if type(value) is dict else {}


def parallel_lists(value: Any) -> list[str]:
    """Keys of lists of one length, of texts and of names that repeat: {"speakers": [...], "messages": [...]}."""
    lists = {key: part for key, part in as_object(value).items() if len(as_list(part)) > _LEAST_ROWS}
    plain = [part for part in lists.values() if all(type(item) is str for item in part)]
    texts = [part for part in plain if 2 * sum(item.count(" ") > 1 for item in part) > len(part)]
    names = [part for part in plain if part not in texts and 1 < len({*part}) < len(part)]
    sizes = {len(part) for part in names if max(map(len, part)) <= _LONGEST_NAME}
    size = next((len(part) for part in texts if len(part) in sizes), 0)
    return [key for key, part in lists.items() if len(part) == size]


def as_list(value: Any) -> list[Any]:
    """The value, if it is a list; else an empty one, without a fault."""
    return value if type(value) is list else []


def as_objects(value: Any) -> list[dict[str, Any]]:
    """The objects of a list; none of anything else."""
    return [item for item in as_list(value) if type(item) is dict]


def plain_value(value: Any, depth: int = 0) -> Any:
    """The value alone under the name of its type, as OTLP, Firestore and MongoDB write it; any other value as it is."""
    if type(value) is not dict or len(value) != 1 or depth > _DEEPEST:
        return value
    ((key, inner),) = value.items()
    if _TYPED.fullmatch(key) is None:
        return value
    held = as_object(inner)
    if key == "arrayValue":
        return [plain_value(item, depth + 1) for item in as_list(held.get("values"))]
    if key in ("kvlistValue", "mapValue"):
        pairs = {str(pair.get("key")): pair.get("value") for pair in as_objects(held.get("values"))}
        pairs |= as_object(held.get("fields"))
        return {name: plain_value(part, depth + 1) for name, part in pairs.items()}
    return inner


def read_object(value: Any, pointer: str, notes: Notes) -> dict[str, Any]:
    """The value, if it is an object; else an empty one, after a fault unless it is absent or null."""
    if type(value) is dict:
        return value
    if value is not None:
        wrong_type(notes, pointer, say("an object"), value)
    return {}


def wrong_type(notes: Notes, pointer: str, expected: str, found: Any) -> None:
    where = pointer.rsplit("/", 1)[-1]
    if type(found) is NotFinite:
        notes.fault("not_finite", pointer, _NOT_FINITE, where=where, found=str(found))
        return
    sentence, named = (_WRONG_ENTRY, int(where) + 1) if where.isdecimal() else (_WRONG, where)
    actual = describe_type(found)
    notes.fault("wrong_type", pointer, sentence, where=named, expected=expected, actual=actual)


def too_long(notes: Notes, pointer: str, what: str, length: int, most: int) -> None:
    notes.fault("too_long", pointer, _TOO_LONG, what=what, length=length, most=most)


def note_invisible(text: str, pointer: str, notes: Notes) -> None:
    """Warn of characters that are invisible or that change the direction of the text."""
    if _INVISIBLE.search(text):
        notes.warn("invisible_characters", pointer)


# The parts of a text with its markup, as Telegram exports it.
_MARKUP = tuple(
    "plain bold italic underline strikethrough link text_link mention mention_name hashtag cashtag bot_command email "
    "phone code pre spoiler custom_emoji blockquote".split()
)


def join_marked(parts: list[Any]) -> str:
    """The text of a list that is one text with its markup; "" for any other list."""
    is_text = any(type(part) is dict for part in parts) and all(
        type(part) is str
        or (type(part) is dict and type(part.get("text")) is str and part.get("type") in _MARKUP)
        for part in parts
    )
    return "".join(part if type(part) is str else part["text"] for part in parts) if is_text else ""


_KINDS = ("type", "kind", "part_kind", "block_type", "content_type")


def read_part(part: Any) -> tuple[str, str | None, bool]:
    """The type of a part of a message, its text, and whether it is a thought."""
    if type(part) is not dict:
        return "unknown", part if type(part) is str else None, False
    kind = next((part[key] for key in _KINDS if type(part.get(key)) is str), "")
    both = (part, as_object(part.get("metadata")))
    flags = {key for given in both for key, value in given.items() if value is True}
    is_thought = kind_of_type(kind) == THOUGHT or any(kind_of_type(key) == THOUGHT for key in flags)
    keys = ("text", "content", kind) if is_thought or kind == "text" else () if "tool" in kind else ("text",)
    told = (as_object(part.get(key)).get("value", part.get(key)) for key in keys)
    text = next((text for text in told if type(text) is str), None)
    return kind or "unknown", text, is_thought
