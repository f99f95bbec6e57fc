"""Which round a message of nested JSON is of: what the keys, objects and lists around it say, and it itself."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from discussions.transcripts.core.audience import (
    IGNORE,
    SPEECH,
    is_hidden,
    kind_of_type,
    looks_like_audience,
    words_of,
)
from discussions.transcripts.core.fields import as_object
from discussions.transcripts.core.readers import columns as recipes
from discussions.transcripts.core.readers.narration import PARTS

ROUNDS = frozenset(
    "round rounds day days phase phases cycle cycles round_number roundnumber day_number daynumber turn acts stages "
    "chapter chapters".split()
)
# "day_2", "Round 1"; a number alone is a round in an object of rounds.
ROUND_KEY = re.compile(r"(?P<kind>day|round)?[\W_]{0,3}(?P<number>\d{1,3})", re.IGNORECASE)
# What a round is called: "Day 2", "round-2: The vote", "第2天".
_NAMES_ROUND = re.compile(
    rf"(?:{PARTS})[\W_]{{0,3}}\d{{1,3}}(?:[\W_].{{0,60}})?|第?\d{{1,3}}(?:[天日轮輪夜晚回]|라운드|일차|ラウンド).{{0,20}}",
    re.IGNORECASE,
)
_PART_KEY = re.compile(rf"{PARTS}|[天日轮輪夜回]", re.IGNORECASE)
# Under which key a message has the numbers of what is around it, from outside to inside; None without one.
LEVELS = " rounds"
_IN_KEY = re.compile(r"\d{1,3}")
# What is numbered and no round, beside players and games.
_SEATS = frozenset("seat seats model models bot bots npc npcs team teams p m msg message messages id".split())
# What a round is called, and its number, beside the known names of columns.
_NAME_KEYS = ("name", "title", "label", "type")
_NUMBER_KEYS = ("number", "index", "id")
GAMES = frozenset("game match session episode run sample simulation sim replay trial experiment seed".split())
SETS = frozenset(
    "games matches sessions episodes runs samples simulations sims replays trials experiments seeds batch batches "
    "tournament tournaments".split()
)
# How many of the last turns each step of a log may repeat.
LONGEST_WINDOW = 200
# What a game has, and its rounds and channels do not.
OF_A_GAME = ("players", "roles", "winner")
_OF_VOTES = frozenset(("voter", "target"))

# An object of a list: where it is, and its values with those of the round around it.
Row = tuple[str, dict[str, Any]]


def count_shapes(keys: Iterable[str]) -> Counter[str]:
    """How many keys are alike but for their numbers."""
    return Counter(_IN_KEY.sub(recipes.ANY, key) for key in keys)


def of_key(key: str, pointer: str, shapes: Mapping[str, int], around: dict[str, Any]) -> dict[str, Any]:
    """The round that a key names: "day_2", a number in rounds, or the one difference of keys (`shapes`) beside it."""
    found = ROUND_KEY.fullmatch(key)
    if found and (found["kind"] or pointer.rpartition("/")[2].casefold() in ROUNDS):
        return _deeper(around, int(found["number"]))
    number, shape = _IN_KEY.findall(key), _IN_KEY.sub(recipes.ANY, key)
    is_counted = len(number) == 1 and LEVELS not in around and shapes[shape] > 1
    return _deeper(around, int(number[0])) if is_counted and is_series(shape) else {}


def is_series(shape: str) -> bool:
    """Whether what is counted, "cycle_*", may be the rounds, and no players, games or channels."""
    words = words_of(shape)
    is_known = any(recipes.field_of(word) in (recipes.PLAYER, "game") for word in words)
    return not is_known and _SEATS.isdisjoint(words) and not looks_like_audience(shape)


def are_rounds(parts: Mapping[str, Any]) -> bool:
    """Whether parts with messages are called rounds or phases, by their keys or by what is in them."""
    for name, part in parts.items():
        plain = _plain_values(as_object(part))
        called = [name, *(str(plain[key]) for key in _NAME_KEYS if key in plain)]
        if named_round(plain) is not None or any(not ROUNDS.isdisjoint(words_of(word)) for word in called):
            return True
    return False


def _plain_values(part: dict[str, Any]) -> dict[str, str | int]:
    """The plain values of an object; of an object that is its round, the number: {"day": {"number": 2}}."""
    rounds = [key for key, said in part.items() if type(said) is dict and recipes.field_of(key) == "round"]
    inner = {key: part[key][name] for key in rounds for name in _NUMBER_KEYS if name in part[key]}
    return {key: said for key, said in (part | inner).items() if type(said) in (str, int) and said != ""}


def named_round(part: dict[str, Any]) -> str | int | None:
    """What an object says of the round that it is: {"day": 2}, {"title": "Day 2"}, {"id": "day-2"}; None of others."""
    for key, said in _plain_values(part).items():
        is_known = recipes.field_of(key) in ("round", "phase") or key.casefold() in ROUNDS
        is_counted = _PART_KEY.fullmatch(key) and _IN_KEY.fullmatch(str(said))
        if is_known or is_counted or is_called_round(said):
            return f"{key} {said}" if is_counted else said
    return None


def own_round(part: dict[str, Any]) -> dict[str, Any]:
    """The number of its round that an object says in a text, or under no known name: {"day": "Day 2"}; else {}."""
    is_known = any(type(said) is int and recipes.field_of(key) == "round" for key, said in part.items())
    counted = [] if is_known else _IN_KEY.findall(str(named_round(part)))
    return {"round": int(counted[0])} if len(counted) == 1 else {}


def is_called_round(name: str | int) -> bool:
    return _NAMES_ROUND.fullmatch(str(name)) is not None


def are_numbered(names: Iterable[str]) -> bool:
    """Whether parts have numbers or ids alone for names, and not those of players or channels."""
    return all(_IN_KEY.search(name) and (is_series(name) or words_of(name) == ["m"]) for name in names)


def are_named(names: Collection[str]) -> bool:
    """Whether parts are named for who is in them, or for what is said there."""
    kinds = {SPEECH, ""} if are_numbered(names) else {""}
    return any(
        is_hidden(name)
        or kind_of_type(name) not in kinds
        or looks_like_audience(name)
        or recipes.PLAYER in map(recipes.field_of, words_of(name))
        for name in names
    )


def round_in(row: Row) -> str:
    """The round of a row that has one; "" without it."""
    return next((str(part) for key, part in row[1].items() if recipes.field_of(key) == "round"), "")


def names_round(values: dict[str, Any]) -> bool:
    return any(recipes.field_of(key) == "round" for key in values)


def find_restarts(numbers: Iterable[tuple[int | None, Any]]) -> list[Any]:
    """Where numbers fall to the first one, by what stands beside each; none where they never go up again."""
    known = [(number, beside) for number, beside in numbers if number is not None]
    first = highest = known[0][0] if known else 0
    found: list[Any] = []
    goes_up = False
    for number, beside in known:
        if number == first < highest:
            highest = number
            found.append(beside)
        highest = max(highest, number)
        goes_up = goes_up or (bool(found) and highest > first)
    return found if goes_up else []


def count_repeated(lists: Sequence[list[Any]]) -> list[int]:
    """How many items at the beginning of each list are the last of the list before it that is not empty."""
    counts, last = list[int](), list[Any]()
    for own in lists:
        counts.append(_overlap(last, own))
        last = own or last
    return counts


def _overlap(own: list[Any], later: list[Any]) -> int:
    if own == later[: len(own)]:
        return len(own)
    counts = range(min(len(own), len(later), LONGEST_WINDOW), 0, -1)
    found = (count for count in counts if own[-1] == later[count - 1] and own[-count:] == later[:count])
    return next(found, 0)


def are_windows(lists: Sequence[list[Any]], repeated: Sequence[int]) -> bool:
    """Whether lists begin with the last items of those before, and no item comes back else ("I pass." said twice?)."""
    new = [repr(item) for own, count in zip(lists, repeated, strict=True) for item in own[count:]]
    counts = [count for own, count in zip(lists, repeated, strict=True) if own]
    return go_on(lists, repeated) and all(counts[1:]) and len({*new}) == len(new)


def go_on(lists: Sequence[list[Any]], repeated: Sequence[int]) -> bool:
    """Whether two thirds of several lists begin with the last items of the one before, and two of them go on."""
    goes_on = sum(0 < count < len(own) for own, count in zip(lists, repeated, strict=True))
    return goes_on > 1 and 3 * sum(map(bool, repeated)) >= 2 * sum(map(bool, lists[:-1]))


def of_item(item: dict[str, Any], index: int, around: dict[str, Any], *, has_id: bool) -> dict[str, Any]:
    """What an object of a list says of the messages in it: their round, else its place in the list, and their phase."""
    plain = _plain_values(item)
    fields = recipes.suggest_fields(list(plain))
    named = named_round(plain) or ""
    called = (plain[key] for key in (fields.get("phase"), *_NAME_KEYS) if key in plain)
    phase = next(called, named if is_hidden(str(named)) else None)
    # "Result" in a state of the game says nothing of what was said before.
    phase = None if has_id and kind_of_type(str(phase)) == IGNORE else phase
    given = (plain[key] for key in (fields.get("round", ""), *_NUMBER_KEYS) if key in plain)
    number = next(given, None)
    counted = _IN_KEY.findall(str(phase or named))
    number = counted[0] if number is None and len(counted) == 1 else number
    number = index + 1 if number is None and not counted else number
    return around | _deeper(around, number) | ({} if phase is None or hides(around) else {"phase": phase})


def hides(around: dict[str, Any]) -> bool:
    """Whether a phase around messages says that not everybody heard them."""
    return "phase" in around and is_hidden(str(around["phase"]))


def _deeper(around: dict[str, Any], number: Any) -> dict[str, Any]:
    return {LEVELS: (*around.get(LEVELS, ()), number)}


def with_rounds(rows: Iterable[Row]) -> list[Row]:
    """The rows, each with the innermost number, of those around it and its own, that changes and falls least often."""
    rows = list(rows)
    depth = max((len(values.get(LEVELS, ())) for _place, values in rows), default=0)
    said = [_numbers(values, depth) for _place, values in rows if values.keys().isdisjoint(_OF_VOTES)]
    falls = [_falls([numbers[level] for numbers in said]) for level in range(depth + 1)]
    best = min(range(depth, -1, -1), key=falls.__getitem__)
    return [(place, _with_round(values, best, depth)) for place, values in rows]


def _numbers(values: dict[str, Any], depth: int) -> tuple[Any, ...]:
    """The numbers around a message, from outside to inside, and its own."""
    around = values.get(LEVELS, ())
    own = next((values[key] for key in values if recipes.field_of(key) == "round"), None)
    return (*around, *(depth - len(around)) * (None,), own)


def _falls(numbers: Sequence[Any]) -> float:
    """How often the numbers fall; those that do not change say nothing."""
    found = [int(match[0]) for number in numbers if (match := _IN_KEY.search(str(number)))]
    return sum(after < before for before, after in pairwise(found)) if len({*found}) > 1 else len(numbers)


def _with_round(values: dict[str, Any], level: int, depth: int) -> dict[str, Any]:
    numbers = _numbers(values, depth)
    known = (number for number in (numbers[level], *numbers[::-1]) if number is not None)
    number = next(known, None)
    rest = {key: part for key, part in values.items() if key != LEVELS}
    if number is None or number == numbers[-1]:
        return rest
    return {key: part for key, part in rest.items() if recipes.field_of(key) != "round"} | {"round": number}
