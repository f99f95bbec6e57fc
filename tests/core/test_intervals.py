"""Wilson's interval on the rubric's own example, and at the ends."""

import pytest

from rubric.core.intervals import wilson


@pytest.mark.parametrize(
    ("numerator", "denominator", "low", "high"),
    [
        (17, 20, 64.0, 94.8),
        (34, 50, 54.2, 79.2),
        (37, 50, 60.4, 84.1),
        (38, 50, 62.6, 85.7),
        (6, 10, 31.3, 83.2),
    ],
)
def test_the_appendix_of_the_rubric(numerator: int, denominator: int, low: float, high: float) -> None:
    found = wilson(numerator, denominator)
    assert found is not None
    assert [round(end, 1) for end in found] == [low, high]


def test_the_ends_stay_in_the_scale() -> None:
    assert wilson(0, 0) is None
    none, every = wilson(0, 10), wilson(10, 10)
    assert none is not None
    assert every is not None
    assert none[0] == 0.0
    assert every[1] == pytest.approx(100)
