"""Turning the pages of a long transcript: links to messages wherever they stand, and from page to page."""

from functools import lru_cache
from typing import Any

from django import template
from django.urls import reverse
from django.utils.html import escape, format_html
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from discussions.pages.rating_window import WHOLE, Window
from workspace.templatetags.ui import NOTHING, joined

register = template.Library()

_TURN = '<a class="button small" data-turn="{}" href="{}?step={}&amp;page={}#message-{}">{}</a>'
_PAGES = (
    '<nav class="turn small" aria-label="{}"><p class="buttons">{}<span class="num quiet">{}</span>{}</p>'
    "<details><summary>{}</summary><p>{}</p></details></nav>"
)
_PAGE = '<a href="{}?step={}&amp;page={}#message-{}"{}>{}</a> '
_CURRENT = format_html(' aria-current="{}"', "page")
_MORE = '<p class="small"><a data-turn="more" href="{}?step={}&amp;page={}">{}</a></p>'


@lru_cache(maxsize=4096)
def address(evaluation: int) -> str:
    """The address of an evaluator's page, escaped; asked several times in every answer, and always the same."""
    return escape(reverse("rate", args=[evaluation]))


def window_on(page: Any) -> Window:
    """The part of the transcript that a page shows; pages that show none have no such thing."""
    return getattr(page, "window", WHOLE)


def place_of(position: int, window: Window, here: str, step: str) -> str:
    """Where a message is: on this page, or on another of the same transcript."""
    if window.holds(position):
        return _anchor(position)
    return format_html("{}?step={}&amp;page={}#message-{}", here, step, window.page_of(position), position)


@lru_cache(maxsize=4096)
def _anchor(position: int) -> str:
    return format_html("#message-{}", position)


@register.simple_tag
def message_place(page: Any, position: int) -> str:
    """The address of a message, as seen from the evaluator's page."""
    return place_of(position, window_on(page), address(page.evaluation_id), page.step)


@register.simple_tag
def turning(page: Any) -> str:
    """Links to the pages before and after, and to every other; nothing where the transcript is one page."""
    window, here = window_on(page), address(page.evaluation_id)
    if not window.is_paged:
        return NOTHING
    before, after, last = window.page - 1, window.page + 1, len(window.starts)
    back = NOTHING
    if before:
        back = format_html(_TURN, "prev", here, page.step, before, window.first - 1, _("Earlier messages"))
    onward = NOTHING
    if after <= last:
        onward = format_html(_TURN, "next", here, page.step, after, window.last + 1, _("Later messages"))
    given = {"first": window.first, "last": window.last, "count": window.message_count}
    says = _("Messages %(first)s to %(last)s of %(count)s") % given
    every = (
        (here, page.step, number, start, _CURRENT if number == window.page else NOTHING, start)
        for number, start in enumerate(window.starts, start=1)
    )
    pages = joined(_PAGE, every)
    label = _("Pages of the transcript")
    return format_html(_PAGES, label, back, says, onward, _("Go to the page that begins with message"), pages)


@register.simple_tag
def more_link(page: Any, more: Any, step: str) -> str:
    """Where a list goes on, when this page of the transcript does not hold all that it wants."""
    if more is None:
        return NOTHING
    says = ngettext(
        "%(n)s more on another page of the transcript. Go on there",
        "%(n)s more on other pages of the transcript. Go on there",
        more.count,
    )
    if more.page == page.window.page:
        says = ngettext("%(n)s more. Show it", "%(n)s more. Show the next", more.count)
    here = address(page.evaluation_id)
    return format_html(_MORE, here, step, more.page, says % {"n": more.count})
