"""The second step of signing in: a code of one's app, or a recovery code, on the page or in the dialog in place."""

from collections.abc import Callable
from typing import TypeVar

from allauth.account.stages import LoginStage, LoginStageController
from allauth.core.internal.ratelimit import clear, consume
from django.conf import settings
from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from workspace.actions.second_factors import prove, use_code
from workspace.core.refusals import Refusal, TooOften
from workspace.forms.second_factors import CodeForm
from workspace.models import Person
from workspace.models.second_factors import has_second_factor
from workspace.views.bodies import fault_of, typed
from workspace.views.gate import is_htmx, needs, sign_in_first, signed_in

T = TypeVar("T")


class SecondStep(LoginStage):
    """Between the password, or the organisation's word, and being signed in."""

    key = "second_step"
    urlname = "second_step"

    def handle(self) -> tuple[HttpResponse | None, bool]:
        """Ask for a code whoever has a second factor."""
        if self.login.user is None or not has_second_factor(self.login.user):
            return None, True
        return HttpResponseRedirect(reverse(self.urlname)), True


@needs("anyone", methods=("GET", "POST"))
def second_step(request: HttpRequest) -> HttpResponse:
    """Ask for the code, and sign in with it."""
    if request.user.is_authenticated:
        return signed_in(request) if is_htmx(request) else redirect("home")
    stage = LoginStageController.enter(request, SecondStep.key)
    person = stage.login.user if stage else None
    if not isinstance(person, Person) or not person.is_active:
        return sign_in_first(request, anew=True) if is_htmx(request) else redirect("account_login")
    form, status = CodeForm(), 200
    if request.method == "POST":
        form, status = typed(request, CodeForm), 422
        if form.is_valid():
            try:
                guarded(request, person, use_code, code=form.cleaned_data["code"])
                answer = stage.exit()
                return signed_in(request) if is_htmx(request) else answer
            except Refusal as refusal:
                status = _told(form, refusal)
    return ask_for_code(request, form, status=status)


def ask_for_code(request: HttpRequest, form: BaseForm | None = None, *, status: int = 200) -> HttpResponse:
    """The form for the code, as page or in the dialog."""
    name = "workspace/_second_step_dialog.html" if is_htmx(request) else "workspace/second_step.html"
    return render(request, name, {"form": form or CodeForm()}, status=status)


def guarded(request: HttpRequest, person: Person, act: Callable[..., T], **given: str) -> T:
    """Try a code or password, as often as the limits of the person allow; raises TooOften, and what the act raises."""
    limits = {"config": {"second_step": settings.SECOND_STEP_LIMIT}, "key": str(person.pk)}
    if not consume(request, app="evalsite", action="second_step", **limits):
        raise TooOften(_("Too many tries. Wait five minutes, then try again."), retry_after=300)
    done = act(by=person, now=timezone.now(), **given)
    clear(request, app="evalsite", action="second_step", **limits)
    return done


def proven(request: HttpRequest, person: Person, proof: str) -> None:
    """Make sure that it is still the person who sits there; raises Unacceptable for a wrong proof, and TooOften."""
    guarded(request, person, prove, proof=proof)


def _told(form: BaseForm, refusal: Refusal) -> int:
    """Too many tries are told in the form, too: what was typed before the sign-in must not go for it."""
    if not isinstance(refusal, TooOften):
        return fault_of(form, refusal)
    form.add_error(None, refusal.sentence)
    return 422
