"""How a project deals its games out: the order, and how many of a hundred are hidden repeats."""

from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from discussions.models import QueueRule
from discussions.models.queue_rules import MOST_REPEATS, ORDERS
from discussions.permissions import check_deal_out
from workspace.actions.events import record_event
from workspace.core.refusals import Unacceptable
from workspace.models import Person, Project


def change_queue(
    *, project: Project, order: str, repeat_percent: int, by: Person, now: datetime
) -> QueueRule:
    """Set the rule of the queue, from the next game on. The same rule again changes nothing.

    Raises NotAllowed for anybody but leads, Unacceptable for an unknown order or too many repeats.
    """
    check_deal_out(by, project)
    if order not in dict(ORDERS):
        raise Unacceptable(_("Choose one of the two orders."), field="order", code="unknown")
    if not 0 <= repeat_percent <= MOST_REPEATS:
        says = _("Of a hundred games at most %(most)d can be repeats.") % {"most": MOST_REPEATS}
        raise Unacceptable(says, field="repeat_percent", code="too_many")
    with transaction.atomic():
        made = {"changed_at": now, "changed_by": by}
        rule, is_new = QueueRule.objects.select_for_update().get_or_create(project=project, defaults=made)
        before = {"order": rule.order, "repeat_percent": rule.repeat_percent}
        after = {"order": order, "repeat_percent": repeat_percent}
        if before == after and not is_new:
            return rule
        rule.order, rule.repeat_percent, rule.changed_at, rule.changed_by = order, repeat_percent, now, by
        rule.save(update_fields=["order", "repeat_percent", "changed_at", "changed_by"])
        record_event(
            by=by,
            now=now,
            project=project,
            verb="queue:changed",
            object_kind="project",
            object_id=project.pk,
            detail={"before": before, "after": after},
        )
    return rule
