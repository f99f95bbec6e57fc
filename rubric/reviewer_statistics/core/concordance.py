"""Kendall's W within one question, of the reviewers who ranked all of its responses."""

import numpy as np

from workspace.statistics.rankings import kendall_w
from workspace.statistics.ratings import Matrix

LEAST_RESPONSES = 3


def ranked_scores(values: Matrix) -> Matrix:
    """The scores of one question (responses x reviewers) that can be ranked: none is missing.

    A reviewer who did not score every response, such as the author of one, is left out. If that would leave fewer
    than two reviewers, responses without a score from every reviewer are left out instead.
    """
    missing = np.isnan(values)
    values = values[:, ~missing.all(axis=0)]
    missing = np.isnan(values)
    if (~missing.any(axis=0)).sum() >= 2:
        return values[:, ~missing.any(axis=0)]
    return values[~missing.any(axis=1)]


def concordance(values: Matrix) -> float | None:
    """Kendall's W of one question; None below three responses or two reviewers, and where everything is tied."""
    used = ranked_scores(values)
    if len(used) < LEAST_RESPONSES or used.shape[1] < 2:
        return None
    return kendall_w(used, with_interval=False).value
