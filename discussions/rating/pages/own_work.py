"""One's own evaluations: where each stands, what comes next, and which of those set aside can still go on.

How one person answered before: the five questions and the rating, game by game. Their own alone.
"""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime

from django.db.models import Exists, OuterRef, QuerySet
from msgspec import Struct

from discussions.core import judgement_kinds
from discussions.core.evaluation_states import LAPSED, SKIPPED, SUBMITTED
from discussions.models import Evaluation, Judgement, Verdict
from discussions.models.slots import RATING
from discussions.queries import rubric_record
from discussions.slots.queries import set_aside, submitted_count
from workspace.core.limits import PAGE_SIZE
from workspace.display.core.charts import DotRow, DotsChart, Segment, dot_plot, share_bar
from workspace.models import Membership, Person
from workspace.models.projects import EVALUATOR


class EvaluationRow(Struct, frozen=True):
    """One evaluation in the person's own history; with several evaluators `in_count` of `needed` are handed in.

    `is_aside` if it was skipped, or not finished in time, `is_free` if it can then be taken up again.
    """

    evaluation: int
    project: str
    slug: str
    game_number: int
    state: str
    begun_at: datetime
    submitted_at: datetime | None
    rating: str
    is_aside: bool
    is_free: bool
    has_verdict: bool
    purpose: str
    in_count: int
    needed: int


class MinePage(Struct, frozen=True):
    """One's own evaluations, newest first; `older` is the number to go on from, 0 at the end."""

    rows: list[EvaluationRow]
    older: int


def mine_page(*, person: Person, before: int = 0) -> MinePage:
    """One's own evaluations, fifty to a page; `before` continues behind the evaluation with that number."""
    own = Evaluation.objects.visible_to(person).order_by("-pk")
    if before:
        own = own.filter(pk__lt=before)
    verdict = Verdict.objects.filter(game=OuterRef("game"))
    told = own.select_related("game__project", "game__iteration").annotate(
        has_verdict=Exists(verdict), in_count=submitted_count(), is_free=Exists(_going_on(person))
    )
    found = list(told[: PAGE_SIZE + 1])
    ratings = _ratings(own.filter(pk__in=[evaluation.pk for evaluation in found]))
    rows = [
        EvaluationRow(
            evaluation=evaluation.pk,
            project=evaluation.game.project.name,
            slug=evaluation.game.project.slug,
            game_number=evaluation.game_number,
            purpose=evaluation.purpose,
            state=evaluation.state,
            begun_at=evaluation.created_at,
            submitted_at=evaluation.submitted_at,
            rating=ratings.get(evaluation.pk, ""),
            is_aside=evaluation.state in (SKIPPED, LAPSED),
            is_free=evaluation.is_free,
            has_verdict=evaluation.state == SUBMITTED
            and evaluation.purpose == RATING
            and evaluation.has_verdict,
            in_count=evaluation.in_count
            if evaluation.state == SUBMITTED and evaluation.purpose == RATING
            else 0,
            needed=evaluation.game.evaluator_count,
        )
        for evaluation in found[:PAGE_SIZE]
    ]
    return MinePage(rows, older=rows[-1].evaluation if len(found) > PAGE_SIZE else 0)


def _going_on(person: Person) -> "QuerySet[Evaluation]":
    """The outer query's evaluation, if it was set aside and there is a place in which it could go on."""
    rated = Membership.objects.filter(person=person, role=EVALUATOR, ended_at=None).values("project")
    return set_aside(person, rated).filter(pk=OuterRef("pk"))


def _ratings(own: "QuerySet[Evaluation]") -> dict[int, str]:
    rated = Judgement.objects.filter(evaluation__in=own.values("pk"), kind="rating", subject="")
    return dict(rated.values_list("evaluation", "value"))


LEAST_RATING, MOST_RATING = 1, 5


class Question(Struct, frozen=True):
    """One of the questions, as the newest of these games put it, and how often the person said yes and no."""

    number: int
    text: str
    yes: int
    no: int
    parts: list[Segment]


class AnsweredGame(Struct, frozen=True):
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
    rows: list[AnsweredGame]
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
        AnsweredGame(
            evaluation=evaluation.pk,
            game_number=evaluation.game_number,
            project=evaluation.game.project.name,
            purpose=evaluation.purpose,
            submitted_at=evaluation.submitted_at,
            answers=[
                said[evaluation.pk].get((judgement_kinds.QUESTION, str(n)), "")
                for n in range(1, len(texts) + 1)
            ],
            rating=said[evaluation.pk].get((judgement_kinds.RATING, ""), ""),
        )
        for evaluation in listed
    ]
    older = rows[-1].evaluation if len(found) > PAGE_SIZE else 0
    return OwnHistoryPage(
        [_question(n, text, rows) for n, text in enumerate(texts, 1)], _own_history_ratings(rows), rows, older
    )


def _said(evaluations: Sequence[Evaluation]) -> dict[int, dict[tuple[str, str], str]]:
    answers = Judgement.objects.filter(
        evaluation__in=evaluations, kind__in=(judgement_kinds.QUESTION, judgement_kinds.RATING)
    )
    said: dict[int, dict[tuple[str, str], str]] = defaultdict(dict)
    for evaluation, kind, subject, value in answers.values_list("evaluation", "kind", "subject", "value"):
        said[evaluation][kind, subject] = value
    return said


def _questions(evaluations: Sequence[Evaluation]) -> Sequence[str]:
    if not evaluations:
        return []
    version = evaluations[0].measured.rubric_version
    return rubric_record(version.pk, version.sha256).criterion("engagement").guiding_questions


def _question(number: int, text: str, rows: list[AnsweredGame]) -> Question:
    said = [row.answers[number - 1] for row in rows]
    yes, no = said.count(judgement_kinds.YES), said.count(judgement_kinds.NO)
    count = yes + no
    shares = (
        [(judgement_kinds.YES, str(yes), yes / count), (judgement_kinds.NO, str(no), no / count)]
        if count
        else []
    )
    return Question(number, text, yes, no, share_bar(shares))


def _own_history_ratings(rows: list[AnsweredGame]) -> DotsChart | None:
    """One dot for each rating; in half points, so equal ones stand above each other."""
    given = [float(row.rating) for row in rows if row.rating]
    if not given:
        return None
    mean = sum(given) / len(given)
    return dot_plot([DotRow("", given, mean, f"{mean:.2f}")], minimum=LEAST_RATING, maximum=MOST_RATING)
