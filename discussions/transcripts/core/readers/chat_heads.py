"""Whether a text is a chat, told by its first lines."""

import re
from collections import Counter
from collections.abc import Collection

from discussions.transcripts.core.audience import THOUGHT_NAMES
from discussions.transcripts.core.readers import chat_forms as forms
from discussions.transcripts.core.readers import chat_labels as labels
from discussions.transcripts.core.readers import chat_lines as chat

SAMPLE_LINES, HEAD_CHARACTERS = 400, 200_000
# What stands before a name and is no sign of an item in a list, and what may stand between a name and a colon.
_BEFORE = (
    r"(?:[-*•] (?=[^\x00-\x7f\w]))?"
    r"(?:\(?\d{1,4}[.)] |\[[^\[\]\n]{1,20}\] |[^\x00-\x7f\w]\ufe0f? ?|[<`@*(\['\"“]{1,2}"
    r"|[A-Za-z]{1,12}[.:/_-]|(?:inner|private|secret|hidden) ){1,4}"
)
_AFTER, _BOXED, _DOES = (
    r"(?![\w'’])[^:：\n]{0,40}[:：](?!\d)",
    r" ?[(\[][^()\[\]\n]{1,30}[)\]][^:：\n]{0,40}[:：](?!\d)",
    r"(?:(?: [^\W\d_]{1,20}){1,3}|[:|/._-][^\W\d_]{0,12}) ?[:：](?!\d)",
)
# What is more than a name: a number, the level of a log, or a verb.
_NO_NAME = re.compile(
    r"\d{1,4}[.)] .*|(?:INFO|DEBUG|WARN(?:ING)?|ERROR|NOTICE|TRACE)\b.*"
    r"|.* (?:says?|said|asks?|asked|replie[sd]|thinks?)"
)
# How each entry of a log may begin, beside a time.
_ENTRY = re.compile(r"\(?\d{1,4}[.)] |[^\x00-\x7f\w]\ufe0f? |\[[A-Z]{4,8}\] ")
_LABELLED = re.compile(r"[^:：\n]{1,60}[:：](?!\d)|\W{0,4}[\[(<*][^\n]{1,60}[\])>*]")


def recognises_text(text: str) -> bool:
    """Whether a text is a chat: two messages with times, a name that speaks twice, or only messages and headings."""
    whole = [line.strip("\r") for line in text[:HEAD_CHARACTERS].split("\n")]
    whole = forms.as_chat(whole, forms.find_forms(whole))
    whole = whole[labels.facts_at(whole, 0, len(whole))[1] :]
    lines = [line for line in whole if line.strip()][:SAMPLE_LINES]
    is_log = 2 * sum(chat.LOG_LINE.match(line) is not None for line in lines) > len(lines)
    if lines and (is_log or lines[0].lstrip().startswith("{") or labels.is_markup(lines)):
        return False
    lines = [*labels.outside_tags(lines)]
    style = chat.find_style(lines)
    found = [line.after or line for line in (chat.read_chat_line(line, style) for line in lines)]
    # Who tells of a round behind a picture may be a player, or a label that hides what follows.
    signed = {
        line.name.casefold()
        for line, plain in zip(found, lines, strict=True)
        if line.kind != "more" and not line.audience and chat.match_signed(plain)
    }
    if _is_misread(found, lines, is_timed=style.is_timed) or labels.is_odd_chat(found, lines, whole):
        return False
    if not signed <= {"", *style.narrators}:
        return False
    # Who leads the game may be listed as a player.
    said = [line for line in found if line.kind in ("message", "narrated")]
    names = [line.name for line in said if not line.audience and line.name.casefold() not in THOUGHT_NAMES]
    most = max(Counter(names).values(), default=0)
    if {*map(str.casefold, names)} <= {*style.narrators}:
        return False
    first_lines = sum(line.kind != "more" for line in found)
    if style.is_timed:
        return len(said) >= 2 and 10 * first_lines >= len(found)
    headings = sum(line.kind == "heading" for line in found)
    is_whole = headings > 0 and len(said) >= 2 and len(said) + headings == len(found)
    return is_whole or (most >= 2 and 3 * first_lines >= len(found))


def _is_misread(found: list[chat.ChatLine], lines: list[str], *, is_timed: bool) -> bool:
    """Whether names hold more than a name, or lines that begin no message look like entries of their own."""
    plain = list(zip(found, lines, strict=True))
    more = [line for one, line in plain if one.kind == "more"]
    entries = [line for one, line in plain if one.kind == "message"]
    called = {chat.read_aside(one.name)[0] for one in found if one.kind == "message"}
    are_entries = bool(entries) and all(map(_ENTRY.match, entries)) and any(map(_ENTRY.match, more))
    is_odd = any(map(_NO_NAME.fullmatch, called)) or are_entries
    return is_odd or _speak_inside(more, called, is_timed=is_timed)


def _speak_inside(more: list[str], called: Collection[str], *, is_timed: bool) -> bool:
    """Whether lines that begin no message name a player before a colon, or anybody after a time, where others do."""
    names = "|".join(map(re.escape, sorted(called, key=len, reverse=True)))
    speaks = re.compile(rf"{_BEFORE}(?:{names}){_AFTER}|(?:{names})(?:{_BOXED}|{_DOES})") if called else None
    timed = ((line, chat.TIMED.match(line)) for line in more if is_timed)
    return any(time and _LABELLED.match(line, time.end()) for line, time in timed) or any(
        speaks and speaks.match(line) for line in more
    )
