"""What holds for agreement on any table of ratings: order, missing ratings, bounds, intervals, no exceptions."""

from functools import partial
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.workspace.statistics.jackknife import jackknife_over_groups
from workspace.statistics import estimates
from workspace.statistics.alpha import krippendorff_alpha
from workspace.statistics.chance_agreement import cohen_kappa, gwet_ac, observed_agreement
from workspace.statistics.intraclass import icc
from workspace.statistics.rankings import kendall_tau, kendall_w
from workspace.statistics.ratings import count_rarer, to_matrix

NOMINAL = {
    "alpha nominal": partial(krippendorff_alpha, level="nominal"),
    "observed": observed_agreement,
    "AC1": gwet_ac,
    "cohen": cohen_kappa,
}


WEIGHTED = {
    "AC2 quadratic": partial(gwet_ac, weights="quadratic"),
    "AC2 ordinal": partial(gwet_ac, weights="ordinal"),
    "observed linear": partial(observed_agreement, weights="linear"),
    "cohen quadratic": partial(cohen_kappa, weights="quadratic"),
}


ALPHAS = {
    f"alpha {level}": partial(krippendorff_alpha, level=level) for level in ("ordinal", "interval", "ratio")
}


ICCS = {f"icc {form}": partial(icc, form=form) for form in ("1,1", "2,1", "2,k", "3,k")}


RANKED = {
    "w": kendall_w,
    "tau-a": partial(kendall_tau, variant="a"),
    "tau-b": partial(kendall_tau, variant="b"),
}


ALL = NOMINAL | WEIGHTED | ALPHAS | ICCS | RANKED


BOUNDED = NOMINAL.keys() | RANKED.keys()


CHANCE = NOMINAL.keys() - {"alpha nominal"} | WEIGHTED.keys()


COMPLETE = ("cohen", "cohen quadratic", *ICCS, "w")


# The first call loads scipy.special, which takes longer than one example may.
some = settings(max_examples=20, deadline=None)


def tables(cells, *, items=(0, 7), raters=(0, 4)):
    return st.integers(*raters).flatmap(
        lambda width: st.lists(
            st.lists(cells, min_size=width, max_size=width), min_size=items[0], max_size=items[1]
        )
    )


scores = st.one_of(st.none(), st.integers(1, 4).map(float))


small = tables(scores, raters=(2, 4))


full = tables(st.integers(1, 4).map(float), items=(3, 7), raters=(2, 3))


wild = tables(
    st.one_of(st.none(), st.floats(), st.sampled_from([0.0, -0.0, 1.0, 1e308, -1e308, 5e-324, np.nan]))
)


def near(found, other):
    if found.value is None or other.value is None:
        return found.value is other.value
    same = found.value == pytest.approx(other.value, abs=1e-9)
    if found.interval is None or other.interval is None:
        return same and found.interval is other.interval
    return same and found.interval == pytest.approx(other.interval, abs=1e-7)


@given(st.one_of(small, wild))
def test_never_an_exception_and_a_reason_where_there_is_no_value(ratings):
    for name, statistic in ALL.items():
        found = statistic(ratings)
        if found.value is None:
            assert found.reason.endswith("."), name
            assert found.interval is None, name
            continue
        assert found.value <= 1 + 1e-9, name
        assert found.value >= -1 - 1e-9 or name not in BOUNDED, name
        assert (found.interval is None) == found.interval_reason.endswith("."), name
        assert found.interval is None or found.interval[0] <= found.value <= found.interval[1], name


@given(small, st.randoms(use_true_random=False))
@some
def test_the_order_of_items_and_raters_does_not_matter(ratings, source):
    order = source.sample(range(len(ratings[0])), len(ratings[0])) if ratings else []
    moved = [[row[at] for at in order] for row in source.sample(ratings, len(ratings))]
    for name, statistic in ALL.items():
        assert near(statistic(ratings), statistic(moved)), name


@given(small, st.permutations([1.0, 2.0, 3.0, 4.0]))
@example(
    [
        [None, None, 1.0, 3.0],
        *([None, value, value, value] for value in (1.0, 2.0, 3.0)),
        [1.0, 2.0, 2.0, 3.0],
    ],
    [2.0, 1.0, 3.0, 4.0],
)
@some
def test_the_names_of_nominal_categories_do_not_matter(ratings, names):
    renamed = [[None if rating is None else names[int(rating) - 1] * 10 for rating in row] for row in ratings]
    for name, statistic in NOMINAL.items():
        assert near(statistic(ratings), statistic(renamed)), name


@given(full)
@example([[2.0, 2.0], [2.0, 2.0], [1.0, 3.0], [2.0, 2.0]])
@some
def test_the_unit_does_not_matter(ratings):
    for name, statistic in (ALPHAS | ICCS | RANKED).items():
        shift = 0.0 if name == "alpha ratio" else 40.0
        assert near(
            statistic(ratings), statistic([[2 * rating + shift for rating in row] for row in ratings])
        ), name


@given(st.lists(st.integers(1, 9).map(float), min_size=3, max_size=8), st.integers(2, 4))
@some
def test_perfect_agreement_is_1(given_scores, raters):
    ratings = [[score] * raters for score in given_scores]
    for name, statistic in ALL.items():
        found = statistic(ratings)
        if name == "tau-a" and len(set(given_scores)) < len(ratings):
            assert found.value is None or found.value < 1
        elif (len(set(given_scores)) == 1 and "observed" not in name) or ("cohen" in name and raters > 2):
            assert found.value is None, name
        else:
            assert found.value == pytest.approx(1), name


@given(small)
@some
def test_an_item_that_nobody_rated_changes_nothing(ratings):
    empty = [None] * (len(ratings[0]) if ratings else 2)
    for name, statistic in ALL.items():
        assert near(statistic(ratings), statistic([*ratings, empty])), name


@given(small, st.integers(1, 4).map(float))
@some
def test_an_item_with_one_rating_tells_nothing(ratings, score):
    """Not so for AC1, Fleiss' and Conger's kappa: to them it tells how often a category is used."""
    if not any(row[0] is not None for row in ratings):
        return
    lonely = [score, *[None] * (len(ratings[0]) - 1)]
    for name in ("alpha nominal", *ALPHAS, "observed", *COMPLETE, *RANKED):
        assert near(ALL[name](ratings), ALL[name]([*ratings, lonely])), name


@given(tables(scores, raters=(2, 2)))
@some
def test_of_two_raters_only_the_items_that_both_rated_count(ratings):
    both = [row for row in ratings if None not in row]
    for name in ("alpha nominal", *ALPHAS, *COMPLETE, *RANKED):
        found = ALL[name](ratings)
        assert near(found, ALL[name](both)), name
        assert found.value is None or found.items == len(both), name


@given(small)
@some
def test_the_interval_is_that_of_computing_anew_without_each_item(ratings):
    for name, statistic in ALL.items():
        if name in RANKED or name.startswith("cohen"):
            continue
        most_missing = 0 if name in COMPLETE else len(ratings[0]) - 2 if ratings else 0
        used = [row for row in ratings if row.count(None) <= most_missing]
        options = {"scale": [1, 2, 3, 4]} if name in CHANCE else {}

        def anew(kept, used=used, options=options, statistic=statistic):
            return statistic([used[at] for at in kept], **options).value

        is_counted = name in NOMINAL and anew(range(len(used))) is not None
        units = count_rarer(to_matrix(used))[1] if is_counted else None
        expected = jackknife_over_groups(range(len(used)), anew, units)
        if expected is not None:
            with patch.object(estimates, "LEAST_RARER", 0):
                assert statistic(used, **options).interval == pytest.approx(expected, abs=1e-7), name


@pytest.mark.parametrize(
    ("statistic", "ratings", "reason"),
    [
        (NOMINAL["AC1"], [], "at least two raters"),
        (NOMINAL["AC1"], [[1], [2]], "at least two raters"),
        (NOMINAL["alpha nominal"], [[1, 2], [1, None]], "at least 2 items"),
        (NOMINAL["AC1"], [[3, 3], [3, 3]], "All ratings are the same"),
        (partial(gwet_ac, scale=[1, 2]), [[1, 2], [3, 3]], "The rating 3 is not on the scale"),
        (partial(gwet_ac, scale=[1, np.inf]), [[1, 1], [1, 2]], "not a finite number"),
        (NOMINAL["cohen"], [[1, 2, 3], [3, 2, 1]], "exactly 2 raters; there are 3"),
        (ALPHAS["alpha ratio"], [[-1, 2], [3, 2]], "below 0"),
        (ALPHAS["alpha ordinal"], [[place, -place] for place in range(600)], "more than 1000"),
        (ICCS["icc 2,k"], [[1, 2], [2, 1]], "differ too little"),
    ],
)
def test_the_reasons(statistic, ratings, reason):
    found = statistic(ratings)
    assert found.value is None
    assert reason in found.reason


def test_the_reasons_without_an_interval():
    assert "at least 3 items" in gwet_ac([[1, 1], [1, 2]]).interval_reason
    assert "One item carries" in krippendorff_alpha([[1, 1], [1, 1], [1, 2]], level="nominal").interval_reason


def test_rows_of_different_length_are_no_table():
    with pytest.raises(ValueError, match="differ in length"):
        gwet_ac([[1, 2], [1]])
