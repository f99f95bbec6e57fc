"""What a lead does about the evaluations of a game: send one back with a comment, or say that fewer are enough."""

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone

from discussions.actions.needing import need_fewer as lower
from discussions.actions.returning import return_evaluation as send_back
from discussions.forms.adjudicating import FewerForm, ReturnForm
from discussions.models import Evaluation
from discussions.pages.adjudicating import GamePlace
from discussions.permissions_team import check_need_fewer, check_return_evaluation
from discussions.views.adjudicating import led_game_or_404
from discussions.views.moved import kept_status
from workspace.core.refusals import Refusal
from workspace.pages.frame import frame
from workspace.views.answers import answer
from workspace.views.bodies import typed
from workspace.views.gate import SignedIn, needs


@needs("return_evaluation", methods=("POST",))
def return_evaluation(request: SignedIn, slug: str, number: int, evaluation: int) -> HttpResponse:
    """Send a submitted evaluation back; leads back to the game, or shows the form again with what was typed."""
    game = led_game_or_404(request.user, slug, number)
    rows = Evaluation.objects.select_related("game__project", "evaluator")
    found = get_object_or_404(rows, game=game, pk=evaluation)
    form = typed(request, ReturnForm)
    status = 422
    try:
        check_return_evaluation(request.user, found)
        if form.is_valid():
            comment = form.cleaned_data["comment"]
            send_back(evaluation=found, comment=comment, by=request.user, now=timezone.now())
            place = reverse("game", args=[slug, number])
            return answer(request, page="", redirect=f"{place}#game-people")
    except Refusal as refusal:
        status = kept_status(form, refusal)
    context = {"page": GamePlace(slug, number), "evaluation": found.pk, "return_form": form}
    context |= frame(request.user, game.project, "games")
    return answer(request, page="discussions/evaluation_return.html", context=context, status=status)


@needs("need_fewer", methods=("POST",))
def need_fewer(request: SignedIn, slug: str, number: int) -> HttpResponse:
    """Lower how many evaluations the game needs; leads back to the game, or shows the form again."""
    game = led_game_or_404(request.user, slug, number)
    form = typed(request, FewerForm)
    status = 422
    try:
        check_need_fewer(request.user, game)
        if form.is_valid():
            given = form.cleaned_data
            lower(
                game=game, count=given["count"], reason=given["reason"], by=request.user, now=timezone.now()
            )
            place = reverse("game", args=[slug, number])
            return answer(request, page="", redirect=f"{place}#game-people")
    except Refusal as refusal:
        status = kept_status(form, refusal)
    context = {"page": GamePlace(slug, number), "fewer_form": form}
    context |= frame(request.user, game.project, "games")
    return answer(request, page="discussions/game_fewer.html", context=context, status=status)
