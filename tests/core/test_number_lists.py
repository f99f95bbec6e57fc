"""Numbers as people write them in one line."""

import pytest

from discussions.core.number_lists import MOST, numbers_in


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("3, 5-7", [3, 5, 6, 7]),
        ("5-7, 3", [3, 5, 6, 7]),
        ("3 5 7", [3, 5, 7]),
        ("3;5 ;\n7", [3, 5, 7]),
        ("5 - 7", [5, 6, 7]),
        ("5\u20137", [5, 6, 7]),
        ("3, 3, 2-4", [2, 3, 4]),
        ("12-12", [12]),
        (" , ", []),
        ("", []),
    ],
)
def test_a_line_names_numbers_each_once_and_in_order(text, numbers):
    assert numbers_in(text) == numbers


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("3, x", "x"),
        ("7-5", "7-5"),
        ("1-501", "1-501"),
        ("-3", "-3"),
        ("3-", "3-"),
        ("1.5", "1.5"),
        ("1-500, 501", "501"),
    ],
)
def test_what_is_no_number_is_named(text, part):
    with pytest.raises(ValueError, match=f"^{part}$"):
        numbers_in(text)


def test_five_hundred_are_the_most():
    assert len(numbers_in(f"1-{MOST}")) == MOST
