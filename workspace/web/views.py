"""What every view begins and ends with. The gate: its permission by name, its verbs, signing in first, how much and
which parameters its address takes. The end: a region for htmx, a redirect after a plain form, a page, or a file.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from functools import wraps
from typing import IO, Any, cast

from allauth.account.internal.stagekit import LOGIN_SESSION_KEY as SECOND_STEP
from django.conf import settings
from django.http import (
    FileResponse,
    HttpRequest,
    HttpResponse,
    HttpResponseNotAllowed,
    HttpResponsePermanentRedirect,
    HttpResponseRedirect,
    StreamingHttpResponse,
)
from django.middleware.csrf import get_token
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django_htmx.http import HttpResponseClientRedirect

from workspace.access.permissions import may_lead
from workspace.core.refusals import Malformed
from workspace.models import Person, Project
from workspace.models.sign_ins import load_person
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
                limit_costly(request, costs, announced_length(request.META))
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
        return HttpResponseRedirect(
            f"{reverse(settings.LOGIN_URL)}?{urlencode({'next': request.get_full_path()})}"
        )
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
        return HttpResponseRedirect(f"{reverse(SETTING_UP)}?{urlencode({'next': request.get_full_path()})}")
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


def is_too_large(request: HttpRequest, view: object, address: dict[str, Any]) -> bool:
    """Whether the body, by the length it was announced with, is more than this person may send to this view.

    A form has settings.DATA_UPLOAD_MAX_MEMORY_SIZE bytes. A view behind `require(..., files=may)` takes
    settings.MOST_UPLOADED_AT_ONCE from people for whom `may` is true. No more than what was announced is ever
    read, so neither a wrong length nor a body in pieces without one gets anything onto the disk.
    """
    length = announced_length(request.META)
    return length > 0 and length > _most(request, view, address)


def announced_length(environ: Mapping[str, Any]) -> int:
    """How many bytes of body were announced: so many are read. None of a chunked body without a length."""
    try:
        return max(0, int(environ.get("CONTENT_LENGTH") or 0))
    except ValueError:
        return 0


def refuse_pieces(request: HttpRequest) -> None:
    """Raise Malformed for a chunked body without a length: it would be ignored without an error."""
    if "Transfer-Encoding" in request.headers and not request.META.get("CONTENT_LENGTH"):
        says = _(
            "Send the body with its length (Content-Length), not in pieces (Transfer-Encoding: chunked). Nothing was "
            "read."
        )
        raise Malformed(says, code="length_needed")


def _most(request: HttpRequest, view: object, address: dict[str, Any]) -> int:
    may_send = getattr(view, "files", None)
    if may_send and request.user.is_authenticated and may_send(request.user, **address):
        return int(settings.MOST_UPLOADED_AT_ONCE)
    return int(settings.DATA_UPLOAD_MAX_MEMORY_SIZE)


def only_parameters(request: HttpRequest, *names: str) -> dict[str, str]:
    """The parameters of the address, all of them in `names` and each at most once, else Malformed (400).

    It is refused by `bind_form`, before anything is done, or by `require` when the view has ended; the view gets empty
    values meanwhile. So who may not see the page or do the act is told that first.
    """
    is_odd = any(name not in names or len(values) != 1 for name, values in request.GET.lists())
    request.odd_address = odd_address() if is_odd else None  # type: ignore[attr-defined]
    if is_odd:
        return dict.fromkeys(names, "")
    return {name: request.GET.get(name, "") for name in names}


def odd_address() -> Malformed:
    return Malformed(_("This address holds something that the page does not know. Open the page again."))


def respond(
    request: HttpRequest,
    *,
    page: str,
    region: str | None = None,
    context: Mapping[str, Any] | None = None,
    status: int = 200,
    redirect: str | None = None,
) -> HttpResponse:
    """Answer with `region` when htmx asks and there is one, 303 to `redirect` after a plain POST, else with `page`.

    With htmx and no region a `redirect` is followed by the browser itself. A status of 400 and more never redirects:
    the same page or region says what is wrong.
    """
    values = dict(context or {})
    if is_htmx(request):
        if region is not None:
            return _draw(request, region, values, status)
        if redirect is not None and status < 400:
            return HttpResponseClientRedirect(redirect)
    if redirect is not None and request.method == "POST" and status < 400:
        return HttpResponseRedirect(redirect, status=303)
    return _draw(request, page, values, status)


def _draw(request: HttpRequest, template: str, values: dict[str, Any], status: int) -> HttpResponse:
    return HttpResponse(render_to_string(template, values, request), status=status)


def frame(person: Person, project: Project | None = None, section: str = "") -> dict[str, object]:
    """What the frame around every page shows: the project one is in, its sections, whether one leads it."""
    is_lead = project is not None and may_lead(person, project)
    return {"project": project, "section": section, "may_lead": is_lead}


def download(body: bytes, name: str, content_type: str) -> HttpResponse:
    """A file under a name of ours, never shown inline."""
    return HttpResponse(body, content_type=content_type, headers=_name_file(name))


def stream(parts: Iterable[str | bytes], name: str, content_type: str) -> HttpResponse:
    """A file under a name of ours, sent part by part: all together may not fit into memory."""
    answer = StreamingHttpResponse(parts, content_type=content_type, headers=_name_file(name))
    # Views and middleware treat an answer that is sent piece by piece as any other.
    return cast(HttpResponse, answer)


def _name_file(name: str) -> dict[str, str]:
    return {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}


def download_file(file: IO[bytes], name: str, content_type: str) -> HttpResponse:
    """A file of any size under a name of ours, sent piece by piece; it is closed afterwards."""
    answer = FileResponse(file, as_attachment=True, filename=name, content_type=content_type)
    answer["Cache-Control"] = "no-store"
    return cast(HttpResponse, answer)


def tell_saved(answer: HttpResponse, saved_at: datetime | None) -> HttpResponse:
    """Say in a header when the work was stored, if it was."""
    if saved_at:
        answer["X-Saved"] = timezone.localtime(saved_at).strftime("%H:%M:%S")
    return answer
