"""Texts whose lines name players: what stands around a name ("[wolves] Ann:", "Ann thinks") is the type of a row."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping

from msgspec import Struct, field
from msgspec.structs import replace

from discussions.transcripts.core.audience import (
    IGNORE,
    LEVELS,
    OUT,
    THOUGHT_NAMES,
    VOTE,
    is_hidden,
    kind_of_type,
    words_of,
)
from discussions.transcripts.core.readers import cast_lists, chat_labels, narration
from discussions.transcripts.core.readers import chat_lines as chat
from discussions.transcripts.core.readers.called_names import (
    EVENTS,
    FAR,
    LEAST_NAMES,
    SAID,
    addressed,
    any_of,
    find_names,
    read_hidden,
)
from discussions.transcripts.core.readers.chat_parts import LABEL, TITLE, begin_part, kept_round, part_of
from discussions.transcripts.core.readers.narration import ROLE, VOTE_COMMAND, part_of_day

Rows = list[tuple[int, dict[str, str]]]

# How often the same has to come back.
_LEAST = 3
_LEVEL = rf"(?:(?:{'|'.join(LEVELS)})\b[ :|-]{{0,3}})?"
_SIGN = re.compile(
    r"(?P<after>(?:[^:：>|»「“\n]|(?<=[-=])>){0,60}?"
    r"(?:\s?\|\s?[^\W\d_][\w-]{1,30}(?: [^\W\d_A-Z][\w-]{1,30})?(?=\s?\|\s?[^|\s][^|\n]*\Z))?)\s?"
    r"(?:(?P<sign>[:：](?=[*_`]{0,3}(?:[\s\"“「]|\Z))|(?<![=-])>(?=\s|\Z)|[|»「“]|(?P<dash>(?<=\s)[-–—](?=\s)))"
    rf"[*_`]{{0,3}}\s{{0,3}}{_LEVEL}(?P<text>.*)|\Z)"
)
# "[Ann|wolves] psst": what stands in brackets belongs to the name.
_BOXED_SIGN = re.compile(
    r"(?P<after>[^\[\](){}\n]{0,60}(?:\([^\[\](){}\n]{1,40}\)[^\[\](){}\n]{0,60})?(?P<sign>[\])}]))[:：]?\s{0,3}(?P<text>.*)"
    r"(?P<dash>)?"
)
# What may stand behind names in angle brackets.
_ANGLED_SIGN = re.compile(
    r"(?P<after>(?:[^<>\n]|(?<=[-=])>){0,60}(?P<sign>(?<![-=])>))[:：]?\s{0,3}(?P<text>.*)(?P<dash>)?"
)
_KEYS = ('{"', "{'", '["', "['")
_COLON = re.compile(r"[:：]\s")
_OPENING, _CLOSING = ("[", "(", "<"), ("]", ")", ">")
_OPENED = re.compile(r"[\[({<][^\[\](){}<>]*\Z")
_VOTES = re.compile(
    r"\0(?: ?\(role\))?(?: (?:votes?|voted|stimmte?|vot(?:a|ó|ou)|a voté|głosuje|голосует)\b.{0,20}"
    r"| ?投票?[给給]了? ?| ?(?:-{1,2}>|→|=>) ?)\0(?: (?:of being|as|for being|to be)\b.{0,40}| ?\(.{1,40}\))?\W{0,3}\Z",
    re.IGNORECASE,
)
_TOLD_VOTES = re.compile(
    r"(?:(?<=[.:;] )|\A)\0(?:(?:,| and|, and) \0)*,? (?:(?:has |have )?(?:votes?|voted) (?:for |against )?|→ |-> )"
    r"\0(?=[.;!]|\Z)"
)
# Who speaks and who hears it, in brackets before a text.
_ADDRESSED = re.compile(r"\0 ?(?:->|→|=>) ?\0[^\0]{0,60}[\])>]\Z")
_AUTHOR = re.compile(r"\A\W*(?:by|from|von|par|por|от)\W*\Z", re.IGNORECASE)
# Bold names are no others.
_AROUND = re.compile(r"(?<![*_`])([*_~(<'\"]?)\0([*_~)>'\"]?)(?![*_`])")
_EVENT = re.compile(rf"\[(?P<name>{'|'.join(EVENTS)})\](?P<text>.*)", re.IGNORECASE)
_SIGNS_BEFORE = re.compile(r"\A[^\w\[(]{1,12}")
_ID = re.compile(r"[^\W\d_]{1,20}[_-]?\d{1,4}\W?")
_ITEM = re.compile(r"\s{0,9}(?:[*•–-]|0[.)])\s")
_ROLES = re.compile(rf"[(\[]\s?{ROLE.pattern}\s?(?:[)\]]|(?=[(\[]))", re.IGNORECASE)
_BOXED_END = re.compile(r"(?P<text>.*\S)\s{1,3}[\[({](?P<boxed>[^\[\](){}]{1,60})[\])}]")
_TIMES = re.compile(rf"[\[(]?{chat.TIME}(?:[.,]\d{{1,9}})?[\])]?")
_ROUND_TAG = re.compile(r"[\[(]Round \d{1,3}(?:[\])]|, ?)")
_SENTENCE = re.compile(r"[.!?,;] ")
# What everybody hears needs no type.
_OPEN_SIGNS = {ord(sign): None for sign, hearers in chat.SIGNS.items() if not hearers}
_RARE = re.compile(r"(?P<label>[^\W\d_a-z][\w-]{0,24}): (?P<text>\S{1,40} \S{1,40} \S.*[.!?…\"”])")
_BOXED_LABEL = re.compile(r"\s{0,12}[(\[【](?P<label>[^\W\d_][\w -]{0,39})[)\]】]\s{0,9}(?P<text>\S.*)")
# A few words at the end of texts say who could hear them; more are texts.
_MOST_BOXES, _MOST_WORDS = 12, 5
_RULE = re.compile(r"\W{3,}")
OTHER = "other lines"


class _Head(Struct, frozen=True):
    """What a line begins with: `shape` has NUL for names, 0 for numbers; `kind` is a type; without a sign, no text."""

    shape: str
    names: list[str]
    player: str
    kind: str
    text: str
    has_sign: bool
    time: str = ""


def _find_heads(lines: list[str], any_name: "re.Pattern[str]") -> dict[int, _Head]:
    """The lines that begin like others: number -> what they begin with."""
    plain = enumerate(map(chat.plain_line, lines), start=1)
    heads = {number: head for number, line in plain if (head := _read_head(line, any_name))}
    shapes: dict[str, list[_Head]] = {}
    for head in heads.values():
        shapes.setdefault(head.shape, []).append(head)
    # What only one name begins is a text, as is "I agree with Ann: ...".
    players = {shape: {head.player for head in same} for shape, same in shapes.items()}
    often = {shape for shape, same in shapes.items() if len(same) >= _LEAST and len(players[shape]) > 1}
    # A time is nothing that is said: "Ann » Wed Feb 11, 2026 7:10 pm".
    dates = {
        shape
        for shape, same in shapes.items()
        if all(len(head.text) < FAR and _TIMES.search(head.text) for head in same)
        and 2 * len({chat.as_shape(head.text) for head in same}) <= len(same)
    }
    # "Still alive:" and "Result:" stand alone, as no player does.
    called = {head.player for head in heads.values() if head.shape in often and (head.kind or head.text)}
    others = {shape for shape in often if called and called.isdisjoint(players[shape])}
    # Where texts stand below names, what lists name in these is a part of them.
    items = {one.shape for one in heads.values() if one.has_sign and _ITEM.match(one.shape)}
    bare = [one for one in heads.values() if one.has_sign and one.shape not in items]
    others |= items if 2 * sum(not one.text for one in bare) > len(bare) else set()
    return {
        number: replace(head, text="") if head.shape in dates else head
        for number, head in heads.items()
        if head.shape not in others
        if head.shape in often or (head.has_sign and not _SENTENCE.search(head.shape))
        if not SAID.match(head.shape)
    }


def _read_head(line: str, any_name: "re.Pattern[str]", *, is_again: bool = False) -> _Head | None:
    first = any_name.search(line, 0, FAR)
    # "##Vote: Ann" is said by who speaks. The keys of an object and the parts of a list say nothing.
    if first is None or VOTE_COMMAND.fullmatch(line.strip()) or line[: first.start()].endswith(_KEYS):
        return None
    sign = _sign_after(line, first, any_name)
    if sign is None:
        return None
    label = LABEL.fullmatch(line)
    said = label["label"] if label and label.start("text") <= first.start() else ""
    if chat_labels.is_of_call(said) or (not sign["sign"] and is_hidden(said)):
        return None
    begin = line[: sign.end("after")]
    names = any_name.findall(begin)
    # "[for Ann] Bea:", but "Ann to Bea:".
    between = _ROLES.sub(" ", begin[first.end() : begin.rindex(names[-1])]) if names[1:] else ""
    is_last = "]" in between or ")" in between
    head = _Head(
        shape=chat.as_shape(_ROLES.sub("(role)", any_name.sub("\0", begin))),
        names=names,
        player=names[-1] if is_last else names[0],
        kind=_type_of(begin, any_name),
        text=(sign["text"] or "").strip(" 」”"),
        has_sign=sign["sign"] is not None and not sign["dash"],
        time=time[0].strip("[()] -–|") if (time := chat.TIMED.match(line)) else "",
    )
    # "Ann: Ann says: ...", "Ann: Ann votes for Bea".
    is_named = not is_again and head.has_sign and head.text.startswith(head.player)
    again = _read_head(head.text, any_name, is_again=True) if is_named else None
    is_whole = again and (again.has_sign or head.text.count(" ") < _MOST_WORDS)
    if not (again and is_whole and again.player == head.player) or _SENTENCE.search(again.shape):
        return head
    kind, text = f"{head.kind} {again.kind}".strip(" ."), again.text or head.text
    shape = f"{head.shape}: {again.shape}"
    return replace(again, shape=shape, kind=kind, text=text, has_sign=True, time=head.time)


def _sign_after(line: str, first: "re.Match[str]", any_name: "re.Pattern[str]") -> "re.Match[str] | None":
    """What stands between the first name of a line and its text: a bracket, unless a name begins what follows."""
    opened = _OPENED.search(line[: first.start()])
    sign = _ANGLED_SIGN if opened and opened[0][0] == "<" else _BOXED_SIGN
    boxed = sign.fullmatch(line, first.end()) if opened else None
    # "(Ann thinks: it was me)" has a sign of its own.
    boxed = None if boxed and _COLON.search(boxed["after"]) else boxed
    next_name = any_name.match(boxed["text"]) if boxed else None
    after = _SIGN.match(boxed["text"], next_name.end()) if boxed and next_name else None
    is_next = after and after["sign"] and not _SENTENCE.search(after["after"])
    return boxed if boxed and not is_next else _SIGN.match(line, first.end())


def _type_of(begin: str, any_name: "re.Pattern[str]") -> str:
    """What stands beside names and numbers, in words; marks alone where there are no words."""
    said = chat.NUMBER.sub("", any_name.sub(" ", _ROUND_TAG.sub(" ", _TIMES.sub(" ", begin))))
    # A role says nothing of who could hear the line, as in "(Villager (last words))".
    said = _AUTHOR.sub("", _ROLES.sub(" ", said).translate(_OPEN_SIGNS))
    words = " ".join(re.sub(r"<\s*>|\s*[|\[\](){}]\s*", " ", said).split()).strip(" ,:：-–*_#.·")
    return words or "".join(said.split()).strip("-–*_#.·[]()|").removesuffix("<>")


def _with_marks(heads: Mapping[int, _Head]) -> dict[int, _Head]:
    """The heads with the signs around a name as their type, where the same players speak without signs, too."""
    marks = {at: _AROUND.search(head.shape) for at, head in heads.items() if not head.kind}
    signs = {at: "".join(found.groups()) for at, found in marks.items() if found}
    bare = {heads[at].player for at, sign in signs.items() if not sign}
    apart = {sign for at, sign in signs.items() if sign and heads[at].player in bare}
    return {at: replace(one, kind=signs[at]) if signs.get(at) in apart else one for at, one in heads.items()}


class _Place(Struct):
    """Where the reading of the lines has come to: what began above, and who has spoken last.

    The `last` player has spoken or voted. `is_below` says that the text of who has spoken stands on the lines below,
    `is_new` that nothing goes on there. Labels that are `rare` may be players. `latest` is the last round so
    far; where all titles `are_alike`, their numbers are rounds, unless the text `has_headings` of rounds. `told` is
    where the game is by what is told of it. In a log each entry begins with a time.
    """

    rare: frozenset[str]
    begun: dict[str, str] = {}
    spoken: dict[str, str] = {}
    last: str = ""
    is_below: bool = False
    is_new: bool = False
    latest: int = 0
    are_alike: bool = False
    has_headings: bool = False
    is_log: bool = False
    told: narration.Rounds = field(default_factory=narration.Rounds)


def read_named(lines: list[str]) -> Rows:
    """The lines as rows of a player, a type, a text, the target of a vote and a round; [] if they name nobody."""
    lines = narration.without_counter(lines)
    is_data = 2 * sum(line.lstrip()[:1] == "{" for line in lines) > len(lines)
    heads, names = dict[int, _Head](), frozenset[str]() if is_data else find_names(lines)
    # What is found beside players begins no line.
    for _again in range(2):
        heads = _find_heads(lines, any_of(names)) if len(names) >= LEAST_NAMES else {}
        names = frozenset(head.player for head in heads.values())
    told = _find_told(lines, names) | _find_figures(heads)
    heads = _with_marks({number: head for number, head in heads.items() if number not in told})
    lines = ["" if number in told else line for number, line in enumerate(lines, start=1)]
    any_name = any_of(names)
    labels = Counter(label["label"] for line in lines if (label := _label_of(line)))
    titles, pairs = chat_labels.find_titles(lines, heads, names), _find_pairs(heads)
    parts = {chat.NUMBER.sub("", found["title"]) for line in lines if (found := TITLE.fullmatch(line))}
    rounds = {heading.round for line in lines if (heading := chat.read_heading(chat.plain_line(line)))}
    place = _Place(_find_rare(lines, heads, names), are_alike=len(parts) < 2, has_headings=len(rounds) > 1)
    place.is_log = all(chat.TIMED.match(lines[number - 1]) for number in heads)
    rows: Rows = []
    for number, line, part in chat_labels.split_hidden(lines, heads) if heads else ():
        head = heads.get(number)
        # "[Day 1][Discussion] Ann: ..." says the round of each line.
        before = chat.TIMED.sub("", line.partition(head.names[0])[0]) if head else ""
        place.begun = (before and _round_of(before, place)) or place.begun
        is_rule = _RULE.fullmatch(line) is not None
        # What is underlined is a title itself.
        place.is_new = not head and (place.is_new or (is_rule and not lines[number - 2].strip()))
        if part:
            row = place.begun | {"player": place.spoken.get("player", ""), "type": part, "text": line}
        elif head:
            row = _row_of(head, place, any_name, is_pair=number in pairs)
        elif number in titles:
            row = _begin(place, begin_part(titles[number], place.begun, is_alone=False))
        elif number in told:
            row = _hear(place, told[number])
        else:
            row = {} if is_rule or not line.strip() else _other_row(line, place, labels, names)
        votes = _told_votes(told.get(number, "" if head or row else line), any_name)
        rows += [(number, one) for one in (row, *(place.begun | vote for vote in votes))]
    return _with_types([one for one in rows if one[1].get("text") or "target" in one[1]], any_name)


def _find_rare(lines: list[str], heads: Mapping[int, _Head], names: frozenset[str]) -> frozenset[str]:
    """Labels that stand before a sentence or two as the names of players do: "Dee: I only watch."."""
    if not any(head.shape == "\0" and head.has_sign for head in heads.values()):
        return frozenset()
    others = (_RARE.fullmatch(line) for number, line in enumerate(lines, start=1) if number not in heads)
    found = [one["label"] for one in others if one and not chat_labels.is_figure(one["text"], names)]
    rare = {label for label, count in Counter(found).items() if count < _LEAST and kind_of_type(label) == ""}
    return frozenset(rare if len(rare) < _LEAST else ())


def _row_of(head: _Head, place: _Place, any_name: "re.Pattern[str]", *, is_pair: bool) -> dict[str, str]:
    """The row of a line; one of several such with two names alone may be a vote, as somebody has to say."""
    place.last, target = head.player, _target_of(head, any_name)
    kind = VOTE if target or kind_of_type(head.kind) == VOTE else head.kind
    if target or is_pair:
        place.last = head.names[0]
        reason = {"text": head.text} if head.text and _VOTES.search(head.shape) else {}
        return (
            place.begun | {"type": kind, "player": head.names[0], "target": target or head.names[1]} | reason
        )
    # "agent.Ann: thought: ...".
    label = LABEL.fullmatch(head.text)
    is_thought = label is not None and label["label"].casefold() in THOUGHT_NAMES
    hearer, said = _hearer_of(head, any_name)
    kind, text = label.groups() if label and is_thought else (head.kind, said)
    beside = ({"time": head.time} if head.time else {}) | ({"audience": hearer} if hearer else {})
    place.spoken = place.begun | beside | {"player": head.player, "type": kind, "text": text}
    place.is_below = not head.text
    return place.spoken


def _find_pairs(heads: Mapping[int, _Head]) -> set[int]:
    """The lines of which two names and words between or around them are all, as of votes, one below another."""
    found = {n for n, head in heads.items() if len(head.names) == 2 and not (head.text or head.has_sign)}
    return {number for number in found if found & {number - 1, number + 1}}


def _hearer_of(head: _Head, any_name: "re.Pattern[str]") -> tuple[str, str]:
    """Whom brackets before a text name beside who speaks, and the text: "[Ann -> Bea] Psst", "[Ann]<Bea> Psst"."""
    if head.text and _ADDRESSED.search(head.shape):
        return head.names[1], head.text
    is_boxed = head.text[:1] in _OPENING and head.shape[-1:] in _CLOSING
    named = any_name.match(head.text, 1) if is_boxed else None
    if named and head.text[named.end() : named.end() + 1] in _CLOSING:
        return named[0], head.text[named.end() + 1 :].strip()
    return "", head.text


def _begin(place: _Place, begun: dict[str, str]) -> dict[str, str]:
    """A part begins; where headings tell rounds, other titles do not: "Discussion Round 1" of each day. No row."""
    place.begun = begun | (kept_round(place.begun) if place.has_headings else {})
    place.spoken, place.is_below = {}, False
    return {}


def _hear(place: _Place, text: str) -> dict[str, str]:
    """Who leads the game may begin a round or a night; below, nobody of those above goes on. No row."""
    # Below a list of roles its title says nothing more.
    if not text:
        is_list = chat.SETUP.search(place.begun.get("phase", ""))
        return _begin(place, kept_round(place.begun)) if is_list else {}
    if not place.told.hear(text):
        return _begin(place, place.begun)
    number = {"round": str(place.told.number)} if place.told.is_numbered else kept_round(place.begun)
    return _begin(place, number | ({"phase": "night"} if place.told.is_night else {}))


def _target_of(head: _Head, any_name: "re.Pattern[str]") -> str:
    """Whom a line votes for: the last of its names, or the name that is all of its text; "" for other lines."""
    # "Ann --> Bea: psst" is said to Bea, as is "[Ann -> Bea] psst".
    vote = _VOTES.search(head.shape)
    if vote and not (head.text and ("-->" in vote[0] or _ADDRESSED.search(head.shape))):
        return head.names[-1]
    command = VOTE_COMMAND.fullmatch(head.text)
    said = command["target"] if command else head.text.strip(" .!*")
    return said if kind_of_type(head.kind) == VOTE and any_name.fullmatch(said) else ""


def _told_votes(line: str, any_name: "re.Pattern[str]") -> Iterator[dict[str, str]]:
    """The votes that a line tells of several players: "Ann, Bea voted for Cid. Cid voted for Ann."."""
    names, shape = any_name.findall(line), any_name.sub("\0", line)
    for found in _TOLD_VOTES.finditer(shape):
        first = shape[: found.start()].count("\0")
        *voters, target = names[first : first + found[0].count("\0")]
        yield from ({"type": "vote", "player": voter, "target": target} for voter in voters)


def _label_of(line: str) -> "re.Match[str] | None":
    return _BOXED_LABEL.fullmatch(chat.plain_line(line)) or LABEL.fullmatch(line)


def _other_row(line: str, place: _Place, labels: Mapping[str, int], names: frozenset[str]) -> dict[str, str]:
    """The row of a line that begins with no player; {} where it goes on above, or begins something."""
    vote, label = VOTE_COMMAND.fullmatch(line.strip()), _label_of(line)
    # Below what is hidden all is.
    is_part = is_hidden(place.spoken.get("type", ""))
    if vote and place.spoken and vote["target"] in names and not is_part:
        return place.begun | {"type": "vote", "player": place.spoken["player"], "target": vote["target"]}
    # "Plan" may begin a line of a text.
    said = label["label"].casefold() if label and place.last else ""
    is_call = chat_labels.is_of_call(said)
    is_thought = is_call or (is_hidden(said) and (said in THOUGHT_NAMES or not said.isascii()))
    is_rare = label is not None and label["label"] in place.rare
    is_field = place.is_below and not is_part and label is not None and labels[label["label"]] >= _LEAST
    kind = line.strip(" :*_#[]()-")
    # What stands below, and no sentence: "Thoughts".
    is_brief = kind.count(" ") < _LEAST and not kind.endswith(chat_labels.ENDS)
    is_kind = place.is_below and is_brief and kind_of_type(kind) != ""
    begun = {} if is_call else _round_of(line, place)
    if begun:
        place.begun, place.spoken, place.is_below = begun, {}, False
    elif (place.is_new or not is_field) and (begun := part_of(line, place.begun, is_alone=place.are_alike)):
        return _begin(place, begun)
    elif place.is_log and _goes_on(line, place):
        return {}
    elif label and (is_rare or is_field or is_thought):
        player = label["label"] if is_rare else place.last
        row = place.begun | {"player": player, "type": label["label"], "text": label["text"]}
        place.spoken = row if is_call or is_rare else place.spoken
        place.is_below = place.is_below or is_call
        return row
    elif is_kind:
        place.spoken = place.spoken | {"type": kind, "text": ""}
        return place.spoken
    elif place.is_below and not place.is_new:
        place.spoken["text"] = f"{place.spoken['text']}\n{line.strip()}".strip()
    elif place.spoken and not place.is_new:
        told = narration.leavers(line, names) if len(line) < FAR else ()
        gone = next((who for who, _how in told if who in names), "")
        who = {"player": gone, "type": OUT} if gone else {"player": place.spoken["player"], "type": OTHER}
        return place.begun | who | {"text": line.strip()}
    return {}


def _goes_on(line: str, place: _Place) -> bool:
    """Whether a line of a log belongs to the hidden entry above it, which has the time, or is of the program itself."""
    entry, timed = chat.LOG_LINE.fullmatch(line), chat.TIMED.match(line)
    if entry is None and timed is None:
        is_part = is_hidden(place.spoken.get("type", ""))
        place.spoken |= {"text": f"{place.spoken['text']}\n{line.strip()}"} if is_part else {}
        return is_part
    source = f"{entry['level']} {entry['boxed'] or entry['source'] or ''}" if entry else ""
    said = entry["said"] if entry else chat.TIMED.sub("", line)
    return kind_of_type(source) == IGNORE or ":" not in said


def _round_of(line: str, place: _Place) -> dict[str, str]:
    """The round that a line begins, in the part above if rounds begin again, and whether it is night; {} of others."""
    if named := part_of_day(line):
        return begin_part(named, place.begun, is_alone=False)
    heading = chat.read_heading(chat.plain_line(line))
    found = None if heading else narration.ROUND_IN.search(line)
    if found:
        said = found["kind"], found["number"]
        heading = chat.read_heading(" ".join(said)) or chat.read_heading("".join(said))
    if heading is None:
        return {}
    part = place.begun.get("phase", "") if heading.round <= place.latest else ""
    is_at_night = heading.kind == "night" and not (found and narration.tells_end(line[found.end() :]))
    part = "night" if is_at_night else "" if part == "night" else part
    place.latest = max(place.latest, heading.round)
    return {"round": str(heading.round)} | ({"phase": part} if part else {})


def _with_types(rows: Rows, any_name: "re.Pattern[str]") -> Rows:
    """The rows with brackets behind all texts as types, but for what all have, and "ANN" as Ann, where there is one."""
    calm = {row["player"] for _number, row in rows if "target" not in row}
    for _number, row in rows:
        loud = {key: row[key].title() for key in ("player", "target") if row.get(key, "").isupper()}
        is_both = loud.get("player") in calm and "target" not in row
        row |= {"type": f"{row['type']} {chat_labels.LOUD}".strip()} if is_both else {}
        row |= {key: name for key, name in loud.items() if any_name.fullmatch(name)}
    said = [row for _number, row in rows if "target" not in row]
    boxes = [(row, found) for row in said if (found := _BOXED_END.fullmatch(row["text"]))]
    kinds = [_type_of(found["boxed"], any_name) for _row, found in boxes]
    are_brief = all(kind.count(" ") < _MOST_WORDS for kind in kinds)
    if 5 * len(boxes) >= 4 * len(said) and are_brief and len({*kinds}) <= _MOST_BOXES:
        for (row, found), kind in zip(boxes, kinds, strict=True):
            row |= {"text": found["text"], "type": f"{row['type']} {kind}".strip()}
    called = {row["player"].casefold() for row in said}
    for row in said:
        if hidden := read_hidden(row["text"]):
            sign = "thought" if hidden.audience == "nobody" else hidden.audience
            row |= {"text": hidden.text, "type": sign}
        elif names := addressed(row["text"], called, by_colon=True):
            row["audience"] = names
    types = {row["type"] for row in said}
    for row in said:
        if not row["type"] or (len(types) == 1 and not words_of(row["type"])):
            del row["type"]
    return rows


def _find_told(lines: list[str], players: frozenset[str]) -> dict[int, str]:
    """What who leads the game says, by the numbers of its lines: "GAME: Wake up!", "⭐ Ada: Night falls."."""
    plain = [_SIGNS_BEFORE.sub("", chat.plain_line(line)) for line in lines]
    found = [_EVENT.match(line) or chat.match_message(line) for line in plain]
    said = [match and (match["name"].strip(), match["text"] or "") for match in found]
    counts = Counter(one[0] for one in said if one)
    leaders = narration.find_narrators([one for one in said if one and counts[one[0]] >= _LEAST])
    # "Ann says" is Ann.
    called = tuple(name.casefold() for name in players)
    leaders = frozenset(name for name in leaders.union(EVENTS) if not name.startswith(called))
    return {n: one[1] for n, one in enumerate(said, start=1) if one and one[0].casefold() in leaders}


def _find_figures(heads: Mapping[int, _Head]) -> dict[int, str]:
    """The lines with only numbers, roles or lists of players, where others say more: "Left: Ann", "Ann: 5 votes"."""
    names = {head.player.casefold() for head in heads.values()}
    ids = {number for number, head in heads.items() if _ID.fullmatch(head.text)}
    texts = {n: head.text for n, head in heads.items()}
    listed = {
        n for n, said in texts.items() if chat_labels.is_figure(said, names) or cast_lists.is_card(said)
    }
    listed |= ids
    # A name alone may be a vote, if not others have several: "Ann (2): Bea, Cid".
    tallies = {heads[number].shape for number in listed if "," in heads[number].text}
    listed -= {n for n in listed if heads[n].text.casefold() in names and heads[n].shape not in tallies}
    talk = {head.player for number, head in heads.items() if number not in listed}
    said = {head.shape for n, head in heads.items() if n not in listed or (head.kind and n not in ids)}
    idle = {n for n in listed if heads[n].player not in talk or (said and heads[n].shape not in said)}
    without = {n for n, head in heads.items() if not (head.text or head.has_sign)} - _find_pairs(heads)
    return dict.fromkeys(idle | {n for n in without if without & {n - 1, n + 1}}, "")
