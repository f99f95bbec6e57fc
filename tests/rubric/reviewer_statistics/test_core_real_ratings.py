"""The success metrics on a public set of ratings that is not part of the project; skipped where it is missing.

Topical-Chat: S. Mehri and M. Eskenazi, USR (ACL 2020), 60 contexts of 6 responses by 3 raters. Every dimension is moved
to 1 to 5, the scale of its Overall. The expected figures were computed apart from this code.
"""

import os
import re
from pathlib import Path

import pytest
from msgspec import structs

from rubric.core.scales import Scale, rescale_score
from rubric.reviewer_statistics.core.stability import stability_report
from rubric.reviewer_statistics.core.variance import variance_report
from rubric.reviews.core.score_rows import ReviewRow

USR = Path(
    os.environ.get("USR_RATINGS", Path(__file__).parents[4] / "shared" / "reference" / "statistics.md")
)

CONTEXT = re.compile(r"^\d{18}(?: \d{18}){5}$", re.MULTILINE)
WEIGHTS = {"natural": 0.25, "context": 0.30, "engaging": 0.25, "knowledge": 0.20}


@pytest.fixture(scope="module")
def rows():
    """The ratings as rows, where they are."""
    contexts = CONTEXT.findall(USR.read_text()) if USR.exists() else []
    if len(contexts) != 60:
        pytest.skip("the ratings of Topical-Chat are not here")
    return [
        ReviewRow(
            f"q{number:02}",
            f"r{response}",
            f"p{rater}",
            {
                "natural": 2.0 * int(cell[3 + rater]) - 1,
                "context": 2.0 * int(cell[6 + rater]) - 1,
                "engaging": 2.0 * int(cell[9 + rater]) - 1,
                "knowledge": 1 + 4.0 * int(cell[12 + rater]),
            },
            holistic=float(cell[15 + rater]),
        )
        for number, context in enumerate(contexts)
        for response, cell in enumerate(context.split())
        for rater in range(3)
    ]


def test_single_criteria_agree_less_and_the_overall_varies_less(rows):
    found = variance_report(rows, WEIGHTS)
    spreads = [*found.criteria[:3], found.holistic, found.overall]
    assert [round(spread.variance.value**0.5 / 4, 3) for spread in spreads] == [
        0.306,
        0.277,
        0.266,
        0.210,
        0.189,
    ]
    assert [round(spread.icc.value, 3) for spread in spreads] == [0.441, 0.530, 0.549, 0.667, 0.674]
    assert found.overall.alpha.value == pytest.approx(0.667, abs=0.01)
    assert found.literal_conclusion.code == "fails"
    assert found.conclusion.code in ("cannot_tell", "not_worse", "no_difference")


def as_imported(row: ReviewRow) -> ReviewRow:
    """The row as an import from 1 to 5 stores it: mapped onto 1 to 10."""
    scores = {key: float(rescale_score(score, Scale(1, 5))) for key, score in row.scores.items()}
    return structs.replace(row, scores=scores, holistic=float(rescale_score(row.holistic, Scale(1, 5))))


@pytest.mark.parametrize("bring", [lambda row: row, as_imported], ids=["as given", "as imported"])
def test_rankings_differ_by_nothing_that_matters_once_ties_are_alike(rows, bring):
    found = stability_report([bring(row) for row in rows], WEIGHTS)
    shown = [
        tuple(round(getattr(report, name).value, 3) for name in ("tau_b", "tau_a", "w"))
        for report in (found.holistic, found.overall, found.on_grid)
    ]
    assert shown == [(0.703, 0.549, 0.843), (0.672, 0.587, 0.834), (0.696, 0.534, 0.832)]
    assert [round(report.tied_share.value, 2) for report in (found.holistic, found.overall, found.on_grid)] == [
        0.22, 0.12, 0.24,
    ]  # fmt: skip
    assert found.literal.value == pytest.approx(-0.031, abs=0.001)
    assert found.literal.interval == pytest.approx((-0.074, 0.012), abs=0.01)
    assert found.literal_conclusion.code == found.conclusion.code == "no_difference"
