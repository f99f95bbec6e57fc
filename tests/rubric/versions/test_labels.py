"""Scores in words."""

from fractions import Fraction

import pytest

from rubric.core.scales import Scale
from rubric.versions.labels import format_mark

FINE, LARGE = Scale(0, 0.05, 0.001), Scale(0, 5000, 0.25)


@pytest.mark.parametrize(
    ("score", "scales", "said"),
    [
        (None, {"a": LARGE}, ""),
        ("", {"a": LARGE}, ""),
        ("4", {}, "4"),
        (7.5, {}, "7.5"),
        (1234.25, {"a": LARGE}, "1234.25 of 5000"),
        (Fraction(4937, 4), {"a": LARGE}, "1234.25 of 5000"),
        (Fraction(22, 3), {}, "7.33"),
        (Fraction(22, 3), {"a": LARGE}, "7.333 of 5000"),
        (Fraction(1, 30), {"a": FINE}, "0.0333 of 0.05"),
        (7, {"b": FINE}, "7 of 10"),
    ],
)
def test_a_mark_is_written_with_its_decimals_and_the_end_of_its_scale(score, scales, said):
    assert format_mark(score, "a", scales) == said
