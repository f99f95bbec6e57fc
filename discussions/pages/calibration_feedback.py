"""What came of one calibration game, for who rated it: their answers beside the team's, each with its text."""

from msgspec import Struct

from discussions.core.calibrating import Difference
from discussions.models import CalibrationGame, Evaluation
from discussions.models.calibrated import games_left, standing_of
from discussions.models.standings import game_record, measurements_of, rubric_record
from discussions.pages.settling_things import Ground, Thing, answer_word, label_of, thing_of


class Otherwise(Struct, frozen=True):
    """One thing that was answered otherwise than the team does."""

    thing: Thing
    said: str
    agreed: str


class KindLine(Struct, frozen=True):
    """How many answers of one kind are those of the team."""

    label: str
    alike: int
    count: int


class FeedbackPage(Struct, frozen=True):
    """One game, and the round so far. `passes` is None while games are left; `left` says how many.

    `is_let_rate`: a lead lets the person rate whatever came of it.
    """

    evaluation: int
    slug: str
    round_number: int
    name: str
    game_number: int
    note: str
    alike: int
    count: int
    kinds: list[KindLine]
    differences: list[Otherwise]
    rating: float | None
    agreed_rating: float | None
    done: int
    of_games: int
    left: int
    percent: float | None
    pass_percent: int
    rating_within: float
    rating_error: float | None
    passes: bool | None
    is_let_rate: bool
    is_required: bool
    is_open: bool


def feedback_page(*, evaluation: Evaluation) -> FeedbackPage | None:
    """The page of a calibration that was handed in; None for any other evaluation."""
    rows = CalibrationGame.objects.filter(game=evaluation.game, round__created_at__lte=evaluation.created_at)
    chosen = rows.select_related("round__project").order_by("-round__number").first()
    if chosen is None:
        return None
    opened = chosen.round
    standing = standing_of(opened, evaluation.evaluator)
    compared = standing.compared.get(evaluation.game_id)
    if compared is None:
        return None
    result = standing.result
    return FeedbackPage(
        evaluation=evaluation.pk,
        slug=opened.project.slug,
        round_number=opened.number,
        name=opened.name,
        game_number=evaluation.game.number,
        note=chosen.note,
        alike=compared.alike,
        count=compared.count,
        kinds=[KindLine(label_of(kind), *counted) for kind, counted in compared.by_kind.items()],
        differences=_otherwise(evaluation, compared.differences),
        rating=_number(compared.rating),
        agreed_rating=_number(compared.agreed_rating),
        done=result.games,
        of_games=result.of_games,
        left=len(games_left(opened, evaluation.evaluator)) if opened.closed_at is None else 0,
        percent=result.percent,
        pass_percent=opened.pass_percent,
        rating_within=float(opened.rating_within),
        rating_error=_number(result.rating_error),
        passes=result.passes,
        is_let_rate=bool(standing.waiver),
        is_required=opened.is_required,
        is_open=opened.closed_at is None,
    )


def _otherwise(evaluation: Evaluation, differences: list[Difference]) -> list[Otherwise]:
    game, measured = evaluation.game, evaluation.measured
    version = measured.rubric_version
    ground = Ground(
        game_record(game.pk, game.content_sha256),
        measurements_of(measured.pk, measured.findings_sha256),
        rubric_record(version.pk, version.sha256),
    )
    return [
        Otherwise(
            thing_of(ground, one.kind, one.subject),
            answer_word(one.kind, one.said),
            answer_word(one.kind, one.agreed),
        )
        for one in differences
    ]


def _number(value: object) -> float | None:
    return None if value is None else float(value)  # type: ignore[arg-type]
