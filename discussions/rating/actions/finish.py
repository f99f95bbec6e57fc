"""Opening the transcript, revealing the roles, skipping a game and resuming it, submitting and reopening."""

from datetime import datetime

from django.db import transaction
from django.db.models import F
from django.utils.translation import gettext as _

from discussions.core.evaluation_states import DRAFT, SKIPPED, SUBMITTED
from discussions.core.judgement_kinds import ATTRIBUTION, ROLE_CONSISTENCY
from discussions.models import Evaluation, Game, Reveal, Slot
from discussions.models.queue_rules import load_rating_rule
from discussions.models.slots import RATING
from discussions.rating.core.refusals import why_not_in_test
from discussions.rating.core.visibility import (
    MORE_MESSAGES,
    ROLES,
    TRANSCRIPT,
    Missing,
    count_more,
    due_reveals,
    is_possible_dismissal,
    thoughts_seen,
)
from discussions.rating.queries import is_unchanged_since_return, load_state
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
from discussions.slots.permissions import check_return_to_game, check_skip, check_submit
from discussions.verdicts.actions import record_at_submission
from discussions.verdicts.permissions import check_reopen
from workspace.core.refusals import Conflict, Unacceptable
from workspace.models import Person
from workspace.outbox.actions.queue import queue_deliveries
from workspace.outbox.core import EVALUATION_SUBMITTED
from workspace.texts import clean_text


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
