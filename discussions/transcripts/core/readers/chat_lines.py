"""One line of a text chat: a message, a heading of a round, a vote, an elimination, or a continuation."""

import re
from collections import Counter

from msgspec import Struct
from msgspec.structs import replace

from discussions.transcripts.core.audience import (
    NARRATORS,
    SPEECH,
    THOUGHT,
    THOUGHT_NAMES,
    kind_of_title,
    kind_of_type,
)
from discussions.transcripts.core.notices import is_notice
from discussions.transcripts.core.readers.narration import (
    CARDINALS,
    CHINESE,
    NIGHTS,
    PARTS,
    ROLE,
    VOTE_COMMAND,
    VOTES,
    Rounds,
    find_narrators,
    tells,
    to_number,
)

_CLOCK = r"\d{1,2}:\d\d(?::\d\d(?:[.,]\d{1,6})?)?(?: ?[AaPp]\.? ?[Mm]\.?)?(?: ?(?:Z|UTC|[+-]\d\d:?\d\d))?"
_DATE = r"(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[./-]\d{1,2}[./-]\d{2,4})"
TIME = rf"(?:(?:{_DATE},?[ T])?{_CLOCK}|{_DATE},? \d{{1,2}}\.\d\d)"
# Models have colons in their names: "llama3:8b".
_NAME = (
    r"""(?:(?=\S{0,60}\d)[^\W\d_][\w./-]{0,40}:[\w.-]{1,30}(?=[ *:：])|[^\W_][^:：\[\](){}"<>,;|\t\n=]{0,59}?)"""
    r"""(?:[*_]{0,2} ?(?:\([^()\n]{1,60}\)|\[[^\[\]\n]{1,60}\]))?"""
)
MESSAGE = re.compile(
    rf"(?:[\[(](?P<boxed>{TIME}|\d{{1,18}}(?:\.\d{{1,9}})?)[\])]|(?P<bare>{TIME}))?"
    rf" ?(?:[-–|] )?(?P<mark>[*_`@]{{0,3}})(?P<name>{_NAME})[*_`]{{0,3}} ?"
    r"(?P<colon>[:：])[*_`]{0,3}(?:(?:[ \t]|(?<=：))(?P<text>.*)|$)"
)
# One player to another: "Ann -> Bea: psst".
_PLAIN_NAME = r"[^\W_][^:：\[\](){}\"<>,;|\t\n=\-→]{0,59}"
_ARROWED = re.compile(
    rf"(?:[\[(](?P<boxed>{TIME})[\])]|(?P<bare>{TIME}))? ?(?:[-–|] )?(?P<mark>)"
    rf"(?P<name>{_PLAIN_NAME}(?:->|→|=>) ?{_PLAIN_NAME})(?P<colon>[:：])(?:[ \t]?(?P<text>.*))"
)
# As IRC logs write it; a sign before the name marks a channel privilege.
IRC = re.compile(
    rf"(?:[\[(](?P<boxed>{TIME})[\])]|(?P<bare>{TIME}))? ?(?P<mark><) ?[@+%~&]?"
    r"(?P<name>[^\s<>:/=\"'!@+%~&][^<>:/=\"'\n]{0,59}?) ?(?P<colon>>)(?:[ \t]{1,3}(?P<text>.*)|$)"
)
# The round before each message: "[Day 1] Ann: hello", "[Day 1, 10:05] Ann: hello".
_MARKED = re.compile(
    rf"[\[(](?P<kind>{PARTS})\s{{0,3}}#?(?P<number>\d{{1,9}})"
    rf"(?:,?\s{{1,3}}(?:round|day|turn|phase)\s{{0,3}}#?\d{{1,9}})?(?:,?\s{{1,3}}(?P<time>{TIME}))?[\])]"
    r"\s{0,3}(?P<more>\S.*)",
    re.IGNORECASE,
)
_HEADING = re.compile(
    rf"(?P<sign>[^\w\s]{{0,20}})\s{{0,5}}(?P<kind>{PARTS})\s{{0,3}}#?(?P<number>\d{{1,9}}|(?:{'|'.join(CARDINALS)})(?!\w))"
    r"(?:\s{0,5}(?P<end>[^\w\s]{1,20})|(?P<more>\s{0,3}[:–-]\s.{0,80}|\s.{0,80}))?\s{0,5}",
    re.IGNORECASE,
)
# Words before a colon that look like a name but begin a round: "Night 1: wolves".
HEADING_NAME = re.compile(rf"(?P<kind>{PARTS})\s{{0,3}}#?(?P<number>\d{{1,9}})", re.IGNORECASE)
# "第2天", "2日目".
_CJK_HEADING = re.compile(
    rf"[^\w\s]{{0,20}}\s?第?\s?(?P<number>\d{{1,3}}|[{CHINESE}])\s?(?P<kind>[天轮輪回夜晚]合?|日目|일차)"
    r"(?:\s?[^\w\s]{0,20}|\s?(?P<sign>[:：\s])\s?(?P<more>[^\n]{1,80}))"
)
ARROW = re.compile(r"(?P<voter>[^\n]{1,200}?)\s{0,5}(?:->|→|=>|➜|➔|⇒)\s{0,5}(?P<target>[^\n]{1,200})")
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
# Sentences that begin a night or end it: "Night falls."
_FALLS = re.compile(
    r"(?P<title>(?:the )?(?:night (?:falls|begins|comes|has fallen)|(?:day|dawn) (?:breaks|begins|comes|has come))"
    r"(?:[.!:…].{0,80})?)",
    re.IGNORECASE,
)
# Of Markdown, a heading or a part that folds; it hides what follows if its title says so.
_TITLE = re.compile(
    r" {0,3}(?:#{1,6} (?P<heading>[^\n]{1,80})|</?details>(?:.{0,20}<summary>(?P<summary>[^<]{1,80}).*)?)\s{0,9}"
)
SETUP = re.compile(r"\b(?:roles?|cast|setup|assignments?)\b", re.IGNORECASE)
HIDDEN = re.compile(
    r"\b(?:night|private|secret|whispers?|mafia|wol(?:f|ves)|werewol(?:f|ves))\b", re.IGNORECASE
)
# A notice of a chat program: a date, a time and no name.
_NOTICE = re.compile(rf"(?:\[{_DATE},? {_CLOCK}\]|{_DATE},? {_CLOCK} [-–]) (?P<text>.*)")
# A name with a role after it: "Ann (villager)".
_WITH_ROLE = re.compile(r"(?P<name>[^()]{1,60}?) ?\((?P<role>[^()]{1,30})\)")
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
    rf"(?P<bare>{_HOW}(?: to .{{1,60}})?|thinks?|to .{{1,60}})| ?(?:->|→|=>) ?(?P<to>.{{1,60}}))",
    re.IGNORECASE,
)
_TAGGED = re.compile(
    rf"(?P<time>(?:[\[(]{TIME}[\])]|{TIME}) ?(?:[-–|] )?)?[\[(*](?P<how>[^\[\]()*\n]{{1,60}})[\])*] ?(?P<more>\S.*)"
)
# Before its colon a line says somewhere who could hear it: "> *Ann (thinking):* ...", "@Bea (DM) Ann: ...".
_LOOSE = re.compile(
    r"[^:：\n]{0,80}?[\[(*](?P<how>[^\[\]()*:：\n]{1,60})[\])*][^:：\n]{0,60}[:：](?P<text>.*)"
)
# A line that a sign or brackets set apart: "> *Ann thinks:* ...", "  (thinking: ...)", "💭 Ann: ...", "🗳 Ann -> Bea".
_APART = re.compile(
    r"(?P<before>[\s>·•│└├╰─-]{0,12})(?P<sign>[💭🧠🤔🤫🐺🔒👻🗣📢💬🔊🗳]?)\ufe0f?\s{0,3}(?P<boxed>[(\[*]{0,2})"
    r"(?P<more>[^\W_].*?)[)\]*]{0,2}\s{0,9}"
)
_SIGNS = dict.fromkeys("💭🧠🤔", "nobody") | dict.fromkeys("🗣📢💬🔊", "")
_BEGINS_TIMED = re.compile(rf"(?:[\[(]{TIME}[\])]|{TIME}) ?\S.*")
TIMED = re.compile(rf"\A(?:[\[(]{TIME}[\])]|{TIME}) ?(?:[-–|] )?")
# "gpt-4", "oni_", "llama3:8b".
_CODE = re.compile(r"(?=\S{0,60}[\d_:-])[^\W\d_]\S{1,59}")
_NUMBERED = re.compile(r"[\d_]")
ANY_NUMBER = re.compile(r"\d+")
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
    those after `open_tags`. `narrators`, case-folded, lead the game. `names` in small
    letters come back and are no words.
    """

    is_timed: bool = False
    is_irc: bool = False
    is_wide: bool = False
    has_roles: bool = False
    tags: frozenset[str] = frozenset()
    open_tags: frozenset[str] = frozenset()
    narrators: frozenset[str] = NARRATORS
    names: frozenset[str] = frozenset()


def find_style(lines: list[str]) -> ChatStyle:
    """How messages are recognised: by the signs that at least half of the lines that look like messages have."""
    plain = [plain_line(line) for line in lines]
    tags, open_tags = _find_tags(plain)
    marked = ((line, _MARKED.fullmatch(line)) for line in plain)
    found = [
        match for line, mark in marked if (match := match_message(mark["more"] if mark else line)) is not None
    ]
    wide = sum(match["colon"] == "：" for match in found)
    is_wide = wide >= 2 and 2 * wide >= len(found)
    found = found if is_wide else [match for match in found if match["colon"] != "："]
    timed = sum(match["boxed"] is not None or match["bare"] is not None for match in found)
    irc = sum(match["mark"] == "<" for match in found)
    small = (read_aside(match["name"].strip())[0] for match in found if match["name"][0].islower())
    return ChatStyle(
        is_timed=timed >= 2 and 2 * timed >= len(found),
        is_irc=irc >= 2 and 2 * irc >= len(found),
        is_wide=is_wide,
        has_roles=sum(read_role(match["name"])[1] != "" for match in found) >= 2,
        tags=tags,
        open_tags=open_tags,
        names=frozenset(
            name for name, count in Counter(small).items() if count > 1 and _CODE.fullmatch(name)
        ),
        narrators=find_narrators([(match["name"].strip(), match["text"] or "") for match in found]),
    )


def plain_line(line: str) -> str:
    """The line without marks of direction at its beginning, with plain spaces and brackets, as long as before else."""
    return line if line.isascii() else line.lstrip(_DIRECTIONS).translate(_PLAIN)


def read_role(name: str) -> tuple[str, str]:
    """A name and the known role in brackets after it; "" for other brackets."""
    found = _WITH_ROLE.fullmatch(name.strip())
    is_role = found is not None and ROLE.fullmatch(found["role"].strip())
    return (found["name"].strip(), found["role"].strip()) if found and is_role else (name, "")


def match_message(line: str) -> "re.Match[str] | None":
    """The parts of a line that looks like a message."""
    return MESSAGE.fullmatch(line) or IRC.fullmatch(line) or _ARROWED.fullmatch(line)


def read_aside(name: str) -> tuple[str, str]:
    """A name, and who could hear its message, as `ChatLine.audience`, where it is said after the name."""
    name = _MARKED_NAME.sub(" ", name)
    found = _WITH_ASIDE.fullmatch(name)
    if found is None or ROLE.fullmatch(found["boxed"] or ""):
        return name, ""
    if found["to"]:
        return found["name"].strip(), _hearers(f"to {found['to']}") or ""
    if _ALOUD.fullmatch((found["boxed"] or "").strip()):
        return found["name"].strip(), ""
    audience = _hearers(found["boxed"] or found["bare"])
    return (name, "") if audience is None else (found["name"].strip(), audience)


def _hearers(said: str) -> str | None:
    """The audience that these words name; None when they name none."""
    found = _ASIDE.fullmatch(said.strip())
    if found is None or not (found["how"] or found["to"]):
        return "nobody" if kind_of_type(said) == THOUGHT else None
    to = (found["to"] or "").removeprefix("the ")
    is_open = kind_of_type(to) == SPEECH and to.casefold() not in NARRATORS
    return "" if is_open else to or found["how"]


def read_chat_line(
    line: str, style: ChatStyle, *, names: set[str] | None, heading_names: frozenset[str] = frozenset()
) -> ChatLine:
    """The kind of a line. If `names` are given, only these begin a message; an indented line continues the text before.

    `heading_names` are players with a name that looks like a heading.
    """
    plain = plain_line(line)
    found = _read_plain(plain, style, names=names, heading_names=heading_names)
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


def _read_plain(
    line: str, style: ChatStyle, *, names: set[str] | None, heading_names: frozenset[str]
) -> ChatLine:
    if not line.strip():
        return ChatLine("blank")
    section = SECTION.fullmatch(line) or _FALLS.fullmatch(line)
    if section is not None and read_heading(line) is None:
        return ChatLine("section", text=section["title"], round=bool(HIDDEN.search(section["title"])))
    if (title := _TITLE.fullmatch(line)) is not None and read_heading(line) is None:
        said = title["heading"] or title["summary"] or ""
        is_hidden = bool(kind_of_title(said) or SETUP.search(said))
        return ChatLine("section", text=said, round=is_hidden)
    if (aside := _aside_line(line)) is not None:
        return aside
    if line[0] in " \t":
        return ChatLine("more", text=line.strip())
    if (marked := _marked_line(line, style, names) or _tagged_line(line, style, names)) is not None:
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


def _aside_line(line: str) -> ChatLine | None:
    """A message, a thought or a vote that signs set apart from what was said; None for any other line."""
    found = _APART.fullmatch(line) if not line[0].isalnum() else None
    if found is None or not (found["before"] or found["sign"] or found["boxed"]):
        return None
    if found["sign"] == "🗳" and ARROW.fullmatch(found["more"]):
        return ChatLine("vote", text=found["more"])
    match = MESSAGE.fullmatch(found["more"])
    if match is None:
        return None
    given, text = match["name"].strip(), (match["text"] or "").strip()
    name, audience = read_aside(given)
    if found["sign"] and found["sign"] != "🗳":
        said = _SIGNS.get(found["sign"], found["sign"])
        return ChatLine(
            "message", name=name, text=text, time=match["boxed"] or match["bare"], audience=audience or said
        )
    if audience or given.casefold() in THOUGHT_NAMES:
        return ChatLine("message", name=name, text=text, audience=audience)
    is_thought = found["boxed"] and kind_of_type(given) == THOUGHT
    return ChatLine("message", text=line.strip(), audience="nobody") if is_thought else None


def _marked_line(line: str, style: ChatStyle, names: set[str] | None) -> ChatLine | None:
    """A message or another line that follows a round mark on the same line; None for any other line."""
    mark = _MARKED.fullmatch(line)
    if mark is None:
        return None
    style = replace(style, is_timed=style.is_timed and mark["time"] is None)
    after = _said(mark["more"], match_message(mark["more"]), style, names=names, is_marked=True)
    if after.kind == "more":
        return None
    after = replace(after, time=after.time or mark["time"])
    return ChatLine(_heading_kind(mark["kind"]), round=int(mark["number"]), after=after)


def _tagged_line(line: str, style: ChatStyle, names: set[str] | None) -> ChatLine | None:
    """A message after a tag that says who could hear it; None for any other line."""
    tag = _TAGGED.fullmatch(line) if line[0] in "[(*" or line[0].isdecimal() else None
    audience = (_hearers(tag["how"]) or _of_tag(tag["how"], style)) if tag else None
    if tag is None or audience is None:
        return None
    line = (tag["time"] or "") + tag["more"]
    style = replace(style, is_timed=style.is_timed and tag["time"] is not None)
    found = _said(line, match_message(line), style, names=names)
    return replace(found, audience=audience or found.audience) if found.kind == "message" else None


def _of_tag(tag: str, style: ChatStyle) -> str | None:
    """Who heard a message after this tag: everybody, else its channel; None of what is no tag of the file."""
    said = tag.strip().casefold()
    return "" if said in style.open_tags else tag.strip() if said in style.tags else None


def _find_tags(lines: list[str]) -> tuple[frozenset[str], frozenset[str]]:
    """The words in brackets before messages ("[Town] Ann: hello"), and which of these everybody could hear.

    Those are words that say so, and one of no known meaning that most messages have.
    """
    found: Counter[str] = Counter()
    for line in lines:
        tag = _TAGGED.fullmatch(line) if line[:1] in ("[", "(") or line[:1].isdecimal() else None
        match = match_message(tag["more"]) if tag else None
        if (
            tag
            and match
            and len(match["name"].split()) <= MOST_WORDS
            and _NUMBERED.search(tag["how"]) is None
        ):
            found[tag["how"].strip().casefold()] += 1
    tags = {tag: count for tag, count in found.items() if count > 1 or kind_of_type(tag)}
    open_tags = {tag for tag in tags if kind_of_type(tag) == SPEECH}
    unknown = [tag for tag in tags if not kind_of_type(tag)]
    most = max(unknown, key=tags.__getitem__, default="")
    if (
        not open_tags
        and most
        and 2 * tags[most] > len([line for line in lines if match_message(line)]) + sum(tags.values())
    ):
        open_tags.add(most)
    return frozenset(tags), frozenset(open_tags)


def _said(
    line: str,
    match: "re.Match[str] | None",
    style: ChatStyle,
    *,
    names: set[str] | None,
    is_marked: bool = False,
) -> ChatLine:
    """A line that is not a heading: a vote, an elimination, a message, or a continuation."""
    if match is None or (match["colon"] == "：" and not style.is_wide):
        return _unsaid(line, style)
    name, text = _SAYS.sub("", match["name"].strip()), (match["text"] or "").strip()
    role = ""
    name, audience = read_aside(name)
    if style.has_roles:
        name, role = read_role(name)
    time = match["boxed"] or match["bare"]
    if (vote := _vote(name, text, time)) is not None:
        return vote
    is_listed = names is not None and name.casefold() in names
    leads = name.casefold() in style.narrators and not (role or audience or is_listed)
    is_name = leads or (is_listed if names is not None else style.is_timed or len(name.split()) <= MOST_WORDS)
    if style.is_irc and match["mark"] != "<":
        return replace(_unsaid(line, style), name=name)
    if not is_name or (style.is_timed and time is None):
        return ChatLine("more", name=name, text=line)
    if leads:
        return ChatLine("narrated", name=name, text=text, time=time)
    is_named = match["mark"] or role or name in style.names or (is_marked and _NUMBERED.search(name))
    if names is None and not style.is_timed and name[0].islower() and not is_named:
        return ChatLine("more", name=name, text=line)
    if not audience and len(text) < _LONGEST_VOTE and (command := VOTE_COMMAND.fullmatch(text)):
        return ChatLine("vote", name=name, text=command["target"], time=time)
    return ChatLine("message", name=name, text=text, time=time, role=role, audience=audience)


def _vote(name: str, text: str, time: str | None) -> ChatLine | None:
    """A vote or an elimination that words before a colon say; None for any other line."""
    said = name.lower()
    arrows = re.split("[,;]", text) if said == "votes" else [text]
    if said in ("vote", "votes") and all(map(ARROW.fullmatch, arrows)):
        return ChatLine("vote", text=text, time=time)
    if said == "eliminated" or (said == "vote" and len(text.split()) in (1, 2)):
        return ChatLine("out" if said == "eliminated" else "vote", text=text, time=time)
    return None


def _unsaid(line: str, style: ChatStyle) -> ChatLine:
    """A line that is no message in the style of the file: private in words of its own, a notice, or a continuation."""
    loose = _LOOSE.fullmatch(line)
    if loose is not None and (audience := _hearers(loose["how"])):
        return ChatLine("message", text=line.strip(), audience=audience)
    tag = _TAGGED.fullmatch(line)
    if tag is not None and tag["how"].strip().casefold() in style.narrators:
        return ChatLine("narrated", name=tag["how"].strip(), text=tag["more"].strip())
    if line[:1] in "*_[(" and line[-1:] in "*_])" and tells(line.strip("*_[]() ")):
        return ChatLine("narrated", text=line.strip("*_[]() "))
    # In a log of IRC what begins with a time and is no message goes on with no text: "20:19 <Ann:Bea> psst".
    notice = _NOTICE.fullmatch(line) if style.is_timed else None
    came = TIMED.sub("", line)
    if is_notice(came) or (style.is_irc and line.startswith(("--- ", "-!- ", "*** "))):
        return ChatLine("notice", text=came.strip())
    # Where messages have tags, what has one and is no message is said by nobody: "[Game over] Wolves win".
    if style.tags and tag is not None and not VOTES.fullmatch(line.strip()):
        is_round = Rounds().hear(tag["more"])
        return ChatLine("narrated" if is_round else "notice", name=tag["how"], text=came.strip())
    if notice or (style.is_irc and style.is_timed and _BEGINS_TIMED.fullmatch(line)):
        return ChatLine("notice", text=notice["text"] if notice else "")
    if style.is_timed and line.startswith(("[", "(")) and _BEGINS_TIMED.fullmatch(line):
        return ChatLine("narrated", text=came.strip(" *-"))
    return ChatLine("more", text=line)


def _named_heading(match: "re.Match[str] | None", heading_names: frozenset[str]) -> ChatLine | None:
    """The heading in a line that begins like a message: "Day 2: it begins"."""
    name = match["name"].strip() if match else ""
    heading = HEADING_NAME.fullmatch(name)
    if match is None or heading is None or name.casefold() in heading_names:
        return None
    text, time = (match["text"] or "").strip(), match["boxed"] or match["bare"]
    return ChatLine(_heading_kind(heading["kind"]), text=text, time=time, round=int(heading["number"]))


def read_heading(line: str) -> ChatLine | None:
    cjk = _CJK_HEADING.fullmatch(line.strip())
    # "第1天 Day 1", "第1天：平安夜", but not the sentence "第1天 很安静".
    if cjk and (not cjk["more"] or not cjk["sign"].isspace() or read_heading(cjk["more"])):
        return ChatLine(_heading_kind(cjk["kind"]), text=cjk["more"] or "", round=to_number(cjk["number"]))
    match = _HEADING.fullmatch(line.strip())
    # A bare line that goes on after the number is a sentence ("Day 2 was quiet") unless signs mark it as a heading.
    if match is None or (match["more"] and not match["sign"]):
        return None
    text = (match["more"] or "").strip(f" :–-{match['sign']}")
    return ChatLine(_heading_kind(match["kind"]), text=text, round=to_number(match["number"]))


def _heading_kind(word: str) -> str:
    return "night" if word.lower() in (*NIGHTS.split("|"), "夜", "晚") else "heading"
