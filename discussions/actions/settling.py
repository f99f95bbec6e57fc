"""Verdicts: recorded once on a basis that is hashed; a correction is a new one that supersedes."""

from datetime import datetime

import msgspec
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from discussions.core.basis import Basis, changes
from discussions.models import Game, Slot, Verdict
from discussions.models.bases import Preview, preview_of
from discussions.permissions import check_complete, check_record_verdict, check_supersede_verdict
from workspace.actions.events import record_event
from workspace.actions.texts import clean_text
from workspace.core.canonical import bytes_hash, canonical_bytes
from workspace.core.refusals import Conflict, NotAllowed, Unacceptable
from workspace.models import Person


def record_verdict(
    *, game: Game, basis_sha256: str, by: Person, now: datetime, reason: str = "", shown: str = ""
) -> Verdict:
    """Record the verdict on the basis that the page showed; with a `reason` it supersedes the one that stands.

    `basis_sha256` is the hash on the page, `shown` the basis itself where the page carried it, to name what changed.
    Raises NotAllowed (not one's to record, or not complete), Unacceptable (no reason for a correction), and Conflict
    when anything that the verdict rests on changed since, or somebody recorded first.
    """
    reason = clean_text(reason)
    with transaction.atomic():
        locked = _lock(game)
        check_record_verdict(by, locked)
        preview = preview_of(locked)
        if preview is None:
            raise NotAllowed(
                _("This game is not measured yet. Wait for its figures, then record the verdict.")
            )
        _refuse_change(preview, basis_sha256, shown)
        if preview.basis.supersedes is not None:
            _refuse_correction(by, locked, reason)
        check_complete(preview)
        return _insert(locked, preview, reason, by, now)


def _lock(game: Game) -> Game:
    rows = Game.objects.select_related("iteration__rubric_version", "transcript", "project")
    return rows.select_for_update(of=("self",)).get(pk=game.pk)


def _refuse_change(preview: Preview, basis_sha256: str, shown: str) -> None:
    if preview.basis_sha256 == basis_sha256:
        return
    before = _basis_shown(shown, basis_sha256)
    changed = changes(before, preview.basis) if before else []
    raise Conflict(
        _("Something this verdict rests on has changed since the page was shown. Nothing was recorded.")
        + (" " + " ".join(changed) if changed else ""),
        code="basis_changed",
        detail={"changes": changed, "shown": basis_sha256, "stored": preview.basis_sha256},
    )


def _basis_shown(shown: str, basis_sha256: str) -> Basis | None:
    """The basis that the page carried, if it is the one its hash speaks of."""
    if not shown or bytes_hash(shown.encode()) != basis_sha256:
        return None
    try:
        return msgspec.json.decode(shown, type=Basis)
    except msgspec.MsgspecError:
        return None


def _refuse_correction(by: Person, game: Game, reason: str) -> None:
    check_supersede_verdict(by, game)
    if not reason:
        raise Unacceptable(
            _("Say why the recorded verdict is corrected: the reason stays beside both."), field="reason"
        )


def _insert(game: Game, preview: Preview, reason: str, by: Person, now: datetime) -> Verdict:
    basis, outcome = preview.basis, preview.outcome
    verdict = Verdict(
        project_id=game.project_id,
        game=game,
        rubric_version_id=basis.rubric_version.id,
        measured_id=basis.measured.id,
        number=Verdict.objects.filter(game=game).count() + 1,
        passes=bool(outcome.passes),
        passed_count=outcome.passed_count,
        composite=outcome.composite,
        flip_distance=outcome.flip_distance,
        basis=canonical_bytes(basis).decode(),
        basis_sha256=preview.basis_sha256,
        outcome=canonical_bytes(outcome).decode(),
        reason=reason if basis.supersedes is not None else "",
        supersedes_id=basis.supersedes,
        created_at=now,
        created_by=by,
    )
    try:
        with transaction.atomic():
            verdict.save(force_insert=True)
    except IntegrityError:
        raise Conflict(
            _("Somebody recorded a verdict first. Nothing was recorded twice."), code="recorded_first"
        ) from None
    # Handed in, so that nobody who works there waits for the game while holding one of these rows.
    Slot.objects.filter(game=game, awaiting_since__isnull=False).update(awaiting_since=None)
    _record(verdict, by, now)
    return verdict


def _record(verdict: Verdict, by: Person, now: datetime) -> None:
    record_event(
        by=by,
        now=now,
        project=verdict.game.project,
        verb="verdict:superseded" if verdict.supersedes_id else "verdict:recorded",
        object_kind="verdict",
        object_id=verdict.pk,
        detail={
            "game": verdict.game.number,
            "number": verdict.number,
            "passes": verdict.passes,
            "basis_sha256": verdict.basis_sha256,
            "supersedes": verdict.supersedes_id,
        },
    )
