"""How a file holds its games, and in which format: one JSON value, a list, values one after another, or text.

The whole file is checked before any game is read. A file that is not valid JSON to its end is refused as a whole, and
none of its games is imported. The exception are several JSON values, each on a line or not: they are read one by one.
"""

import re
from collections import Counter
from collections.abc import Iterable
from itertools import islice
from typing import Any

import msgspec
from msgspec import Struct, structs

from discussions.core.records import Fault
from discussions.transcripts.core.archives import Member
from discussions.transcripts.core.decoding import Decoded, decode_text, describe_proposals
from discussions.transcripts.core.fields import describe_type, read_value
from discussions.transcripts.core.file_names import printable
from discussions.transcripts.core.formats import FORMATS, INSIDE, JSONL, SEPARATED, Format, Inner, recognise
from discussions.transcripts.core.native_parts import RoleMap
from discussions.transcripts.core.notes import MIB, Limits, ReadOutcome, many_times, refused
from discussions.transcripts.core.readers import yaml_values
from discussions.transcripts.core.readers.agent_traces import are_turns
from discussions.transcripts.core.readers.chat_heads import HEAD_CHARACTERS
from discussions.transcripts.core.readers.columns import LIST as ROWS_LIST
from discussions.transcripts.core.readers.columns import UNKNOWN_COLUMNS, UNKNOWN_TEXT, Columns, has_needed
from discussions.transcripts.core.readers.convokit import explain_part
from discussions.transcripts.core.readers.heads import HEAD_BYTES, MOST_BYTES, propose_mapping, read_head
from discussions.transcripts.core.readers.inner_parts import (
    InnerPart,
    describe_inner_part,
    find_inner_part,
    list_inner_games,
    take_lines,
)
from discussions.transcripts.core.readers.json_cells import with_objects
from discussions.transcripts.core.readers.json_games import (
    UNCLEAR,
    VIEWS,
    are_views,
    explain_pieces,
    is_unclear,
)
from discussions.transcripts.core.readers.json_rows import read_listed
from discussions.transcripts.core.readers.line_templates import LEAST_LINES
from discussions.transcripts.core.readers.separated import find_separators, recognises_recipe
from workspace.core import json_items
from workspace.core.json_faults import Problem
from workspace.core.strict_json import Document, is_too_deep, normalise_text
from workspace.core.words import mark, say

# How much of a file is used to detect its format, if its lines are long.
LONGEST_HEAD = 512 * 1024
HEAD_ITEMS = 20
MOST_SHOWN, MOST_KEYS = 40, 8
ONE, LIST, LINES, VALUES, TEXT, FOLDER = "one", "list", "lines", "values", "text", "folder"

_TOO_LARGE = mark(
    "The file has {size:,.1f} MiB; at most {most:,.0f} MiB are read. Split it into several files."
)
_SEPARATED = mark(
    'Its lines look like messages ("{line}"), but not of a known chat. Say once whether they are, under “Is this the '
    "game?” of the import."
)
_TEXT = mark(
    "The file holds {found}, whose lines are of no known form. If they are messages, say once "
    "how they are written, under “Is this the game?” of the import, such as [{{time}}] {{player}}: {{text}}."
)
_DATABASE = mark(
    "The file is a database, or was written by one. Export its table of messages as CSV, for example with: sqlite3 "
    '-header -csv game.db "select * from messages" > game.csv'
)
_PARQUET = mark(
    'The file is Parquet. Write it as JSON lines, for example with: python -c "import pandas; pandas.read_parquet('
    "'game.parquet').to_json('game.jsonl', orient='records', lines=True)\""
)
# How other files begin.
_FOREIGN = (
    (
        (b"\x89PNG", b"\xff\xd8\xff"),
        mark("The file is a picture. Upload the transcript as text, such as JSON."),
    ),
    ((b"%PDF",), mark("The file is a PDF document. Upload the transcript as text, such as JSON.")),
    (
        (
            b"SQLite format 3",
            b"PRAGMA ",
            b"BEGIN TRANSACTION",
            b"CREATE TABLE",
            b"-- MySQL dump",
            b"--\n-- PostgreSQL",
        ),
        _DATABASE,
    ),
    ((b"PAR1",), _PARQUET),
)
_LIST_OF_LISTS = re.compile(rb"\[\s*+\[")
# Words in brackets, or what a program of Python prints.
_NO_JSON = re.compile(rb"\[[^\[\]{}\",\n]*+\]\s*+[^\s\d\[\]{},:\"'-]|\{'")
_ODD_OR_BROKEN = (msgspec.MsgspecError, ValueError, RecursionError)


class ReadOptions(Struct, frozen=True):
    """How a file is to be read. `named` is the format that a person named; without one, the format is detected.

    `role_map` says which roles belong to a side (the list `role_map` of a rubric version); without one no role is
    reported as unknown. `columns` are mappings that people made, `own` those made for this very file; `encoding` is a
    name of `decoding.ENCODINGS` that a person gave. `formats` are those that are known.
    """

    limits: Limits = Limits()
    role_map: RoleMap = {}
    named: Format | None = None
    columns: Columns = ()
    own: Columns = ()
    encoding: str = ""
    formats: tuple[Format, ...] = FORMATS

    @property
    def known(self) -> tuple[Format, ...]:
        return self.formats if self.named is None else (self.named,)


class Begin(Struct, frozen=True, array_like=True):
    """Where a piece of a file begins in it: how many items or lines precede it, and its line and column."""

    index: int = 0
    line: int = 1
    column: int = 1


class Unit(Struct, frozen=True):
    """A file, or a folder of an archive that is one game, and how it holds its games.

    `name` is for people, `source` the name of a game without an id. `members` are its files in an archive; `data` are
    the bytes of another file. Games that do not show their format have `format`; `parts` are items or lines. If the
    file was cut into pieces, `begin` says where this piece begins; `had_bom` is about the whole file.
    """

    kind: str
    format: Format
    name: str = ""
    source: str = ""
    data: bytes = b""
    members: list[Member] = []
    parts: json_items.Parts | None = None
    begin: Begin = Begin()
    had_bom: bool = False
    # The value of one object that alone is read of it; and the whole value, or the games in it, if they were read.
    inner: Inner | None = None
    document: Document | None = None

    @property
    def game_count(self) -> int:
        """How many games there may be; for text, the number is known only after reading."""
        return 1 if self.parts is None else len(self.parts)


def lay_out(data: bytes, name: str, source: str, options: ReadOptions) -> Unit | ReadOutcome:
    """How the file holds its games, or why none of them is read. Never raises."""
    if len(data) > (most := options.limits.file_bytes):
        return refused(name, "too_large", say(_TOO_LARGE, size=len(data) / MIB, most=most / MIB))
    for begins, sentence in _FOREIGN:
        if data.startswith(begins):
            return refused(name, "not_text", say(sentence))
    if name.lower().endswith(yaml_values.NAMES) and (problem := yaml_values.find_problem(data)):
        return _broken(data, name, Document(problems=[problem], problem_count=1))
    if why := explain_part(name, data):
        return ReadOutcome(faults=[Fault(name, "left_out", why, is_warning=True)])
    found = _lay_out_json(data, options)
    data = data if found else take_lines(data)
    found = found or _lay_out_text(data, options)
    if found is None:
        return _unrecognised(data, name, options)
    return structs.replace(found, name=name, source=source, data=data)


def format_of(value: Any, options: ReadOptions) -> Format | None:
    return options.named or recognise(value, options.formats)


def json_faults(file: str, problems: list[Problem]) -> list[Fault]:
    """Why a text is not strict JSON, as faults of a file: one for each cause, at its first place."""
    if not problems:
        return []
    counts = Counter((problem.code, problem.message) for problem in problems)
    first = {(problem.code, problem.message): problem for problem in reversed(problems)}
    return [
        Fault(
            place=f"{file} line {problem.line} column {problem.column} {problem.pointer}".rstrip(),
            code=problem.code,
            message=many_times(problem.message, counts[cause]),
        )
        for cause, problem in sorted(first.items(), key=lambda item: (item[1].line, item[1].column))
    ]


def _lay_out_json(data: bytes, options: ReadOptions) -> Unit | None:
    begin = json_items.begin_of(data)
    first = data[begin : begin + 1]
    if (options.named is not None and options.named.recognises is None) or first not in (b"[", b"{"):
        return None
    if first == b"[":
        is_table = _LIST_OF_LISTS.match(data, begin)
        return _lay_out_one(data, options) if is_table else _lay_out_list(data, options)
    for known in options.known:
        if known.find_inner and (inner := known.find_inner(data)):
            return Unit(ONE, known, inner=inner)
    if found := _lay_out_lines(data, options):
        return found
    # The first line may be a value of its own where more follow.
    head = list(islice(json_items.each_line(data), 2))
    are_values = len(head) == 2 and _quick_value(data[head[0][0] : head[0][1]], options.limits)[1]
    return None if are_values else _lay_out_one(data, options)


def _lay_out_list(data: bytes, options: ReadOptions) -> Unit | None:
    """Its items are games, or the whole list is one. All items are read here, so that a broken list imports none."""
    limits = options.limits
    quick_items = json_items.split_items(data)
    items = json_items.find_items(data, max_depth=limits.depth) if quick_items is None else quick_items
    if items is None:
        return None
    head = _head_values(data, items, limits)
    whole = recognise(head, options.known)
    if whole is not None:
        return Unit(ONE, whole) if read_value(data, limits).is_readable else None
    formats = [format_of(value, options) for value in head]
    # Events, of which some hold messages, are no games.
    are_events = formats[:1] == [None] and 2 * formats.count(None) > len(head) > formats.count(None)
    if options.named is None and (are_events or explain_pieces(head)):
        return None
    found = options.named
    for start, end in items:
        item = data[start:end]
        # A text that was split quickly is valid JSON syntax, but it may be too deep or not UTF-8.
        if quick_items is not None and is_too_deep(item, limits.depth - 1):
            return None
        if quick_items is None or found is None or not item.isascii():
            value, is_readable = _quick_value(item, limits)
            if not is_readable:
                return None
            found = found or format_of(value, options)
    return Unit(LIST, found, parts=items) if found and len(items) else _lay_out_one(data, options)


def _lay_out_lines(data: bytes, options: ReadOptions) -> Unit | None:
    """Lines that each hold a game: recognised by the first lines, since broken lines are refused individually."""
    if len(list(islice(json_items.each_line(data), 2))) < 2:
        return None
    values = _head_values(data, json_items.each_line(data), options.limits)
    found = _format_of_first(values, options)
    if not found or found.to_native_text or are_turns(values) or explain_pieces(values):
        return None
    lines = json_items.find_lines(data)
    return Unit(LINES, found, parts=lines) if lines else None


def _format_of_first(values: Iterable[Any], options: ReadOptions) -> Format | None:
    """The format of the first of these values that is an object in a known one."""
    objects = (value for value in values if type(value) is dict and value)
    return next(filter(None, (format_of(value, options) for value in objects)), None)


def _lay_out_one(data: bytes, options: ReadOptions) -> Unit | None:
    document = read_value(data, options.limits)
    if not document.is_readable and document.problems[0].code == "trailing":
        # Values that follow one another, recognised by the first ones.
        values = json_items.find_values(data, max_depth=options.limits.depth)
        found = _format_of_first(_head_values(data, values or (), options.limits), options)
        return Unit(VALUES, found, parts=values) if found else None
    if found := format_of(document.value, options):
        return Unit(ONE, found, document=document)
    games = games_inside(document.value, options)
    return Unit(ONE, INSIDE, document=structs.replace(document, value=games)) if games else None


def games_inside(value: Any, options: ReadOptions) -> list[tuple[str, Any]]:
    """The games in a value of no format, each with its pointer; its tables are objects in them (`with_objects`)."""
    whole = with_objects(value)
    is_game = recognise(whole, options.formats) is not None
    return [("", whole)] if is_game else list_inner_games(whole, options.formats)


def _lay_out_text(data: bytes, options: ReadOptions) -> Unit | None:
    decoded = decode_text(data)
    # What a person says of this file is obeyed.
    if decoded and options.named is None and recognises_recipe(decoded, options.own, is_own=True):
        return Unit(TEXT, SEPARATED)
    texts = [known for known in options.known if known.recognises_text and b"\0" not in data[:4]]
    head = _head(decoded) if decoded and texts else ""
    for known in texts if decoded else ():
        if known is options.named or (known.recognises_text and known.recognises_text(head)):
            return Unit(TEXT, known)
    if read_listed(Decoded(data), options.columns):
        return Unit(TEXT, JSONL)
    is_separated = decoded is not None and recognises_recipe(decoded, options.columns)
    return Unit(TEXT, SEPARATED) if is_separated else None


def _head(decoded: Decoded) -> str:
    """The first lines of a text: at least three, unless they are longer than messages may be."""
    head = ""
    for most in (HEAD_CHARACTERS, LONGEST_HEAD):
        head = decoded.head(most)
        head = head if len(head) < most else head[: head.rfind("\n") + 1]
        if head.count("\n") > 2:
            break
    return head


def _quick_value(data: bytes, limits: Limits) -> tuple[Any, bool]:
    """The value of an item or a line, and whether it is JSON at all. Oddities are reported when the value is read."""
    try:
        return msgspec.json.decode(data), True
    except _ODD_OR_BROKEN:
        document = read_value(data, limits, is_item=True)
        return document.value, document.is_readable


def _head_values(data: bytes, places: Iterable[tuple[int, int | None]], limits: Limits) -> list[Any]:
    """The values at the first places; None for one that is no JSON at all."""
    return [_quick_value(data[start:end], limits)[0] for start, end in islice(places, HEAD_ITEMS)]


def _unrecognised(data: bytes, name: str, options: ReadOptions) -> ReadOutcome:
    if options.named and options.named.recognises is None and options.named.recognises_text is None:
        sentence = "A game in the format {name} is a folder of several files. Put it into a zip archive."
        return refused(name, "not_one_file", say(sentence, name=options.named.name))
    document = read_value(data, options.limits)
    begin = json_items.begin_of(data)
    values = () if document.is_readable else json_items.each_value(data, begin, len(data))
    head = _head_values(data, values, options.limits)
    if why := _explain(document, head, options):
        return refused(name, UNKNOWN_COLUMNS if why == say(UNCLEAR) else "pieces", why)
    if len(head) > 1 and all(type(value) is dict for value in head[:2]):
        found = say("JSON lines that begin with {first}", first=_describe(head[0]))
        return _unknown(data, name, found, head[0], options)
    # "[Day 1] Ann: Hello" is not broken JSON.
    is_open = data[begin : begin + 1] in (b"[", b"{") and not _NO_JSON.match(data, begin)
    if not document.is_readable:
        first = document.problems[0]
        decoded = None if options.named or first.line > 1 + data[:begin].count(b"\n") else decode_text(data)
        for _separator, line in find_separators(decoded.head(HEAD_CHARACTERS)) if decoded else ():
            sentence = say(_SEPARATED, line=printable(line))
            return refused(name, UNKNOWN_COLUMNS, sentence)
        if is_open or first.code in ("empty", "encoding"):
            return _broken(data, name, document)
    if document.is_readable and document.value == []:
        return refused(name, "no_games", say("The file is an empty list: it holds no games."))
    if document.is_readable or is_open:
        return _unknown(data, name, _describe(document.value), document.value, options)
    line = normalise_text(data[begin:][: MOST_SHOWN * 4].decode("utf-8", "ignore"))[0].split("\n")[0].strip()
    found = say('text that begins with "{line}"', line=line[:MOST_SHOWN])
    is_asked = options.named is None and sum(map(bool, map(bytes.strip, data.splitlines()))) >= LEAST_LINES
    text = refused(name, UNKNOWN_TEXT, say(_TEXT, found=found)) if is_asked else None
    return text or _unknown(data, name, found, document.value, options)


def _broken(data: bytes, name: str, document: Document) -> ReadOutcome:
    """Why a file is not JSON to its end, and in which encoding it may be."""
    faults = json_faults(name, document.problems)
    if document.problems[0].code == "encoding":
        table = read_head(data[:HEAD_BYTES], is_part=len(data) > HEAD_BYTES)
        says = faults[0].message + describe_proposals(data)
        code = UNKNOWN_COLUMNS if table and ROWS_LIST not in table.settings else "encoding"
        faults = [structs.replace(faults[0], code=code, message=says)]
    left = document.problem_count - len(document.problems)
    return ReadOutcome(faults=faults, fault_count=len(faults) + left)


def _explain(document: Document, head: list[Any], options: ReadOptions) -> str:
    """Why parts of the file, or its first values `head`, are no games, though each could be read; "" for others."""
    if not document.is_readable:
        return explain_pieces(head)
    part, key = document.value, ""
    if type(part) is dict:
        if are_views(part):
            return say(VIEWS)
        inner = find_inner_part(part, options.formats)
        for key in inner.keys if inner and inner.is_list and inner.format else ():
            part = part[key]
    pieces = explain_pieces(part, key) if type(part) is list else ""
    return pieces or (say(UNCLEAR) if options.named is None and is_unclear(document.value) else "")


def _unknown(data: bytes, name: str, found: str, value: Any, options: ReadOptions) -> ReadOutcome:
    """What a file holds, and which part of it could be read by itself or which formats there are."""
    inner = find_inner_part(value, options.formats)
    if inner is None or not inner.format:
        # A list may look like messages by what it holds.
        table = None if len(data) > MOST_BYTES else read_head(data, is_part=False)
        path = table.settings.get(ROWS_LIST, "") if table else ""
        if table and path and has_needed(propose_mapping(table).fields):
            inner = InnerPart(tuple(path.split(".")), is_list=True)
    if inner is not None:
        sentence = say("The file holds {found}. {advice}", found=found, advice=describe_inner_part(inner))
        return refused(name, "unknown_format" if inner.format else UNKNOWN_COLUMNS, sentence)
    known = "; ".join(f"{known.name} ({say(known.looks)})" for known in options.formats)
    sentence = say(
        "The file holds {found}, which is no transcript format we know. Known are: {known}. "
        "Convert the file, or name its format. The page Import has a sample of each; CSV and JSONL files may name "
        "their columns in any way.",
        found=found,
        known=known,
    )
    return refused(name, "unknown_format", sentence)


def _describe(value: Any) -> str:
    if type(value) is dict and value:
        names = ", ".join(printable(key[:MOST_SHOWN]) for key in islice(value, MOST_KEYS))
        more = say(" and {count} more", count=len(value) - MOST_KEYS) if len(value) > MOST_KEYS else ""
        return say("an object with the keys {names}{more}", names=names, more=more)
    if type(value) is list and value:
        first = _describe(value[0]) if type(value[0]) is dict else describe_type(value[0])
        return say("a JSON list that begins with {first}", first=first)
    return say("{type} in JSON", type=describe_type(value))
