"""The gate before every view: its permission by name, its verbs, and signing in first."""

import json
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any

from allauth.account.internal.stagekit import LOGIN_SESSION_KEY as SECOND_STEP
from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponsePermanentRedirect
from django.middleware.csrf import get_token
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from workspace.models import Person
from workspace.models.sign_ins import load_person
from workspace.web.bind_form import only_parameters
from workspace.web.problems import API, problem, token_needed
from workspace.web.rate_limits import limit_costly
from workspace.web.unsaved_form import unsaved_fields

ANYONE = "anyone"
SETTING_UP = "set_up_second_factor"


class SignedIn(HttpRequest):
    """The type of the requests that reach a view behind `require`: a person is signed in. Used for annotations only."""

    user: Person


View = Callable[..., HttpResponse]


def require(
    permission: str,
    *,
    methods: tuple[str, ...] = ("GET",),
    files: Callable[..., bool] | None = None,
    costs: str = "",
    own_address: bool = False,
) -> Callable[[View], View]:
    """Name the permission that a view needs and the verbs it understands; everybody signs in first.

    `permission` is the verb of the `check_<verb>` that the view calls with what it fetched, "sign_in" where being
    signed in is enough, "set_up_second_factor" where it is enough also before a second factor that is required, or
    "anyone" for the few pages before the sign-in. Other verbs are answered 405. The name is
    kept as `.permission` on the view: the guard of the rights matrix reads it. Only a view with `files` accepts more
    than a form, and only from a person for whom `files(person, **address)` is true. `costs` names the limit of
    `limit_costly` that counts it. A page takes no parameters but those that its view asks `only_parameters` for; with
    `own_address` it asks later, or reads them itself.
    """
    allowed = (*methods, "HEAD") if "GET" in methods else methods

    def decorate(view: View) -> View:
        @wraps(view)
        def gated(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            if permission != ANYONE and not request.user.is_authenticated:
                return sign_in_first(request)
            if request.method not in allowed:
                return HttpResponseNotAllowed(allowed)
            if costs:
                limit_costly(request, costs)
            if permission != ANYONE and not own_address:
                only_parameters(request)
            answer = view(request, *args, **kwargs)
            if odd_address := getattr(request, "odd_address", None):
                raise odd_address
            return answer

        named: Any = gated
        named.permission, named.methods, named.files, named.costs = permission, allowed, files, costs
        named.login_required = permission != ANYONE
        named.factor_required = permission not in (ANYONE, SETTING_UP)
        return gated

    return decorate


def sign_in_first(request: HttpRequest, *, anew: bool = False, status: int = 401) -> HttpResponse:
    """The answer to somebody who is not signed in: a page is redirected to the sign-in, everything else gets 401.

    htmx opens the sign-in dialog in place, so that what was typed stays; a plain form gets a page that keeps it.
    """
    if is_api(request):
        return token_needed(getattr(request, "token_refusal", ""))
    if is_htmx(request):
        if SECOND_STEP in request.session and not anew:
            return _in_dialog(request, "workspace/authentication/_second_step_dialog.html", {"form": None})
        context = {"form": None, **sign_in_methods()}
        return _in_dialog(request, "workspace/authentication/_sign_in_dialog.html", context, status=status)
    if request.method in ("GET", "HEAD"):
        return redirect(f"{reverse(settings.LOGIN_URL)}?{urlencode({'next': request.get_full_path()})}")
    context = {"reason": "", "kept": unsaved_fields(request)}
    return render(request, "errors/signed_out.html", context, status=401)


def set_up_first(request: HttpRequest) -> HttpResponse:
    """The answer to somebody who lacks a required second factor: the same, with the set-up instead of the sign-in."""
    if is_api(request):
        says = _("Team leads and admins need a second factor here. Sign in on the site and set one up first.")
        return problem(403, says, code="second_factor_missing")
    if is_htmx(request):
        return _in_dialog(request, "workspace/authentication/_set_up_first_dialog.html")
    if request.method in ("GET", "HEAD"):
        return redirect(f"{reverse(SETTING_UP)}?{urlencode({'next': request.get_full_path()})}")
    context = {"reason": "", "kept": unsaved_fields(request)}
    return render(request, "errors/set_up_first.html", context, status=403)


def signed_in(request: HttpRequest) -> HttpResponse:
    """Signed in, in the dialog: it closes and hands the page its new token, unless a second factor is missing."""
    person = load_person(int(request.user.pk or 0))
    if person is not None and person.lacks_second_factor:
        return set_up_first(request)
    region = render(request, "workspace/authentication/_signed_in.html")
    region["HX-Trigger"] = goes_on(request)
    return region


def goes_on(request: HttpRequest) -> str:
    """The `HX-Trigger` on which a page takes its new token and sends unsaved acts again."""
    return json.dumps({"signed-in": {"csrfToken": get_token(request)}})


def sign_in_methods() -> dict[str, object]:
    """What the sign-in forms offer besides a password: the organisation's own, "" without one, and links by e-mail."""
    return {"outside": settings.OIDC_NAME, "sends_links": bool(settings.EMAIL_HOST)}


def _in_dialog(
    request: HttpRequest, template: str, context: Mapping[str, object] | None = None, *, status: int = 401
) -> HttpResponse:
    answer = render(request, template, context, status=status)
    answer["HX-Retarget"] = "#signin"
    answer["HX-Reswap"] = "innerHTML"
    return answer


def is_api(request: HttpRequest) -> bool:
    """Whether a program asks: the address is one of the API."""
    return request.path.startswith(API)


def is_htmx(request: HttpRequest) -> bool:
    """Whether htmx asks for a region; restoring history asks for a page."""
    htmx = getattr(request, "htmx", None)
    if htmx is None or not htmx:
        return False
    return not htmx.boosted and not htmx.history_restore_request


def moved(name: str) -> View:
    """The view of an address that had another path before: it sends everybody on to the page of that name."""

    @require("sign_in", own_address=True)
    def send_on(request: HttpRequest, **address: Any) -> HttpResponse:
        query = request.META.get("QUERY_STRING", "")
        return HttpResponsePermanentRedirect(reverse(name, kwargs=address) + (f"?{query}" if query else ""))

    return send_on
