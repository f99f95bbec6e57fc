"""The list of a project's games, and one game with all that was found and said of it."""

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _

from discussions.forms.adjudicating import FewerForm, ReturnForm
from discussions.forms.withdrawals import WithdrawalForm
from discussions.models import Game
from discussions.models.named import has_seen_names
from discussions.pages.game import build_game_page
from discussions.pages.games import build_games_page
from discussions.pages.games_order import SORTS, STATES, Wanted
from discussions.permissions import check_see_game, check_see_games
from workspace.core.refusals import Malformed
from workspace.models import Person
from workspace.pages.frame import frame
from workspace.permissions import may, role_in
from workspace.views.answers import answer
from workspace.views.bodies import number_of, only_parameters
from workspace.views.gate import SignedIn, needs
from workspace.views.projects import project_or_404


@needs("see_games")
def games(request: SignedIn, slug: str) -> HttpResponse:
    """A page of the project's games; an evaluator is sent to where games are taken."""
    project = project_or_404(request.user, slug)
    if role_in(request.user, project) == "evaluator":
        return redirect("queue", slug=slug)
    check_see_games(request.user, project)
    page = build_games_page(project=project, wanted=wanted_of(request))
    context = {"page": page, **frame(request.user, project, "games")}
    return answer(request, page="discussions/game_list.html", context=context)


@needs("see_game")
def game(request: SignedIn, slug: str, number: int) -> HttpResponse:
    """One game, for those who lead its project and, after the verdict, who judged it; to others it is not there."""
    found = game_or_404(request.user, slug, number)
    given = only_parameters(request, "from", "names")
    framed = frame(request.user, found.project, "games")
    leads = bool(framed["may_lead"])
    context = {
        "page": build_game_page(
            game=found,
            start=number_of(given["from"]) or 1,
            is_named=given["names"] == "1" and leads and has_seen_names(request.user, found),
            only=None if leads else request.user,
        ),
        "withdrawal_form": WithdrawalForm(),
        "return_form": ReturnForm(),
        "fewer_form": FewerForm(),
        **framed,
    }
    return answer(request, page="discussions/game_show.html", context=context)


def wanted_of(request: SignedIn) -> Wanted:
    """The order, filters and cursor in the address; Malformed (400) for what no link of ours says."""
    given = only_parameters(request, "sort", "state", "iteration", "after", "before")
    sort, state = given["sort"] or "newest", given["state"]
    if sort not in SORTS or (state and state not in STATES):
        raise Malformed(_("This list cannot be ordered or filtered like that. Choose from its menus."))
    return Wanted(
        sort=sort,
        state=state,
        iteration=number_of(given["iteration"]),
        after=number_of(given["after"]),
        before=number_of(given["before"]),
    )


def game_or_404(person: Person, slug: str, number: int) -> Game:
    """The game of that number, when the person may open all of it; to everybody else it is not there."""
    rows = Game.objects.select_related("iteration__rubric_version__rubric", "transcript", "project")
    found = get_object_or_404(rows, project__slug=slug, number=number)
    if not may(check_see_game, person, found):
        raise Http404
    return found
