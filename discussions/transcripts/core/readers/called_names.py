"""Names of players in lines of any form: words that change after the same beginnings, come back, and stand in texts."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection

from msgspec.structs import replace

from discussions.transcripts.core.audience import (
    LEVELS,
    NARRATORS,
    SPEAKERS,
    THOUGHT,
    THOUGHT_NAMES,
    kind_of_type,
    words_of,
)
from discussions.transcripts.core.readers import chat_labels, narration
from discussions.transcripts.core.readers import chat_lines as chat

# How far into a line a name is looked for, and how many there are.
FAR, LEAST_NAMES = 120, 2
# In how many lines, and how much of each, names are looked for, and how many words may be some, with how
# many second words each.
_MOST_LINES, _MOST_CHARACTERS, _MOST_CALLED, _MOST_ENDS = 2_000, 500, 300, 6
# Of ten words in the place of a name, so many come back.
_REPEATED = 7
# Marks on letters of Indic scripts and their neighbours are no letters themselves.
LETTERS = r"\w\u0900-\u0963\u0966-\u109f"
_MORE = rf"(?:[{LETTERS}-]|['’](?!s\b))"
_CALLED = re.compile(
    rf"(?<![^\W_])([^\W\d_](?:{_MORE}|\.(?=\d))*(?: \d{{1,3}}(?!\d))?)"
    rf"(?=(?P<more>\.? [^\W\d_a-zß-ÿ]{_MORE}*(?: [A-ZÀ-ÞА-Я]{_MORE}*){{0,2}})?)"
)
# "ann: hello.", "[ann] hello.", "ann -> bea: psst".
_SMALL = re.compile(r"(?<![\w'’-])([^\W\d_][\w-]{1,30})(?= ?(?:[:：\])>|]|->|→|=>|says?\b|\Z))")
_PLAIN_WORD = re.compile(r"[\w-]+")
_INDENTED = re.compile(r"\s{1,20}[(\[【（]")
_PLACE = re.compile(r":\d")
# Labels of what nobody says.
EVENTS = ("event", "events", "re", "posted", "配役", "処刑", "襲撃")
# What stands above columns is no name, nor is a level of a log.
_NO_NAMES = NARRATORS.union(
    chat_labels.FACTS,
    THOUGHT_NAMES,
    map(str.casefold, LEVELS),
    ("player", "speaker", "name", "i", "we", "my", "let", "model", *EVENTS),
)

_NUMBERED_PART = re.compile(rf"(?:{narration.PARTS})(?: ?\d{{1,4}})?", re.IGNORECASE)
_ADDRESSED = re.compile(
    r"[\[(（]\s?(?:to|for|an|für|à|para|a|для|对|致)\s{0,3}(?P<names>[^\[\]()（）\n]{1,80})[\])）]",
    re.IGNORECASE,
)
_BEFORE_COLON = re.compile(r"(?:DM |PM )?(?P<names>[^\W\d_][^:：\n]{0,40}?) ?[:：] ")
# How what somebody says begins, and no name.
SAID = re.compile(r"[*_\"'“]{0,3}(?:I|We|You|My|Our|Ich|Wir|Je|Nous|Yo|Eu|Io|Я|Мы|我)(?:['’ ]|(?<=我))")
_NO_STYLE = chat.ChatStyle()


def find_names(lines: list[str]) -> frozenset[str]:
    """The names of players in these lines, as far as they can be told; where nobody else is, those in small letters."""
    lines = [line[:_MOST_CHARACTERS] for line in lines[:_MOST_LINES]]
    found = _find_names(lines)
    if sum(not name[0].islower() for name in found) >= LEAST_NAMES:
        return found
    labels = Counter(small[1] for line in lines if (small := _SMALL.search(line, 0, FAR)))
    often = {label: label[0].upper() + label[1:] for label, count in labels.items() if count > 1}
    again = _find_names([_PLAIN_WORD.sub(lambda word: often.get(word[0], word[0]), line) for line in lines])
    return found.union(label for label, name in often.items() if name in again)


def _find_names(lines: list[str]) -> frozenset[str]:
    words, counts = Counter[str](), Counter[str]()
    # After each beginning of a line: what stands there, and what follows, as the second word of a name does.
    places: dict[str, list[tuple[str, str]]] = {}
    for line in lines:
        for found in _CALLED.finditer(line):
            words[found[1]] += 1
            # "run_day:90" is a place in a program.
            if found.start() < FAR and not _PLACE.match(line, found.end()):
                before = chat.as_shape(line[: found.start()])
                places.setdefault(before, []).append((found[1], found["more"] or ""))
    ends, slots, called_above = defaultdict[str, set[str]](set), list[list[str]](), set[str]()
    for before, stand in sorted(places.items(), key=lambda one: len(one[0])):
        place = Counter(word for word, _more in stand)
        again = Counter({word: count for word, count in place.items() if count > 1})
        # Behind a name texts begin.
        is_text = not called_above.isdisjoint(found[1] for found in _CALLED.finditer(before))
        is_usual = len(again) >= LEAST_NAMES and 10 * again.total() >= _REPEATED * place.total()
        # Beside "    (thought)", words in brackets on indented lines are labels.
        are_labels = _INDENTED.fullmatch(before) and any(kind_of_type(word) == THOUGHT for word in again)
        if is_usual and not (is_text or are_labels):
            # Who leaves the game early may speak once.
            called = Counter({word: count for word, count in place.items() if _may_be_name(word)})
            counts += called
            called_above.update(chat.as_shape(word) for word in called)
            is_pure = before.strip() != "" and "|" not in before and len(called) == len(place)
            slots.append([word for word in called if word in again or is_pure])
            for word, more in stand:
                ends[word].add(more)
    if len(counts) > _MOST_CALLED:
        return frozenset()
    named = _named(counts, words, "\n".join(lines))
    # Of words in one place some may be named by nobody, but not most.
    likely = {word for slot in slots if 2 * len(named.intersection(slot)) >= len(slot) for word in slot}
    likely |= named if likely else {word for slot in slots for word in slot}
    # A name that has few second words, and always one, has these; any other has none.
    bare = {word for word in likely if "" in ends[word] or len(ends[word]) > _MOST_ENDS}
    whole = bare | {word + end for word in likely - bare for end in ends[word]}
    # "轮到 张三" is the turn of "张三".
    return frozenset(n for n in whole if _has_case(n) or n.partition(" ")[2] not in whole)


def _named(counts: Counter[str], words: Counter[str], text: str) -> set[str]:
    """The words that stand elsewhere, too; scripts without spaces between words have none around names either."""
    often = {word for word in counts if (words[word] if _has_case(word) else text.count(word)) > counts[word]}
    # "[ANN] hello" and "Ann votes for Bea".
    return often.union(word for word in counts if word.isupper() and word.title() in often)


def _has_case(word: str) -> bool:
    return word[0].lower() != word[0].upper()


def _may_be_name(word: str) -> bool:
    # "agent_0" is a name, "round_1" is none; "[D1]" and "[N1]" are days and nights.
    words, is_numbered = words_of(word), re.search(r"[\d_-]", word) is not None
    is_agent = (word[-1].isdecimal() and SPEAKERS.issuperset(words)) or word == "OpenAI"
    is_said = word.casefold() in _NO_NAMES or _NUMBERED_PART.fullmatch(word) or chat_labels.is_of_call(word)
    is_word = is_said or all(map(kind_of_type, words)) or narration.ROLE.fullmatch(word) is not None
    return not ((is_word and not is_agent) or narration.read_label(word)[1]) and (
        not word[0].islower() or is_numbered
    )


def any_of(names: frozenset[str]) -> "re.Pattern[str]":
    longest = [(name, re.escape(name)) for name in sorted(names, key=len, reverse=True)]
    one_of = (rf"(?<!\w){said}(?![{LETTERS}])" if _has_case(name) else said for name, said in longest)
    return re.compile("|".join(one_of))


def addressed(text: str, names: Collection[str], *, by_colon: bool = False) -> str:
    """For whom of the case-folded `names` a text is: "[to Bea] psst", or `by_colon` "Bea: psst"; "" for others."""
    found = _ADDRESSED.match(text) or (_BEFORE_COLON.match(text) if by_colon else None)
    listed = re.split(r"\s*(?:,|&|\band\b)\s*", found["names"].strip()) if found else []
    return ", ".join(listed) if listed and {one.casefold() for one in listed} <= {*names} else ""


def read_hidden(text: str) -> chat.ChatLine | None:
    """A text whose beginning says that not everybody could hear it: "(thinking) I lie", "💭 I lie"; None for others."""
    found = chat.read_chat_line(text, _NO_STYLE) if text and not SAID.match(text) else None
    if found is None or found.kind != "message":
        return None
    is_thought = found.name.casefold() in THOUGHT_NAMES
    return replace(found, audience="nobody") if is_thought else found if found.audience else None
