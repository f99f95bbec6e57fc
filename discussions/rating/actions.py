"""What evaluators do: judgements as keyed revisions, flags and comments, reveals, skipping, submitting, reopening."""

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction
from django.db.models import F, Max
from django.utils.translation import gettext as _
from msgspec import Struct
from msgspec.structs import replace

from discussions.adjudication.core.judgeable import SUGGESTIONS
from discussions.core.evaluation_states import DRAFT, SKIPPED, SUBMITTED
from discussions.core.judgement_kinds import ATTRIBUTION, ROLE_CONSISTENCY, STATEMENT, find_judgement_fault
from discussions.models import Evaluation, Game, Judgement, Remark, Reveal, Revision, Slot
from discussions.models.evaluations import RevisionQuerySet
from discussions.models.queue_rules import load_rating_rule
from discussions.models.slots import RATING
from discussions.rating.core.refusals import why_not_in_test, why_not_yet
from discussions.rating.core.visibility import (
    MORE_MESSAGES,
    ROLES,
    TRANSCRIPT,
    Missing,
    count_more,
    due_reveals,
    get_phase,
    is_dismissal,
    is_possible_dismissal,
    thoughts_seen,
)
from discussions.rating.queries import AnswerRecord, EvaluationState, is_unchanged_since_return, load_state
from discussions.slots.actions import (
    GONE,
    changed_elsewhere,
    check_needed,
    give_back,
    hold_slot,
    lock_evaluation,
    lock_for_work,
    record_slot_event,
    slot_with_lease,
    take_up,
    transition,
)
from discussions.slots.core import lease_from
from discussions.slots.permissions import check_rate, check_return_to_game, check_skip, check_submit
from discussions.verdicts.actions import record_at_submission
from discussions.verdicts.permissions import check_reopen
from workspace.audit.actions import KeyedRevisions, Saved, key_reused, record_event, short_key, single_act
from workspace.audit.core import Act
from workspace.core.canonical import canonical_hash
from workspace.core.limits import LONGEST_COMMENT
from workspace.core.refusals import Conflict, Unacceptable
from workspace.core.text import check_length, clean_text
from workspace.database.prepared_queries import insert_row
from workspace.models import Person, Project
from workspace.outbox.actions.queue import queue_deliveries
from workspace.outbox.core import EVALUATION_SUBMITTED


def reveal_roles(*, evaluation: Evaluation, by: Person, now: datetime) -> None:
    """Reveal the roles to the evaluator once everything that is judged without them is complete. Idempotent.

    Raises Unacceptable naming the first thing that is missing, NotAllowed when the evaluation is not open.
    """
    with transaction.atomic():
        locked = lock_for_work(evaluation=evaluation, by=by, now=now)
        work = load_state(locked)
        if work.visibility.roles:
            return
        if not work.visibility.can_reveal_roles:
            raise _incomplete(work.visibility.missing[0])
        _reveal(locked, ROLES, now)
        record_slot_event(evaluation=locked, verb="roles:revealed", by=by, now=now)


def open_transcript(*, evaluation: Evaluation, by: Person, now: datetime, skips: bool = False) -> None:
    """Open the transcript to the evaluator, once the blind test is answered or if they skip the rest. Idempotent.

    From then on the answers of the test cannot change; one that was skipped has no result. Raises Unacceptable naming
    the first message without an answer, NotAllowed when the evaluation is not open.
    """
    with transaction.atomic():
        locked = lock_for_work(evaluation=evaluation, by=by, now=now)
        work = load_state(locked)
        if work.visibility.transcript:
            return
        first = work.visibility.missing[0]
        is_open = first.kind == ATTRIBUTION
        if is_open and not (skips and work.progress.may_skip_test):
            raise _incomplete(first)
        _reveal(locked, TRANSCRIPT, now)
        verb = "test:skipped" if is_open else "transcript:opened"
        record_slot_event(evaluation=locked, verb=verb, by=by, now=now)


def look_at_suggestions(*, evaluation: Evaluation, what: str, by: Person, now: datetime) -> frozenset[str]:
    """Store that the evaluator has looked at the suggested references of a dismissal; unmarked ones are no references.

    Returns what that reveals, itself included. Idempotent, and final, but each suggestion can still be marked. Raises
    Unacceptable while the transcript is closed and for a dismissal that the game does not have, NotAllowed when the
    evaluation is not open.
    """
    with transaction.atomic():
        locked = lock_for_work(evaluation=evaluation, by=by, now=now)
        work = load_state(locked)
        progress = work.progress
        if fault := why_not_in_test(progress, "reveal"):
            raise Unacceptable(fault, field="subject")
        if not is_possible_dismissal(progress, what):
            raise Unacceptable(_("The game has no such suggested references."), field="subject")
        if what in progress.revealed:
            return frozenset({what})
        revealed = {what} | due_reveals(work.shown(frozenset({what})).progress)
        for shown in sorted(revealed):
            _reveal(locked, shown, now)
        record_slot_event(evaluation=locked, verb="suggestions:dismissed", by=by, now=now)
    return frozenset(revealed)


def ask_more(*, evaluation: Evaluation, metric: str, by: Person, now: datetime) -> str:
    """Ask for a further batch of messages of an open metric; returns the reveal that stands for it.

    Raises Unacceptable while something is missing or the metric is not open, NotAllowed if the evaluation is closed.
    """
    with transaction.atomic():
        locked = lock_for_work(evaluation=evaluation, by=by, now=now)
        work = load_state(locked)
        if work.visibility.missing:
            raise _incomplete(work.visibility.missing[0])
        if not any(line.key == metric and line.is_open for line in work.own_lines([metric])):
            raise Unacceptable(_("No more answers are needed here: the result is clear."), field="subject")
        if metric == ROLE_CONSISTENCY and thoughts_seen(work.progress):
            raise Unacceptable(
                _("You see what agents thought, so more answers would not be blind."), field="subject"
            )
        what = f"{MORE_MESSAGES}:{metric}:{count_more(work.revealed)[metric] + 1}"
        _reveal(locked, what, now)
        record_slot_event(evaluation=locked, verb="messages:asked", by=by, now=now)
    return what


def _incomplete(missing: Missing) -> Unacceptable:
    return Unacceptable(missing.says, code="missing", field=f"{missing.kind}:{missing.subject}")


def _reveal(evaluation: Evaluation, what: str, now: datetime) -> None:
    Reveal.objects.create(evaluation=evaluation, what=what, created_at=now)
    Evaluation.objects.filter(pk=evaluation.pk).update(version=F("version") + 1)


def submit_evaluation(
    *, evaluation: Evaluation, by: Person, now: datetime, unchanged: bool = True
) -> Evaluation:
    """Submit the evaluation. Findings that were not overridden are accepted. A second call changes nothing.

    Without `unchanged`, a returned one is refused if nothing changed since then. Raises Unacceptable with the first
    missing thing (`field` is "kind:subject") or the code "unchanged", NotAllowed when it is not open.
    """
    with transaction.atomic():
        locked = lock_evaluation(evaluation)
        if locked.state == SUBMITTED and locked.evaluator_id == by.pk:
            return locked
        hold_slot(evaluation=locked, by=by, now=now)
        check_submit(by, locked)
        missing = load_state(locked).visibility.missing
        if missing:
            raise _incomplete(missing[0])
        if not unchanged and is_unchanged_since_return(locked):
            says = _("Nothing changed since it was returned. Submit all the same?")
            raise Unacceptable(says, code="unchanged", field="unchanged")
        transition(locked, "submit", submitted_at=now)
        since = now if locked.purpose == RATING else None
        Slot.objects.filter(pk=locked.slot_id).update(is_closed=True, lease_until=None, awaiting_since=since)
        record_slot_event(evaluation=locked, verb="evaluation:submitted", by=by, now=now)
        _tell_webhooks(locked, by, now)
        if locked.purpose == RATING and load_rating_rule(locked.game.project_id).records_at_submit:
            record_at_submission(game=locked.game, by=by, now=now)
    return locked


def _tell_webhooks(evaluation: Evaluation, by: Person, now: datetime) -> None:
    """Queue webhooks, but none for hidden duplicates or calibration: the reader may be the person who judges."""
    if evaluation.purpose == RATING:
        thing = {"game": evaluation.game.number, "evaluation": evaluation.pk}
        queue_deliveries(
            project=evaluation.game.project, event=EVALUATION_SUBMITTED, things=[thing], by=by, now=now
        )


def reopen_evaluation(*, evaluation: Evaluation, by: Person, now: datetime) -> Evaluation:
    """Make one's submitted evaluation a draft again, in its slot: it does not count until it is submitted again.

    A second call changes nothing. Raises NotAllowed when it is another person's, it is too late, or a lead has used it.
    """
    with transaction.atomic():
        locked = lock_evaluation(evaluation)
        # Recording a verdict and reopening an evaluation in its basis take their locks in this order everywhere.
        Game.objects.select_for_update(no_key=True).get(pk=locked.game_id)
        if locked.state == DRAFT and locked.evaluator_id == by.pk:
            return locked
        locked.submitted_at = Evaluation.objects.values_list("submitted_at", flat=True).get(pk=locked.pk)
        check_reopen(by, locked, now)
        transition(locked, "reopen")
        until = lease_from(now)
        slot = Slot.objects.filter(pk=locked.slot_id, evaluator=by, is_closed=True)
        if slot.update(is_closed=False, lease_until=until, awaiting_since=None) != 1:
            raise changed_elsewhere()
        locked.slot = slot_with_lease(locked.slot_id, until)
        record_slot_event(evaluation=locked, verb="evaluation:reopened", by=by, now=now)
    return locked


def skip_game(*, evaluation: Evaluation, reason: str, by: Person, now: datetime) -> Evaluation:
    """Give the slot back, with a reason. The judgements are kept. A second call changes nothing.

    Raises Unacceptable without a reason, NotAllowed when the evaluation is not open or not the person's own.
    """
    reason = clean_text(reason, field="text", ask=_("Say in a few words why you skip this game."))
    with transaction.atomic():
        locked = lock_evaluation(evaluation)
        if locked.state == SKIPPED and locked.evaluator_id == by.pk:
            return locked
        check_skip(by, locked)
        transition(locked, "skip", skipped_reason=reason, set_aside_at=now)
        give_back(locked)
        record_slot_event(evaluation=locked, verb="evaluation:skipped", by=by, now=now)
    return locked


def return_to_game(*, evaluation: Evaluation, by: Person, now: datetime) -> Evaluation:
    """Resume a skipped or lapsed evaluation, if a slot of its game is free; else raise Conflict.

    Raises NotAllowed when the game needs no further evaluation.
    """
    with transaction.atomic():
        locked = lock_evaluation(evaluation)
        if locked.state == DRAFT and locked.evaluator_id == by.pk:
            return locked
        check_return_to_game(by, locked)
        if take_up(evaluation=locked, by=by, now=now):
            return locked
        check_needed(locked)
    raise Conflict(str(GONE), code="place_taken")


FLAG, COMMENT = "flag", "comment"


def remark(
    *, evaluation: Evaluation, kind: str, target: str, text: str, key: str, by: Person, now: datetime
) -> Remark:
    """Add a flag or a comment to a message ("message:19") or the game ("game"); once per key.

    A target has one open flag at most; an existing one is kept. Raises Unacceptable for an unknown target, an empty
    comment and a key that was used for another act, NotAllowed when the evaluation is not open or not the person's own.
    """
    body = canonical_hash([evaluation.pk, kind, target, text])
    with single_act():
        locked = lock_evaluation(evaluation)
        stored = Remark.objects.filter(created_by=by, key=short_key(key)).first()
        if stored is not None:
            if stored.body_sha256 != body:
                raise key_reused()
            return stored
        hold_slot(evaluation=locked, by=by, now=now)
        check_rate(by, locked)
        _refuse_faults(load_state(locked), kind, target, text)
        if kind == FLAG and (flag := _open_flag(locked, target)):
            return flag
        made = Remark.objects.create(
            evaluation=locked,
            kind=kind,
            target=target,
            text=text,
            key=short_key(key),
            body_sha256=body,
            created_at=now,
            created_by=by,
        )
        _record(made, locked, "remark:made", by=by, now=now)
    return made


def take_flag_back(*, evaluation: Evaluation, target: str, by: Person, now: datetime) -> None:
    """Resolve the evaluator's open flag on a target; nothing happens when there is none."""
    with transaction.atomic():
        locked = lock_for_work(evaluation=evaluation, by=by, now=now)
        flag = _open_flag(locked, target)
        if flag is None:
            return
        flag.resolved_at, flag.resolved_by = now, by
        flag.save(update_fields=["resolved_at", "resolved_by"])
        _record(flag, locked, "remark:resolved", by=by, now=now)


def _open_flag(evaluation: Evaluation, target: str) -> Remark | None:
    flags = Remark.objects.filter(evaluation=evaluation, kind=FLAG, target=target, resolved_at=None)
    return flags.first()


def _refuse_faults(work: EvaluationState, kind: str, target: str, text: str) -> None:
    fault = why_not_in_test(work.progress, kind) if target != "game" else ""
    if fault:
        raise Unacceptable(fault, field="subject")
    targets = {"game", *(f"message:{message.position}" for message in work.game.messages)}
    if kind not in (FLAG, COMMENT) or target not in targets:
        raise Unacceptable(_("There is no such message in this game. Load the page again."), field="subject")
    if kind == COMMENT and not text.strip():
        raise Unacceptable(_("The comment is empty. Write something, or leave it out."), field="text")
    check_length(text, field="text", most=LONGEST_COMMENT)


def _record(made: Remark, evaluation: Evaluation, verb: str, *, by: Person, now: datetime) -> None:
    detail = {"kind": made.kind, "target": made.target}
    record_event(verb, made, by=by, now=now, project=evaluation.game.project, detail=detail)


def judge_all(*, evaluation: Evaluation, acts: Sequence[tuple[Act, datetime]], by: Person) -> EvaluationState:
    """Store several acts, each with its time, all or none. Raises what `KeyedRevisions.save_all` raises."""
    return JUDGEMENTS.save_all(owner=evaluation, acts=acts, by=by)


def undo(
    *, evaluation: Evaluation, key: str, by: Person, now: datetime, kind: str = "", subject: str = ""
) -> Saved[EvaluationState]:
    """Undo the newest act (on one subject if `kind` is given). Raises what `KeyedRevisions.undo` raises.

    Raises Unacceptable also when a later act depends on it, and when the newest act dismissed suggestions: a person who
    undoes that does not mean to undo the judgement before it.
    """
    if not kind and _is_dismissed_last(evaluation):
        says = _(
            "Dismissed suggestions cannot be restored, but each can still be marked. "
            "An answer given before is changed or cleared at its own place."
        )
        raise Unacceptable(says, code="nothing_to_undo")
    return JUDGEMENTS.undo(owner=evaluation, key=key, by=by, now=now, kind=kind, subject=subject)


def _is_dismissed_last(evaluation: Evaluation) -> bool:
    dismissed = Reveal.objects.filter(evaluation=evaluation, what__startswith=SUGGESTIONS)
    at = dismissed.aggregate(at=Max("created_at"))["at"]
    judged = Revision.objects.filter(judgement__evaluation=evaluation)
    return at is not None and not judged.filter(created_at__gte=at).exists()


class _Judgements(KeyedRevisions[Evaluation, EvaluationState, AnswerRecord]):
    row_model, revision_model = Judgement, Revision
    row_name, owner_name = "judgement", "evaluation"
    # `check_rate` refuses admins, leads and those who left: all except evaluators of the project can see what is
    # hidden.
    checked_role = "evaluator"

    def lock(self, owner: Evaluation) -> None:
        lock_evaluation(owner)

    def check(self, owner: Evaluation, *, by: Person, now: datetime) -> None:
        hold_slot(evaluation=owner, by=by, now=now)
        check_rate(by, owner)

    def read(self, owner: Evaluation) -> EvaluationState:
        return load_state(owner)

    def read_ahead(self, owner: Evaluation) -> EvaluationState:
        return load_state(owner)

    def latest(self, work: EvaluationState, kind: str, subject: str) -> AnswerRecord:
        return work.judgements.get((kind, subject)) or AnswerRecord(0, kind, subject, "", "", 0)

    def refuse_faults(self, work: EvaluationState, act: Act, proposed: AnswerRecord) -> None:
        """Raise Unacceptable when the game has no such subject, or the subject cannot be judged yet."""
        fault = why_not_in_test(work.progress, act.kind)
        fault = fault or find_judgement_fault(act.kind, act.subject, act.value, work.judgeable)
        if not fault and (act.value is not None or act.kind == STATEMENT):
            fault = why_not_yet(work.progress, act.kind, act.subject, act.value or "")
        if fault:
            raise Unacceptable(fault, field="value")

    def amend(self, work: EvaluationState, proposed: AnswerRecord) -> AnswerRecord:
        is_blind = get_phase(work.progress, proposed.kind, proposed.subject) == "blind"
        return replace(proposed, blind_value=proposed.value) if is_blind else proposed

    def context(self, work: EvaluationState, act: Act) -> dict[str, str]:
        return {"phase": get_phase(work.progress, act.kind, act.subject)}

    def undoable(self, work: EvaluationState) -> RevisionQuerySet:
        return Revision.objects.undoable(work.evaluation)

    def project(self, owner: Evaluation) -> Project:
        return owner.game.project

    def changed(
        self, work: EvaluationState, latest: AnswerRecord, *, now: datetime
    ) -> tuple[EvaluationState, frozenset[str]]:
        after = work.changed(latest)
        due = due_reveals(after.progress)
        for what in sorted(due):
            insert_row(Reveal(evaluation=work.evaluation, what=what, created_at=now))
        return after.shown(due), due


JUDGEMENTS = _Judgements()


class Acted(Struct, frozen=True):
    """The result of an act: when it was stored, what it revealed, and the state after it if known."""

    saved_at: datetime
    revealed: frozenset[str] = frozenset()
    work: EvaluationState | None = None


def act(*, evaluation: Evaluation, posted: Act, by: Person, now: datetime) -> Acted:
    """Perform the posted act; `reason` is the text of a comment or flag.

    Raises what `KeyedRevisions.save`, the reveals and `remark` raise; each writes its own transaction.
    """
    if posted.kind == "reveal":
        return _revealed(evaluation, posted, by, now)
    if posted.kind in (FLAG, COMMENT):
        return _noted(evaluation, posted, by, now)
    saved = JUDGEMENTS.save(owner=evaluation, act=posted, by=by, now=now)
    return Acted(saved.revision.created_at, saved.revealed, saved.work)


def _revealed(evaluation: Evaluation, posted: Act, by: Person, now: datetime) -> Acted:
    subject = posted.subject
    if is_dismissal(subject):
        return Acted(now, look_at_suggestions(evaluation=evaluation, what=subject, by=by, now=now))
    kind, _sign, metric = subject.partition(":")
    if kind == MORE_MESSAGES:
        return Acted(now, frozenset({ask_more(evaluation=evaluation, metric=metric, by=by, now=now)}))
    if subject == TRANSCRIPT:
        open_transcript(evaluation=evaluation, by=by, now=now, skips=posted.value == SKIP)
        return Acted(now, frozenset({TRANSCRIPT}))
    reveal_roles(evaluation=evaluation, by=by, now=now)
    return Acted(now, frozenset({ROLES}))


# The value of the act that opens the transcript without an answered test.
SKIP = "skip"


def _noted(evaluation: Evaluation, posted: Act, by: Person, now: datetime) -> Acted:
    if posted.kind == FLAG and not posted.value:
        take_flag_back(evaluation=evaluation, target=posted.subject, by=by, now=now)
        return Acted(now)
    made = remark(
        evaluation=evaluation,
        kind=posted.kind,
        target=posted.subject,
        text=posted.reason or "",
        key=posted.key,
        by=by,
        now=now,
    )
    return Acted(made.created_at)
