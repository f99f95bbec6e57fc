"""Which rule decides on a game, how often games enter, and which rules are refused."""

from fractions import Fraction

import pytest

from discussions.core.intake import (
    CONDITIONS,
    EVERYTHING,
    Arrival,
    Filling,
    FillRow,
    describe_rows,
    find_row,
    is_drawn,
    list_faults,
    tidy_filling,
)


def game(*, first="80", second="70", **facts):
    """Two metrics with the threshold 75."""
    scores = {"a": (Fraction(first), Fraction(75)), "b": (Fraction(second), Fraction(75))}
    return Arrival(scores, **facts)


@pytest.mark.parametrize(
    ("row", "fits"),
    [
        (FillRow("short", 100, "weakest", "5"), False),
        (FillRow("short", 100, "weakest", "5.1"), True),
        (FillRow("short", 100, "a", "50"), False),
        (FillRow("near", 100, "weakest", "5"), True),
        (FillRow("near", 100, "a", "4.9"), False),
        (FillRow("fails", 100, "weakest"), True),
        (FillRow("fails", 100, "a"), False),
        (FillRow("passes", 100, "a"), True),
        (FillRow("passes", 100, "weakest"), False),
        (FillRow("below", 100, "b", "70"), False),
        (FillRow("below", 100, "b", "70.5"), True),
        (FillRow("from", 100, "b", "70"), True),
        (FillRow("from", 100, "unknown", "0"), False),
        (FillRow("agent", 100, value="Ann"), True),
        (FillRow("agent", 100, value="An"), False),
        (FillRow("role", 100, value="MAFIA"), True),
        (FillRow("model", 100, value="M-1"), True),
        (FillRow("iteration", 100, value="2"), True),
        (FillRow("iteration", 100, value="22"), False),
        (FillRow("category", 100, value="stalls"), True),
        (FillRow("odd", 100), False),
    ],
)
def test_a_condition_fits_a_game_or_not(row, fits):
    arrival = game(
        iteration=2, model="m-1", names={"ann", "bo"}, roles={"mafia"}, categories=frozenset({"stalls"})
    )
    assert find_row(Filling([row], 20), arrival) == (1 if fits else 2)


def test_the_first_rule_that_fits_decides_and_a_game_without_scores_is_of_the_rest():
    rules = Filling([FillRow("fails", 50, "weakest"), FillRow("passes", 10, "a")], 20)
    assert [find_row(rules, game()), find_row(rules, game(second="90")), find_row(rules, Arrival({}))] == [
        1,
        2,
        3,
    ]


def test_a_game_enters_with_the_probability_and_stays_in_with_a_larger_one():
    numbers = [f"{number * 0x9E3779B97F4A7 % 16**13:013x}ffff" for number in range(4000)]
    taken = [{text for text in numbers if is_drawn(text, percent)} for percent in (0, 20, 50, 100)]
    assert [len(found) for found in taken] == [
        0,
        pytest.approx(800, abs=80),
        pytest.approx(2000, abs=100),
        4000,
    ]
    assert taken[1] < taken[2]


@pytest.mark.parametrize(
    "row",
    [
        FillRow("no such", 10),
        FillRow("fails", 101, "weakest"),
        FillRow("fails", float("nan"), "weakest"),
        FillRow("fails", 10, "unknown"),
        FillRow("below", 10, "weakest", "5"),
        FillRow("short", 10, "weakest", "-1"),
        FillRow("short", 10, "weakest", "five"),
        FillRow("short", 10, "weakest", "1e2"),
        FillRow("short", 10, "weakest", "."),
        FillRow("iteration", 10, value="one"),
        FillRow("agent", 10, value=" "),
    ],
)
def test_what_a_rule_cannot_mean_is_refused_by_its_number(row):
    good = FillRow("odd", 10)
    (fault,) = list_faults(tidy_filling(Filling([good, row], 100)), ["a"])
    assert fault.sentence.startswith("Rule 2: ") and fault.field == "rows"


def test_every_condition_has_words_and_everything_is_the_default():
    rows = [FillRow(condition, 10, "a", "5") for condition in CONDITIONS]
    said = describe_rows(Filling(rows, 20), {"a": "Depth"})
    assert len(set(said)) == len(CONDITIONS) + 1
    assert not list(
        list_faults(tidy_filling(Filling([FillRow(c, 10, "a", "5") for c in CONDITIONS], 5)), ["a"])
    )
    assert EVERYTHING.is_everything and not Filling([], 99).is_everything
    assert [fault.field for fault in list_faults(Filling([], 101), [])] == ["rest"]
