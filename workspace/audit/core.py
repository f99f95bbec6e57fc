"""What is posted about one subject of a person's work, and its newest stored value."""

from msgspec import Struct


class Act(Struct, frozen=True, kw_only=True):
    """What was posted: a value for one subject, on the version it was based on, under the form's key.

    None for `value` or `reason` means that the field was absent: it stays as it is. Value "" clears.
    """

    kind: str
    subject: str
    version: int
    key: str
    value: str | None = None
    reason: str | None = None
    took_ms: int | None = None


class Latest(Struct, frozen=True):
    """The newest value of one subject, as its row holds it; id and version 0 before the first act."""

    id: int
    kind: str
    subject: str
    value: str
    reason: str
    version: int
