"""Patterns match the same in every Python that the site runs on."""

import re
from collections.abc import Iterator
from importlib import import_module
from re import _constants, _parser
from typing import Any

import pytest

from tests.guards.house import ROOT

PACKAGES = ("discussions", "rubric", "workspace")
LEFT_OUT = ("migrations", "management", "oidc.py")  # the last needs settings of another site to sign in by
VARY = {_constants.BRANCH, _constants.MAX_REPEAT, _constants.MIN_REPEAT, _constants.GROUPREF_EXISTS}


def parts_of(parsed: Any) -> Iterator[tuple[Any, Any]]:
    """Every operation of a parsed pattern, those of groups included."""
    for operation, given in parsed:
        yield operation, given
        waiting = [given]
        while waiting:
            part = waiting.pop()
            if isinstance(part, _parser.SubPattern):
                yield from parts_of(part)
            elif isinstance(part, tuple | list):
                waiting.extend(part)


def is_risky(pattern: str | bytes, flags: int = 0) -> bool:
    """Whether a possessive quantifier stands behind something that can match in several ways."""
    return any(
        operation is _constants.POSSESSIVE_REPEAT and any(inner in VARY for inner, _ in parts_of(given[2]))
        for operation, given in parts_of(_parser.parse(pattern, flags))
    )


def module_patterns() -> Iterator[tuple[str, re.Pattern]]:
    for package in PACKAGES:
        for file in sorted((ROOT / package).rglob("*.py")):
            if not any(part in LEFT_OUT for part in file.parts):
                name = ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
                for key, value in vars(import_module(name)).items():
                    if isinstance(value, re.Pattern):
                        yield f"{name}.{key}", value


@pytest.mark.parametrize(
    ("pattern", "expected"), [("(?:a|bc)*+d", True), ("(?:ab?)++", True), ("a*+(?>(?:a|bc)*)(?:ab)?+", False)]
)
def test_what_is_risky_is_found(pattern, expected):
    assert is_risky(pattern) == expected


def test_no_possessive_quantifier_stands_behind_what_matches_in_several_ways():
    # Python before 3.11.5 forgets where such a group ended (gh-106052). An atomic group, (?>...), is right everywhere.
    found = dict(module_patterns())
    assert len(found) > 100
    assert not [name for name, pattern in found.items() if is_risky(pattern.pattern, pattern.flags)]
