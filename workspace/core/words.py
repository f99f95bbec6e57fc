"""Sentences of cores in the language of the reader.

A core knows no language. The site registers what translates when it starts; without a site a sentence stands as it is
written. Values stand in braces: `say("Game {number} is gone.", number=3)`. What is hashed or kept as evidence must not
change with the language: it is not said by these functions, or is made within `plainly()`.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Translate = Callable[[str], str]
TranslateMany = Callable[[str, str, int], str]


def _as_written(text: str) -> str:
    return text


def _as_written_many(one: str, many: str, count: int) -> str:
    return one if count == 1 else many


_IS_PLAIN = ContextVar("_IS_PLAIN", default=False)
_TRANSLATE: list[Translate] = [_as_written]
_TRANSLATE_MANY: list[TranslateMany] = [_as_written_many]


def register_words(translate: Translate, translate_many: TranslateMany) -> None:
    """Say sentences by these functions from now on."""
    _TRANSLATE[:] = [translate]
    _TRANSLATE_MANY[:] = [translate_many]


@contextmanager
def plainly() -> Iterator[None]:
    """Say sentences as they are written, whatever the language: for what is stored as evidence."""
    before = _IS_PLAIN.set(True)
    try:
        yield
    finally:
        _IS_PLAIN.reset(before)


def mark(text: str) -> str:
    """The text as it is: a constant that `say` says where it is used, found by translators where it is written."""
    return text


def mark_many(one: str, many: str) -> tuple[str, str]:
    """The same of a sentence for one thing and for many, which `say_many` says."""
    return one, many


def say(template: str, /, **values: object) -> str:
    """The sentence in the reader's language. Without values braces are plain letters. "" stays ""."""
    if not template:
        return ""
    text = template if _IS_PLAIN.get() else _TRANSLATE[0](template)
    return text.format(**values) if values else text


def say_many(one: str, many: str, count: int, /, **values: object) -> str:
    """The sentence for one thing or for many; `{n}` in it is their count."""
    choose = _as_written_many if _IS_PLAIN.get() else _TRANSLATE_MANY[0]
    return choose(one, many, count).format(n=count, **values)
