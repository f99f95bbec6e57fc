"""Cached loaders that every package shares: a game, its measurements, and the rubric version that it is judged by."""

from collections.abc import Collection, Iterator
from functools import lru_cache

from django.db.models import CharField, Exists, OuterRef, QuerySet, Subquery, Value
from django.db.models.functions import Concat
from msgspec.structs import replace

from discussions.core.limits import BATCH_GAMES, BATCH_MESSAGES
from discussions.core.records import GameRecord, Measurement
from discussions.core.unsaid import Unsaid, list_unsaid
from discussions.models import (
    Evaluation,
    Game,
    GameText,
    Iteration,
    ManualFigure,
    Measured,
    MeasuredFindings,
    PrivateTrack,
    Remark,
    RoundOffset,
    Slot,
    Verdict,
)
from discussions.models.manual_figures import COST, entered
from discussions.models.slots import RATING
from rubric.core.records import RubricRecord
from rubric.models import RubricVersion
from workspace.database.prepared_queries import prepared
from workspace.models import Job
from workspace.models.jobs import FAILED, QUEUED, RUNNING

MEASURE = "measure"
# The kind as it is stored in rows of jobs.
DIAGNOSTICS = "companions"


# Imported games and measurements never change, so they are kept decoded; the hash guards against another database.
@lru_cache(maxsize=32)
def game_record(game: int, content_sha256: str, round_offset: int = 0) -> GameRecord:
    return replace(GameText.objects.get(game=game).to_record(), round_offset=round_offset)


def load_unsaid(game: int, content_sha256: str) -> dict[int, Unsaid]:
    """Position -> what was not said at each message; empty without a private track.

    Only pages that follow a reveal may show it.
    """
    try:
        return _read_unsaid(game, content_sha256)
    except PrivateTrack.DoesNotExist:
        return {}


# A game may get a track later, so that it has none is not kept.
@lru_cache(maxsize=16)
def _read_unsaid(game: int, content_sha256: str) -> dict[int, Unsaid]:
    return list_unsaid(game_record(game, content_sha256), PrivateTrack.objects.get(pk=game).to_entries())


@lru_cache(maxsize=32)
def load_measurements(measured: int, findings_sha256: str) -> dict[str, Measurement]:
    return MeasuredFindings.objects.get(measured=measured).to_records()


@lru_cache(maxsize=32)
def rubric_record(version: int, sha256: str) -> RubricRecord:
    return RubricVersion.objects.get(pk=version).to_record()


def list_batches(games: "QuerySet[Game]") -> Iterator[list[int]]:
    """The keys of the games in order, in batches that fit into memory, including games imported meanwhile."""
    last = 0
    while True:
        rows = games.filter(pk__gt=last).order_by("pk").values_list("pk", "message_count")[:BATCH_GAMES]
        keys: list[int] = []
        messages = 0
        for key, count in rows:
            if keys and messages + count > BATCH_MESSAGES:
                break
            keys.append(key)
            messages += count
        if not keys:
            return
        yield keys
        last = keys[-1]


def find_stopped_jobs(iterations: Collection[int]) -> dict[int, Job]:
    """The newest job that measures each of these iterations, if it failed; one query."""
    subjects = {f"iteration:{iteration}": iteration for iteration in iterations}
    jobs = Job.objects.filter(kind=MEASURE, subject__in=subjects).order_by("pk")
    newest = {subjects[job.subject]: job for job in jobs}
    return {iteration: job for iteration, job in newest.items() if job.state == FAILED}


def diagnostics_subject(measured: int | str) -> str:
    return f"measured:{measured}"


def find_diagnostics_job(measured: int) -> Job | None:
    """The job that computes the diagnostics of this measurement, in any state; None if nobody asked for them."""
    return Job.objects.filter(kind=DIAGNOSTICS, subject=diagnostics_subject(measured)).order_by("pk").first()


def is_computing_diagnostics(game: Game) -> bool:
    """Whether a job that computes diagnostics of the game waits or runs; two queries."""
    subjects = map(diagnostics_subject, Measured.objects.filter(game=game).values_list("pk", flat=True))
    jobs = Job.objects.filter(kind=DIAGNOSTICS, subject__in=list(subjects), state__in=(QUEUED, RUNNING))
    return jobs.exists()


def find_game(slug: str, number: int) -> Game | None:
    """The game of that number with its project, transcript, iteration, rubric and draw; None if there is none.

    `has_ratings`, `has_remarks`, `has_entered` and `has_offsets` say whether it has evaluations, remarks in them,
    figures entered by hand, and acts on its rounds, so that its page asks only for what is there; `may_assign` whether
    it has a slot that nobody holds or was assigned.
    """
    return next(iter(_list_games(slug, number)), None)


@prepared
def _list_games(slug: str, number: int) -> "QuerySet[Game]":
    rows = Game.objects.filter(project__slug=slug, number=number).annotate(
        has_ratings=Exists(Evaluation.objects.filter(game=OuterRef("pk"), purpose=RATING)),
        has_remarks=Exists(Remark.objects.filter(evaluation__game=OuterRef("pk"))),
        has_entered=Exists(ManualFigure.objects.filter(game=OuterRef("pk"))),
        has_offsets=Exists(RoundOffset.objects.filter(game=OuterRef("pk"))),
        may_assign=Exists(Slot.objects.free().filter(game=OuterRef("pk"), purpose=RATING, assigned_to=None)),
    )
    return rows.select_related("iteration__rubric_version__rubric", "transcript", "project", "queue_draw")


def newest_measured(game: Game) -> Measured | None:
    """The newest measurement of the game under its iteration's rubric version, if it was measured.

    With its diagnostics, if it has any, and `has_job`, whether a job was to compute them; with `by_hand`, the cost that
    was entered for the game, and `verdict`, the key of the current verdict, each None if there is none.
    """
    found = next(iter(_list_measured(game.pk, game.iteration.rubric_version_id)), None)
    if found is not None:
        found.game = game
    return found


@prepared
def _list_measured(game: int, version: int) -> "QuerySet[Measured]":
    verdict = Verdict.objects.filter(game=OuterRef("game")).not_superseded().values("pk")[:1]
    rows = Measured.objects.filter(game=game, rubric_version=version).select_related("companions")
    subject = Concat(Value(diagnostics_subject("")), OuterRef("pk"), output_field=CharField())
    return rows.order_by("-pk").annotate(
        has_job=Exists(Job.objects.filter(kind=DIAGNOSTICS, subject=subject)),
        by_hand=Subquery(entered(COST, "game")),
        verdict=Subquery(verdict),
    )[:1]


def measured_for(iteration: Iteration | None = None) -> "QuerySet[Measured]":
    """The measurements of the outer query's game that count in that iteration, or in its own."""
    version = iteration.rubric_version_id if iteration else OuterRef("iteration__rubric_version")
    return Measured.objects.filter(game=OuterRef("pk"), rubric_version=version)


def load_round_offsets(games: Collection[int]) -> dict[int, RoundOffset]:
    """The newest round offset of each of these games that has one, in one query."""
    rows = RoundOffset.objects.filter(game__in=games).order_by("number")
    return {row.game_id: row for row in rows}


def add_round_offset(record: GameRecord, row: RoundOffset | None) -> GameRecord:
    return replace(record, round_offset=row.offset) if row else record


def load_measured_record(game: Game, measured: Measured) -> GameRecord:
    """The game as it was read for that measurement: with the round offset of that time."""
    return game_record(game.pk, game.content_sha256, load_measured_offset(measured))


def load_measured_offset(measured: Measured) -> int:
    """The round offset under which the game was measured; queries only if somebody set one."""
    if not measured.round_offset_number:
        return 0
    rows = RoundOffset.objects.filter(game=measured.game_id, number=measured.round_offset_number)
    return rows.values_list("offset", flat=True).get()
