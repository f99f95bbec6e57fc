"""Invariants of verdicts: part of `manage.py verify`."""

from collections.abc import Iterator
from datetime import datetime

from django.db.models import Exists, F, OuterRef, Q

from discussions.checks.chains import broken_links
from discussions.models import Measured, Verdict
from discussions.verdicts.actions import replay_verdict
from workspace.checks.actions import missing_events
from workspace.checks.core import Checks

VERDICT_CHECKS = Checks()


@VERDICT_CHECKS.add("I6", "Every verdict comes out of its basis again")
def _replays_are_equal(_now: datetime) -> Iterator[str]:
    rows = Verdict.objects.select_related("game").order_by("pk")
    for verdict in rows.iterator(chunk_size=200):
        for difference in replay_verdict(verdict=verdict).differences:
            yield f"{_verdict(verdict)}: {difference}"


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
