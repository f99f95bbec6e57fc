r"""Texts of any other form whose lines name players: what stands around a name says what a line is.

Names are the words that change after the same beginnings of lines, come back there, and stand in texts as well. What
stands before and after the name ("[wolves] Ann:", "Ann thinks ...") is the type of the row.
"""

import re
from collections import Counter
from collections.abc import Mapping

from msgspec import Struct, field

from discussions.transcripts.core.audience import (
    IGNORE,
    LEVELS,
    NARRATORS,
    PRIVATE,
    THOUGHT,
    THOUGHT_NAMES,
    VOTE,
    is_hidden,
    kind_of_type,
    looks_like_audience,
    words_of,
)
from discussions.transcripts.core.readers import chat_lines as chat
from discussions.transcripts.core.readers import line_heads as begins
from discussions.transcripts.core.readers.chat_labels import (
    ENDS,
    find_titles,
    split_hidden,
)
from discussions.transcripts.core.readers.narration import (
    PARTS,
    VOTE_COMMAND,
    Rounds,
    part_of_day,
)

Rows = list[tuple[int, dict[str, str]]]

# A few words at the end of texts say who could hear them; more are texts.
_MOST_BOXES, _MOST_WORDS = 12, 5
_ROUND = re.compile(
    rf"(?:^|[\]\-|=#*:>.]|\b(?:{'|'.join(LEVELS)}))\s{{0,3}}[=#*~-]{{0,9}}[\[(]?\s?(?P<kind>{PARTS}|(?-i:[DN])(?=\d{{1,2}}(?:\]|$)))"
    r"\s{0,3}#?(?P<number>\d{1,4})\b",
    re.IGNORECASE,
)
_SHORT_KINDS = {"D": "day", "N": "night"}
_TITLE = re.compile(r"\s{0,9}(?:#{1,6} |([=*~#-])\1{1,60} ?)(?P<title>[^\W\d_][^\n]{0,100}?)[\s=*~#:-]{0,60}")
_RULE = re.compile(r"\W{3,}")
OTHER = "other lines"


class _Place(Struct):
    """Where the reading of the lines has come to: what began above, and who has spoken last.

    The `last` player has spoken or voted. `is_below` says that the text of who has spoken stands on the lines below,
    `is_new` that nothing goes on there, and `latest` is the last round so far; where all titles `are_alike`, their
    numbers are rounds, unless the text `has_headings` of rounds. `told` is where the game is by what is told of it. In
    a log each entry begins with a time.
    """

    begun: dict[str, str] = {}
    spoken: dict[str, str] = {}
    last: str = ""
    is_below: bool = False
    is_new: bool = False
    latest: int = 0
    are_alike: bool = False
    has_headings: bool = False
    is_log: bool = False
    told: Rounds = field(default_factory=Rounds)


def read_named(lines: list[str]) -> Rows:
    """The lines as rows of a player, a type, a text, the target of a vote and a round; [] if they name nobody."""
    is_data = 2 * sum(line.lstrip()[:1] == "{" for line in lines) > len(lines)
    heads, names = dict[int, begins.Head](), frozenset[str]() if is_data else begins.find_names(lines)
    # What is found beside players begins no line.
    for _again in range(2):
        heads = begins.find_heads(lines, begins.any_of(names)) if len(names) >= begins.LEAST_NAMES else {}
        names = frozenset(head.player for head in heads.values())
    told = begins.find_told(lines, names) | begins.find_figures(heads)
    heads = {number: head for number, head in heads.items() if number not in told}
    lines = ["" if number in told else line for number, line in enumerate(lines, start=1)]
    any_name = begins.any_of(names)
    labels = Counter(label["label"] for line in lines if (label := begins.LABEL.fullmatch(line)))
    titles = find_titles(lines, heads)
    parts = {chat.NUMBER.sub("", found["title"]) for line in lines if (found := _TITLE.fullmatch(line))}
    rounds = {heading.round for line in lines if (heading := chat.read_heading(chat.plain_line(line)))}
    place = _Place(are_alike=len(parts) < 2, has_headings=len(rounds) > 1)
    place.is_log = all(chat.TIMED.match(lines[number - 1]) for number in heads)
    rows: Rows = []
    for number, line, part in split_hidden(lines, heads) if heads else ():
        head = heads.get(number)
        # "[Day 1][Discussion] Ann: ..." says the round of each line.
        before = line.partition(head.names[0])[0] if head else ""
        place.begun = (before and _round_of(before, place)) or place.begun
        is_rule = _RULE.fullmatch(line) is not None
        # What is underlined is a title itself.
        place.is_new = not head and (place.is_new or (is_rule and not lines[number - 2].strip()))
        if part:
            row = place.begun | {"player": place.spoken.get("player", ""), "type": part, "text": line}
        elif head:
            row = _row_of(head, place, any_name)
        elif number in titles:
            title = line.strip(" *_#=~-[](){}<>")
            row = _begin(place, begin_part(title, place.begun, is_alone=False))
        elif told.get(number):
            row = _hear(place, told[number])
        else:
            row = {} if is_rule or not line.strip() else _other_row(line, place, labels, names)
        rows.append((number, row))
    return _with_types([one for one in rows if one[1].get("text") or "target" in one[1]], any_name)


def _row_of(head: begins.Head, place: _Place, any_name: "re.Pattern[str]") -> dict[str, str]:
    place.last = head.player
    if target := _target_of(head, any_name):
        place.last = head.names[0]
        return place.begun | {"type": "vote", "player": head.names[0], "target": target}
    place.spoken = place.begun | {"player": head.player, "type": head.kind, "text": head.text}
    place.is_below = not head.text
    return place.spoken


def _begin(place: _Place, begun: dict[str, str]) -> dict[str, str]:
    """A part begins; where headings tell rounds, other titles do not: "Discussion Round 1" of each day. No row."""
    place.begun = begun | (_kept_round(place.begun) if place.has_headings else {})
    place.spoken, place.is_below = {}, False
    return {}


def _hear(place: _Place, text: str) -> dict[str, str]:
    """Who leads the game may begin a round or a night. No row."""
    if not place.told.hear(text):
        return {}
    number = {"round": str(place.told.number)} if place.told.is_numbered else _kept_round(place.begun)
    return _begin(place, number | ({"phase": "night"} if place.told.is_night else {}))


def _target_of(head: begins.Head, any_name: "re.Pattern[str]") -> str:
    """Whom a line votes for: the last of its names, or the name that is all of its text; "" for other lines."""
    if begins.VOTES_OF.search(head.shape):
        return head.names[-1]
    command = VOTE_COMMAND.fullmatch(head.text)
    said = command["target"] if command else head.text.strip(" .!*")
    return said if kind_of_type(head.kind) == VOTE and any_name.fullmatch(said) else ""


def _other_row(line: str, place: _Place, labels: Mapping[str, int], names: frozenset[str]) -> dict[str, str]:
    """The row of a line that begins with no player; {} where it goes on above, or begins something."""
    vote, label = VOTE_COMMAND.fullmatch(line.strip()), begins.LABEL.fullmatch(line)
    if vote and place.spoken and vote["target"] in names:
        return place.begun | {"type": "vote", "player": place.spoken["player"], "target": vote["target"]}
    # "Plan" may begin a line of a text.
    said = label["label"].casefold() if label and place.last else ""
    is_thought = is_hidden(said) and (said in THOUGHT_NAMES or not said.isascii())
    is_field = place.is_below and label is not None and labels[label["label"]] >= begins.LEAST
    kind = line.strip(" :*_#[]()-")
    # What stands below, and no sentence: "Thoughts".
    is_brief = kind.count(" ") < begins.LEAST and not kind.endswith(ENDS)
    is_kind = place.is_below and is_brief and kind_of_type(kind) != ""
    begun = _round_of(line, place)
    if begun:
        place.begun, place.spoken, place.is_below = begun, {}, False
    elif (place.is_new or not is_field) and (begun := part_of(line, place.begun, is_alone=place.are_alike)):
        return _begin(place, begun)
    elif place.is_log and _goes_on(line, place):
        return {}
    elif label and (is_field or is_thought):
        return place.begun | {"player": place.last, "type": label["label"], "text": label["text"]}
    elif is_kind:
        place.spoken = place.spoken | {"type": kind, "text": ""}
        return place.spoken
    elif place.is_below and not place.is_new:
        place.spoken["text"] = f"{place.spoken['text']}\n{line.strip()}".strip()
    elif place.spoken and not place.is_new:
        return place.begun | {"player": place.spoken["player"], "type": OTHER, "text": line.strip()}
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
    """The round that a line begins, and whether it is night; {} for other lines.

    Where rounds begin again below a title, all of them belong to that part.
    """
    if named := part_of_day(line):
        return begin_part(named, place.begun, is_alone=False)
    heading = chat.read_heading(chat.plain_line(line))
    found = None if heading else _ROUND.search(line)
    if found:
        kind = _SHORT_KINDS.get(found["kind"], found["kind"])
        heading = chat.read_heading(f"{kind} {found['number']}")
    if heading is None:
        return {}
    part = place.begun.get("phase", "") if heading.round <= place.latest else ""
    part = "night" if heading.kind == "night" else "" if part == "night" else part
    place.latest = max(place.latest, heading.round)
    return {"round": str(heading.round)} | ({"phase": part} if part else {})


def part_of(line: str, before: Mapping[str, str], *, is_alone: bool = False) -> dict[str, str]:
    """The same of a title or a channel that a line names; `is_alone` says that all titles are called alike."""
    title, label = _TITLE.fullmatch(line), begins.LABEL.fullmatch(line)
    if title:
        return begin_part(title["title"], before, is_alone=is_alone)
    # "Game type: eight" is no channel.
    is_channel = (
        label is not None
        and looks_like_audience(label["label"])
        and words_of(label["label"]) != ["game", "type"]
    )
    return _kept_round(before) | {"phase": label["text"]} if label and is_channel else {}


def begin_part(title: str, before: Mapping[str, str], *, is_alone: bool) -> dict[str, str]:
    """What the title of a part says of the lines below: its number is a round, where all parts are called alike."""
    number = chat.NUMBER.search(title)
    if title.strip().casefold() in NARRATORS:
        return _kept_round(before)
    round_of = {"round": number[0]} if number else _kept_round(before)
    # "Example game log" stands above a game.
    is_whole = words_of(title)[-1:] in (["log"], ["logs"], ["transcript"])
    is_part = not (number and is_alone) and not is_whole
    return round_of | ({"phase": chat.NUMBER.sub("", title).strip()} if is_part else {})


def _kept_round(before: Mapping[str, str]) -> dict[str, str]:
    return {key: before[key] for key in before if key == "round"}


def _with_types(rows: Rows, any_name: "re.Pattern[str]") -> Rows:
    """The rows with what stands in brackets behind all texts in their types; what all have says nothing."""
    said = [row for _number, row in rows if "target" not in row]
    boxes = [(row, found) for row in said if (found := begins.BOXED_END.fullmatch(row["text"]))]
    kinds = [begins.type_of(found["boxed"], any_name) for _row, found in boxes]
    are_brief = all(kind.count(" ") < _MOST_WORDS for kind in kinds)
    if 5 * len(boxes) >= 4 * len(said) and are_brief and len({*kinds}) <= _MOST_BOXES:
        for (row, found), kind in zip(boxes, kinds, strict=True):
            row |= {"text": found["text"], "type": f"{row['type']} {kind}".strip()}
    types = {row["type"] for row in said}
    for row in said:
        if not row["type"] or (len(types) == 1 and not words_of(row["type"])):
            del row["type"]
    return rows


def is_clear(kind: str) -> bool:
    """Whether the words of a type all say one thing, and not that the row is left out.

    The level of a log says nothing, but what is for debugging may not have been said.
    """
    words = words_of(kind)
    kinds = {kind_of_type(word) for word in words if word.upper() not in LEVELS}
    return kinds - {""} in ({THOUGHT}, {PRIVATE}, {THOUGHT, PRIVATE}) or (
        len(kinds) == 1 and not kinds & {IGNORE, ""} and {"debug", "trace"}.isdisjoint(words)
    )
