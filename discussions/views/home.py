"""Home, the queue of a project, and one's own evaluations."""

from django.http import HttpResponse
from django.urls import reverse
from django.utils import timezone

from discussions.actions.taking import take_next_game
from discussions.pages.home import home_page
from discussions.pages.mine import mine_page
from discussions.pages.queue import queue_page
from discussions.permissions import check_take_game
from workspace.forms.acts import KeyedForm
from workspace.pages.frame import frame
from workspace.views.answers import answer
from workspace.views.bodies import number_of, only_parameters, typed
from workspace.views.gate import SignedIn, needs
from workspace.views.projects import project_or_404


@needs("sign_in")
def home(request: SignedIn) -> HttpResponse:
    """What waits for me and where I stopped; where I come from handing a game in, that it is in."""
    asked = only_parameters(request, "handed_in")
    page = home_page(person=request.user, now=timezone.now(), handed_in=number_of(asked["handed_in"]))
    return answer(request, page="discussions/home_show.html", context={"page": page, **frame(request.user)})


@needs("sign_in")
def mine(request: SignedIn) -> HttpResponse:
    """My evaluations, newest first."""
    asked = only_parameters(request, "before")
    page = mine_page(person=request.user, before=number_of(asked["before"]))
    return answer(
        request, page="discussions/evaluation_list.html", context={"page": page, **frame(request.user)}
    )


@needs("sign_in")
def queue(request: SignedIn, slug: str) -> HttpResponse:
    """What is free in a project, or why nothing is."""
    only_parameters(request)
    project = project_or_404(request.user, slug)
    page = queue_page(person=request.user, project=project)
    context = {"page": page, **frame(request.user, project, "queue")}
    return answer(request, page="discussions/queue_show.html", context=context)


@needs("take_game", methods=("POST",))
def next_game(request: SignedIn, slug: str) -> HttpResponse:
    """Take the next game; to the queue when none is free."""
    project = project_or_404(request.user, slug)
    typed(request, KeyedForm)
    check_take_game(request.user, project)
    taken = take_next_game(project=project, by=request.user, now=timezone.now())
    place = reverse("rate", args=[taken.pk]) if taken else reverse("queue", args=[slug])
    return answer(request, page="", redirect=place)
