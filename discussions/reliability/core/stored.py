"""The stored statistics of agreement in a project."""

from collections.abc import Sequence

from msgspec import Struct

from discussions.reliability.core.agreement import TeamAgreement, compute_agreement
from discussions.reliability.core.blind_answers import BlindAnswer
from discussions.reliability.core.self_agreement import SelfAgreement, compute_self_agreement

# Change it when the computation changes: statistics with another number are computed again.
CODE_VERSION = "1"


class AgreementFigures(Struct, frozen=True):
    """Agreement of evaluators with each other and, by hidden duplicates, with themselves.

    `games` counts the games with two or more submitted evaluations, `submitted` these evaluations, blind or not.
    `questions` come from the newest rubric version.
    """

    games: int
    submitted: int
    questions: list[str]
    agreement: TeamAgreement
    own: list[SelfAgreement]


def build_agreement_figures(
    answers: Sequence[BlindAnswer],
    twice: Sequence[BlindAnswer],
    *,
    games: int,
    submitted: int,
    questions: Sequence[str],
) -> AgreementFigures:
    """The statistics from first answers, and from the answers on games that a person rated `twice`."""
    return AgreementFigures(
        games=games,
        submitted=submitted,
        questions=list(questions),
        agreement=compute_agreement(answers, len(questions)),
        own=compute_self_agreement(twice, len(questions)),
    )
