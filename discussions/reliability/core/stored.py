"""Everything about agreement among a project's evaluators, in the shape in which it is stored."""

from collections.abc import Sequence

from msgspec import Struct

from discussions.reliability.core.agreement import TeamAgreement, compute_agreement
from discussions.reliability.core.blind_answers import BlindAnswer
from discussions.reliability.core.self_agreement import SelfAgreed, compute_self_agreement

# What is stored under another number was computed otherwise, and is computed anew.
CODE_VERSION = "1"


class AgreementFigures(Struct, frozen=True):
    """Agreement of evaluators with one another and, where hidden repeats were dealt, with themselves.

    `games` and `handed_in` count the games that two or more have handed in, and their evaluations, blind or not;
    `questions` are the texts of the rubric's newest version.
    """

    games: int
    handed_in: int
    questions: list[str]
    agreement: TeamAgreement
    own: list[SelfAgreed]


def build_agreement_figures(
    answers: Sequence[BlindAnswer],
    twice: Sequence[BlindAnswer],
    *,
    games: int,
    handed_in: int,
    questions: Sequence[str],
) -> AgreementFigures:
    """The figures from first answers and from those of games that somebody was dealt `twice`."""
    return AgreementFigures(
        games=games,
        handed_in=handed_in,
        questions=list(questions),
        agreement=compute_agreement(answers, len(questions)),
        own=compute_self_agreement(twice, len(questions)),
    )
