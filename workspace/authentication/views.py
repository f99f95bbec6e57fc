"""Signing in and out, the second step, and a person's second factor; and an admin's reset for someone else."""

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar
from urllib.parse import quote, urlencode

from allauth.account.stages import LoginStage, LoginStageController
from allauth.account.views import LoginView
from allauth.core.internal.ratelimit import clear, consume
from allauth.mfa.totp.internal.auth import generate_totp_secret
from allauth.mfa.utils import decrypt, encrypt
from django.conf import settings
from django.contrib.auth import logout
from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect, render, resolve_url
from django.urls import reverse
from django.utils import timezone
from django.utils.crypto import constant_time_compare
from django.utils.translation import gettext as _

from workspace.access.permissions import check_see_people, get_refusal
from workspace.authentication import actions
from workspace.authentication.forms import CodeForm, ProofForm, ReasonForm, SetUpForm, SignInForm
from workspace.authentication.permissions import (
    check_reset_second_factor,
    check_switch_off_second_factor,
    must_have_second_factor,
)
from workspace.authentication.queries import APP, CODES, codes_left, factor_rows, has_second_factor
from workspace.core.refusals import Refusal, TooOften
from workspace.models import Person
from workspace.web.bind_form import add_refusal, bind_form
from workspace.web.form_page import form_page, send
from workspace.web.next_page import next_page
from workspace.web.views import (
    SETTING_UP,
    SignedIn,
    frame,
    is_htmx,
    only_parameters,
    require,
    respond,
    sign_in_first,
    sign_in_methods,
    signed_in,
)

T = TypeVar("T")
# The session hash of the password when the second step began.
AT_PASSWORD = "second_step_password"


class SecondStep(LoginStage):
    """The stage between the password, or the provider's answer, and being signed in."""

    key = "second_step"
    urlname = "second_step"

    def handle(self) -> tuple[HttpResponse | None, bool]:
        if self.login.user is None or not has_second_factor(self.login.user):
            return None, True
        self.request.session[AT_PASSWORD] = self.login.user.get_session_auth_hash()
        return HttpResponseRedirect(reverse(self.urlname)), True

    @classmethod
    def started(cls, request: HttpRequest) -> tuple[LoginStage, Person] | None:
        """The stage in which this browser waits, and its person; None when there is none, or it is too old.

        Like a sign-in, it ends with a deactivation and with a new password.
        """
        stage = LoginStageController.enter(request, cls.key)
        person = stage.login.user if stage else None
        if not isinstance(person, Person) or not person.is_active:
            return None
        is_same = constant_time_compare(request.session.get(AT_PASSWORD, ""), person.get_session_auth_hash())
        return (stage, person) if is_same else None


@require("anyone", methods=("GET", "POST"))
def second_step(request: HttpRequest) -> HttpResponse:
    if request.user.is_authenticated:
        return signed_in(request) if is_htmx(request) else redirect("home")
    started = SecondStep.started(request)
    if started is None:
        return sign_in_first(request, anew=True) if is_htmx(request) else redirect("account_login")
    stage, person = started
    form, status = CodeForm(), 200
    if request.method == "POST":
        form, status = bind_form(request, CodeForm), 422
        if form.is_valid():
            try:
                guarded(request, person, actions.use_code, code=form.cleaned_data["code"])
                answer = stage.exit()
                return signed_in(request) if is_htmx(request) else answer
            except Refusal as refusal:
                status = _told(form, refusal)
    return ask_for_code(request, form, status=status)


def ask_for_code(request: HttpRequest, form: BaseForm | None = None, *, status: int = 200) -> HttpResponse:
    name = (
        "workspace/authentication/_second_step_dialog.html"
        if is_htmx(request)
        else "workspace/authentication/second_step.html"
    )
    return render(request, name, {"form": form or CodeForm()}, status=status)


def guarded(request: HttpRequest, person: Person, act: Callable[..., T], **given: str) -> T:
    """Try a code or password, within the limits on attempts of the person; raises TooOften, and what the act raises."""
    limits = {"config": {"second_step": settings.SECOND_STEP_LIMIT}, "key": str(person.pk)}
    if not consume(request, app="evalsite", action="second_step", **limits):
        raise TooOften(_("Too many attempts. Wait five minutes, then try again."), retry_after=300)
    done = act(by=person, now=timezone.now(), **given)
    clear(request, app="evalsite", action="second_step", **limits)
    return done


def proven(request: HttpRequest, person: Person, proof: str) -> None:
    """Verify that it is still the same person; raises Unacceptable for a wrong proof, and TooOften."""
    guarded(request, person, actions.prove, proof=proof)


def _told(form: BaseForm, refusal: Refusal) -> int:
    """Show "too many attempts" in the form, too: what was typed before the sign-in must not be lost."""
    if not isinstance(refusal, TooOften):
        return add_refusal(form, refusal)
    form.add_error(None, refusal.sentence)
    return 422


class SignInView(LoginView):
    """The sign-in page, and the same form in the dialog that opens in place when a sign-in has expired."""

    form_class = SignInForm
    template_name = "workspace/authentication/sign_in.html"

    def get_context_data(self, **kwargs: object) -> dict[str, object]:
        """The form, the OpenID Connect sign-in if configured, and what was just done: a new password."""
        done = self.request.GET.get("done", "")
        return super().get_context_data(**kwargs) | sign_in_methods() | {"done": done, "note": ""}

    def get(self, request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        """The form, also for somebody who has given the password but not yet the code: they may start again."""
        if is_htmx(request):
            return sign_in_first(request, anew=True, status=200)
        return super().get(request, *args, **kwargs)

    def form_valid(self, form: BaseForm) -> HttpResponse:
        """Continue to the page, or to the second step; in the dialog without leaving the typed text."""
        answer = super().form_valid(form)
        if not is_htmx(self.request):
            return answer
        return signed_in(self.request) if self.request.user.is_authenticated else ask_for_code(self.request)

    def form_invalid(self, form: BaseForm) -> HttpResponse:
        """Not signed in: the same form with its fault, and nothing else."""
        template = (
            "workspace/authentication/_sign_in_dialog.html" if is_htmx(self.request) else self.template_name
        )
        return render(self.request, template, self.get_context_data(form=form), status=422)

    def _redirect_to_pending_stage(self, request: HttpRequest, stage: LoginStage) -> None:
        """Never redirect to the second step from here, see `get`."""


_sign_in = SignInView.as_view()


@require("anyone", methods=("GET", "POST"))
def sign_in(request: HttpRequest) -> HttpResponse:
    """The sign-in; a page whose browser signed in by another tab meanwhile gets the new CSRF token."""
    if is_htmx(request) and request.user.is_authenticated:
        return signed_in(request)
    return _sign_in(request)


@require("anyone", methods=("POST",))
def sign_out(request: HttpRequest) -> HttpResponse:
    logout(request)
    return HttpResponseRedirect(resolve_url("account_login"), status=303)


# The secret of an unconfirmed set-up, and for how many seconds after signing in no proof is required.
PENDING, JUST_NOW = "second_factor", 600
FEW_CODES = 3
# Pixels per square of the QR code: a whole number, so that all are equally wide.
SQUARE = 5


@require("sign_in")
def second_factor(request: SignedIn) -> HttpResponse:
    return show_factor(request, ProofForm())


@require(SETTING_UP, methods=("GET", "POST"), own_address=True)
def set_up(request: SignedIn) -> HttpResponse:
    """Show the secret, and accept the app when it gives the right code; the recovery codes are shown only once."""
    has_one = has_second_factor(request.user)
    asks: dict[str, Any] = {"asks_proof": has_one or not has_just_signed_in(request), "has_one": has_one}
    secret = pending_secret(request)

    def confirm(form: SetUpForm) -> HttpResponse:
        if "proof" in form.cleaned_data:
            proven(request, request.user, form.cleaned_data["proof"])
        codes = taken(request, secret, form.cleaned_data["code"])
        return show_codes(request, codes, onward=next_page(request, "second_factor"))

    def context() -> dict[str, object]:
        return {
            "has_one": has_one,
            "is_required": must_have_second_factor(request.user),
            **show_secret(request.user, secret, host=request.get_host()),
            **frame(request.user),
        }

    page = "workspace/authentication/second_factor_set_up.html"
    initial: Any = only_parameters(request, "next") if request.method != "POST" else None
    return form_page(request, SetUpForm, confirm, page=page, context=context, initial=initial, **asks)


@require("sign_in", methods=("POST",))
def renew_codes(request: SignedIn) -> HttpResponse:
    form = bind_form(request, ProofForm)

    def act(proof: str, **who: Any) -> list[str]:
        proven(request, request.user, proof)
        return actions.renew_recovery_codes(**who)

    shown = partial(show_codes, request, onward=reverse("second_factor"))
    return send(
        request, form, act, lambda codes: shown(codes=codes), show=partial(show_factor, request, form)
    )


@require("switch_off_second_factor", methods=("POST",))
def switch_off(request: SignedIn) -> HttpResponse:
    check_switch_off_second_factor(request.user)
    form = bind_form(request, ProofForm)

    def act(proof: str, **who: Any) -> None:
        proven(request, request.user, proof)
        actions.switch_off_second_factor(**who)

    return send(request, form, act, reverse("second_factor"), show=partial(show_factor, request, form))


@require("reset_second_factor", methods=("GET", "POST"))
def reset(request: SignedIn, person: int) -> HttpResponse:
    check_see_people(request.user)
    account = get_object_or_404(Person, pk=person)
    check_reset_second_factor(request.user, account)

    def act(form: ReasonForm) -> str:
        actions.reset_second_factor(person=account, by=request.user, now=timezone.now(), **form.cleaned_data)
        return reverse("people")

    page = "workspace/authentication/second_factor_reset.html"
    context = {
        "person": account,
        "has_one": has_second_factor(account),
        **frame(request.user, None, "people"),
    }
    return form_page(request, ReasonForm, act, page=page, context=lambda: context)


def show_secret(person: Person, secret: str, *, host: str) -> dict[str, object]:
    """The secret for the app, as picture and as text; `host` is the name of this site in the app."""
    issuer = host.partition(":")[0]
    parameters = urlencode({"secret": secret, "issuer": issuer}, quote_via=quote)
    address = f"otpauth://totp/{quote(issuer)}:{quote(person.email)}?{parameters}"
    path, side = qr_path(address)
    grouped = " ".join(secret[start : start + 4] for start in range(0, len(secret), 4))
    return {"address": address, "path": path, "side": side, "pixels": side * SQUARE, "secret": grouped}


def qr_path(text: str) -> tuple[str, int]:
    """A QR code as the path of an SVG in units of one square, with its quiet zone, and the side of the picture."""
    import segno  # needed only by the set-up

    quiet = 4
    rows = [bytes(row) for row in segno.make(text, error="m", micro=False).matrix]
    drawn = []
    for down, row in enumerate(rows, start=quiet):
        for across, is_dark in enumerate(row, start=quiet):
            if is_dark:
                drawn.append(f"M{across} {down}h1v1h-1z")
    return "".join(drawn), len(rows) + 2 * quiet


def pending_secret(request: SignedIn) -> str:
    """The secret of the unfinished set-up, the same until it is confirmed: a reload must not invalidate a scan."""
    if PENDING not in request.session:
        request.session[PENDING] = encrypt(generate_totp_secret())
    secret: str = decrypt(request.session[PENDING])
    return secret


def taken(request: SignedIn, secret: str, code: str) -> list[str]:
    """Confirm the set-up by its first code; the recovery codes."""
    act = partial(actions.set_up_second_factor, secret=secret, keep=request.session.session_key or "")
    codes = guarded(request, request.user, act, code=code)
    del request.session[PENDING]
    request.session.cycle_key()
    return codes


def has_just_signed_in(request: SignedIn) -> bool:
    """Whether the sign-in is so fresh that the person need not prove again who they are."""
    now = timezone.now().timestamp()
    return bool(now - request.session.get("began", 0) < JUST_NOW)


def describe_factor(person: Person) -> dict[str, object]:
    """The person's factor: since when (None: no factor), recovery codes left, why it cannot be switched off."""
    rows = {row.type: row for row in factor_rows(person)}
    left = len(codes_left(rows[CODES])) if CODES in rows else 0
    return {
        "since": rows[APP].created_at if APP in rows else None,
        "codes": left,
        "is_few": left <= FEW_CODES,
        "is_required": must_have_second_factor(person),
        "off_refusal": get_refusal(check_switch_off_second_factor, person),
    }


def show_factor(request: SignedIn, form: BaseForm, *, status: int = 200) -> HttpResponse:
    context = {"form": form, "factor": describe_factor(request.user), **frame(request.user)}
    return respond(
        request, page="workspace/authentication/second_factor_show.html", context=context, status=status
    )


def show_codes(request: SignedIn, codes: list[str], *, onward: str) -> HttpResponse:
    """The recovery codes, shown only once."""
    context = {"codes": codes, "onward": onward, **frame(request.user)}
    return respond(request, page="workspace/authentication/second_factor_codes.html", context=context)
