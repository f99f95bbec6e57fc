"""One's second factor: look, set up, replace, new recovery codes, switch off; and an admin's reset for another."""

from functools import partial

from allauth.mfa.totp.internal.auth import generate_totp_secret
from allauth.mfa.utils import decrypt, encrypt
from django.forms import BaseForm
from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone

from workspace.actions.second_factors import (
    renew_recovery_codes,
    reset_second_factor,
    set_up_second_factor,
    switch_off_second_factor,
)
from workspace.core.refusals import Refusal
from workspace.forms.second_factors import ProofForm, ReasonForm, SetUpForm
from workspace.models import Person
from workspace.models.second_factors import has_second_factor
from workspace.pages.frame import frame
from workspace.pages.second_factors import factor_page, set_up_page
from workspace.permissions import check_reset_second_factor, check_see_people, check_switch_off_second_factor
from workspace.views.answers import answer
from workspace.views.bodies import fault_of, only_parameters, typed
from workspace.views.gate import SETTING_UP, SignedIn, needs
from workspace.views.next_page import next_page
from workspace.views.second_step import guarded, proven

# The secret of a set-up that is not confirmed yet, and how long after signing in nobody is asked who they are.
PENDING, JUST_NOW = "second_factor", 600


@needs("sign_in")
def second_factor(request: SignedIn) -> HttpResponse:
    """Whether one has a second factor, and what can be done with it."""
    return show_factor(request, ProofForm())


@needs(SETTING_UP, methods=("GET", "POST"))
def set_up(request: SignedIn) -> HttpResponse:
    """Show the secret, and take the app when it gives the right code; the recovery codes are shown this once."""
    has_one = has_second_factor(request.user)
    asks = {"asks_proof": has_one or not has_just_signed_in(request), "has_one": has_one}
    secret = pending_secret(request)
    if request.method == "POST":
        form, status = typed(request, SetUpForm, **asks), 422
        if form.is_valid():
            given = form.cleaned_data
            try:
                if "proof" in given:
                    proven(request, request.user, given["proof"])
                codes = taken(request, secret, given["code"])
                return show_codes(request, codes, onward=next_page(request, "second_factor"))
            except Refusal as refusal:
                status = fault_of(form, refusal)
    else:
        form, status = SetUpForm(initial=only_parameters(request, "next"), **asks), 200
    page = set_up_page(person=request.user, secret=secret, host=request.get_host(), has_one=has_one)
    context = {"form": form, "page": page, **frame(request.user)}
    return answer(request, page="workspace/second_factor_set_up.html", context=context, status=status)


@needs("sign_in", methods=("POST",))
def renew_codes(request: SignedIn) -> HttpResponse:
    """New recovery codes, shown this once."""
    form = typed(request, ProofForm)
    if not form.is_valid():
        return show_factor(request, form, status=422)
    try:
        proven(request, request.user, form.cleaned_data["proof"])
        codes = renew_recovery_codes(by=request.user, now=timezone.now())
    except Refusal as refusal:
        return show_factor(request, form, status=fault_of(form, refusal))
    return show_codes(request, codes, onward=reverse("second_factor"))


@needs("switch_off_second_factor", methods=("POST",))
def switch_off(request: SignedIn) -> HttpResponse:
    """Sign in by password alone from now on."""
    check_switch_off_second_factor(request.user)
    form = typed(request, ProofForm)
    if not form.is_valid():
        return show_factor(request, form, status=422)
    try:
        proven(request, request.user, form.cleaned_data["proof"])
        switch_off_second_factor(by=request.user, now=timezone.now())
    except Refusal as refusal:
        return show_factor(request, form, status=fault_of(form, refusal))
    return answer(request, page="", redirect=reverse("second_factor"))


@needs("reset_second_factor", methods=("GET", "POST"))
def reset(request: SignedIn, person: int) -> HttpResponse:
    """Take away somebody's second factor, with a reason."""
    check_see_people(request.user)
    found = get_object_or_404(Person, pk=person)
    check_reset_second_factor(request.user, found)
    form, status = ReasonForm(), 200
    if request.method == "POST":
        form, status = typed(request, ReasonForm), 422
        if form.is_valid():
            try:
                reset_second_factor(person=found, by=request.user, now=timezone.now(), **form.cleaned_data)
                return answer(request, page="", redirect=reverse("people"))
            except Refusal as refusal:
                status = fault_of(form, refusal)
    context = {"form": form, "person": found, "has_one": has_second_factor(found)}
    context |= frame(request.user, None, "people")
    return answer(request, page="workspace/second_factor_reset.html", context=context, status=status)


def pending_secret(request: SignedIn) -> str:
    """The secret of the set-up that is under way, the same until it is confirmed: a reload must not spoil a scan."""
    if PENDING not in request.session:
        request.session[PENDING] = encrypt(generate_totp_secret())
    secret: str = decrypt(request.session[PENDING])
    return secret


def taken(request: SignedIn, secret: str, code: str) -> list[str]:
    """Confirm the set-up by its first code; the recovery codes."""
    act = partial(set_up_second_factor, secret=secret, keep=request.session.session_key or "")
    codes = guarded(request, request.user, act, code=code)
    del request.session[PENDING]
    request.session.cycle_key()
    return codes


def has_just_signed_in(request: SignedIn) -> bool:
    """Whether the sign-in is so fresh that the person need not prove again who they are."""
    now = timezone.now().timestamp()
    return bool(now - request.session.get("began", 0) < JUST_NOW)


def show_factor(request: SignedIn, form: BaseForm, *, status: int = 200) -> HttpResponse:
    """The page, with the form as it stands."""
    context = {"form": form, "page": factor_page(person=request.user), **frame(request.user)}
    return answer(request, page="workspace/second_factor_show.html", context=context, status=status)


def show_codes(request: SignedIn, codes: list[str], *, onward: str) -> HttpResponse:
    """The recovery codes, this once."""
    context = {"codes": codes, "onward": onward, **frame(request.user)}
    return answer(request, page="workspace/second_factor_codes.html", context=context)
