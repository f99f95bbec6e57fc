"""The parts of the evaluator's page that stand on it a hundred times; drawn here since a node of a template each
costs fifty times as much. What they are told is escaped by format_html.
"""

from functools import lru_cache
from typing import Any

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _

from workspace.templatetags.ui import hostile

register = template.Library()

_NOTHING = format_html("{}", "")
_OOB = format_html(' hx-swap-oob="{}"', "true")
_HIDDEN = format_html(" {}", "hidden")
_NEEDS = format_html(" {}", "data-needs")
_HIT = format_html(' class="{}"', "hit")

_MESSAGE = (
    '<article class="msg" id="message-{n}" tabindex="-1" data-position="{n}" data-player="{player}"{hidden}{oob}>'
    '<a class="n num" href="?at={n}&amp;step={step}#at" data-at="{n}">'
    '<span class="visually-hidden">{word} </span>{n}</a><div><div class="head"><span class="pn">{player}</span>'
    '<span class="who">{name}</span>{reply}</div><p class="said">{text}</p><div class="chips">{chips}</div>'
    "</div></article>\n"
)
_PRESSED = (
    '<button class="button" form="acts" name="act" value="{}~{}" data-key="{}" aria-pressed="{}">'
    "{} <kbd>{}</kbd></button>"
)
_CLEAR = '<button class="button plain small" form="acts" name="act" value="{}~" data-key="0">{} <kbd>0</kbd></button>'

_YES_NO = (("yes", "y", gettext_lazy("Yes")), ("no", "n", gettext_lazy("No")))
ANSWERS = {
    "reference": (
        ("accurate", "a", gettext_lazy("Accurate")),
        ("inaccurate", "i", gettext_lazy("Inaccurate")),
        ("vague", "v", gettext_lazy("Vague")),
        ("not_a_reference", "x", gettext_lazy("Not a reference")),
    ),
    "strategic_depth": (
        ("yes", "y", gettext_lazy("Strategic")),
        ("no", "n", gettext_lazy("Not strategic")),
    ),
    "coherence": (("yes", "y", gettext_lazy("On topic")), ("no", "n", gettext_lazy("Off topic"))),
    "role_consistency": (
        ("consistent", "c", gettext_lazy("Consistent")),
        ("inconsistent", "i", gettext_lazy("Inconsistent")),
        ("not_assessable", "x", gettext_lazy("Cannot say")),
    ),
    "identify": _YES_NO,
    "question": _YES_NO,
}


@lru_cache(maxsize=1024)
def _name(name: str) -> str:
    return hostile(name)


@register.simple_tag(takes_context=True)
def message(context: template.Context, m: Any) -> str:
    """One message of the transcript, with its chips; the region #message-<position>."""
    page = context["page"]
    return format_html(
        _MESSAGE,
        n=str(m.position),
        player=str(m.player),
        hidden=_HIDDEN if page.player and page.player != m.player else _NOTHING,
        oob=_OOB if context.get("oob") else _NOTHING,
        step=page.step,
        word=_("Message"),
        name=_name(m.name),
        reply=_reply(m) if m.reply_to or m.is_confusable else _NOTHING,
        text=hostile(m.text, m.spans),
        chips=_chips(m, is_open=page.is_open),
    )


def _reply(m: Any) -> str:
    badge = (
        format_html('<span class="badge">{}</span>', _("look-alike name")) if m.is_confusable else _NOTHING
    )
    if not m.reply_to:
        return badge
    link = '<a class="re" href="#message-{}">{}, {}</a>'
    to = _("to %(number)s") % {"number": m.reply_to}
    return format_html("{}{}", badge, format_html(link, m.reply_to, to, _name(m.reply_name)))


def _chips(m: Any, *, is_open: bool) -> str:
    if not (m.chips or m.notes or m.is_flagged):
        return _NOTHING
    drawn = [chip(one, is_open) for one in m.chips]
    if m.is_flagged:
        drawn.append(format_html('<span class="chip fail">{}</span>', _("flagged")))
    if m.notes:
        drawn.append(format_html('<span class="chip">{}: {}</span>', _("comments"), m.notes))
    return format_html_join("", "{}", ((one,) for one in drawn))


@register.simple_tag
def chip(one: Any, is_open: bool) -> str:
    """A metric's word on a message; a button that flips it where that is allowed."""
    tone = "own" if one.is_own else ""
    was = format_html(" <s>{}</s>", one.was) if one.was else _NOTHING
    if not (one.flip and is_open):
        return format_html('<span class="chip {}">{}{}</span>', tone, one.label, was)
    value = f"{one.kind}~{one.subject}~{one.version}~{one.flip}"
    button = '<button class="chip {}" form="acts" name="act" value="{}" data-m="{}">{}{}</button>'
    return format_html(button, tone, value, one.key, one.label, was)


@register.simple_tag(takes_context=True)
def item_attributes(context: template.Context, item: Any, label: str) -> str:
    """What every judgeable item carries: id, focus, what it is about, whether it asks."""
    about = getattr(item, "message", 0)
    return format_html(
        'class="item{}" id="{}" role="group" tabindex="-1" data-kind="{}" aria-label="{}"{}{}{}',
        " asks" if item.needs else "",
        item.id,
        item.kind,
        label,
        format_html(' data-message="{}"', str(about)) if about else _NOTHING,
        _NEEDS if item.needs else _NOTHING,
        _OOB if context.get("oob") else _NOTHING,
    )


@register.simple_tag
def by(item: Any, what: str = "") -> str:
    """Who said it and where, as the first words of an item."""
    link = '{}{}, <a href="#message-{}">{} {}</a>'
    return format_html(
        link, f"{what}, " if what else "", _name(item.name), item.message, _("message"), item.message
    )


@register.simple_tag(takes_context=True)
def answers(context: template.Context, item: Any) -> str:
    """The buttons that answer an item, each with its key; nothing once the evaluation is closed."""
    if not context["page"].is_open:
        return _NOTHING
    row = _answer_row(item.kind, item.value, get_language())
    return format_html(row, act=f"{item.kind}~{item.subject}~{item.version}")


@lru_cache(maxsize=256)
def _answer_row(kind: str, value: str, _language: str | None) -> str:
    """The buttons of a kind with one of them pressed, as a format that wants `act`: only that differs by item."""
    rows = (
        ("{act}", one, key, "true" if one == value else "false", word, key)
        for one, key, word in ANSWERS[kind]
    )
    buttons = format_html('<div class="buttons two">{}</div>', format_html_join("", _PRESSED, rows))
    clear = format_html(_CLEAR, "{act}", _("Clear")) if value else _NOTHING
    return format_html('{}<div class="buttons">{}</div>', buttons, clear) if value else buttons


@register.simple_tag
def vote_rows(votes: Any) -> str:
    """The rows of a round's votes: who voted for whom, the one in question marked."""
    rows = ((_HIT if row.is_hit else _NOTHING, _name(row.voter), _name(row.target)) for row in votes.rows)
    return format_html_join("", "<tr{}><td>{}</td><td>{}</td></tr>", rows)


@register.filter
def other_half(rating: str) -> str:
    """Half a point more for a whole rating (less for 5), the whole point for a half one; "" when there is none."""
    if not rating:
        return ""
    whole, _dot, half = rating.partition(".")
    if half == "5":
        return f"{whole}.0"
    return "4.5" if whole == "5" else f"{whole}.5"
