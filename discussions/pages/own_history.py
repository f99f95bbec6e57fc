"""How one person answered before: the five questions and the rating, game by game. Their own alone."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime

from msgspec import Struct

from discussions.core import kinds
from discussions.core.moves import SUBMITTED
from discussions.models import Evaluation, Judgement
from discussions.models.standings import rubric_record
from workspace.core.charts import DotRow, DotsChart, Segment, dot_plot, share_bar
from workspace.core.limits import PAGE_SIZE
from workspace.models import Person

LEAST_RATING, MOST_RATING = 1, 5


class Question(Struct, frozen=True):
    """One of the questions, as the newest of these games put it, and how often the person said yes and no."""

    number: int
    text: str
    yes: int
    no: int
    parts: list[Segment]


class Answered(Struct, frozen=True):
    """One game that was handed in; `answers` are "yes", "no" or "" by question, in their order."""

    evaluation: int
    game_number: int
    project: str
    purpose: str
    submitted_at: datetime | None
    answers: list[str]
    rating: str


class OwnHistoryPage(Struct, frozen=True):
    """The newest games of the person; `older` is the evaluation to go on from, 0 at the end."""

    questions: list[Question]
    ratings: DotsChart | None
    rows: list[Answered]
    older: int


def own_history_page(*, person: Person, before: int = 0) -> OwnHistoryPage:
    """What the person handed in, fifty games to a page, newest first; `before` continues behind that evaluation."""
    own = Evaluation.objects.visible_to(person).filter(state=SUBMITTED).order_by("-pk")
    if before:
        own = own.filter(pk__lt=before)
    read = own.select_related("game__project", "measured__rubric_version")
    found = list(read[: PAGE_SIZE + 1])
    listed = found[:PAGE_SIZE]
    said = _said(listed)
    texts = _questions(listed)
    rows = [
        Answered(
            evaluation=one.pk,
            game_number=one.game_number,
            project=one.game.project.name,
            purpose=one.purpose,
            submitted_at=one.submitted_at,
            answers=[said[one.pk].get((kinds.QUESTION, str(n)), "") for n in range(1, len(texts) + 1)],
            rating=said[one.pk].get((kinds.RATING, ""), ""),
        )
        for one in listed
    ]
    older = rows[-1].evaluation if len(found) > PAGE_SIZE else 0
    return OwnHistoryPage(
        [_question(n, text, rows) for n, text in enumerate(texts, 1)], _ratings(rows), rows, older
    )


def _said(evaluations: Sequence[Evaluation]) -> dict[int, dict[tuple[str, str], str]]:
    answers = Judgement.objects.filter(evaluation__in=evaluations, kind__in=(kinds.QUESTION, kinds.RATING))
    said: dict[int, dict[tuple[str, str], str]] = defaultdict(dict)
    for evaluation, kind, subject, value in answers.values_list("evaluation", "kind", "subject", "value"):
        said[evaluation][kind, subject] = value
    return said


def _questions(evaluations: Sequence[Evaluation]) -> Sequence[str]:
    if not evaluations:
        return []
    version = evaluations[0].measured.rubric_version
    return rubric_record(version.pk, version.sha256).criterion("engagement").guiding_questions


def _question(number: int, text: str, rows: list[Answered]) -> Question:
    said = [row.answers[number - 1] for row in rows]
    yes, no = said.count(kinds.YES), said.count(kinds.NO)
    count = yes + no
    shares = [(kinds.YES, str(yes), yes / count), (kinds.NO, str(no), no / count)] if count else []
    return Question(number, text, yes, no, share_bar(shares))


def _ratings(rows: list[Answered]) -> DotsChart | None:
    """One dot for each rating; in half points, so equal ones stand above each other."""
    given = [float(row.rating) for row in rows if row.rating]
    if not given:
        return None
    mean = sum(given) / len(given)
    return dot_plot([DotRow("", given, mean, f"{mean:.2f}")], minimum=LEAST_RATING, maximum=MOST_RATING)
