"""Prints what one save of a reviewer costs the server: CPU time from the request to the rendered regions.

    python -m benchmarks.bench_reviews [SAVES]

Four responses, each as a whole and by four criteria, on a SQLite file with the real pragmas; scores in turn, half of
them while everything is in, so that the ranking is updated. The budget holds for a quiet core, see `calibration`.
"""

import sys
from statistics import median, quantiles

from benchmarks.bench_saves import WARM_UP, post_each
from benchmarks.preparing import prepare

BUDGET_MS = 6.0
RESPONSES = 4


def main() -> int:
    """Run and print; 1 when over the budget."""
    saves = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    prepare()
    from django.test import Client
    from django.urls import reverse

    from tests.factories.human_reviewers import say, start, work

    review = start(mode="both", responses=RESPONSES)
    for place in range(1, RESPONSES + 1):
        say(review, "holistic", str(place), "7")
    client = Client()
    client.force_login(review.reviewer.person)
    subjects = [subject for _kind, subject in work(review).sheet.scores]
    bodies = (
        {
            "kind": "score",
            "subject": subjects[number % len(subjects)],
            "value": str(1 + number % 10),
            "version": number // len(subjects),
            "key": f"bench:{number}",
        }
        for number in range(saves + WARM_UP)
    )
    costs, _walls, calibration = post_each(client, reverse("mark", args=[review.pk]), bodies)
    quiet = calibration.quiet(median(costs))
    print(
        f"save of a review, {saves} times: CPU p50 {median(costs):.2f} ms, p95 {quantiles(costs, n=20)[-1]:.2f} ms"
    )
    print(f"  {calibration}: p50 {quiet:.2f} ms on a quiet core, budget {BUDGET_MS} ms")
    page = client.get(reverse("review", args=[review.pk]))
    print(f"  page of {RESPONSES} responses: {len(page.content) / 1000:.0f} KB")
    return 1 if quiet > BUDGET_MS else 0


if __name__ == "__main__":
    sys.exit(main())
