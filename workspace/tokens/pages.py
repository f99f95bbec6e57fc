"""The lists of access tokens: one's own, and for admins everybody's; and the operations that a token allows."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

import msgspec
from django.db.models import F
from django.utils.translation import gettext as _
from msgspec import Struct

from workspace.models import AccessToken, Person
from workspace.tokens.core import MOST_TOKENS

SHOWN_ENDED, MOST_LISTED = 10, 500


class TokenLine(Struct, frozen=True):
    """One token; `state` is "" while it is valid, else the word for why it is not."""

    token: AccessToken
    scopes: list[str]
    state: str


class TokensPage(Struct, frozen=True):
    """A person's tokens: the valid ones, newest first, then the last ones that ended."""

    owner: Person
    live: list[TokenLine]
    ended: list[TokenLine]
    most: int


class AllTokensPage(Struct, frozen=True):
    """For admins: every valid token, the last used first, and the service accounts."""

    live: list[TokenLine]
    accounts: list[Person]


def tokens_page(*, owner: Person, now: datetime) -> TokensPage:
    """The tokens of one person."""
    rows = AccessToken.objects.filter(person=owner).select_related("person")
    live = rows.filter(revoked_at=None, expires_at__gt=now).order_by("-pk")
    ended = rows.exclude(revoked_at=None, expires_at__gt=now).order_by("-pk")[:SHOWN_ENDED]
    return TokensPage(owner, _lines(live, now), _lines(ended, now), MOST_TOKENS)


def all_tokens_page(*, now: datetime) -> AllTokensPage:
    """Everybody's tokens, for admins."""
    rows = AccessToken.objects.filter(revoked_at=None, expires_at__gt=now).select_related("person")
    live = rows.order_by(F("used_at").desc(nulls_last=True), "-pk")[:MOST_LISTED]
    accounts = Person.objects.filter(is_service=True).order_by("name", "pk")[:MOST_LISTED]
    return AllTokensPage(_lines(live, now), list(accounts))


def _lines(tokens: Iterable[AccessToken], now: datetime) -> list[TokenLine]:
    return [TokenLine(token, token.scopes.split(), _state(token, now)) for token in tokens]


def _state(token: AccessToken, now: datetime) -> str:
    if token.revoked_at is not None:
        return _("revoked")
    return "" if token.expires_at > now else _("expired")


class FieldLine(Struct, frozen=True):
    """A parameter or a field of a body or answer: its name, its type in words, and whether it may be left out."""

    name: str
    kind: str
    says: str
    is_needed: bool


class OperationLine(Struct, frozen=True):
    """An operation of the API with an example for the command line.

    `answer` are the fields of its answer, or of each item where it is a list.
    """

    verb: str
    path: str
    anchor: str
    summary: str
    text: str
    scope: str
    parameters: list[FieldLine]
    body: list[FieldLine]
    answer: list[FieldLine]
    is_list: bool
    example: str


class ApiPage(Struct, frozen=True):
    """The operations of the API by subject."""

    groups: dict[str, list[OperationLine]]


def describe_operations(openapi: bytes, *, host: str) -> ApiPage:
    """The page of all operations, from their OpenAPI description; the addresses of examples begin with `host`."""
    described = msgspec.json.decode(openapi)
    schemas = described["components"]["schemas"]
    groups: dict[str, list[OperationLine]] = {}
    for address, verbs in described["paths"].items():
        for verb, operation in verbs.items():
            line = _operation(verb.upper(), address, operation, schemas, host)
            groups.setdefault(operation["tags"][0], []).append(line)
    return ApiPage(groups)


def _operation(
    verb: str, address: str, operation: dict[str, Any], schemas: dict[str, Any], host: str
) -> OperationLine:
    contents = operation.get("requestBody", {}).get("content", {})
    sent = contents.get("application/json", {}).get("schema", {})
    first = next(iter(operation["responses"].values()))
    answer = first.get("content", {}).get("application/json", {}).get("schema", {})
    return OperationLine(
        verb=verb,
        path=address,
        anchor=operation["operationId"],
        summary=operation["summary"],
        text=operation.get("description", "").removeprefix(f"{operation['summary']}.").replace("`", ""),
        scope=operation["x-scope"],
        parameters=[
            FieldLine(
                given["name"], _kind(given["schema"], schemas), _says(given), given.get("required", False)
            )
            for given in operation["parameters"]
            if given["in"] == "query"
        ],
        body=_fields(sent, schemas),
        answer=_fields(answer, schemas),
        is_list="items" in _follow(answer, schemas).get("properties", {}),
        example=_example(verb, f"{host}{address}", sent, is_bytes="application/octet-stream" in contents),
    )


def _fields(schema: dict[str, Any], schemas: dict[str, Any]) -> list[FieldLine]:
    """The fields of an object; those of a list's items for a list."""
    found = _follow(schema, schemas)
    listed = found.get("properties", {}).get("items", {}).get("items")
    found = _follow(listed, schemas) if listed else found
    needed = found.get("required", [])
    return [
        FieldLine(name, _kind(field, schemas), "", name in needed)
        for name, field in found.get("properties", {}).items()
    ]


def _follow(schema: dict[str, Any], schemas: dict[str, Any]) -> dict[str, Any]:
    reference = schema.get("$ref", "") or next((part["$ref"] for part in schema.get("allOf", [])), "")
    found: dict[str, Any] = schemas[reference.rpartition("/")[2]] if reference else schema
    return found


def _kind(schema: dict[str, Any], schemas: dict[str, Any]) -> str:
    """The type of a value in words."""
    if "anyOf" in schema:
        return _(" or ").join(_kind(part, schemas) for part in schema["anyOf"])
    if "enum" in schema:
        return ", ".join(f"“{value}”" for value in schema["enum"])
    found = _follow(schema, schemas)
    if found.get("type") == "array":
        return _("list of %(items)s") % {"items": _kind(found.get("items", {}), schemas)}
    if found.get("format") == "date-time":
        return _("moment")
    if names := found.get("properties"):
        return _("object with %(names)s") % {"names": ", ".join(names)}
    words = {
        "string": _("text"),
        "integer": _("whole number"),
        "number": _("number"),
        "boolean": _("yes or no"),
    }
    return words.get(found.get("type", ""), "") or ("null" if found.get("type") == "null" else _("object"))


def _says(given: dict[str, Any]) -> str:
    schema = given["schema"]
    bounds = [
        f"{word} {schema[name]}" for name, word in (("minimum", "≥"), ("maximum", "≤")) if name in schema
    ]
    return ", ".join(filter(None, [given.get("description", ""), *bounds]))


def _example(verb: str, address: str, sent: dict[str, Any], *, is_bytes: bool) -> str:
    lines = ['curl -H "Authorization: Bearer $TOKEN" \\']
    if verb == "POST":
        lines.append('  -H "Idempotency-Key: $(uuidgen)" \\')
    if is_bytes:
        lines.append("  -H 'Content-Type: application/octet-stream' --data-binary @games.json \\")
    elif sent:
        lines.append("  --json @body.json \\")
    elif verb == "POST":
        lines.append("  -X POST \\")
    return "\n".join([*lines, f"  '{address}'"])
