"""The cost block of a native transcript: dollars, tokens, cache hit rate; nothing reported is never free."""

from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any

from discussions.core.readers.fields import LARGEST, kind_of, wrong_type
from discussions.core.readers.notes import Notes
from discussions.core.records import Cost

MOST_USD = 999_999
_SMALLEST = Decimal("0.000001")

# Spellings without case and underscores.
_TOTAL = ("totalusd", "total", "totalcost", "totalcostusd", "costusd", "usd", "cost", "amount")
_INPUT = ("inputtokens", "prompttokens", "tokensin", "input")
_OUTPUT = ("outputtokens", "completiontokens", "tokensout", "output")
_ALL_TOKENS = ("totaltokens", "tokens", "tokencount")
_RATE = ("cachehitrate", "cacherate", "hitrate", "cachehits")


def read_cost(value: Any, pointer: str, notes: Notes) -> Cost:
    """The cost as reported. `value` is the block, a bare number of dollars, or None."""
    if value is None:
        notes.warn("no_cost", pointer)
        return Cost()
    if type(value) in (int, float):
        value = {"totalUsd": value}
    if type(value) is not dict:
        wrong_type(notes, pointer, "an object, a number of dollars or null", value)
        return Cost()
    block = _flattened(value)
    total = _amount(block, _TOTAL, pointer, notes, MOST_USD)
    tokens = [_whole(block, names, pointer, notes) for names in (_INPUT, _OUTPUT, _ALL_TOKENS)]
    rate = _rate(block, pointer, notes)
    given = [figure for figure in (total, *tokens) if figure is not None]
    if given and not any(given):
        notes.warn("cost_all_zero", pointer)
        return Cost()
    if total is None:
        notes.warn("no_cost", pointer)
    usd = None if total is None else Decimal(repr(total)).quantize(_SMALLEST, ROUND_HALF_EVEN)
    return Cost(total_usd=usd, input_tokens=tokens[0], output_tokens=tokens[1], cache_hit_rate=rate)


def _flattened(value: dict[str, Any]) -> dict[str, Any]:
    """The block with its keys in one spelling; a block inside it (`tokens: {input, output}`) is laid out flat."""
    flat: dict[str, Any] = {}
    for key, part in value.items():
        if type(part) is dict:
            for inner, inner_part in part.items():
                flat.setdefault(_plain(inner), inner_part)
        else:
            flat[_plain(key)] = part
    return flat


def _plain(key: str) -> str:
    return key.replace("_", "").lower()


def _amount(
    block: dict[str, Any], names: tuple[str, ...], pointer: str, notes: Notes, most: int
) -> float | None:
    for name in names:
        value = block.get(name)
        if value is None:
            continue
        if type(value) not in (int, float):
            sentence = f'The cost figure "{name}" should be a number, but {kind_of(value)} was found. Correct the file.'
            notes.fault("wrong_type", pointer, sentence)
            return None
        if not 0 <= value <= most:
            sentence = (
                f'The cost figure "{name}" is {value}; a number from 0 to {most:,} was expected. Correct it.'
            )
            notes.fault("out_of_range", pointer, sentence)
            return None
        return value + 0 if type(value) is int else float(value) + 0.0
    return None


def _whole(block: dict[str, Any], names: tuple[str, ...], pointer: str, notes: Notes) -> int | None:
    value = _amount(block, names, pointer, notes, LARGEST)
    if value is None or value == int(value):
        return None if value is None else int(value)
    notes.fault(
        "wrong_type", pointer, f"A token count should be a whole number, but {value} was found. Correct it."
    )
    return None


def _rate(block: dict[str, Any], pointer: str, notes: Notes) -> float | None:
    value = _amount(block, _RATE, pointer, notes, 100)
    if value is None or value <= 1:
        return None if value is None else float(value)
    notes.warn("cache_rate_percent", pointer, value)
    return value / 100
