"""Rows that stand often on the pages of leads, drawn by formats: a node of a template costs ten times more."""

from collections.abc import Iterable
from functools import lru_cache

from django import template
from django.utils.html import format_html
from django.utils.translation import gettext as _

from discussions.pages.games import GameLine
from workspace.templatetags.ui import joined

register = template.Library()

_ROW = (
    '<tr><th scope="row" class="num"><a href="{0}/">{0}</a></th><td class="whole">{1}</td>{2}<td class="num">{3}</td>'
    '<td class="num">{4}</td><td class="num">{5} <span class="tiny">{6}</span></td><td class="num">{7}</td>'
    '<td class="whole">{8}</td></tr>\n'
)
_CELL = '<td class="num {}">{} <span class="tiny">{}</span></td>'
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
