"""The lease of the evaluator's place: how long it lasts, renewed by using the page, taken up again when it ended."""

from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone

from discussions.actions.finishing import return_to_game
from discussions.actions.leasing import renew_lease as renew
from discussions.forms.leasing import LeaseForm
from discussions.models import Evaluation
from discussions.pages.rating_lease import ENDED, HELD, build_lease
from discussions.views.rating import evaluation_or_404
from workspace.core.refusals import Conflict, NotAllowed, Unacceptable
from workspace.forms.acts import OLD
from workspace.views.answers import answer
from workspace.views.bodies import only_parameters, typed
from workspace.views.gate import SignedIn, goes_on, is_htmx, needs

PAGE = "discussions/evaluation_rate.html"
LEASE = "discussions/_rate_lease.html"


@needs("rate", methods=("GET", "POST"))
def renew_lease(request: SignedIn, evaluation: int) -> HttpResponse:
    """How long the place is held; POST renews it, or takes the game up again. Nothing else on the page is drawn."""
    only_parameters(request)
    found = evaluation_or_404(request.user, evaluation)
    if request.method != "POST":
        return _answered(request, found) if is_htmx(request) else redirect("rate", found.pk)
    form = typed(request, LeaseForm)
    if not form.is_valid():
        raise Unacceptable(str(OLD))
    try:
        act = return_to_game if form.is_again else renew
        act(evaluation=found, by=request.user, now=timezone.now())
    except (NotAllowed, Conflict) as refusal:
        if not is_htmx(request):
            raise
        return _answered(request, found, form, refusal)
    return _answered(request, found, form)


def _answered(
    request: SignedIn,
    evaluation: Evaluation,
    form: LeaseForm | None = None,
    refusal: NotAllowed | Conflict | None = None,
) -> HttpResponse:
    """The lease as it is by now, and a note where it is news; without htmx the page again."""
    lease = build_lease(
        evaluation=evaluation_or_404(request.user, evaluation.pk),
        now=timezone.now(),
        refusal=refusal,
    )
    # Told once: the note must not take the place of another one with every key that is pressed.
    was_ended = form is not None and form.cleaned_data["known"] == ENDED
    is_again = form is not None and form.is_again
    is_news = is_again or (lease.state == ENDED) != was_ended
    made = answer(
        request,
        page=PAGE,
        region=LEASE,
        context={"lease": lease, "is_news": is_news},
        status=refusal.status if refusal else 200,
        redirect=reverse("rate", args=[evaluation.pk]),
    )
    if lease.state == HELD and (is_again or was_ended) and is_htmx(request):
        # What the page kept while the place was not held is sent now, as after signing in anew.
        made["HX-Trigger"] = goes_on(request)
    return made
