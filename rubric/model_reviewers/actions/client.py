"""Calls the one endpoint for models through the official client of its protocol. Only the job imports this module.

The URL comes from the settings, redirects are not followed, and a call that is too slow or too large is aborted. The
job handles retries, so the client makes one attempt.
"""

import ssl
import time
from collections.abc import Iterator
from functools import cache
from typing import Any

import httpx2
import openai
from django.conf import settings
from django.utils.translation import gettext as _
from msgspec.structs import replace

from rubric.model_reviewers import core
from workspace.core.strict_json import normalise_text

# A text of 2 MB may be longer in JSON. A response beyond this limit is not read to its end.
LONGEST_BODY = 8 * 1024 * 1024
LONGEST_SAID = 300


def ask_endpoint(call: core.Call) -> core.Reply:
    """The model's answer, or the failure. Never raises, whatever the endpoint does."""
    began = time.monotonic()
    return replace(_ask(call), took_ms=int((time.monotonic() - began) * 1000))


class TooMuch(httpx2.ReadError):
    pass


class Bounded(httpx2.SyncByteStream):
    """A body that raises an error when it is too large or takes too long."""

    def __init__(self, body: httpx2.SyncByteStream, until: float) -> None:
        self.body = body
        self.until = until

    def __iter__(self) -> Iterator[bytes]:
        count = 0
        for part in self.body:
            count += len(part)
            if count > LONGEST_BODY:
                raise TooMuch("the body is too large")
            if time.monotonic() > self.until:
                raise httpx2.ReadTimeout("the body took too long")
            yield part

    def close(self) -> None:
        self.body.close()


class BoundedTransport(httpx2.HTTPTransport):
    """Sends requests only to the endpoint and limits the size of its responses."""

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send the request; bytes are not decompressed, so that a small body cannot unpack to a large one."""
        until = time.monotonic() + settings.REVIEW_TIMEOUT
        answer = super().handle_request(request)
        headers = [(key, value) for key, value in answer.headers.raw if key.lower() != b"content-encoding"]
        body = answer.stream
        assert isinstance(body, httpx2.SyncByteStream)
        return httpx2.Response(
            answer.status_code, headers=headers, stream=Bounded(body, until), extensions=answer.extensions
        )


def _ask(call: core.Call) -> core.Reply:
    sent: dict[str, Any] = dict(call.sampling)
    system = [{"role": "system", "content": call.system}] if call.system else []
    messages: Any = [*system, {"role": "user", "content": call.prompt}]
    try:
        with _client() as client:
            response = client.chat.completions.with_raw_response.create(
                model=call.model, messages=messages, **sent
            )
            return core.read_completion(response.http_response.content)
    except openai.APITimeoutError:
        error = _("The answer was not there within %(seconds)d seconds.")
        return core.Reply(error_code=core.TIMEOUT, error=error % {"seconds": settings.REVIEW_TIMEOUT})
    except openai.APIConnectionError as fault:
        return _broken(fault.__cause__)
    except openai.APIStatusError as fault:
        return _refused(fault)


def _client() -> openai.OpenAI:
    timeout = httpx2.Timeout(settings.REVIEW_TIMEOUT, connect=min(10, settings.REVIEW_TIMEOUT))
    return openai.OpenAI(
        base_url=settings.REVIEW_MODELS_URL,
        # The client requires a key even if the endpoint requires none.
        api_key=settings.REVIEW_MODELS_KEY or "none",
        max_retries=0,
        timeout=timeout,
        default_headers={"Accept-Encoding": "identity"},
        http_client=httpx2.Client(
            transport=BoundedTransport(_authorities()),
            follow_redirects=False,
            trust_env=False,
            timeout=timeout,
        ),
    )


@cache
def _authorities() -> ssl.SSLContext:
    """The certificate authorities that the client trusts: loading them takes longer than everything else in a call."""
    return httpx2.create_ssl_context()


def _broken(cause: BaseException | None) -> core.Reply:
    if isinstance(cause, TooMuch):
        error = _("The answer is larger than 2 MB, so it was not kept. Ask for a shorter one (max_tokens).")
        return core.Reply(error_code=core.TOO_LARGE, error=error)
    if isinstance(cause, httpx2.ReadError | httpx2.RemoteProtocolError):
        return core.Reply(
            error_code=core.CUT_OFF, error=_("The connection broke before the answer was whole.")
        )
    return core.Reply(error_code=core.CONNECTION, error=_("The endpoint could not be reached."))


def _refused(fault: openai.APIStatusError) -> core.Reply:
    """The error that the endpoint returned; its own words are cut short and never contain the key."""
    status = fault.status_code
    code = {401: core.UNAUTHORISED, 408: core.TIMEOUT, 429: core.RATE_LIMITED}.get(status, core.REFUSED)
    if status >= 500:
        code = core.SERVER_ERROR
    elif 300 <= status < 400:
        code = core.REDIRECTED
    error = _("The endpoint answered %(status)d.") % {"status": status}
    words = fault.body.get("message") if isinstance(fault.body, dict) else None
    if isinstance(words, str) and words.strip():
        words = " ".join(normalise_text(words)[0].split())
        words = words.replace(key, "...") if (key := settings.REVIEW_MODELS_KEY) else words
        words = words if len(words) <= LONGEST_SAID else words[: LONGEST_SAID - 1] + "…"
        error = _('%(said)s It said: "%(words)s"') % {"said": error, "words": words}
    return core.Reply(
        error_code=code,
        error=error,
        retry_after=core.parse_retry_after(fault.response.headers.get("retry-after")),
    )
