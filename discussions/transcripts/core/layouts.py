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
from discussions.transcripts.core.decoding import Decoded, decode_text, describe_proposals
from discussions.transcripts.core.fields import describe_type, read_value
from discussions.transcripts.core.file_names import printable
from discussions.transcripts.core.formats import FORMATS, INSIDE, JSONL, SEPARATED, Format, Inner, recognise
from discussions.transcripts.core.native_parts import RoleMap
from discussions.transcripts.core.notes import MIB, Limits, ReadOutcome, many_times, refused
from discussions.transcripts.core.readers.agent_traces import are_turns
from discussions.transcripts.core.readers.columns import LIST as ROWS_LIST
from discussions.transcripts.core.readers.columns import UNKNOWN_COLUMNS, Columns, has_needed
from discussions.transcripts.core.readers.convokit import explain_part
from discussions.transcripts.core.readers.heads import HEAD_BYTES, MOST_BYTES, propose_mapping, read_head
from discussions.transcripts.core.readers.inner_parts import (
    InnerPart,
    describe_inner_part,
    explain_pieces,
    explain_views,
    find_inner_part,
    list_inner_games,
)
from discussions.transcripts.core.readers.json_cells import with_objects
from discussions.transcripts.core.readers.json_rows import read_listed
from discussions.transcripts.core.readers.separated import find_separators, recognises_recipe
from workspace.core import json_items
from workspace.core.json_faults import Problem
from workspace.core.strict_json import Document, is_too_deep, normalise_text
from workspace.core.words import mark, say

# How much of a file is used to detect its format.
HEAD_CHARACTERS = 64 * 1024
LONGEST_HEAD = 8 * HEAD_CHARACTERS
HEAD_ITEMS = 20
MOST_SHOWN, MOST_KEYS = 40, 8
ONE, LIST, LINES, VALUES, TEXT = "one", "list", "lines", "values", "text"

_PICTURE = mark("The file is a picture. Upload the transcript as text, such as JSON.")
_SEPARATED = mark(
    'Its lines look like messages ("{line}"), but the sign between name and text is not that of a chat. Say once '
    'whether they are, under “Is this the game?” of the import, or with --map "separator={separator}".'
)
_FOREIGN = (
    (b"\x89PNG", _PICTURE),
    (b"\xff\xd8\xff", _PICTURE),
    (b"%PDF", mark("The file is a PDF document. Upload the transcript as text, such as JSON.")),
)
_LIST_OF_LISTS = re.compile(rb"\[\s*+\[")
_BOXED_WORDS = re.compile(rb"\[[^\[\]{}\",\n]*+\]\s*+[^\s\d\[\]{},:\"'-]")
_ODD_OR_BROKEN = (msgspec.MsgspecError, ValueError, RecursionError)


class ReadOptions(Struct, frozen=True):
    """How a file is to be read. `named` is the format that a person named; without one, the format is detected.

    `role_map` says which roles belong to a side (the list `role_map` of a rubric version); without one no role is
    reported as unknown. `columns` are mappings that people made, `encoding` is a name of `decoding.ENCODINGS` that a
    person gave. `formats` are those that are known.
    """

    limits: Limits = Limits()
    role_map: RoleMap = {}
    named: Format | None = None
    columns: Columns = ()
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


class Layout(Struct, frozen=True):
    """How a file holds its games. Games that do not show their format have `format`; `parts` are items or lines.

    If the file was cut into pieces, `begin` says where this piece begins; `had_bom` is about the whole file.
    """

    kind: str
    format: Format
    parts: json_items.Parts | None = None
    begin: Begin = Begin()
    had_bom: bool = False
    # The value of one object that alone is read of it; and the whole value, where it was read to lay the file out.
    inner: Inner | None = None
    document: Document | None = None

    @property
    def game_count(self) -> int:
        """How many games there may be; for text, the number is known only after reading."""
        return 1 if self.parts is None else len(self.parts)


def lay_out(data: bytes, name: str, options: ReadOptions) -> Layout | ReadOutcome:
    """How the file holds its games, or why none of them is read. Never raises."""
    if refusal := _refused_at_sight(data, name, options.limits):
        return refused(refusal)
    if why := explain_part(name, data):
        return ReadOutcome(faults=[Fault(name, "left_out", why, is_warning=True)])
    found = _lay_out_json(data, options) or _lay_out_text(data, options)
    if found is None and read_listed(Decoded(data), options.columns):
        return Layout(TEXT, JSONL)
    plain = decode_text(data) if found is None else None
    if plain is not None and recognises_recipe(plain, options.columns):
        return Layout(TEXT, SEPARATED)
    return found or _unrecognised(data, name, options)


def format_of(value: Any, options: ReadOptions) -> Format | None:
    """The format of one decoded JSON value."""
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


def _refused_at_sight(data: bytes, name: str, limits: Limits) -> Fault | None:
    if len(data) > limits.file_bytes:
        size, most = len(data) / MIB, limits.file_bytes / MIB
        sentence = say(
            "The file has {size:,.1f} MiB; at most {most:,.0f} MiB are read. Split it into several files.",
            size=size,
            most=most,
        )
        return Fault(place=name, code="too_large", message=sentence)
    for start, sentence in _FOREIGN:
        if data.startswith(start):
            return Fault(place=name, code="not_text", message=say(sentence))
    return None


def _lay_out_json(data: bytes, options: ReadOptions) -> Layout | None:
    if options.named is not None and options.named.recognises is None:
        return None
    begin = json_items.begin_of(data)
    if data[begin : begin + 1] == b"[":
        is_table = _LIST_OF_LISTS.match(data, begin)
        return _lay_out_one(data, options) if is_table else _lay_out_list(data, options)
    if data[begin : begin + 1] == b"{":
        inner = ((known, known.find_inner(data)) for known in options.known if known.find_inner)
        whole = next((Layout(ONE, known, inner=found) for known, found in inner if found), None)
        return (
            whole
            or _lay_out_lines(data, options)
            or (None if _are_values(data, options) else _lay_out_one(data, options))
        )
    return None


def _lay_out_list(data: bytes, options: ReadOptions) -> Layout | None:
    """Its items are games, or the whole list is one. All items are read here, so that a broken list imports none."""
    limits = options.limits
    quick_items = json_items.split_items(data)
    items = json_items.find_items(data, max_depth=limits.depth) if quick_items is None else quick_items
    if items is None:
        return None
    head = _head_values(data, items, limits)
    whole = recognise(head, options.known)
    if whole is not None:
        return Layout(ONE, whole) if read_value(data, limits).is_readable else None
    if options.named is None and explain_pieces(head):
        return None
    found = options.named
    for start, end in items:
        item = data[start:end]
        # A text that was split quickly is valid JSON syntax, but it may be too deep or not UTF-8.
        if quick_items is not None and is_too_deep(item, limits.depth - 1):
            return None
        if quick_items is None or found is None or not _is_utf8(item):
            value, is_readable = _quick_value(item, limits)
            if not is_readable:
                return None
            found = found or format_of(value, options)
    return Layout(LIST, found, items) if found and len(items) else None


def _lay_out_lines(data: bytes, options: ReadOptions) -> Layout | None:
    """Lines that each hold a game: recognised by the first lines, since broken lines are refused individually."""
    if len(list(islice(json_items.each_line(data), 2))) < 2:
        return None
    values = _head_values(data, json_items.each_line(data), options.limits)
    found = _format_of_first(values, options)
    if not found or found.to_native_text or are_turns(values) or explain_pieces(values):
        return None
    lines = json_items.find_lines(data)
    return Layout(LINES, found, lines) if lines else None


def _format_of_first(values: Iterable[Any], options: ReadOptions) -> Format | None:
    """The format of the first of these values that is an object in a known one."""
    objects = (value for value in values if type(value) is dict and value)
    return next(filter(None, (format_of(value, options) for value in objects)), None)


def _are_values(data: bytes, options: ReadOptions) -> bool:
    """Whether the first line is a value of its own and more follow, so that the whole is not one."""
    head = list(islice(json_items.each_line(data), 2))
    return len(head) == 2 and _quick_value(data[head[0][0] : head[0][1]], options.limits)[1]


def _lay_out_one(data: bytes, options: ReadOptions) -> Layout | None:
    document = read_value(data, options.limits)
    if not document.is_readable and document.problems[0].code == "trailing":
        return _lay_out_values(data, options)
    found = format_of(document.value, options) if document.is_readable else None
    inner = with_objects(document.value) if found is None and options.named is None else None
    if inner is not None and (recognise(inner, options.formats) or list_inner_games(inner, options.formats)):
        found = INSIDE
    return None if found is None else Layout(ONE, found, document=document)


def _lay_out_values(data: bytes, options: ReadOptions) -> Layout | None:
    """Values that follow one another, recognised by the first ones."""
    values = json_items.find_values(data, max_depth=options.limits.depth)
    found = _format_of_first(_head_values(data, values or (), options.limits), options)
    return Layout(VALUES, found, values) if found else None


def _lay_out_text(data: bytes, options: ReadOptions) -> Layout | None:
    if b"\0" in data[:4] or not any(known.recognises_text for known in options.known):
        return None
    decoded = decode_text(data)
    if decoded is None:
        return None
    head = _head(decoded)
    for known in options.known:
        if known.recognises_text and (known is options.named or known.recognises_text(head)):
            return Layout(TEXT, known)
    return None


def _head(decoded: Decoded) -> str:
    """The first lines of a text: at least three, unless they are longer than messages may be."""
    head = ""
    for most in (HEAD_CHARACTERS, LONGEST_HEAD):
        head = decoded.head(most)
        head = head if len(head) < most else head[: head.rfind("\n") + 1]
        if head.count("\n") > 2:
            break
    return head


def _is_utf8(data: bytes) -> bool:
    if data.isascii():
        return True
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


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
        sentence = say(
            "A game in the format {name} is a folder of several files. Put it into a zip archive.",
            name=options.named.name,
        )
        return refused(Fault(place=name, code="not_one_file", message=sentence))
    document = read_value(data, options.limits)
    begin = json_items.begin_of(data)
    if why := _explain(document, data, options):
        return refused(Fault(place=name, code="pieces", message=why))
    # "[Day 1] Ann: Hello" is not broken JSON.
    is_open = data[begin : begin + 1] in (b"[", b"{") and not _BOXED_WORDS.match(data, begin)
    is_json = document.is_readable or is_open
    line = None if document.is_readable else _first_value(data, options)
    if line is not None:
        return _unknown(
            data, name, say("JSON lines that begin with {first}", first=_describe(line)), line, options
        )
    is_broken_at_once = not document.is_readable and document.problems[0].line == 1 + data[:begin].count(
        b"\n"
    )
    if is_broken_at_once and not options.named and (fault := _say_separated(data, name)):
        return refused(fault)
    if not document.is_readable and (is_json or document.problems[0].code in ("empty", "encoding")):
        faults = json_faults(name, document.problems)
        if document.problems[0].code == "encoding":
            table = read_head(data[:HEAD_BYTES], is_part=len(data) > HEAD_BYTES)
            says = faults[0].message + describe_proposals(data)
            code = UNKNOWN_COLUMNS if table and ROWS_LIST not in table.settings else "encoding"
            faults = [structs.replace(faults[0], code=code, message=says)]
        left = document.problem_count - len(document.problems)
        return ReadOutcome(faults=faults, fault_count=len(faults) + left)
    if document.is_readable and document.value == []:
        sentence = say("The file is an empty list: it holds no games.")
        return refused(Fault(place=name, code="no_games", message=sentence))
    found = _describe(document.value) if is_json else _describe_text(data[begin:])
    return _unknown(data, name, found, document.value, options)


def _say_separated(data: bytes, name: str) -> Fault | None:
    """What to ask about a text whose lines have a sign between name and text; None for other texts."""
    decoded = decode_text(data)
    for separator, line in find_separators(decoded.head(HEAD_CHARACTERS)) if decoded else ():
        sentence = say(_SEPARATED, line=printable(line), separator=separator)
        return Fault(place=name, code=UNKNOWN_COLUMNS, message=sentence)
    return None


def _explain(document: Document, data: bytes, options: ReadOptions) -> str:
    """Why the parts of the file are no games, though each could be read; "" for any other file."""
    if document.is_readable and type(document.value) is dict:
        if why := explain_views(document.value):
            return why
        inner = find_inner_part(document.value, options.formats)
        part: Any = document.value
        for key in inner.keys if inner and inner.is_list and inner.format else ():
            part = part[key]
        return explain_pieces(part, inner.keys[-1]) if inner and type(part) is list else ""
    if document.is_readable:
        return explain_pieces(document.value) if type(document.value) is list else ""
    return explain_pieces(
        _head_values(data, json_items.each_value(data, json_items.begin_of(data), len(data)), options.limits)
    )


def _first_value(data: bytes, options: ReadOptions) -> dict[str, Any] | None:
    """The first value if the file begins with two that are JSON objects."""
    first = islice(json_items.each_value(data, json_items.begin_of(data), len(data)), 2)
    values = _head_values(data, first, options.limits)
    return values[0] if len(values) == 2 and all(type(value) is dict for value in values) else None


def _find_messages(data: bytes) -> str:
    """The path of a list that looks like messages by what it holds; "" without one."""
    table = None if len(data) > MOST_BYTES else read_head(data, is_part=False)
    return table.settings.get(ROWS_LIST, "") if table and has_needed(propose_mapping(table).fields) else ""


def _unknown(data: bytes, name: str, found: str, value: Any, options: ReadOptions) -> ReadOutcome:
    """What a file holds, and which part of it could be read by itself or which formats there are."""
    inner = find_inner_part(value, options.formats)
    if (inner is None or not inner.format) and (path := _find_messages(data)):
        inner = InnerPart(tuple(path.split(".")), is_list=True)
    if inner is not None:
        sentence = say("The file holds {found}. {advice}", found=found, advice=describe_inner_part(inner))
        code = "unknown_format" if inner.format else UNKNOWN_COLUMNS
        return refused(Fault(place=name, code=code, message=sentence))
    known = "; ".join(f"{known.name} ({say(known.looks)})" for known in options.formats)
    sentence = say(
        "The file holds {found}, which is no transcript format we know. Known are: {known}. "
        "Convert the file, or name its format. The page Import has a sample of each; CSV and JSONL files may name "
        "their columns in any way.",
        found=found,
        known=known,
    )
    return refused(Fault(place=name, code="unknown_format", message=sentence))


def _describe(value: Any) -> str:
    if type(value) is dict and value:
        names = ", ".join(printable(key[:MOST_SHOWN]) for key in islice(value, MOST_KEYS))
        more = say(" and {count} more", count=len(value) - MOST_KEYS) if len(value) > MOST_KEYS else ""
        return say("a JSON object with the keys {names}{more}", names=names, more=more)
    if type(value) is list and value:
        first = _describe(value[0]) if type(value[0]) is dict else describe_type(value[0])
        return say("a JSON list that begins with {first}", first=first)
    return say("{type} in JSON", type=describe_type(value))


def _describe_text(data: bytes) -> str:
    line = normalise_text(data[: MOST_SHOWN * 4].decode("utf-8", "ignore"))[0].split("\n")[0].strip()
    return say('text that begins with "{line}"', line=line[:MOST_SHOWN])
