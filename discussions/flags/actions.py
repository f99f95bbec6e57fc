"""Answering and resolving flags."""

from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from discussions.flags.permissions import check_answer_flag
from discussions.models import FlagReply, Remark
from workspace.audit.actions import record_event
from workspace.core.limits import LONGEST_COMMENT
from workspace.core.refusals import Conflict, Unacceptable
from workspace.models import Person
from workspace.texts import check_length


def answer_flag(*, flag: Remark, text: str, is_resolved: bool, by: Person, now: datetime) -> None:
    """Write below an open flag, resolve it, or both. The same text sent twice in a row is stored once.

    Raises NotAllowed; Conflict when the flag is resolved already; Unacceptable when there is nothing to do.
    """
    text = text.strip()
    check_length(text, field="text", most=LONGEST_COMMENT)
    with transaction.atomic():
        locked = Remark.objects.select_for_update(of=("self",)).select_related("evaluation__game__project")
        row = locked.get(pk=flag.pk)
        check_answer_flag(by, row)
        if row.resolved_at is not None:
            raise Conflict(
                _("This flag is resolved already. Load the page again to see by whom."), code="resolved"
            )
        if not text and not is_resolved:
            raise Unacceptable(_("The answer is empty. Write something, or resolve the flag."), field="text")
        last = row.replies.order_by("-pk").first()
        if text and not (last is not None and (last.created_by_id, last.text) == (by.pk, text)):
            FlagReply.objects.create(flag=row, text=text, created_at=now, created_by=by)
            _record(row, "remark:answered", by, now)
        if is_resolved:
            row.resolved_at, row.resolved_by = now, by
            row.save(update_fields=["resolved_at", "resolved_by"])
            _record(row, "remark:resolved", by, now)


def _record(flag: Remark, verb: str, by: Person, now: datetime) -> None:
    record_event(
        by=by,
        now=now,
        project=flag.evaluation.game.project,
        verb=verb,
        object_kind="remark",
        object_id=flag.pk,
        detail={"kind": flag.kind, "target": flag.target},
    )
