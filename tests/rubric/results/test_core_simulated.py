"""Where all responses are equal, hardly ever is one called ahead; the full sizes are in benchmarks.statistics."""

import pytest

from benchmarks.statistics.responses import set_leads, single_leads

RUNS = 100


@pytest.fixture(scope="module")
def single():
    return {(row[0], row[1]): [float(cell) for cell in row[2:]] for row in single_leads(RUNS)[2]}


def test_in_one_comparison_of_equal_responses_none_is_ahead(single):
    some, every, level, _unanimous, _better = zip(*single.values(), strict=True)
    assert len(single) == 8 and max(some) <= 8 and max(every) <= 8 and max(level) == 0


def test_two_reviewers_never_make_a_response_ahead_and_five_see_two_points(single):
    assert single["2", "2"][0] == single["2", "2"][4] == 0
    assert single["2", "2"][3] > 30, "they agree half of the time by chance"
    assert single["3", "5"][4] > 75


def test_in_a_set_of_equal_authors_none_is_ahead_of_some():
    _title, _header, rows = set_leads(RUNS)
    assert len(rows) == 6
    assert all(float(some) <= 10 and float(every) <= 9 for *_design, some, every in rows)
