"""What somebody is told who just handed a game in: that it is in, and how many of its evaluators are."""

from django.db.models import Count, OuterRef, Subquery
from django.db.models.functions import Coalesce
from django.utils.translation import gettext as _

from discussions.core.moves import SUBMITTED
from discussions.models import Evaluation
from discussions.models.slots import CALIBRATION, RATING
from workspace.models import Person


def handed_in_says(person: Person, key: int) -> str:
    """One sentence on one's own evaluation with that number, "" where it is not in; one query.

    A hidden repeat is told of by its own number and by how many rated its game, so that it reads like any other.
    """
    own = Evaluation.objects.visible_to(person).filter(pk=key, state=SUBMITTED).exclude(purpose=CALIBRATION)
    found = own.select_related("game__iteration").annotate(in_count=in_count()).first()
    if found is None:
        return ""
    needed = found.game.evaluator_count
    told = {"game": found.game_number, "count": min(found.in_count, needed), "needed": needed}
    if needed == 1:
        return _("Game %(game)d is handed in.") % told
    return _("Game %(game)d is handed in: %(count)d of %(needed)d are in.") % told


def in_count() -> Coalesce:
    """How many evaluations of an evaluation's game are in: all that its evaluator learns of the others."""
    rows = Evaluation.objects.filter(game=OuterRef("game"), purpose=RATING, state=SUBMITTED)
    counted = rows.order_by().values("game").annotate(number=Count("pk")).values("number")
    return Coalesce(Subquery(counted), 0)
