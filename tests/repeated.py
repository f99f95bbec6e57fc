"""People to whom games come again, reached through the real actions."""

from discussions.actions.finishing import reveal_roles, submit_evaluation
from discussions.actions.ruling_queue import change_queue
from discussions.actions.taking import take_next_game
from discussions.models import Evaluation
from discussions.models.slots import REPEAT
from tests.factories import NOW, make_lead, moment
from tests.rated import make_game, say_what_is_missing, submitted


def rated_once(percent: int = 50) -> Evaluation:
    """A person who rated the only game of a project, half of whose games are to come again."""
    evaluation = submitted()
    project = evaluation.game.project
    change_queue(
        project=project, order="random", repeat_percent=percent, by=make_lead(project=project), now=NOW
    )
    return evaluation


def finish(evaluation: Evaluation) -> Evaluation:
    """Rate it to the end, and hand it in."""
    work = Evaluation.objects.with_work().get(pk=evaluation.pk)
    say_what_is_missing(work)
    reveal_roles(evaluation=work, by=work.evaluator, now=NOW)
    say_what_is_missing(work)
    return submit_evaluation(evaluation=work, by=work.evaluator, now=NOW)


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
