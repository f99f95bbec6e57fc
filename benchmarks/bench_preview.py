"""Prints how long the impact preview of a draft takes over 10,000 judged games, on SQLite with the real pragmas.

    python -m benchmarks.bench_preview [GAMES]

Twenty games of 41 to 60 messages go through every step, and their rows are copied. Once the draft has other thresholds
and weights, so that stored findings are enough, and once another parameter, so that all games are measured again. Wall
time, and CPU time of this process. The budget is for the first.
"""

import logging
import sys
import time
from typing import Any

from benchmarks.calibration import loop_ms
from benchmarks.copies import copy_evaluations, copy_games, copy_measured, copy_verdicts
from benchmarks.preparing import prepare

BUDGET = 20.0
MODELS = 20


def fill(count: int) -> None:
    """That many games with a verdict in one project, copied from games that went through every step."""
    from discussions.models import Verdict
    from tests.factories.rating import make_rating_project
    from tests.factories.verdicts import recorded_verdict

    project = make_rating_project()
    for at in range(MODELS):
        recorded_verdict(project=project, message_count=41 + at)
    for verdict in list(Verdict.objects.select_related("game__text", "measured__findings")):
        first = 100_000 * verdict.game.number
        games = copy_games(
            verdict.game,
            [
                {"number": number, "source_id": f"{number}", "content_sha256": f"{number:064x}"}
                for number in range(first, first + (count - MODELS) // MODELS)
            ],
        )
        rows = copy_measured(verdict.measured, games)
        copy_evaluations(verdict.game.evaluations.get(), games, rows)
        copy_verdicts(verdict, games, rows)


def preview(what: str, change: Any) -> float:
    """Make a draft, preview it as the worker does, print how long it took; return the wall time in seconds."""
    from django.utils import timezone

    from discussions.preview.queries import scored_hash
    from rubric.models import ImpactPreview, RubricVersion
    from rubric.preview.actions import ask_for_preview
    from rubric.versions.actions import save_draft
    from tests.factories.people import make_admin
    from tests.factories.versions import make_draft
    from workspace.jobs.actions import run_job

    admin, now = make_admin(), timezone.now()
    draft = make_draft(key="discussion", by=admin)
    save_draft(
        version=draft, record=change(draft.to_record()), note="Tried", basis=draft.sha256, by=admin, now=now
    )
    draft = RubricVersion.objects.select_related("rubric").get(pk=draft.pk)
    basis = scored_hash()
    job = ask_for_preview(version=draft, basis=basis, by=admin, now=now)
    wall, cpu = time.perf_counter(), time.process_time()
    run_job(job=job.pk, clock=timezone.now)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    body = ImpactPreview.objects.get(version=draft).body
    job.refresh_from_db()
    print(
        f"{what:<52} {wall:6.2f} s   CPU {cpu:6.2f} s   {job.total_count} games, {len(body) // 1024} KiB kept"
    )
    return wall


def other_thresholds(record: Any) -> Any:
    """Stricter on depth and coherence, so that verdicts flip, and other weights, so that places change."""
    from msgspec.structs import replace

    strict = {"strategic_depth": 84.0, "coherence": 62.0}
    criteria = [
        replace(criterion, threshold=strict.get(criterion.key, criterion.threshold), weight=weight)
        for criterion, weight in zip(record.criteria, (0.3, 0.2, 0.1, 0.1, 0.1, 0.1, 0.1), strict=True)
    ]
    return replace(record, criteria=criteria)


def other_parameter(record: Any) -> Any:
    """A message may respond to one further back."""
    from msgspec.structs import replace

    return replace(record, parameters=record.parameters | {"coherence_window": 6})


def main() -> int:
    """Fill, preview twice, print; 1 when over the budget."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    prepare()
    logging.getLogger("evalsite.jobs").setLevel("ERROR")  # since no worker runs that could get a message
    began = time.perf_counter()
    fill(count)
    print(f"filled in {time.perf_counter() - began:.1f} s; calibration loop {loop_ms():.1f} ms")
    took = preview("other thresholds and weights: stored findings", other_thresholds)
    preview("another parameter: measured again", other_parameter)
    print(f"budget {BUDGET:.0f} s for the first")
    return 1 if took > BUDGET else 0


if __name__ == "__main__":
    sys.exit(main())
