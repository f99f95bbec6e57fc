"""Rows of scores for the tests of success metrics, manners and tuning."""

import numpy as np
from hypothesis import strategies as st

from rubric.reviews.core.score_rows import ReviewRow

WEIGHTS = {"accuracy": 0.35, "completeness": 0.25, "conciseness": 0.20, "clarity": 0.20}


def make_rows(table, *, comparison="q1", key="accuracy"):
    """Rows of one criterion from {reviewer: {response: score}}."""
    return [
        ReviewRow(comparison, response, reviewer, {key: float(score)}, holistic=float(score))
        for reviewer, sheet in table.items()
        for response, score in sheet.items()
    ]


def simulate_panel(
    comparisons, responses, reviewers, *, seed=0, noise=1.0, holistic_noise=1.0, decimals=0, halo=(), flat=()
):
    """Simulated rows: true scores per criterion plus noise, clipped to 1 to 10; lengths fall with conciseness.

    `halo` names reviewers whose noise is one number for all criteria, `flat` those who give one number throughout.
    Positions are drawn at random.
    """
    rng = np.random.default_rng(seed)
    rows = []
    for comparison in range(comparisons):
        true = rng.normal(6, 1.3, (responses, 4))
        words = np.maximum(1, 300 - 25 * true[:, 2] + rng.normal(0, 15, responses)).astype(int)
        for reviewer in range(reviewers):
            places = rng.permutation(responses) + 1
            for response in range(responses):
                off = rng.normal(0, noise, 4)
                if reviewer in halo:
                    off[:] = off[0]
                scores = np.clip(np.round(true[response] + off), 1, 10)
                if reviewer in flat:
                    scores[:] = scores[0]
                whole = true[response] @ list(WEIGHTS.values()) + rng.normal(0, holistic_noise)
                rows.append(
                    ReviewRow(
                        f"q{comparison:03}",
                        f"r{response}",
                        f"p{reviewer}",
                        dict(zip(WEIGHTS, map(float, scores), strict=True)),
                        holistic=float(np.clip(np.round(whole, decimals), 1, 10)),
                        position=int(places[response]),
                        words=int(words[response]),
                    )
                )
    return rows


score = st.one_of(
    st.integers(1, 10).map(float), st.sampled_from([float("nan"), float("inf"), -1.0, 0.0, 11.0, 7.5])
)


any_rows = st.lists(
    st.builds(
        ReviewRow,
        comparison=st.sampled_from(["q1", "q2", "q3"]),
        response=st.sampled_from(["a", "b", "c", "d"]),
        reviewer=st.sampled_from(["ann", "bob", "cid"]),
        scores=st.one_of(
            st.fixed_dictionaries(dict.fromkeys(WEIGHTS, score)),
            st.dictionaries(st.sampled_from(list(WEIGHTS)), score),
        ),
        holistic=st.one_of(st.none(), score),
        position=st.one_of(st.none(), st.integers(1, 4)),
        words=st.one_of(st.none(), st.integers(0, 3)),
        is_own=st.booleans(),
    ),
    max_size=30,
)
