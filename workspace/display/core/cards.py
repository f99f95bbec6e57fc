"""Tables that become cards on a narrow screen: each cell of their rows gets the heading of its column.

Templates write plain tables. `label_cells` is called once for every page, so that no template repeats its headings.
"""

import re
from functools import lru_cache

# Tables that are read across and down: they keep their columns and scroll in their own box.
KEEP_COLUMNS = frozenset(
    ("wide", "games", "crossed", "history", "guardrails", "by-game", "differences", "summary-table", "scores")
)
FEWEST_COLUMNS = 3
_TABLE, _END = re.compile(r'<table class="table\b([^"]*)"([^>]*)>'), "</table>"
_HEAD = re.compile(r"<thead>(.*?)</thead>", re.DOTALL)
_HEADING = re.compile(r"<th\b([^>]*)>(.*?)</th>", re.DOTALL)
_START = re.compile(r"<(tr|td|th)\b([^>]*)>")
_UNSEEN = re.compile(r'<span class="visually-hidden">.*?</span>', re.DOTALL)
_TAG = re.compile(r"<[^>]*>")
_EMPTY = re.compile(r'(<td\b[^>]*\bdata-label="[^>]*>)\s*</td>')
_SPAN = re.compile(r'\bcolspan="(\d+)"')


def label_cells(markup: str) -> str:
    """The page with `data-cards` on every table that becomes cards, and `data-label` on the cells of its rows.

    A labelled cell with nothing in it gets a dash.

    A table of fewer than three columns, with a heading over several columns, or with a cell over several rows stays as
    it is, and so does one of a class in `KEEP_COLUMNS`.
    """
    parts: list[str] = []
    at = 0
    while (found := _TABLE.search(markup, at)) and (end := markup.find(_END, found.end())) >= 0:
        parts += markup[at : found.start()], _label_table(found, markup[found.end() : end])
        at = end
    return "".join(parts) + markup[at:]


def _label_table(found: re.Match[str], inner: str) -> str:
    """The table up to its end."""
    names, more = found.groups()
    labels = _read_labels(inner) if KEEP_COLUMNS.isdisjoint(names.split()) else ()
    if len(labels) < FEWEST_COLUMNS or "rowspan=" in inner or "<table" in inner:
        return found.group() + inner
    head, end, rows = inner.partition("</thead>")
    return f'<table class="table{names}" data-cards{more}>{head}{end}{_label_rows(rows, labels)}'


def _read_labels(inner: str) -> tuple[str, ...]:
    head = _HEAD.search(inner)
    return _read_head(head[1]) if head else ()


@lru_cache(maxsize=512)
def _read_head(head: str) -> tuple[str, ...]:
    """The headings of the columns as text for an attribute, without parts that are only for screen readers."""
    if head.count("<tr") != 1 or "colspan=" in head:
        return ()
    texts = (_TAG.sub(" ", _UNSEEN.sub("", heading)) for _, heading in _HEADING.findall(head))
    return tuple(" ".join(text.split()).replace('"', "&#34;") for text in texts)


def _label_rows(rows: str, labels: tuple[str, ...]) -> str:
    column = 0

    def label(found: re.Match[str]) -> str:
        nonlocal column
        tag, more = found.groups()
        if tag == "tr":
            column = 0
            return found.group()
        at, span = column, _SPAN.search(more)
        column += int(span[1]) if span else 1
        text = labels[at] if tag == "td" and not span and at < len(labels) else ""
        is_named = bool(text) and "data-label=" not in more
        return f'<{tag}{more} data-label="{text}">' if is_named else found.group()

    return _EMPTY.sub(r"\1–</td>", _START.sub(label, rows))
