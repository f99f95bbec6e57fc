"""A panel in which everybody straight-lines: nobody stands out, so the page says it of all."""

from rubric.reviewer_statistics.core.rater_effects import flat_rows
from rubric.reviewer_statistics.views.rater_effects import describe_unused
from tests.rubric.reviewer_statistics.test_core import flats


def test_a_panel_that_gives_one_number_on_all_criteria_is_told_so():
    everybody = [*flats("ann", 20, 20), *flats("bob", 18, 20), *flats("eve", 20, 20)]
    found = flat_rows(everybody, ["a", "b"])
    assert [effect.is_flagged for effect in found] == [False] * 3, "nobody stands out"
    assert describe_unused(found).startswith("97\u00a0% of all scored responses")
    assert describe_unused(flat_rows([*flats("ann", 9, 20), *flats("bob", 9, 20)], ["a", "b"])) == ""
    assert describe_unused(flat_rows(flats("ann", 9, 9), ["a", "b"])) == ""
