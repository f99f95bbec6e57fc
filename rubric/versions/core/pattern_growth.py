"""Find out from the syntax of a regular expression whether its time can grow exponentially with a text.

Backtracking tries every way to match a stretch of text. There are exponentially many ways if a choice (one of several
alternatives, more or fewer repetitions) is inside a repetition: each of n repetitions doubles the ways. So a choice may
be repeated only a few times. This finds the star height above one and repeated alternation of Weideman et al.,
"Analyzing Matching Time Behavior of Backtracking Regular Expression Matchers" (CIAA 2016), and refuses some patterns
that are harmless. A possessive repetition or an atomic group is matched in one way only, so repeating it does not
repeat the choices inside it. This check does not find patterns that are only slow (many choices one after the other):
a game that takes too long to measure is left out.

A second check finds possessive repetitions that some versions of Python match wrongly.
"""

from collections.abc import Iterator
from re import _parser  # type: ignore[attr-defined]
from typing import Any

MOST_REPEATED = 10
_REPEATS = ("MAX_REPEAT", "MIN_REPEAT")
_CHOICES = ("BRANCH", "GROUPREF_EXISTS")
_READ_ONE_WAY = ("POSSESSIVE_REPEAT", "ATOMIC_GROUP")
_COMPOUND = (*_CHOICES, *_REPEATS, *_READ_ONE_WAY)
# Where Python's parser puts the items inside another item.
_INSIDE = {
    "MAX_REPEAT": 2,
    "MIN_REPEAT": 2,
    "POSSESSIVE_REPEAT": 2,
    "SUBPATTERN": 3,
    "ASSERT": 1,
    "ASSERT_NOT": 1,
}
_INSIDE["ATOMIC_GROUP"] = 0


def repeats_choice(source: str) -> bool:
    """Whether a choice is repeated more than ten times. Raises re.error when the source is not a regular expression."""
    return any(times > MOST_REPEATED for times in _find_choices(_parser.parse(source), 1))


def _find_choices(items: Any, times: int) -> Iterator[int]:
    """For each choice, how often it can be repeated; `times` is how often these items can be repeated."""
    for operation, given in items:
        kind = str(operation)
        if kind in _CHOICES or (kind in _REPEATS and given[0] != given[1]):
            yield times
        often = int(given[1]) if kind in _REPEATS else 1
        inner = 1 if kind in _READ_ONE_WAY else times * often
        for part in _list_parts(kind, given):
            yield from _find_choices(part, inner)


def repeats_possessively(source: str, flags: int = 0) -> bool:
    """Whether a possessive quantifier follows a group with a choice or a repetition, such as `(?:ab?c)*+`.

    When such a group matches in part, Python before 3.11.5 ends the match there (gh-106052). Raises re.error as above.
    """
    return any(
        kind == "POSSESSIVE_REPEAT" and any(inner in _COMPOUND for inner, _ in _walk(given[2]))
        for kind, given in _walk(_parser.parse(source, flags))
    )


def _walk(items: Any) -> Iterator[tuple[str, Any]]:
    """The kind of every item, including nested ones, and the parser's data for it."""
    for operation, given in items:
        yield str(operation), given
        for part in _list_parts(str(operation), given):
            yield from _walk(part)


def _list_parts(kind: str, given: Any) -> list[Any]:
    """The sequences of items inside an item of that kind."""
    if kind == "BRANCH":
        return list(given[1])
    if kind == "GROUPREF_EXISTS":
        return [part for part in given[1:] if part]
    if kind in _INSIDE:
        return [given if kind == "ATOMIC_GROUP" else given[_INSIDE[kind]]]
    return []
