"""The input of accuracy and anchoring: submitted evaluations with the automatic values of their games."""

from collections.abc import Collection, Mapping

from msgspec import Struct


class SubmittedAnswer(Struct, frozen=True):
    """One evaluator's answer on a subject, and the blind answer."""

    kind: str
    subject: str
    value: str
    blind_value: str


class AutomaticValues(Struct, frozen=True):
    """The automatic values of one game: by metric and message; references and phrases by subject.

    `references` are (is counted, check); `phrases` give the message that first has the repeated phrase; `passes` is
    whether personality diversity passes.
    """

    values: Mapping[tuple[str, str], str]
    references: Mapping[str, tuple[bool, str]]
    phrases: Mapping[str, int]
    passes: bool | None


class SubmittedEvaluation(Struct, frozen=True):
    """One submitted evaluation with the automatic values of its game.

    `game` is the game's number, `evaluator` and `evaluation` are keys. `samples` are the positions of the accuracy
    samples by metric, `drawn_from` how many messages each was drawn from. `identified` is the result of the manual
    check: (was it the blind test, passes), None without one.
    """

    game: int
    evaluator: int
    evaluation: int
    rubric_version: int
    code_version: str
    automatic: AutomaticValues
    samples: Mapping[str, Collection[int]]
    drawn_from: Mapping[str, int]
    answers: list[SubmittedAnswer]
    revealed: Collection[str]
    identified: tuple[bool, bool] | None = None

    @property
    def is_blind(self) -> bool:
        """Whether any answer was blind."""
        return any(answer.blind_value for answer in self.answers)
