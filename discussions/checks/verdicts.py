"""What must hold of verdicts: the part of `manage.py verify` that recomputes them."""

from collections.abc import Iterator
from datetime import datetime

from django.db.models import Exists, F, OuterRef

from discussions.models import Measured, Verdict
from discussions.verdicts.actions import replay_verdict
from workspace.checks.actions import missing_events
from workspace.checks.core import Check


def _come_out_again(_now: datetime) -> Iterator[str]:
    rows = Verdict.objects.select_related("game").order_by("pk")
    for verdict in rows.iterator(chunk_size=200):
        for difference in replay_verdict(verdict=verdict).differences:
            yield f"{_name(verdict)}: {difference}"


def _rest_on_the_newest(_now: datetime) -> Iterator[str]:
    newer = Measured.objects.filter(
        game=OuterRef("game"),
        rubric_version=OuterRef("rubric_version"),
        pk__gt=OuterRef("measured"),
        created_at__lt=OuterRef("created_at"),
    )
    for verdict in Verdict.objects.filter(Exists(newer)).select_related("game").order_by("pk"):
        yield f"{_name(verdict)} was recorded on measurements that newer ones had replaced."


def _stand_in_line(_now: datetime) -> Iterator[str]:
    rows = Verdict.objects.select_related("game", "supersedes", "measured").order_by("game", "number")
    before: Verdict | None = None
    for verdict in rows.iterator(chunk_size=200):
        expected = before.pk if before is not None and before.game_id == verdict.game_id else None
        number = before.number + 1 if expected is not None and before is not None else 1
        if (verdict.supersedes_id, verdict.number) != (expected, number):
            yield f"{_name(verdict)} does not follow the verdict before it."
        if (verdict.project_id, verdict.measured.game_id) != (verdict.game.project_id, verdict.game_id):
            yield f"{_name(verdict)} names another project, or measurements of another game, than its game's."
        before = verdict


def _have_events(_now: datetime) -> Iterator[str]:
    corrections = Verdict.objects.exclude(supersedes=None)
    told = (
        ("verdict:recorded", Verdict.objects.filter(supersedes=None)),
        ("verdict:superseded", corrections),
    )
    for verb, rows in told:
        yield from missing_events("verdict", (verb,), {str(pk) for pk in rows.values_list("pk", flat=True)})


def _have_reasons(_now: datetime) -> Iterator[str]:
    for verdict in Verdict.objects.exclude(supersedes=None).filter(reason="").select_related("game"):
        yield f"{_name(verdict)} corrects another without a reason."
    for verdict in Verdict.objects.filter(created_at__lt=F("measured__created_at")).select_related("game"):
        yield f"{_name(verdict)} is older than the measurements it rests on."


def _name(verdict: Verdict) -> str:
    return f"Verdict {verdict.number} on game {verdict.game.number} (row {verdict.pk})"


VERDICT_CHECKS: tuple[Check, ...] = (
    Check("I6", "Every verdict comes out of its basis again", _come_out_again),
    Check("I6a", "Every verdict rests on the newest measurements of its time", _rest_on_the_newest),
    Check("I6b", "Every verdict follows the one before it, in its own game and project", _stand_in_line),
    Check("I6c", "Every correction has a reason, no verdict is older than its figures", _have_reasons),
    Check("I7v", "Every verdict has its audit line", _have_events),
)
