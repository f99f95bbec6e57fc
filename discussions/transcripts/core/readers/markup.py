"""XML and HTML as JSON lines: a row for each element that comes back, with its attributes and its cells.

`<talk type="wolf" by="ann">Hi.</talk>` in `<day n="2">` is `{"event": "talk", "day": {"n": "2"}, "type": "wolf", "by":
"ann", "text": "Hi."}`. Of HTML the class says what an element is. Texts of JSON may be written in HTML, too.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from html import unescape
from html.parser import HTMLParser
from typing import Any
from xml.etree.ElementTree import Element, SubElement

import msgspec

from discussions.transcripts.core.audience import PRIVATE, SPEECH, THOUGHT, VOTE, is_hidden, kind_of_type
from discussions.transcripts.core.readers.narration import VOTES

_LARGEST, _MOST_NESTED, _LEAST_ROWS = 4 * 1024 * 1024, 64, 3
_HEARD, _LONGEST_TITLE = (PRIVATE, SPEECH, THOUGHT), 60
_FIRST_TAG = re.compile(rb"\s*+<(?:[?!]|(?P<tag>\w[\w:.-]*+)[^>]*+>)")
# How a tag and its attributes are written.
_WRITTEN = re.compile(r"[\w:.-]+(?=\s*=)|(?<=\A<)[\w:.-]+")
# How a part of a text ends in HTML, also in JSON, and strings of JSON that may hold some.
_HTML_END = re.compile(rb"<\\?/(?:span|div|blockquote|p|font|a|b|i|strong|em|li|ul|small)>|<br ?\\?/?>")
_JSON_STRING = re.compile(rb'(?<!\\)"(?>(?:[^"\\&<]|\\.)*)[&<](?>(?:[^"\\]|\\.)*)"')
# What has no end, what stands on lines of its own in a text, what else a text has, and what a page is built of.
_VOID = frozenset("br img hr meta link input wbr source".split())
_BLOCKS = frozenset("br li p ul ol".split())
_INLINE = _VOID.union(_BLOCKS, "a b i u s em strong span font small sup code del q cite blockquote".split())
_CALLED_BY_CLASS = _BLOCKS.union("td th tr div span dd dt section article table tbody main a b i em".split())
_UNSEEN, _TITLES = frozenset(("head", "script", "style")), ("h1", "h2", "h3", "h4", "h5", "h6")
_PAGE = _INLINE.union(_CALLED_BY_CLASS, _UNSEEN, _TITLES, "html body title header footer pre".split())
_LOOKS = frozenset("style href src colspan rowspan color align width height rel lang".split())
_NOT_SHOWN = re.compile(r"\b(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse))\b", re.IGNORECASE)
# A sign alone in these is a picture beside a name; thoughts may stand in the others.
_ICONS, _SLANTED = ("font", "i", "span"), ("i", "em", "small", "s", "del")


class _Reader(HTMLParser):
    """Builds the elements; an end without a beginning counts for nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.open = [Element("")]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if len(self.open) > _MOST_NESTED:
            raise ValueError
        if tag in _BLOCKS and self.open[-1].tag == tag:
            self.open.pop()
        written = {name.lower(): name for name in _WRITTEN.findall(self.get_starttag_text() or "")}
        kept = {
            written.get(name, name): name if value is None else value
            for name, value in attrs
            if name not in _LOOKS or tag not in _PAGE
        }
        node, style = Element(written.get(tag, tag), kept), dict(attrs).get("style") or ""
        is_unseen = kept.get("hidden") in ("", "hidden", "true") or _NOT_SHOWN.search(style)
        self.open[-1].append(Element("wbr") if is_unseen and tag in _PAGE else node)
        self.open += [] if tag in _VOID else [node]

    def handle_endtag(self, tag: str) -> None:
        at = next((at for at in range(len(self.open) - 1, 0, -1) if self.open[at].tag.lower() == tag), 0)
        del self.open[at or len(self.open) :]

    def handle_data(self, data: str) -> None:
        SubElement(self.open[-1], "").text = data

    def unknown_decl(self, data: str) -> None:
        self.handle_data(data.removeprefix("CDATA["))


def _elements_of(text: str) -> Element:
    """What holds the elements of a text; nothing of one that is nested too deep or no markup."""
    reader = _Reader()
    try:
        reader.feed(f"{text} ")
    except (ValueError, AssertionError):
        return Element("")
    # A sign that begins no tag is a part of the text.
    reader.handle_data(unescape(reader.rawdata))
    return reader.open[0]


def without_html(data: bytes) -> bytes:
    """JSON whose texts are written in HTML, with these as people see them, without what they quote.

    Tags of no HTML stay, as do the words of others about who could hear what is in them.
    """
    may_be = data[:1] in (b"{", b"[") and _HTML_END.search(data)
    return _JSON_STRING.sub(_plain_string, data) if may_be else data


def _plain_string(found: "re.Match[bytes]") -> bytes:
    with suppress(msgspec.MsgspecError, UnicodeError):
        root = _elements_of(written := msgspec.json.decode(found[0], type=str))
        nodes = [one for one in root.iter() if one.tag]
        # "a <b and c" are words of a sentence.
        known = _INLINE | _CALLED_BY_CLASS
        if all(one.tag in known and all(key != said for key, said in one.items()) for one in nodes):
            quoted = (_text_of(one) for one in nodes if one.tag == "blockquote")
            return msgspec.json.encode(_text_of(root) or next(quoted, "") if nodes else unescape(written))
    return found[0]


def _text_of(node: Element, *, is_own: bool = False) -> str:
    """What people see of an element; only of what `is_own`, without its cells."""
    pieces = (piece for one in node if not (is_own and _is_part(one)) for piece in _pieces(one))
    lines = ((node.text or "") + "".join(pieces)).split("\n")
    return "\n".join(filter(None, (" ".join(line.split()) for line in lines)))


def _pieces(node: Element) -> Iterator[str]:
    inside = "".join(piece for one in node for piece in _pieces(one))
    inside = f"=== {inside.strip()} ===" if node.tag in _TITLES else inside
    is_seen = node.tag not in (*_UNSEEN, "blockquote") and (node.tag not in _ICONS or _has_words(inside))
    sign = (
        "\n" if node.tag in _BLOCKS or node.tag not in {"", *_INLINE} else "*" if node.tag in _SLANTED else ""
    )
    title = node.get("title", "") if node.tag != "a" else ""
    # What an element of a page says of who could hear it is read as such a tag: "<whisper to Bea>".
    hiding = (words for words in node.attrib.values() if is_hidden(words) and node.tag in _PAGE)
    said = next(hiding, "" if kind_of_type(title) or title == inside else title)
    words = " ".join(re.findall(r"[^\W\d_]+", said))[:30].strip()
    inside = f"<{words}>{inside}</{words}>" if words else inside
    yield from (sign, node.text or "", inside, sign) if is_seen else ()


def _has_words(text: str) -> bool:
    return any(map(str.isalnum, text))


def _is_part(node: Element) -> bool:
    """Whether an element is more than a part of the text around it."""
    is_text = node.tag in _INLINE and not node.get("class")
    return node.tag not in {"", *_UNSEEN} and (not is_text or any(map(_is_part, node)))


def as_rows(data: bytes) -> bytes:
    """The bytes as JSON lines, if they are XML or HTML with rows; as a text, if only tags of a page are around it."""
    first = _FIRST_TAG.match(data.removeprefix(b"\xef\xbb\xbf"))
    if not first or len(data) > _LARGEST or (first["tag"] and b"</" + first["tag"] not in data):
        return data
    root = _elements_of(data.decode("utf-8", "replace"))
    if not any(one.tag for one in root) or any(_has_words(one.text or "") for one in root if not one.tag):
        return data
    rows, text = [*_rows_in(root)], _text_of(root)
    cells = [cell for row in rows for key, cell in row.items() if isinstance(cell, str) and key != "event"]
    are_cells = 5 * sum(map(len, cells)) >= 4 * len(re.sub("<[^<>]*>", "", text))
    is_wide = max((len(row.keys() - {"event", "phase"}) for row in rows), default=0) > 1
    if len(rows) >= _LEAST_ROWS and are_cells and is_wide:
        return "\n".join(json.dumps(row, ensure_ascii=False) for row in rows).encode()
    is_page = not any(one.tag not in {"", *_PAGE} or one.attrib for one in root.iter())
    # What names nobody may be the title of what follows.
    return re.sub(r"(?m)^(?=[^:：\n]+$)", "\n", text).encode() if is_page else data


def _rows_in(root: Element) -> Iterator[dict[str, Any]]:
    """The elements that come back, in order, each with what is around it."""
    inside = (
        [_key(one) for one in node if _is_part(one) and one.tag not in ("td", "th")] for node in root.iter()
    )
    again = {key for keys in inside for key, count in Counter(keys).items() if count > 1}

    def walk(node: Element, around: dict[str, Any]) -> Iterator[dict[str, Any]]:
        names: list[str] = []
        for part in (one for one in node if one.tag not in _UNSEEN):
            # A title, or words between elements, may say who could hear what follows.
            is_bare = not part.attrib and part.tag in _CALLED_BY_CLASS and not any(map(_is_part, part))
            said = _text_of(part) if part.tag in _TITLES or is_bare or not _is_part(part) else ""
            is_title = part.tag in _TITLES or (is_bare and said[-1:].isalnum() and len(said) < _LONGEST_TITLE)
            if said and (is_title or kind_of_type(said[:_LONGEST_TITLE]) in _HEARD):
                around = around | {"phase": said}
            elif not _is_part(part):
                continue
            elif any(_key(one) in again for one in part.iter() if one is not part and _is_part(one)):
                yield from walk(part, around | ({_key(part): _attributes(part)} if _attributes(part) else {}))
            elif {cell.tag for cell in part} - {""} == {"th"}:
                names = [_text_of(cell) for cell in part if cell.tag]
            elif len(cells := _cells(part, names)) > 1 or _key(part) in again or _attributes(part):
                yield {"event": _key(node if _key(part) in _CALLED_BY_CLASS else part)} | around | cells

    whole = [*filter(_is_part, root)]
    return walk(whole[0] if len(whole) == 1 else root, {})


def _key(node: Element) -> str:
    return str([*node.get("class", "").split(), node.tag][0] if node.tag in _CALLED_BY_CLASS else node.tag)


def _attributes(node: Element) -> dict[str, Any]:
    classes = " ".join(node.get("class", "").split()[node.tag in _CALLED_BY_CLASS :])
    found = node.attrib | {"class": classes}
    return found if classes else {key: found[key] for key in found if key != "class"}


def _cells(node: Element, names: list[str]) -> dict[str, Any]:
    """What an element holds: its attributes, and its text or its cells, of which those of tables may have names."""
    found, parts = _attributes(node), [*filter(_is_part, node)]
    for part, name in zip(parts, [*names, *[""] * len(parts)], strict=False):
        key = name or _key(part)
        key = key if key not in found else f"{key} {len(found)}"
        inner, is_leaf = _cells(part, []), not any(map(_is_part, part))
        found[key] = inner.pop("text", "") if is_leaf else inner
        found |= {f"{key}.{name}": value for name, value in inner.items()} if is_leaf else {}
    text = _text_of(node, is_own=True).lstrip(":： ")
    vote = VOTES.fullmatch(text.replace("*", "")) if kind_of_type(_key(node)) == VOTE else None
    if vote and not (found or parts):
        return {"voter": vote["name"], "target": vote["target"]}
    return found | ({"text": text} if _has_words(text) or (text and not parts) else {})
