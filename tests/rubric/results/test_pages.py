"""How responses, figures and addresses are written on the pages of results."""

from fractions import Fraction

import pytest

from rubric.models import RubricVersion
from rubric.results.pages.words import (
    ResultsQuery,
    gap_text,
    join_names,
    name_responses,
    percent_text,
    range_text,
    two,
    weight_text,
)


@pytest.mark.parametrize(
    ("value", "shown"),
    [(Fraction(8125, 1000), "8.13"), (6, "6.00"), (8.005, "8.01"), (None, ""), (Fraction(-5, 1000), "−0.01")],
)
def test_scores_have_two_decimals_halves_up(value, shown):
    assert two(value) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [(Fraction(5, 100), "0.05"), (Fraction(25, 10_000), "0.003"), (0, "0.00"), (1e-12, "0.00"), (None, "")],
)
def test_a_gap_that_is_there_never_looks_like_none(value, shown):
    assert gap_text(value) == shown


def test_shares_are_whole_percent_and_never_all_or_nothing_by_rounding():
    shown = [percent_text(share) for share in (0, 0.001, 0.625, 0.999, 1, None)]
    assert shown == ["0\u00a0%", "< 1\u00a0%", "62\u00a0%", "> 99\u00a0%", "100\u00a0%", ""]


def test_weights_ranges_and_lists():
    assert [weight_text(value) for value in (Fraction(1, 80), Fraction(1, 3), Fraction(1), None)] == [
        "1.25\u00a0%", "33.33\u00a0%", "100\u00a0%", "",
    ]  # fmt: skip
    assert range_text((1.0, 2.005)) == "1.00 to 2.01" and range_text(None) == ""
    assert join_names(["A"]) == "A" and join_names(["A", "B", "C"]) == "A, B and C"


def test_responses_are_named_by_author_else_key_else_number():
    found = name_responses([(1, "1", "Ann", 5), (2, "k", "", 5), (3, "3", "", 5), (4, "4", "Ann", 5)])
    assert [named_response.name for named_response in found.values()] == [
        "Ann (1)",
        "k",
        "Response 3",
        "Ann (4)",
    ]


def test_an_address_asks_for_the_same_with_a_change():
    asked = ResultsQuery(RubricVersion(), under="1.1", with_incomplete=True, page=3)
    assert asked.query(page=4) == "?under=1.1&incomplete=yes&page=4"
    assert ResultsQuery(RubricVersion()).query() == "?"
