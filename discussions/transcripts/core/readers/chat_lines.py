"""One line of a text chat: a message, a heading of a round, a vote, an elimination, or a continuation."""

import re

from msgspec import Struct
from msgspec.structs import replace

_CLOCK = r"\d{1,2}:\d\d(?::\d\d(?:[.,]\d{1,6})?)?(?: ?[AaPp]\.?[Mm]\.?)?(?: ?(?:Z|UTC|[+-]\d\d:?\d\d))?"
_DATE = r"(?:\d{4}-\d\d-\d\d|\d{1,2}[./]\d{1,2}[./]\d{2,4})"
_TIME = rf"(?:{_DATE},?[ T])?{_CLOCK}"
_NAME = r"""[^\W_][^:\[\](){}"<>,;|\t\n=]{0,59}?(?: ?\([^()\n]{1,30}\))?"""
MESSAGE = re.compile(
    rf"(?:[\[(](?P<boxed>{_TIME}|\d{{1,18}}(?:\.\d{{1,9}})?)[\])]|(?P<bare>{_TIME}))?"
    rf" ?(?:[-–|] )?(?P<mark>[*_`@]{{0,3}})(?P<name>{_NAME})[*_`]{{0,3}} ?:[*_`]{{0,3}}(?:[ \t](?P<text>.*)|$)"
)
# As IRC logs write it; a sign before the name marks a channel privilege.
IRC = re.compile(
    rf"(?:[\[(](?P<boxed>{_TIME})[\])]|(?P<bare>{_TIME}))? ?(?P<mark><) ?[@+%~&]?"
    r"(?P<name>[^\s<>:/=\"'!@+%~&][^<>:/=\"'\n]{0,59}?) ?>(?:[ \t]{1,3}(?P<text>.*)|$)"
)
# The round before each message: "[Day 1] Ann: hello", "[Day 1, 10:05] Ann: hello".
_MARKED = re.compile(
    rf"[\[(](?P<kind>round|day|night|phase)\s{{0,3}}#?(?P<number>\d{{1,9}})(?:,?\s{{1,3}}(?P<time>{_TIME}))?[\])]"
    r"\s{0,3}(?P<more>\S.*)",
    re.IGNORECASE,
)
_HEADING = re.compile(
    r"(?P<sign>[^\w\s]{0,20})\s{0,5}(?P<kind>round|day|night|phase)\s{0,3}#?(?P<number>\d{1,9})"
    r"(?:\s{0,5}(?P<end>[^\w\s]{1,20})|(?P<more>\s{0,3}[:–-]\s.{0,80}|\s.{0,80}))?\s{0,5}",
    re.IGNORECASE,
)
# Words before a colon that look like a name but begin a round: "Night 1: wolves".
HEADING_NAME = re.compile(r"(?P<kind>round|day|night|phase)\s{0,3}#?(?P<number>\d{1,9})", re.IGNORECASE)
ARROW = re.compile(r"(?P<voter>[^\n]{1,200}?)\s{0,5}(?:->|→|=>)\s{0,5}(?P<target>[^\n]{1,200})")
# Without times, a name of more words counts as the beginning of a sentence.
MOST_WORDS = 3


class ChatLine(Struct, frozen=True):
    """One line: `kind` is heading, night, vote, out, message, blank or more (it continues the text before).

    `after` is the text that follows a heading on its line and counts as a line of its own: "Day 1: Ann: hello".
    """

    kind: str
    name: str = ""
    text: str = ""
    time: str | None = None
    round: int = 0
    after: "ChatLine | None" = None


class ChatStyle(Struct, frozen=True):
    """How the messages of a file are recognised: by their times, and by names in angle brackets."""

    is_timed: bool = False
    is_irc: bool = False


def find_style(lines: list[str]) -> ChatStyle:
    """How messages are recognised: by the signs that at least half of the lines that look like messages have."""
    marked = ((line, _MARKED.fullmatch(line)) for line in lines)
    found = [
        match for line, mark in marked if (match := match_message(mark["more"] if mark else line)) is not None
    ]
    timed = sum(match["boxed"] is not None or match["bare"] is not None for match in found)
    irc = sum(match["mark"] == "<" for match in found)
    return ChatStyle(
        is_timed=timed >= 2 and 2 * timed >= len(found), is_irc=irc >= 2 and 2 * irc >= len(found)
    )


def match_message(line: str) -> "re.Match[str] | None":
    """The parts of a line that looks like a message."""
    return MESSAGE.fullmatch(line) or IRC.fullmatch(line)


def read_chat_line(
    line: str, style: ChatStyle, *, names: set[str] | None, heading_names: frozenset[str] = frozenset()
) -> ChatLine:
    """The kind of a line. If `names` are given, only these begin a message; an indented line continues the text before.

    `heading_names` are players with a name that looks like a heading.
    """
    if not line.strip():
        return ChatLine("blank")
    if line[0] in " \t":
        return ChatLine("more", text=line.strip())
    if (marked := _marked_line(line, style, names)) is not None:
        return marked
    match = match_message(line)
    heading = read_heading(line) or _named_heading(match, heading_names)
    if heading is None:
        return _said(line, match, style, names=names)
    # If a message follows a heading, its time may precede the heading.
    style = replace(style, is_timed=style.is_timed and heading.time is None)
    match = match_message(heading.text)
    after = _said(heading.text, match, style, names=names)
    if after.kind == "more" or not after.text or _named_heading(match, heading_names):
        return heading
    return replace(heading, after=replace(after, time=after.time or heading.time))


def _marked_line(line: str, style: ChatStyle, names: set[str] | None) -> ChatLine | None:
    """A message or another line that follows a round mark on the same line; None for any other line."""
    mark = _MARKED.fullmatch(line)
    if mark is None:
        return None
    style = replace(style, is_timed=style.is_timed and mark["time"] is None)
    after = _said(mark["more"], match_message(mark["more"]), style, names=names)
    if after.kind == "more":
        return None
    after = replace(after, time=after.time or mark["time"])
    return ChatLine(_heading_kind(mark["kind"]), round=int(mark["number"]), after=after)


def _said(line: str, match: "re.Match[str] | None", style: ChatStyle, *, names: set[str] | None) -> ChatLine:
    """A line that is not a heading: a vote, an elimination, a message, or a continuation."""
    if match is None:
        return ChatLine("more", text=line)
    name, text = match["name"].strip(), (match["text"] or "").strip()
    time = match["boxed"] or match["bare"]
    if name.lower() == "eliminated" or (name.lower() == "vote" and ARROW.fullmatch(text)):
        return ChatLine("vote" if name.lower() == "vote" else "out", text=text, time=time)
    is_name = (
        name.casefold() in names if names is not None else style.is_timed or len(name.split()) <= MOST_WORDS
    )
    if not is_name or (style.is_timed and time is None) or (style.is_irc and match["mark"] != "<"):
        return ChatLine("more", name=name, text=line)
    if names is None and not style.is_timed and name[0].islower() and not match["mark"]:
        return ChatLine("more", name=name, text=line)
    return ChatLine("message", name=name, text=text, time=time)


def _named_heading(match: "re.Match[str] | None", heading_names: frozenset[str]) -> ChatLine | None:
    """The heading in a line that begins like a message: "Day 2: it begins"."""
    name = match["name"].strip() if match else ""
    heading = HEADING_NAME.fullmatch(name)
    if match is None or heading is None or name.casefold() in heading_names:
        return None
    text, time = (match["text"] or "").strip(), match["boxed"] or match["bare"]
    return ChatLine(_heading_kind(heading["kind"]), text=text, time=time, round=int(heading["number"]))


def read_heading(line: str) -> ChatLine | None:
    match = _HEADING.fullmatch(line.strip())
    # A bare line that goes on after the number is a sentence ("Day 2 was quiet") unless signs mark it as a heading.
    if match is None or (match["more"] and not match["sign"]):
        return None
    text = (match["more"] or "").strip(f" :–-{match['sign']}")
    return ChatLine(_heading_kind(match["kind"]), text=text, round=int(match["number"]))


def _heading_kind(word: str) -> str:
    return "night" if word.lower() == "night" else "heading"
