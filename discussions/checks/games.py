"""Invariants of uploads, games and measurements: part of `manage.py verify`."""

from collections.abc import Iterator
from datetime import datetime

import msgspec
from django.db.models import Count, Exists, F, Q

from discussions.archives.queries.erasures import GONE
from discussions.core.iteration_states import STATES_WITH_SLOTS
from discussions.core.records import Measurement
from discussions.metrics.actions import compute_input_hash, encoded_figures
from discussions.metrics.core.registry import CODE_VERSION, measure_game
from discussions.metrics.queries import outdated_games
from discussions.models import (
    Game,
    IndexedMessage,
    Iteration,
    Measured,
    MeasuredFindings,
    RoundOffset,
    Transcript,
    UnindexedGame,
)
from discussions.models.games import NEEDED
from discussions.models.manual_figures import paid
from discussions.models.slots import RATING
from discussions.queries import MEASURE, add_round_offset, list_batches, measured_for, newest_measured
from discussions.search.queries import find_misindexed
from discussions.slots.queries import left_out
from workspace.audit.queries import kind_of
from workspace.blob_store import BytesLost, load_bytes
from workspace.checks.actions import list_told, missing_events
from workspace.checks.core import Checks
from workspace.core.canonical import bytes_hash
from workspace.models import ErasurePass, Job, Project
from workspace.models.jobs import FAILED, QUEUED, RUNNING

GAME_CHECKS = Checks()

CHUNK = 200


@GAME_CHECKS.add("I4", "Every upload is kept, byte for byte, with its job and its audit line")
def _uploads_are_kept(_now: datetime) -> Iterator[str]:
    for row in Transcript.objects.order_by("pk").iterator(chunk_size=CHUNK):
        try:
            size = len(load_bytes(row.sha256))
        except BytesLost as lost:
            yield f"{_upload(row)} cannot be read again: {lost}."
            continue
        if size != row.byte_count:
            yield f"{_upload(row)} has {size} bytes; {row.byte_count} were uploaded."
    for row in Transcript.objects.filter(job=None).order_by("pk"):
        yield f"{_upload(row)} has no job that reads it."
    yield from missing_events(("transcript", "transcript:uploaded", Transcript.with_erased.all()))


@GAME_CHECKS.add("I4g", "Every game is whole, once, and what was imported")
def _games_are_as_imported(_now: datetime) -> Iterator[str]:
    for game in Game.objects.filter(text=None).order_by("pk"):
        yield f"{_game(game)} has no text."
    for keys in list_batches(Game.objects.exclude(text=None)):
        for game in Game.objects.filter(pk__in=keys).select_related("text").order_by("pk"):
            if bytes_hash(game.text.body.encode()) != game.content_sha256:
                yield f"{_game(game)} is not the content that was imported."
    elsewhere = ~Q(transcript__project=F("project")) | ~Q(iteration__project=F("project"))
    for game in Game.objects.filter(elsewhere).order_by("pk"):
        yield f"{_game(game)} is in another project than its upload or its iteration."
    twice = Game.objects.values("project", "source_id", "content_sha256", "transcript__is_separate")
    for row in twice.annotate(n=Count("pk")).filter(n__gt=1, transcript__is_separate=False):
        yield f"The game {row['source_id']!r} is {row['n']} times in the project in row {row['project']}."


@GAME_CHECKS.add("I4e", "Whatever was erased has its tombstone, and nothing of it is left")
def _erased_are_gone(_now: datetime) -> Iterator[str]:
    for model, verb in (
        (Game, "game:erased"),
        (Transcript, "transcript:erased"),
        (Project, "project:erased"),
    ):
        told = list_told(verb)
        for key in model.with_erased.exclude(erased_at=None).order_by("pk").values_list("pk", flat=True):
            if str(key) not in told:
                yield f"The {kind_of(model)} in row {key} is erased, and the audit log does not tell of it."
    for gone, path in GONE.items():
        for row in gone.objects.exclude(**{f"{path}__erased_at": None}).order_by("pk"):
            yield f"Row {row.pk} of {gone._meta.db_table} is of an erased game."
    for row in ErasurePass.objects.order_by("pk"):
        yield f"Row {row.row} of {row.table} may still be changed by {row.erasure}."


@GAME_CHECKS.add("I4w", "Searches find every message of every game, and nothing else")
def _messages_are_indexed(_now: datetime) -> Iterator[str]:
    waiting, known = set(UnindexedGame.objects.values_list("game", flat=True)), 0
    for keys in list_batches(Game.objects.exclude(text=None)):
        games = Game.objects.filter(pk__in=keys).select_related("text").order_by("pk")
        for game, count, is_right in find_misindexed(games):
            known += count
            if not is_right and game.pk not in waiting:
                yield f"{_game(game)} is not indexed as it is: manage.py index_messages."
    if extra := IndexedMessage.objects.count() - known:
        yield f"{extra} messages are indexed that no game has."


@GAME_CHECKS.add("I4c", "Every game is listed with the cost by hand, else that of its file")
def _costs_are_those_that_count(_now: datetime) -> Iterator[str]:
    wrong = Game.objects.annotate(counts=paid()).exclude(
        Q(paid_usd=F("counts")) | Q(paid_usd=None, counts=None)
    )
    for game in wrong.order_by("pk"):
        yield f"{_game(game)} is listed with a cost of {game.paid_usd}; what counts is {game.counts}."


def _other_code_measured(_now: datetime) -> Iterator[str]:
    """Games to measure again: what other code measured cannot be reproduced; its hashes, and I6, still hold it."""
    same = 0
    rows = (
        outdated_games().exclude(text=None).select_related("iteration__rubric_version", "text").order_by("pk")
    )
    for key in rows.values_list("pk", flat=True):
        row = newest_measured(rows.get(pk=key))
        body = MeasuredFindings.objects.filter(measured=row).values_list("body", flat=True).first()
        if row is None or body is None:
            continue
        found = _measure_again(
            row, RoundOffset.objects.filter(game=key, number=row.round_offset_number).first()
        )
        if msgspec.json.encode(found) == body.encode():
            same += 1
            continue
        what = (
            "the same figures and other findings"
            if row.figures == encoded_figures(found)
            else "other figures"
        )
        yield (
            f"{_game(row.game)} was measured by code {row.code_version}; today's code ({CODE_VERSION}) gives {what}. "
            "Measure it again: manage.py measure_again."
        )
    if same:
        yield (
            f"{same} games were measured by another version of the code than today's ({CODE_VERSION}), which gives the "
            "same. They can be measured again: manage.py measure_again."
        )


@GAME_CHECKS.add(
    "I5", "Every measurement comes out of its game again, byte for byte", note=_other_code_measured
)
def _measurements_are_reproduced(_now: datetime) -> Iterator[str]:
    rows = Measured.objects.filter(game__erased_at=None).order_by("pk")
    rows = rows.select_related("game__text", "rubric_version", "findings")
    for row in rows.filter(findings=None).select_related(None):
        yield f"Measurement {row.pk} of the game in row {row.game_id} has no findings."
    # One after the other: a row comes with the game and its findings, and one game may fill the memory.
    for key in rows.exclude(findings=None).values_list("pk", flat=True):
        row = rows.get(pk=key)
        yield from (f"Measurement {row.pk} of game {row.game.number}: {wrong}" for wrong in _wrong_with(row))


def _wrong_with(row: Measured) -> Iterator[str]:
    body = row.findings.body.encode()
    if bytes_hash(body) != row.findings_sha256:
        yield "its findings are not those that were stored with it."
        return
    if row.figures != encoded_figures(row.findings.to_records()):
        yield "its figures are not those of its findings."
    offset = RoundOffset.objects.filter(game=row.game, number=row.round_offset_number).first()
    expected = compute_input_hash(row.game, row.rubric_version.sha256, row.code_version, offset)
    if row.input_hash != expected:
        yield "it was made from another game, version or code than its row says."
    if row.code_version == CODE_VERSION and msgspec.json.encode(_measure_again(row, offset)) != body:
        yield "measured again, the game gives something else."


def _measure_again(row: Measured, offset: RoundOffset | None) -> dict[str, Measurement]:
    return measure_game(add_round_offset(row.game.text.to_record(), offset), row.rubric_version.to_record())


@GAME_CHECKS.add("I8g", "Every game is measured and has its places, or a job is on it")
def _games_are_measured(_now: datetime) -> Iterator[str]:
    there = measured_for()
    for iteration in Iteration.objects.order_by("pk"):
        at_work = Job.objects.filter(
            kind=MEASURE, subject=f"iteration:{iteration.pk}", state__in=(QUEUED, RUNNING, FAILED)
        )
        if at_work.exists():
            continue
        for game in Game.objects.filter(~Exists(there), iteration=iteration).order_by("pk"):
            yield f"{_game(game)} is not measured, and no job is about to do it."
    taken = Game.objects.filter(
        Exists(there), ~left_out(), iteration__state__in=STATES_WITH_SLOTS, withdrawn_at=None
    )
    # A closed slot without an evaluator was no longer needed.
    idle = Q(slots__evaluator=None, slots__is_closed=True)
    bare = taken.annotate(n=Count("slots", filter=Q(slots__purpose=RATING) & ~idle))
    for game in bare.filter(n__lt=NEEDED).order_by("pk"):
        yield f"{_game(game)} is measured, but has {game.n} places for evaluators."


def _upload(row: Transcript) -> str:
    return f"Upload {row.pk} ({row.name})"


def _game(game: Game) -> str:
    return f"Game {game.number} (row {game.pk})"
