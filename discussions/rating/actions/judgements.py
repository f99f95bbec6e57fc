"""Judgements of a game, saved as keyed revisions."""

from collections.abc import Sequence
from datetime import datetime

from django.db.models import Max
from django.utils.translation import gettext as _
from msgspec import Struct
from msgspec.structs import replace

from discussions.adjudication.core.judgeable import SUGGESTIONS
from discussions.core.judgement_kinds import STATEMENT, find_judgement_fault
from discussions.models import Evaluation, Judgement, Reveal, Revision
from discussions.models.evaluations import RevisionQuerySet
from discussions.rating.actions.finish import ask_more, look_at_suggestions, open_transcript, reveal_roles
from discussions.rating.actions.remarks import COMMENT, FLAG, remark, take_flag_back
from discussions.rating.core.refusals import why_not_in_test, why_not_yet
from discussions.rating.core.visibility import (
    MORE_MESSAGES,
    ROLES,
    TRANSCRIPT,
    due_reveals,
    get_phase,
    is_dismissal,
)
from discussions.rating.queries import AnswerRecord, EvaluationState, load_state
from discussions.slots.actions import hold_slot, lock_evaluation
from discussions.slots.permissions import check_rate
from workspace.audit.actions import KeyedRevisions, Saved
from workspace.audit.core import Act
from workspace.core.refusals import Unacceptable
from workspace.database.prepared_queries import insert_row
from workspace.models import Person, Project


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
        raise Unacceptable(
            _(
                "Dismissed suggestions cannot be restored, but each can still be marked. "
                "An answer given before is changed or cleared at its own place."
            ),
            code="nothing_to_undo",
        )
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
        open_transcript(evaluation=evaluation, by=by, now=now, skips=posted.value == SKIPPED)
        return Acted(now, frozenset({TRANSCRIPT}))
    reveal_roles(evaluation=evaluation, by=by, now=now)
    return Acted(now, frozenset({ROLES}))


# The value of the act that opens the transcript without an answered test.
SKIPPED = "skip"


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
