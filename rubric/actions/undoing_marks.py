"""Undo: the previous revision of one's own mark comes back, as a new revision."""

from datetime import datetime

from django.utils.translation import gettext as _

from rubric.actions.reviewing import Act, Saved, compare_and_set, lock, refuse_faults, stored_act, write
from rubric.models import Review
from rubric.models.reviewing import work_of
from rubric.permissions import check_review
from workspace.actions.keyed import one_act
from workspace.core.canonical import canonical_hash
from workspace.core.refusals import Unacceptable
from workspace.models import Person


def undo_mark(
    *, review: Review, key: str, by: Person, now: datetime, kind: str = "", subject: str = ""
) -> Saved:
    """Take back the newest act that is not taken back yet, of one thing if `kind` is given, else of all.

    The same key gives the stored result again. Raises Unacceptable when there is nothing to take back: scores as a
    whole stay once the criteria are open, and what a second round begins with is nobody's act. And what `mark` raises.
    """
    body = canonical_hash([review.pk, "undo", kind, subject])
    with one_act():
        locked = lock(review)
        if stored := stored_act(key=key, body_sha256=body, by=by):
            return stored
        check_review(by, locked)
        work = work_of(locked)
        acts = work.undoable().select_related("mark")
        if kind:
            acts = acts.filter(mark__kind=kind, mark__subject=subject)
        undone = acts.first()
        if undone is None:
            raise Unacceptable(_("There is nothing left to undo here."), code="nothing_to_undo")
        marked = undone.mark
        before = marked.revisions.filter(version=undone.version - 1).first()
        act = Act(
            kind=marked.kind,
            subject=marked.subject,
            version=marked.version,
            key=key,
            value=before.value if before else "",
            reason=before.reason if before else "",
        )
        refuse_faults(work, act)
        restored = compare_and_set(work, act)
        return write(work=work, marked=restored, act=act, body=body, by=by, now=now, undoes=undone.version)
