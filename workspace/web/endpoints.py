"""API operations: how a package declares one, and what their requests and answers have in common."""

from collections.abc import Callable, Container, Iterable
from datetime import date
from functools import partialmethod
from inspect import get_annotations
from typing import Annotated, Any, ClassVar, Generic, Self, TypeVar, get_origin, get_type_hints

from django.http import HttpRequest
from django.utils.http import urlencode
from ninja import Router
from pydantic import BaseModel, ConfigDict, Field, model_validator

from workspace.web.answer_types import find_type, make_reader

T = TypeVar("T")
View = Callable[..., Any]
MOST_AT_ONCE, LARGEST = 200, 2**53

Number = Annotated[int, Field(ge=1, le=10**9)]
Day = Annotated[
    date, Field(ge=date(2000, 1, 1), le=date(2999, 12, 31), description="a day of your time zone")
]
Limit = Annotated[int, Field(ge=1, le=MOST_AT_ONCE, description="how many at most")]
After = Annotated[
    int, Field(ge=0, le=LARGEST, description="where to continue: from “next” of the last answer")
]


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
    """A part of an answer, read from a row or record of the class `of`.

    `fields` names what leaves of it, as “name”, or “name:path” for what is elsewhere, such as “stage:stage.number”; a
    path through a list gives a list. An answer may also annotate fields itself, where the class does not say their
    types. In the place of a text, a row is what it calls itself, and what there is not is "", or an empty list.
    """

    model_config = ConfigDict(from_attributes=True)
    _paths: ClassVar[dict[str, list[str]]] = {}
    # For each field: what reads it, whether it is a text, and what stands for nothing.
    _readers: ClassVar[list[tuple[str, Callable[[Any], Any], bool, Any]]] = []

    def __init_subclass__(cls, *, of: Any = None, fields: str = "", **given: Any) -> None:
        super().__init_subclass__(**given)
        own = get_annotations(cls)
        named = {name: path or name for name, _, path in (field.partition(":") for field in fields.split())}
        paths = {name: named.get(name, name).split(".") for name in [*named, *own]}
        cls.__annotations__ = {name: own.get(name) or find_type(of, path) for name, path in paths.items()}
        cls._paths = {**cls._paths, **paths}
        if any(path != [name] for name, path in paths.items()):
            # Pydantic itself reads what has the same names, much faster.
            read: Any = classmethod(_read_paths)
            cls._read_paths = model_validator(mode="before")(read)  # type: ignore[attr-defined]

    @classmethod
    def read(cls, source: object, **more: Any) -> Self:
        """The answer of this row or record, with values for what is not in it."""
        return cls.model_validate({**cls._values(source, more), **more} if more else source)

    @classmethod
    def __pydantic_init_subclass__(cls, **_given: Any) -> None:
        cls._readers = []
        for name, path in cls._paths.items():
            kind = cls.__pydantic_fields__[name].annotation
            blank: Any = "" if kind is str else [] if get_origin(kind) is list else None
            cls._readers.append((name, make_reader(path), kind in (str, str | None), blank))

    @classmethod
    def _values(cls, source: object, more: Container[str] = ()) -> dict[str, Any]:
        values = {}
        for name, read, is_text, blank in cls._readers:
            if name not in more:
                value = read(source)
                values[name] = blank if value is None else str(value) if is_text else value
        return values


def _read_paths(cls: type[Answer], value: Any) -> Any:
    return value if isinstance(value, dict | cls) else cls._values(value)


class Given(BaseModel):
    """The body of a request: no other fields, and no text in the place of a number."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Listed(Answer, Generic[T]):
    """A part of a list, and the address of the next part; null at the end."""

    items: list[T]
    next: str | None = None

    @classmethod
    def read_all(cls, rows: Iterable[object], *, next: str | None = None) -> Self:  # noqa: A002
        return cls.model_validate({"items": list(rows), "next": next})


class Operations:
    def __init__(self) -> None:
        self.router = Router()

    def _declare(
        self,
        verb: str,
        path: str,
        name: str,
        permission: str,
        scope: str,
        *,
        status: int = 200,
        files: Callable[..., bool] | None = None,
        body: dict[str, Any] | None = None,
        gives_file: bool = False,
        costs: str = "",
    ) -> Callable[[View], View]:
        """Declare an operation: the verb of the `check_<verb>` that it calls, and the scope that its token must have.

        All operations of one path share a `name`. Its answer is what the function returns. The first line of the
        docstring is the summary in the description of the API, the rest its text. `files` and `costs` are as in
        `require`; `body` describes a body that is not JSON, for OpenAPI. An operation that `gives_file` answers with
        bytes, which are not stored under the key of the request.
        """
        extra: dict[str, Any] = {"x-permission": permission, "x-scope": scope, "responses": dict(PROBLEM)}
        if gives_file:
            extra["responses"][status] = FILE
        if body:
            extra["requestBody"] = body
        if verb != "GET":
            extra["parameters"] = [KEY]

        def decorate(view: View) -> View:
            summary, _blank, text = (view.__doc__ or "").partition("\n\n")
            for trait, value in {"files": files, "gives_file": gives_file, "costs": costs}.items():
                setattr(view, trait, value)
            return self.router.api_operation(
                [verb],
                path,
                response={status: None if gives_file else get_type_hints(view)["return"]},
                url_name=name,
                operation_id=f"{verb.lower()}_{name.removeprefix('api_')}",
                summary=summary.strip().removesuffix("."),
                description=" ".join(text.split()) or None,
                openapi_extra=extra,
            )(view)

        return decorate

    get = partialmethod(_declare, "GET", scope="read")
    post = partialmethod(_declare, "POST")
    put = partialmethod(_declare, "PUT")
    delete = partialmethod(_declare, "DELETE")


def next_part(request: HttpRequest, after: int | str | None) -> str | None:
    """The address of the part of a list that begins after this key; None without one."""
    if not after:
        return None
    parameters = {name: str(value) for name, value in request.GET.items() if name != "after"}
    return f"{request.path}?{urlencode(parameters | {'after': str(after)})}"
