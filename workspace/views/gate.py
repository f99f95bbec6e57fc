"""The gate before every view: its permission by name, its verbs, and signing in first."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode

from workspace.models import Person
from workspace.views.kept import typed_fields

ANYONE = "anyone"


class SignedIn(HttpRequest):
    """The type of the requests that reach a view behind `needs`: somebody is signed in. Never made, only named."""

    user: Person


View = Callable[..., HttpResponse]


def needs(
    permission: str, *, methods: tuple[str, ...] = ("GET",), files: Callable[..., bool] | None = None
) -> Callable[[View], View]:
    """Name the permission that a view needs and the verbs it understands; everybody signs in first.

    `permission` is the verb of the `check_<verb>` that the view calls with what it fetched, "sign_in" where being
    signed in is enough, or "anyone" for the few pages before the sign-in. Other verbs are answered 405. The name is
    kept as `.permission` on the view: the guard of the rights matrix reads it. Only a view with `files` is sent more
    than a form, and only by a person for whom `files(person, **address)` is true.
    """
    allowed = (*methods, "HEAD") if "GET" in methods else methods

    def decorate(view: View) -> View:
        @wraps(view)
        def gated(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            if permission != ANYONE and not request.user.is_authenticated:
                return sign_in_first(request)
            if request.method not in allowed:
                return HttpResponseNotAllowed(allowed)
            return view(request, *args, **kwargs)

        gated.permission = permission  # type: ignore[attr-defined]
        gated.methods = allowed  # type: ignore[attr-defined]
        gated.files = files  # type: ignore[attr-defined]
        gated.login_required = permission != ANYONE  # type: ignore[attr-defined]
        return gated

    return decorate


def sign_in_first(request: HttpRequest) -> HttpResponse:
    """What somebody without a sign-in gets: a page is sent to the sign-in, everything else is told 401.

    htmx opens the sign-in dialog in place, so that what was typed stays; a plain form gets a page that keeps it.
    """
    if is_htmx(request):
        answer = render(request, "workspace/_sign_in_dialog.html", status=401)
        answer["HX-Retarget"] = "#signin"
        answer["HX-Reswap"] = "innerHTML"
        return answer
    if request.method in ("GET", "HEAD"):
        return redirect(f"{reverse(settings.LOGIN_URL)}?{urlencode({'next': request.get_full_path()})}")
    return render(request, "errors/signed_out.html", {"kept": typed_fields(request)}, status=401)


def is_htmx(request: HttpRequest) -> bool:
    """Whether htmx asks for a region; restoring history asks for a page."""
    htmx = getattr(request, "htmx", None)
    if htmx is None or not htmx:
        return False
    return not htmx.boosted and not htmx.history_restore_request
