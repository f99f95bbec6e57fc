"""Patterns: what {name} means, and that no prefilter ever hides a match."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discussions.core.metrics.parameters import flags_of, parameters_of
from discussions.core.names import fold, lowered, names_in, roster_of
from discussions.core.patterns import compile_pattern, with_boundary_later
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


@pytest.mark.parametrize(
    ("source", "other"),
    [
        (r"\byou\b", r"you(?<=\byou)\b"),
        (r"\brush(ing)?", r"rush(?<=\brush)(ing)?"),
        (r"\bas? far", r"a(?<=\ba)s? far"),
        (r"\b(as an?|us) (a|b)", r"(as a(?<=\bas a)n?|us(?<=\bus)) (a|b)"),
        (r"\b(?:wol(f|ves)|elf)\b", r"(?:wol(?<=\bwol)(f|ves)|elf(?<=\belf))\b"),
        (r"\b(a|b)?c", r"\b(a|b)?c"),
        (r"\b(a|)c", r"\b(a|)c"),
        (r"\b(\d+|one)", r"\b(\d+|one)"),
        (r"\bx*y", r"\bx*y"),
        (r"\b100 ?%", r"\b100 ?%"),
        (r"(a|b)", r"(a|b)"),
    ],
)
def test_the_boundary_in_front_moves_behind_the_first_letters(source: str, other: str) -> None:
    assert with_boundary_later(source) == other


@settings(max_examples=300)
@given(st.lists(st.sampled_from(PIECES), max_size=8), st.sampled_from([" ", "", "x", "'", "_"]))
def test_a_moved_boundary_changes_no_match(pieces: list[str], between: str) -> None:
    text = between.join(pieces)
    for pattern in PATTERNS:
        if "{" not in pattern.source:
            plain = [(found.span(), found.groups()) for found in re.finditer(pattern.source, text)]
            assert [(found.span(), found.groups()) for found in pattern.regex.finditer(text)] == plain


def test_a_token_has_the_bits_of_all_patterns_that_it_makes_possible() -> None:
    """Pattern by pattern: its words stand in the token, or, for a pattern of one word, it matches the token."""
    plain = (
        "round voted vot wolves wolfish werewol evilly sus suspects n't don't said saidso afternoon village"
    )
    some_bits = False
    for token in [*plain.split(), *(literal.strip() for each in PATTERNS for literal in each.literals)]:
        bits = 0
        for pattern in PATTERNS:
            has_word = any(word in f" {token} " for word in pattern.words)
            if has_word and (not pattern.is_word or pattern.regex.search(token)):
                bits |= pattern.bit
        assert PARAMETERS.clues.bits(token) == bits, token
        some_bits = some_bits or bits > 0
    assert some_bits
    assert PARAMETERS.clues.bits("wolfish") != PARAMETERS.clues.bits("wolves")


def test_a_possessive_is_not_the_name_itself() -> None:
    pattern = compile_pattern(r"\bi trust {name}\b", [])
    for text, matches in (("i trust alpha", True), ("i trust alpha's eyes", False), ("i trust alpha.", True)):
        low = mark(text, names_in(text, text, roster_of(("Alpha",))))
        assert bool(pattern.search(low)) is matches
