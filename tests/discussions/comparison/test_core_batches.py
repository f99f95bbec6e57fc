"""The warning that the sides of a comparison were played on other days or with other model builds."""

import pytest

from discussions.comparison.core.comparison import describe_batches
from tests.factories.iteration_figures import game

DAYS = (
    "The reference was played on 2026-03-03 to 2026-03-05, the change on 2026-03-20: a difference may come from the "
    "days, not from the prompt."
)
MODEL = (
    "The reference was played with a-1, the change with a-1; a-2: a difference may come from the model, not from the "
    "prompt."
)


def side(*played):
    return [game(number, played_on=day, build=build) for number, (day, build) in enumerate(played, 1)]


REFERENCE = side(("2026-03-05", "a-1"), ("2026-03-03", "a-1"), ("", ""))


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (side(("2026-03-20", "a-1")), DAYS),
        (side(("2026-03-20", ""), ("", "a-1")), DAYS),
        (side(("2026-03-04", "a-2"), ("", "a-1")), MODEL),
        (side(("2026-03-05", "a-1"), ("2026-03-20", "a-1")), ""),
        (side(("2026-03-04", "a-1")), ""),
        (side(("", "")), ""),
        ([], ""),
    ],
)
def test_days_apart_and_other_builds_are_said(change, says):
    assert describe_batches(REFERENCE, change) == says


def test_both_are_one_sentence_in_either_order():
    change = side(("2026-02-01", "a-2"))
    assert describe_batches(REFERENCE, change) == (
        "The reference was played on 2026-03-03 to 2026-03-05 with a-1, the change on 2026-02-01 with a-2: a "
        "difference may come from the days or the model, not from the prompt."
    )
    assert describe_batches(change, REFERENCE).startswith(
        "The reference was played on 2026-02-01 with a-2, the"
    )


def test_games_that_say_nothing_differ_in_nothing():
    assert describe_batches(side(("", ""), ("", "")), REFERENCE) == ""
