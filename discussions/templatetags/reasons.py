"""Rows that say why a metric's number is what it is, drawn by formats and kept: findings never change."""

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from django import template
from django.utils.html import format_html
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from discussions.pages.game import GamePage, MessageLine
from discussions.pages.people import JudgementLine
from discussions.pages.second_look import PhraseUse
from discussions.pages.why import Why, WhyPhrase, WhyPlayer, WhyReference
from discussions.templatetags.drawing import SHORT, name, spoken
from workspace.templatetags.ui import NOTHING, hostile, joined

register = template.Library()

MOST_LINKS = 100
_WHY = '<li value="{}"><a href="{}">{}</a> <span class="{}">{}</span>: {}{}{}</li>\n'
_REFERENCE = '<li><a href="{}">{}</a> {}: “{}” <strong>{}</strong> <span class="quiet">{}{}</span></li>\n'
_PLAYER = '<tr><th scope="row">{}</th><td>{}</td><td>{}</td><td class="num">{}</td></tr>\n'
_PHRASE = "<li>{}: “{}” {} ×{}; {}</li>\n"
_USE = "<li>“{}” {} ×{}: {}; {} {}</li>\n"
_JUDGEMENT = "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n"
_LINK = '<a href="{}">{}</a>'
_MESSAGE = (
    '{0}<li id="m{1}" value="{1}"><strong>{2}</strong> <span class="chip">{3}</span>{4}<p>{5}</p></li>\n'
)
_VOTE = '<tr><td class="num">{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n'


def _place(page: GamePage, position: int) -> str:
    """Where a message is: on this page of the transcript, or on the one that begins with it."""
    is_here = page.messages and page.messages[0].position <= position <= page.messages[-1].position
    return _here(position) if is_here else format_html("?from={}#m{}", position, position)


@lru_cache(maxsize=4096)
def _here(position: int) -> str:
    return format_html("#m{}", position)


@register.simple_tag
def why_rows(page: GamePage, rows: Iterable[Why]) -> str:
    """List items that say of each message whether it counts, by which rule and words, and what people said."""
    language = get_language() or ""
    return joined("{}", ((_why(row, _place(page, row.message), language),) for row in rows))


@lru_cache(maxsize=8192)
def _why(row: Why, place: str, _language: str) -> str:
    state, word = ("pass", _("counts")) if row.counts else ("fail", _("does not count"))
    words = format_html(' (<span class="mono small">{}</span>)', hostile(row.words)) if row.words else NOTHING
    judged = format_html(' <strong class="own">{}</strong>', row.judged) if row.judged else NOTHING
    return format_html(_WHY, row.message, place, name(row.name), state, word, row.rule, words, judged)


@register.simple_tag
def reference_rows(page: GamePage, rows: Iterable[WhyReference]) -> str:
    """List items of references: who said what, the label, the word of the vote record with its rows."""
    language = get_language() or ""
    return joined("{}", ((_reference(row, _place(page, row.message), language),) for row in rows))


@lru_cache(maxsize=2048)
def _reference(row: WhyReference, place: str, _language: str) -> str:
    what = _("message %(number)s") % {"number": row.message}
    evidence = joined("; {}", ((hostile(line),) for line in row.evidence))
    return format_html(
        _REFERENCE, place, what, name(row.name), spoken(row.text), row.label, row.check, evidence
    )


@register.simple_tag
def neighbour_rows(rows: Iterable[WhyPlayer]) -> str:
    """Table rows of agents with the one most like them."""
    drawn = ((name(row.name), row.says, name(row.nearest), row.similarity) for row in rows)
    return joined(_PLAYER, drawn)


@register.simple_tag
def phrase_rows(page: GamePage, rows: Iterable[WhyPhrase]) -> str:
    """List items of phrases that their speaker repeats."""
    accepted = format_html(' <strong class="own">{}</strong>', _("judged acceptable"))
    drawn = (
        (
            name(row.name),
            spoken(row.phrase),
            row.count,
            accepted if row.is_accepted else NOTHING,
            _links(page, row.messages),
        )
        for row in rows
    )
    return joined(_PHRASE, drawn)


@register.simple_tag
def use_rows(page: GamePage, rows: Iterable[PhraseUse]) -> str:
    """List items of the phrases used most, with everybody who says them."""
    robotic, within = format_html(' <span class="chip fail">{}</span>', _("robotic")), _("in")
    drawn = (
        (
            spoken(row.phrase),
            row.count,
            robotic if row.is_robotic else NOTHING,
            joined("{}{}", (("" if not at else ", ", name(one)) for at, one in enumerate(row.speakers))),
            within,
            _links(page, row.messages),
        )
        for row in rows
    )
    return joined(_USE, drawn)


def _links(page: GamePage, positions: Any) -> str:
    """Links to messages; of very many the first, and an ellipsis."""
    shown = list(positions[:MOST_LINKS])
    links = joined(" " + _LINK, ((_place(page, position), position) for position in shown))
    return format_html("{} …", links) if len(positions) > MOST_LINKS else links


@register.simple_tag
def judgement_rows(page: GamePage, rows: Iterable[JudgementLine]) -> str:
    """Table rows of what one person said."""
    drawn = (
        (
            row.kind,
            format_html(_LINK, _place(page, row.message), row.subject)
            if row.message
            else hostile(row.subject),
            row.value,
            row.before,
            hostile(row.reason) if row.reason else NOTHING,
        )
        for row in rows
    )
    return joined(_JUDGEMENT, drawn)


@register.simple_tag
def message_rows(page: GamePage) -> str:
    """List items of a transcript with roles, a heading where a round begins."""
    language = get_language() or ""
    return joined(
        "{}",
        (
            (
                (_message if len(one.text) <= SHORT else _message.__wrapped__)(
                    one, _place(page, one.reply_to) if one.reply_to else "", language
                ),
            )
            for one in page.messages
        ),
    )


@lru_cache(maxsize=2048)
def _message(message: MessageLine, place: str, _language: str) -> str:
    opens, reply = NOTHING, NOTHING
    if message.opens_round:
        label = _("Round %(number)d") % {"number": message.opens_round}
        opens = format_html('<li class="eyebrow"><h3>{}</h3></li>', label)
    if message.reply_to:
        label = _("replies to %(number)d") % {"number": message.reply_to}
        reply = format_html(' <a class="small" href="{}">{}</a>', place, label)
    role = name(message.role)
    return format_html(
        _MESSAGE, opens, message.position, name(message.name), role, reply, hostile(message.text)
    )


@register.simple_tag
def vote_rows(page: GamePage) -> str:
    """Table rows of the recorded votes."""
    drawn = (
        (vote.round, name(vote.voter), name(vote.target), spoken(vote.justification)) for vote in page.votes
    )
    return joined(_VOTE, drawn)
