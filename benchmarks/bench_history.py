"""Prints what the pages of a stage cost: its history with 100 iterations x 3 games, and the comparison of two of them.

    python -m benchmarks.bench_history [ITERATIONS]

On a SQLite file with the real pragmas, through all middleware, the test client's own work included. The games have
verdicts with drawn figures; one in twenty has no cost. Drawn charts are cached for the same figures, so the very first
request, and those after a figure changed, are printed separately. Budgets hold for CPU time of a quiet core, see
`calibration`.
"""

import random
import sys
import time
from decimal import Decimal
from statistics import median
from typing import Any

from benchmarks.bench_pages import timed
from benchmarks.calibration import Calibration
from benchmarks.copies import copy, copy_games
from benchmarks.preparing import prepare

HISTORY_MS, CHANGED_MS, COMPARE_MS = 50.0, 75.0, 75.0
GAMES = 3


def drawn(rng: random.Random) -> dict[str, Any]:
    """Plausible figures of a game."""
    from tests.factories.iterations import GOOD, figures

    scores = {key: round(min(100, max(0, rng.gauss(value, 9))), 1) for key, value in GOOD.items()}
    if rng.random() < 0.1:
        scores["memory_accuracy"] = None
    return figures(**scores | {"engagement": rng.choice([2.5, 3, 3.5, 4, 4.5])})


def fill(count: int) -> Any:
    """A stage with that many iterations: a baseline and changes, each decided on; rows copied from two real ones."""
    from discussions.core.iteration_states import DECIDED
    from discussions.models import Decision, Game, Iteration, Measured
    from tests.factories.iterations import make_iteration, make_stage, record_figures
    from workspace.core.canonical import bytes_hash

    rng = random.Random(5)
    stage = make_stage()
    first = make_iteration(stage=stage, games=[drawn(rng) for _ in range(GAMES)])
    change = make_iteration(stage=stage, games=[drawn(rng) for _ in range(GAMES)], decision="revert")
    decision = Decision.objects.get(iteration=change)
    game = Game.objects.filter(iteration=change).first()
    measured = Measured.objects.get(game=game)
    reference = first
    for number in range(change.number + 1, first.number + count):
        prompt = f"{change.prompt} This is change {number}."
        added = copy(
            change,
            number=number,
            name=f"Change {number}",
            compared_with=reference,
            state=DECIDED,
            prompt=prompt,
            prompt_sha256=bytes_hash(prompt.encode()),
        )
        added.save(force_insert=True)
        choice = rng.choice(["keep", "revert", "inconclusive"])
        copy(decision, iteration=added, compared_with=reference, choice=choice).save(force_insert=True)
        reference = Iteration.objects.get(pk=added.pk) if choice == "keep" else reference
        at = GAMES * number
        games = copy_games(
            game,
            [
                {
                    "iteration": added,
                    "number": at + offset,
                    "source_id": f"g{at + offset}",
                    "content_sha256": f"{at + offset:064x}",
                    "cost_usd": None
                    if rng.random() < 0.05
                    else Decimal(rng.randint(10_000, 24_000)) / 10_000,
                }
                for offset in range(GAMES)
            ],
        )
        for row in games:
            copy(measured, game=row).save(force_insert=True)
            record_figures(game=row, given=drawn(rng))
    return stage


def changed(client: Any, stage: Any, address: str) -> float:
    """The median CPU time of the history after a cost was entered since it was last shown, as on a quiet core (ms)."""
    from discussions.games.actions import enter_figure
    from discussions.models import Game
    from tests.factories.iterations import get_lead as lead_of
    from tests.factories.people import moment

    game = Game.objects.filter(iteration__stage=stage).order_by("-number").first()
    costs, calibration = [], Calibration()
    for at in range(40):
        calibration.tick(at)
        value = Decimal(at + 100) / 100
        given = {"kind": "cost", "value": value, "reason": "The bill", "by": lead_of(stage)}
        enter_figure(game=game, **given, now=moment(at))
        started = time.process_time()
        assert client.get(address).status_code == 200
        costs.append(1000 * (time.process_time() - started))
    quiet = calibration.quiet(median(costs))
    print(f"history after a figure changed: CPU {median(costs):.1f} ms; {quiet:.1f} ms on a quiet core")
    return quiet


def main() -> int:
    """Run and print; 1 when over the budget."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    prepare()
    from django.test import Client
    from django.urls import reverse

    from tests.factories.people import make_admin

    stage = fill(count)
    client = Client()
    client.force_login(make_admin())
    slug = stage.project.slug
    history = reverse("stage", args=[slug, stage.number])
    newest = stage.iterations.order_by("-number").first().number
    client.get(reverse("games", args=[slug]))
    started = time.process_time()
    client.get(history)
    print(f"the first request of all: CPU {1000 * (time.process_time() - started):.1f} ms")
    costs = [
        (timed(client, f"history of {count} iterations x {GAMES} games", history)[0], HISTORY_MS),
        (changed(client, stage, history), CHANGED_MS),
        (
            timed(client, "two iterations compared", reverse("compare_iterations", args=[slug, newest]))[0],
            COMPARE_MS,
        ),
    ]
    for _cost, budget in costs:
        print(f"budget: {budget:g} ms")
    return int(any(cost > budget for cost, budget in costs))


if __name__ == "__main__":
    sys.exit(main())
