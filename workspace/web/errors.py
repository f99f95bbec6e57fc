"""Everything that is answered instead of a page: refusals, Django's own errors, a form that was too old."""

import errno
import logging
import sqlite3
import sys
from collections.abc import Mapping
from urllib.parse import urlsplit

from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import RequestDataTooBig
from django.db import DatabaseError, InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import (
    REASON_BAD_ORIGIN,
    REASON_BAD_REFERER,
    REASON_INSECURE_REFERER,
    REASON_MALFORMED_REFERER,
    REASON_NO_CSRF_COOKIE,
    REASON_NO_REFERER,
)
from django.shortcuts import render
from django.utils.translation import gettext as _

from workspace.core.refusals import Refusal, TooOften
from workspace.web.problems import AGAIN_AFTER, problem
from workspace.web.unsaved_form import unsaved_fields
from workspace.web.views import is_api, is_htmx

PAGES = frozenset({400, 403, 404, 405, 409, 413, 422, 429, 500, 503, 507})
FULL_DISK = frozenset({errno.ENOSPC, errno.EDQUOT})
POSTGRES_DISK_FULL = "53100"
# https://www.postgresql.org/docs/current/errcodes-appendix.html: it is read-only; it ended a transaction that held its
# locks for too long, because it was idle or altogether, and the connection with it. Django calls these internal errors.
POSTGRES_AWAY = frozenset({"25006", "25P03", "25P04"})
logger = logging.getLogger("evalsite.refusals")


def refused(request: HttpRequest, refusal: Refusal) -> HttpResponse:
    """The page of a refusal's status with its sentence, or a note on the page when htmx asked."""
    name = request.resolver_match.url_name if request.resolver_match else ""
    who, address = getattr(request, "user", None), request.META.get("REMOTE_ADDR", "")
    facts = (refusal.status, refusal.code, name, getattr(who, "pk", None) or "-", address)
    logger.info("refused %s %s %s, person %s from %s", *facts)
    field, detail = getattr(refusal, "field", ""), getattr(refusal, "detail", {})
    if is_api(request):
        answer = problem(refusal.status, refusal.sentence, code=refusal.code, field=field, detail=detail)
    else:
        context: dict[str, object] = {"detail": detail}
        if isinstance(refusal, TooOften) and not is_htmx(request):
            context["kept"] = unsaved_fields(request)
        answer = error(request, refusal.status, refusal.sentence, context)
    if isinstance(refusal, TooOften):
        answer["Retry-After"] = str(refusal.retry_after)
    return answer


def error(
    request: HttpRequest, status: int, reason: str = "", context: Mapping[str, object] | None = None
) -> HttpResponse:
    """An error as page or region, for programs as JSON.

    The region goes to the notes of the page: what was typed stays where it is.
    """
    if is_api(request):
        return problem(status, reason)
    if status not in PAGES or is_htmx(request):
        reason = reason or _reason(status)
    values = {"reason": reason, "status": status} | dict(context or {})
    if is_htmx(request):
        answer = render(request, "errors/_refusal.html", values, status=status)
        answer["HX-Retarget"] = "#toasts"
        answer["HX-Reswap"] = "beforeend"
    else:
        page = f"errors/{status if status in PAGES else 400}.html"
        answer = render(request, page, values, status=status)
    if status == 503:
        answer["Retry-After"] = str(AGAIN_AFTER)
    return answer


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """Django's handler400; a body over the limit is a 413."""
    return error(request, 413 if isinstance(exception, RequestDataTooBig) else 400)


def permission_denied(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return error(request, 403)


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """Django's handler404; the exception's text never reaches the page."""
    return error(request, 404)


def server_error(request: HttpRequest) -> HttpResponse:
    """Django's handler500: nothing of the fault is shown. A fault before a view began has its status, too.

    The person is unknown then, and the page queries no database, since it must be shown whatever happened.
    """
    request.user = AnonymousUser()
    return error(request, status_of(sys.exception()) or 500)


def status_of(fault: BaseException | None) -> int:
    """The status of a failure that is no fault of the code: 507 on a full disk, 503 without the database; else 0.

    For a save, a read-only database, such as a standby, counts as away; so does one that ended the transaction of a
    process that was stopped.
    """
    if isinstance(fault, OSError) and fault.errno in FULL_DISK:
        return 507
    cause = fault.__cause__ if isinstance(fault, DatabaseError | InterfaceError) else None
    if getattr(cause, "sqlstate", "") in POSTGRES_AWAY:
        return 503
    if not isinstance(fault, OperationalError | InterfaceError):
        return 0
    is_full = getattr(cause, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL
    return 507 if is_full or getattr(cause, "sqlstate", "") == POSTGRES_DISK_FULL else 503


def too_many_requests(request: HttpRequest) -> HttpResponse:
    answer = error(request, 429)
    answer["Retry-After"] = "300"
    return answer


def csrf_failed(request: HttpRequest, reason: str = "") -> HttpResponse:
    """A form whose token or origin does not fit: 403, with what was typed; one that is merely old gets a fresh token,
    so that one press sends it again.

    `reason` is Django's, in English: which of its checks failed.
    """
    heading, sentence = _("The form was not accepted"), _wrong_origin(request, reason)
    if not sentence and reason == REASON_NO_CSRF_COOKIE:
        sentence = _(
            "Your browser sent no cookie of this site, so nothing was saved. Allow its cookies, reload the page and "
            "try again."
        )
    if not sentence:
        heading = _("The form has expired")
        sentence = _("This page is older than your sign-in, so nothing was saved. Reload it and try again.")
    if is_htmx(request):
        return error(request, 403, sentence)
    values = {"heading": heading, "reason": sentence, "kept": unsaved_fields(request)}
    return render(request, "errors/too_old.html", values, status=403)


def _wrong_origin(request: HttpRequest, reason: str) -> str:
    """What a person and their admin do when the browser names another page than this site's; "" for other reasons."""
    if reason in (REASON_NO_REFERER, REASON_MALFORMED_REFERER):
        return _(
            "Your browser does not say from which page this form came, so nothing was saved. Allow it to send the "
            "address of the page (referrer) within this site, reload the page and try again."
        )
    named = [text.partition("%s")[0] for text in (REASON_BAD_ORIGIN, REASON_BAD_REFERER)]
    if not reason.startswith((*named, REASON_INSECURE_REFERER)):
        return ""
    origin = urlsplit(request.headers.get("Origin") or request.headers.get("Referer", ""))
    return _(
        "Nothing was saved: your browser says that this form came from %(origin)s, but this site takes its address to "
        "be %(host)s. If the first is how you opened this site, tell an admin: the proxy must pass on the host with "
        "its port as the browser sent it, or CSRF_TRUSTED_ORIGINS must name that address. If not, open this site "
        "again."
    ) % {
        "origin": f"{origin.scheme}://{origin.netloc}"[:200] if origin.netloc else _("an unknown page"),
        "host": f"{request.scheme}://{request.get_host()}",
    }


def _reason(status: int) -> str:
    sentences = {
        400: _("This request could not be read. Reload the page and try again."),
        403: _("You may not do this now. Nothing was changed."),
        404: _("There is nothing at this address any more. Reload the page."),
        408: _("What was sent did not arrive whole in time; nothing was stored. Send it again."),
        413: _("That is too large; nothing was stored."),
        429: _("Too many attempts. Wait a few minutes, then try again."),
        503: _("Not saved: a part of the site is unavailable. Press again in a minute."),
        507: _("Not saved: the disk of this site is full. Tell an admin; then send it again."),
    }
    return sentences.get(
        status, _("Something went wrong on our side. What was saved before is safe; try again.")
    )
