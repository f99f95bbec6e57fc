"""Find out from the syntax of a regular expression whether its time can grow too fast with a text.

Backtracking tries every way to match a stretch of text. There are exponentially many ways if a choice (one of several
alternatives, more or fewer repetitions) is inside a repetition: each of n repetitions doubles the ways. So a choice may
be repeated only a few times. This finds the star height above one and repeated alternation of Weideman et al.,
"Analyzing Matching Time Behavior of Backtracking Regular Expression Matchers" (CIAA 2016), and refuses some patterns
that are harmless. A possessive repetition or an atomic group is matched in one way only, so repeating it does not
repeat the choices inside it.

A second check finds long repetitions one after the other that can match the same letters and what is between them,
such as `.*.*.*` and `.*foo.*foo.*foo`: a text of n such letters is divided among three of them in about n * n / 2 ways,
and a search tries that at each of n places. Patterns that are slow in another way are not found: a game that takes too
long to measure is left out.

A third check finds possessive repetitions that some versions of Python match wrongly.
"""

from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import combinations
from re import _parser  # type: ignore[attr-defined]
from typing import Any, NamedTuple

MOST_REPEATED = 10
MOST_NEIGHBOURS, LONG = 2, 30
# Only repetitions that are that near to each other are looked at for letters that they share: a pattern may have many.
NEAR = 4
_REPEATS = ("MAX_REPEAT", "MIN_REPEAT")
_CHOICES = ("BRANCH", "GROUPREF_EXISTS")
_READ_ONE_WAY = ("POSSESSIVE_REPEAT", "ATOMIC_GROUP")
_COMPOUND = (*_CHOICES, *_REPEATS, *_READ_ONE_WAY)
# Where Python's parser puts the items inside another item.
_INSIDE = {"SUBPATTERN": 3, "ASSERT": 1, "ASSERT_NOT": 1, "ATOMIC_GROUP": 0}
_INSIDE |= dict.fromkeys((*_REPEATS, "POSSESSIVE_REPEAT"), 2)
_ONE_LETTER = ("LITERAL", "NOT_LITERAL", "ANY", "IN")
_CATEGORIES: dict[str, Callable[[str], bool]] = {
    "DIGIT": str.isdecimal,
    "SPACE": str.isspace,
    "WORD": lambda letter: letter.isalnum() or letter == "_",
}


# Every version that is saved holds the same patterns, but for a few.
@lru_cache(maxsize=256)
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


class _Run(NamedTuple):
    """How many long repetitions that match the same letters stand one after the other in a part of a pattern.

    `most` of them anywhere; `first` and `last` at its edges; `through` where the part can match such letters alone or
    nothing, else None.
    """

    most: int = 0
    first: int = 0
    last: int = 0
    through: int | None = 0


_BROKEN = _Run(through=None)


@lru_cache(512)  # a draft has the patterns of the version before it
def repeats_beside(source: str) -> bool:
    """Whether more than two long repetitions can match the same letters, and what is between them.

    A repetition is long when it may be made more than thirty times. Raises re.error as above.
    """
    items = _parser.parse(source)
    long = [given[2] for kind, given in _walk(items) if kind in _REPEATS and given[1] > LONG]
    if not long:
        return False
    every = _list_letters(items)
    reached = list(dict.fromkeys(_reach(body, every) for body in long))
    near = (reached[place : place + NEAR] for place in range(len(reached)))
    some = {chosen for part in near for count in (1, 2, 3) for chosen in combinations(part, count)}
    found = {*map(frozenset, every), *(frozenset.intersection(*chosen) for chosen in some)} - {frozenset()}
    return any(_find_run(items, letters).most > MOST_NEIGHBOURS for letters in found)


def _reach(items: Any, letters: set[str]) -> frozenset[str]:
    """Those of the letters that some item in there can match."""
    single = [(kind, given) for kind, given in _walk(items) if kind in _ONE_LETTER]
    return frozenset(letter for letter in letters if any(_matches(*one, letter) for one in single))


def _list_letters(items: Any) -> set[str]:
    """A letter of each kind that the pattern tells apart."""
    codes = {ord(letter) for letter in " \na1_!\u00e9"}
    for kind, given in _walk(items):
        for inner, value in given if kind == "IN" else [(kind, given)]:
            codes |= {value} if str(inner) in ("LITERAL", "NOT_LITERAL") else set()
            codes |= set(value) if str(inner) == "RANGE" else set()
    return {chr(code) for code in codes}


def _find_run(items: Any, letters: frozenset[str]) -> _Run:
    run = _Run()
    for operation, given in items:
        run = _join(run, _run_of_item(str(operation), given, letters))
    return run


def _run_of_item(kind: str, given: Any, letters: frozenset[str]) -> _Run:
    if kind in _ONE_LETTER:
        return _Run() if any(_matches(kind, given, letter) for letter in letters) else _BROKEN
    inside = [_find_run(part, letters) for part in _list_parts(kind, given)]
    if kind in ("ASSERT", "ASSERT_NOT", "ATOMIC_GROUP", "POSSESSIVE_REPEAT"):
        skipped = kind.startswith("ASSERT") or inside[0].through is not None or _is_optional(kind, given)
        return _Run(most=inside[0].most, through=0 if skipped else None)
    if kind in _CHOICES:
        ways = [run.through for run in inside if run.through is not None]
        return _Run(
            most=max((run.most for run in inside), default=0),
            first=max((run.first for run in inside), default=0),
            last=max((run.last for run in inside), default=0),
            through=max(ways) if ways else None,
        )
    if kind not in _REPEATS:
        return inside[0] if inside else _Run()
    lowest, highest, body = given
    if lowest != highest and highest > LONG and _may_repeat(body, letters):
        return _Run(1, 1, 1, 1)
    run = inside[0]
    for _time in range(min(highest, MOST_NEIGHBOURS + 1) - 1):
        run = _join(run, inside[0])
    return run._replace(through=run.through or 0) if lowest == 0 else run


def _join(one: _Run, other: _Run) -> _Run:
    """The run of two parts, one after the other."""
    return _Run(
        most=max(one.most, other.most, one.last + other.first),
        first=one.first if one.through is None else max(one.first, one.through + other.first),
        last=other.last if other.through is None else max(other.last, other.through + one.last),
        through=None if one.through is None or other.through is None else one.through + other.through,
    )


def _is_optional(kind: str, given: Any) -> bool:
    return kind in (*_REPEATS, "POSSESSIVE_REPEAT") and given[0] == 0


def _may_repeat(items: Any, letters: frozenset[str]) -> bool:
    """Whether a repetition of the items can match all of the letters; of a group the first letter must be one."""
    begins = any(_may_begin(items, letter) for letter in letters)
    return begins and letters <= _reach(items, set(letters))


def _may_begin(items: Any, letter: str) -> bool:
    for operation, given in items:
        kind = str(operation)
        if kind in _ONE_LETTER:
            return _matches(kind, given, letter)
        parts = _list_parts(kind, given)
        if any(_may_begin(part, letter) for part in parts):
            return True
        if parts and not (_is_optional(kind, given) or kind.startswith("ASSERT")):
            return False
    return False


def _matches(kind: str, given: Any, letter: str) -> bool:
    """Whether an item that stands for one letter can match it, in either case."""
    return any(_holds(kind, given, form) for form in {letter, letter.lower(), letter.upper()})


def _holds(kind: str, given: Any, letter: str) -> bool:
    if kind == "IN":
        found: bool = any(
            _holds(str(inner), value, letter) for inner, value in given if str(inner) != "NEGATE"
        )
        return found != (str(given[0][0]) == "NEGATE")
    if kind == "RANGE":
        return bool(given[0] <= ord(letter[0]) <= given[1])
    if kind == "CATEGORY":
        name = str(given).removeprefix("CATEGORY_")
        return _CATEGORIES[name.removeprefix("NOT_")](letter) != name.startswith("NOT_")
    if kind == "ANY":
        return True
    return bool(ord(letter[0]) == given) == (kind == "LITERAL")


@lru_cache(maxsize=256)
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
