"""What each evaluator said of a game, for its leads: state, rating, answers, overrides, remarks."""

from datetime import datetime

from msgspec import Struct

from discussions.core import kinds
from discussions.core.kinds import place_of
from discussions.models import Evaluation, Game, Judgement, Remark
from discussions.models.slots import RATING


class JudgementLine(Struct, frozen=True):
    """One judgement; `before` is the blind answer where it was changed after a reveal."""

    kind: str
    subject: str
    message: int
    value: str
    before: str
    reason: str
    version: int


class RemarkLine(Struct, frozen=True):
    """One flag or comment."""

    kind: str
    target: str
    text: str
    at: datetime


class PersonPart(Struct, frozen=True):
    """One evaluation and everything judged in it."""

    name: str
    state: str
    started_at: datetime
    submitted_at: datetime | None
    rating: str
    judgements: list[JudgementLine]
    remarks: list[RemarkLine]


def people_parts(game: Game) -> list[PersonPart]:
    """Every evaluation of the game, in the order they were begun; three queries."""
    evaluations = list(
        Evaluation.objects.filter(game=game, purpose=RATING).select_related("evaluator").order_by("pk")
    )
    judgements: dict[int, list[Judgement]] = {}
    for row in Judgement.objects.filter(evaluation__in=evaluations).exclude(value=""):
        judgements.setdefault(row.evaluation_id, []).append(row)
    remarks: dict[int, list[Remark]] = {}
    for remark in Remark.objects.filter(evaluation__in=evaluations).order_by("pk"):
        remarks.setdefault(remark.evaluation_id, []).append(remark)
    return [_part(each, judgements.get(each.pk, []), remarks.get(each.pk, [])) for each in evaluations]


def _part(evaluation: Evaluation, judgements: list[Judgement], remarks: list[Remark]) -> PersonPart:
    rating = [row.value for row in judgements if row.kind == kinds.RATING]
    lines = [_line(row) for row in judgements if row.kind != kinds.RATING]
    return PersonPart(
        name=evaluation.evaluator.name,
        state=evaluation.state,
        started_at=evaluation.created_at,
        submitted_at=evaluation.submitted_at,
        rating=rating[0] if rating else "",
        judgements=sorted(lines, key=lambda line: (line.kind, line.message, line.subject)),
        remarks=[
            RemarkLine(row.kind, row.target.replace(":", " "), row.text, row.created_at) for row in remarks
        ],
    )


def _line(row: Judgement) -> JudgementLine:
    is_placed = row.kind in kinds.OF_A_MESSAGE or row.kind in kinds.OF_A_SENTENCE
    changed = bool(row.blind_value) and row.blind_value != row.value
    return JudgementLine(
        kind=row.kind.replace("_", " "),
        subject=row.subject,
        message=place_of(row.subject)[0] if is_placed else 0,
        value=row.value.replace("_", " "),
        before=row.blind_value.replace("_", " ") if changed else "",
        reason=row.reason,
        version=row.version,
    )
