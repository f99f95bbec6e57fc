"""The parts that stand a thousand times on the pages of a stage, drawn by formats: rows, dots and figures.

A hundred iterations of three games have some two thousand dots, each a link. What is written into a format here is a
number, and `:d` and `:g` refuse anything else; every text goes through format_html.
"""

from collections.abc import Iterable
from functools import lru_cache

from django import template
from django.utils import timezone
from django.utils.html import escape, format_html
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from discussions.pages.comparing_parts import MetricPart
from discussions.pages.history_charts import HistoryChart, TableRow
from discussions.pages.history_rows import AverageCell, HistoryRow
from workspace.core.multiples import Dot, Upright
from workspace.templatetags.ui import NOTHING, hostile, joined, moment

register = template.Library()

_ROW = (
    '<tr id="iteration-{number}"><th scope="row"><a href="../../iterations/{number}/">{number} {name}</a>{chip}</th>'
    '<td class="change">{change}{target}</td><td class="num"><a href="../../games/?iteration={id}">{games}</a>{rated}'
    '</td>{cells}<td class="num {state}" title="{headline}">{count} <span class="tiny">{says}</span></td>'
    '<td class="num {cost_state}"><a href="#cost-{number}">{cost}</a> <span class="tiny">{cost_says}</span>'
    '<span class="tiny quiet" title="{cache_title}">{cache}</span></td><td>{decision}</td></tr>\n'
)
_CELL = '<td class="num {0}"><a href="#{1}-{2}" title="{3}">{4}</a> <span class="tiny">{5}</span></td>'
_DECISION = (
    '<a class="chip {}" href="../../iterations/{}/compare/" title="{}">{}</a> '
    '<span class="tiny quiet">{} {}</span>'
)
_PLAIN = '<a href="../../iterations/{}/compare/">{}</a>'
_TABLE_ROW = (
    '<tr id="{key}-{number}"><th scope="row" class="num"><a href="../../iterations/{number}/">{number}</a></th>'
    '<td>{games}</td><td class="num {state}">{mean} <span class="tiny">{says}</span></td>{second}'
    '<td class="small quiet">{basis}</td></tr>\n'
)
_NUMBER = '<text class="at" x="{}" y="{}">{}</text>'
_MARKS = '{}<text class="mark" x="{}" y="{}">{}</text>'
_GAME = '<span class="game"><span class="tiny faint">{}</span> <a href="../../games/{}/#{}">{}</a>{}</span> '


@register.simple_tag
def history_rows(rows: Iterable[HistoryRow]) -> str:
    """The table rows of the history; links are relative to the page of the stage."""
    language, zone = get_language() or "", timezone.get_current_timezone_name()
    return joined("{}", ((_row(row, language, zone),) for row in rows))


@register.simple_tag
def history_dots(part: HistoryChart) -> str:
    """Every dot of a chart as a link to its game."""
    return _dots(part, _("Game"))


@lru_cache(maxsize=72)
def _dots(part: HistoryChart, game: str) -> str:
    radius = 2.2 if len(part.chart.columns) > 40 else 3.4
    pattern = "".join(_column(upright, radius) for upright in part.chart.columns)
    texts = [_escaped(text) for column in part.texts for text in column]
    return format_html(pattern, *texts, place=part.place, game=game) if texts else NOTHING


@register.simple_tag
def arm_dots(part: MetricPart, side: int) -> str:
    """The dots of one side of a comparison, each a link to its game."""
    row = part.chart.rows[side]
    text_of = dict(zip((value.number for value in row.arm.values), part.texts[side], strict=True))
    pattern = "".join(_dot(dot) for dot in row.dots)
    texts = [text_of[dot.value.number] for dot in row.dots]
    return format_html(pattern, *texts, place=part.place, game=_("Game")) if texts else NOTHING


@register.simple_tag
def history_foot(part: HistoryChart) -> str:
    """The numbers of the iterations under a chart, and the letters that mark them."""
    columns = tuple((column.x, column.label, column.mark) for column in part.chart.columns)
    return _foot(part.chart.foot, columns)


@register.simple_tag
def history_table(part: HistoryChart) -> str:
    """The rows of the table under a chart."""
    language = get_language() or ""
    rows = ((_table_row(row, part.key, part.place, part.has_second, language),) for row in part.table)
    return joined("{}", rows)


_escaped = lru_cache(maxsize=8192)(escape)


@lru_cache(maxsize=16)
def _foot(foot: int, columns: tuple[tuple[float, str, str], ...]) -> str:
    """It is the same under every chart of a page."""
    numbers = joined(_NUMBER, ((x, foot + 14, label) for x, label, _mark in columns if label))
    middles = " ".join(f"{x:g}" for x, _label, _mark in columns)
    return format_html(_MARKS, numbers, middles, foot + 28, "".join(mark[:1] for _x, _label, mark in columns))


def _column(upright: Upright, radius: float) -> str:
    """A column's dots as a format that wants `place`, `game` and the text of each."""
    return "".join(
        f'<a href="../../games/{dot.value.number:d}/#{{place}}" tabindex="-1">{_mark(dot, radius)}'
        f"<title>{{game}} {dot.value.number:d}: {{}}</title></a>"
        for dot in upright.dots
    )


def _mark(dot: Dot, radius: float) -> str:
    """A disc, hollow where its figure counts in another way; a hollow square for a game that was withdrawn."""
    if dot.value.is_out:
        at = f'x="{dot.x - radius + 0.4:g}" y="{dot.y - radius + 0.4:g}"'
        return f'<rect {at} width="{2 * radius - 0.8:g}" height="{2 * radius - 0.8:g}"/>'
    hollow = " class=hollow" if dot.value.is_hollow else ""
    return f'<circle{hollow} cx="{dot.x:g}" cy="{dot.y:g}" r="{radius:g}"/>'


def _dot(dot: Dot) -> str:
    """A dot on a track that is stretched: the end of a stroke, with a smaller one in it where it is hollow.

    The end is round, and square for a game that was withdrawn.
    """
    at, out = f"M{dot.x:g} {dot.y:g}h0", " out" if dot.value.is_out else ""
    hole = f'<path class="hole{out}" d="{at}"/>' if dot.value.is_hollow or out else ""
    return (
        f'<a href="../../../games/{dot.value.number:d}/#{{place}}"><path class="dot{out}" d="{at}"/>{hole}'
        f"<title>{{game}} {dot.value.number:d}: {{}}</title></a>"
    )


@lru_cache(maxsize=4096)
def _table_row(row: TableRow, key: str, place: str, has_second: bool, _language: str) -> str:
    games = (
        (
            game.number,
            game.number,
            place,
            format_html("<s>{}</s>", game.text) if game.is_out else game.text,
            format_html(' <span class="tiny">{}</span>', game.says) if game.says else NOTHING,
        )
        for game in row.games
    )
    return format_html(
        _TABLE_ROW,
        key=key,
        number=row.number,
        games=joined(_GAME, games),
        state=row.state,
        mean=row.mean,
        says=row.says,
        second=format_html('<td class="num">{}</td>', row.second) if has_second else NOTHING,
        basis=row.basis,
    )


@lru_cache(maxsize=1024)
def _row(row: HistoryRow, _language: str, _zone: str) -> str:
    chip = format_html(' <span class="chip own">{}</span>', _("reference")) if row.is_reference else NOTHING
    target = format_html('<span class="tiny quiet">{}: {}</span>', _("target"), row.target)
    rated = format_html('<span class="tiny quiet">{}</span>', row.games_says) if row.games_says else NOTHING
    return format_html(
        _ROW,
        number=row.number,
        id=row.id,
        name=hostile(row.name),
        chip=chip,
        change=hostile(row.change),
        target=target if row.target else NOTHING,
        games=row.games,
        rated=rated,
        cells=joined("{}", ((_cell(cell, row.number),) for cell in row.cells)),
        state=row.passes.state,
        headline=row.passes.title,
        count=row.passes.text,
        says=row.passes.says,
        cost_state=row.cost_state,
        cost=row.cost or "–",
        cost_says=row.cost_says,
        cache_title=row.cache_title,
        cache=format_html("{} {}", _("cache"), row.cache) if row.cache else "",
        decision=_decision(row),
    )


def _cell(cell: AverageCell, number: int) -> str:
    return format_html(_CELL, cell.state, cell.key, number, cell.title, cell.text, cell.says)


def _decision(row: HistoryRow) -> str:
    if row.decided_at is None:
        return format_html(_PLAIN, row.number, row.decision) if row.decision else NOTHING
    return format_html(
        _DECISION,
        row.decision_tone,
        row.number,
        row.reason,
        row.decision,
        hostile(row.decided_by),
        moment(row.decided_at),
    )
