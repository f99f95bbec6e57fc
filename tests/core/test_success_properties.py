"""Order changes nothing, and nothing raises: whatever has no value says why."""

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from rubric.core.manners.criteria import flat_rows, residual_halo
from rubric.core.manners.position import position_effects
from rubric.core.manners.residuals import Manner
from rubric.core.manners.severity import self_preference, severity
from rubric.core.success.conciseness import length_report
from rubric.core.success.figures import Conclusion, Figure
from rubric.core.success.stability import stability_report
from rubric.core.success.understanding import Surveyed, understanding_report
from rubric.core.success.variance import variance_report
from rubric.core.tuning import tuned_to_holistic
from tests.core.scored import WEIGHTS, any_rows, panel_of

KEYS = list(WEIGHTS)


def everything(rows):
    """Every report on these rows."""
    return [
        variance_report(rows, WEIGHTS),
        stability_report(rows, WEIGHTS),
        length_report(rows, WEIGHTS),
        flat_rows(rows, KEYS),
        residual_halo(rows, KEYS),
        severity(rows, WEIGHTS),
        self_preference(rows, WEIGHTS),
        position_effects(rows, WEIGHTS),
        tuned_to_holistic(rows, WEIGHTS, draws=5),
    ]


def records(found):
    """All records within records, lists and dicts."""
    if isinstance(found, list | tuple):
        return [each for one in found for each in records(one)]
    if isinstance(found, dict):
        return records(list(found.values()))
    if hasattr(found, "__struct_fields__"):
        return [found, *records(list(structs.asdict(found).values()))]
    return []


@settings(max_examples=60, deadline=None)
@given(any_rows)
def test_nothing_raises_and_whatever_has_no_value_says_why(rows):
    for each in records(everything(rows)):
        if isinstance(each, Figure | Manner):
            assert each.value is None or abs(each.value) < 1e6
            assert (each.value is None) == bool(each.reason)
            if each.interval is not None:
                assert each.interval[0] <= each.interval[1]
        if isinstance(each, Conclusion):
            assert each.reason
            assert (each.code == "cannot_tell") == each.reason.startswith("Cannot tell yet: ")


@settings(max_examples=25, deadline=None)
@given(any_rows, st.randoms())
def test_the_order_of_rows_changes_nothing(rows, order):
    turned = list(rows)
    order.shuffle(turned)
    assert everything(turned) == everything(rows)


def test_the_order_of_a_large_panel_changes_nothing():
    rows = panel_of(22, 4, 3)
    assert everything(rows[::-1]) == everything(rows)


def test_new_names_change_no_value():
    """Names decide the order of sums only, so new ones leave all but the last digits of what is not drawn at random."""
    rows = panel_of(6, 4, 3)
    renamed = [structs.replace(row, reviewer=f"z{9 - int(row.reviewer[1])}") for row in rows]
    one, other = variance_report(rows, WEIGHTS), variance_report(renamed, WEIGHTS)
    assert abs(one.difference.value - other.difference.value) < 1e-9
    first, second = stability_report(rows, WEIGHTS), stability_report(renamed, WEIGHTS)
    assert abs(first.difference.value - second.difference.value) < 1e-9
    assert first.overall.same_winner.value - second.overall.same_winner.value < 1e-9


surveys = st.lists(
    st.builds(
        Surveyed,
        comparison=st.sampled_from(["q1", "q2"]),
        person=st.sampled_from(["ann", "bob"]),
        arm=st.sampled_from(["with", "without"]),
        understood=st.one_of(st.none(), st.integers(1, 5)),
        is_right=st.one_of(st.none(), st.booleans()),
    ),
    max_size=40,
)


@given(surveys)
def test_every_survey_has_a_conclusion(given_surveys):
    found = understanding_report(given_surveys)
    assert found.conclusion.reason
    assert understanding_report(given_surveys[::-1]) == found
