"""Undo: the previous revision of one's own judgement comes back, as a new revision."""

from datetime import datetime

from django.utils.translation import gettext as _

from discussions.actions.holding import hold_place
from discussions.actions.judging import (
    Act,
    Saved,
    compare_and_set,
    lock,
    refuse_faults,
    stored_act,
    write,
)
from discussions.models import Evaluation, Revision
from discussions.models.standings import work_of
from discussions.permissions import check_rate
from workspace.actions.keyed import one_act
from workspace.core.canonical import canonical_hash
from workspace.core.refusals import Unacceptable
from workspace.models import Person


def undo(
    *, evaluation: Evaluation, key: str, by: Person, now: datetime, kind: str = "", subject: str = ""
) -> Saved:
    """Take back the newest act that is not taken back yet, of one thing if `kind` is given, else of all.

    What was shown because of that act stays shown. The same key gives the stored result again. Raises Unacceptable
    when there is nothing to take back, or when what came after rests on it, and what `judge` raises.
    """
    body = canonical_hash([evaluation.pk, "undo", kind, subject])
    with one_act():
        locked = lock(evaluation)
        if stored := stored_act(key=key, body_sha256=body, by=by):
            return stored
        hold_place(evaluation=locked, by=by, now=now)
        check_rate(by, locked)
        undone = _newest(locked, kind, subject)
        if undone is None:
            raise Unacceptable(_("There is nothing left to undo here."), code="nothing_to_undo")
        judgement = undone.judgement
        before = judgement.revisions.filter(version=undone.version - 1).first()
        act = Act(
            kind=judgement.kind,
            subject=judgement.subject,
            version=judgement.version,
            key=key,
            value=before.value if before else "",
            reason=before.reason if before else "",
        )
        work = work_of(locked)
        refuse_faults(work, act)
        restored = compare_and_set(work, act)
        return write(work=work, judgement=restored, act=act, body=body, by=by, now=now, undoes=undone.version)


def _newest(evaluation: Evaluation, kind: str, subject: str) -> Revision | None:
    """The newest act that is not taken back yet."""
    acts = Revision.objects.undoable(evaluation).select_related("judgement")
    if kind:
        acts = acts.filter(judgement__kind=kind, judgement__subject=subject)
    return acts.first()
