"""Patterns: what {name} means, and that no prefilter ever hides a match."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discussions.core.metrics.parameters import flags_of, parameters_of
from discussions.core.names import fold, lowered, names_in, roster_of
from discussions.core.patterns import compile_pattern
from discussions.core.tokens import cut, mark, odd_characters
from tests.core.builders import rubric

PARAMETERS = parameters_of(rubric())
PATTERNS = [pattern for group in PARAMETERS.groups.values() for pattern in group.patterns]
PIECES = (
    "in round 2|last round|earlier|previously|voted for|votes for|alpha|alpha's|is|seems|innocent|"
    "trust|i|i'm|the mafia|wolves|werewolf|evil|not|n't|don't|no doubt|without a doubt|if|would|"
    "maybe|100 %|hundred percent|must be|too hasty|let's not|calm down|jumping to conclusions|"
    "slow down|with alpha gone|someone said|accused|has to go|need to go|sus|my|vote|going to|"
    "goes to|as a|as the|my fellow|us|before|after round three|as we said|checked|lied about|never|"
    "you|a"
).split("|")  # fmt: skip


@pytest.mark.parametrize(
    ("source", "literals"),
    [
        (r"\bvoted for\b", ("voted for",)),
        (r"\bin round (\d+|one)\b", ("in round ",)),
        (r"\b(too|not|be) hasty\b", (" hasty",)),
        (r"\b(a|b)?\w+", ()),
        (r"ab+c?d", ("ab",)),
        (r"(?i)abc", ()),
        (r"[abc]xyz{0,2}", ("xy",)),
        (r"\bwol(f|ves)\b", ("wol",)),
        (r"x|", ()),
    ],
)
def test_literals_of_a_pattern(source: str, literals: tuple[str, ...]) -> None:
    assert compile_pattern(source, []).literals == literals


@settings(max_examples=300)
@given(st.lists(st.sampled_from(PIECES), max_size=8))
def test_no_prefilter_hides_a_match(pieces: list[str]) -> None:
    folded = fold(" ".join(pieces))
    low = lowered(folded)
    text = mark(low, names_in(low, folded, roster_of(("Alpha", "Bravo"))))
    flags = flags_of("\x00", PARAMETERS)
    for token in cut(text, odd_characters(low)):
        flags |= flags_of(token, PARAMETERS)
    for pattern in PATTERNS:
        if pattern.regex.search(text):
            assert pattern.search(text), pattern.source
            assert flags & pattern.bit, pattern.source


def test_a_possessive_is_not_the_name_itself() -> None:
    pattern = compile_pattern(r"\bi trust {name}\b", [])
    for text, matches in (("i trust alpha", True), ("i trust alpha's eyes", False), ("i trust alpha.", True)):
        low = mark(text, names_in(text, text, roster_of(("Alpha",))))
        assert bool(pattern.search(low)) is matches
