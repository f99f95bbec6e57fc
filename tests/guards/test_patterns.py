"""Patterns match the same in every Python that the site runs on."""

import re
from collections.abc import Iterator
from importlib import import_module

from rubric.versions.core.pattern_growth import repeats_possessively
from tests.guards.layout import ROOT

PACKAGES = ("discussions", "rubric", "workspace")
# Wrong only in an unterminated string, which `_end_of_value` checks for. An atomic group takes 75 bytes per escape.
EXCEPTIONS = {"workspace.core.json_items._SCALAR", "workspace.core.json_items._TO_BRACKET"}
LEFT_OUT = ("migrations", "management", "oidc.py")  # the last needs settings of another site to sign in by


def module_patterns() -> Iterator[tuple[str, re.Pattern]]:
    for package in PACKAGES:
        for file in sorted((ROOT / package).rglob("*.py")):
            if not any(part in LEFT_OUT for part in file.parts):
                name = ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
                for key, value in vars(import_module(name)).items():
                    if isinstance(value, re.Pattern):
                        yield f"{name}.{key}", value


def test_no_possessive_quantifier_follows_a_group_with_a_choice_or_repetition():
    # Python before 3.11.5 matches such a group wrongly (gh-106052). An atomic group, (?>...), is right everywhere.
    found = dict(module_patterns())
    assert len(found) > 100
    risky = {name for name, pattern in found.items() if repeats_possessively(pattern.pattern, pattern.flags)}
    assert risky == EXCEPTIONS
