"""The names of players in lines of any form, and the lines that begin with one: what stands around it."""

import re
from collections import Counter
from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from discussions.transcripts.core.audience import (
    LEVELS,
    NARRATORS,
    SPEAKERS,
    THOUGHT_NAMES,
    is_hidden,
    kind_of_type,
    words_of,
)
from discussions.transcripts.core.readers import chat_lines as chat
from discussions.transcripts.core.readers.chat_labels import FACTS, is_card, is_figure
from discussions.transcripts.core.readers.narration import ROLE, VOTE_COMMAND, find_narrators, read_label

# How far into a line a name is looked for, and how often the same has to come back.
_FAR, LEAST, LEAST_NAMES = 120, 3, 2
# In how many lines, and how much of each, names are looked for, and how many words may be some, with how
# many second words each.
_MOST_LINES, _MOST_CHARACTERS, _MOST_CALLED, _MOST_ENDS = 2_000, 500, 300, 6
# Of ten words in the place of a name, so many come back.
_REPEATED = 7
# Marks on letters of Indic scripts and their neighbours are no letters themselves.
_LETTERS = r"\w\u0900-\u0963\u0966-\u109f"
_MORE = rf"(?:[{_LETTERS}-]|['’](?!s\b))"
_CALLED = re.compile(
    rf"(?<![^\W_])([^\W\d_](?:{_MORE}|\.(?=\d))*(?: \d{{1,3}}(?!\d))?)"
    rf"(?=(?P<more>\.? [^\W\d_a-zß-ÿ]{_MORE}*(?: [A-ZÀ-ÞА-Я]{_MORE}*){{0,2}})?)"
)
_PLACE = re.compile(r":\d")
_LEVEL = rf"(?:(?:{'|'.join(LEVELS)})\b[ :|-]{{0,3}})?"
_SIGN = re.compile(
    r"(?P<after>(?:[^:：>|»「“\n]|(?<=[-=])>){0,60}?)\s?"
    r"(?:(?P<sign>[:：](?=[*_`]{0,3}(?:[\s\"“「]|\Z))|(?<![=-])>(?=\s|\Z)|[|»「“]|(?P<dash>(?<=\s)[-–—](?=\s)))"
    rf"[*_`]{{0,3}}\s{{0,3}}{_LEVEL}(?P<text>.*)|\Z)"
)
# "[Ann|wolves] psst": what stands in brackets belongs to the name.
_BOXED_SIGN = re.compile(
    r"(?P<after>[^\[\](){}\n]{0,60}(?P<sign>[\])}]))[:：]?\s{0,3}(?P<text>.*)(?P<dash>)?"
)
_OPENED = re.compile(r"[\[({][^\[\](){}]*\Z")
VOTES_OF = re.compile(
    r"\0(?: (?:votes?|voted|stimmte?|vot(?:a|ó|ou)|a voté|głosuje|голосует)\b.{0,20}"
    r"| ?投票?[给給]了? ?| ?(?:->|→|=>) ?)\0(?: (?:of being|as|for being|to be)\b.{0,40})?\W{0,3}\Z",
    re.IGNORECASE,
)
_AUTHOR = re.compile(r"\A\W*(?:by|from|von|par|por|от)\W*\Z", re.IGNORECASE)
# Labels of what nobody says.
_EVENTS = ("event", "events", "re", "posted", "配役", "処刑", "襲撃")
# What stands above columns is no name, nor is a level of a log.
_NO_NAMES = NARRATORS.union(
    FACTS,
    THOUGHT_NAMES,
    map(str.casefold, LEVELS),
    ("player", "speaker", "name", "i", *_EVENTS),
)
_EVENT = re.compile(rf"\[(?P<name>{'|'.join(_EVENTS)})\](?P<text>.*)", re.IGNORECASE)
_SIGNS_BEFORE = re.compile(r"\A[^\w\[(]{1,12}")
_REASON = re.compile(r"(?P<said>.{1,200}\S) \((?P<reason>[^() ]{1,60}(?: [^() ]{1,60}){2,60})\)")
_ID = re.compile(r"[^\W\d_]{1,20}[_-]?\d{1,4}\W?")
_ROLES = re.compile(rf"[(\[]\s?{ROLE.pattern}\s?(?:[)\]]|(?=[(\[]))", re.IGNORECASE)
BOXED_END = re.compile(r"(?P<text>.*\S)\s{1,3}[\[({](?P<boxed>[^\[\](){}]{1,60})[\])}]")
_TIMES = re.compile(rf"[\[(]?{chat.TIME}(?:[.,]\d{{1,9}})?[\])]?")
_SENTENCE = re.compile(r"[.!?,;] ")
_SAID = re.compile(r"[*_\"'“]{0,3}(?:I|We|You|My|Our|Ich|Wir|Je|Nous|Yo|Eu|Io|Я|Мы|我)(?:['’ ]|(?<=我))")
# What everybody hears needs no type.
_OPEN_SIGNS = {ord(sign): None for sign, hearers in chat.SIGNS.items() if not hearers}
# A key or a label, and what it is of.
LABEL = re.compile(
    r"[\s#*>·•│└├╰─-]{0,12}(?P<label>[^\W\d_][\w -]{0,39}?)[*_`]{0,3}\s?[:：=][*_`]{0,3}\s{0,9}(?P<text>\S.*)"
)


class Head(Struct, frozen=True):
    r"""What a line begins with: `shape` is all of it, with each name as \0 and each number as 0.

    Without a sign after the name there is no text: it stands on the lines below. `kind` is the type of the row.
    """

    shape: str
    names: list[str]
    player: str
    kind: str
    text: str
    has_sign: bool


def find_names(lines: list[str]) -> frozenset[str]:
    """The names of players in these lines, as far as they can be told."""
    lines = [line[:_MOST_CHARACTERS] for line in lines[:_MOST_LINES]]
    words: Counter[str] = Counter()
    # After each beginning of a line: what stands there, and what follows, as the second word of a name does.
    places: dict[str, list[tuple[str, str]]] = {}
    for line in lines:
        for found in _CALLED.finditer(line):
            words[found[1]] += 1
            # "run_day:90" is a place in a program.
            if found.start() < _FAR and not _PLACE.match(line, found.end()):
                before = chat.as_shape(line[: found.start()])
                places.setdefault(before, []).append((found[1], found["more"] or ""))
    counts: Counter[str] = Counter()
    ends: dict[str, set[str]] = {}
    slots: list[list[str]] = []
    called_above: set[str] = set()
    for before, stand in sorted(places.items(), key=lambda one: len(one[0])):
        place = Counter(word for word, _more in stand)
        again = Counter({word: count for word, count in place.items() if count > 1})
        # Behind a name texts begin.
        is_text = not called_above.isdisjoint(found[1] for found in _CALLED.finditer(before))
        if len(again) >= LEAST_NAMES and 10 * again.total() >= _REPEATED * place.total() and not is_text:
            # Who leaves the game early may speak once.
            called = Counter({word: count for word, count in place.items() if _may_be_name(word)})
            counts += called
            called_above.update(chat.as_shape(word) for word in called)
            is_pure = before.strip() != "" and "|" not in before and len(called) == len(place)
            slots.append([word for word in called if word in again or is_pure])
            for word, more in stand:
                ends.setdefault(word, set()).add(more)
    if len(counts) > _MOST_CALLED:
        return frozenset()
    text = "\n".join(lines)
    # Scripts without spaces between words have none around names either.
    named = {word for word in counts if (words[word] if _has_case(word) else text.count(word)) > counts[word]}
    # Of words in one place some may be named by nobody, but not most.
    likely = {word for slot in slots if 2 * len(named.intersection(slot)) >= len(slot) for word in slot}
    likely |= named if likely else {word for slot in slots for word in slot}
    whole = frozenset(word + end for word in likely for end in _ends_of(ends[word]))
    # "轮到 张三" is the turn of "张三".
    return whole - {name for name in whole if not _has_case(name) and name.partition(" ")[2] in whole}


def _ends_of(more: set[str]) -> set[str]:
    """The second words of a name: one that has few, and always one, has these; any other has none."""
    return more if "" not in more and len(more) <= _MOST_ENDS else {""}


def _has_case(word: str) -> bool:
    return word[0].lower() != word[0].upper()


def _may_be_name(word: str) -> bool:
    # "agent_0" is a name, "round_1" is none; "[D1]" and "[N1]" are days and nights.
    words, is_numbered = words_of(word), re.search(r"[\d_-]", word) is not None
    is_agent = (word[-1].isdecimal() and SPEAKERS.issuperset(words)) or word == "OpenAI"
    is_word = (
        word.casefold() in _NO_NAMES or all(map(kind_of_type, words)) or ROLE.fullmatch(word) is not None
    )
    return not ((is_word and not is_agent) or read_label(word)[1]) and (not word[0].islower() or is_numbered)


def any_of(names: frozenset[str]) -> "re.Pattern[str]":
    longest = [(name, re.escape(name)) for name in sorted(names, key=len, reverse=True)]
    one_of = (rf"(?<!\w){said}(?![{_LETTERS}])" if _has_case(name) else said for name, said in longest)
    return re.compile("|".join(one_of))


def find_heads(lines: list[str], any_name: "re.Pattern[str]") -> dict[int, Head]:
    """The lines that begin like others: number -> what they begin with."""
    plain = enumerate(map(chat.plain_line, lines), start=1)
    heads = {number: head for number, line in plain if (head := _read_head(line, any_name))}
    shapes: dict[str, list[Head]] = {}
    for head in heads.values():
        shapes.setdefault(head.shape, []).append(head)
    # What only one name begins is a text, as is "I agree with Ann: ...".
    often = {
        shape
        for shape, same in shapes.items()
        if len(same) >= LEAST and len({head.player for head in same}) > 1
    }
    # A time is nothing that is said: "Ann » Wed Feb 11, 2026 7:10 pm".
    dates = {
        shape
        for shape, same in shapes.items()
        if all(len(head.text) < _FAR and _TIMES.search(head.text) for head in same)
        and 2 * len({chat.as_shape(head.text) for head in same}) <= len(same)
    }
    # "Still alive:" and "Result:" stand alone, as no player does.
    called = {head.player for head in heads.values() if head.shape in often and (head.kind or head.text)}
    titles = {shape for shape in often if called and called.isdisjoint(head.player for head in shapes[shape])}
    return {
        number: replace(head, text="") if head.shape in dates else head
        for number, head in heads.items()
        if head.shape not in titles
        if head.shape in often or (head.has_sign and not _SENTENCE.search(head.shape))
        if not _SAID.match(head.shape)
    }


def _read_head(line: str, any_name: "re.Pattern[str]") -> Head | None:
    first = any_name.search(line, 0, _FAR)
    # "##Vote: Ann" is said by who speaks. The keys of an object and the parts of a list say nothing.
    if (
        first is None
        or VOTE_COMMAND.fullmatch(line.strip())
        or line[: first.start()].endswith(('{"', "{'", '["', "['"))
    ):
        return None
    # "Ann votes for Bea (she is quiet)".
    why = _REASON.fullmatch(line)
    vote = _read_head(why["said"], any_name) if why and not is_hidden(why["reason"]) else None
    if vote and VOTES_OF.search(vote.shape):
        return vote
    boxed = _BOXED_SIGN.fullmatch(line, first.end()) if _OPENED.search(line[: first.start()]) else None
    next_name = any_name.match(boxed["text"]) if boxed else None
    next_sign = _SIGN.match(boxed["text"], next_name.end()) if boxed and next_name else None
    sign = boxed if boxed and not (next_sign and next_sign["sign"]) else _SIGN.match(line, first.end())
    if sign is None:
        return None
    label = LABEL.fullmatch(line)
    if not sign["sign"] and label and label.start("text") <= first.start() and is_hidden(label["label"]):
        return None
    begin = line[: sign.end("after")]
    names = any_name.findall(begin)
    # "[for Ann] Bea:", but "Ann to Bea:".
    is_last = bool(re.search(r"[\])]", begin[first.end() : begin.rindex(names[-1])])) if names[1:] else False
    return Head(
        shape=chat.as_shape(any_name.sub("\0", begin)),
        names=names,
        player=names[-1] if is_last else names[0],
        kind=type_of(begin, any_name),
        text=(sign["text"] or "").strip(" 」”"),
        has_sign=sign["sign"] is not None and not sign["dash"],
    )


def type_of(begin: str, any_name: "re.Pattern[str]") -> str:
    """What stands beside names and numbers, in words; marks alone where there are no words."""
    said = chat.NUMBER.sub("", any_name.sub(" ", _TIMES.sub(" ", begin)))
    # A role says nothing of who could hear the line, as in "(Villager (last words))".
    said = _AUTHOR.sub("", _ROLES.sub(" ", said).translate(_OPEN_SIGNS))
    words = " ".join(re.sub(r"\s*[|\[\](){}]\s*", " ", said).split()).strip(" ,:：-–*_#.·")
    return words or "".join(said.split()).strip("-–*_#.·[]()|")


def find_told(lines: list[str], players: frozenset[str]) -> dict[int, str]:
    """What who leads the game says, by the numbers of its lines: "GAME: Wake up!", "⭐ Ada: Night falls."."""
    plain = [_SIGNS_BEFORE.sub("", chat.plain_line(line)) for line in lines]
    found = [_EVENT.match(line) or chat.match_message(line) for line in plain]
    said = [match and (match["name"].strip(), match["text"] or "") for match in found]
    called = Counter(one[0] for one in said if one)
    leaders = find_narrators([one for one in said if one and called[one[0]] >= LEAST])
    leaders = leaders.union(_EVENTS) - {name.casefold() for name in players}
    return {
        number: one[1] for number, one in enumerate(said, start=1) if one and one[0].casefold() in leaders
    }


def find_figures(heads: Mapping[int, Head]) -> dict[int, str]:
    """The lines with only numbers, roles or lists of players, where others say more; their texts are "".

    "Eligible: Ann, Bea", "Ann: 5 votes", "Ann (ID: p1)", or the names of players below each other.
    """
    names = {head.player.casefold() for head in heads.values()}
    ids = {number for number, head in heads.items() if _ID.fullmatch(head.text)}
    listed = {n for n, head in heads.items() if is_figure(head.text, names) or is_card(head.text)} | ids
    # A name alone may be a vote, if not others have several: "Ann (2): Bea, Cid".
    tallies = {heads[number].shape for number in listed if "," in heads[number].text}
    votes = {number for number, head in heads.items() if head.text.casefold() in names}
    listed -= {number for number in votes if heads[number].shape not in tallies}
    talk = {head.player for number, head in heads.items() if number not in listed}
    said = {
        head.shape
        for number, head in heads.items()
        if number not in listed or (head.kind and number not in ids)
    }
    idle = {n for n in listed if heads[n].player not in talk or (said and heads[n].shape not in said)}
    without = {number for number, head in heads.items() if not (head.text or head.has_sign)}
    without -= {number for number in without if VOTES_OF.search(heads[number].shape)}
    return dict.fromkeys(idle | {n for n in without if without & {n - 1, n + 1}}, "")
