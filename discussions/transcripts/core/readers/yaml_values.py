"""YAML as JSON, on the lines that it has: the reader of JSON finds what is wrong with the values.

Only what JSON knows is read: other words stay as they are written (`yes`, `12:30`, `007`), and other tags are refused.
"""

import json
import re
from typing import Any

import yaml  # noqa: TID251  its events alone are read: no value is built of a tag

from workspace.core.json_faults import Places, Problem
from workspace.core.strict_json import read_json
from workspace.core.words import mark, say

NAMES = (".yaml", ".yml", ".yaml.gz", ".yml.gz")
# What is read of a file, and what aliases may repeat of it.
MOST_BYTES = 4 * 1024 * 1024
_DEEP, _LEAST = 2, 4
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_MAY_BE = re.compile(rb"^ {0,80}(?:-(?: |--|\r?\n)| {4}[^\s:][^\n:]{0,99}:\s)", re.MULTILINE)
_OTHER = re.compile(rb"(?:\xef\xbb\xbf)?\s*+[\[{<]")
_NO_TEXT = re.compile(
    r"(?P<number>-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)|(?P<null>~|[nN]ull|NULL|)|(?P<true>[tT]rue|TRUE)"
    r"|(?P<false>[fF]alse|FALSE)|(?P<NaN>\.(?:nan|NaN|NAN))|(?P<Infinity>[-+]?\.(?:inf|Inf|INF))"
)
_TAG = re.compile(r"!?|tag:yaml\.org,2002:(?:(?P<text>str)|int|float|bool|null|seq|map)")
_NOT_YAML = mark(
    'This is not YAML: {why}. Indent by spaces alone, and put texts with ": " or " #" between quotes; or write JSON.'
)
_TOO_LARGE = mark("The file is YAML of more than {most} MiB. Split it, or write it as JSON lines.")
_NO_TAG = mark("{what} is no tag that is read. Remove it, or write the file as JSON.")
_NO_KEY = mark("A key is a list, an object or an alias. Write the key as text.")
_NO_ALIAS = mark(
    "*{what} repeats nothing above it, or too much. Write out what it stands for, or write JSON."
)


def as_json(data: bytes, *, is_part: bool = False) -> bytes:
    """The bytes as JSON, each document a value, if they are YAML whose text is mostly in rows; of a part, no rows."""
    if len(data) > MOST_BYTES or not _may_be(data):
        return data
    documents, problem = _write(data, "ignore" if is_part else "strict")
    # A part may end anywhere.
    is_whole = problem is None or (is_part and problem.line > data.count(b"\n"))
    if not is_whole or not _are_rows([read_json(text, is_lenient=True).value for _line, text in documents]):
        return data
    if is_part or len(documents) == 1:
        return b"{}" if is_part else documents[0][1]
    lines, above = [], documents[0][0]
    for line, text in documents:
        lines.append(b"\n" * (line - above) + text.replace(b"\n", b" "))
        above = line
    return b"".join(lines)


def find_problem(data: bytes) -> Problem | None:
    """Why bytes that are called YAML are none, or cannot be read."""
    if not _may_be(data):
        return None
    if len(data) > MOST_BYTES:
        return Problem("too_large", say(_TOO_LARGE, most=MOST_BYTES // 1024 // 1024))
    documents, problem = _write(data)
    found = (one for _line, text in documents for one in read_json(text, is_lenient=True).problems[:1])
    return problem or next(found, None)


def _may_be(data: bytes) -> bool:
    return not _OTHER.match(data) and _MAY_BE.search(data) is not None


def _are_rows(documents: list[Any]) -> bool:
    """Whether most text is in lists of lists or of objects of several keys ("- Ann: Hi." is chat), deep, or in rows."""
    counts = {True: 0, False: 0}
    objects = [one for one in documents if type(one) is dict and len(one) > 1]
    keys = set(objects[0]).intersection(*objects) if len(documents) == len(objects) >= _LEAST else ()
    # What each document has, and half of them alike: who speaks, the round. What is said differs.
    are_rows = any(2 * len({str(one[key]) for one in objects}) <= len(objects) for key in keys)
    parts = [(one, 0, are_rows) for one in documents]
    for part, depth, is_row in parts:
        if type(part) is list:
            parts += [(one, 0, is_row or (type(one) in (dict, list) and len(one) > 1)) for one in part]
        elif type(part) is dict:
            parts += [(one, depth + 1, is_row or depth >= _DEEP) for one in part.values()]
        elif type(part) is str:
            counts[is_row] += len(part)
    return counts[True] > counts[False]


def _write(data: bytes, errors: str = "strict") -> tuple[list[tuple[int, bytes]], Problem | None]:
    """Each document as JSON, with the line where it begins, up to what is no YAML; and what that is."""
    writer, problem = _Writer(), None
    try:
        for event in yaml.parse(data.decode("utf-8-sig", errors), Loader=_LOADER):
            writer.take(event)
    except UnicodeDecodeError:
        return [], read_json(data).problems[0]
    except yaml.reader.ReaderError as fault:
        why = say(_NOT_YAML, why=f"U+{fault.character:04X}")
        before = data[: fault.position].decode("utf-8-sig", "ignore")
        return [], Problem("control_character", why, *Places(before).line_and_column(len(before)))
    except yaml.MarkedYAMLError as fault:
        at: Any = fault.problem_mark or fault.context_mark
        why = say(_NOT_YAML, why=fault.problem) if fault.problem else str(fault.context)
        problem = Problem("syntax", why, at.line + 1, at.column + 1)
        writer.close()
    return writer.documents, problem


def _refused(event: Any, sentence: str, what: str = "") -> yaml.MarkedYAMLError:
    """What JSON has not; the context is the whole sentence."""
    return yaml.MarkedYAMLError(say(sentence, what=what), None, None, event.start_mark)


class _Writer:
    """Writes what is read as JSON; `open` holds how each open list or object ends, how much it has, and its anchor."""

    def __init__(self) -> None:
        self.documents: list[tuple[int, bytes]] = []
        self._out: list[str] = []
        self._open: list[list[Any]] = []
        self._line = self._begin = self._repeated = 0
        self._anchors: dict[str | None, tuple[int, int]] = {}

    def take(self, event: Any) -> None:
        if isinstance(event, yaml.DocumentEndEvent):
            self.close()
        elif isinstance(event, yaml.CollectionEndEvent):
            sign, _count, anchor, start = self._open.pop()
            self._out.append(sign)
            self._anchors[anchor] = start, len(self._out)
        elif isinstance(event, yaml.NodeEvent):
            is_key, start = self._separate(event), len(self._out)
            if isinstance(event, yaml.CollectionStartEvent):
                signs = "[]" if isinstance(event, yaml.SequenceStartEvent) else "{}"
                self._out.append(signs[0])
                self._open.append([signs[1], 0, event.anchor, start])
            elif isinstance(event, yaml.AliasEvent):
                self._out.append(self._repeat(event))
            else:
                self._out.append(_scalar(event, is_key=is_key))
                self._anchors[event.anchor] = start, start + 1

    def close(self) -> None:
        """End the document, even where its text breaks off."""
        for sign, count, *_ in reversed(self._open):
            self._out.append((":null" if sign == "}" and count % 2 else "") + sign)
        if (text := "".join(self._out)) not in ("", "null"):
            self.documents.append((self._begin, text.encode()))
        self._out, self._open, self._anchors = [], [], {}

    def _separate(self, event: Any) -> bool:
        """Write what stands before a part, up to its line; and whether it is a key."""
        at, (sign, count, *_) = event.start_mark, self._open[-1] if self._open else ("", 0)
        is_key = sign == "}" and count % 2 == 0
        if is_key and not isinstance(event, yaml.ScalarEvent):
            raise _refused(event, _NO_KEY)
        if not _TAG.fullmatch(tag := getattr(event, "tag", None) or ""):
            raise _refused(event, _NO_TAG, tag)
        if self._open:
            self._out.append(":" if sign == "}" and not is_key else "," if count else "")
            self._open[-1][1] += 1
            if at.line > self._line:
                self._out.append("\n" * (at.line - self._line) + " " * at.column)
        else:
            self._begin = at.line
        # The first value begins the text.
        self._line = at.line if self._open or self.documents else 0
        return is_key

    def _repeat(self, event: Any) -> str:
        start, end = self._anchors.get(event.anchor, (0, 0))
        repeated = "".join(self._out[start:end]).replace("\n", " ")
        self._repeated += len(repeated)
        if not repeated or self._repeated > MOST_BYTES:
            raise _refused(event, _NO_ALIAS, event.anchor)
        return repeated


def _scalar(event: Any, *, is_key: bool) -> str:
    tag = _TAG.fullmatch(event.tag or "")
    is_text = is_key or (tag and tag["text"]) or not (event.implicit[0] or len(event.tag or "") > 1)
    found = None if is_text else _NO_TEXT.fullmatch(event.value)
    if found is None:
        return json.dumps(event.value, ensure_ascii=False)
    return event.value if found["number"] else str(found.lastgroup)
