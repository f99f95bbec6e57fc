"""Changes an input at random, but as JSON where it holds some: what stays in shape reaches further than noise."""

import json
from random import Random
from typing import Any

SCRAPS: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 5, 7.5, 10, 11, 95, 0.35, 1e-7, 1e308, 10**17, 10**18, 2**63, 0.1 + 0.2, -0.0),
    *("", " ", "7", " 8.5 ", "1e1", "0", "x", "\0", "\ud800", "\ufdd0", "é", "ſ", "K", "(", "(a+)+b", "[[a", "{name}"),
    *("(?:" * 150 + ")" * 150, "Response A", "response a", "Ann", "accuracy", "overall", "FINAL RANKING:", "NaN"),
    *([], {}, [[]], [{}], ["Ann"], ["Response A", "Response B"], {"accuracy": 7}, {"": ""}, [1, "1"], "x" * 201),
)  # fmt: skip
NOISE = (
    *('"', "\\", "{", "}", "[", "]", ",", ":", "```", "```json\n", "~~~\n", "\n", "\0", "\ud800", "é", "NaN", "1e1"),
    *("\\u0037", "\\ud800", "\\u0000", "-", "9", "0.", '"accuracy": 3,', '"scores": {', '{"x": ', "1. ", ">", "="),
    *("I cannot rank these. ", "\nFINAL RANKING:\n", "Response A", '"Response A": ', "\ufeff", "\u2028", "Infinity"),
)  # fmt: skip
MOST_CHANGES = 4


def mutated(data: bytes, random: Random) -> bytes:
    """Another input like this one; the same one for the same state of `random`."""
    text = data.decode("utf-8", "surrogateescape")
    for _change in range(random.randint(1, MOST_CHANGES)):
        text = _as_json(text, random) if random.random() < 0.7 else _as_text(text, random)
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")


def _as_json(text: str, random: Random) -> str:
    """The text with one change inside the JSON that it holds; with a change of the text where it holds none."""
    start, end = text.find("{"), text.rfind("}") + 1
    try:
        value = json.loads(text[start:end])
        places = list(_places(value))
    except (ValueError, RecursionError):
        return _as_text(text, random)
    if not places:
        return text
    _change(*random.choice(places), random)
    written = json.dumps(value, ensure_ascii=random.random() < 0.7, indent=random.choice((None, None, 1)))
    return text[:start] + written + text[end:]


def _places(value: Any) -> Any:
    """(container, key) of everything in the value."""
    keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        yield value, key
        yield from _places(value[key])


def _change(holder: Any, key: Any, random: Random) -> None:
    """Replace, take out, repeat or rename one part."""
    act = random.randrange(6)
    part = holder[key]
    if act == 0:
        del holder[key]
    elif act == 1 and isinstance(holder, list):
        holder.insert(random.randrange(len(holder) + 1), part)
    elif act == 2 and isinstance(holder, dict):
        holder[_renamed(str(key), random)] = part
    elif act == 3 and isinstance(part, str):
        holder[key] = _as_text(part, random)
    elif act == 4 and isinstance(part, int | float):
        holder[key] = random.choice((part + 1, -part, part / 2, str(part), [part]))
    else:
        holder[key] = random.choice(SCRAPS)


def _renamed(key: str, random: Random) -> str:
    return random.choice((key.upper(), f" {key}", f"{key}_", key.swapcase(), key + "2", "", key[1:]))


def _as_text(text: str, random: Random) -> str:
    """The text with some noise put in, and perhaps a piece taken out or said twice."""
    at, length = random.randint(0, len(text)), random.choice((0, 0, 1, 3, 20))
    piece = text[at : at + length] * random.choice((0, 0, 1, 2, 3))
    return text[:at] + piece + random.choice(NOISE) + text[at + length :]
