"""People to whom games come again, reached through the real actions.

A hidden repeat that somebody holds, as its rows are once it was given.
"""

from discussions.models import Evaluation, Slot
from discussions.models.slots import REPEAT
from discussions.queue.actions import change_queue, take_next_game
from discussions.rating.actions import reveal_roles, submit_evaluation
from tests.factories.people import NOW, make_lead, moment
from tests.factories.rating import make_game, say_what_is_missing, submitted
from tests.factories.replays import replayed


@replayed
def rated_once(percent: int = 50) -> Evaluation:
    """A person who rated the only game of a project, half of whose games are to come again."""
    evaluation = submitted()
    project = evaluation.game.project
    change_queue(
        project=project, order="random", repeat_percent=percent, by=make_lead(project=project), now=NOW
    )
    return evaluation


@replayed
def finish(evaluation: Evaluation) -> Evaluation:
    """Rate it to the end, and hand it in."""
    work = Evaluation.objects.with_work().get(pk=evaluation.pk)
    say_what_is_missing(work)
    reveal_roles(evaluation=work, by=work.evaluator, now=NOW)
    say_what_is_missing(work)
    return submit_evaluation(evaluation=work, by=work.evaluator, now=NOW)


@replayed
def until_repeated(first: Evaluation) -> Evaluation:
    """Rate games that come in, one after the other, until one comes again."""
    project, by = first.game.project, first.evaluator
    for turn in range(12):
        make_game(project=project)
        taken = take_next_game(project=project, by=by, now=moment(turn))
        assert taken is not None
        if taken.purpose == REPEAT:
            return Evaluation.objects.with_work().get(pk=taken.pk)
        finish(taken)
    raise AssertionError("half of the games should be repeats, and none of twelve is")


@replayed
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
