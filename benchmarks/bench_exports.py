"""Prints what exports cost: CPU and memory of 10,000 games with their dialogues, without labels and with them.

    python -m benchmarks.bench_exports [GAMES]

On a SQLite file with the real pragmas; games of 60 messages. First the games alone, in every format that is installed;
then each with a measurement and its findings, an evaluation with everything judged, and a verdict. The budget is for
the games alone as JSONL, and holds for a quiet core, see `calibration`. Memory is the most that Python holds beyond
the start.
"""

import os
import sys
import tempfile
import time
import tracemalloc
from typing import Any

from benchmarks.calibration import Calibration
from benchmarks.copies import copy_evaluations, copy_games, copy_measured, copy_verdicts
from benchmarks.preparing import prepare

BUDGET_S, MOST_MB = 2.0, 60
GAMES, MESSAGES = 10_000, 60


def fill(count: int) -> Any:
    """The verdict of a game that went through every step, and that many copies of its game with only their texts."""
    from tests.factories.verdicts import recorded_verdict

    verdict = recorded_verdict(message_count=MESSAGES)
    first = verdict.game
    copy_games(
        first,
        [
            {"number": 10_000 + at, "source_id": f"g{at}", "content_sha256": f"{at:064x}"}
            for at in range(count)
        ],
    )
    return verdict


def judge(verdict: Any) -> None:
    """Give every copy the first game's rows: measurement, evaluation with judgements and their revisions, verdict."""
    from django.db import connection

    from discussions.models import Game

    first, measured = verdict.game, verdict.measured
    evaluation = first.evaluations.get()
    games = list(Game.objects.exclude(pk=first.pk).order_by("pk"))
    rows = copy_measured(measured, games)
    copy_evaluations(evaluation, games)
    copy_verdicts(verdict, games, rows)
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO discussions_judgement (evaluation_id, kind, subject, value, reason, blind_value, version) "
            "SELECT e.id, j.kind, j.subject, j.value, j.reason, j.blind_value, j.version "
            "FROM discussions_evaluation e, discussions_judgement j WHERE j.evaluation_id = %s AND e.id <> %s",
            [evaluation.pk, evaluation.pk],
        )
        cursor.execute(
            "INSERT INTO discussions_revision (version, value, reason, took_ms, undoes, key, body_sha256, created_at, "
            "created_by_id, judgement_id, phase) "
            "SELECT r.version, r.value, r.reason, r.took_ms, r.undoes, r.key || '-' || n.id, r.body_sha256, "
            "r.created_at, r.created_by_id, n.id, r.phase FROM discussions_revision r "
            "JOIN discussions_judgement j ON j.id = r.judgement_id "
            "JOIN discussions_judgement n ON n.kind = j.kind AND n.subject = j.subject AND n.id <> j.id "
            "WHERE j.evaluation_id = %s",
            [evaluation.pk],
        )


def write(project: Any, lead: Any, format_name: str) -> float:
    """Write one export into a temporary file; return its size in MB."""
    from discussions.exports.actions import write_export_at_once
    from tests.factories.people import NOW

    with tempfile.TemporaryFile() as out:
        write_export_at_once(out=out, project=project, of="", format=format_name, by=lead, now=NOW)
        return out.seek(0, os.SEEK_END) / 1e6


def measure(project: Any, lead: Any, format_name: str) -> tuple[float, float, float]:
    """CPU seconds as on a quiet core, peak of Python's memory in MB (in a run of its own), and size in MB."""
    calibration = Calibration()
    calibration.tick(0)
    began = time.process_time()
    size = write(project, lead, format_name)
    spent = time.process_time() - began
    calibration.tick(0)
    tracemalloc.start()
    write(project, lead, format_name)
    peak = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    return calibration.quiet(spent), peak, size


def main() -> int:
    """Run and print; 1 when over the budget."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else GAMES
    prepare()
    from tests.factories.people import make_lead
    from workspace.exports.core.choices import CSV, HUGGING_FACE, JSONL, PARQUET
    from workspace.exports.permissions import has_parquet

    verdict = fill(count)
    lead = make_lead(project=verdict.project)
    formats = [JSONL, CSV, HUGGING_FACE, *([PARQUET] if has_parquet() else [])]
    write(verdict.project, lead, JSONL)
    is_over = False
    for what in ("games alone", "with everything judged"):
        if what != "games alone":
            judge(verdict)
        for format_name in formats:
            spent, peak, size = measure(verdict.project, lead, format_name)
            scaled = spent * 10_000 / count
            print(
                f"{what}, {format_name}: CPU {scaled:.2f} s for 10,000 games, peak {peak:.0f} MB, {size:.0f} MB"
            )
            is_over |= what == "games alone" and format_name == JSONL and scaled > BUDGET_S
            is_over |= peak > MOST_MB
    print(f"budget: {BUDGET_S:g} s for the games alone as jsonl, peak {MOST_MB} MB")
    return int(is_over)


if __name__ == "__main__":
    sys.exit(main())
