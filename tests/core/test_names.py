"""Who is named in a text: whole names, aliases, spellings, edges."""

import pytest

from discussions.core.names import find_names, fold, lowered, roster_of

AMBIGUOUS = frozenset({"will", "echo", "gray"})


def named(text: str, *names: str) -> list[tuple[str, str]]:
    """(player, what stands in the text) for every name found."""
    spans = find_names(text, roster_of(names, AMBIGUOUS))
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
