"""Access tokens: one's own, those of a service account, everybody's for admins; and the operations that they allow."""

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.db.models import F
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from msgspec import json

from workspace.access.permissions import is_admin
from workspace.authentication.views import has_just_signed_in, proven
from workspace.models import AccessToken, Person, Project
from workspace.tokens.actions import create_service_account, create_token, revoke_token
from workspace.tokens.forms import ServiceAccountForm, TokenForm
from workspace.tokens.permissions import check_create_token, check_manage_tokens, check_revoke_token
from workspace.web.bind_form import bind_form, kept_status
from workspace.web.form_page import form_page
from workspace.web.forms import NothingForm
from workspace.web.views import SignedIn, View, frame, only_parameters, require, respond

SHOWN_ENDED, MOST_LISTED = 10, 500


@require("create_token", methods=("GET", "POST"))
def own_tokens(request: SignedIn) -> HttpResponse:
    """One's own tokens, among the settings of the `project` that one came from."""
    slug = only_parameters(request, "project")["project"]
    projects = Project.objects.visible_to(request.user).filter(slug=slug) if slug else []
    return tokens_of(request, request.user, next(iter(projects), None))


@require("create_token", methods=("GET", "POST"))
def service_tokens(request: SignedIn, person: int) -> HttpResponse:
    check_manage_tokens(request.user)
    return tokens_of(request, get_object_or_404(Person, pk=person, is_service=True))


def tokens_of(request: SignedIn, owner: Person, project: Project | None = None) -> HttpResponse:
    check_create_token(request.user, owner)

    def make(form: TokenForm) -> dict[str, object]:
        """Make the token of a valid form, after the proof of identity."""
        values = dict(form.cleaned_data)
        if proof := values.pop("proof", ""):
            proven(request, request.user, proof)
        _token, secret = create_token(person=owner, **values, by=request.user, now=timezone.now())
        return {"secret": secret}

    def context() -> dict[str, object]:
        rows = AccessToken.objects.filter(person=owner).select_related("person").order_by("-pk")
        live = {"revoked_at": None, "expires_at__gt": timezone.now()}
        lists = {"live": rows.filter(**live), "ended": rows.exclude(**live)[:SHOWN_ENDED]}
        return {"owner": owner, "secret": "", **lists, **frame(request.user, project, "tokens")}

    asks = not has_just_signed_in(request)
    page = "workspace/tokens/list.html"
    return form_page(
        request, TokenForm, make, page=page, context=context, refuse=kept_status, asks_proof=asks
    )


@require("revoke_token", methods=("POST",))
def revoke(request: SignedIn, token: int) -> HttpResponse:
    """Revoke a token; redirects to the list that it was on."""
    rows = AccessToken.objects.select_related("person")
    # Others cannot find out which numbers exist.
    row = get_object_or_404(rows if is_admin(request.user) else rows.filter(person=request.user), pk=token)
    check_revoke_token(request.user, row)
    bind_form(request, NothingForm)
    revoke_token(token=row, by=request.user, now=timezone.now())
    back = "access_tokens" if row.person_id == request.user.pk else "all_access_tokens"
    return respond(request, page="", redirect=reverse(back))


@require("manage_tokens", methods=("GET", "POST"))
def all_tokens(request: SignedIn) -> HttpResponse:
    """Everybody's tokens, the service accounts, and the form for a new account; redirects to its tokens."""
    check_manage_tokens(request.user)

    def act(form: ServiceAccountForm) -> str:
        account = create_service_account(**form.cleaned_data, by=request.user, now=timezone.now())
        return reverse("service_tokens", args=[account.pk])

    def context() -> dict[str, object]:
        live = AccessToken.objects.filter(revoked_at=None, expires_at__gt=timezone.now())
        live = live.select_related("person").order_by(F("used_at").desc(nulls_last=True), "-pk")
        accounts = Person.objects.filter(is_service=True).order_by("name", "pk")
        lists = {"live": live[:MOST_LISTED], "accounts": accounts[:MOST_LISTED]}
        return {**lists, **frame(request.user, None, "people")}

    return form_page(request, ServiceAccountForm, act, page="workspace/tokens/list_all.html", context=context)


def api_docs_with(describe: Callable[[], bytes]) -> View:
    """The view of the operations of the API, from `describe`, which `evalsite/urls.py` passes in."""

    @require("sign_in")
    def api_docs(request: SignedIn) -> HttpResponse:
        groups = describe_operations(describe(), host=request.build_absolute_uri("/").rstrip("/"))
        context = {"groups": groups, **frame(request.user)}
        return respond(request, page="workspace/tokens/api_docs.html", context=context)

    return api_docs


def openapi_with(describe: Callable[[], bytes]) -> View:
    """The view of the same description for programs. It says nothing about this installation, so anyone may read it."""

    @require("anyone")
    def openapi(_request: HttpRequest) -> HttpResponse:
        return HttpResponse(describe(), content_type="application/json")

    return openapi


@require("anyone")
def show_docs(_request: HttpRequest, name: str) -> HttpResponse:
    """A page of the documentation, or its index for programs. They say nothing about this installation."""
    path = settings.BASE_DIR / "docs" / name
    if not path.is_file():
        raise Http404
    return HttpResponse(path.read_bytes(), content_type="text/plain; charset=utf-8")


def describe_operations(openapi: bytes, *, host: str) -> dict[str, list[dict[str, Any]]]:
    """The operations by subject, from their OpenAPI description; the addresses of examples begin with `host`."""
    described = json.decode(openapi)
    schemas = described["components"]["schemas"]
    groups: dict[str, list[dict[str, Any]]] = {}
    for address, verbs in described["paths"].items():
        for verb, operation in verbs.items():
            words = _describe(verb.upper(), address, operation, schemas, host)
            groups.setdefault(operation["tags"][0], []).append(words)
    return groups


def _describe(
    verb: str, address: str, operation: dict[str, Any], schemas: dict[str, Any], host: str
) -> dict[str, Any]:
    contents = operation.get("requestBody", {}).get("content", {})
    sent = contents.get("application/json", {}).get("schema", {})
    first = next(iter(operation["responses"].values()))
    answer = first.get("content", {}).get("application/json", {}).get("schema", {})
    return {
        "verb": verb,
        "path": address,
        "anchor": operation["operationId"],
        "summary": operation["summary"],
        "text": operation.get("description", "").removeprefix(f"{operation['summary']}.").replace("`", ""),
        "scope": operation["x-scope"],
        "parameters": [
            (part["name"], _kind(part["schema"], schemas), _limits(part), part.get("required", False))
            for part in operation["parameters"]
            if part["in"] == "query"
        ],
        "body": _fields(sent, schemas),
        "answer": _fields(answer, schemas),
        "is_list": "items" in _follow(answer, schemas).get("properties", {}),
        "example": _example(verb, f"{host}{address}", sent, is_bytes="application/octet-stream" in contents),
    }


def _fields(schema: dict[str, Any], schemas: dict[str, Any]) -> list[tuple[str, str, str, bool]]:
    """Of each field of an object, of a list those of its items: name, type in words, limits, whether it is needed."""
    target = _follow(schema, schemas)
    listed = target.get("properties", {}).get("items", {}).get("items")
    target = _follow(listed, schemas) if listed else target
    needed = target.get("required", [])
    return [
        (name, _kind(field, schemas), "", name in needed)
        for name, field in target.get("properties", {}).items()
    ]


def _follow(schema: dict[str, Any], schemas: dict[str, Any]) -> dict[str, Any]:
    reference = schema.get("$ref", "") or next((part["$ref"] for part in schema.get("allOf", [])), "")
    target: dict[str, Any] = schemas[reference.rpartition("/")[2]] if reference else schema
    return target


def _kind(schema: dict[str, Any], schemas: dict[str, Any]) -> str:
    if "anyOf" in schema:
        return _(" or ").join(_kind(part, schemas) for part in schema["anyOf"])
    if "enum" in schema:
        return ", ".join(f"“{value}”" for value in schema["enum"])
    target = _follow(schema, schemas)
    if target.get("type") == "array":
        return _("list of %(items)s") % {"items": _kind(target.get("items", {}), schemas)}
    if target.get("format") == "date-time":
        return _("moment")
    if names := target.get("properties"):
        return _("object with %(names)s") % {"names": ", ".join(names)}
    words = {
        "string": _("text"),
        "integer": _("whole number"),
        "number": _("number"),
        "boolean": _("yes or no"),
    }
    return words.get(target.get("type", ""), "") or ("null" if target.get("type") == "null" else _("object"))


def _limits(parameter: dict[str, Any]) -> str:
    schema = parameter["schema"]
    bounds = [
        f"{word} {schema[name]}" for name, word in (("minimum", "≥"), ("maximum", "≤")) if name in schema
    ]
    return ", ".join(filter(None, [parameter.get("description", ""), *bounds]))


def _example(verb: str, address: str, sent: dict[str, Any], *, is_bytes: bool) -> str:
    lines = ['curl -H "Authorization: Bearer $TOKEN" \\']
    if verb != "GET":
        lines.append('  -H "Idempotency-Key: $(uuidgen)" \\')
    if is_bytes:
        lines.append("  -H 'Content-Type: application/octet-stream' --data-binary @games.json \\")
    elif sent:
        lines.append("  --json @body.json \\")
    if verb in ("PUT", "DELETE") or (verb == "POST" and not sent and not is_bytes):
        lines.append(f"  -X {verb} \\")
    return "\n".join([*lines, f"  '{address}'"])
