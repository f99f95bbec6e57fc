"""What sets lines of a chat apart from others of the same players, rewritten in forms that other readers ask about.

"/den Ann: psst" and "Ann: psst #den" are "Ann (den): psst".
"""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator
from functools import partial
from itertools import pairwise

from discussions.transcripts.core.audience import (
    LEVELS,
    PRIVATE,
    THOUGHT,
    UNSPACED,
    count_gaps,
    kind_of_type,
)
from discussions.transcripts.core.readers import chat_lines as chat
from discussions.transcripts.core.readers.vote_lines import Form, Lines
from discussions.transcripts.core.thoughts import LEAST_ASIDES, split_aside, split_thoughts

_LEAST, _MOST_SHAPES, _MOST_SIDES, _MOST_NAMES = 3, 2_000, 5, 100
_TIME = rf"(?:[\[(]?{chat.TIME}[\])]? ?)?"
# What may stand around a name: "/den Ann: ", "[2] Ann: ", "Ann Den: ", "Ann; ".
_SHAPE = (
    rf"(?P<time>{_TIME})(?P<before>[^\[\](){{}}<>:：\n]{{0,30}}?|[\[(]\d{{1,3}}[\])] ?|<[@+%~&]?)"
    rf"(?:(?<!\w)|(?<={UNSPACED.pattern}))(?P<name>NAMES)(?:(?!\w)|(?={UNSPACED.pattern}))"
    rf"(?P<beside>[^\[\](){{}}<>:：\n]{{0,30}}?(?:[*_][(\[][^()\[\]\n]{{1,30}}[)\]][*_]{{1,2}})?)"
    r"(?P<sign>[:：](?=[\s*_])|：|[;>=](?=\s))\s?(?P<text>.*\S)\s{0,9}"
)
_JOINT = re.compile(r"['’]s |[^\w\n]{1,3}|(?<=[ -~])(?=[^ -~])|(?<=[^ -~])(?=[ -~])")
_BEGINS = re.compile(
    r"[/!#](?P<word>[^\W\d_]\w{1,20}) \S|[(\[](?P<boxed>[^\W\d][^\[\]():：\n]{0,30})[\])] (?P<after>\S.*)|"
    r"(?P<label>[^\W\d_][^:：\n.,!?]{0,20})[:：]\s?\S|(?P<sign>[^\w\s]{1,3})\s?\w"
)
_ENDS = re.compile(
    r"(?P<before>.*\S)\s(?:[\[(](?P<boxed>[^\W\d][^\[\]():：\n]{0,30})[\])]|[/#](?P<word>[^\W\d_][\w ]{1,20})|"
    r"(?P<sign>[^\w\s.,!?…'\"”»)\]}*_~|>—–-]{1,3}))",
    re.DOTALL,
)
_MIRRORED = str.maketrans("([{<“„«「『‘", ")]}>””»」』’")
_IN_SENTENCES = frozenset("\"'“„«「『‘.…([{<*_@#~|/!?¿¡$")
_BULLET = re.compile(r"\s{0,9}(?:[-–*•]|\d{1,3}[.)])\s")
# Levels of logs, and signs that other readers know.
_LOGGED = re.compile(rf"\b(?:{'|'.join(LEVELS)})\b|[{''.join(chat.SIGNS)}]")
_DOES = re.compile(r" [^\W\d_A-ZÀ-Þ].*")


# Of a message its name, what stands beside this, what its text begins or ends with, and the line with NUL for a mark.
_Told = tuple[str, str, str, str]


def _in_words(mark: str) -> str:
    """A mark in words: signs by their names, which no reader takes for signs."""
    words = re.sub(r"[\W_]+", " ", mark).strip() if any(map(str.isalpha, mark)) else ""
    signs = dict.fromkeys(unicodedata.name(sign, "sign").lower() for sign in mark.strip("[]() \t"))
    return words or (f"with {' '.join(signs)}" if signs else "indented" if mark else "")


def _find_roots(lines: Lines) -> "re.Pattern[str] | None":
    """The names of who speaks, without what stands beside several of them: "Ann" of "Ann Den", of "plaza/Ann"."""
    # A number may stand between time and name.
    found = (chat.match_message(line) or chat.match_message(chat.TIMED.sub("", line)) for line in lines)
    labels = Counter(chat.read_aside(match["name"].strip())[0] for match in found if match)
    splits = {label: [*_splits_of(label)] for label in labels}
    beside, named = defaultdict[str, set[str]](set), defaultdict[str, set[str]](set)
    for pairs in splits.values():
        for root, side in pairs:
            beside[root].add(side)
            named[side].add(root)
    roots = {label for label, count in labels.items() if count > 1}
    for label, pairs in splits.items():
        for root, side in pairs:
            # There are more players than places.
            both = [one for one in named[side] if one in labels or 1 < len(beside[one]) < len(named[side])]
            if len(both) > 1 and root in both and len(beside[root]) <= _MOST_SIDES:
                roots.add(root)
                roots.discard(label)
    roots = {one for one in roots if not kind_of_type(one)}
    longest = sorted(roots, key=len, reverse=True)[:_MOST_NAMES]
    return re.compile(_SHAPE.replace("NAMES", "|".join(map(re.escape, longest)))) if len(roots) > 1 else None


def _splits_of(label: str) -> Iterator[tuple[str, str]]:
    """A name and what may stand before or behind it, in all ways; numbers behind names belong to them."""
    for joint in _JOINT.finditer(label):
        first, last = label[: joint.start()], label[joint.end() :]
        if first and last:
            yield last, first
            if not chat.NUMBER.search(last):
                yield first, last


def _read_told(line: str, shape: "re.Pattern[str]") -> _Told | None:
    """The parts of a message; None of other lines, and where what stands beside the name is read elsewhere."""
    found = shape.fullmatch(line)
    if found is None:
        return None
    before, beside, sign = found["before"].rstrip("*_`"), found["beside"].strip(" *_`"), found["sign"]
    is_irc = before[:1] == "<"
    is_odd = sign in ";>=" and not is_irc
    is_known = _DOES.fullmatch(found["beside"]) or shape.fullmatch(f"{before}{beside}: x")
    is_log = before.count(" ") > 2 or _LOGGED.search(before) is not None
    if is_known or is_log or (is_irc and sign != ">") or count_gaps(found["text"]) < 1 + is_odd:
        return None
    around, text = _around(found["text"], shape)
    before = (before.strip("<") if before.strip() else before) + beside + sign * is_odd
    written = f"<{found['name']}\0> {text}" if is_irc else f"{found['name']}\0: {text}"
    return found["name"], before, around, found["time"] + written


def _around(text: str, shape: "re.Pattern[str]") -> tuple[str, str]:
    """What a text begins or ends with, in words or signs, that is in no sentence; the text without brackets."""
    # "[thought] ... [/thought] Hello." is a part of a text.
    if "[/" in text or text[0] in chat.SIGNS:
        return "", text
    begins, ends = _BEGINS.match(text), _ENDS.fullmatch(text)
    for found, rest in ((begins, "after"), (ends, "before")):
        if found and found["boxed"] and kind_of_type(found["boxed"]) in ("", PRIVATE, THOUGHT):
            return found["boxed"].strip().casefold(), found[rest]
    if split_aside(text)[1]:
        return "", text
    if begins and (word := begins["word"] or begins["label"]):
        is_open = kind_of_type(word) in ("", PRIVATE, THOUGHT) and not shape.fullmatch(f"{word}: x")
        return word if is_open and word.count(" ") < 2 and not split_thoughts(text)[1] else "", text
    sign = (begins["sign"] if begins else "") or ""
    # "'Bea' is odd" is a sentence.
    mirrored = sign[::-1].translate(_MIRRORED)
    is_whole = sign and text.endswith(mirrored) and text.count(mirrored) < 3
    if sign and (is_whole or _IN_SENTENCES.isdisjoint(sign)):
        return sign, text
    return (ends["word"] or ends["sign"] if ends else "") or "", text


def find_marked(lines: Lines) -> Form | None:
    """What stands beside names or texts of several who speak without it, too, and may tell who heard it."""
    first = [chat.plain_line(line) for line in lines[:_MOST_SHAPES]]
    shape = _find_roots(first)
    if shape is None:
        return None
    read = [_read_told(line, shape) for line in first]
    said = [one for one in read if one]
    # Who lists others does not begin with themselves.
    pairs = [(one, other) for one, other in pairwise(read) if one and other]
    own = sum(one[0] == other[0] and _BULLET.fullmatch(other[1]) is not None for one, other in pairs)
    beside = _find_apart([one[:2] for one in said if own > 1 or not _BULLET.fullmatch(one[1])], _LEAST)
    around = [(name, mark) for name, _beside, mark, _line in said]
    words = {mark for mark in _find_apart(around, LEAST_ASIDES) if mark[0].isalnum()}
    marks = beside | words | _find_apart(around, max(LEAST_ASIDES, len(said) / 4))
    return partial(map, partial(_mark_first, shape=shape, marks=marks)) if marks else None


def _find_apart(marked: Collection[tuple[str, str]], least: float) -> set[str]:
    """The marks of so many lines of players who speak with other marks, too, unless they count up."""
    sides, counts = defaultdict[str, set[str]](set), Counter(mark for _name, mark in marked)
    for name, mark in marked:
        sides[name].add(mark)
    numbers = [int(mark.strip("[()] ")) for _name, mark in marked if mark.strip("[()] ").isdecimal()]
    is_counted = numbers == sorted(numbers)
    return {
        mark
        for mark, count in counts.items()
        if mark and count >= least and not (is_counted and mark.strip("[()] ").isdecimal())
        if sum(mark in own and len(own) > 1 for own in sides.values()) > 1
    }


def _mark_first(line: str, *, shape: "re.Pattern[str]", marks: set[str]) -> tuple[str, str]:
    one = _read_told(chat.plain_line(line), shape)
    found = [_in_words(mark) for mark in one[1:3] if mark in marks] if one else []
    return "same", one[3].replace("\0", f" ({' '.join(found)})") if one and found else line
