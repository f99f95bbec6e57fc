"""What the home page says about a game that was just submitted."""

from datetime import datetime

from django.utils.translation import gettext as _

from discussions.core.evaluation_states import SUBMITTED
from discussions.models import Evaluation
from discussions.models.queue_rules import load_rating_rule
from discussions.models.slots import CALIBRATION
from discussions.slots.queries import submitted_count
from discussions.verdicts.permissions import check_reopen
from workspace.access.permissions import may
from workspace.models import Person


def find_submission(person: Person, key: int, now: datetime) -> dict[str, object] | None:
    """A submitted evaluation of the person and a sentence on its game; None when there is none with this key.

    `can_reopen` says whether it can be reopened, `is_compared` that its project shows where evaluators and rule differ.

    A hidden duplicate is described by its shown number and the evaluations of its game, so that it reads like any
    other.
    """
    own = Evaluation.objects.visible_to(person).filter(pk=key, state=SUBMITTED).exclude(purpose=CALIBRATION)
    evaluation = own.select_related("game__iteration").annotate(in_count=submitted_count()).first()
    if evaluation is None:
        return None
    needed = evaluation.game.evaluator_count
    values = {
        "game": evaluation.rated_as or evaluation.game_number,
        "count": min(evaluation.in_count, needed),
        "needed": needed,
    }
    says = _("Game %(game)d is submitted.")
    if needed > 1:
        says = _("Game %(game)d: %(count)d of %(needed)d evaluations are submitted.")
    return {
        "evaluation": evaluation,
        "says": says % values,
        "can_reopen": may(check_reopen, person, evaluation, now),
        "is_compared": load_rating_rule(evaluation.game.project_id).shows_differences,
    }
