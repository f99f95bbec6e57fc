"""A recorded outcome, read back: figures are as recorded, words are today's, in the reader's language."""

from typing import Any

import msgspec

from discussions.core.outcome import Outcome
from discussions.verdicts.core.rule import say_again
from workspace.core.canonical import canonical_bytes

_OUTCOME: Any = msgspec.json.Decoder(Outcome)


def read_outcome(recorded: str) -> Outcome:
    return say_again(_OUTCOME.decode(recorded))


def is_same_outcome(recorded: str, computed: Outcome) -> bool:
    """Whether both are the same except for their words, which depend on language and version."""
    return _without_words(recorded) == _without_words(canonical_bytes(computed).decode())


def _without_words(outcome: str) -> dict[str, Any]:
    found: dict[str, Any] = msgspec.json.decode(outcome)
    return found | {"headline": "", "reasons": [reason["code"] for reason in found["reasons"]]}
