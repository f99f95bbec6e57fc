"""What a client says of the encoding of its request, before Django believes it."""

from collections.abc import Callable, Iterable
from typing import Any

from django.utils.http import parse_header_parameters

Answer = Iterable[bytes]


class Utf8Only:
    """Goes around the WSGI application: a body in another encoding than UTF-8 counts as unreadable bytes.

    Django looks a named encoding up among all codecs; with "hex" or "idna" it then fails before the first middleware,
    which is an answer without page and headers.
    """

    def __init__(self, application: Callable[..., Answer]) -> None:
        self.application = application

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Answer:
        try:
            _kind, parameters = parse_header_parameters(environ.get("CONTENT_TYPE", ""))
        except (LookupError, ValueError):
            # RFC 2231 lets a parameter name an encoding of its own, such as charset*=nosuch''x.
            parameters = {"charset": "unknown"}
        if parameters.get("charset", "utf-8").lower() not in ("utf-8", "utf8"):
            environ["CONTENT_TYPE"] = "application/octet-stream"
        return self.application(environ, start_response)
