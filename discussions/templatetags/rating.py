"""Tags of the evaluator's page; what they draw and why it is not a template stands in `drawing`."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.translation import gettext as _

from discussions.templatetags.drawing import (
    NOTHING,
    Frame,
    draw_by,
    draw_evidence,
    draw_item,
    draw_plain,
    draw_quotes,
    draw_votes,
    frame,
    name,
    number,
    spoken,
    word,
)
from discussions.templatetags.transcripts import draw_chip, draw_message
from workspace.templatetags.ui import joined

register = template.Library()

_CHECKS = {
    "supported": ("supported by the vote record", " pass"),
    "close": ("close to the vote record", ""),
    "cannot_check": ("cannot be checked", ""),
}
_STRONG = '<span class="pending strong">{}</span>'
MOST_LINKS = 100
_LONG = '<blockquote class="long" tabindex="0">{}</blockquote>{}'


@register.simple_tag(takes_context=True)
def transcript(context: template.Context) -> str:
    """Every message of the game in order, the rounds as headings."""
    page = context["page"]
    at = frame(page)
    heading = '<h2 class="roundline" id="round-{}">{}</h2>'
    rows = (
        (format_html(heading, m.round, m.opens_round) if m.opens_round else NOTHING, draw_message(m, at))
        for m in page.messages
    )
    return joined("{}{}", rows)


@register.simple_tag(takes_context=True)
def message(context: template.Context, m: Any) -> str:
    """One message, to be swapped in place."""
    return draw_message(m, frame(context["page"], oob=context.get("oob")))


@register.simple_tag(takes_context=True)
def chip(context: template.Context, one: Any) -> str:
    """A metric's word on a message; a button that flips it where that is allowed."""
    return draw_chip(one, is_open=context["page"].is_open)


@register.simple_tag(takes_context=True)
def votes_table(context: template.Context, votes: Any) -> str:
    """The votes of one round."""
    return draw_votes(votes, frame(context["page"]))


@register.simple_tag
def ticks(several: list[Any]) -> str:
    """One stroke for each message of a round, in the colour of its state."""
    return joined("<i{}></i>", ((_tick_class(tick.state),) for tick in several))


@lru_cache(maxsize=16)
def _tick_class(state: str) -> str:
    return format_html(' class="{}"', state) if state else NOTHING


@register.simple_tag(takes_context=True)
def items(context: template.Context, several: list[Any]) -> str:
    """Judgeable items one under the other."""
    at = frame(context["page"], oob=context.get("oob"))
    return joined("{}", ((DRAWN[item.kind](item, at),) for item in several))


@register.simple_tag(takes_context=True)
def item(context: template.Context, one: Any) -> str:
    """One judgeable item, to be swapped in place."""
    return DRAWN[one.kind](one, frame(context["page"], oob=context.get("oob")))


@register.simple_tag(takes_context=True)
def item_attributes(context: template.Context, item: Any, label: str) -> str:
    """What an item drawn by a template carries so that keys and swaps find it."""
    return format_html(
        'class="item{}" id="{}" role="group" tabindex="-1" data-kind="{}" aria-label="{}"{}{}',
        " asks" if item.needs else "",
        item.id,
        item.kind,
        label,
        format_html(" {}", "data-needs") if item.needs else NOTHING,
        frame(context["page"], oob=context.get("oob")).oob,
    )


@register.filter
def other_half(rating: str) -> str:
    """Half a point more for a whole rating (less for 5), the whole point for a half one; "" when there is none."""
    if not rating:
        return ""
    whole, _dot, half = rating.partition(".")
    if half == "5":
        return f"{whole}.0"
    return "4.5" if whole == "5" else f"{whole}.5"


def _asking(item: Any, at: Frame) -> str:
    return _asks(at.language) if item.needs else NOTHING


@lru_cache(maxsize=16)
def _asks(language: str) -> str:
    return format_html(_STRONG, word("needs you", language))


def _reference(item: Any, at: Frame) -> str:
    what = _("Reference %(number)s") % {"number": item.number}
    if item.is_possible:
        what = _("Possible reference")
    elif item.is_missed:
        what = _("Marked by you")
    body = format_html(
        "<blockquote>{}</blockquote>{}{}", spoken(item.text), _check(item, at), draw_evidence(item, at)
    )
    by = draw_by(item, at, what)
    return draw_item(
        item, at, label=what, by=by, state=_asking(item, at), body=body, more=_reference_acts(item)
    )


def _check(item: Any, at: Frame) -> str:
    if not item.check:
        return NOTHING
    says, tone = _CHECKS[item.check]
    line = '<p class="check-says"><span class="chip{}">{}</span> {}</p>'
    return format_html(line, tone, word(says, at.language), item.check_says)


def _reference_acts(item: Any) -> str:
    acts = []
    if item.is_possible:
        act = f"missed~{item.subject}~{item.missed_version}~yes"
        acts.append(draw_plain(act, _("It is a reference"), "+"))
    if item.is_missed:
        acts.append(draw_plain(f"missed~{item.subject}~{item.missed_version}~", _("Take the mark back")))
    if item.can_be_deliberate:
        turned = "" if item.deliberate else "yes"
        says = _("Not a deliberate lie after all") if item.deliberate else _("A deliberate lie")
        acts.append(draw_plain(f"deliberate~{item.subject}~{item.deliberate_version}~{turned}", says))
    return joined("{}", ((act,) for act in acts))


def _sample(item: Any, at: Frame) -> str:
    state = _asking(item, at)
    if item.machine and not item.needs:
        agrees = word("the rule agrees", at.language)
        says = agrees if item.agrees else _("the rule says %(machine)s") % {"machine": item.machine}
        state = format_html("<span>{}</span>", says)
    body = format_html(_LONG, spoken(item.text), NOTHING)
    return draw_item(item, at, label=_label(item, at), by=draw_by(item, at), state=state, body=body)


def _role(item: Any, at: Frame) -> str:
    rule = format_html('<p class="check-says quiet">{}</p>', item.rule) if item.rule else NOTHING
    body = format_html(_LONG, spoken(item.text), rule)
    side = f", {item.side}" if item.side else ""
    state = format_html('<span class="chip"><span>{}{}</span></span>', name(item.role), side)
    return draw_item(item, at, label=_label(item, at), by=draw_by(item, at), state=state, body=body)


def _label(item: Any, at: Frame) -> str:
    return format_html("{} {}", word("Message", at.language), number(item.message))


def _question(item: Any, at: Frame) -> str:
    what = _("Question %(number)s") % {"number": item.number}
    help_text = format_html('<p class="small quiet">{}</p>', item.help) if item.help else NOTHING
    body = format_html("<p>{}</p>{}", item.text, help_text)
    return draw_item(item, at, label=what, by=what, state=_asking(item, at), body=body)


def _identify(item: Any, at: Frame) -> str:
    by = format_html('<span class="pn">{}</span> {}', number(item.player), name(item.name))
    label = format_html("{} {}", word("Agent", at.language), number(item.player))
    return draw_item(item, at, label=label, by=by, state=NOTHING, body=draw_quotes(item.quotes, at))


def _phrase(item: Any, at: Frame) -> str:
    links = format_html_join(
        ", ", '<a href="{}">{}</a>', ((at.place(n), number(n)) for n in item.messages[:MOST_LINKS])
    )
    if len(item.messages) > MOST_LINKS:
        links = format_html("{}, …", links)
    times = _("%(count)s times") % {"count": item.count}
    by = format_html("{}{}: {}", format_html("{}, ", name(item.name)) if item.name else NOTHING, times, links)
    robotic = format_html('<span class="chip fail">{}</span>', word("robotic", at.language))
    body = format_html("<blockquote>{}</blockquote>", spoken(item.phrase))
    state = robotic if item.is_robotic else NOTHING
    return draw_item(item, at, label=word("Phrase", at.language), by=by, state=state, body=body)


DRAWN: dict[str, Callable[[Any, Frame], str]] = {
    "reference": _reference,
    "strategic_depth": _sample,
    "coherence": _sample,
    "role_consistency": _role,
    "question": _question,
    "identify": _identify,
    "phrase": _phrase,
}
