"""Errors of the API: one JSON object with a code for programs and a sentence for people (RFC 9457)."""

from collections.abc import Mapping
from http.client import responses

import msgspec
from django.http import HttpResponse
from django.utils.translation import gettext as _

API = "/api/v1/"
CONTENT_TYPE = "application/problem+json"
AGAIN_AFTER = 60  # seconds, as the sentence of 503 says
CODES = {
    400: "malformed",
    401: "token_needed",
    403: "not_allowed",
    404: "not_found",
    405: "wrong_verb",
    408: "too_late",
    413: "too_large",
    429: "too_often",
    500: "broken",
    503: "unavailable",
    507: "disk_full",
}


def problem(
    status: int,
    sentence: str = "",
    *,
    code: str = "",
    field: str = "",
    detail: Mapping[str, object] | None = None,
) -> HttpResponse:
    """The answer to a request that was refused. `field` names the part of the input.

    `detail` holds both sides of a conflict, or everything that is wrong.
    """
    said: dict[str, object] = {
        "title": responses.get(status, ""),
        "status": status,
        "code": code or CODES.get(status, "refused"),
        "detail": sentence or _sentence(status),
    }
    if field:
        said["field"] = field
    if detail:
        said["more"] = detail
    answer = HttpResponse(msgspec.json.encode(said), status=status, content_type=CONTENT_TYPE)
    if status == 503:
        answer["Retry-After"] = str(AGAIN_AFTER)
    return answer


def token_needed(sentence: str = "") -> HttpResponse:
    """The answer to a request without a valid access token."""
    answer = problem(401, sentence)
    answer["WWW-Authenticate"] = "Bearer"
    return answer


def _sentence(status: int) -> str:
    sentences = {
        400: _("This request could not be read. Compare it with the description of the API."),
        401: _("Send an access token in the header “Authorization: Bearer ...”. It is made under Settings."),
        403: _("The owner of this access token may not do this now. Nothing was changed."),
        404: _(
            "There is nothing at this address that the owner of this access token may see. Addresses end with “/”."
        ),
        405: _("This address does not understand this verb. The header Allow lists those that it does."),
        408: _("What was sent did not arrive whole in time; nothing was stored. Send it again."),
        413: _("That is too large; nothing was stored."),
        429: _("Too many requests. Wait as long as the header Retry-After says, then continue."),
        503: _("Nothing was stored: a part of the site is unavailable. Send it again in a minute."),
        507: _("Nothing was stored: the disk of this site is full. Tell an admin; then send it again."),
    }
    broken = _(
        "Something went wrong on our side. Send it again under the same key; tell an admin if it happens again."
    )
    return sentences.get(status, broken)
