"""How I answered before."""

from django.http import HttpResponse

from discussions.pages.own_history import own_history_page
from workspace.pages.frame import frame
from workspace.views.answers import answer
from workspace.views.bodies import number_of, only_parameters
from workspace.views.gate import SignedIn, needs


@needs("sign_in")
def own_history(request: SignedIn) -> HttpResponse:
    """My answers and ratings, newest first."""
    asked = only_parameters(request, "before")
    page = own_history_page(person=request.user, before=number_of(asked["before"]))
    return answer(request, page="discussions/own_history.html", context={"page": page, **frame(request.user)})
