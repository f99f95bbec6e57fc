"""XML and HTML as JSON lines: a row for each element that comes back, with its attributes and its cells.

`<talk type="wolf" by="ann">Hi.</talk>` in `<day n="2">` is `{"event": "talk", "day": {"n": "2"}, "type": "wolf", "by":
"ann", "text": "Hi."}`. Of HTML the class says what an element is. Texts of JSON may be written in HTML, too.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from html import unescape
from html.parser import HTMLParser
from typing import Any

import msgspec
from msgspec import Struct

from discussions.transcripts.core.audience import is_hidden

_LARGEST, _DEEPEST, _LEAST = 4 * 1024 * 1024, 64, 3
_BEGIN = re.compile(rb"\s*+<(?:[?!]|(?P<tag>\w[\w:.-]*+)[^>]*+>)")
# How a tag and its attributes are written.
_NAMES = re.compile(r"[\w:.-]+(?=\s*=)|(?<=\A<)[\w:.-]+")
# How a part of a text ends in HTML, also in JSON, and strings of JSON that may hold some.
_HTML_END = re.compile(rb"<\\?/(?:span|div|blockquote|p|font|a|b|i|strong|em|li|ul|small)>|<br ?\\?/?>")
_STRING = re.compile(rb'"(?:[^"\\&<]|\\.)*+[&<](?:[^"\\]|\\.)*+"')
# What has no end, what stands on lines of its own in a text, what else a text has, and what a page is built of.
_VOID = frozenset("br img hr meta link input wbr source".split())
_LINES = frozenset("br li p ul ol".split())
_INLINE = (
    _VOID | _LINES | frozenset("a b i u s em strong span font small sup code del q cite blockquote".split())
)
_GENERIC = _LINES | frozenset("td th tr div span dd dt section article table tbody main a b i em".split())
_UNSEEN = frozenset(("head", "script", "style"))
_PAGE = (
    _INLINE | _GENERIC | _UNSEEN | frozenset("html body title h1 h2 h3 h4 h5 h6 header footer pre".split())
)
_LOOKS = frozenset(
    "class style href src colspan rowspan title color align width height rel target lang".split()
)
# A sign alone in these is a picture beside a name; thoughts may stand in the others.
_ICONS, _SLANTED = ("font", "i", "span"), ("i", "em", "small", "s", "del")


class _Node(Struct, eq=False):
    """An element: what it is called, its classes, its attributes without how it looks, and what is in it, in order."""

    tag: str
    key: str = ""
    classes: list[str] = []
    own: dict[str, str] = {}
    inside: list["_Node | str"] = []

    @property
    def nodes(self) -> "list[_Node]":
        return [one for one in self.inside if isinstance(one, _Node)]

    @property
    def parts(self) -> "list[_Node]":
        """The elements in it that are more than a part of its text."""
        nodes = (one for one in self.nodes if one.tag not in _UNSEEN)
        return [one for one in nodes if one.tag not in _INLINE or one.classes or one.parts]


class _Reader(HTMLParser):
    """Builds the elements; an end without a beginning counts for nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.open = [_Node("")]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if len(self.open) > _DEEPEST:
            raise ValueError
        if tag in _LINES and self.open[-1].tag == tag:
            self.open.pop()
        written = {name.lower(): name for name in _NAMES.findall(self.get_starttag_text() or "")}
        own = {written.get(name, name): value or "" for name, value in attrs}
        classes = own.pop("class", "").split()
        is_called = bool(classes) and tag in _GENERIC
        looks = _LOOKS if tag in _PAGE else ()
        own = {name: value for name, value in own.items() if name not in looks}
        own |= {"class": more} if (more := " ".join(classes[is_called:])) else {}
        node = _Node(tag, classes[0] if is_called else written.get(tag, tag), classes, own)
        self.open[-1].inside.append(node)
        if tag not in _VOID:
            self.open.append(node)

    def handle_endtag(self, tag: str) -> None:
        at = next((at for at in range(len(self.open) - 1, 0, -1) if self.open[at].tag == tag), 0)
        del self.open[at or len(self.open) :]

    def handle_data(self, data: str) -> None:
        self.open[-1].inside.append(data)

    def unknown_decl(self, data: str) -> None:
        self.handle_data(data.removeprefix("CDATA["))


def _read(text: str) -> _Node:
    """What holds the elements of a text; nothing of one that is nested too deep or no markup."""
    reader = _Reader()
    try:
        reader.feed(f"{text} ")
    except (ValueError, AssertionError):
        return _Node("")
    # A sign that begins no tag is a part of the text.
    reader.handle_data(unescape(reader.rawdata))
    return reader.open[0]


def without_html(data: bytes) -> bytes:
    """JSON whose texts are written in HTML, with these as people see them, without what they quote.

    Tags of no HTML, and those that say who could hear what is in them, stay.
    """
    return _STRING.sub(_plain_string, data) if data[:1] in (b"{", b"[") and _HTML_END.search(data) else data


def _plain_string(found: "re.Match[bytes]") -> bytes:
    with suppress(msgspec.MsgspecError, UnicodeError):
        root = _read(written := msgspec.json.decode(found[0], type=str))
        nodes = [*_each(root, is_whole=True)]
        if all(one.tag in _INLINE | _GENERIC and not any(map(is_hidden, one.classes)) for one in nodes):
            return msgspec.json.encode(_text_of(root) if nodes else unescape(written))
    return found[0]


def _text_of(node: _Node) -> str:
    lines = "".join(_pieces(node)).split("\n")
    return "\n".join(filter(None, (" ".join(line.split()) for line in lines)))


def _pieces(node: _Node) -> Iterator[str]:
    for one in node.inside:
        if isinstance(one, str):
            yield one
        elif one.tag not in (*_UNSEEN, "blockquote") and (one.tag not in _ICONS or _has_words(_pieces(one))):
            is_line = one.tag in _LINES or one.tag not in _INLINE
            sign = "\n" if is_line else "*" if one.tag in _SLANTED else ""
            yield from (sign, *_pieces(one), sign)


def _has_words(pieces: Iterable[str]) -> bool:
    return any(map(str.isalnum, "".join(pieces)))


def as_rows(data: bytes) -> bytes:
    """The bytes as JSON lines, if they are XML or HTML with rows; as a text, if only tags of a page are around it."""
    begin = _BEGIN.match(data.removeprefix(b"\xef\xbb\xbf"))
    if not begin or len(data) > _LARGEST or (begin["tag"] and b"</" + begin["tag"] not in data):
        return data
    root = _read(data.decode("utf-8", "replace"))
    if not root.nodes or _has_words(one for one in root.inside if isinstance(one, str)):
        return data
    rows = [*_rows(root)]
    cells = [cell for row in rows for key, cell in row.items() if isinstance(cell, str) and key != "event"]
    text = _text_of(root)
    if len(rows) >= _LEAST and 5 * sum(map(len, cells)) >= 4 * len(text) and max(map(len, rows)) > 2:
        return "\n".join(json.dumps(row, ensure_ascii=False) for row in rows).encode()
    is_page = all(one.tag in _PAGE and not one.own and not one.classes for one in _each(root, is_whole=True))
    return text.encode() if is_page else data


def _rows(root: _Node) -> Iterator[dict[str, Any]]:
    """The elements that come back, in order, each with what is around it."""
    called = ([one.key for one in node.parts if one.tag not in ("td", "th")] for node in (root, *_each(root)))
    again = {key for keys in called for key, count in Counter(keys).items() if count > 1}

    def walk(node: _Node, around: dict[str, Any]) -> Iterator[dict[str, Any]]:
        names: list[str] = []
        for part in node.parts:
            if any(inner.key in again for inner in _each(part)):
                yield from walk(part, around | ({part.key: part.own} if part.own else {}))
                continue
            cells = _cells(part, names)
            if part.parts and all(cell.tag == "th" for cell in part.parts):
                names = [_text_of(cell) for cell in part.parts]
            elif part.key in again or part.own or len(cells) > 1:
                yield {"event": node.key if part.key in _GENERIC else part.key} | around | cells

    return walk(root.parts[0] if len(root.parts) == 1 else root, {})


def _each(node: _Node, *, is_whole: bool = False) -> Iterator[_Node]:
    """The elements within one; with parts of texts only if it `is_whole`."""
    for part in node.nodes if is_whole else node.parts:
        yield part
        yield from _each(part, is_whole=is_whole)


def _cells(node: _Node, names: Iterable[str] = ()) -> dict[str, Any]:
    """What an element holds: its attributes, and its text or its cells, of which those of tables may have names."""
    found: dict[str, Any] = dict(node.own)
    titles, parts = iter(names), node.parts
    for part in parts:
        key = next(titles, part.key)
        key = key if key not in found else f"{key} {len(found)}"
        inner = _cells(part)
        text = {} if part.parts else {key: inner.pop("text", "")}
        found |= text | ({f"{key}.{name}": value for name, value in inner.items()} if text else {key: inner})
    text_of = _text_of(_Node("", inside=[one for one in node.inside if one not in parts])).lstrip(":： ")
    return found | ({"text": text_of} if _has_words(text_of) or (text_of and not parts) else {})
