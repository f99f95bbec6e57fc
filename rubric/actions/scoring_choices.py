"""How new comparison sets are scored: an admin's choice for the whole installation."""

from datetime import datetime

from django.db import transaction

from rubric.models import ScoringChoice
from rubric.models.scoring_choices import is_scored_by_criterion
from rubric.permissions import check_edit_rubrics
from workspace.actions.events import record_event
from workspace.models import Person


def choose_scoring(*, is_on: bool, by: Person, now: datetime) -> None:
    """Let new sets begin with scores by criterion, or as a whole alone. Choosing what is so changes nothing.

    Sets that are there keep their mode. Raises NotAllowed.
    """
    check_edit_rubrics(by)
    with transaction.atomic():
        if is_scored_by_criterion() == is_on:
            return
        made = ScoringChoice.objects.create(is_on=is_on, created_at=now, created_by=by)
        record_event(
            by=by,
            now=now,
            project=None,
            verb="rubric_scoring:chosen",
            object_kind="scoring_choice",
            object_id=made.pk,
            detail={"is_on": is_on},
        )
