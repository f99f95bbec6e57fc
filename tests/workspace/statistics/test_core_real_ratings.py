"""Agreement in two public sets of ratings, which are not part of the project; skipped where they are missing.

Topical-Chat: S. Mehri and M. Eskenazi, USR (ACL 2020): 360 responses, 3 raters, a line for each context with six cells
of 18 digits; no licence is known, so only what is computed from it stands here. SQuALITY: A. Wang and others (EMNLP
2022), CC BY 4.0.
"""

import json
import os
import re
from pathlib import Path

import pytest

from workspace.statistics.alpha import krippendorff_alpha
from workspace.statistics.chance_agreement import gwet_ac
from workspace.statistics.intraclass import icc

SHARED = Path(__file__).parents[4] / "shared"


USR = Path(os.environ.get("USR_RATINGS", SHARED / "reference" / "statistics.md"))


SQUALITY = Path(os.environ.get("SQUALITY_REVIEWS", SHARED / "data" / "squality" / "all-responses.jsonl"))


CONTEXT = re.compile(r"^\d{18}(?: \d{18}){5}$", re.MULTILINE)


@pytest.fixture(scope="module")
def usr():
    """The digits of each response: six dimensions of three ratings."""
    cells = " ".join(CONTEXT.findall(USR.read_text())).split() if USR.exists() else []
    if len(cells) != 360:
        pytest.skip("the ratings of Topical-Chat are not here")
    return cells


@pytest.mark.parametrize(
    ("dimension", "agreements"),
    [
        (0, (0.483, 0.490, 0.742, 0.593)),
        (1, (0.421, 0.441, 0.703, 0.504)),
        (2, (0.519, 0.530, 0.772, 0.581)),
        (3, (0.547, 0.549, 0.785, 0.588)),
        (4, (0.709, 0.709, 0.880, 0.713)),
        (5, (0.665, 0.667, 0.858, 0.654)),
    ],
    ids=["understandable", "natural", "maintains context", "interesting", "uses knowledge", "overall"],
)
def test_topical_chat(usr, dimension, agreements):
    """Alpha as in the package `krippendorff`, AC2 as in irrCAC."""
    ratings = [[float(digit) for digit in cell[3 * dimension : 3 * dimension + 3]] for cell in usr]
    found = [
        krippendorff_alpha(ratings, level="ordinal"),
        icc(ratings, form="2,1"),
        icc(ratings, form="2,k"),
        gwet_ac(ratings, weights="quadratic"),
    ]
    assert tuple(round(agreement.value, 3) for agreement in found) == agreements


@pytest.mark.skipif(not SQUALITY.exists(), reason="the reviews of SQuALITY are not here")
@pytest.mark.parametrize(
    ("dimension", "alpha"), [("correctness", 0.459), ("selection", 0.781), ("overall", 0.798)]
)
def test_squality(dimension, alpha):
    """Interval alpha over 300 responses by 3 reviewers each."""
    stories = [json.loads(line)["questions"].values() for line in SQUALITY.read_text().splitlines()]
    ratings = [
        [float(review[f"{dimension}-rating"]) for review in response["reviews"]]
        for questions in stories
        for responses in questions
        for response in responses.values()
    ]
    found = krippendorff_alpha(ratings, level="interval")
    assert (found.items, found.pairs) == (300, 900)
    assert round(found.value, 3) == alpha
