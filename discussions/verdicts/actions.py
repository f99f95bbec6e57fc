"""Record verdicts on a hashed basis, supersede them, and replay them from their stored basis and findings."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import datetime, timedelta

import msgspec
from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils.translation import gettext as _
from msgspec import Struct
from msgspec.structs import replace

from discussions.core.outcome import Outcome
from discussions.metrics.core.registry import CODE_VERSION, measure_game
from discussions.models import (
    Adjudication,
    Admission,
    Evaluation,
    Game,
    JudgeAnswer,
    Measured,
    Revision,
    Slot,
    Verdict,
)
from discussions.queries import load_measured_record
from discussions.verdicts.core.basis import Basis, changes, describe_adjudicated_value, describe_subject
from discussions.verdicts.core.report import list_scores
from discussions.verdicts.core.rule import is_same_outcome
from discussions.verdicts.core.scoring import compute_basis_outcome
from discussions.verdicts.permissions import (
    check_complete,
    check_first_verdict,
    check_flags_resolved,
    check_record_games,
    check_record_open,
    check_record_verdict,
    check_supersede_verdict,
)
from discussions.verdicts.queries import Preview, load_open_flags, load_verdict_preview
from rubric.core.records import RubricRecord
from rubric.models import RubricVersion
from workspace.audit.actions import record_event
from workspace.core.canonical import bytes_hash, canonical_bytes
from workspace.core.refusals import Conflict, NotAllowed, Unacceptable
from workspace.core.text import clean_text
from workspace.display.core.number_lists import format_numbers
from workspace.models import Person, Project
from workspace.outbox.actions.queue import queue_deliveries
from workspace.outbox.core import VERDICT_RECORDED


def record_verdict(
    *, game: Game, basis_sha256: str, by: Person, now: datetime, reason: str = "", shown: str = ""
) -> Verdict:
    """Record the verdict on the basis that the page showed; with a `reason` it supersedes the current verdict.

    An open verdict takes a reason, too, and only from a lead.
    `basis_sha256` is the hash on the page. `shown` is the basis on the page, used to name what changed. Raises
    NotAllowed (no permission, or not complete), Unacceptable (a correction without a reason), and Conflict (the basis
    changed, or another person recorded first).
    """
    reason = clean_text(reason)
    with transaction.atomic():
        locked = _lock_game(game)
        check_record_verdict(by, locked)
        preview = load_verdict_preview(locked)
        if preview is None:
            says = _("This game is not measured yet. Wait for its figures, then record the verdict.")
            raise NotAllowed(says)
        _refuse_change(preview, basis_sha256, shown)
        if preview.basis.supersedes is not None:
            check_supersede_verdict(by, locked)
            if not reason:
                says = _("Say why the recorded verdict is corrected: the reason is kept with both.")
                raise Unacceptable(says, field="reason")
        check_complete(preview)
        check_record_open(by, locked, preview.outcome)
        if preview.outcome.open and not reason:
            says = _("Say why it is recorded while a metric is open: the reason is kept with it.")
            raise Unacceptable(says, field="reason")
        check_flags_resolved(by, locked, load_open_flags(locked))
        return _insert(locked, preview, reason, by, now)


def record_at_submission(*, game: Game, by: Person, now: datetime) -> Verdict | None:
    """Record the first verdict of a game that the person has just rated alone; None if anything is in the way."""
    preview = load_verdict_preview(game)
    if preview is None or preview.basis.supersedes is not None:
        return None
    try:
        with transaction.atomic():
            return record_verdict(game=game, basis_sha256=preview.basis_sha256, by=by, now=now)
    except (NotAllowed, Unacceptable, Conflict):
        return None


MOST_RECORDED = 200


def record_ready_games(
    *, project: Project, shown: Mapping[int, str], by: Person, now: datetime
) -> tuple[list[Verdict], dict[int, str]]:
    """Record the verdicts of several games, each on the basis that was shown (game number -> hash of the basis).

    Returns the new verdicts, and for each refused game, by its number, why none was recorded. Each game has its own
    transaction and event, so a game that changed meanwhile does not affect the others. Raises NotAllowed for everybody
    but leads; Unacceptable for no games, too many, or an unknown one.
    """
    check_record_games(by, project)
    if not shown:
        raise Unacceptable(_("Choose at least one game."), field="games", code="required")
    if len(shown) > MOST_RECORDED:
        says = _("At most %(most)d verdicts are recorded at once. Choose fewer games.")
        raise Unacceptable(says % {"most": MOST_RECORDED}, field="games", code="too_many")
    games = list(Game.objects.filter(project=project, number__in=shown).order_by("number"))
    if missing := sorted(set(shown) - {game.number for game in games}):
        says = _("The project has no %(games)s.") % {"games": format_numbers(missing)}
        raise Unacceptable(says, field="games", code="unknown")
    verdicts, refused = [], {}
    for game in games:
        try:
            with transaction.atomic():
                # Locked, since a game may be withdrawn while those before it are recorded.
                check_first_verdict(_lock_game(game))
                verdicts.append(record_verdict(game=game, basis_sha256=shown[game.number], by=by, now=now))
        except (NotAllowed, Unacceptable, Conflict) as refusal:
            refused[game.number] = refusal.sentence
    return verdicts, refused


def _lock_game(game: Game) -> Game:
    rows = Game.objects.select_related("iteration__rubric_version", "transcript", "project")
    return rows.select_for_update(of=("self",)).get(pk=game.pk)


def _refuse_change(preview: Preview, basis_sha256: str, shown: str) -> None:
    if preview.basis_sha256 == basis_sha256:
        return
    changed: list[str] = []
    if shown and bytes_hash(shown.encode()) == basis_sha256:
        with suppress(msgspec.MsgspecError):
            before = msgspec.json.decode(shown, type=Basis)
            changed = changes(before, preview.basis)
            if before.supersedes is None and replace(preview.basis, supersedes=None) == before:
                raise _recorded_first()
    raise Conflict(
        _("Something this verdict rests on has changed since the page was shown. Nothing was recorded."),
        code="basis_changed",
        detail={"changes": changed, "shown": basis_sha256, "stored": preview.basis_sha256},
    )


def _recorded_first() -> Conflict:
    says = _("Somebody recorded this verdict first. Nothing was recorded twice.")
    return Conflict(says, code="recorded_first")


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
        weak_pass_count=len(outcome.weak_passes),
        basis=canonical_bytes(basis).decode(),
        basis_sha256=preview.basis_sha256,
        outcome=canonical_bytes(outcome).decode(),
        reason=reason if basis.supersedes is not None or outcome.open else "",
        supersedes_id=basis.supersedes,
        created_at=now,
        created_by=by,
    )
    try:
        with transaction.atomic():
            verdict.save(force_insert=True)
    except IntegrityError:
        raise _recorded_first() from None
    # The evaluations of these slots are submitted, so nobody can hold one of these rows while waiting for the game.
    Slot.objects.filter(game=game, awaiting_since__isnull=False).update(awaiting_since=None)
    _announce(verdict, outcome, by, now)
    return verdict


def _announce(verdict: Verdict, outcome: Outcome, by: Person, now: datetime) -> None:
    detail = {
        "game": verdict.game.number,
        "number": verdict.number,
        "passes": verdict.passes,
        "basis_sha256": verdict.basis_sha256,
        "supersedes": verdict.supersedes_id,
        "reason": verdict.reason,
    }
    verb = "verdict:superseded" if verdict.supersedes_id else "verdict:recorded"
    record_event(verb, verdict, by=by, now=now, detail=detail)
    queue_deliveries(
        project=verdict.game.project,
        event=VERDICT_RECORDED,
        things=[{"game": verdict.game.number, "verdict": verdict.number}],
        by=by,
        now=now,
        read_scores=lambda _thing: (verdict.game.source_id, list_scores(outcome)),
    )


class Replay(Struct, frozen=True):
    """The result of a replay, in sentences: `differences` are breaches, `notices` are not."""

    differences: list[str]
    notices: list[str]
    outcome: Outcome | None = None

    @property
    def is_equal(self) -> bool:
        return not self.differences


def replay_verdict(*, verdict: Verdict) -> Replay:
    """Compute the verdict again from its basis, and compare the basis with the rows it names; writes nothing.

    The stored findings count. A notice says when today's code would measure the game differently.
    """
    if bytes_hash(verdict.basis.encode()) != verdict.basis_sha256:
        return Replay(["The stored basis does not have the hash that was recorded with it."], [])
    basis = msgspec.json.decode(verdict.basis, type=Basis)
    differences = [
        *_changed_rows(verdict, basis),
        *_changed_judgements(basis),
        *_changed_adjudications(verdict, basis),
        *_changed_tests(verdict, basis),
        *_changed_judges(verdict, basis),
    ]
    measured = Measured.objects.select_related("findings").get(pk=basis.measured.id)
    version = RubricVersion.objects.get(pk=basis.rubric_version.id)
    if bytes_hash(measured.findings.body.encode()) != basis.measured.findings_sha256:
        return Replay([*differences, "The stored findings are not those that the verdict rests on."], [])
    if bytes_hash(version.body.encode()) != basis.rubric_version.sha256:
        return Replay([*differences, "The rubric version is not what the verdict rests on."], [])
    rubric = version.to_record()
    outcome = compute_basis_outcome(basis, measured.findings.to_records(), rubric)
    differences += _changed_outcome(verdict, outcome)
    return Replay(differences, list(_notices(verdict.game, measured, rubric)), outcome)


def _changed_rows(verdict: Verdict, basis: Basis) -> Iterator[str]:
    game = Game.objects.select_related("transcript").get(pk=verdict.game_id)
    if (basis.game, basis.game_sha256) != (game.pk, game.content_sha256):
        yield "The basis speaks of another game or of other content of it."
    if (basis.transcript, basis.transcript_sha256) != (game.transcript_id, game.transcript.sha256):
        yield "The transcript has another hash than the basis says."
    if (basis.measured.id, basis.rubric_version.id) != (verdict.measured_id, verdict.rubric_version_id):
        yield "The verdict's row names other measurements or another rubric version than its basis."
    if basis.supersedes != verdict.supersedes_id:
        yield "The verdict's row supersedes another one than its basis says."
    measured = Measured.objects.filter(
        pk=basis.measured.id,
        game=game,
        rubric_version=basis.rubric_version.id,
        code_version=basis.measured.code_version,
        input_hash=basis.measured.input_hash,
    )
    if not measured.exists():
        yield "The measurements' row does not say what the basis says of it."
    rows = Evaluation.objects.filter(pk__in=[evaluation.id for evaluation in basis.evaluations], game=game)
    there = {key: (by, seed) for key, by, seed in rows.values_list("pk", "evaluator_id", "seed")}
    named = {row.id: (row.evaluator, row.seed or there.get(row.id, (0, ""))[1]) for row in basis.evaluations}
    if there != named:
        yield "An evaluation that the basis names is not there, or is somebody else's."


def _changed_judgements(basis: Basis) -> Iterator[str]:
    named = {
        (judgement.id, judgement.version): judgement for judgement in basis.judgements if judgement.version
    }
    rows = Revision.objects.filter(judgement__in={key for key, _version in named}).select_related("judgement")
    there = {(row.judgement_id, row.version): row for row in rows}
    for key, found in named.items():
        row = there.get(key)
        said = row and (row.judgement.evaluation_id, row.judgement.kind, row.judgement.subject, row.value)
        if said != (found.evaluation, found.kind, found.subject, found.value):
            yield f"The basis says {found.value!r} of {found.kind} {found.subject}; revision {found.version} does not."


def _changed_adjudications(verdict: Verdict, basis: Basis) -> Iterator[str]:
    rows = Adjudication.objects.filter(
        pk__in=[adjudication.id for adjudication in basis.adjudications], game=verdict.game_id
    )
    there = {row.pk: (row.kind, row.subject, row.value) for row in rows}
    for adjudication in basis.adjudications:
        if there.get(adjudication.id) != (adjudication.kind, adjudication.subject, adjudication.value):
            about = describe_subject(adjudication.kind, adjudication.subject)
            value = describe_adjudicated_value(adjudication)
            yield f"The basis says that {about} was resolved as {value}; row {adjudication.id} does not."


def _changed_tests(verdict: Verdict, basis: Basis) -> Iterator[str]:
    if not basis.tests:
        return
    authors = {message.position: message.player for message in verdict.game.text.to_record().messages}
    for test in basis.tests:
        if [authors.get(position) for position in test.messages] != test.authors:
            yield f"The test of evaluation {test.evaluation} gives a message to somebody who did not write it."


# A verdict and the end of an admission may be under way in the same moment.
AT_ONCE = timedelta(minutes=1)


def _changed_judges(verdict: Verdict, basis: Basis) -> Iterator[str]:
    at = verdict.created_at
    for one in basis.judges:
        rows = JudgeAnswer.objects.filter(prompt__game=verdict.game_id, prompt__kind=one.metric)
        said = rows.filter(prompt__judge=one.judge, prompt__judge__identity=one.identity)
        if not one.answers.items() <= set(said.values_list("subject", "value")):
            yield f"The basis says what judge {one.number} did not answer on {one.metric}."
        admitted = Admission.objects.filter(pk__in=one.admissions, judge=one.judge, metric=one.metric)
        admitted = admitted.filter(Q(ended_at=None) | Q(ended_at__gte=at - AT_ONCE), admitted_at__lte=at)
        if admitted.count() < len(one.admissions):
            yield f"Judge {one.number} was not admitted for {one.metric} when the verdict was recorded."


def _changed_outcome(verdict: Verdict, outcome: Outcome) -> Iterator[str]:
    if not is_same_outcome(verdict.outcome, outcome):
        yield f"The basis gives “{outcome.headline}”; something else was recorded."
    columns = (verdict.passes, verdict.passed_count, verdict.composite, verdict.flip_distance)
    weak = len(outcome.weak_passes)
    computed = (outcome.passes, outcome.passed_count, outcome.composite, outcome.flip_distance)
    if (*columns, verdict.weak_pass_count) != (*computed, weak):
        yield "The figures that lists show are not those of the outcome."


def _notices(game: Game, measured: Measured, rubric: RubricRecord) -> Iterator[str]:
    if measured.code_version == CODE_VERSION:
        return
    today = measure_game(load_measured_record(game, measured), rubric)
    stored = measured.findings.to_records()
    changed = [
        rubric.criterion(key).label
        for key, found in today.items()
        if (found.numerator, found.denominator) != (stored[key].numerator, stored[key].denominator)
    ]
    if changed:
        yield f"Today's code ({CODE_VERSION}) would measure differently: {', '.join(changed)}."
    else:
        yield f"Measured by code {measured.code_version}; today's code ({CODE_VERSION}) gives the same figures."
