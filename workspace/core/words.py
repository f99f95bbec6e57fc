"""Sentences of cores, translated to the language of the reader.

A core knows no language. The site registers the translating functions when it starts; without a site, a sentence
stays as it is written. Values stand in braces: `say("Game {number} is gone.", number=3)`. Text that is hashed or kept
as evidence must not change with the language: it does not use these functions, or is made within `plainly()`. Text
that is stored and shown later, to readers of any language, is made within `for_storage()` and read by `say_stored`.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

StoredT = TypeVar("StoredT")
Translate = Callable[[str], str]
TranslateMany = Callable[[str, str, int], str]


def _as_written(text: str) -> str:
    return text


def _as_written_many(one: str, many: str, count: int) -> str:
    return one if count == 1 else many


_SAID, _PLAIN, _STORED = "said", "plain", "stored"
_MODE = ContextVar("_MODE", default=_SAID)
# Around a stored sentence: control characters, which text that is shown never holds.
_OPEN, _CLOSE = "\x02", "\x03"
_OPEN_IN_JSON = "\\u0002"
_TOKEN = re.compile(f"{_OPEN}([^{_OPEN}{_CLOSE}]*){_CLOSE}")
# A doubled brace is one brace, as in str.format.
_PLACE = re.compile(r"\{\{|\}\}|\{(\w+)(?::(\+?(?:0[0-9])?,?(?:\.[0-9])?[dfgx]?))?\}")
# No sentence of the program is nearly as long; a stored text that a stranger wrote must not grow without limit.
_DEEPEST, _LONGEST = 8, 20_000
_TRANSLATE: list[Translate] = [_as_written]
_TRANSLATE_MANY: list[TranslateMany] = [_as_written_many]


def register_words(translate: Translate, translate_many: TranslateMany) -> None:
    _TRANSLATE[:] = [translate]
    _TRANSLATE_MANY[:] = [translate_many]


@contextmanager
def _in_mode(mode: str) -> Iterator[None]:
    before = _MODE.set(mode)
    try:
        yield
    finally:
        _MODE.reset(before)


def plainly() -> AbstractContextManager[None]:
    """Leave sentences as they are written, whatever the language: for text that is stored as evidence."""
    return _in_mode(_PLAIN)


def for_storage() -> AbstractContextManager[None]:
    """Return sentences as texts to be stored; `say_stored` translates them to the language of the reader.

    Such a text can be joined with others and be a value of another sentence, but must not be cut or changed.
    """
    return _in_mode(_STORED)


def mark(text: str) -> str:
    """The text as it is: marks a constant for translators; `say` translates it where it is used."""
    return text


def mark_many(one: str, many: str) -> tuple[str, str]:
    """As `mark`, for a sentence about one thing and about many, which `say_many` translates."""
    return one, many


def say(template: str, /, **values: object) -> str:
    """The sentence in the reader's language. Without values, braces are plain characters. "" stays ""."""
    if not template:
        return ""
    if _MODE.get() == _STORED:
        # A stored sentence may be passed on and translated again.
        is_stored = not values and template.startswith(_OPEN)
        return template if is_stored else _store(_Stored(template, {}), values)
    text = template if _MODE.get() == _PLAIN else _TRANSLATE[0](template)
    return text.format(**values) if values else text


def say_many(one: str, many: str, count: int, /, **values: object) -> str:
    """The sentence for one thing or for many; `{n}` in it is their count."""
    if _MODE.get() == _STORED:
        return _store(_Stored(one, {}, many, count), {"n": count, **values})
    return _choose_many()(one, many, count).format(n=count, **values)


def _choose_many() -> TranslateMany:
    return _as_written_many if _MODE.get() == _PLAIN else _TRANSLATE_MANY[0]


class _Stored(Struct, frozen=True, array_like=True):
    """A sentence as it is stored; with a `count` it has forms for one thing and for many."""

    one: str
    values: dict[str, str | int | float]
    many: str = ""
    count: int | None = None


def _store(sentence: _Stored, values: dict[str, object]) -> str:
    for name, value in values.items():
        if isinstance(value, str | int | float):
            sentence.values[name] = value
        else:
            is_formatted = f"{{{name}:" in sentence.one
            sentence.values[name] = float(value) if is_formatted else str(value)  # type: ignore[arg-type]
    return f"{_OPEN}{msgspec.json.encode(sentence).decode()}{_CLOSE}"


def say_stored(found: Any) -> Any:
    """A value made within `for_storage()`, alone or within lists and objects, with its sentences translated.

    Everything else stays as it is, such as sentences that were stored in one language.
    """
    if isinstance(found, str):
        return _say_tokens(found, 0)
    if isinstance(found, list):
        return [say_stored(item) for item in found]
    if isinstance(found, dict):
        return {key: say_stored(value) for key, value in found.items()}
    return found


def decode_stored(body: str, shape: type[StoredT]) -> StoredT:
    """Stored JSON decoded to its type, with its stored sentences translated. Raises as `msgspec.convert` does."""
    if _OPEN_IN_JSON not in body:
        return msgspec.json.decode(body, type=shape)
    return msgspec.convert(say_stored(msgspec.json.decode(body)), shape, str_keys=True)


def _say_tokens(text: str, depth: int) -> str:
    if _OPEN not in text or depth > _DEEPEST:
        return text
    return _TOKEN.sub(lambda token: _say_token(token[0], token[1], depth), text)[:_LONGEST]


def _say_token(token: str, inner: str, depth: int) -> str:
    """The sentence of one token; a token that the program did not make stays as it is."""
    try:
        kept = msgspec.json.decode(inner, type=_Stored)
        values = {
            name: _say_tokens(value, depth + 1) if isinstance(value, str) else value
            for name, value in kept.values.items()
        }
        text = say(kept.one) if kept.count is None else _choose_many()(kept.one, kept.many, kept.count)
        return _PLACE.sub(lambda place: _fill_place(place, values), text) if values else text
    except (msgspec.MsgspecError, ValueError, KeyError):
        return token


def _fill_place(place: re.Match[str], values: Mapping[str, object]) -> str:
    return place[0][0] if place[1] is None else _fill(values[place[1]], place[2])


def _fill(value: object, how: str | None) -> str:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return format(value, how) if how and is_number else str(value)
