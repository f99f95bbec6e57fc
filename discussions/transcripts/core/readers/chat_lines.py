"""One line of a text chat: a message, a heading of a round, a vote, an elimination, or a continuation."""

import re
from collections import Counter
from functools import lru_cache

from msgspec import Struct
from msgspec.structs import replace

from discussions.transcripts.core.audience import (
    NARRATORS,
    PRIVATE,
    SPEECH,
    THOUGHT,
    THOUGHT_NAMES,
    kind_of_title,
    kind_of_type,
)
from discussions.transcripts.core.notices import is_notice
from discussions.transcripts.core.readers import narration

_CLOCK = r"\d{1,2}:\d\d(?::\d\d(?:[.,]\d{1,6})?)?(?: ?[AaPp]\.? ?[Mm]\.?)?(?: ?(?:Z|UTC|[+-]\d\d:?\d\d))?"
_DATE = r"(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[./-](?:\d{1,2}|[^\W\d_]{3,9})[./-]\d{2,4})"
TIME = rf"(?:(?:{_DATE},?[ T])?{_CLOCK}|{_DATE},? \d{{1,2}}\.\d\d)"
# Models have colons in their names: "llama3:8b".
_NAME = (
    r"""(?:(?=\S{0,60}\d)[^\W\d_][\w./-]{0,40}:[\w.-]{1,30}(?=[ *:：])|[^\W_][^:：\[\](){}"<>,;|\t\n=]{0,59}?)"""
    r"""(?:[*_]{0,2} ?(?:\([^()\n]{1,60}\)|\[[^\[\]\n]{1,60}\]))?"""
)
# Its time, where a line has one; without one, the sign of an item in a list.
_WHEN = rf"(?:[\[(](?P<boxed>{TIME}|\d{{1,18}}(?:\.\d{{1,9}})?)[\])]|(?P<bare>{TIME}))? ?(?P<item>[-–|] )?"
ITEM_NUMBER = re.compile(r"\d{1,3}\. [*_]{0,3}")
MESSAGE = re.compile(
    rf"{_WHEN}(?P<mark>[*_`@]{{0,3}})(?P<name>{_NAME})[*_`]{{0,3}} ?"
    r"(?P<colon>[:：])[*_`]{0,3}(?:(?:[ \t]|(?<=：))(?P<text>.*)|$)"
)
# One player to another: "Ann -> Bea: psst".
_PLAIN_NAME = r"[^\W_][^:：\[\](){}\"<>,;|\t\n=\-→]{0,59}"
_ARROWED = re.compile(
    rf"{_WHEN}(?P<mark>)(?P<name>{_PLAIN_NAME}(?:->|→|=>) ?{_PLAIN_NAME})(?P<colon>[:：])(?:[ \t]?(?P<text>.*))"
)
# As IRC logs write it; a sign before the name marks a channel privilege.
IRC = re.compile(
    rf"{_WHEN}(?P<mark><) ?[@+%~&]?"
    r"(?P<name>[^\s<>:/=\"'!@+%~&][^<>:/=\"'\n]{0,59}?) ?(?P<colon>>):?(?:[ \t]{1,3}(?P<text>.*)|$)"
)
_NUMBERED_PART = rf"(?P<kind>{narration.PARTS})\s{{0,3}}#?(?P<number>\d{{1,9}})"
# Words before a colon that look like a name but begin a round: "Night 1: wolves".
HEADING_NAME = re.compile(_NUMBERED_PART, re.IGNORECASE)
_STEPS = "(?:round|day|turn|phase|runde|zug|ronda|turno|tour|manche|rodada|раунд|ход|message|msg|step)?"
# The round before each message: "[Day 1] Ann: hello", "[Day 1, 10:05] Ann: hello".
_MARKED = re.compile(
    rf"[\[(]{_NUMBERED_PART}(?:\s?[,:|/–-]?\s?{_STEPS}\s{{0,3}}#?\d{{1,9}})?(?:,?\s{{1,3}}(?P<time>{TIME}))?[\])]"
    r"\s{0,3}(?P<more>\S.*)",
    re.IGNORECASE,
)
ARROW = re.compile(r"(?P<voter>[^\n]{1,200}?)\s{0,5}(?:-{1,2}>|→|=>|➜|➔|⇒)\s{0,5}(?P<target>[^\n]{1,200})")
# What stands before a text is read with plain spaces and brackets; texts stay as they are.
_PLAIN = str.maketrans(
    dict.fromkeys(
        "\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000", " "
    )
    | dict(zip("（）［］【】〔〕＜＞", "()[][][]<>", strict=True))
)
_DIRECTIONS = "\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff"
# A line between parts of a game: "=== Night Discussion ===".
SECTION = re.compile(
    r"\s{0,9}([=#*~-])\1{1,20} {0,3}(?P<title>[^\W\d_][^=#*~\n:]{0,80}?) {0,3}\1{2,20}\s{0,9}"
)
# Of Markdown, a heading or a part that folds; it hides what follows if its title says so.
_TITLE = re.compile(
    r" {0,3}(?:#{1,6} |</?details>(?:.{0,20}<summary>)?)(?P<title>[^<\n]{0,80})(?:<.*)?\s{0,9}"
)
SETUP = re.compile(r"\b(?:roles?|cast|setup|assignments?)\b", re.IGNORECASE)
HIDDEN = re.compile(r"\b(?:night|private|secret|whispers?|mafia|(?:were)?wol(?:f|ves))\b", re.IGNORECASE)
# A notice of a chat program: a date, a time and no name.
_NOTICE = re.compile(rf"(?:\[{_DATE},? {_CLOCK}\]|{_DATE},? {_CLOCK} [-–]) (?P<text>.*)")
# A line of a log of a program: "2026-03-01 20:15:01,123 INFO [game.table] Ann: hello".
LOG_LINE = re.compile(
    rf"(?:[\[(]?(?P<time>{TIME})[\])]?)?[ \t|-]{{0,4}}[\[(]?"
    r"(?P<level>TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|CRITICAL|FATAL)[\])]?[ \t|:-]{1,4}"
    r"(?:[\[(](?P<boxed>[\w./-]{1,60})[\])][ :|-]{0,3}|(?P<source>[\w./-]{1,60})(?: ?: ?| [-|] ))?(?P<said>\S.*)"
)
# Who could hear a message: "Ann (whispers to Bea)", "Ann thinks", "[wolf chat] Ann".
_HOW = (
    r"(?:whisper(?:s|ed|ing)?|unheard|inaudibl[ey]|under (?:his|her|their) breath|sotto voce"
    r"|privately|private|secretly|secret|dms?|pms?|aside"
    r"|(?:night|wol(?:f|ves)|werewol(?:f|ves)|mafia|dead|ghosts?) (?:chat|channel|talk|only))"
)
_ASIDE = re.compile(rf"(?P<how>{_HOW})?(?:(?:^|,? )to:? (?P<to>.{{1,200}})|(?<=.),.{{1,60}})?", re.IGNORECASE)
# "Ann [speech]", "Ann (aloud)" and "Ann wrote" are Ann.
_ALOUD = re.compile(
    r"(?:(?:speech|speaks?|says?|said|aloud|out|loud|loudly|public(?:ly)?|spoken|statement|to|all"
    r"|everyone|everybody)\b ?){1,4}",
    re.IGNORECASE,
)
_MARKED_NAME = re.compile(r"[*_]{1,2} ?(?=[(\[])")
_SAYS = re.compile(r" (?:wrote|writes|says|said)\Z")
_WITH_ASIDE = re.compile(
    rf"(?P<name>[^()]{{1,60}}?)(?: ?[(\[](?P<boxed>[^()\[\]]{{1,60}})[)\]]| "
    rf"(?P<bare>{_HOW}(?: to .{{1,60}})?|thinks?(?: to \w{{3,4}}sel(?:f|ves))?|to \S{{1,40}}(?: \S{{1,40}}){{0,4}})"
    rf"| ?(?:->|→|=>) ?(?P<to>.{{1,60}}))",
    re.IGNORECASE,
)
_TAGGED = re.compile(
    rf"(?P<time>(?:[\[(]{TIME}[\])]|{TIME}) ?(?:[-–|] )?)?"
    rf"[\[(*](?!{TIME}[\])])(?P<how>[^\[\]()*\n]{{1,60}})[\])*] ?(?P<more>\S.*)"
)
# Before its colon a line says somewhere who could hear it: "> *Ann (thinking):* ...", "@Bea (DM) Ann: ...".
_LOOSE = re.compile(
    r"[^:：\n]{0,80}?[\[(*](?P<how>[^\[\]()*:：\n]{1,60})[\])*][^:：\n]{0,60}[:：](?P<text>.*)"
)
# A line that a sign or brackets set apart: "> *Ann thinks:* ...", "  (thinking: ...)", "💭 Ann: ...", "🗳 Ann -> Bea".
_APART = re.compile(
    r"(?P<before>[\s>·•│└├╰─-]{0,12})(?P<sign>[💭🧠🤔🤫🐺🔒👻🗣📢💬🔊👤🗳]?)\ufe0f?\s{0,3}(?P<boxed>[(\[*]{0,2})"
    r"(?P<more>[^\W_].*?)[)\]*]{0,2}\s{0,9}"
)
SIGNS = dict.fromkeys("💭🧠🤔", "nobody") | dict.fromkeys("🗣📢💬🔊👤🗳", "")
_PICTURE = re.compile("[\u2600-\u2bff\U0001f000-\U0001faff]")
TIMED = re.compile(rf"\A(?:[\[(]{TIME}[\])]|{TIME}) ?(?:[-–|] )?")
# "gpt-4", "oni_", "llama3:8b".
_CODE = re.compile(r"(?=\S{0,60}[\d_:-])[^\W\d_]\S{1,59}")
_NUMBERED = re.compile(r"[\d_]")
NUMBER = re.compile(r"\d+")
# Without times, a name of more words counts as the beginning of a sentence.
MOST_WORDS = 3
_LONGEST_VOTE = 80


class ChatLine(Struct, frozen=True):
    """One line: `kind` is heading, night, section, notice, vote, out, message, narrated, blank or more (it continues
    the text). A vote with a name is of that player, and its text is the target.

    The `round` of a section is 1 where it is private. `after` is the text that follows a heading on its line and
    counts as a line of its own: "Day 1: Ann: hello". `role` stands in brackets after the name. `audience` says who
    could hear a message, "nobody" or players or a channel; "" is everybody. `is_mended` says that signs before the text
    were read as plain ones.
    """

    kind: str
    name: str = ""
    text: str = ""
    time: str | None = None
    round: int = 0
    after: "ChatLine | None" = None
    role: str = ""
    audience: str = ""
    is_mended: bool = False


class ChatStyle(Struct, frozen=True):
    """How the messages of a file are recognised: by their times, by names in angle brackets, by full-width colons.

    `has_roles` says that brackets after names hold roles. `tags` stand in brackets before messages; everybody heard
    those after `open_tags`. `narrators`, case-folded, lead the game. `names` in small letters come back and are no
    words. The `speakers`, case-folded, play and speak without a picture before their names. If names are `listed`, only
    these begin messages. `heading_names` are players that look like headings. Where names come back outside of lists,
    no list `has_items` that are messages.
    """

    is_timed: bool = False
    is_irc: bool = False
    is_wide: bool = False
    has_roles: bool = False
    tags: frozenset[str] = frozenset()
    open_tags: frozenset[str] = frozenset()
    narrators: frozenset[str] = NARRATORS
    names: frozenset[str] = frozenset()
    speakers: frozenset[str] = frozenset()
    listed: frozenset[str] | None = None
    heading_names: frozenset[str] = frozenset()
    has_items: bool = True


def find_style(lines: list[str]) -> ChatStyle:
    """How messages are recognised: by the signs that at least half of the lines that look like messages have."""
    plain = [plain_line(line) for line in lines]
    tags, open_tags = _find_tags(plain)
    marked = (mark["more"] if (mark := _MARKED.fullmatch(line)) else line for line in plain)
    found = [match for line in marked if (match := match_message(line))]
    is_wide = _is_usual([match["colon"] == "：" for match in found])
    found = [match for match in found if is_wide or match["colon"] != "："]
    called = Counter((read_aside(match["name"].strip())[0], _is_item(match)) for match in found)
    again = {one for one, count in called.items() if count > 1}
    said = [(match["name"].strip(), match["text"] or "") for match in found]
    speakers = {name.casefold() for name, _text in said}
    signed = ((match["name"].strip(), match["text"] or "") for line in plain if (match := match_signed(line)))
    others = (one for one in signed if one[0].casefold() not in speakers)
    narrators = narration.find_narrators([*said, *others])
    bare, items = ({name for name, is_item in again if is_item == kind} for kind in (False, True))
    return ChatStyle(
        is_timed=_is_usual([_time_of(match) is not None for match in found]),
        is_irc=_is_usual([match["mark"] == "<" for match in found]),
        is_wide=is_wide,
        has_roles=sum(narration.read_role(match["name"])[1] != "" for match in found) >= 2,
        tags=tags,
        open_tags=open_tags,
        names=frozenset(name for name in bare | items if name[0].islower() and _CODE.fullmatch(name)),
        has_items=len(bare) < 2 or 2 * len(items - bare) > len(items),
        narrators=narrators,
        speakers=frozenset(speakers - narrators),
    )


def _is_usual(has_sign: list[bool]) -> bool:
    return sum(has_sign) >= 2 and 2 * sum(has_sign) >= len(has_sign)


def plain_line(line: str) -> str:
    """The line without marks of direction at its beginning, with plain spaces and brackets, as long as before else."""
    return line if line.isascii() else line.lstrip(_DIRECTIONS).translate(_PLAIN)


def as_shape(text: str) -> str:
    """The text with each number as 0."""
    return NUMBER.sub("0", text)


@lru_cache(maxsize=1024)
def match_message(line: str) -> "re.Match[str] | None":
    """The parts of a line that looks like a message."""
    return MESSAGE.fullmatch(line) or IRC.fullmatch(line) or _ARROWED.fullmatch(line)


def match_signed(line: str) -> "re.Match[str] | None":
    """The parts of a message behind a picture of no known meaning: "☀️ Ada: Day 2 begins"."""
    is_signed = _PICTURE.match(line) and line[0] not in SIGNS
    return match_message(line[1:].lstrip("\ufe0f ")) if is_signed else None


def _time_of(match: "re.Match[str]") -> str | None:
    return match["boxed"] or match["bare"]


def _is_item(match: "re.Match[str]") -> bool:
    has_sign = match["item"] is not None or ITEM_NUMBER.match(match["name"]) is not None
    return has_sign and _time_of(match) is None


def read_aside(name: str) -> tuple[str, str]:
    """A name, and who could hear its message, as `ChatLine.audience`, where it is said after the name."""
    if name.isalnum():
        return name, ""
    name = _MARKED_NAME.sub(" ", name)
    found = _WITH_ASIDE.fullmatch(name)
    boxed = (found["boxed"] or "").strip() if found else ""
    if found is None or narration.ROLE.fullmatch(boxed):
        return name, ""
    said = f"to {found['to']}" if found["to"] else boxed or found["bare"]
    audience = "" if _ALOUD.fullmatch(boxed) else _hearers(said)
    is_known = audience is not None or found["to"]
    return (found["name"].strip(), audience or "") if is_known else (name, "")


def _hearers(said: str) -> str | None:
    """The audience that these words name; None when they name none."""
    found = _ASIDE.fullmatch(said.strip())
    if found is None or not (found["how"] or found["to"]):
        return "nobody" if kind_of_type(said) == THOUGHT else None
    to = (found["to"] or "").removeprefix("the ")
    is_open = kind_of_type(to) == SPEECH and to.casefold() not in NARRATORS
    return "" if is_open else to or found["how"]


@lru_cache(maxsize=1024)
def read_chat_line(line: str, style: ChatStyle) -> ChatLine:
    """The kind of a line; an indented one continues the text before. A file is looked at before it is read."""
    plain = plain_line(line)
    found = _read_plain(plain, style)
    return found if plain == line else _restored(found, line, plain)


def _restored(found: ChatLine, line: str, plain: str) -> ChatLine:
    """The line that was read in plain signs, with its text as it is written."""
    if found.after is not None:
        return replace(found, after=_restored(found.after, line, plain))
    if found.kind == "more":
        return replace(found, text=line.strip() if line[0] in " \t" else line)
    if found.kind != "message":
        return replace(found, is_mended=True)
    written, end = line.lstrip(_DIRECTIONS), len(plain.rstrip())
    start = end - len(found.text)
    return replace(found, text=written[start:end].strip(), is_mended=written[:start] != plain[:start])


def _read_plain(line: str, style: ChatStyle) -> ChatLine:
    if not line.strip():
        return ChatLine("blank")
    title = None if line[0].isalnum() else SECTION.fullmatch(line) or _TITLE.fullmatch(line)
    if title is not None and read_heading(line) is None:
        said = title["title"]
        is_hidden = kind_of_title(said) or (SETUP if title.re is _TITLE else HIDDEN).search(said)
        part = narration.part_of_day(said)
        return ChatLine("section", name=part, text=said, round=bool(is_hidden or part == "night"))
    if part := narration.part_of_day(line) if line[0] not in " \t" else "":
        return ChatLine("section", name=part, text=line, round=part == "night", audience=part)
    if (aside := _aside_line(line)) is not None:
        return aside
    if line[0] in " \t":
        return ChatLine("more", text=line.strip())
    mark = _MARKED.fullmatch(line) if line[0] in "[(" else None
    marked = _with_more(_begun(mark, mark["more"], mark["time"]), style, is_marked=True) if mark else None
    if (found := marked or _tagged_line(line, style)) is not None:
        return found
    match = match_message(line)
    heading = read_heading(line) or _named_heading(match, style)
    return (_with_more(heading, style) or heading) if heading else _said(line, match, style)


def _begun(found: "re.Match[str]", text: str, time: str | None = None) -> ChatLine:
    """The heading of a round or a night, with the text after it."""
    kind, number, text = narration.begun(found, text)
    return ChatLine(kind, text=text, time=time, round=number)


def _with_more(heading: ChatLine, style: ChatStyle, *, is_marked: bool = False) -> ChatLine | None:
    """The heading with the message or another line that follows on its line; None where its text is no such line."""
    # Its time may precede the heading.
    style = replace(style, is_timed=style.is_timed and heading.time is None)
    match = match_message(heading.text)
    after = _said(heading.text, match, style, is_marked=is_marked)
    is_text = after.kind == "more" or (not is_marked and not after.text) or _named_heading(match, style)
    return None if is_text else replace(heading, after=replace(after, time=after.time or heading.time))


def _aside_line(line: str) -> ChatLine | None:
    """A message, a thought or a vote that signs set apart from what was said; None for any other line."""
    found = _APART.fullmatch(line) if not line[0].isalnum() else None
    if found is None or not (found["before"] or found["sign"] or found["boxed"]):
        return None
    sign = found["sign"]
    match = MESSAGE.fullmatch(found["more"])
    tag = _TAGGED.fullmatch(line.strip()) if match is None else None
    if tag and kind_of_type(tag["how"]) in (PRIVATE, THOUGHT) and not match_message(tag["more"]):
        return ChatLine("message", text=tag["more"], audience="nobody")
    if match is None:
        hearers = SIGNS.get(sign, sign)
        is_told = not hearers or (sign in "🐺👻" and narration.tells(found["more"], with_votes=False))
        return None if is_told else ChatLine("message", text=found["more"], audience=hearers)
    given, text = match["name"].strip(), (match["text"] or "").strip()
    name, audience = read_aside(given)
    if sign and sign != "🗳":
        audience = audience or SIGNS.get(sign, sign)
        name, role = narration.read_role(name)
        return ChatLine("message", name=name, text=text, time=_time_of(match), role=role, audience=audience)
    if audience or given.casefold() in THOUGHT_NAMES:
        return ChatLine("message", name=name, text=text, audience=audience)
    is_thought = kind_of_type(given) == THOUGHT and (found["boxed"] or given.count(" ") < MOST_WORDS)
    return ChatLine("message", text=line.strip(), audience="nobody") if is_thought else None


def _tagged_line(line: str, style: ChatStyle) -> ChatLine | None:
    """A message after a tag that says who could hear it; None for any other line."""
    tag = _TAGGED.fullmatch(line) if line[0] in "[(*" or line[0].isdecimal() else None
    if tag is None:
        return None
    said, audience = tag["how"].strip(), _hearers(tag["how"])
    if not audience and said.casefold() not in style.tags:
        return None
    audience = audience or ("" if said.casefold() in style.open_tags else said)
    line = (tag["time"] or "") + tag["more"]
    style = replace(style, is_timed=style.is_timed and tag["time"] is not None)
    found = _said(line, match_message(line), style)
    if found.kind == "message" and (target := narration.ballot(said, found.text)):
        return replace(found, kind="vote", text=target)
    is_own = found.kind == "vote" and found.name != ""
    audience = "" if is_own else audience or found.audience
    return replace(found, audience=audience) if is_own or found.kind == "message" else None


def _find_tags(lines: list[str]) -> tuple[frozenset[str], frozenset[str]]:
    """The words in brackets before messages ("[Town] Ann: hello"), and those that say, or seem to say, "to all"."""
    begun = [line for line in lines if line[:1] in ("[", "(") or line[:1].isdecimal()]
    tagged = [
        (tag["how"].strip().casefold(), match["name"])
        for tag in map(_TAGGED.fullmatch, begun)
        if tag and (match := match_message(tag["more"])) and len(match["name"].split()) <= MOST_WORDS
        if _NUMBERED.search(tag["how"]) is None
    ]
    found = Counter(tag for tag, _name in tagged)
    tags = {tag: count for tag, count in found.items() if count > 1 or kind_of_type(tag)}
    open_tags = {tag for tag in tags if kind_of_type(tag) == SPEECH} | _tags_of_names(lines)
    unknown = {tag for tag in found if not kind_of_type(tag)}
    bare = [match["name"] for line in lines if (match := match_message(line))]
    # Of two unknown tags, or of one and none before what the same players say, either may be what nobody hears.
    if len(unknown) == 1 and not open_tags and not {*bare} & {name for _tag, name in tagged}:
        open_tags = unknown if 2 * found[min(unknown)] > len(bare) + sum(tags.values()) else open_tags
    return frozenset(tags) | open_tags, frozenset(open_tags)


def _tags_of_names(lines: list[str]) -> set[str]:
    """The words in brackets before messages where all of a name have the same of their own: models, colours."""
    found: dict[str, set[str]] = {}
    for line in lines:
        tag = _TAGGED.fullmatch(line)
        match = match_message(tag["more"] if tag else line)
        if match:
            found.setdefault(match["name"].strip(), set()).add(tag["how"].strip().casefold() if tag else "")
    own = {min(tags) for tags in found.values()}
    are_words = all(
        tag and not re.fullmatch(_CLOCK, tag, re.IGNORECASE) and read_heading(tag) is None for tag in own
    )
    is_own = len(own) >= MOST_WORDS and are_words and all(len(tags) == 1 for tags in found.values())
    # Two players may be of one model, which has a number in its name.
    is_own = is_own and (len(own) == len(found) or all(map(_NUMBERED.search, own)))
    return own if is_own and not any(map(kind_of_type, own)) else set()


def _said(line: str, match: "re.Match[str] | None", style: ChatStyle, *, is_marked: bool = False) -> ChatLine:
    """A line that is not a heading: a vote, an elimination, a message, or a continuation."""
    if match is None or (match["colon"] == "：" and not style.is_wide and not kind_of_title(match["name"])):
        return _unsaid(line, style)
    name, text = _SAYS.sub("", match["name"].strip()), (match["text"] or "").strip()
    name, audience = read_aside(name)
    if not style.has_items and _is_item(match) and not kind_of_type(ITEM_NUMBER.sub("", name, count=1)):
        return ChatLine("more", text=line)
    name, role = narration.read_role(name) if style.has_roles else (name, "")
    time = _time_of(match)
    if (vote := _vote(name, text, time)) is not None:
        return vote
    is_listed = style.listed is not None and name.casefold() in style.listed
    leads = name.casefold() in style.narrators and not (role or audience or is_listed)
    is_free = style.listed is None
    is_name = leads or is_listed or (is_free and (style.is_timed or len(name.split()) <= MOST_WORDS))
    if style.is_irc and match["mark"] != "<":
        return replace(_unsaid(line, style), name=name)
    is_named = match["mark"] or role or name in style.names or (is_marked and _NUMBERED.search(name))
    is_word = is_free and not leads and not style.is_timed and name[0].islower() and not is_named
    if is_word or not is_name or (style.is_timed and time is None and not leads):
        return ChatLine("more", name=name, text=line)
    if leads:
        return ChatLine("narrated", name=name, text=text, time=time)
    if not audience and len(text) < _LONGEST_VOTE and (command := narration.VOTE_COMMAND.fullmatch(text)):
        return ChatLine("vote", name=name, text=command["target"], time=time)
    return ChatLine("message", name=name, text=text, time=time, role=role, audience=audience)


def _vote(name: str, text: str, time: str | None) -> ChatLine | None:
    """A vote or an elimination that words before a colon say; None for any other line."""
    said = name.lower()
    if said not in ("vote", "votes", "eliminated"):
        return None
    votes = re.split("[,;]", text) if said == "votes" else [text]
    is_vote = all(map(ARROW.fullmatch, votes)) or (said == "vote" and len(text.split()) in (1, 2))
    kind = "out" if said == "eliminated" else "vote"
    return ChatLine(kind, text=text, time=time) if is_vote or kind == "out" else None


def _unsaid(line: str, style: ChatStyle) -> ChatLine:
    """A line that is no message in the style of the file: private in words of its own, a notice, or a continuation."""
    loose, tag, inside = _LOOSE.fullmatch(line), _TAGGED.fullmatch(line), line.strip("*_[]() ")
    name, how, text = narration.split_named(line, style.speakers)
    kind = kind_of_title(how)
    if audience := ("nobody" if kind == THOUGHT else how) if kind else loose and _hearers(loose["how"]):
        name, text = (name, text) if kind else ("", line.strip())
        return ChatLine("message", name=name, text=text, audience=audience)
    if tag is not None and tag["how"].strip().casefold() in style.narrators:
        return ChatLine("narrated", name=tag["how"].strip(), text=tag["more"].strip())
    signed = match_signed(line)
    name, text = (signed["name"].strip(), signed["text"] or "") if signed else ("", "")
    if narration.Rounds().hear(text):
        kind = "message" if name.casefold() in style.speakers else "narrated"
        return ChatLine(kind, name=name, text=text.strip())
    if line[:1] in "*_[(" and line[-1:] in "*_])" and narration.tells(inside):
        return ChatLine("narrated", text=inside)
    # In a log of IRC what begins with a time and is no message goes on with no text: "20:19 <Ann:Bea> psst".
    notice = _NOTICE.fullmatch(line) if style.is_timed else None
    came = TIMED.sub("", line)
    if is_notice(came) or (style.is_irc and came.startswith(("--- ", "-!- ", "*** "))):
        told = came.rpartition(" to: ")[2].strip(" !*\"'-")
        return read_heading(told) or ChatLine("notice", text=came.strip())
    # Where messages have tags, what has one and is no message is said by nobody: "[Game over] Wolves win".
    if style.tags and tag is not None and not narration.VOTES.fullmatch(line.strip()):
        kind = "narrated" if narration.Rounds().hear(tag["more"]) else "notice"
        return ChatLine(kind, name=tag["how"], text=came.strip())
    is_timed = style.is_timed and came not in ("", line)
    if notice or (style.is_irc and is_timed):
        return ChatLine("notice", text=notice["text"] if notice else "")
    is_boxed = is_timed and line.startswith(("[", "("))
    return ChatLine("narrated", text=came.strip(" *-")) if is_boxed else ChatLine("more", text=line)


def _named_heading(match: "re.Match[str] | None", style: ChatStyle) -> ChatLine | None:
    """The heading in a line that begins like a message: "Day 2: it begins"."""
    name = match["name"].strip() if match else ""
    heading = HEADING_NAME.fullmatch(name)
    if match is None or heading is None or name.casefold() in style.heading_names:
        return None
    return _begun(heading, (match["text"] or "").strip(), _time_of(match))


def title_of(line: str) -> str:
    """The title that a line is; "" for other lines and the headings of rounds."""
    found = SECTION.fullmatch(line) or (_TITLE.fullmatch(line) if line[:1] == "#" else None)
    return "" if found is None or read_heading(line) else found["title"]


def read_heading(line: str) -> ChatLine | None:
    found = narration.read_heading(line)
    return ChatLine(found[0], round=found[1], text=found[2]) if found else None
