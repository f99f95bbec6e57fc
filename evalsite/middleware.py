"""What happens to every request: headers on every answer, signing in first, refusals turned into answers."""

import logging
import secrets
import time
from collections.abc import Callable
from ipaddress import ip_address

from csp.utils import build_policy
from django.conf import settings
from django.contrib.auth import logout
from django.contrib.auth.middleware import get_user
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.middleware.gzip import GZipMiddleware, re_accepts_gzip
from django.utils import timezone
from django.utils.cache import patch_vary_headers
from django.utils.translation import gettext as _
from isal import igzip

from workspace.core.refusals import NotAllowed, Refusal, TooOften
from workspace.models.people import time_zones
from workspace.tokens.core import read_bearer
from workspace.tokens.permissions import check_opens
from workspace.tokens.queries import Bearer, find_bearer
from workspace.web.devices import remember_device
from workspace.web.errors import error, refused, status_of
from workspace.web.problems import problem
from workspace.web.rate_limits import limit_window
from workspace.web.views import is_api, is_too_large, refuse_pieces, set_up_first, sign_in_first

PERMISSIONS_POLICY = "camera=(), microphone=(), geolocation=(), clipboard-read=()"
MINUTE = 60
# Below this many bytes compression costs more than it saves; the level, and the bytes of a head without a name.
SHORT_ANSWER, GZIP_LEVEL, GZIP_HEAD = 200, 2, 10
logger = logging.getLogger("evalsite.requests")
Next = Callable[[HttpRequest], HttpResponseBase]


class Middleware:
    def __init__(self, get_response: Next) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)


class SafetyHeaders(Middleware):
    """Headers that Django does not set, on every answer, errors and regions too. Goes outermost.

    No answer of ours has a security policy of its own, so django-csp writes it once and not for every answer.
    """

    def __init__(self, get_response: Next) -> None:
        super().__init__(get_response)
        self.headers = {
            "Content-Security-Policy": build_policy(),
            "Content-Language": settings.LANGUAGE_CODE,
            "Cross-Origin-Resource-Policy": "same-origin",
            "Permissions-Policy": PERMISSIONS_POLICY,
            # Static files have their own long life and are answered by whitenoise, within.
            "Cache-Control": "no-store",
        }

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        for name, value in self.headers.items():
            response.headers.setdefault(name, value)
        return response


class ClientAddress(Middleware):
    """Sets REMOTE_ADDR to the address of the client, also behind proxies of ours; others cannot choose their address.

    Each proxy appends the address that it was called from to X-Forwarded-For, or replaces the header. So, from the end
    backwards, the first address that is no proxy of ours is the client. Anybody may have written the addresses before
    it.
    """

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if settings.BEHIND_PROXY:
            self.look(request)
        return self.get_response(request)

    def look(self, request: HttpRequest) -> None:
        """Take the address from the header, and remove the scheme if it does not come from a proxy of ours."""
        client = request.META.get("REMOTE_ADDR", "")
        if not self.is_ours(client):
            if request.META.pop("HTTP_X_FORWARDED_PROTO", None):
                logger.warning(
                    "X-Forwarded-Proto from %s, which TRUSTED_PROXIES does not name, is ignored", client
                )
            return
        hops = [hop.strip() for hop in request.META.get("HTTP_X_FORWARDED_FOR", "").split(",")]
        while self.is_ours(client) and hops and is_address(hops[-1]):
            client = hops.pop()
        request.META["REMOTE_ADDR"] = client

    def is_ours(self, address: str) -> bool:
        if not is_address(address):
            return False
        found = ip_address(address)
        found = getattr(found, "ipv4_mapped", None) or found
        return any(found in network for network in settings.TRUSTED_PROXIES)


def is_address(text: str) -> bool:
    """Whether this is an IP address, without a port."""
    try:
        return bool(ip_address(text))
    except ValueError:
        return False


class Gzip(GZipMiddleware):
    """Django's, except that whole answers are compressed by ISA-L, in a tenth of zlib's time for some more bytes."""

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        """Pack an answer for a client that takes it packed; see docs/adr/0011 for the random bytes."""
        is_taken = re_accepts_gzip.search(request.META.get("HTTP_ACCEPT_ENCODING", ""))
        if not (is_taken and isinstance(response, HttpResponse)) or response.has_header("Content-Encoding"):
            return super().process_response(request, response)
        content = response.content
        if len(content) < SHORT_ANSWER:
            return response
        patch_vary_headers(response, ("Accept-Encoding",))
        packed = pack(content, random_bytes=secrets.randbelow(self.max_random_bytes))
        if len(packed) >= len(content):
            return response
        response.content = packed
        response.headers["Content-Length"] = str(len(packed))
        response.headers["Content-Encoding"] = "gzip"
        if etag := response.headers.get("ETag"):
            response.headers["ETag"] = etag if etag.startswith("W/") else f"W/{etag}"
        return response


def pack(content: bytes, *, random_bytes: int) -> bytes:
    """The content as gzip (RFC 1952), with a file name of so many bytes in its head."""
    packed = igzip.compress(content, compresslevel=GZIP_LEVEL, mtime=0)
    head = bytearray(packed[:GZIP_HEAD])
    head[3] = igzip.FNAME
    return bytes(head) + b"a" * random_bytes + b"\0" + packed[GZIP_HEAD:]


class BodyLimits(Middleware):
    """Answers 413 before anything reads a body that is larger than its address takes from this person.

    `evalsite.whole_requests` asks this first for a large body (100: send it) and says when one came too late (408) or
    had no room on the disk (507).
    """

    def process_view(
        self,
        request: HttpRequest,
        view: Callable[..., HttpResponse],
        _positions: tuple[object, ...],
        address: dict[str, object],
    ) -> HttpResponse | None:
        """Stop what is too large; comes before the check of the form's token, which reads the body."""
        if is_too_large(request, view, address):
            return error(request, 413)
        try:
            if not is_api(request):  # which first asks for a token
                refuse_pieces(request)
        except Refusal as refusal:
            return refused(request, refusal)
        body = request.META.get("evalsite.body")
        if body == "late":
            return error(request, 408)
        if body == "no room":
            return error(request, 507)
        return HttpResponse(status=100) if body == "asks" else None


class SignInRequired(Middleware):
    """Deny by default: a view that does not say it is for anyone is only reached by somebody signed in.

    Where leads and admins need a second factor, those who have none are led to its set-up before anything else.
    """

    def process_view(
        self, request: HttpRequest, view: Callable[..., HttpResponse], *_address: object
    ) -> HttpResponse | None:
        """Stop anonymous people, and people who lack a second factor, before the view; `needs("anyone")` lets them
        through."""
        if getattr(view, "login_required", True) and not request.user.is_authenticated:
            return sign_in_first(request)
        lacks = request.user.is_authenticated and request.user.lacks_second_factor
        if lacks and getattr(view, "factor_required", True):
            return set_up_first(request)
        return None


class Refusals(Middleware):
    """Turns refusals, a database that is away and a full disk into answers, and gives an empty 405 its page."""

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if response.status_code == 405 and not getattr(response, "content", b"-"):
            page = error(request, 405)
            page["Allow"] = response["Allow"]
            return page
        return response

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """The answer to what a view raised, if it is ours to answer."""
        if isinstance(exception, Refusal):
            return refused(request, exception)
        if status := status_of(exception):
            logger.error("%s: %s", "the disk is full" if status == 507 else "the database is away", exception)
            return error(request, status)
        return None


class SignInLimits(Middleware):
    """Ends sign-ins that were not used for hours or are days old; writes to the session once a minute at most.

    A computer on which somebody signed in just now is remembered.
    """

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        request.user = get_user(request)  # Django's stand-in asks at every use whether it was read
        if request.user.is_authenticated:
            self.look(request, int(timezone.now().timestamp()))
        response = self.get_response(request)
        if person := getattr(request, "remember_device_of", None):
            remember_device(request, response, person)
        return response

    def look(self, request: HttpRequest, now: int) -> None:
        """Sign out what is too old, else note the use."""
        began, seen = request.session.get("began", now), request.session.get("seen", 0)
        idle_for = now - (seen or now)
        if now - began > settings.SIGN_IN_ABSOLUTE or idle_for > settings.SIGN_IN_IDLE:
            logout(request)
        elif now - seen >= MINUTE:
            request.session["began"], request.session["seen"] = began, now


class AccessTokens(Middleware):
    """A request to the API acts for the owner of its token, and for nobody else: no sign-in by cookie counts there.

    Comes after `SignInLimits`, which would store a sign-in for the owner.
    """

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if not is_api(request):
            return self.get_response(request)
        if settings.SECURE_SSL_REDIRECT and not request.is_secure():
            says = _("Send this to https://. Revoke the token: who listens on the way has read it.")
            return problem(400, says, code="https_needed")
        began, bearer = time.perf_counter(), self.identify(request)
        request.user = AnonymousUser() if bearer is None else bearer.person
        request.bearer = bearer  # type: ignore[attr-defined]
        try:
            self.count(request, bearer)
            response = self.get_response(request)
        except TooOften as refusal:
            response = refused(request, refusal)
        token, person = ("-", "-") if bearer is None else (bearer.token, bearer.person.pk)
        took, status = (time.perf_counter() - began) * 1000, response.status_code
        said = (request.method, request.path, status, token, person, took)
        logger.info("api %s %s %s, token %s of person %s, %.0f ms", *said)
        return response

    def identify(self, request: HttpRequest) -> Bearer | None:
        """The owner of the token; None, with the reason on the request, without a valid token."""
        bearer = find_bearer(read_bearer(request.headers.get("Authorization", "")))
        try:
            check_opens(bearer, timezone.now())
        except NotAllowed as refusal:
            request.token_refusal = refusal.sentence  # type: ignore[attr-defined]
            return None
        return bearer

    def count(self, request: HttpRequest, bearer: Bearer | None) -> None:
        """Count the request, whatever its answer: by token, or by address without a valid token. Raises TooOften."""
        if bearer is not None:
            whose, most = f"token:{bearer.token}", settings.API_RATE_LIMIT
        else:
            whose, most = f"address:{request.META.get('REMOTE_ADDR', '')}", settings.API_ADDRESS_LIMIT
        limit_window(whose, most=most, seconds=MINUTE, now=timezone.now())


class ViewersTime(Middleware):
    """Shows times in the time zone that the person chose, else in the browser's, which frame.js keeps in a cookie."""

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        browsers = request.COOKIES.get("zone", "")
        chosen = getattr(request.user, "time_zone", "") or (browsers if browsers in time_zones() else "")
        with timezone.override(chosen or settings.TIME_ZONE):
            return self.get_response(request)
