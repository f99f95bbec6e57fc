"""The conclusion of a page of agreement: what one coefficient says, and the sentence over all of them."""

import pytest

from workspace.statistics.estimates import Agreement
from workspace.statistics.labels import ENOUGH, agreement_answer, agreement_plot, judge_agreement

ENOUGH_ALPHA = Agreement(0.8, (0.7, 0.9))
LOW_ALPHA = Agreement(0.3, (0.1, 0.5))
UNCLEAR = Agreement(0.7, (0.4, 0.9))
UNKNOWN = Agreement(None, reason="One answer only.")


@pytest.mark.parametrize(
    ("alpha", "word"),
    [
        (ENOUGH_ALPHA, "enough"),
        (LOW_ALPHA, "low"),
        (UNCLEAR, "unclear"),
        (UNKNOWN, ""),
        (Agreement(0.95), "unclear"),
        (Agreement(0.1), "unclear"),
        (Agreement(0.9, (ENOUGH, 1.0)), "enough"),
        (Agreement(0.5, (0.2, ENOUGH)), "unclear"),
        (Agreement(0.5, (0.2, 0.666)), "low"),
        (Agreement(-0.2, (-0.6, 0.1)), "low"),
    ],
)
def test_only_a_whole_interval_on_one_side_is_an_answer(alpha, word):
    assert judge_agreement(alpha) == word


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        ([], "Nobody can tell yet how far they agree"),
        ([("Roles", UNKNOWN), ("Depth", UNCLEAR)], "Nobody can tell yet how far they agree"),
        ([("Roles", ENOUGH_ALPHA), ("Depth", UNCLEAR)], "They agree on 1 of 2; nothing is too low"),
        ([("Roles", LOW_ALPHA), ("Depth", ENOUGH_ALPHA)], "They agree on 1 of 2; too low: Roles"),
        ([("Roles", LOW_ALPHA), ("Depth", LOW_ALPHA)], "They agree on 0 of 2; too low: Roles, Depth"),
        (
            [(str(at), LOW_ALPHA) for at in range(3)] + [("x", UNKNOWN)],
            "They agree on 0 of 3; on 3 they do not",
        ),
    ],
)
def test_the_sentence_counts_what_has_a_value_and_names_what_is_too_low(lines, says):
    assert agreement_answer(lines) == says


def test_the_plot_is_lowest_first_with_the_same_words():
    lines = [("Depth", ENOUGH_ALPHA, None), ("Roles", LOW_ALPHA, UNCLEAR), ("Memory", UNKNOWN, None)]
    rows = [row for row, *_shapes in agreement_plot(lines).rows]
    assert [(row.label, row.says, row.tone) for row in rows] == [
        ("Roles", "too low", "bad"),
        ("Depth", "enough", ""),
    ]
    assert agreement_plot([("Memory", UNKNOWN, None)]) is None
