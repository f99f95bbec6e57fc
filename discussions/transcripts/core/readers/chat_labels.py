"""What stands before the texts of a chat: whether labels are names of players, and what else they may say."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from itertools import compress, groupby, pairwise

from discussions.transcripts.core.audience import (
    NAMED,
    NARRATORS,
    OF_CALLS,
    OUT,
    SPEECH,
    THOUGHT_NAMES,
    UNSPACED,
    VOTE,
    distinct,
    is_hidden,
    kind_of_title,
    kind_of_type,
    split_names,
    words_of,
)
from discussions.transcripts.core.notices import split_notice
from discussions.transcripts.core.readers import chat_lines as chat
from discussions.transcripts.core.readers.chat_lines import ChatLine, as_shape, read_heading
from discussions.transcripts.core.readers.lines_below import has_marks, is_apart
from discussions.transcripts.core.readers.narration import VOTES, Rounds, part_of_day
from discussions.transcripts.core.readers.vote_lines import TALK
from discussions.transcripts.core.thoughts import have_asides, may_think

# What a text says of a game before or below it.
FACTS = ("game", "game id", "date", "winner", "players", "roles")
# One line of a block of facts: its key, its value and its number; an entry under `Players:` has their key.
Fact = tuple[str, str, int]
FACT = re.compile(rf"(?P<key>{'|'.join(FACTS)})\s{{0,3}}:\s{{0,10}}(?P<said>.{{0,1000}})", re.IGNORECASE)
# How often a line comes back with another number, to be no text.
LEAST_NUMBERED = 3
LONGEST_VALUE, MOST_LABELS, LONGEST_TITLE = 40, 200, 100
_LEAST_NAMING = 2
# What "ANN" says beside "Ann".
LOUD = "a name in capitals"
ENDS = (".", "!", "?", "…", "。", "！", "？")
_WITH_MODE = re.compile(r"(?P<name>[^()\[\]]{1,60}?) ?[(\[](?P<mode>[^()\[\]]{1,40})[)\]]")
_WITH_VERB = re.compile(
    r"(?P<name>[^\W\d_]\S{0,40}) (?P<mode>[^\W\d_A-ZÀ-Þ][^()\[\]]{0,40}|[@#][\w-]{1,40}|[^\w\s()\[\]]{1,4})"
)
_WITH_SUFFIX = re.compile(r"(?P<name>[^\W\d_]\S{0,60}?)(?P<mode>_[^\W\d_]{1,30})")
# A sign or a letter after a name, or around it, where others have none: "Ann~", "Ann.t", "*Ann*", "T-Ann".
_WITH_SIGN = (
    re.compile(
        r"(?P<name>[^\W_][^\n]{0,60}?) ?(?P<mode>[./:|+-]?[A-Z]|(?<= )[A-Z]{2,9}|[./:|+-][a-z]|[^\w\s()\[\]]{1,4})"
    ),
    re.compile(
        r"(?P<mode>[^\w\s]{1,4}|_{1,2}|[A-Za-z]{1,2}[.:/_-]) ?(?P<name>[^\W\d_][^\n]{0,60}?)(?:[^\w\s]{1,4}|_{1,2})?"
    ),
)
_NEXT = rf"(?:\W|(?={UNSPACED.pattern}))"
# "- Ann: she said very little": an item of a list in a text.
_ITEM = re.compile(r"(?:[-–]|\d{1,3}[.)]) [^:：\n]{1,60}[:：]\S{0,3}(?: \S{1,200}){3}.*")
_PLAIN_WORDS = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
# "My read", but not "Anna van Dyck".
_PHRASE = re.compile(
    r" (?!(?:van|von|der|den|de|da|do|dos|del|della|di|du|la|le|el|al|bin|ibn|ben|y|e|of|the)\b)[^\W\d_A-ZÀ-Þ]{2,}\b"
)
# "(thinking)" alone on its line.
_APART = re.compile(
    r"\s{0,9}[(\[{<*_~|=-]{1,3}\s?(?P<title>/?[^\W_][^()\[\]{}<>*~|:：\n]{0,60}?)\s?[)\]}>*_~|=-]{1,3}\s{0,9}"
)
# What begins or ends a part in Markdown or Org: "```private", ":THOUGHT:", ":END:".
_FENCE = re.compile(r"\s{0,9}(?:`{3}|~{3}|:(?=\S{2,40}:))(?P<title>[\w ]{0,40}):?\s{0,9}")
# "From Ann", "game - INFO - Ann", "1. Ann".
_NO_NAME = re.compile(rf"\A(?:(?:From|By|От) |{chat.ITEM_NUMBER.pattern})|\s[-–—|]\s")
_BOXED_LABEL = re.compile(r"\0(?: ?[(\[][^()\[\]]{1,40}[)\]]){1,3}")
# "Group: Night wolves", "*** Now talking in #den", "Ann created group “Den”".
_NAMED_PART = re.compile(r"(?P<label>[^\W\d_][^:：\n]{0,40})[:：]\s?(?P<said>[^\s:：][^:：\n]{0,60})")
_ROOM = re.compile(
    rf"(?:[\[(]?{chat.TIME}[\])]? ?[-–]? ?)?[^\w<:\n]{{0,4}} ?(?:[^:：<>\n]{{0,60}} )?"
    r"(?:[#&](?P<channel>[^\W\d_][\w-]{0,60})|[\"“„«](?P<group>[^\"“”„«»\n]{1,60})[\"“”»])[^:：<>\n]{0,60}"
)
_RULED = re.compile(r"\s{0,9}([=#*~-])\1{1,20} [^\n]{1,100} \1{2,20}\s{0,9}")
_TOLD_CELL = re.compile(r"\s{0,9}\|(?:[^|\n]{0,200}\|){0,20}\s{0,3}[^|\s]{1,40}(?: [^|\s]{1,40}){3}")
_FIGURE = re.compile(r"[^\w\s]{0,3}\d[\d.,]{0,15} ?(?:%|[^\W\d]{1,12})?|[\[({][\d ,:]{1,400}[\])}]")
_CLOSES = re.compile(
    r"/|(?:end|ends|ended|close|closed|done|over|stop|fin|ende|конец|终|完)\b", re.IGNORECASE
)


def facts_at(lines: list[str], first: int, last: int) -> tuple[list[Fact], int]:
    """The facts of the block that begins there, and the first line after them; an empty line ends a block."""
    found: list[Fact] = []
    at = first
    # The title of a file may stand above.
    while at < last and (not lines[at].strip() or _is_title_of_file(lines, at)):
        at += 1
    listed = ""
    while at < last and lines[at].strip():
        line = lines[at].strip()
        if (fact := FACT.fullmatch(line)) is not None:
            key, said = fact["key"].lower().split()[0], fact["said"].strip()
            is_list = key in ("players", "roles")
            listed = key if is_list and not said else ""
            found += [(key, part, at) for part in (said.split(",") if is_list else [said])]
        elif listed and read_heading(line) is None:
            found.append((listed, line, at))
        else:
            break
        at += 1
    return found, at if found else first


def _is_title_of_file(lines: list[str], at: int) -> bool:
    """Whether a line is a title, of Markdown or without a colon above a list of players."""
    if read_heading(lines[at]):
        return False
    below = next((line.strip() for line in lines[at + 1 : at + 4] if line.strip()), "")
    is_above = at < LEAST_NUMBERED and not {":", "："} & {*lines[at]}
    return lines[at][:2] == "# " or (is_above and below.lower().startswith(("players:", "roles:")))


def facts_below(lines: list[str], first: int, last: int, names: Collection[str]) -> tuple[list[Fact], int]:
    """The facts of the closing blocks, after empty lines, that no listed name begins, and where they begin."""
    found: list[Fact] = []
    blocks = groupby(range(first, last), lambda at: bool(lines[at].strip()))
    for begin, *more in reversed([[*block] for has_text, block in blocks if has_text]):
        facts, after = facts_at(lines, begin, begin + 1 + len(more))
        if begin == first or not facts or after <= begin + len(more) or facts[0][0] in names:
            break
        found, last = facts + found, begin
    return found, last


def is_markup(lines: list[str]) -> bool:
    """Whether a text is HTML or XML, and no `<Name> text` lines, or has sentences in the cells of tables."""
    is_told = sum(_TOLD_CELL.match(line) is not None for line in lines) > 1
    is_irc = chat.IRC.fullmatch(lines[0].rstrip("\r")) is not None and not any("</" in line for line in lines)
    return is_told or (lines[0].lstrip().startswith("<") and not is_irc)


def is_odd_chat(found: list[ChatLine], lines: list[str], whole: list[str]) -> bool:
    """Whether it has to be asked what words beside texts mean; `found` are the `lines`, `whole` has blank ones, too."""
    is_heard = list(_heard(found))
    found, lines = [*compress(found, is_heard)], [*compress(lines, is_heard)]
    said = [line for line in found if line.kind == "message"]
    names = [chat.read_aside(line.name)[0] if line.audience else line.name for line in said]
    # What is said under a label that hides it, a thought or a notice, is read as such anyway.
    labels = [
        (line.name, line.text)
        for line in said
        if not line.audience and line.name.casefold() not in THOUGHT_NAMES
        if not line.text or split_notice(line.text, line.name)[0]
    ]
    called, voices = {*names}, Counter((line.name, is_hidden(line.role)) for line in said)
    starts = {number for number, line in enumerate(whole, start=1) if _is_start(line, called)}
    checks = (
        doubtful_labels(labels, (line.partition("：" if "：" in line else ":")[2] or line for line in lines)),
        find_modes(names),
        find_modes(filter(None, map(_as_marked, found, lines))),
        _comes_back(found, called),
        any(line.kind == "more" and _RULED.fullmatch(line.text) for line in found),
        unknown_parts(lines),
        hidden_parts(lines),
        # A text does not go on below the title of a part.
        any(
            above.kind == "section" and line.kind == "more" and not VOTES.fullmatch(line.text.strip())
            for above, line in pairwise(found)
            if said
        ),
        not all(map(part_of_day, find_titles(whole, starts, called).values())),
        have_asides(line.text for line in said),
        any(line.text.startswith(("💭", "🧠", "🤫")) for line in said) or _holds_others(said, whole, called),
        has_marks(found, called),
        # Who often speaks with a role that hides, and often without: "Ann (mafia): ..." is no role then.
        any(voices[name, True] > 1 < voices[name, False] for name, _is_hidden in voices.copy()),
        are_keys([(line.name, line.text) for line in said]),
    )
    return any(checks)


def _holds_others(said: list[ChatLine], whole: list[str], called: Collection[str]) -> bool:
    """Whether messages stand in quotes ("> Ann: Hi."), or in all that a room "says" ("den: Ann: Hi.")."""
    led: dict[str, list[str]] = {}
    for line in said:
        name, colon, _text = line.text.partition(":")
        is_name = colon and name != line.name and (name in called or 0 < len(name) < LONGEST_VALUE)
        led.setdefault(line.name, []).append(name if is_name else "")
    quoted = (chat.match_message(line.lstrip("> ")) for line in whole if line[:1] == ">")
    rooms = ({*names} for names in led.values() if len({*names}) < len(names))
    return any("" not in names and len(names) > 1 for names in rooms) or any(
        match and match["name"] in called for match in quoted
    )


def _is_start(line: str, called: Collection[str]) -> bool:
    found = chat.match_message(chat.plain_line(line))
    is_called = found and chat.read_aside(found["name"].strip())[0] in called
    return bool(found and (found["boxed"] or found["bare"] or is_called))


def _as_marked(line: ChatLine, written: str) -> str:
    """The name of who speaks to all with the signs around it, as in "*Ann*:"; "" of other lines."""
    is_open = line.kind == "message" and not line.audience
    match = chat.match_message(chat.plain_line(written)) if is_open else None
    after = written[match.end("name") : match.start("colon")].strip() if match else ""
    return f"{match['mark']}{line.name}{after}".replace("**", "") if match else ""


def _heard(found: Iterable[ChatLine]) -> Iterator[bool]:
    """Whether each line is neither hidden, by headings of nights and the like, nor said by who leads the game."""
    is_private, is_told, told = False, False, Rounds()
    for line in found:
        if line.kind == "narrated" and told.hear(line.text):
            is_private = told.is_night
        elif line.kind in ("heading", "night", "section"):
            is_private = line.kind == "night" or (line.kind == "section" and line.round == 1)
        is_told = line.kind == "narrated" or (is_told and line.kind == "more")
        yield not is_told and (line.kind == "section" or not is_private)


def find_modes(names: Iterable[str]) -> frozenset[str]:
    """What stands after several names that speak with other words, too: "Ann (aside)", "Ann_plans", "Ann @Bea (PM)"."""
    found: dict[str, set[str]] = {}
    known = dict.fromkeys(filter(None, names))
    addressed = _find_addressed(known)
    for name in known:
        splits = _splits_of(name)
        called, mode = next((one for one in splits if one[1] and one[0] in known), splits[0])
        called, mode = addressed.get(name, (called, mode))
        found.setdefault(called, set()).add(mode)
    modes = Counter(mode for own in found.values() if len(own) > 1 for mode in own if mode)
    bare = {mode for own in found.values() if "" in own for mode in own if mode}
    often = {mode for mode, count in modes.items() if count > 1}
    # A sign, a small letter, "T-" or a word that hides need stand beside one name alone.
    letters = {mode: "".join(filter(str.isalnum, mode)) for mode in bare}
    signs = {
        mode
        for mode, said in letters.items()
        if kind_of_title(mode) or NAMED in mode or mode == LOUD or not said[1:]
        if said == said.lower() or said[1:] or mode[-1:] == "-"
    }
    # Of "red_spy", "red_cat" and "blue_spy", nobody is "red".
    return frozenset(bare & (often | signs)) | {mode for mode in often if mode[0] != "_" or is_hidden(mode)}


def _find_addressed(names: Collection[str]) -> dict[str, tuple[str, str]]:
    """The names that hold another one, with who speaks, and the words around the other: "Ann @Bea (PM)"."""
    called = "|".join(map(re.escape, sorted(names, key=len, reverse=True)[:MOST_LABELS]))
    edge = f"(?:(?<!\\w)|(?<={UNSPACED.pattern}))"
    both = re.compile(
        rf"(?P<name>{called})(?P<before>{_NEXT}[^\n]{{0,30}}?){edge}(?:{called})(?P<after>(?:{_NEXT}[^\n]{{0,30}})?)"
    )
    found = {name: both.fullmatch(name) for name in names if not name.isascii() or not name.isalnum()}
    return {
        name: (one["name"], f"{one['before']}{NAMED}{one['after']}".strip())
        for name, one in found.items()
        # "Mary Ann" and "Jo-Ann" are names.
        if one and (one["before"] not in ("", " ", "-") or one["after"])
    }


def may_be_none(name: str, said: Iterable[tuple[str, str]] = ()) -> bool:
    """Whether a label may be no player: "Wolves", "Plan"; "mafia_ann" is one where two others who speak name her."""
    is_nobody = name.casefold() in ("none", "nobody")
    if is_nobody or not is_hidden(name.split(" ", maxsplit=1)[0]):
        return False
    is_id = " " not in name and not all(map(kind_of_type, words_of(name)))
    return not is_id or len({own for own, text in said if own != name and name in text}) < _LEAST_NAMING


def is_of_call(label: str) -> bool:
    """Whether a label is of what a model was told or answered: "Ollama Request", "Prompt"."""
    is_called_so = not (chat.NUMBER.search(label) or OF_CALLS.isdisjoint(words_of(label)))
    return is_called_so or label.casefold() in ("prompt", "request")


def doubtful_labels(said: Collection[tuple[str, str]], texts: Iterable[str] | None = None) -> frozenset[str]:
    """The labels before texts that may be no players: by their words ("My read"), or where others stand in `texts`."""
    others = NARRATORS.union(FACTS)
    names = distinct((name for name, _text in said if name.casefold() not in others), MOST_LABELS)
    known = {name.casefold() for name in names}
    labels = {name for name, text in said if not is_figure(text, known)}
    called = [name for name in names if name in labels]
    written = {*_PLAIN_WORDS.findall("\n".join(texts or (text for _name, text in said)))}
    words = {name: _PLAIN_WORDS.findall(name) for name in called}
    named = [name for name in called if chat.NUMBER.search(name) or written.issuperset(words[name])]
    phrases = [name for name in called if _PHRASE.search(name)]
    # Of a channel, its members may be listed; "Prompt for Ann" and "Ann trusts Bea" say nothing themselves.
    parts = [name.rpartition(" ") for name in names]
    beside = Counter(
        first for first, _space, last in parts if first and last.strip("()[]").casefold() in known
    )
    beside.update(name for name in beside.copy() if name.partition(" ")[0].casefold() in known)
    doubtful = [name for name in names if kind_of_title(name) or beside[name.rpartition(" ")[0]] > 1]
    doubtful += [
        name
        for name in called
        if may_be_none(name) or kind_of_type(name) in (VOTE, OUT) or _NO_NAME.search(name) or is_of_call(name)
    ]
    is_same = len(called) > 1 and len({name.rpartition(" ")[2] for name in phrases}) == 1
    if is_same or 2 * len(phrases) < len(called):
        doubtful += phrases
    if len(named) > 2 and 2 * len(named) > len(called):
        doubtful += [name for name in called if name not in named]
    return frozenset(doubtful)


def split_mode(name: str, modes: Collection[str]) -> tuple[str, str]:
    """A name, and what of these stands after it; "" for other names."""
    if not modes:
        return name, ""
    # What stands around another name comes before what stands around any words.
    found = [(one["name"], mode) for mode in modes if NAMED in mode if (one := _around(mode).fullmatch(name))]
    return next((one for one in (*found, *_splits_of(name)) if one[1] in modes), (name, ""))


@lru_cache(maxsize=64)
def _around(mode: str) -> "re.Pattern[str]":
    return re.compile(rf"(?P<name>.{{1,60}}?) ?{re.escape(mode).replace(re.escape(NAMED), '.{1,60}')}")


def _splits_of(name: str) -> list[tuple[str, str]]:
    """A name and what may stand beside it, in all ways: what nobody need be called bare comes first."""
    plain = _WITH_MODE.fullmatch(name) or _WITH_VERB.fullmatch(name) or _WITH_SUFFIX.fullmatch(name)
    shapes = (plain, *(shape.fullmatch(name) for shape in _WITH_SIGN))
    found = [(match["name"], match["mode"]) for match in shapes if match]
    found += [(name.title(), LOUD)] if name.isupper() and name[1:] else []
    return found if plain else [(name, ""), *found]


_SAID = re.compile(r"\W{0,9}\w[^:：\n]{0,60}[:：]")


def unknown_parts(lines: Iterable[str]) -> set[str]:
    """The titles between lines, without their numbers, that say neither a round nor who could hear what follows."""
    written = [line for line in lines if line.strip()]
    titles = {chat.title_of(one) for one in written if chat.SECTION.fullmatch(one)}
    # Of Markdown, those right above a message, but for the title of all.
    heads = [chat.title_of(one) for one, below in pairwise(written) if one[0] == "#" and _SAID.match(below)]
    titles |= {*heads[1:]} | {one for one in heads[:1] if heads.count(one) > 1}
    titles = {chat.NUMBER.sub("", one).strip().casefold() for one in titles} - {"", *TALK}
    known = (chat.HIDDEN, chat.SETUP)
    return {one for one in titles if not (kind_of_type(one) or any(own.search(one) for own in known))}


def _comes_back(found: list[ChatLine], names: Collection[str]) -> bool:
    """Whether lines that continue texts come back with the names of other players; of what has a label, that alone."""
    texts = (
        line.name if line.kind == "more" and line.name else _label_of(line.text)
        for line in found
        if line.kind == "more" or (line.kind == "notice" and line.name)
        if not _is_known(line.text.strip(), names)
    )
    called = {word for name in names for word in _PLAIN_WORDS.findall(name) if not word.isdecimal()}
    called |= {f"{word}'s" for word in called}
    shapes = Counter(
        _PLAIN_WORDS.sub(lambda word: "\0" if word[0] in called else word[0], as_shape(text))
        for text in texts
    )
    # "Ann (Doctor) [thinks]" and "Bea (Seer) [thinks]" are no texts either.
    boxed = sum(count for shape, count in shapes.items() if _BOXED_LABEL.fullmatch(shape))
    often = max((count for shape, count in shapes.items() if "\0" in shape), default=0)
    return max(boxed, often) >= LEAST_NUMBERED


def _is_known(text: str, names: Collection[str]) -> bool:
    """Whether a line is a vote, an item of a list, or read as no part of a text anyway."""
    vote = VOTES.fullmatch(text)
    is_vote = vote is not None and (vote["name"] in names or not text[0].isalnum())
    return is_vote or _ITEM.fullmatch(text) is not None or is_apart(text, names)


def _label_of(text: str) -> str:
    """What stands before a colon near the beginning, or a name and its thinking, else the text."""
    label, colon, _said = text.partition(":")
    words = text.split(" ", 2)
    thinks = len(words) > 2 and is_hidden(words[1])
    return label if colon and len(label) <= LONGEST_VALUE else " ".join(words[:2]) if thinks else text


def is_figure(text: str, names: Collection[str]) -> bool:
    """Whether a text is only numbers or a list of players, case-folded: "120", "[1, 2]", "Ann, Bea"."""
    parts = [] if text.endswith(ENDS) else split_names(text)
    return bool(_FIGURE.fullmatch(text)) or (bool(parts) and all(part.casefold() in names for part in parts))


def hidden_parts(lines: Iterable[str]) -> frozenset[str]:
    """The words alone in marks on lines that hide the lines below, or may: of no known words, those that come back."""
    titles = Counter(title for line in lines if (title := title_apart(line)) and not part_of_day(title))
    return frozenset(
        title
        for title, count in titles.items()
        if is_hidden(title) or (count > 1 and title != "/" and not kind_of_type(title))
    )


def find_titles(lines: list[str], starts: Collection[int], called: Collection[str] = ()) -> dict[int, str]:
    """The lines above messages that are titles: alone in marks, below a blank line or a heading.

    In a chat with times, or names in brackets, what has none may be a title of any form.
    """
    first, found = min(starts, default=0), _find_rooms(lines, starts)
    marked = {n for n, line in enumerate(lines, start=1) if line[:1] == "<" or chat.TIMED.match(line)}
    is_marked = 2 * len(marked.intersection(starts)) > len(starts)
    is_dense = 2 * sum(lines[number - 2].strip() == "" for number in starts) < len(starts)
    filled = [number for number, line in enumerate(lines, start=1) if line.strip("=_*~-# ")]
    for number, below in pairwise(filled):
        line, above = lines[number - 1], lines[number - 2].strip("=_*~- ") if number > 1 else ""
        is_free = is_marked and number not in marked
        is_near = is_free or below == number + 1 or (is_dense and not above)
        if number in starts or below not in starts or not is_near:
            continue
        end = line.rstrip()
        label = _NAMED_PART.fullmatch(end) if is_free else None
        is_named = label is not None and not (label["label"] in called or is_figure(label["said"], called))
        # What hides the lines below goes on with no text, nor does what opens the talk after that.
        hides = line[:1].isupper() and chat.HIDDEN.search(line)
        opens = found and line.count(" ") < LEAST_NUMBERED and kind_of_type(line) == SPEECH
        is_below = number > 1 and (not above or read_heading(above) is not None)
        is_alone = is_free and (is_named or end.isupper() or end[-1] in ":：" or line[0] in "#>*")
        is_new = is_alone or ((line[0].isalnum() or is_free) and (hides or opens or is_below))
        is_sentence = (
            len(line) >= LONGEST_TITLE or end.endswith((*ENDS, ",")) or (":" in end[:-1] and not is_named)
        )
        # Above the first message a bare title says nothing of the parts, unless it hides them.
        counts = number > first or is_hidden(line)
        is_bare = is_new and counts and not is_sentence and not read_heading(line)
        if is_bare or title_apart(line):
            found.setdefault(number, line.strip(" *_#=~-[](){}<>"))
    return found


def _find_rooms(lines: list[str], starts: Collection[int]) -> dict[int, str]:
    """The lines of a program that name another room than before: "*** Now talking in #den"."""
    said = (
        (number, _ROOM.fullmatch(line)) for number, line in enumerate(lines, start=1) if number not in starts
    )
    rooms = [(number, room["channel"] or room["group"]) for number, room in said if room]
    return {number: room for (_n, before), (number, room) in pairwise(rooms) if room != before}


def split_hidden(lines: list[str], starts: Collection[int]) -> Iterator[tuple[int, str, str]]:
    """Each line with its number and ""; those that words in marks hide, up to the next or a blank, as one with them."""
    titles = hidden_parts(lines)
    part, first, hidden = "", 0, list[str]()
    filled = [number for number, line in enumerate(lines, start=1) if line.strip()]
    # Above a message stands the title of a part.
    begun = {*starts, *(number for number, below in pairwise(filled) if below in starts)}
    for number, line in enumerate([*lines, ""], start=1):
        title = "" if number in begun else title_apart(line)
        if part and not title and line.strip() and number not in starts:
            hidden.append(line.strip())
            continue
        if hidden:
            yield first, "\n".join(hidden), part
        is_end = bool(title) and (part != "" or _CLOSES.match(title) is not None)
        part, first, hidden = "" if is_end or title not in titles else title, number, []
        if not part and not is_end:
            yield number, line, ""


def outside_tags(lines: list[str]) -> Iterator[str]:
    """The lines without those between a tag of thoughts that stands alone and its end: labels there are none."""
    below = iter(lines)
    closing = {line.strip().casefold() for line in lines if "/" in line}
    for line in below:
        tag = line.strip().casefold()
        end = f"{tag[:1]}/{tag[1:]}"
        is_tag = tag[:1] + tag[-1:] in ("<>", "[]") and is_hidden(tag)
        if is_tag and end in closing:
            any(end == inside.strip().casefold() for inside in below)
        else:
            yield line


def title_apart(line: str) -> str:
    """The words that stand alone in marks on a line and are neither a heading nor a tag of thoughts; else ""."""
    is_marked = line.lstrip()[:1] in "([{<*_~|=-`:"
    found = (_FENCE.fullmatch(line) or _APART.fullmatch(line)) if is_marked else None
    if found is None or found["title"].endswith(ENDS) or chat.SECTION.fullmatch(line):
        return ""
    return "" if read_heading(line) or may_think(line) else as_shape(found["title"].casefold()) or "/"


def are_keys(pairs: Collection[tuple[str, str]]) -> bool:
    """Whether labels are fields of records, no names: two come back equally often, each with few short values."""
    said: dict[str, list[str]] = {}
    for label, text in pairs:
        said.setdefault(label, []).append(text)
    counts = Counter(
        len(texts)
        for texts in said.values()
        if len(texts) >= max(LEAST_NUMBERED, 2 * len({*texts}))
        and not any(len(text) >= LONGEST_VALUE or text.endswith(ENDS) for text in {*texts})
    )
    return any(labels > 1 and 3 * labels * count > len(pairs) for count, labels in counts.items())
