"""What success metric 1 and straight-lining say where nothing is going on, or everybody does it.

A panel in which everybody straight-lines: nobody stands out, so the page says it of all.
"""

from benchmarks.statistics.responses import count_conclusions, straight_lining
from rubric.reviewer_statistics.core.rater_effects import flat_rows
from rubric.reviewer_statistics.views.rater_effects import describe_unused
from tests.rubric.reviewer_statistics.test_core import flats


def test_whole_numbers_alone_do_not_make_the_overall_more_reliable():
    """Equal reliability before rounding: rounding costs the holistic score .02 of alpha, and nothing holds."""
    counts, difference = count_conclusions(10, is_whole=True, questions=30)
    assert counts["holds"] == counts["fails"] == 0 and counts.total() == 10
    assert 0.01 < difference < 0.04
    plain, difference = count_conclusions(6, is_whole=False, questions=30)
    assert plain["holds"] == 0 and plain.total() == 6 and abs(difference) < 0.02


def test_a_panel_that_straight_lines_is_told_so_and_an_honest_one_is_not():
    rows = {row[0]: [float(cell) for cell in row[1:]] for row in straight_lining(20)[2]}
    assert rows["all three straight-line"] == [0, 100]
    assert rows["two of three straight-line"][0] > 60
    assert rows["honest, criteria correlate .6"] == rows["honest, correlate .95, noise .5"] == [0, 0]


def test_a_panel_that_gives_one_number_on_all_criteria_is_told_so():
    everybody = [*flats("ann", 20, 20), *flats("bob", 18, 20), *flats("eve", 20, 20)]
    found = flat_rows(everybody, ["a", "b"])
    assert [effect.is_flagged for effect in found] == [False] * 3, "nobody stands out"
    assert describe_unused(found).startswith("97\u00a0% of all scored responses")
    assert describe_unused(flat_rows([*flats("ann", 9, 20), *flats("bob", 9, 20)], ["a", "b"])) == ""
    assert describe_unused(flat_rows(flats("ann", 9, 9), ["a", "b"])) == ""
