"""The first line of a comparison: the word and the interval beside it never contradict each other."""

from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discussions.comparison.core.difference import IMPROVED, SAME, UNCLEAR, WORSE, difference
from discussions.comparison.core.verdict_line import (
    CERTAIN,
    LIKELY,
    NO_DIFFERENCE,
    OPEN,
    PERHAPS,
    PERHAPS_SMALL,
    PROBABLY_NO_DIFFERENCE,
    choose_verdict_line,
    is_prior_in_conflict,
)
from discussions.iterations.core.averages import Spread
from tests.factories.iteration_figures import scores

ONE_SIDED = (CERTAIN, LIKELY, PERHAPS, PERHAPS_SMALL)


def found_with(raw, *, sd=8.0, df=4, size=3, material=5.0):
    """The difference of two means that lie so far apart, with a given spread."""
    control, change = scores(*[60.0] * size), scores(*[60.0 + raw] * size)
    return difference(control, change, Spread(sd * sd, df, 2), material=material, span=1000.0)


@pytest.mark.parametrize(
    ("given", "answer", "kind"),
    [
        ({"raw": 37, "sd": 6}, IMPROVED, CERTAIN),
        ({"raw": -37, "sd": 6}, WORSE, CERTAIN),
        ({"raw": 22, "sd": 8}, IMPROVED, LIKELY),
        ({"raw": 20, "sd": 8}, UNCLEAR, PERHAPS),
        ({"raw": -20, "sd": 8}, UNCLEAR, PERHAPS),
        ({"raw": 4, "sd": 8}, UNCLEAR, OPEN),
        ({"raw": 0.5, "sd": 1}, SAME, NO_DIFFERENCE),
        ({"raw": 1, "sd": 2.2}, SAME, PROBABLY_NO_DIFFERENCE),
        ({"raw": 4.75, "sd": 1.875}, SAME, PERHAPS_SMALL),
    ],
)
def test_each_word(given, answer, kind):
    found = found_with(**given)
    line = choose_verdict_line(found)
    assert (found.answer, line.kind, line.is_better) == (answer, kind, given["raw"] > 0)


def test_with_many_games_the_90_percent_interval_stands_beside_very_likely():
    """20 against 20 and 18 df: t(.95) / sqrt(k) is below t(.975), so that 0 can be in the interval of 95 %."""
    found = found_with(4.9, sd=8.0, df=38, size=20, material=1.0)
    low, high = found.posterior.interval
    line = choose_verdict_line(found)
    assert found.answer == IMPROVED and low < 0 < high
    assert (line.kind, line.percent) == (LIKELY, 90) and 0 < line.interval[0] < line.interval[1] < high


def test_without_a_spread_there_is_no_interval():
    alike, apart = found_with(0, sd=0.0), found_with(9, sd=0.0)
    assert (choose_verdict_line(alike).kind, choose_verdict_line(alike).interval) == (NO_DIFFERENCE, None)
    assert (choose_verdict_line(apart).kind, choose_verdict_line(apart).interval) == (OPEN, None)


@given(
    st.floats(-60, 60),
    st.floats(0.1, 30),
    st.integers(1, 60),
    st.integers(1, 40),
    st.sampled_from([0.3, 5.0, 20.0]),
)
def test_word_and_interval_never_contradict_each_other(raw, sd, df, size, material):
    found = found_with(round(raw, 2), sd=sd, df=df, size=size, material=material)
    line = choose_verdict_line(found)
    low, high = line.interval or (-inf, inf)
    if line.kind in ONE_SIDED:
        assert low > 0 if line.is_better else high < 0
    elif line.kind == NO_DIFFERENCE:
        assert -material < low <= high < material
    else:
        assert low <= 0 <= high
    if found.answer in (IMPROVED, WORSE):
        assert line.kind in (CERTAIN, LIKELY) and line.is_better == (found.answer == IMPROVED)
    else:
        assert line.kind not in (CERTAIN, LIKELY)
    assert line.percent == 95 or line.kind == LIKELY


def test_the_shrunken_difference_outside_the_interval_is_in_conflict_with_the_games():
    assert is_prior_in_conflict(found_with(37, sd=6))
    assert not is_prior_in_conflict(found_with(10, sd=8))
    assert not is_prior_in_conflict(found_with(10, sd=0.0))
