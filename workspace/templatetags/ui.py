"""Filters that put other people's text, times and figures on a page safely and without lying."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from itertools import chain

from django import template
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import escape, format_html
from django.utils.translation import gettext as _

from workspace.core.text_display import Piece, figure, pieces

register = template.Library()

NOTHING = format_html("{}", "")


def joined(pattern: str, rows: Iterable[Sequence[object]]) -> str:
    """What `format_html_join("", pattern, rows)` gives, in one call: `pattern` has plain {} only."""
    several = list(rows)
    return format_html(pattern * len(several), *chain.from_iterable(several)) if several else NOTHING


@lru_cache(maxsize=1024)
def _badge(text: str, title: str) -> str:
    return format_html('<span class="badge" title="{}">{}</span>', title, text)


def _draw(piece: Piece) -> str:
    inner = _badge(piece.text, piece.title) if piece.title else escape(piece.text)
    return format_html("<mark>{}</mark>", inner) if piece.is_marked else inner


@register.filter
def hostile(text: str, spans: Sequence[tuple[int, int]] | None = None) -> str:
    """Untrusted text as isolated, escaped markup; `spans` (half-open code points) are marked.

    Invisible and direction-changing characters become badges, long runs of combining marks are clipped.
    """
    text = str(text)
    if not spans and text.isascii() and text.isprintable():
        return format_html('<bdi dir="auto">{}</bdi>', text)
    drawn = joined("{}", ((_draw(piece),) for piece in pieces(text, spans or ())))
    return format_html('<bdi dir="auto">{}</bdi>', drawn)


@register.filter
def percent(score: float | Fraction | Decimal | None, threshold: float | None = None) -> str:
    """A score with one decimal, or as many as it takes not to look like it is on the other side of `threshold`."""
    return _("pending") if score is None else figure(score, threshold)


@register.filter
def dollars(amount: Decimal | float | None, threshold: float | None = None) -> str:
    """US dollars with two decimals or more; never rounded across `threshold`."""
    if amount is None:
        return _("not reported")
    return f"${figure(amount, threshold, decimals=2)}"


@register.filter
def clock(moment: datetime | None) -> str:
    """The hour, minute and second in the viewer's time zone."""
    return "" if moment is None else date_format(timezone.localtime(moment), "H:i:s")


@register.filter
def moment(value: datetime | None) -> str:
    """Date and minute in the viewer's time zone, as a <time> element."""
    if value is None:
        return ""
    shown = date_format(timezone.localtime(value), "j M Y, H:i")
    return format_html('<time datetime="{}">{}</time>', value.isoformat(), shown)
