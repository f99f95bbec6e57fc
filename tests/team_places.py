"""A hidden repeat that somebody holds, as its rows are once it was dealt."""

from discussions.models import Evaluation, Slot
from discussions.models.slots import REPEAT
from tests.factories import NOW


def make_repeat(evaluation, *, shown_number=99, now=NOW):
    """The same game once more for the same person, under another number."""
    game, person = evaluation.game, evaluation.evaluator
    slot = Slot.objects.create(
        project=game.project,
        game=game,
        purpose=REPEAT,
        number=1,
        shuffle=0,
        evaluator=person,
        taken_at=now,
        assigned_to=person,
        assigned_at=now,
        assigned_by=person,
    )
    return Evaluation.objects.create(
        game=game,
        slot=slot,
        evaluator=person,
        purpose=REPEAT,
        measured=evaluation.measured,
        seed="0" * 32,
        created_at=now,
        shown_number=shown_number,
    )
