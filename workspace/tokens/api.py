"""The gate before every operation of the API: verbs, the token's scope, its rate, and each keyed request once."""

import hashlib
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from inspect import signature
from typing import Any, NoReturn

from django.db import IntegrityError, transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.urls import URLPattern, path
from django.utils import timezone
from django.utils.functional import SimpleLazyObject
from django.utils.translation import gettext as _
from msgspec import json
from ninja import NinjaAPI
from ninja.errors import HttpError, ValidationError
from ninja.operation import Operation
from ninja.parser import Parser
from ninja.renderers import BaseRenderer
from ninja.security import HttpBearer

from workspace.core.refusals import Malformed, Refusal, Unacceptable
from workspace.core.strict_json import read_json
from workspace.models import KeptAnswer, Person
from workspace.tokens.actions import keep_answer, note_use
from workspace.tokens.permissions import check_scope
from workspace.tokens.queries import Bearer, find_answer, load_roles
from workspace.web.endpoints import Operations
from workspace.web.rate_limits import limit_costly
from workspace.web.views import announced_length, refuse_pieces, sign_in_first

LONGEST_KEY = 160
AGAIN = "Idempotent-Replayed"
BODY = "given"


class Asking(HttpRequest):
    """The type of the requests that reach an operation. Only for annotations; `sent` holds a body of bytes."""

    user: Person
    bearer: Bearer
    sent: bytes
    refuse: Callable[[Refusal], NoReturn]


class TokenScheme(HttpBearer):
    """Only for the description of the API: the middleware has already read the token."""

    def __call__(self, request: HttpRequest) -> Any:
        return getattr(request, "bearer", None)

    def authenticate(self, request: HttpRequest, token: str) -> Any:
        raise NotImplementedError


class StrictParser(Parser):
    """Bodies are read by the strict reader of JSON: bad JSON, deep nesting and long numbers give 400."""

    def parse_body(self, request: HttpRequest) -> Any:
        document = read_json(request.body)
        if document.problems or not document.is_readable:
            says = document.problems[0].message if document.problems else ""
            raise Malformed(_("The body is no JSON that can be read. %(says)s") % {"says": says})
        return document.value


class QuickRenderer(BaseRenderer):
    """JSON, written by msgspec: moments as ISO 8601, decimals as text."""

    media_type = "application/json"

    def render(self, request: HttpRequest, data: Any, *, response_status: int) -> bytes:
        return json.encode(data)


def refuse_values(request: Asking, fault: ValidationError) -> HttpResponse:
    """The refusal of values against the description of an operation: the first fault, with the name of its field."""
    first = fault.errors[0]
    if tuple(first["loc"]) == ("body", BODY) and first["type"] == "missing":
        says, place = _("Send the fields of this operation as one JSON object."), ""
    else:
        # A body is named as the argument of the operation that takes it.
        place = ".".join(str(part) for part in first["loc"][1:] if part != BODY)
        says = f"{place}: {first['msg']}." if place else f"{first['msg']}."
    request.refuse(Unacceptable(says, field=place, code=first["type"]))


def refuse_body(request: Asking, fault: HttpError) -> HttpResponse:
    """The refusal of a body that cannot be read, as its reader raised it."""
    says = _("This request could not be read. Compare it with the description of the API.")
    request.refuse(fault.__cause__ if isinstance(fault.__cause__, Refusal) else Malformed(says))


def refuse_after_rights(
    operation: Operation, request: Asking, address: Mapping[str, Any], fault: Refusal
) -> NoReturn:
    """Refuse what was sent, but only to a person who may do this: others are told that they may not (403 or 404).

    The operation runs until it reads something that was sent, which raises the fault. Nothing that it did is kept.
    """

    def read() -> NoReturn:
        raise fault

    unread = SimpleLazyObject(read)
    names = signature(operation.view_func).parameters.keys() - address.keys() - {"request"}
    with transaction.atomic():
        operation.view_func(request, **address, **dict.fromkeys(names, unread))
        read()


def handle_faults(api: NinjaAPI) -> None:
    """Have everything that an operation raises handled in one place, most of it by the middleware, as for pages."""

    def pass_on(_request: HttpRequest, fault: Any) -> HttpResponse:
        raise fault

    api.add_exception_handler(Exception, pass_on)
    api.add_exception_handler(Http404, pass_on)
    api.add_exception_handler(HttpError, refuse_body)  # type: ignore[arg-type]
    api.add_exception_handler(ValidationError, refuse_values)  # type: ignore[arg-type]


def gated_urls(api: NinjaAPI, routers: Iterable[Operations]) -> list[URLPattern]:
    """One route for each path of the routers, behind the gate."""
    views = {pattern.name: pattern for pattern in api.urls[0] if isinstance(pattern, URLPattern)}
    gated = []
    for router in routers:
        for view in router.router.path_operations.values():
            pattern = views[view.url_name]
            operations = {verb: operation for operation in view.operations for verb in operation.methods}
            gated.append(path(str(pattern.pattern), gate(pattern.callback, operations), name=pattern.name))
    return gated


def gate(
    view: Callable[..., HttpResponse], operations: Mapping[str, Operation]
) -> Callable[..., HttpResponse]:
    """The view of a path behind everything that holds for all operations; it names its permissions like `require`."""
    extras: dict[str | None, Any] = {verb: operation.openapi_extra for verb, operation in operations.items()}
    views: dict[str | None, Any] = {verb: operation.view_func for verb, operation in operations.items()}

    def gated(request: Asking, **address: Any) -> HttpResponse:
        if not request.user.is_authenticated:
            return sign_in_first(request)
        operation = operations.get(request.method or "")
        if operation is None:
            return HttpResponseNotAllowed(sorted(operations))
        bearer, used_from = request.bearer, request.META.get("REMOTE_ADDR", "")
        note_use(bearer=bearer, address=used_from, by=request.user, now=timezone.now())
        check_scope(bearer.scopes, extras[request.method]["x-scope"])
        request.refuse = partial(refuse_after_rights, operation, request, address)
        refuse_unknown(request, operation)
        try:
            refuse_pieces(request)
        except Malformed as refusal:
            request.refuse(refusal)
        if costs := views[request.method].costs:
            limit_costly(request, costs, announced_length(request.META))
        run = partial(view, request, **address)
        return run() if request.method == "GET" else answer_once(request, operation, run)

    named: Any = gated
    named.permission = " ".join(sorted({extra["x-permission"] for extra in extras.values()}))
    named.scopes = {verb: extra["x-scope"] for verb, extra in extras.items()}
    named.methods = tuple(operations)
    named.files = next((view.files for view in views.values() if view.files), None)
    named.costs = {verb: view.costs for verb, view in views.items()}
    named.csrf_exempt = True
    # No redirect from an address without its last slash: clients follow it with a GET, and take that for success.
    named.should_append_slash = False
    return gated


def refuse_unknown(request: Asking, operation: Operation) -> None:
    """Refuse (400) unknown parameters, and those that are sent twice."""
    known = {
        name
        for model in operation.models
        if model.__ninja_param_source__ == "query"
        for name in model.__ninja_flatten_map__
    }
    for name, values in request.GET.lists():
        if name not in known or len(values) != 1:
            says = _("This operation has no parameter “%(name)s”, or it is there twice.")
            request.refuse(Malformed(says % {"name": name[:40]}))
        if "\x00" in values[0]:
            says = _("The parameter “%(name)s” holds the character NUL.")
            request.refuse(Malformed(says % {"name": name}))


def answer_once(request: Asking, operation: Operation, run: Callable[[], HttpResponse]) -> HttpResponse:
    """Run a request with a key only once: the same key and request again gives the first answer.

    Refusals are not kept: nothing was done, so the same request may be sent again under its key. Nor is a file: it is
    sent again with every request.
    """
    key = read_key(request)
    if getattr(operation.view_func, "gives_file", False):
        return run()
    sha256 = hash_request(request, operation)
    if kept := find_answer(request.user, key):
        return repeat_answer(kept, sha256)
    try:
        with transaction.atomic():
            answer = run()
            body = answer.content.decode()
            keep_answer(
                key=key,
                request_sha256=sha256,
                status=answer.status_code,
                body=body,
                by=request.user,
                now=timezone.now(),
            )
    except (IntegrityError, Refusal, Http404):
        # Perhaps the same request was sent at the same moment and was faster.
        kept = find_answer(request.user, key)
        if kept is None:
            raise
        return repeat_answer(kept, sha256)
    return answer


def read_key(request: Asking) -> str:
    """The header Idempotency-Key; refuses a request without one (400)."""
    key = request.headers.get("Idempotency-Key", "")
    if not (0 < len(key) <= LONGEST_KEY and key.isascii() and key.isprintable()):
        says = _(
            "Send a header Idempotency-Key of 1 to 160 characters with every POST, new for everything that is done: "
            "the same request under the same key is done only once."
        )
        request.refuse(Malformed(says, code="key_needed"))
    return key


def hash_request(request: Asking, operation: Operation) -> str:
    """The hash of a request: the person and their roles, verb, address, and body; of files, their names and bytes.

    Because of the roles, a person who left a project or changed roles in it is not shown an earlier answer.
    """
    digest = hashlib.sha256(f"{request.method} {request.get_full_path()}\n".encode())
    digest.update(json.encode(load_roles(request.user)))
    takes_files = getattr(operation.view_func, "files", None) is not None
    if takes_files and request.content_type == "multipart/form-data":
        digest.update(json.encode(sorted(request.POST.lists())))
        for name, files in sorted(request.FILES.lists()):
            for file in files:
                sha256 = hashlib.sha256(b"".join(file.chunks())).hexdigest()
                file.seek(0)
                digest.update(json.encode([name, file.name, sha256]))
    elif takes_files:
        request.sent = request.read()
        digest.update(request.sent)
    else:
        digest.update(request.body)
    return digest.hexdigest()


def repeat_answer(kept: KeptAnswer, sha256: str) -> HttpResponse:
    """The first answer under a key; raises Unacceptable (422) when something else was sent under it."""
    if kept.request_sha256 != sha256:
        says = _(
            "Another request was sent under this Idempotency-Key, or your role has changed since. Use a new key for "
            "everything that is done."
        )
        raise Unacceptable(says, code="key_reused")
    answer = HttpResponse(kept.body, status=kept.status, content_type="application/json; charset=utf-8")
    answer[AGAIN] = "true"
    return answer
