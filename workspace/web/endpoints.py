"""API operations: how a package declares one, and what their requests and answers have in common."""

from collections.abc import Callable
from typing import Annotated, Any, Generic, TypeVar, get_type_hints

from django.http import HttpRequest
from django.utils.http import urlencode
from ninja import Router
from pydantic import BaseModel, ConfigDict, Field

T = TypeVar("T")
View = Callable[..., Any]
MOST_AT_ONCE, LARGEST = 200, 2**53

Limit = Annotated[int, Field(ge=1, le=MOST_AT_ONCE, description="how many at most")]
After = Annotated[int, Field(ge=0, le=LARGEST, description="where to go on: from “next” of the last answer")]


# What every operation has in its description: how errors look, and the key of everything that is done.
PROBLEM = {
    "default": {
        "description": "An error (RFC 9457)",
        "content": {
            "application/problem+json": {
                "schema": {
                    "type": "object",
                    "required": ["title", "status", "code", "detail"],
                    "properties": {
                        **{name: {"type": "string"} for name in ("title", "code", "detail", "field")},
                        "status": {"type": "integer"},
                        "more": {"type": "object"},
                    },
                }
            }
        },
    }
}
FILE = {
    "description": "The file",
    "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
}
KEY = {
    "in": "header",
    "name": "Idempotency-Key",
    "required": True,
    "schema": {"type": "string", "minLength": 1, "maxLength": 160},
}


class Answer(BaseModel):
    """A part of an answer; read from a record of the same names."""

    model_config = ConfigDict(from_attributes=True)


class Given(BaseModel):
    """The body of a request: no other fields, and no text in the place of a number."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Listed(Answer, Generic[T]):
    """A part of a list, and the address of the next part; null at the end."""

    items: list[T]
    next: str | None = None


def endpoint(
    router: Router,
    verb: str,
    path: str,
    name: str,
    *,
    permission: str,
    scope: str,
    answer: Any = None,
    status: int = 200,
    files: Callable[..., bool] | None = None,
    body: dict[str, Any] | None = None,
    gives_file: bool = False,
    costs: str = "",
) -> Callable[[View], View]:
    """Declare an operation: the verb of the `check_<verb>` that it calls, and the scope that its token must have.

    All operations of one path share a `name`. Its answer is what the function returns, unless `answer` names another
    description of it. The first line of the docstring is the summary in the description of the API, the rest its text.
    `files` and `costs` are as in `require`; `body` describes a body that is not JSON, for OpenAPI. An operation that
    `gives_file` answers with bytes, which are not stored under the key of the request.
    """
    extra: dict[str, Any] = {"x-permission": permission, "x-scope": scope, "responses": dict(PROBLEM)}
    if gives_file:
        extra["responses"][status] = FILE
    if body:
        extra["requestBody"] = body
    if verb == "POST":
        extra["parameters"] = [KEY]

    def decorate(view: View) -> View:
        described = answer or (None if gives_file else get_type_hints(view)["return"])
        summary, _blank, text = (view.__doc__ or "").partition("\n\n")
        view.files = files  # type: ignore[attr-defined]
        view.gives_file = gives_file  # type: ignore[attr-defined]
        view.costs = costs  # type: ignore[attr-defined]
        return router.api_operation(
            [verb],
            path,
            response={status: described},
            url_name=name,
            operation_id=f"{verb.lower()}_{name.removeprefix('api_')}",
            summary=summary.strip().removesuffix("."),
            description=" ".join(text.split()) or None,
            openapi_extra=extra,
        )(view)

    return decorate


def next_part(request: HttpRequest, after: int | str | None) -> str | None:
    """The address of the part of a list that begins after this key; None without one."""
    if not after:
        return None
    given = {name: str(value) for name, value in request.GET.items() if name != "after"}
    return f"{request.path}?{urlencode(given | {'after': str(after)})}"
