"""What a verdict on a game would rest on now, read from the rows in a fixed number of queries."""

from discussions.core.basis import (
    FORMAT,
    Basis,
    BasisCost,
    BasisEvaluation,
    BasisJudgement,
    BasisMeasured,
    BasisVersion,
)
from discussions.models.evaluations import RATING, SUBMITTED, Evaluation, Judgement
from discussions.models.games import Game
from discussions.models.standings import newest_measured
from discussions.models.verdicts import Verdict

FROM_TRANSCRIPT = "transcript"


def basis_of(game: Game) -> Basis | None:
    """The basis as it stands; None while the game is not measured under its iteration's rubric version.

    Only submitted evaluations and their judgements are in it. Fetch the game with its iteration, rubric version and
    transcript, or each costs a query.
    """
    measured = newest_measured(game)
    if measured is None:
        return None
    evaluations = list(
        Evaluation.objects.filter(game=game, purpose=RATING, state=SUBMITTED).order_by("pk").only("pk", "evaluator_id")
    )
    judgements = Judgement.objects.filter(evaluation__in=evaluations).order_by("pk")
    version = game.iteration.rubric_version
    return Basis(
        format=FORMAT,
        game=game.pk,
        game_sha256=game.content_sha256,
        transcript=game.transcript_id,
        transcript_sha256=game.transcript.sha256,
        rubric_version=BasisVersion(version.pk, version.sha256),
        measured=BasisMeasured(
            measured.pk, measured.code_version, measured.input_hash, measured.findings_sha256
        ),
        cost=BasisCost(game.cost_usd, FROM_TRANSCRIPT),
        evaluator_count=game.iteration.evaluator_count,
        evaluations=[BasisEvaluation(one.pk, one.evaluator_id) for one in evaluations],
        judgements=[_judgement(row) for row in judgements],
        adjudications=[],
        supersedes=Verdict.objects.filter(game=game).standing().values_list("pk", flat=True).first(),
    )


def _judgement(row: Judgement) -> BasisJudgement:
    return BasisJudgement(
        id=row.pk,
        evaluation=row.evaluation_id,
        kind=row.kind,
        subject=row.subject,
        value=row.value,
        blind_value=row.blind_value,
        version=row.version,
    )
