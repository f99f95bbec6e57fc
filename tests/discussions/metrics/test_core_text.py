"""The one tokenizer, against its definition as a regular expression.

Where sentences and clauses end.

Who is named in a text: whole names, aliases, spellings, edges.

Patterns: what {name} means, and that no prefilter ever hides a match.

Words looked up: first uses, bits and players; what was met before changes nothing.
"""

import re
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discussions.metrics.core.names import build_roster, find_names, fold, lowered, names_in
from discussions.metrics.core.parameters import compute_bits, get_parameters
from discussions.metrics.core.patterns import (
    ANY_NAME,
    Vocabulary,
    Words,
    compile_pattern,
    join_bits,
    with_boundary_later,
)
from discussions.metrics.core.prepared_game import plain_findings
from discussions.metrics.core.text import (
    clauses,
    cut,
    mark,
    name_token,
    odd_characters,
    split,
    tokenise,
    unquoted,
)
from rubric.versions.queries import discussion_version

_DEFINITION = re.compile(r"[^\W_]+(?:'[^\W_]+)*")


ROSTER = build_roster(("Agent-Alpha", "Agent-Bravo"))


def test_tokens_are_lower_case_runs_with_inner_apostrophes() -> None:
    assert tokenise("Don\u2019t rush, it's O'Brien's 2nd e-mail_box!") == [
        "don't", "rush", "it's", "o'brien's", "2nd", "e", "mail", "box",
    ]  # fmt: skip
    assert tokenise("'quoted' dogs' a''b \u00dcber na\u00efve \u6f22\u5b57 \U0001f600") == [
        "quoted", "dogs", "a", "b", "\u00fcber", "na\u00efve", "\u6f22\u5b57",
    ]  # fmt: skip
    assert tokenise("") == []
    assert tokenise("... \u2014 !?") == []


def test_a_name_is_one_token_with_its_possessive() -> None:
    assert tokenise("I think Agent-Alpha's vote (Bravo) lies", ROSTER) == [
        "i", "think", "[name]", "vote", "[name]", "lies",
    ]  # fmt: skip


def test_a_text_cannot_pretend_to_name_anybody() -> None:
    assert tokenise("\ue001 \uf8ff[name]\U000f0001", ROSTER) == ["name"]


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=80))
def test_tokens_are_those_of_the_definition(text: str) -> None:
    assert tokenise(text) == _DEFINITION.findall(lowered(fold(text)))


@given(st.text(max_size=60))
def test_folding_and_lowering_keep_the_length(text: str) -> None:
    assert len(lowered(fold(text))) == len(text)


def sentences(text: str) -> list[str]:
    """The sentences as text."""
    return [text[start:end] for start, end in split(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]),
        ("Wait... what?! Yes\u2026 no", ["Wait...", "what?!", "Yes\u2026", "no"]),
        ('He said "go." Then (left.) So', ['He said "go."', "Then (left.)", "So"]),
        ("Version 1.5 is out.now it ends.", ["Version 1.5 is out.now it ends."]),
        ("line one\nline two\r\n\r\nline three", ["line one", "line two", "line three"]),
        ("  spaced.   out  ", ["spaced.", "out"]),
        ("one\u2028two\u2029three", ["one", "two", "three"]),
        ("", []),
        (" \n\t ", []),
        ("...", ["..."]),
    ],
)
def test_sentences_end_as_the_rubric_says(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


@given(st.text(alphabet=" ab.!?\n\"')\u2026", max_size=60))
def test_sentences_cover_everything_but_white_space(text: str) -> None:
    spans = split(text)
    assert "".join("".join(sentences(text)).split()) == "".join(text.split())
    assert all(start < end for start, end in spans)
    assert all(first[1] <= other[0] for first, other in pairwise(spans))


def test_clauses_are_cut_at_marks_and_words() -> None:
    assert [clause.strip() for clause in clauses("it is late, so we vote; but also sofia (and you)? yes")] == [
        "it is late", "we vote", "also sofia (", "you)?", "yes",
    ]  # fmt: skip


def test_a_dash_may_stand_before_a_joining_word() -> None:
    assert clauses("sofia helps-and mara is lying") == ["sofia helps", " mara is lying"]
    assert clauses("sofia helps -but mara is lying") == ["sofia helps ", " mara is lying"]
    assert clauses("a cat-and-mouse game") == ["a cat-and-mouse game"]


def test_quotes_are_blanked_and_a_lone_quote_stays() -> None:
    assert unquoted('he said "i am mafia" today') == "he said " + " " * 12 + " today"
    assert unquoted('6" tall') == '6" tall'


AMBIGUOUS = frozenset({"will", "echo", "gray"})


def named(text: str, *names: str) -> list[tuple[str, str]]:
    """(player, what stands in the text) for every name found."""
    spans = find_names(text, build_roster(names, AMBIGUOUS))
    return [(names[span.player - 1], text[span.start : span.end]) for span in spans]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Agent-Alpha lies", [("Agent-Alpha", "Agent-Alpha")]),
        ("agent-alpha lies", [("Agent-Alpha", "agent-alpha")]),
        (
            "Agent\u2013Alpha and Agent\u2011Alpha",
            [("Agent-Alpha", "Agent\u2013Alpha"), ("Agent-Alpha", "Agent\u2011Alpha")],
        ),
        ("ALPHA lies", [("Agent-Alpha", "ALPHA")]),
        ("@Alpha, @Agent-Alpha", [("Agent-Alpha", "@Alpha"), ("Agent-Alpha", "@Agent-Alpha")]),
        ("mail me at x@alpha", [("Agent-Alpha", "alpha")]),
        ("Alpha's vote, Alpha\u2019s vote", [("Agent-Alpha", "Alpha's"), ("Agent-Alpha", "Alpha\u2019s")]),
        ("Alpha'll vote", [("Agent-Alpha", "Alpha'll")]),
        ("'Alpha' (Alpha) Alpha-Alpha", [("Agent-Alpha", "Alpha")] * 4),
        ("Alphabet, betAlpha, Alpha_1, xAlpha, Alpha2, O'Alpha", []),
        ("Agent-Alphas", []),
        ("_Alpha_ and __Alpha's__", [("Agent-Alpha", "Alpha"), ("Agent-Alpha", "Alpha's")]),
    ],
)
def test_a_name_is_found_whole_in_any_style_and_never_inside_a_word(
    text: str, found: list[tuple[str, str]]
) -> None:
    assert named(text, "Agent-Alpha", "Agent-Bravo") == found


def test_a_short_name_is_not_found_in_a_longer_one() -> None:
    assert named("Agent-Alpha", "Agent-A", "Agent-Alpha") == [("Agent-Alpha", "Agent-Alpha")]
    assert named("player-10 and player-1", "player-1", "player-10") == [
        ("player-10", "player-10"),
        ("player-1", "player-1"),
    ]


def test_the_longest_name_wins() -> None:
    assert named("Mary Ann Lee spoke", "Mary", "Mary Ann Lee") == [("Mary Ann Lee", "Mary Ann Lee")]


def test_a_last_part_is_an_alias_of_three_letters_or_more() -> None:
    assert named("J spoke", "Agent-J", "Agent-K") == []
    assert named("1 spoke", "player-1") == []
    assert named("Lee spoke", "Bruce Lee") == [("Bruce Lee", "Lee")]


def test_an_alias_that_ends_another_name_names_nobody() -> None:
    assert named("Smith spoke", "John Smith", "Jane Smith") == []
    assert named("Alpha spoke", "Agent-Alpha", "Alpha") == [("Alpha", "Alpha")]
    assert named("Agent-Alpha spoke", "Agent-Alpha", "Alpha") == [("Agent-Alpha", "Agent-Alpha")]


def test_an_ambiguous_name_matches_as_spelled_only() -> None:
    assert named("Will will vote, WILL he?", "Will") == [("Will", "Will")]
    assert named("An echo of Echo", "Agent-Echo") == [("Agent-Echo", "Echo")]
    assert named("agent-echo spoke", "Agent-Echo") == [("Agent-Echo", "agent-echo")]


def test_names_that_differ_in_case_only_match_as_spelled() -> None:
    assert named("alpha and Alpha", "Alpha", "alpha") == [("alpha", "alpha"), ("Alpha", "Alpha")]


def test_spans_keep_the_offsets_of_a_text_whose_lower_case_is_longer() -> None:
    text = "\u0130\u0130 Alpha"
    assert named(text, "Agent-Alpha") == [("Agent-Alpha", "Alpha")]
    assert len(lowered(fold(text))) == len(text)


def test_a_long_roster_is_searched_the_same_way() -> None:
    names = [f"Agent-{chr(65 + n // 26)}{chr(97 + n % 26)}o" for n in range(200)]
    text = "Agent-Aao and Bbo's friend, not Bboo. @Hro!"
    expected = [("Agent-Aao", "Agent-Aao"), ("Agent-Bbo", "Bbo's"), ("Agent-Hro", "@Hro")]
    assert named(text, *names) == expected


PARAMETERS = get_parameters(discussion_version())


PATTERNS = [pattern for group in PARAMETERS.groups.values() for pattern in group.patterns]


PIECES = (
    "in round 2|last round|earlier|previously|voted for|votes for|alpha|alpha's|is|seems|innocent|"
    "trust|i|i'm|the mafia|wolves|werewolf|evil|not|n't|don't|no doubt|without a doubt|if|would|"
    "maybe|100 %|hundred percent|must be|too hasty|let's not|calm down|jumping to conclusions|"
    "slow down|with alpha gone|someone said|accused|has to go|need to go|sus|my|vote|going to|"
    "goes to|as a|as the|my fellow|us|before|after round three|as we said|checked|lied about|never|"
    "you|a|cant|says|the claim that|are|both|given|result|silence|thank you|all of you|alpha & bravo|="
).split("|")  # fmt: skip


@pytest.mark.parametrize(
    ("source", "literal", "needs"),
    [
        (r"\bvoted for\b", "voted for", ((" voted ",),)),
        (r"\bin round (\d+|one)\b", "in round ", ((" round ",),)),
        (r"\b(too|not|be) hasty\b", " hasty", ((" hasty ",),)),
        (r"\b(a|b)?\w+", "", ()),
        (r"ab+c?d", "ab", (("ab",), ("cd", "d"))),
        (r"(?i)abc", "", ()),
        (r"[abc]xyz{0,2}", "xy", (("axy", "bxy", "cxy"),)),
        (r"\bwol(f|ves)\b", "wol", ((" wolf ", " wolves "),)),
        (r"\bn[0-9]\b", "n", (tuple(f" n{digit} " for digit in range(10)),)),
        (r"x|", "", ()),
        (r"\b(is|are)n ?t\b", "n", ((" isn ", " isnt ", " aren ", " arent "),)),
        (r"{name} (?:is|was) lying\b", "s lying", ((" lying ",), (ANY_NAME,))),
        (r"(?:{name}|\byou) lied\b", " lied", ((" lied ",), (ANY_NAME, " you"))),
        (r"{owner} \w+", "\x03", ((ANY_NAME,),)),
        (r"\bif\b.*\bhad\b", "had", ((" had ",), (" if ",))),
        (r"\bas(?:ked)* before\b", " before", ((" before ",), (" as",))),
    ],
)
def test_what_a_text_needs_for_a_pattern_to_match(
    source: str, literal: str, needs: tuple[tuple[str, ...], ...]
) -> None:
    pattern = compile_pattern(source, [])
    assert (pattern.literal, pattern.needs) == (literal, needs)


@settings(max_examples=100)
@given(st.lists(st.sampled_from(PIECES), max_size=8))
def test_no_prefilter_hides_a_match(pieces: list[str]) -> None:
    folded = fold(" ".join(pieces))
    low = lowered(folded)
    text = mark(low, names_in(low, folded, build_roster(("Alpha", "Bravo"))))
    first, second = compute_bits("\x00", PARAMETERS)
    for token in cut(text, odd_characters(low)):
        bits = compute_bits(token, PARAMETERS)
        first, second = first | bits[0], second | bits[1]
    flags = first & second
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


@settings(max_examples=100)
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
    needed = {word.strip() for pattern in PATTERNS for need in pattern.needs for word in need}
    some_bits = False
    for token in [*plain.split(), *sorted(needed)]:
        parts = f" {token} " + token.replace("'", " ") + " "
        bits = [0, 0]
        for pattern in PATTERNS:
            for place, need in enumerate(pattern.needs):
                has_word = any(word in parts for word in need)
                if has_word and (not pattern.is_word or pattern.regex.search(token)):
                    bits[place] |= pattern.bit
        assert PARAMETERS.clues.bits(token) == tuple(bits), token
        some_bits = some_bits or bits[1] > 0
    assert some_bits
    assert PARAMETERS.clues.bits("wolfish") != PARAMETERS.clues.bits("wolves")


def test_a_message_has_the_bits_that_its_tokens_have_first_and_second() -> None:
    """However high a bit is; what one message has tells nothing of another."""
    high = 1 << 125
    bits = {"may": (high | 4, 0), "be": (0, high | 4), "end": (1, 1 | 2)}
    words = Vocabulary().look_up(["may", "be", "end", "may", "end", "be", "end"], bits.__getitem__)
    assert join_bits(words.halves, np.array([0, 3, 5])) == [high | 5, 1, 1]
    assert words.flags.tolist() == [4, 0, 1, 4, 1, 0, 1]


def test_a_possessive_is_not_the_name_itself() -> None:
    pattern = compile_pattern(r"\bi trust {name}\b", [])
    for text, matches in (("i trust alpha", True), ("i trust alpha's eyes", False), ("i trust alpha.", True)):
        low = mark(text, names_in(text, text, build_roster(("Alpha",))))
        assert bool(pattern.search(low)) is matches


TEXT = ["we", "vote", "we", name_token(3), "vote", "now", name_token(3)]


def by_length(token: str) -> tuple[int, int]:
    return len(token), 0


def plain(words: Words) -> list[list[int]]:
    return [words.ids.tolist(), words.flags.tolist(), words.players.tolist()]


def test_a_word_is_known_by_its_first_use() -> None:
    looked_up = Vocabulary().look_up(TEXT, by_length)
    assert plain(looked_up) == [[0, 1, 0, 3, 1, 5, 3], [2, 4, 2, 1, 4, 3, 1], [0, 0, 0, 3, 0, 0, 3]]
    assert plain(Vocabulary().look_up([], by_length)) == [[], [], []]


def test_what_was_met_before_changes_nothing() -> None:
    vocabulary = Vocabulary()
    vocabulary.look_up(["now", "then", name_token(2)], by_length)
    assert plain(vocabulary.look_up(TEXT, by_length)) == plain(Vocabulary().look_up(TEXT, by_length))
    vocabulary.look_up([f"word{number}" for number in range(30_000)], by_length)
    assert plain(vocabulary.look_up(TEXT, by_length)) == plain(Vocabulary().look_up(TEXT, by_length))


class SlowWord(str):
    """A word whose every look-up lets other threads run, as garbage collection in the midst of it may do."""

    def __hash__(self) -> int:
        time.sleep(1e-6)
        return super().__hash__()


def test_threads_share_a_vocabulary() -> None:
    vocabulary = Vocabulary()
    texts = [[SlowWord(f"w{(start * 7 + step) % 500}") for step in range(100)] for start in range(40)]
    alone = [plain(Vocabulary().look_up(text, by_length)) for text in texts]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda text: plain(vocabulary.look_up(text, by_length)), texts))
    assert together == alone


def test_plain_findings_are_new_lists_of_shared_findings() -> None:
    short, long = plain_findings(2, "quiet", counts=True), plain_findings(4, "quiet", counts=True)
    assert [finding.message for finding in long] == [1, 2, 3, 4]
    assert all(finding.counts and finding.rule == "quiet" and not finding.words for finding in long)
    long.clear()
    assert plain_findings(2, "quiet", counts=True) == short
