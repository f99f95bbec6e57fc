"""How the scale of a score is drawn: ten buttons that stand on the reviewer's page for every response and criterion.

A node of a template costs ten times what a format costs; see `discussions/templatetags/drawing.py`.
"""

from functools import lru_cache
from typing import Any

from django import template
from django.utils.html import format_html

from rubric.core.marks import POINTS
from workspace.templatetags.ui import joined

register = template.Library()

_POINT = '<button class="button num" form="acts" name="act" value="{}~{}" data-key="{}" aria-pressed="{}">{}</button>'


@register.simple_tag
def scale(item: Any) -> str:
    """The buttons of an item that is open; ten has the key 0."""
    return format_html(_row(item.value), act=f"{item.kind}~{item.subject}~{item.version}")


@lru_cache(maxsize=32)
def _row(value: str) -> str:
    """The buttons with one of them pressed, as a format that wants `act`: only that differs by item."""
    rows = (("{act}", point, point[-1], "true" if point == value else "false", point) for point in POINTS)
    return format_html('<div class="buttons scale">{}</div>', joined(_POINT, rows))
