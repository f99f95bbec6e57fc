"""Rows of a table as cards for a narrow screen: each cell gets the heading of its column, which is written once."""

import re
from functools import lru_cache

FEWEST_COLUMNS = 3
_HEADING = re.compile(r"<th\b[^>]*>(.*?)</th>", re.DOTALL)
_START = re.compile(r"<(tr|td|th)\b([^>]*)>")
_UNSEEN = re.compile(r'<span class="visually-hidden">.*?</span>', re.DOTALL)
_TAG = re.compile(r"<[^>]*>")
_EMPTY = re.compile(r'(<td\b[^>]*\bdata-label="[^>]*>)\s*</td>')
_SPAN = re.compile(r'\bcolspan="(\d+)"')


def label_cells(markup: str) -> str:
    """The inner markup of a table with `data-label` on its cells, a dash in labelled ones that are empty.

    "" for a table of fewer than three columns, with a heading over several columns, or a cell over several rows.
    """
    before, _start, rest = markup.partition("<thead>")
    head, end, rows = rest.partition("</thead>")
    labels = _read_head(head)
    if len(labels) < FEWEST_COLUMNS or "rowspan=" in markup:
        return ""
    column = 0

    def label(tag: re.Match[str]) -> str:
        nonlocal column
        name, attributes = tag.groups()
        if name == "tr":
            column = 0
            return tag.group()
        place, span = column, _SPAN.search(attributes) if "colspan" in attributes else None
        column += int(span[1]) if span else 1
        text = labels[place] if name == "td" and not span and place < len(labels) else ""
        return f'<{name}{attributes} data-label="{text}">' if text else tag.group()

    labelled = _EMPTY.sub(r"\1–</td>", _START.sub(label, rows))
    return f"{before}<thead>{head}{end}{labelled}"


@lru_cache(maxsize=512)
def _read_head(head: str) -> tuple[str, ...]:
    """The headings of the columns as text for an attribute, without parts that are only for screen readers."""
    if head.count("<tr") != 1 or "colspan=" in head:
        return ()
    texts = (_TAG.sub(" ", _UNSEEN.sub("", heading)) for heading in _HEADING.findall(head))
    return tuple(" ".join(text.split()).replace('"', "&#34;") for text in texts)
