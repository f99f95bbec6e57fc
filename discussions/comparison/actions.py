"""Decisions on changes: keep, revert or inconclusive, on figures that are stored with them; a later one supersedes."""

from datetime import datetime

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from discussions.comparison.permissions import check_decide
from discussions.comparison.queries import DecisionPreview, decision_preview, refuse_decision
from discussions.core.iteration_states import DECISIONS, DROP, get_decision_move, state_after
from discussions.iterations.queries import load_history, refuse_while_importing
from discussions.models import Decision, Iteration
from workspace.audit.actions import record_event
from workspace.core.canonical import canonical_bytes
from workspace.core.refusals import Conflict, Unacceptable
from workspace.core.text import clean_text
from workspace.core.words import plainly
from workspace.models import Person, Project
from workspace.outbox.actions.queue import queue_deliveries
from workspace.outbox.core import ITERATION_DECIDED


def record_decision(
    *, iteration: Iteration, choice: str, reason: str, basis_sha256: str, by: Person, now: datetime
) -> Decision:
    """Decide on a change, on the figures that the page showed (their hash is `basis_sha256`); may differ from the
    proposal, which is stored with it. It supersedes what was decided before.

    Keep makes the iteration what the next change is compared with; revert and inconclusive leave that as it was. Raises
    NotAllowed (no change, not rated, games of a kept one not known or of a dropped one on their way, a fourth look at
    the pair), Unacceptable (no such choice, no reason), Conflict when a figure changed since or somebody decided first.
    """
    check_decide(by, iteration)
    if choice not in DECISIONS:
        raise Unacceptable(_("Choose keep, revert or inconclusive."), field="choice")
    reason = clean_text(reason, ask=_("Say why: the reason is kept with the decision."))
    with transaction.atomic():
        Project.objects.select_for_update(no_key=True).get(pk=iteration.project_id)
        rows = Iteration.objects.select_related("project", "stage").select_for_update(
            of=("self",), no_key=True
        )
        locked = rows.get(pk=iteration.pk)
        check_decide(by, locked, choice)
        assert locked.stage is not None
        with plainly():
            preview = decision_preview(load_history(locked.stage), locked.pk)
        assert preview is not None
        _refuse(preview, choice, basis_sha256)
        move = get_decision_move(locked.state, choice)
        if move == DROP:
            refuse_while_importing(locked)
        state = state_after(locked.state, move)
        assert state is not None
        Iteration.objects.filter(pk=locked.pk).update(state=state)
        return _insert_decision(locked, preview, choice, reason, by, now)


def _refuse(preview: DecisionPreview, choice: str, basis_sha256: str) -> None:
    if basis_sha256 in preview.shown_before:
        says = _(
            "Somebody decided on this since the page was shown. Nothing was recorded. Look at that decision, then "
            "decide."
        )
        raise Conflict(says, code="decided_first")
    if preview.basis_sha256 != basis_sha256:
        raise Conflict(
            _(
                "A figure that this decision rests on has changed since the page was shown. Nothing was recorded. Look "
                "at the comparison again, then decide."
            ),
            code="basis_changed",
            detail={"shown": basis_sha256, "stored": preview.basis_sha256},
        )
    refuse_decision(preview, choice)


def _insert_decision(
    iteration: Iteration, preview: DecisionPreview, choice: str, reason: str, by: Person, now: datetime
) -> Decision:
    decision = Decision(
        iteration=iteration,
        compared_with_id=preview.basis.compared_with,
        number=Decision.objects.filter(iteration=iteration).count() + 1,
        look=preview.basis.look,
        choice=choice,
        reason=reason,
        proposal=canonical_bytes(preview.compared).decode(),
        basis=canonical_bytes(preview.basis).decode(),
        basis_sha256=preview.basis_sha256,
        supersedes_id=preview.basis.supersedes,
        created_at=now,
        created_by=by,
    )
    try:
        with transaction.atomic():
            decision.save(force_insert=True)
    except IntegrityError:
        raise Conflict(
            _("Somebody decided first. Nothing was recorded twice."), code="decided_first"
        ) from None
    _announce(decision, preview, by, now)
    return decision


def _announce(decision: Decision, preview: DecisionPreview, by: Person, now: datetime) -> None:
    compared = preview.compared
    detail = {
        "iteration": decision.iteration.number,
        "choice": decision.choice,
        "proposal": compared.proposal if compared else "",
        "look": decision.look,
        "basis_sha256": decision.basis_sha256,
        "supersedes": decision.supersedes_id,
    }
    verb = "decision:superseded" if decision.supersedes_id else "decision:recorded"
    record_event(verb, decision, by=by, now=now, project=decision.iteration.project, detail=detail)
    queue_deliveries(
        project=decision.iteration.project,
        event=ITERATION_DECIDED,
        things=[{"iteration": decision.iteration.number, "decision": decision.number}],
        by=by,
        now=now,
    )
