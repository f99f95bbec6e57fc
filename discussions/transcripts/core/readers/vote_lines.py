"""Votes in a chat, rewritten as "Ann -> Bea", and what stands above them."""

import re
from collections.abc import Callable, Iterable
from itertools import pairwise

from discussions.transcripts.core.audience import VOTE, kind_of_type, words_of
from discussions.transcripts.core.readers.chat_lines import match_message
from discussions.transcripts.core.readers.draft import is_nobody
from discussions.transcripts.core.readers.narration import VOTES, WHO, part_of_day

Lines = list[str]
# What a line is: "name" above a text, the "text" below it, "told" by nobody, or "same" as before; and its words.
Parts = Iterable[tuple[str, str]]
Form = Callable[[Lines], Parts]

_VOTING = re.compile(
    r"\W{0,3}(?:voting|votes?|ballots?)(?: (?:phase|time|round|stage|results?))?[\s:：*_]{0,4}", re.IGNORECASE
)
# "Votes:" above "Ann: Bea" or "- Ann votes for Bea"; "[Votes] Ann -> Bea, Bea -> Ann".
_VOTES_TITLE = re.compile(
    r"[^\w\n]{0,6}(?P<title>[^\W\d_][^\W_]{0,30}(?: [\w()]{1,20}){0,3})"
    r"(?:[*_ ]{0,4}(?:[:：]|= ?(?=\{))[*_]{0,3}|[\])*]{1,3}[:：]?(?=\s.{0,60}(?:->|→|=>|➜)))\s{0,3}(?P<more>.{0,900})"
)
PAIRS = re.compile(r"[\"']([^\"'\n]{1,60})[\"']\s?:\s?[\"']([^\"'\n]{1,60})[\"']")
_ARROWS = re.compile(r"->|→|=>|➜")
_COUNTED = re.compile(
    r"\s?[\"'{]{0,2}[^\W\d_][\w.'’-]{0,30}(?: [\w.'’-]{1,20}){0,2}[\"']?\s?[:=(x×]?\s?\d{1,3}\)?[}.]{0,2}"
)
_VOTER = re.compile(
    rf"\W{{0,3}}voter\s?[:=]\s?(?P<voter>{WHO})\s?[,;|→-]{{1,3}}>?\s?(?:target|votes?|voted)(?: for)?\s?[:=]\s?"
    rf"(?P<target>{WHO})\W{{0,3}}",
    re.IGNORECASE,
)
_ANGLED = re.compile(r"[>»]{2,9} ?(?P<title>[^<>«»\n]{1,80}?) ?[<«]{2,9}")
_TAG = re.compile(r"\[[^\[\]\n]{1,40}\] ?")
_OWN_VOTE = re.compile(
    rf"(?:\[[^\[\]\n]{{1,40}}\] ?)?(?P<voter>{WHO})(?:['’]s)? ?[\[(]?vote[sd]?(?: for)?[\])]?"
    rf"\s?[:：]\s?(?P<target>{WHO})[.!]?",
    re.IGNORECASE,
)
_BALLOT = re.compile(
    rf"[-*•\s]{{0,5}}(?P<voter>{WHO})\s{{0,3}}(?:[:：]|->|→|=>|➜|(?:has )?vote[sd]?(?: for| against)?:?)\s{{0,3}}"
    rf"(?P<target>{WHO})[.!。]?",
    re.IGNORECASE,
)
# What else the title of votes may say.
_OF_VOTES = frozenset(
    "day round phase final result results count counts tally tallies summary outcome breakdown total totals record "
    "records of the for in and cast today".split()
)
# Titles of what follows, which say that it is public.
TALK = {
    *"discussion discussions debate statements speeches 讨论 发言 diskussion discusión discussão обсуждение".split(),
    "public discussion",
}
_CELLS = re.compile(r"\s{0,9}\|([^|\n]{1,80})\|([^|\n]{1,80})\|?\s{0,9}")
_RULE_ROW = re.compile(r"\s{0,9}\|\s?:?-{2,80}:?\s?\|\s?:?-{2,80}:?\s?\|?\s{0,9}")
_TARGET = re.compile(r"\W{0,3}(?:target|votes?|voted|ballot|choice|against|nominee)\b", re.IGNORECASE)


def without_voting(lines: Lines) -> Parts:
    """Lines such as "Voting phase" below a blank one or above votes, which no player says, are left out."""
    for above, line, below in zip(["", *lines], lines, [*lines[1:], ""], strict=False):
        is_title = _VOTING.fullmatch(line) and (not above.strip() or VOTES.fullmatch(below.strip()))
        yield "same", "" if is_title else line


def parts_votes(lines: Lines) -> Parts:
    """The lines with votes as "Ann -> Bea": those below "Votes:", which is left out, after it, and "Ann votes: Bea"."""
    said = (match_message(_TAG.sub("", line, count=1)) for line in lines)
    said_by = {match["name"].strip().casefold() for match in said if match and match["text"]}
    is_below = False
    # What is public ends a night.
    talk = "Public talk" if any(part_of_day(line) == "night" for line in lines) else ""
    for line, below in pairwise([*lines, ""]):
        plain = line.strip()
        ballot = _VOTER.fullmatch(plain) or (_BALLOT if is_below else _OWN_VOTE).fullmatch(plain)
        both = {name.casefold() for name in ballot.group("voter", "target")} if ballot else set()
        known = ballot and {name for name in both if not is_nobody(name)} <= said_by
        title = _VOTES_TITLE.fullmatch(plain)
        is_title = title is not None and is_votes(title["title"])
        if angled := _ANGLED.fullmatch(plain):
            yield "", f"=== {angled['title']} ==="
        elif ballot and known:
            yield "", f"{ballot['voter']} -> {ballot['target']}"
        elif title is None or not is_title:
            is_below = is_below and not plain
            said_alone = "" if title is None or title["more"] else title["title"].strip().casefold()
            yield "", talk if said_alone in TALK - said_by else line
        elif not title["more"]:
            is_below = _BALLOT.fullmatch(below.strip()) is not None
            yield "", "" if is_below else line
        else:
            yield "", _told_votes(title["title"], title["more"], line)


def is_votes(title: str) -> bool:
    """Whether a title is of votes: of "My vote" nobody can tell who says it."""
    words = words_of(title)
    votes = [word for word in words if kind_of_type(word) == VOTE]
    return bool(votes) and all(word in votes or word in _OF_VOTES for word in words)


def _told_votes(title: str, said: str, line: str) -> str:
    """The line of votes behind their title: as a dictionary, with arrows, or counted by who leads the game."""
    pairs = [f"{voter} -> {target}" for voter, target in PAIRS.findall(said)]
    if title.casefold() == "vote":
        return line
    if pairs or _ARROWS.search(said):
        return f"Votes: {', '.join(pairs) or said}"
    is_counted = " " in title.strip() or all(map(_COUNTED.fullmatch, said.split(",")))
    return f"Narrator: {line.strip()}" if is_counted else line


def parts_of_tables(lines: Lines) -> Parts:
    """The rows of tables of two columns, of which one alone is of votes, as votes."""
    order: tuple[int, ...] = ()
    for line, below in pairwise([*lines, ""]):
        row = _CELLS.fullmatch(line)
        if row and _RULE_ROW.fullmatch(below):
            targets = [number for number in (1, 2) if _TARGET.match(row[number])]
            order = (3 - targets[0], targets[0]) if len(targets) == 1 else ()
            line = "" if order else line
        elif row and order:
            voter, target = (row[number].strip(" *_`") for number in order)
            line = "" if _RULE_ROW.fullmatch(line) else f"Vote: {voter} -> {target or 'nobody'}"
        else:
            order = ()
        yield "same", line
