"""Oddities of a game: things that distort a measurement and that a lead should check. Nothing is changed.

Each oddity is listed once, with how many messages show it and the first of them.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime

from msgspec import Struct, structs

from discussions.core.records import Fault, GameRecord, Message
from workspace.core.words import mark, mark_many, say_many

REPEATED = "odd_repeated"
TIME_BACK = "odd_time_back"
LEAKED = "odd_leaked"
ROUND_ZERO = "odd_round_zero"
TEXT_ROUND_ZERO = "odd_text_round_zero"
ONE_SPEAKER = "odd_one_speaker"

# For one message and for many: {count} of {total} messages, {first} is the position of the first.
_SENTENCES = {
    REPEATED: mark_many(
        "One of {total} messages repeats an earlier one (same agent, text and time): message {first}.",
        "{count} of {total} messages repeat an earlier one (same agent, text and time); the first is message {first}.",
    ),
    TIME_BACK: mark_many(
        "The time runs backwards once: message {first} is earlier than the message before it.",
        "The time runs backwards {count} times; the first is message {first}, earlier than the message before it.",
    ),
    LEAKED: mark_many(
        "One text holds JSON or private reasoning, not discussion: message {first}.",
        "{count} of {total} texts hold JSON or private reasoning, not discussion; the first is message {first}.",
    ),
    ROUND_ZERO: mark_many(
        "The rounds begin at 0: one message is of round 0, message {first}.",
        "The rounds begin at 0: {count} of {total} messages are of round 0; the first is message {first}.",
    ),
    TEXT_ROUND_ZERO: mark_many(
        "One text names a round, day or night 0, but the file counts rounds from 1: message {first}.",
        "{count} texts name a round, day or night 0, but the file counts rounds from 1; the first is message {first}.",
    ),
    ONE_SPEAKER: (
        mark(
            "One agent wrote more than half of the messages: {count} of {total}; the first is message {first}."
        ),
    )
    * 2,
}
ODDITY_CODES = frozenset(_SENTENCES)

_LEAKED = re.compile(
    r"""["'](?:say|speech|reasoning|reason|thoughts?|thinking|inner_thoughts?|internal_monologue)["']\s{0,20}:"""
    r"|</?(?:think|thinking|reasoning|scratchpad)>"
    r"|^\s*```\s*json\b"
    r"""|^\s*\{\s*["']\w+["']\s{0,20}:""",
    re.IGNORECASE,
)
_ZERO = re.compile(r"\b(?:round|day|night)\s{1,3}(?:0|zero)\b(?![.,:]\d)", re.IGNORECASE)
_CLOCK = re.compile(r"(\d{1,2}):(\d\d)(?::(\d\d(?:\.\d{1,9})?))?", re.ASCII)
_NUMBER = re.compile(r"\d{1,18}(?:\.\d{1,9})?", re.ASCII)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_HALF_A_DAY = 12 * 3600
# If there are two agents or fewer, one of them nearly always wrote more than half.
_FEWEST_PLAYERS = 3


class Oddity(Struct, frozen=True):
    """One thing that looks odd: `count` of `total` messages, the first at position `first`."""

    code: str
    count: int
    total: int
    first: int

    @property
    def says(self) -> str:
        return say_many(
            *_SENTENCES[self.code],
            self.count,
            count=f"{self.count:,}",
            total=f"{self.total:,}",
            first=self.first,
        )


def list_oddities(game: GameRecord) -> list[Oddity]:
    """The oddities of the game, in a fixed order. Runs in time linear in the length of its texts."""
    lowest = min((message.round for message in game.messages), default=1)
    # Do not search each text for a sign that occurs in none.
    whole = "\n".join([message.text for message in game.messages])
    may_leak, may_name_zero = _may_leak(whole), lowest == 1 and _may_name_zero(whole)
    found = {
        REPEATED: [message.position for message in find_repeated(game.messages)],
        TIME_BACK: list(_times_back(game.messages)),
        LEAKED: _find_texts(game, _is_leaked) if may_leak else [],
        ROUND_ZERO: [message.position for message in game.messages if message.round == 0],
        TEXT_ROUND_ZERO: _find_texts(game, _names_zero) if may_name_zero else [],
        ONE_SPEAKER: _by_one_speaker(game),
    }
    return [
        Oddity(code=code, count=len(positions), total=len(game.messages), first=positions[0])
        for code, positions in found.items()
        if positions
    ]


def _find_texts(game: GameRecord, is_odd: Callable[[str], bool]) -> list[int]:
    return [message.position for message in game.messages if is_odd(message.text)]


def _may_leak(text: str) -> bool:
    # Every match of the pattern contains a colon, an angle bracket or a fence; most texts contain none.
    return ":" in text or "<" in text or "```" in text


def _is_leaked(text: str) -> bool:
    return _may_leak(text) and _LEAKED.search(text) is not None


def _may_name_zero(text: str) -> bool:
    return "0" in text or "zero" in text.lower()


def _names_zero(text: str) -> bool:
    return _may_name_zero(text) and _ZERO.search(text) is not None


def oddity_warnings(game: GameRecord, place: str) -> list[Fault]:
    """The oddities as warnings, to be stored with the game."""
    return [
        Fault(place=place, code=oddity.code, message=oddity.says, is_warning=True)
        for oddity in list_oddities(game)
    ]


def find_repeated(messages: list[Message]) -> list[Message]:
    """The messages that repeat an earlier one (same player, text and time). A message without a time never counts."""
    seen: set[tuple[int, str, str]] = set()
    repeated = []
    for message in messages:
        if message.time is None:
            continue
        key = (message.player, message.text, message.time)
        if key in seen:
            repeated.append(message)
        seen.add(key)
    return repeated


def without_repeated(game: GameRecord) -> GameRecord:
    """The game without its repeated messages: positions are renumbered; a reply to a repeat points to the first one."""
    repeated = {message.position for message in find_repeated(game.messages)}
    first: dict[tuple[int, str, str | None], int] = {}
    places: dict[int, int] = {}
    count = 0
    for message in game.messages:
        key = (message.player, message.text, message.time)
        if message.position not in repeated:
            count += 1
            first[key] = count
        places[message.position] = first[key]
    kept = [
        structs.replace(
            message,
            position=places[message.position],
            reply_to=None if message.reply_to is None else places[message.reply_to],
        )
        for message in game.messages
        if message.position not in repeated
    ]
    return structs.replace(game, messages=kept)


def _times_back(messages: list[Message]) -> Iterator[int]:
    """Positions of messages that are earlier than the message before them that has a time of the same kind."""
    before: dict[str, float] = {}
    for message in messages:
        kind, seconds = _parse_time(message.time or "")
        if not kind:
            continue
        fall = before.get(kind, seconds) - seconds
        # A time of day that drops by more than half a day has passed midnight.
        if fall > 0 and not (kind == "clock" and fall > _HALF_A_DAY):
            yield message.position
        before[kind] = seconds


def _parse_time(text: str) -> tuple[str, float]:
    """Its kind ("clock", "number", "date", "date in a zone" or "" for none) and its seconds from a fixed start."""
    # Nearly all times are dates, and a date is never a clock time or a number.
    if text[4:5] != "-":
        if clock := _CLOCK.fullmatch(text):
            hours, minutes, seconds = clock.groups(default="0")
            return "clock", int(hours) * 3600 + int(minutes) * 60 + float(seconds)
        if _NUMBER.fullmatch(text):
            return "number", float(text)
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return "", 0.0
    if moment.tzinfo is None:
        return "date", (moment.replace(tzinfo=UTC) - _EPOCH).total_seconds()
    return "date in a zone", (moment - _EPOCH).total_seconds()


def _by_one_speaker(game: GameRecord) -> list[int]:
    """The positions of the messages of the player who wrote more than half of them, if there is such a player."""
    counts = Counter(message.player for message in game.messages)
    if len(game.players) < _FEWEST_PLAYERS or not counts:
        return []
    player, count = counts.most_common(1)[0]
    if 2 * count <= len(game.messages):
        return []
    return [message.position for message in game.messages if message.player == player]
