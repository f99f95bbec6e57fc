"""What the site answers instead of doing what was asked: a status, a code for programs, a sentence for people.

Checks, actions and the readers of requests raise these; `evalsite.middleware` turns them into the page or region of
their status. For what a person may not even know of, raise Django's Http404, not a refusal.
"""

from collections.abc import Mapping
from typing import Any


class Refusal(Exception):
    """Something was not done. `sentence` says what, to which thing, and what to do next."""

    status = 400
    default_code = "refused"

    def __init__(self, sentence: str, *, code: str = "") -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.code = code or self.default_code


class Malformed(Refusal):
    """The request itself is wrong: an unknown field, one sent twice, a filter that does not exist (400)."""

    status = 400
    default_code = "malformed"


class NotAllowed(Refusal):
    """The person may see the thing, but may not do this to it, or not now (403)."""

    status = 403
    default_code = "not_allowed"


class Conflict(Refusal):
    """Somebody else was faster; nothing was overwritten (409). `detail` holds both versions, for the page to show."""

    status = 409
    default_code = "conflict"

    def __init__(self, sentence: str, *, code: str = "", detail: Mapping[str, Any] | None = None) -> None:
        super().__init__(sentence, code=code)
        self.detail: dict[str, Any] = dict(detail or {})


class Unacceptable(Refusal):
    """A value is understood but cannot be accepted (422). `field` names the field of the form, "" for the whole.

    `detail` holds everything that is wrong, where that is more than the sentence says.
    """

    status = 422
    default_code = "unacceptable"

    def __init__(
        self, sentence: str, *, code: str = "", field: str = "", detail: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(sentence, code=code)
        self.field = field
        self.detail: dict[str, Any] = dict(detail or {})


class TooOften(Refusal):
    """Asked too often (429). `retry_after` is in seconds."""

    status = 429
    default_code = "too_often"

    def __init__(self, sentence: str, *, code: str = "", retry_after: int = 60) -> None:
        super().__init__(sentence, code=code)
        self.retry_after = retry_after


class Unavailable(Refusal):
    """Something that the site needs is unavailable for the moment; nothing was saved (503)."""

    status = 503
    default_code = "unavailable"
