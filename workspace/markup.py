"""The only markup made in Python: other people's text, times and figures, shown safely and truthfully."""

import re
from collections.abc import Callable, Hashable, Sequence
from datetime import datetime
from decimal import Decimal
from fractions import Fraction
from functools import cache, lru_cache
from typing import Any

from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import get_language, gettext, ngettext
from markdown_it import MarkdownIt
from markupsafe import Markup, _escape_inner, escape

from workspace.core.text import MINUS, Piece, figure, number, pieces, with_minus

SHORT = 200
MINUTE, HOUR, DAY = 60, 3600, 86400
DAYS_OF_RECENT = 7
NO_BREAK = "\u00a0"
# Of a table whose rows become cards: the fewest columns, and what its markup is made of.
FEWEST_COLUMNS = 3
_HEADING = re.compile(r"<th\b[^>]*>(.*?)</th>", re.DOTALL)
_START = re.compile(r"<(tr|td|th)\b([^>]*)>")
_UNSEEN = re.compile(r'<span class="visually-hidden">.*?</span>', re.DOTALL)
_TAG = re.compile(r"<[^>]*>")
_EMPTY = re.compile(r'(<td\b[^>]*\bdata-label="[^>]*>)\s*</td>')
_SPAN = re.compile(r'\bcolspan="(\d+)"')


def escape_output(value: Any) -> str:
    """The output of a value in a template: escaped; markup unchanged.

    The same text as `markupsafe.escape`, which makes a new object for each value: a page writes and joins thousands.
    """
    kind = type(value)
    if kind is Markup:
        return value
    if kind is str:
        return _escape_inner(value)
    return str(value) if kind is int else escape(value)


def token_input(token: object) -> Markup:
    return Markup('<input type="hidden" name="csrfmiddlewaretoken" value="{}">').format(token)


def hostile(text: object, spans: Sequence[tuple[int, int]] | None = None) -> Markup:
    """Untrusted text as isolated, escaped markup; `spans` (half-open code points) are marked.

    Invisible and direction-changing characters become badges, long runs of combining marks are clipped.
    """
    text = str(text)
    return _hostile_name(text, ()) if not spans and len(text) <= SHORT else _hostile(text, spans or ())


def _hostile(text: str, spans: Sequence[tuple[int, int]]) -> Markup:
    if not spans and text.isascii() and text.isprintable():
        return Markup(f'<bdi dir="auto">{escape(text)}</bdi>')
    return Markup(f'<bdi dir="auto">{_with_badges(text, spans)}</bdi>')


# Names and short words occur hundreds of times on a page.
_hostile_name = lru_cache(maxsize=4096)(_hostile)


def _with_badges(text: str, spans: Sequence[tuple[int, int]] = ()) -> str:
    return "".join(_piece(piece) for piece in pieces(text, spans))


def _piece(piece: Piece) -> str:
    inner = str(escape(piece.text))
    if piece.title:
        inner = f'<span class="badge" title="{escape(piece.title)}">{inner}</span>'
    return f"<mark>{inner}</mark>" if piece.is_marked else inner


def plain(text: object) -> str:
    """Text where no badge can be (options, titles, attributes), its hidden characters named in angle brackets.

    Markup stays markup. A no-break space stays: the site's sentences use it, and it hides nothing.
    """
    whole = text if isinstance(text, str) else str(text)
    if whole.isascii():
        return whole
    named = NO_BREAK.join("".join(piece.text for piece in pieces(part)) for part in whole.split(NO_BREAK))
    return Markup(named) if isinstance(whole, Markup) else named


def prose(text: str) -> Markup:
    """Markdown that a lead wrote: no HTML of its own, no pictures, http(s) and mail links; badges as in `hostile`."""
    reader = _prose()
    tokens = reader.parse(text)
    for token in tokens:
        if token.type.startswith("heading"):
            token.tag = f"h{min(6, int(token.tag[1]) + 1)}"  # the page has its own first-level heading
        for part in token.children or ():
            if part.type == "link_open":
                part.attrSet("rel", "noopener noreferrer")
                part.attrs |= {"title": plain(part.attrs["title"])} if "title" in part.attrs else {}
    return Markup(reader.renderer.render(tokens, reader.options, {}))


@cache
def _prose() -> MarkdownIt:
    reader = MarkdownIt("commonmark", {"html": False}).disable("image")
    reader.validateLink = lambda link: link.startswith(("https://", "http://", "mailto:"))  # type: ignore[assignment,method-assign]
    code = "<pre><code>{}</code></pre>\n"
    frames = {"text": "{}", "code_inline": "<code>{}</code>", "code_block": code, "fence": code}
    for kind, around in frames.items():
        reader.add_render_rule(
            kind,
            lambda _self, tokens, at, *_more, around=around: around.format(_with_badges(tokens[at].content)),
        )
    return reader


def draw_once(template: str, **values: Hashable) -> Markup:
    """The template rendered with these values, cached for the next page with the same values; for large charts."""
    return _draw_once(template, get_language(), **values)


@lru_cache(maxsize=64)
def _draw_once(template: str, _language: str | None, **values: Hashable) -> Markup:
    return Markup(render_to_string(template, dict(values)))


def card_table(kind: str = "", *, caller: Callable[[], str]) -> Markup:
    """`{% call card_table() %}`: a table with these rows, whose rows become cards on a narrow screen.

    With fewer than three columns, a heading over several columns, or a cell over several rows it stays a table.
    """
    rows = caller()
    cards = label_cells(rows)
    name, mark = f"table {kind}".rstrip(), " data-cards" if cards else ""
    return Markup(f'<table class="{name}"{mark}>{cards or rows}</table>')


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


def table_head(*columns: object) -> Markup:
    """`<thead>` with these headings, each what is written there, or that and the classes of its column.

    "hidden" among the classes leaves it to screen readers; "" is a cell without one, None no cell.
    """
    cells = []
    for column in columns:
        if column is None:
            continue
        text, kinds = column if isinstance(column, tuple) else (column, "")
        shown = [kind for kind in kinds.split() if kind != "hidden"]
        said = (
            escape(text) if shown == kinds.split() else f'<span class="visually-hidden">{escape(text)}</span>'
        )
        kind = f' class="{" ".join(shown)}"' if shown else ""
        cells.append(f'<th scope="col"{kind}>{said}</th>' if text else "<td></td>")
    return Markup(f"<thead><tr>{''.join(cells)}</tr></thead>")


def titled_table(titled: str, *columns: object, kind: str = "", caller: Callable[[], str]) -> Markup:
    """`{% call titled_table("id-of-its-title", _("Name"), (_("Games"), "num")) %}`: these rows in a box that scrolls.

    The columns are those of `table_head`.
    """
    inner = card_table(kind, caller=lambda: f"{table_head(*columns)}<tbody>{caller()}</tbody>")
    box = Markup('<div class="table-box" tabindex="0" role="group" aria-labelledby="{}">{}</div>')
    return box.format(titled, inner)


def moment(value: datetime | None) -> Markup:
    """Date and minute in the viewer's time zone, as a <time> element whose title names the zone."""
    return Markup("") if value is None else _time(value, _exact(value), timezone.get_current_timezone_name())


def ago(value: datetime | None) -> Markup:
    """How long ago it was, for lists of recent moments; the title has the exact moment and the zone.

    From a week on, and for a future moment, it is the moment itself.
    """
    if value is None:
        return Markup("")
    past = _describe_past((timezone.now() - value).total_seconds())
    title = f"{_exact(value)}, {timezone.get_current_timezone_name()}"
    return _time(value, past, title) if past else moment(value)


def _describe_past(seconds: float) -> str:
    minutes, hours, days = (int(seconds // length) for length in (MINUTE, HOUR, DAY))
    if seconds < 0 or days >= DAYS_OF_RECENT:
        return ""
    if minutes < 1:
        return gettext("just now")
    if hours < 1:
        return ngettext("%(n)d minute ago", "%(n)d minutes ago", minutes) % {"n": minutes}
    if days < 1:
        return ngettext("%(n)d hour ago", "%(n)d hours ago", hours) % {"n": hours}
    return ngettext("%(n)d day ago", "%(n)d days ago", days) % {"n": days}


def _exact(value: datetime) -> str:
    return date_format(timezone.localtime(value), "j M Y, H:i")


def _time(value: datetime, shown: str, title: str) -> Markup:
    return Markup(f'<time datetime="{value.isoformat()}" title="{escape(title)}">{escape(shown)}</time>')


def clock(moment: datetime | None) -> str:
    return "" if moment is None else date_format(timezone.localtime(moment), "H:i:s")


def percent(score: float | Fraction | Decimal | None, threshold: float | None = None) -> str:
    return gettext("pending") if score is None else with_minus(figure(score, threshold))


def dollars(amount: Decimal | float | None, threshold: float | None = None) -> str:
    """US dollars with two decimals or more; never rounded across `threshold`."""
    if amount is None:
        return gettext("not reported")
    shown = figure(amount, threshold, decimals=2)
    return f"{MINUS}${shown[1:]}" if shown.startswith("-") else f"${shown}"


def interval_text(interval: tuple[float, float] | None, places: int = 2) -> str:
    """ "0.41 to 0.52", "" without an interval."""
    if interval is None:
        return ""
    bounds = {"low": number(interval[0], places), "high": number(interval[1], places)}
    return gettext("%(low)s to %(high)s") % bounds


def bind_percent(text: str) -> str:
    """A text of a template with no line break between a number and its percent sign."""
    return text.replace(" %%", f"{NO_BREAK}%%")


def words(message: str, /, **values: object) -> Markup:
    """A text in the language of the page; values are escaped. It is markup, as everything written in a template."""
    said, has_places = _said(gettext(message))
    return said % values if has_places else said


def words_by_count(singular: str, plural: str, number: int, /, **values: object) -> Markup:
    return _said(ngettext(singular, plural, number))[0] % ({"num": number} | values)


@lru_cache(maxsize=8192)
def _said(text: str) -> tuple[Markup, bool]:
    return Markup(bind_percent(text)), "%" in text


GLOBALS = {
    "card_table": card_table,
    "table_head": table_head,
    "titled_table": titled_table,
    "draw_once": draw_once,
}
FILTERS: dict[str, Callable[..., str]] = {
    "hostile": hostile,
    "plain": plain,
    "prose": prose,
    "moment": moment,
    "ago": ago,
    "clock": clock,
    "percent": percent,
    "dollars": dollars,
    "interval": interval_text,
}
