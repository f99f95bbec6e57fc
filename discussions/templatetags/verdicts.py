"""Rows that stand often on the pages of leads, drawn by formats: a node of a template costs ten times more."""

from collections.abc import Iterable
from functools import lru_cache

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.translation import gettext as _

from discussions.pages.game import MessageLine
from discussions.pages.games import GameLine
from discussions.pages.why import Why
from workspace.templatetags.ui import hostile, joined

register = template.Library()

_ROW = (
    '<tr><th scope="row" class="num"><a href="{0}/">{0}</a></th><td class="whole">{1}</td>{2}<td class="num">{3}</td>'
    '<td class="num">{4}</td><td class="num">{5} <span class="tiny">{6}</span></td><td class="num">{7}</td>'
    '<td class="whole">{8}</td></tr>\n'
)
_CELL = '<td class="num {}">{} <span class="tiny">{}</span></td>'
_WHY = '<li value="{0}"><a href="#m{0}">{1}</a> <span class="{2}">{3}</span>: {4}{5}{6}</li>\n'
_MESSAGE = (
    '{0}<li id="m{1}" value="{1}"><strong>{2}</strong> <span class="chip">{3}</span>{4}<p>{5}</p></li>\n'
)
_CHIP = '<span class="chip {}">{}</span> '


@register.simple_tag
def game_rows(lines: Iterable[GameLine]) -> str:
    """The table rows of a page of games; links are relative to the list."""
    return joined("{}", ((_row(line),) for line in lines))


@lru_cache(maxsize=4096)
def _cell(state: str, text: str, says: str) -> str:
    return format_html(_CELL, state, text, says)


def _row(line: GameLine) -> str:
    chips = [(line.tone, line.headline)] if line.headline else []
    if line.is_withdrawn:
        chips.append(("", _("withdrawn")))
    state = format_html("{}{}", joined(_CHIP, chips), "" if line.headline else line.state_says)
    cells = format_html(
        "{}" * len(line.cells), *(_cell(cell.state, cell.text, cell.says) for cell in line.cells)
    )
    return format_html(
        _ROW,
        line.number,
        state,
        cells,
        line.composite,
        line.turns,
        line.cost,
        line.cost_says,
        line.message_count,
        line.iteration,
    )


@register.simple_tag
def why_rows(rows: Iterable[Why]) -> str:
    """List items that say of each message whether it counts, by which rule and words, and what people said."""
    states = {True: ("pass", _("counts")), False: ("fail", _("does not count"))}
    return joined("{}", ((_why(row, *states[row.counts]),) for row in rows))


def _why(row: Why, state: str, word: str) -> str:
    words = format_html(' (<span class="mono small">{}</span>)', hostile(row.words)) if row.words else ""
    judged = format_html(' <strong class="own">{}</strong>', row.judged) if row.judged else ""
    return format_html(_WHY, row.message, hostile(row.name), state, word, row.rule, words, judged)


@register.simple_tag
def message_rows(messages: Iterable[MessageLine]) -> str:
    """List items of a transcript with roles, a heading where a round begins."""
    return joined("{}", ((_message(message),) for message in messages))


def _message(message: MessageLine) -> str:
    opens, reply = "", ""
    if message.opens_round:
        label = _("Round %(number)d") % {"number": message.opens_round}
        opens = format_html('<li class="eyebrow"><h3>{}</h3></li>', label)
    if message.reply_to:
        label = _("replies to %(number)d") % {"number": message.reply_to}
        reply = format_html(' <a class="small" href="#m{}">{}</a>', message.reply_to, label)
    name, role = hostile(message.name), hostile(message.role)
    return format_html(_MESSAGE, opens, message.position, name, role, reply, hostile(message.text))


@register.simple_tag
def message_links(positions: Iterable[int]) -> str:
    """Links to messages of the transcript on the same page."""
    return format_html_join(" ", '<a href="#m{0}">{0}</a>', ((position,) for position in positions))
