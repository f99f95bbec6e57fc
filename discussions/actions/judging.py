"""What an evaluator's acts do: judgements of a game, saved as keyed revisions."""

from datetime import datetime

from django.db.models import OuterRef, Subquery
from msgspec.structs import replace

from discussions.actions.holding import hold_place
from discussions.core.kinds import fault_of
from discussions.core.order import why_not_in_test, why_not_yet
from discussions.core.sight import due_reveals, phase_of
from discussions.models import Evaluation, Judgement, Reveal, Revision, Slot
from discussions.models.evaluations import RevisionQuerySet
from discussions.models.slots import place_held
from discussions.models.standings import Said, Work, work_of
from discussions.permissions import check_rate
from workspace.actions.revisions import KeyedRevisions, Saved
from workspace.core.refusals import Unacceptable
from workspace.core.revisions import Act
from workspace.models import Person, Project
from workspace.models.prepared import Prepared, insert_row


def judge(*, evaluation: Evaluation, act: Act, by: Person, now: datetime) -> Saved[Work]:
    """Store one act, once, and keep the place on the game. Raises what `KeyedRevisions.save` raises."""
    return _JUDGEMENTS.save(owner=evaluation, act=act, by=by, now=now)


def undo(
    *, evaluation: Evaluation, key: str, by: Person, now: datetime, kind: str = "", subject: str = ""
) -> Saved[Work]:
    """Take back the newest act, of one subject if `kind` is given. Raises what `KeyedRevisions.undo` raises.

    Unacceptable also when what came after rests on the act.
    """
    return _JUDGEMENTS.undo(owner=evaluation, key=key, by=by, now=now, kind=kind, subject=subject)


def lock(evaluation: Evaluation) -> Evaluation:
    """The evaluation with state and version as they are now; whoever changes it waits for this transaction.

    Its lease may be the one from before this waited: good enough to renew by, never to end it by.
    """
    ((evaluation.state, evaluation.version, slot, lease_until),) = _LOCK.rows(evaluation.pk)
    evaluation.slot = place_held(slot, lease_until)
    return evaluation


# The lease by a subquery, no join: of a joined row PostgreSQL would still see the one from before it waited.
_LOCK = Prepared(
    lambda key: (
        Evaluation.objects.select_for_update()
        .filter(pk=key)
        .annotate(lease=Subquery(Slot.objects.filter(pk=OuterRef("slot")).values("lease_until")))
        .values_list("state", "version", "slot", "lease")
    ),
    int,
)


class _Judgements(KeyedRevisions[Evaluation, Work, Said]):
    """Judgements of an evaluation."""

    row_model, revision_model = Judgement, Revision
    row_name, owner_name = "judgement", "evaluation"

    def lock(self, owner: Evaluation) -> None:
        lock(owner)

    def check(self, owner: Evaluation, *, by: Person, now: datetime) -> None:
        hold_place(evaluation=owner, by=by, now=now)
        check_rate(by, owner)

    def read(self, owner: Evaluation) -> Work:
        return work_of(owner)

    def latest(self, work: Work, kind: str, subject: str) -> Said:
        return work.judgements.get((kind, subject)) or Said(0, kind, subject, "", "", 0)

    def refuse_faults(self, work: Work, act: Act, proposed: Said) -> None:
        """Raise Unacceptable when there is no such thing to judge in this game, or not yet."""
        fault = why_not_in_test(work.standing, act.kind)
        fault = fault or fault_of(act.kind, act.subject, act.value, work.ground)
        if not fault and act.value is not None:
            fault = why_not_yet(work.standing, act.kind, act.subject, act.value)
        if fault:
            raise Unacceptable(fault, field="value")

    def amend(self, work: Work, proposed: Said) -> Said:
        is_blind = phase_of(work.standing, proposed.kind, proposed.subject) == "blind"
        return replace(proposed, blind_value=proposed.value) if is_blind else proposed

    def context(self, work: Work, act: Act) -> dict[str, str]:
        return {"phase": phase_of(work.standing, act.kind, act.subject)}

    def undoable(self, work: Work) -> RevisionQuerySet:
        return Revision.objects.undoable(work.evaluation)

    def project(self, owner: Evaluation) -> Project:
        return owner.game.project

    def changed(self, work: Work, latest: Said, *, now: datetime) -> tuple[Work, frozenset[str]]:
        """Store what the judgement reveals."""
        after = work.changed(latest)
        due = due_reveals(after.standing)
        for what in sorted(due):
            insert_row(Reveal(evaluation=work.evaluation, what=what, created_at=now))
        return after.shown(due), due


_JUDGEMENTS = _Judgements()
