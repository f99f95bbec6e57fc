"""Rows of the regions that every answer to an act draws anew: steps, figures, what is missing, the last look."""

from typing import Any

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.translation import gettext as _

from discussions.templatetags.turning import address
from workspace.templatetags.ui import NOTHING, joined

register = template.Library()

_STEP = '<a href="{}?step={}" data-step="{}"{}{}>{}<small>{}</small></a>'
_ASKS = format_html(' class="{}"', "asks")
_CURRENT = format_html(' aria-current="{}"', "step")
_METER = (
    '<div class="meter {0}"><span>{1} <b class="num {0}">{2}<span class="visually-hidden"> {0}</span></b></span>'
    '<svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true"><rect class="ground" width="100" '
    'height="8"/>{3}<path d="M{4} 0v8"/></svg></div>'
)
_SHARE = '<rect class="share" width="{}" height="8"/>'
_MISSING = '<li><a href="{}?step={}{}#{}"{}>{}</a></li>'
_REVIEWED = (
    '<tr><th scope="row">{}</th><td class="num">{}</td><td><span class="{} strong">{}</span></td></tr>'
)


@register.simple_tag
def step_links(page: Any) -> str:
    """A link to every step, with how far it is."""
    here = address(page.evaluation_id)
    rows = (
        (
            here,
            step.key,
            step.key,
            _ASKS if step.needs else NOTHING,
            _CURRENT if step.key == page.step else NOTHING,
            step.label,
            step.count,
        )
        for step in page.steps
    )
    return joined(_STEP, rows)


@register.simple_tag
def meters(page: Any) -> str:
    """A bar for every figure."""
    return format_html_join(
        "",
        _METER,
        (
            (
                one.state,
                one.label,
                one.text,
                format_html(_SHARE, one.share) if one.share >= 0 else NOTHING,
                one.threshold,
            )
            for one in page.figures
        ),
    )


@register.simple_tag
def missing_links(page: Any) -> str:
    """List items that lead to what submitting still waits for."""
    here = address(page.evaluation_id)
    rows = ((here, one.step, *_way(page, one), one.says) for one in page.missing)
    return joined(_MISSING, rows)


def _way(page: Any, one: Any) -> tuple[str, str, str]:
    """The page to turn to, the item, and the mark for the script, which only finds what is on this page."""
    if one.page in (0, page.window.page):
        return NOTHING, one.item_id, format_html(' data-go="{}"', one.item_id)
    return format_html("&amp;page={}", one.page), one.item_id, NOTHING


@register.simple_tag
def reviewed_rows(review: Any) -> str:
    """The figures of the last look as table rows."""
    words = {"pass": _("PASS"), "fail": _("FAIL")}
    rows = ((row.label, row.text, row.state, words.get(row.state, _("pending"))) for row in review.rows)
    return joined(_REVIEWED, rows)
