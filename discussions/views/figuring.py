"""The screen on which a lead enters what a transcript does not report of a game."""

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone

from discussions.actions.figuring_games import enter_figure as enter
from discussions.forms.figures import FigureForm
from discussions.models import Game
from discussions.models.manual_figures import KINDS
from discussions.pages.by_hand import build_figures_page
from discussions.permissions import check_enter_figure
from discussions.views.moved import kept_status
from workspace.core.refusals import Malformed, Refusal
from workspace.pages.frame import frame
from workspace.views.answers import answer
from workspace.views.bodies import only_parameters, typed
from workspace.views.gate import SignedIn, needs


@needs("enter_figure", methods=("GET", "POST"))
def enter_figure(request: SignedIn, slug: str, number: int) -> HttpResponse:
    """What is known of the game's cost and cache hit rate, and a form for a figure; leads back to itself."""
    rows = Game.objects.visible_to(request.user).select_related("project")
    game = get_object_or_404(rows, project__slug=slug, number=number)
    check_enter_figure(request.user, game)
    form, status = FigureForm(initial=_wanted(request)), 200
    if request.method == "POST":
        form, status = typed(request, FigureForm), 422
        try:
            if form.is_valid():
                kind, reason = form.cleaned_data["kind"], form.cleaned_data["reason"]
                given = {"kind": kind, "value": form.entered, "reason": reason}
                enter(game=game, **given, by=request.user, now=timezone.now())
                return answer(request, page="", redirect=reverse("enter_figure", args=[slug, number]))
        except Refusal as refusal:
            status = kept_status(form, refusal)
    context = {"page": build_figures_page(game=game), "form": form}
    context |= frame(request.user, game.project, "games")
    return answer(request, page="discussions/figure_enter.html", context=context, status=status)


def _wanted(request: SignedIn) -> dict[str, str]:
    """The kind of figure that a link asks for."""
    kind = only_parameters(request, "kind")["kind"]
    if kind and kind not in dict(KINDS):
        raise Malformed("There is no such figure. Open the page afresh.")
    return {"kind": kind} if kind else {}
