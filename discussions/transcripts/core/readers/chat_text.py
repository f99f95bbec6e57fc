"""Plain text: `[time] Name: text` lines, rounds by heading lines, an optional block of facts at the beginning.

docs/transcripts.md describes it. A line that begins no message continues the text before it.
"""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from discussions.transcripts.core.converted import Columns, NativeGame, NewNotes
from discussions.transcripts.core.notes import Notes
from discussions.transcripts.core.readers.rows import is_nobody

_CLOCK = r"\d{1,2}:\d\d(?::\d\d(?:[.,]\d{1,6})?)?(?: ?[AaPp]\.?[Mm]\.?)?(?: ?(?:Z|UTC|[+-]\d\d:?\d\d))?"
_DATE = r"(?:\d{4}-\d\d-\d\d|\d{1,2}[./]\d{1,2}[./]\d{2,4})"
_TIME = rf"(?:{_DATE},?[ T])?{_CLOCK}"
_NAME = r"""[^\W_][^:\[\](){}"<>,;|\t\n=]{0,59}?(?: ?\([^()\n]{1,30}\))?"""
_LINE = re.compile(
    rf"(?:[\[(](?P<boxed>{_TIME}|\d{{1,18}}(?:\.\d{{1,9}})?)[\])]|(?P<bare>{_TIME}))?"
    rf" ?(?:[-–|] )?(?P<mark>[*_`@]{{0,3}})(?P<name>{_NAME})[*_`]{{0,3}} ?:[*_`]{{0,3}}(?:[ \t](?P<text>.*)|$)"
)
_HEADING = re.compile(
    r"(?P<sign>[^\w\s]{0,20})\s{0,5}(?P<kind>round|day|night)\s{0,3}#?(?P<number>\d{1,9})"
    r"(?:\s{0,5}(?P<end>[^\w\s]{1,20})|(?P<more>\s{0,3}[:–-]\s.{0,80}|\s.{0,80}))?\s{0,5}",
    re.IGNORECASE,
)
_ARROW = re.compile(r"(?P<voter>[^\n]{1,200}?)\s{0,5}(?:->|→|=>)\s{0,5}(?P<target>[^\n]{1,200})")
_FACT = re.compile(
    r"(?P<key>game|game id|date|winner|players)\s{0,3}:\s{0,10}(?P<said>.{0,1000})", re.IGNORECASE
)
_PLAYER = re.compile(
    r"[-*•]?\s{0,3}(?P<name>[^:()\n]{1,200}?)\s{0,3}(?::\s{0,3}(?P<said>.*)|\((?P<boxed>[^()]*)\))?"
)
SAMPLE_LINES = 400
# Without times a name of more words is taken as the beginning of a sentence.
MOST_WORDS = 3

_NIGHT = (
    "One line under a heading of a night was left out: only the public discussion is read.",
    "{count} lines under headings of nights were left out: only the public discussion is read.",
)
_NAME_IN_TEXT = (
    'One line looks like a message of "{what}" and was taken into the text before. Correct the name if it is one.',
    '{count} lines look like messages (first of "{what}") and were taken into the text before. Correct the names.',
)
_BEFORE_FIRST = (
    'One line before the first message was left out: "{what}".',
    '{count} lines before the first message were left out; the first is "{what}".',
)
_SPEAKS_ONCE = (
    'One player speaks only once: "{what}". If that is part of a text, list the players at the beginning.',
    '{count} players speak only once, such as "{what}". If that is part of a text, list the players at the beginning.',
)


class _Line(Struct, frozen=True):
    """One line: `kind` is heading, night, vote, out, message, blank or more (it continues the text before)."""

    kind: str
    name: str = ""
    text: str = ""
    time: str | None = None
    round: int = 0


class _Game(Struct):
    """A game while its lines are read."""

    notes: Notes
    facts: dict[str, str] = {}
    roster: dict[str, dict[str, Any]] = {}
    is_listed: bool = False
    messages: list[dict[str, Any]] = []
    votes: list[dict[str, Any]] = []
    out: list[dict[str, Any]] = []
    round: int | None = None
    is_night: bool = False


def recognises_text(text: str) -> bool:
    """Whether the text is a chat: two messages with times, or a name that speaks twice, among few other lines."""
    lines = [line for line in text[:200_000].split("\n") if line.strip()][:SAMPLE_LINES]
    if lines and lines[0].lstrip()[:1] in ("{", "<"):
        return False
    is_timed = _is_timed(lines)
    found = [_line(line.rstrip("\r"), is_timed=is_timed, names=None) for line in lines]
    kinds = Counter(line.kind for line in found)
    speakers = Counter(line.name for line in found if line.kind == "message")
    begun = len(found) - kinds["more"]
    if is_timed:
        return kinds["message"] >= 2 and 10 * begun >= len(found)
    return max(speakers.values(), default=0) >= 2 and 3 * begun >= len(found)


def to_native_text(text: str, new_notes: NewNotes, columns: Columns) -> Iterator[tuple[NativeGame, Notes]]:
    """The games of the text, in order. Never raises."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    is_timed = _is_timed([line for line in lines[: 5 * SAMPLE_LINES] if line.strip()])
    for first, last in _parts(lines):
        game = _Game(notes=new_notes())
        game.notes.translate("", f"line {first + 1}")
        _read_game(game, lines, first, last, is_timed=is_timed)
        yield _value(game), game.notes


def _parts(lines: list[str]) -> list[tuple[int, int]]:
    """Where each game begins and ends: a file that begins with `Game: ...` begins a game with each such line."""
    first = next((index for index, line in enumerate(lines) if line.strip()), 0)
    if not _is_fact(lines[first], "game"):
        return [(0, len(lines))]
    begins = [index for index in range(first, len(lines)) if _is_fact(lines[index], "game")]
    return list(zip(begins, [*begins[1:], len(lines)], strict=True))


def _is_fact(line: str, *keys: str) -> bool:
    fact = _FACT.fullmatch(line.strip())
    return fact is not None and fact["key"].lower().split()[0] in keys


def _is_timed(lines: list[str]) -> bool:
    """Whether messages are told by their times: at least half of the lines that look like messages have one."""
    found = [match for match in map(_LINE.fullmatch, lines) if match is not None]
    timed = sum(match["boxed"] is not None or match["bare"] is not None for match in found)
    return timed >= 2 and 2 * timed >= len(found)


def _line(line: str, *, is_timed: bool, names: set[str] | None) -> _Line:
    """What a line is. With `names` only these begin a message; a line that is set in continues the text before."""
    if not line.strip():
        return _Line("blank")
    if line[0] in " \t":
        return _Line("more", text=line.strip())
    heading = _heading(line)
    if heading is not None:
        return heading
    match = _LINE.fullmatch(line)
    if match is None:
        return _Line("more", text=line)
    name, text = match["name"].strip(), (match["text"] or "").strip()
    time = match["boxed"] or match["bare"]
    if name.lower() in ("vote", "eliminated"):
        kind = "vote" if name.lower() == "vote" else "out"
        if kind == "out" or _ARROW.fullmatch(text):
            return _Line(kind, text=text, time=time)
    is_name = name.casefold() in names if names is not None else is_timed or len(name.split()) <= MOST_WORDS
    if not is_name or (is_timed and time is None):
        return _Line("more", name=name, text=line)
    if names is None and not is_timed and name[0].islower() and not match["mark"]:
        return _Line("more", name=name, text=line)
    return _Line("message", name=name, text=text, time=time)


def _heading(line: str) -> _Line | None:
    match = _HEADING.fullmatch(line.strip())
    # A bare line that goes on after the number is a sentence ("Day 2 was quiet") unless signs mark it as a heading.
    if match is None or (match["more"] and not match["sign"]):
        return None
    kind = "night" if match["kind"].lower() == "night" else "heading"
    return _Line(kind, round=int(match["number"]))


def _read_game(game: _Game, lines: list[str], first: int, last: int, *, is_timed: bool) -> None:
    start = _read_facts(game, lines, first, last)
    names = {name.casefold() for name in game.roster} if game.is_listed else None
    for index in range(start, last):
        _take(game, _line(lines[index], is_timed=is_timed, names=names), f"line {index + 1}")


def _read_facts(game: _Game, lines: list[str], first: int, last: int) -> int:
    """The block of facts at the beginning; the first line after it."""
    at = first
    while at < last and not lines[at].strip():
        at += 1
    is_roster = False
    while at < last and lines[at].strip():
        line = lines[at].strip()
        fact = _FACT.fullmatch(line)
        if fact is not None:
            key = fact["key"].lower().split()[0]
            is_roster = key == "players"
            if is_roster:
                _read_players(game, fact["said"].split(",") if fact["said"] else [], at)
            else:
                game.facts[key] = fact["said"].strip()
        elif is_roster and _heading(line) is None:
            _read_players(game, [line], at)
        else:
            break
        at += 1
    return at


def _read_players(game: _Game, entries: list[str], at: int) -> None:
    for entry in entries:
        player = _PLAYER.fullmatch(entry.strip())
        if player is None:
            continue
        game.is_listed = True
        said = [part.strip() for part in (player["said"] or player["boxed"] or "").split(",", 1)]
        _add_player(game, player["name"].strip(), f"line {at + 1}")
        game.roster[player["name"].strip()] |= {
            "role": said[0] or None,
            "personality": (said[1] if len(said) > 1 else "") or None,
        }


def _add_player(game: _Game, name: str, place: str) -> str:
    """The name as the game spells it; a new name becomes a player."""
    known = name if name in game.roster else None
    if known is None and game.is_listed:
        known = next((other for other in game.roster if other.casefold() == name.casefold()), None)
    if known is None:
        known = name
        game.notes.translate(f"/players/{len(game.roster)}", place)
        game.roster[name] = {"name": name, "role": None, "personality": None}
    return known


def _take(game: _Game, line: _Line, place: str) -> None:
    """Add a line to the game."""
    if line.kind in ("heading", "night"):
        game.round = line.round
        game.is_night = line.kind == "night"
    elif line.kind == "blank":
        if game.messages and not game.is_night:
            game.messages[-1]["message"] += "\n"
    elif game.is_night:
        game.notes.warn("night_line", place, says=_NIGHT)
    else:
        _TAKE[line.kind](game, line, place)


def _take_message(game: _Game, line: _Line, place: str) -> None:
    game.notes.translate(f"/messages/{len(game.messages)}", place)
    game.messages.append(
        {
            "turn": len(game.messages) + 1,
            "roundNumber": game.round,
            "playerName": _add_player(game, line.name, place),
            "message": line.text,
            "timestamp": line.time,
        }
    )


def _take_more(game: _Game, line: _Line, place: str) -> None:
    if not game.messages:
        game.notes.warn("line_before_first", place, line.text, says=_BEFORE_FIRST)
        return
    if line.name:
        game.notes.warn("name_in_text", place, line.name, says=_NAME_IN_TEXT)
    game.messages[-1]["message"] += "\n" + line.text


def _take_out(game: _Game, line: _Line, place: str) -> None:
    name, _sign, how = line.text.partition("(")
    game.notes.translate(f"/eliminations/{len(game.out)}", place)
    game.out.append(
        {
            "roundNumber": 1 if game.round is None else game.round,
            "playerName": _add_player(game, name.strip(), place),
            "how": how.rstrip(") ").strip(),
        }
    )


def _take_vote(game: _Game, line: _Line, place: str) -> None:
    arrow = _ARROW.fullmatch(line.text)
    assert arrow is not None
    target = arrow["target"].strip()
    game.notes.translate(f"/votes/{len(game.votes)}", place)
    game.votes.append(
        {
            "roundNumber": 1 if game.round is None else game.round,
            "voterName": _add_player(game, arrow["voter"].strip(), place),
            "targetName": None if is_nobody(target) else _add_player(game, target, place),
            "timestamp": line.time,
        }
    )


def _value(game: _Game) -> dict[str, Any]:
    for message in game.messages:
        message["message"] = message["message"].strip()
    spoken = Counter(message["playerName"] for message in game.messages)
    once = [name for name, count in spoken.items() if count == 1]
    if not game.is_listed and once and len(spoken) > 2 and len(game.messages) >= 2 * len(spoken):
        game.notes.warn("speaks_once", "", once[0], count=len(once), says=_SPEAKS_ONCE)
    return {
        "gameId": game.facts.get("game") or game.notes.source,
        "timestamp": game.facts.get("date"),
        "winner": game.facts.get("winner"),
        "players": list(game.roster.values()),
        "messages": game.messages,
        "votes": game.votes,
        "eliminations": game.out,
    }


_TAKE = {"message": _take_message, "more": _take_more, "vote": _take_vote, "out": _take_out}
