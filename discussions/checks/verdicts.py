"""Invariants of verdicts: part of `manage.py verify`."""

from collections.abc import Iterator
from datetime import datetime

from django.db.models import Exists, F, OuterRef, Q, QuerySet

from discussions.checks.chains import broken_links
from discussions.models import Measured, Verdict
from discussions.verdicts.actions import replay_verdict
from workspace.audit.queries import list_changed
from workspace.checks.actions import list_told, missing_events
from workspace.checks.core import Checks
from workspace.core.canonical import bytes_hash

VERDICT_CHECKS = Checks()


@VERDICT_CHECKS.add("I6", "Every verdict comes out of its basis again")
def _replays_are_equal(_now: datetime) -> Iterator[str]:
    rows = Verdict.objects.select_related("game").order_by("pk")
    yield from _erased_are_sealed(rows.exclude(game__erased_at=None))
    for verdict in rows.filter(game__erased_at=None).iterator(chunk_size=200):
        for difference in replay_verdict(verdict=verdict).differences:
            yield f"{_verdict(verdict)}: {difference}"


def _erased_are_sealed(rows: "QuerySet[Verdict]") -> Iterator[str]:
    """Of an erased game only the outcome of a verdict is left: the tombstone must say so, and hold its hash."""
    told, left = list_told("game:erased"), list_changed()
    for verdict in rows:
        sha256 = left.get(("verdict", verdict.pk))
        if str(verdict.game_id) not in told:
            yield f"{_verdict(verdict)} is of an erased game, and the audit log does not tell of that."
        elif sha256 not in (None, bytes_hash((verdict.basis + verdict.outcome).encode())):
            yield f"{_verdict(verdict)}: it is not what an erasure left of it."


@VERDICT_CHECKS.add("I6a", "Every verdict rests on the newest measurements of its time")
def _rest_on_the_newest(_now: datetime) -> Iterator[str]:
    newer = Measured.objects.filter(
        game=OuterRef("game"),
        rubric_version=OuterRef("rubric_version"),
        pk__gt=OuterRef("measured"),
        created_at__lt=OuterRef("created_at"),
    )
    for verdict in Verdict.objects.filter(Exists(newer)).select_related("game").order_by("pk"):
        yield f"{_verdict(verdict)} was recorded on measurements that newer ones had replaced."


@VERDICT_CHECKS.add("I6b", "Every verdict follows the one before it, in its own game and project")
def _are_chained(_now: datetime) -> Iterator[str]:
    rows = Verdict.objects.select_related("game")
    for verdict in broken_links(rows, "game_id"):
        yield f"{_verdict(verdict)} does not follow the verdict before it."
    apart = ~Q(project=F("game__project")) | ~Q(measured__game=F("game"))
    for verdict in rows.filter(apart).order_by("pk"):
        yield f"{_verdict(verdict)} names another project, or measurements of another game, than its game's."


@VERDICT_CHECKS.add("I6c", "Every correction has a reason, no verdict is older than its figures")
def _have_reasons(_now: datetime) -> Iterator[str]:
    for verdict in Verdict.objects.exclude(supersedes=None).filter(reason="").select_related("game"):
        yield f"{_verdict(verdict)} corrects another without a reason."
    for verdict in Verdict.objects.filter(created_at__lt=F("measured__created_at")).select_related("game"):
        yield f"{_verdict(verdict)} is older than the measurements it rests on."


@VERDICT_CHECKS.add("I7v", "Every verdict has its audit line")
def _have_events(_now: datetime) -> Iterator[str]:
    yield from missing_events(
        ("verdict", "verdict:recorded", Verdict.objects.filter(supersedes=None)),
        ("verdict", "verdict:superseded", Verdict.objects.exclude(supersedes=None)),
    )


def _verdict(verdict: Verdict) -> str:
    return f"Verdict {verdict.number} on game {verdict.game.number} (row {verdict.pk})"
