"""Prints what the pages of results cost: a set of 100 comparisons x 5 reviewers x 4 responses, and one of them.

    python -m benchmarks.bench_results [COMPARISONS]

On a SQLite file with the real pragmas, through all middleware, the test client's own work included. Scores are drawn
with a fixed seed; one review in ten is incomplete. Trying out weights is measured as the requests of a form whose
sliders move. Budgets hold for CPU time of a quiet core, see `calibration`.
"""

import random
import sys
from typing import Any

from benchmarks.bench_pages import timed
from benchmarks.preparing import prepare

SET_MS, ONE_MS, WHAT_IF_MS = 300.0, 50.0, 25.0
RESPONSES, REVIEWERS = 4, 5


def fill(count: int) -> Any:
    """A set with that many comparisons, all reviewed."""
    from tests.factories.comparisons import make_set, review_with

    rng = random.Random(3)
    authors = {number: f"Author {number}" for number in range(1, RESPONSES + 1)}
    made = make_set(questions=count, responses=RESPONSES, elsewhere=REVIEWERS, mode="both", authors=authors)
    keys = [criterion.key for criterion in made.rubric_version.to_record().criteria]
    reviewers = list(made.reviewers.all())
    for row in made.comparisons.order_by("number"):
        row.set = made
        for reviewer in reviewers:
            reviewer.set = made
            is_whole = rng.random() < 0.9
            scores = {
                number: {key: rng.randint(3, 8) + number % 3 for key in (keys if is_whole else keys[1:])}
                | {"holistic": rng.randint(3, 9)}
                for number in authors
            }
            review_with(comparison=row, reviewer=reviewer, scores=scores)
    return made


def main() -> int:
    """Run and print; 1 when over the budget."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    prepare()
    from django.test import Client
    from django.urls import reverse

    from tests.factories.people import make_admin

    made = fill(count)
    slug = made.project.slug
    client = Client()
    client.force_login(make_admin())
    whole, text = reverse("set_results", args=[slug, 1]), reverse("comparison_result", args=[slug, 1, 1])
    rows = count * RESPONSES * REVIEWERS
    costs = [
        (timed(client, f"results of a set, {rows:,} rows", whole), SET_MS),
        (timed(client, "results of a comparison", text), ONE_MS),
    ]
    moving = Client(headers={"HX-Request": "true"})
    moving.force_login(make_admin())
    tried = f"{text}?weight-accuracy=0.3&slider-accuracy=0.35&was-accuracy=0.35"
    costs.append((timed(moving, "weights tried out", tried), WHAT_IF_MS))
    for _cost, budget in costs:
        print(f"budget: {budget:g} ms")
    return int(any(cost > budget for (cost, _tail), budget in costs))


if __name__ == "__main__":
    sys.exit(main())
