"""How a message of the transcript is drawn; why by formats and not by a template stands in `drawing`."""

from typing import Any

from django.utils.html import format_html

from discussions.templatetags.drawing import NOTHING, Frame, name, number, spoken, word
from workspace.templatetags.ui import hostile, joined

_MESSAGE = (
    '<article class="msg" id="message-{n}" tabindex="-1" data-position="{n}" data-player="{player}"{hidden}{oob}>'
    '<a class="n num" href="{here}?at={n}&amp;step={step}#at" data-at="{n}">'
    '<span class="visually-hidden">{word} </span>{n}</a><div><div class="head"><span class="pn">{player}</span>'
    '<span class="who">{name}</span>{reply}</div><p class="said">{text}</p><div class="chips">{chips}</div>'
    "</div></article>\n"
)
_HIDDEN = format_html(" {}", "hidden")


def draw_message(m: Any, at: Frame) -> str:
    """One message of the transcript with its chips: the region #message-<position>."""
    return format_html(
        _MESSAGE,
        n=number(m.position),
        player=number(m.player),
        hidden=_HIDDEN if at.player and at.player != m.player else NOTHING,
        oob=at.oob,
        here=at.here,
        step=at.step,
        word=word("Message", at.language),
        name=name(m.name),
        reply=_reply(m, at) if m.reply_to or m.is_confusable else NOTHING,
        text=hostile(m.text, m.spans) if m.spans else spoken(m.text),
        chips=_chips(m, at) if m.chips or m.notes or m.is_flagged else NOTHING,
    )


def _reply(m: Any, at: Frame) -> str:
    badge = NOTHING
    if m.is_confusable:
        badge = format_html('<span class="badge">{}</span>', word("look-alike name", at.language))
    if not m.reply_to:
        return badge
    link = '{}<a class="re" href="{}">{} {}, {}</a>'
    return format_html(
        link, badge, at.place(m.reply_to), word("to", at.language), number(m.reply_to), name(m.reply_name)
    )


def _chips(m: Any, at: Frame) -> str:
    drawn = [draw_chip(one, is_open=at.is_open) for one in m.chips]
    if m.is_flagged:
        drawn.append(format_html('<span class="chip fail">{}</span>', word("flagged", at.language)))
    if m.notes:
        drawn.append(format_html('<span class="chip">{}: {}</span>', word("comments", at.language), m.notes))
    return joined("{}", ((one,) for one in drawn))


def draw_chip(one: Any, *, is_open: bool) -> str:
    """A metric's word on a message; a button that flips it where that is allowed."""
    tone = " own" if one.is_own else ""
    was = format_html(" <s>{}</s>", one.was) if one.was else NOTHING
    if not (one.flip and is_open):
        return format_html('<span class="chip{}">{}{}</span>', tone, one.label, was)
    value = f"{one.kind}~{one.subject}~{one.version}~{one.flip}"
    button = '<button class="chip{}" form="acts" name="act" value="{}" data-m="{}">{}{}</button>'
    return format_html(button, tone, value, one.key, one.label, was)
