"""Erasures: an admin removes a game or an upload permanently; a job does it, and what is killed half-way goes on.

The row of what is erased stays as a shell, without texts, so that figures, verdicts and decisions that rest on it stay.
Each transaction deletes, empties and writes its tombstone; files go after it.
"""

from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import msgspec
from django.conf import settings
from django.db import OperationalError, connection, transaction
from django.db.models import Q
from django.utils.translation import gettext as _

from discussions.archives.actions.erased_people import erase_person, erase_project
from discussions.archives.permissions import check_erase, check_not_running
from discussions.archives.queries import erasures
from discussions.models import (
    Decision,
    Game,
    ImportRun,
    ManualFigure,
    Measured,
    Stage,
    TeamFigures,
    Transcript,
    Verdict,
)
from discussions.search.actions import delete_words, forget_words
from discussions.verdicts.core.basis import Basis
from workspace.audit.actions import delete_rows, end_passes, let_pass, record_event
from workspace.audit.labels import KINDS
from workspace.audit.queries import kind_of
from workspace.backups.actions import keep_erasures
from workspace.backups.core import KeptErasure
from workspace.blob_store import drop_bytes
from workspace.core.audit_chain import pseudonym
from workspace.core.canonical import bytes_hash, canonical_bytes
from workspace.core.refusals import Conflict, Unacceptable
from workspace.core.text import clean_text
from workspace.exports.actions import drop_files
from workspace.jobs.actions import Clock, enqueue, finish, hand_back, renew
from workspace.models import Erasure, Export, Job, KeptAnswer, Notification, Person, Project
from workspace.models.erasures import GAME, PERSON, PROJECT, TRANSCRIPT

ERASED = "erased"
LONGEST_IN_EVENT = 500
# Shorter texts may be parts of words that say something else.
SHORTEST_IN_SENTENCES = 4
OF_FILES = ("build", "seed", "pair")


def ask_to_erase(*, thing: erasures.Erasable, reason: str, by: Person, now: datetime) -> Erasure:
    """Queue the erasure of a game, of an upload with its games, of a project, or of a person's name and address.

    Raises NotAllowed, also while a job works on the project, and for oneself and the last admin; Unacceptable without
    a reason, or with one that names the person; Conflict when it is being erased already.
    """
    check_erase(by, thing)
    project = erasures.find_project_of(thing)
    check_not_running(erasures.find_running(project) if project else None)
    said = clean_text(reason, ask=_("Say in a few words why it is erased."), most=LONGEST_IN_EVENT)
    if isinstance(thing, Person) and any(text in said.lower() for text in (thing.name.lower(), thing.email)):
        raise Unacceptable(
            _("The reason stays: write it without the person's name and address."), field="reason"
        )
    return _insert(thing, said, by, now)


def _insert(thing: erasures.Erasable, reason: str, by: Person, now: datetime) -> Erasure:
    kind = kind_of(type(thing))
    made = {
        "stamp": stamp_of(kind, thing),
        "project": erasures.find_project_of(thing),
        "reason": reason,
        "counts": erasures.preview_erasure(thing)[0],
        "created_at": now,
        "created_by": by,
    }
    with transaction.atomic():
        erasure, is_new = Erasure.objects.get_or_create(kind=kind, row=thing.pk, defaults=made)
        if not is_new:
            raise Conflict(_("This is being erased already."), code="being_erased")
        subject = f"erasure:{erasure.pk}"
        erasure.job = enqueue(project=None, kind="erase", subject=subject, input_hash="", by=by, now=now)
        erasure.save(update_fields=["job"])
    return erasure


def replay_erasure(kept: KeptErasure, *, now: datetime) -> Erasure | None:
    """Queue an erasure from before a restore again; None if what it erased is not there, or is erased already."""
    rows: dict[str, Any] = {GAME: Game, TRANSCRIPT: Transcript, PROJECT: Project, PERSON: Person}
    thing = rows[kept.kind].objects.filter(pk=kept.row, erased_at=None).first()
    if thing is None or stamp_of(kept.kind, thing) != kept.stamp:
        return None
    by = Person.objects.filter(pk=kept.by).first() or Person.objects.system(now=now)
    return _insert(thing, kept.reason, by, now)


def stamp_of(kind: str, thing: Any) -> str:
    """The keyed hash by which a row is known to be the one that was meant."""
    made_at = thing.created_at.astimezone(UTC).isoformat()
    return pseudonym(kind, thing.pk, made_at, settings.AUDIT_KEY)


def run_erasure(*, job: Job, clock: Clock) -> None:
    """Erase what the job's erasure names; what another worker did of it stays. Raises JobLost.

    While another job works on the project, it waits and starts again: that job may write what it read before.
    """
    erasure = Erasure.objects.select_related("project", "created_by").get(
        pk=int(job.subject.partition(":")[2])
    )
    # Overwrites what is deleted in the file of the database, too.
    _tell_sqlite("secure_delete = ON")
    steps = {GAME: _erase_games, TRANSCRIPT: _erase_games, PERSON: _erase_person, PROJECT: erase_project}
    if erasure.done_at is None and not steps[erasure.kind](erasure, job, clock):
        hand_back(job=job, now=clock(), is_later=True)
        return
    with transaction.atomic():
        Erasure.objects.filter(pk=erasure.pk, done_at=None).update(done_at=clock())
        finish(job=job, now=clock())
    keep_erasures()
    forget_words()
    # The log of writes may still hold it: it is emptied now, or when nobody reads.
    with suppress(OperationalError):
        _tell_sqlite("wal_checkpoint(TRUNCATE)")


def _tell_sqlite(pragma: str) -> None:
    if connection.vendor == "sqlite" and not connection.in_atomic_block:
        with connection.cursor() as cursor:
            cursor.execute(f"PRAGMA {pragma}")


def _erase_games(erasure: Erasure, job: Job, clock: Clock) -> bool:
    """Whether everything is gone; False while another job works on the project."""
    project = erasure.project
    assert project is not None
    if erasures.find_running(project):
        return False
    found = list(erasures.find_games(erasure.kind, erasure.row))
    for count, game in enumerate(found):
        with transaction.atomic():
            renew(job=job, now=clock(), done_count=count, total_count=len(found))
            _erase_game(erasure, game, clock())
    upload = found[0].transcript if found else Transcript.with_erased.get(pk=erasure.row)
    _empty_upload(erasure, project, upload, job, clock)
    return erasures.find_running(project) is None


def _erase_person(erasure: Erasure, job: Job, clock: Clock) -> bool:
    with transaction.atomic():
        renew(job=job, now=clock())
        erase_person(erasure, clock())
    drop_files(exports=Export.objects.all(), now=clock())
    return erasures.find_running(None) is None


def _erase_game(erasure: Erasure, game: Game, now: datetime) -> None:
    """Delete what belongs to the game, empty what stays, and write the tombstone, in the caller's transaction."""
    row = Game.with_erased.select_for_update(of=("self",), no_key=True).get(pk=game.pk)
    gone: dict[str, list[int]] = {}
    for model, path in erasures.GONE.items():
        keys, kind = delete_rows(erasure, model.objects.filter(**{path: row})), kind_of(model)
        if keys and kind in KINDS:
            gone[kind] = sorted(keys)
    delete_words([row.pk])
    verdicts = Verdict.objects.filter(game=row)
    delete_rows(erasure, Measured.objects.filter(game=row).exclude(pk__in=verdicts.values("measured")))
    if row.erased_at is None or gone:
        own = _list_own_texts(row)
        hashes = _empty_verdicts(erasure, row) | _empty_decisions(erasure, row, own)
        _empty_game(erasure, row, own, now)
        detail = {"game": row.number, "reason": erasure.reason, "rows": gone, "hashes": hashes}
        record_event("game:erased", row, by=erasure.created_by, now=now, detail=detail)
    end_passes(erasure)


def _list_own_texts(game: Game) -> list[str]:
    """Model build, seed and pair, if no other game that stays has the same: longest first."""
    others = Game.objects.filter(project=game.project_id).exclude(pk=game.pk)
    found = []
    for text in {game.model_build, game.seed, game.pair} - {"", ERASED}:
        if not others.filter(Q(model_build=text) | Q(seed=text) | Q(pair=text)).exists():
            found.append(text)
    return sorted(found, key=len, reverse=True)


def _empty_game(erasure: Erasure, game: Game, own: list[str], now: datetime) -> None:
    rows = Game.with_erased.filter(pk=game.pk)
    let_pass(erasure, rows)
    rows.update(
        source_id=f"{ERASED}-{game.pk}",
        search_text="",
        warnings="[]",
        warning_count=0,
        withdrawn_reason=ERASED if game.withdrawn_reason else "",
        needed_reason=ERASED if game.needed_reason else "",
        erased_at=game.erased_at or now,
    )
    if not Verdict.objects.filter(game=game).exists():
        rows.filter(withdrawn_at=None).update(withdrawn_at=now, withdrawn_by=erasure.created_by)
    # Games that were erased before kept what they shared with this one.
    for name in ("model_build", "seed", "pair"):
        shared = Game.with_erased.filter(project=game.project_id, **{f"{name}__in": own})
        let_pass(erasure, shared)
        shared.update(**{name: ERASED})
    figures = ManualFigure.objects.filter(game=game)
    let_pass(erasure, figures)
    figures.update(reason=ERASED)


def _empty_verdicts(erasure: Erasure, game: Game) -> dict[str, str]:
    """Take from the game's verdicts what evaluators said; return the hash of what is left of each."""
    hashes = {}
    rows = Verdict.objects.filter(game=game).order_by("pk")
    let_pass(erasure, rows)
    for verdict in rows:
        basis = msgspec.json.decode(verdict.basis, type=Basis)
        basis = msgspec.structs.replace(
            basis, evaluations=[], judgements=[], adjudications=[], tests=[], judges=[]
        )
        body = canonical_bytes(basis)
        reason = ERASED if verdict.reason else ""
        changes = {"basis": body.decode(), "basis_sha256": bytes_hash(body), "reason": reason}
        Verdict.objects.filter(pk=verdict.pk).update(**changes)
        hashes[f"verdict:{verdict.pk}"] = bytes_hash(body + verdict.outcome.encode())
    return hashes


def _empty_decisions(erasure: Erasure, game: Game, own: list[str]) -> dict[str, str]:
    """Replace the texts that only this game had in decisions and gates; return the hash of each that changed."""
    hashes = {}
    for decision in Decision.objects.filter(iteration__project=game.project_id) if own else ():
        basis, proposal = (_without(text, own) for text in (decision.basis, decision.proposal))
        if (basis, proposal) != (decision.basis, decision.proposal):
            row = Decision.objects.filter(pk=decision.pk)
            let_pass(erasure, row)
            row.update(basis=basis, proposal=proposal, basis_sha256=bytes_hash(basis.encode()))
            hashes[f"decision:{decision.pk}"] = bytes_hash((basis + proposal).encode())
    for stage in Stage.objects.filter(project=game.project_id).exclude(door="") if own else ():
        if (door := _without(stage.door, own)) != stage.door:
            Stage.objects.filter(pk=stage.pk).update(door=door)
            hashes[f"stage:{stage.pk}"] = bytes_hash(door.encode())
    return hashes


def _without(text: str, own: list[str]) -> str:
    """Canonical JSON without these texts: as values of a game's fields, and within sentences."""

    def swap(value: Any, name: str = "") -> Any:
        if isinstance(value, dict):
            return {key: swap(inner, key) for key, inner in value.items()}
        if isinstance(value, list):
            return [swap(inner) for inner in value]
        if isinstance(value, str) and name in OF_FILES:
            return ERASED if value in own else value
        if isinstance(value, str):
            for part in own:
                value = value.replace(part, ERASED) if len(part) >= SHORTEST_IN_SENTENCES else value
        return value

    return canonical_bytes(swap(msgspec.json.decode(text))).decode()


def _empty_upload(erasure: Erasure, project: Project, upload: Transcript, job: Job, clock: Clock) -> None:
    """Forget the name and the report of the upload, then delete its bytes, and what was made of the project's games."""
    with transaction.atomic():
        renew(job=job, now=clock())
        rows = Transcript.with_erased.filter(pk=upload.pk)
        let_pass(erasure, rows)
        is_new = rows.filter(erased_at=None).update(
            name=f"{ERASED}-{upload.pk}", faults="[]", fault_count=0, erased_at=clock()
        )
        if is_new:
            detail = {"games": Game.objects.filter(transcript=upload).count(), "reason": erasure.reason}
            record_event("transcript:erased", upload, by=erasure.created_by, now=clock(), detail=detail)
        ImportRun.objects.filter(transcript=upload).delete()
        Job.objects.filter(pk=upload.job_id or 0).update(error="", cause="", faults={}, suspects=[])
        Job.objects.filter(project=project).update(cause="")
        delete_rows(erasure, TeamFigures.objects.filter(project=project))
        _forget_told(project, erasures.find_games(erasure.kind, erasure.row))
        end_passes(erasure)
    drop_files(exports=Export.objects.filter(project=project), now=clock())
    if not erasures.is_shared(upload):
        drop_bytes(upload.sha256)


def _forget_told(project: Project, games: Any) -> None:
    """Delete notifications of these games, and stored answers to programs, which may quote anything."""
    numbers = list(games.values_list("number", flat=True))
    Notification.objects.filter(project=project, about__game__in=numbers).delete()
    KeptAnswer.objects.all().delete()
