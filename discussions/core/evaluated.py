"""One evaluation that was handed in beside what the machine found: what figures of a whole team are made of."""

from collections.abc import Collection, Mapping

from msgspec import Struct


class Said(Struct, frozen=True):
    """What one evaluator says of one thing, and what they said while the machine's word was hidden."""

    kind: str
    subject: str
    value: str
    blind_value: str


class Found(Struct, frozen=True):
    """What the machine found in one game: values by metric and message, references and phrases by subject.

    `references` gives (is counted, check); `phrases` the message in which a repeated phrase is first said; `passes`
    says whether personality diversity passes.
    """

    values: Mapping[tuple[str, str], str]
    references: Mapping[str, tuple[bool, str]]
    phrases: Mapping[str, int]
    passes: bool | None


class Evaluated(Struct, frozen=True):
    """One evaluation that was handed in, beside what the machine found.

    `samples` are the positions dealt to it by metric; `identified` is what its own manual check came to: (was it the
    blind test, passes), None without one. `evaluator` and `evaluation` are keys, `game` is the game's number.
    """

    game: int
    evaluator: int
    evaluation: int
    rubric_version: int
    code_version: str
    message_count: int
    found: Found
    samples: Mapping[str, Collection[int]]
    said: list[Said]
    revealed: Collection[str]
    identified: tuple[bool, bool] | None = None

    @property
    def is_blind(self) -> bool:
        """Whether anything was said before the machine's word was shown."""
        return any(each.blind_value for each in self.said)
