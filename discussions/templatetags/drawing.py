"""How the parts that stand a hundred times on the evaluator's page are drawn: messages and judgeable items.

A node of a template costs ten times what a format costs, and this page has thousands of them; so these parts are
drawn here, everything else of the page by templates. Every value goes through format_html.
"""

from functools import lru_cache
from typing import Any, NamedTuple

from django.utils.html import escape, format_html
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _

from discussions.pages.rating_window import WHOLE, Window
from discussions.templatetags.turning import address, place_of, window_on
from workspace.templatetags.ui import NOTHING, hostile, joined

_OOB = format_html(' hx-swap-oob="{}"', "true")
_ASKS = format_html(" {}", "asks")
_OPEN = format_html(" {}", "open")
_NEEDS = format_html(" {}", "data-needs")
SHORT = 1000
_HIT = format_html(' class="{}"', "hit")

_ITEM = (
    '<div class="item{asks}" id="{id}" role="group" tabindex="-1" data-kind="{kind}" aria-label="{label}"'
    '{about}{needs}{oob}><p class="by"><span>{by}</span>{state}</p>{body}{answers}{was}</div>\n'
)
_ANSWER = (
    '<button class="button" form="acts" name="act" value="{}~{}" data-key="{}" aria-pressed="{}">'
    "{} <kbd>{}</kbd></button>"
)
_CLEAR = '<button class="button plain small" form="acts" name="act" value="{}~" data-key="0">{} <kbd>0</kbd></button>'
_PLAIN = '<button class="button plain small" form="acts" name="act" value="{}" data-key="{}">{}</button>'
_TABLE = (
    '<table class="table"><caption class="tiny">{}</caption><thead><tr><th scope="col">{}</th>'
    '<th scope="col">{}</th></tr></thead><tbody>{}</tbody></table>'
)
_EVIDENCE = "<details data-evidence{}><summary>{} <kbd>e</kbd></summary>{}</details>"

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
    "phrase": (("acceptable", "y", gettext_lazy("Acceptable")),),
}


# Fixed words by themselves, so that the translators find them and a page looks each up once.
WORDS = {
    "Message": gettext_lazy("Message"),
    "look-alike name": gettext_lazy("look-alike name"),
    "to": gettext_lazy("to"),
    "flagged": gettext_lazy("flagged"),
    "comments": gettext_lazy("comments"),
    "message": gettext_lazy("message"),
    "Who voted": gettext_lazy("Who voted"),
    "for whom": gettext_lazy("for whom"),
    "Vote record": gettext_lazy("Vote record"),
    "What they said in that round": gettext_lazy("What they said in that round"),
    "needs you": gettext_lazy("needs you"),
    "the rule agrees": gettext_lazy("the rule agrees"),
    "Agent": gettext_lazy("Agent"),
    "robotic": gettext_lazy("robotic"),
    "Phrase": gettext_lazy("Phrase"),
    "supported by the vote record": gettext_lazy("supported by the vote record"),
    "close to the vote record": gettext_lazy("close to the vote record"),
    "cannot be checked": gettext_lazy("cannot be checked"),
}


class Frame(NamedTuple):
    """What all parts of one answer share: the open step, the speaker shown alone, whether anything may be pressed."""

    here: str
    step: str
    player: int
    is_open: bool
    oob: str
    language: str
    first: str
    window: Window = WHOLE

    def place(self, position: int) -> str:
        """The address of a message, on this page of the transcript or another."""
        return place_of(position, self.window, self.here, self.step)


def frame(page: Any, *, oob: object = False) -> Frame:
    """The frame of a page, or of the regions that an answer swaps into it."""
    shared = _OOB if oob else NOTHING
    # A refused act without script is answered under the act's own address: links name the page's.
    here = address(page.evaluation_id)
    language = get_language() or ""
    return Frame(
        here,
        escape(page.step),
        page.player,
        page.is_open,
        shared,
        language,
        "" if oob else _first(page),
        window_on(page),
    )


def _first(page: Any) -> str:
    """The reference that the script will focus: its evidence is drawn open, so that nothing moves when it does."""
    several = page.references if page.step == "references" else []
    return next((one.id for one in several if one.needs), several[0].id if several else "")


@lru_cache(maxsize=2048)
def name(player: str) -> str:
    """A player's name as hostile text; few names, many messages."""
    return hostile(player)


def spoken(text: str) -> str:
    """What somebody wrote as hostile text; a message stands on the page again wherever it is evidence."""
    return _spoken(text) if len(text) <= SHORT else hostile(text)


@lru_cache(maxsize=1024)
def _spoken(text: str) -> str:
    return hostile(text)


@lru_cache(maxsize=4096)
def number(count: int) -> str:
    """A position or a player's number, escaped once."""
    return escape(count)


@lru_cache(maxsize=512)
def word(key: str, _language: str) -> str:
    """A fixed word in the language of the page."""
    return escape(WORDS[key])


_kind = lru_cache(maxsize=64)(escape)


@lru_cache(maxsize=4096)
def _about(message: int) -> str:
    return format_html(' data-message="{}"', message)


def draw_item(
    item: Any, at: Frame, *, label: str, by: str, state: str, body: str, more: str = NOTHING
) -> str:
    """The frame of a judgeable item: what it is about, whether it asks, its answers, what it was before the reveal."""
    about = getattr(item, "message", 0)
    return format_html(
        _ITEM,
        asks=_ASKS if item.needs else NOTHING,
        id=item.id,
        kind=_kind(item.kind),
        label=label,
        about=_about(about) if about else NOTHING,
        needs=_NEEDS if item.needs else NOTHING,
        oob=at.oob,
        by=by,
        state=state,
        body=body,
        answers=_answers(item, at, more) if at.is_open else _said(item.kind, item.value, at.language),
        was=_was(item) if item.was else NOTHING,
    )


def draw_by(item: Any, at: Frame, what: str = "") -> str:
    """Who said it and where, as the first words of an item."""
    link = '{}{}, <a href="{}">{} {}</a>'
    said = number(item.message)
    return format_html(
        link,
        f"{what}, " if what else NOTHING,
        name(item.name),
        at.place(item.message),
        word("message", at.language),
        said,
    )


def draw_votes(votes: Any, at: Frame) -> str:
    """A round's votes: who voted for whom, the one in question marked."""
    rows = ((_HIT if row.is_hit else NOTHING, name(row.voter), name(row.target)) for row in votes.rows)
    body = joined("<tr{}><td>{}</td><td>{}</td></tr>", rows)
    title = _("Votes of round %(number)s") % {"number": votes.round}
    return format_html(_TABLE, title, word("Who voted", at.language), word("for whom", at.language), body)


def draw_quotes(quotes: list[Any], at: Frame) -> str:
    """What was said elsewhere, each with a link to its message."""
    line = '<li><a href="{}">{}</a> {}: {}</li>'
    rows = ((at.place(q.message), number(q.message), name(q.name), spoken(q.text)) for q in quotes)
    return format_html('<ul class="quotes" tabindex="0">{}</ul>', joined(line, rows))


def draw_evidence(item: Any, at: Frame) -> str:
    """What a reference can be held against, votes or words; a possible one shows it once accepted."""
    if item.is_possible:
        return NOTHING
    opened = _OPEN if item.id == at.first else NOTHING
    if item.votes:
        return format_html(_EVIDENCE, opened, word("Vote record", at.language), draw_votes(item.votes, at))
    if item.messages:
        said = word("What they said in that round", at.language)
        return format_html(_EVIDENCE, opened, said, draw_quotes(item.messages, at))
    return NOTHING


def draw_plain(act: str, text: str, key: str = "") -> str:
    """A lesser button under the answers of an item."""
    return format_html(_PLAIN, act, key, format_html("{} <kbd>{}</kbd>", text, key) if key else text)


def _answers(item: Any, at: Frame, more: str) -> str:
    row = (
        _answer_row(item.kind, item.value, at.language)
        if not getattr(item, "is_possible", False)
        else NOTHING
    )
    row = format_html(row, act=f"{item.kind}~{item.subject}~{item.version}")
    return format_html('{}<div class="buttons">{}</div>', row, more) if more else row


@lru_cache(maxsize=256)
def _answer_row(kind: str, value: str, _language: str) -> str:
    """The buttons of a kind with one of them pressed, as a format that wants `act`: only that differs by item."""
    rows = (
        ("{act}", one, key, "true" if one == value else "false", text, key)
        for one, key, text in ANSWERS[kind]
    )
    buttons = format_html('<div class="buttons two">{}</div>', joined(_ANSWER, rows))
    clear = format_html(_CLEAR, "{act}", _("Clear")) if value else NOTHING
    return format_html('{}<div class="buttons">{}</div>', buttons, clear) if value else buttons


@lru_cache(maxsize=256)
def _said(kind: str, value: str, _language: str) -> str:
    """The answer alone, where nothing can be judged any more; nothing where none was given."""
    given = next((text for one, _key, text in ANSWERS[kind] if one == value), "")
    return format_html("<p>{} <strong>{}</strong></p>", _("You said:"), given) if given else NOTHING


def _was(item: Any) -> str:
    before = _("Before the reveal you said: %(was)s.") % {"was": item.was}
    return format_html('<p class="was">{} {}</p>', before, item.reason)
