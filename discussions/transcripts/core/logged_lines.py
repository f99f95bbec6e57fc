"""Lines that programs print of what they hold, as JSON lines: objects, also of Python, and pairs of key and value.

An object may stand after a time and words of a log, and go on below: `20:15:00 [GAME] {"event": "speech", ...}`.
`Event(kind='speech', player='Ann', text='Hi.')` is `{"class": "Event", "kind": "speech", ...}`, and
`2026-01-05T20:15:00Z [info] speech player=Ann text="Hi."` is `{"time": ..., "event": "speech", "player": "Ann", ...}`.
Blocks of `From: Ann` and `Body: Hi.`, between blank lines, are an object each.
"""

import ast
import codecs
import json
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from itertools import pairwise
from typing import Any

from workspace.core.strict_json import read_json

_FIRST, _HEAD, _LONGEST_LINE = 20, 64 * 1024, 100_000
_OBJECT = re.compile(r"[A-Z]\w{0,60}\(\w{1,60}=.*\)")
# `<Role.SEER: 'seer'>` is a member of an enumeration.
_MEMBER = re.compile(r"<[A-Za-z_][\w.]{0,80}: ('[^'\n]{0,200}'|\"[^\"\n]{0,200}\"|-?\d{1,18})>")
_PAIR = re.compile(
    r"(?<!\S)(?P<key>[A-Za-z_][\w.]{0,60})=(?P<value>\"(?:[^\"\\\n]|\\.){0,100000}\"|'(?:[^'\\\n]|\\.){0,100000}'"
    r"|\[[^\[\]\n]{0,2000}\]|[^\s\"'\[]\S{0,500}|(?=\s|\Z))"
)
_TIME = re.compile(
    r"\[?(?P<time>\d{4}-\d\d-\d\d[T ]\d\d:\d\d[\d:.,+Z-]{0,20}|\d{1,2}:\d\d:\d\d(?:[.,]\d{1,6})?)\]?\s{1,9}"
)
_LEVEL = re.compile(
    r"\[?(?:trace|debug|info|notice|warn|warning|error|critical)\s{0,9}\]?[\s:]{1,9}", re.IGNORECASE
)
# What stands before an object: a time or a word in brackets, and then levels and names of modules.
_BEFORE = re.compile(
    rf"(?:{_TIME.pattern}|(?=\[))"
    r"(?P<words>(?:\[(?:[A-Z_ ]{2,40}|[a-z_ ]{2,40})\]|[A-Z]{4,8}\b|[a-z_][\w.]{0,40}:?|[-|:]|\s){0,12})(?=\{)"
)
_LEAST_PAIRS = 2
_FIELD = re.compile(r"(?P<key>[^\W\d_][\w-]{0,30}): {0,9}(?P<value>.*)")
_LEAST_FIELDS, _LEAST_RECORDS = 3, 4
_OTHER = "line"


def as_json_lines(data: bytes, *, is_part: bool = False) -> bytes:
    """The bytes as JSON lines, where most first lines are objects or pairs; of a part, without a cut character."""
    head = data[:_HEAD].decode("utf-8", "ignore")
    writers: list[Callable[[str], Iterator[str]]] = [_write_objects, _write_records]
    writers += [partial(_write_lines, read=read) for read in (_read_object, _read_pairs)]
    for write in writers:
        first = [line for _at, line in zip(range(_FIRST), filter(None, write(head)), strict=False)]
        found = sum(not line.startswith(f'{{"{_OTHER}": ') for line in first)
        if found > 1 and 2 * found > len(first):
            try:
                text = codecs.getincrementaldecoder("utf-8")().decode(data, final=not is_part)
            except UnicodeDecodeError:
                return data
            return "\n".join(write(text)).encode()
    return data


def _write_lines(text: str, read: Callable[[str], dict[str, Any] | None]) -> Iterator[str]:
    """Each line as JSON on a line of the same number; what is no row stands under "line"."""
    for line in text.split("\n"):
        row = read(line) or {_OTHER: line.strip()}
        yield json.dumps(row, ensure_ascii=False) if line.strip() else ""


def _write_objects(text: str) -> Iterator[str]:
    """The same of objects that begin after a time or a word in brackets, each on its first line."""
    decoder, begin = json.JSONDecoder(), 0
    while begin <= len(text):
        end = _end_of_line(text, begin)
        before, value = _BEFORE.match(text, begin, end + 1), None
        if before:
            with suppress(ValueError, RecursionError):
                value, after = decoder.raw_decode(text, before.end())
        if before and type(value) is dict and not text[after : _end_of_line(text, after)].strip():
            words = before["words"].strip(" \t[]:|-")
            known = ("time", before["time"]), ("channel" if "event" in value else "event", words)
            yield json.dumps({key: part for key, part in known if part} | value, ensure_ascii=False)
            yield from [""] * text.count("\n", begin, after)
            end = _end_of_line(text, after)
        else:
            yield from _write_lines(text[begin:end], lambda _line: None)
        begin = end + 1


def _write_records(text: str) -> Iterator[str]:
    """The same of blocks of keys and values that begin with the same key below a blank line."""
    lines = text.split("\n")
    begin = next((line for line in lines if line.strip()), "").partition(":")[0]
    records: dict[int, dict[str, str]] = {}
    first: dict[str, str] = {}
    record, above, last = first, "", ""
    for at, line in enumerate(lines):
        found = _FIELD.fullmatch(line.rstrip())
        if found and found["key"] == begin and not above.strip():
            record = records[at] = {} if records else first
        # What the first one has not goes on with the text above.
        if found and records and found["key"] not in record and (record is first or found["key"] in first):
            last = found["key"]
            record[last] = found["value"]
        elif last in record:
            record[last] += f"\n{line}"
        above = line
    rows = [{key: part.strip() for key, part in record.items()} for record in records.values()]
    if not _are_records(rows):
        yield from _write_lines(text, lambda _line: None)
        return
    written = dict(zip(records, rows, strict=True))
    for at in range(len(lines)):
        yield json.dumps(written[at], ensure_ascii=False) if at in written else ""


def _are_records(rows: list[dict[str, str]]) -> bool:
    """Whether blocks share keys, some whose values come back and some of texts; in a chat, all would be of texts."""
    keys = set(rows[0]).intersection(*rows) if len(rows) >= _LEAST_RECORDS else set()
    told = {key: [row[key] for row in rows] for key in keys}
    texts = [key for key, own in told.items() if sum(part.count(" ") > 2 for part in own) * 2 > len(own)]
    again = [key for key, own in told.items() if key not in texts and 2 * len({*own}) <= len(own)]
    return len(keys) >= _LEAST_FIELDS and bool(again) and 0 < len(texts) <= len(keys) - 2


def _end_of_line(text: str, begin: int) -> int:
    end = text.find("\n", begin)
    return len(text) if end < 0 else end


def _read_object(line: str) -> dict[str, Any] | None:
    """The fields of an object as Python prints it, with the name of its class."""
    line = line.strip()
    if len(line) > _LONGEST_LINE or not _OBJECT.fullmatch(line):
        return None
    try:
        value = _plain(ast.parse(_MEMBER.sub(r"\1", line), mode="eval").body)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return value if isinstance(value, dict) else None


def _plain(node: ast.expr) -> Any:
    """A literal, or the fields of an object in it; what is neither, as it is written."""
    if isinstance(node, ast.Call):
        name = ast.unparse(node.func).rpartition(".")[2]
        return {"class": name} | {given.arg: _plain(given.value) for given in node.keywords if given.arg}
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        return [_plain(item) for item in node.elts]
    if isinstance(node, ast.Dict):
        pairs = zip(node.keys, node.values, strict=True)
        return {str(_plain(key)): _plain(part) for key, part in pairs if key}
    value = node.value if isinstance(node, ast.Constant) else None
    known = value is None or isinstance(value, str | int | float | bool)
    return value if isinstance(node, ast.Constant) and known else ast.unparse(node)


def _read_pairs(line: str) -> dict[str, Any] | None:
    """The pairs of a line, with its time and its event, which stand before them."""
    pairs = list(_PAIR.finditer(line)) if len(line) <= _LONGEST_LINE else []
    if len(pairs) < _LEAST_PAIRS:
        return None
    before = line[: pairs[0].start()]
    time = _TIME.match(before)
    event = _LEVEL.sub("", before[time.end() if time else 0 :], count=1).strip(" \t:|-")
    between = (line[pair.end() : after.start()] for pair, after in pairwise(pairs))
    # Words between pairs belong to a sentence.
    if any(map(str.strip, between)) or line[pairs[-1].end() :].strip() or len(event) > _FIRST * 4:
        return None
    head = ({"time": time["time"]} if time else {}) | ({"event": event} if event else {})
    return head | {pair["key"]: _unquoted(pair["value"]) for pair in pairs}


def _unquoted(value: str) -> Any:
    document = read_json(value.encode(), is_lenient=True) if value[:1] in ('"', "[") else None
    return document.value if document and document.is_readable else value.strip("\"'")
