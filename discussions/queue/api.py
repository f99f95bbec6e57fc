"""Taking the next game of a project, for programs."""

from django.utils import timezone
from ninja import Router

from discussions.queue.actions import take_next_game
from discussions.rating.api import EvaluationAnswer, short_answer
from discussions.rating.views import evaluation_or_404
from discussions.slots.permissions import check_take_game
from workspace.web.bind_form import project_or_404
from workspace.web.endpoints import Answer, endpoint
from workspace.web.require import SignedIn

router = Router()


class NextAnswer(Answer):
    """The evaluation to work on next; null when no game is free."""

    evaluation: EvaluationAnswer | None


@endpoint(
    router,
    "POST",
    "/projects/{slug:slug}/next/",
    name="api_next_game",
    permission="take_game",
    scope="rate",
    answer=NextAnswer,
)
def next_game(request: SignedIn, slug: str) -> NextAnswer:
    """Take the next game of a project.

    An evaluation that you have begun comes first. Your place on the game is held as long as you work on it.
    """
    project = project_or_404(request.user, slug)
    check_take_game(request.user, project)
    taken = take_next_game(project=project, by=request.user, now=timezone.now())
    if taken is None:
        return NextAnswer(evaluation=None)
    return NextAnswer(evaluation=short_answer(evaluation_or_404(request.user, taken.pk)))
