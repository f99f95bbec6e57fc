"""A person's own evaluations, and their answers to the five questions and ratings game by game."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime, timedelta

from django.db.models import Exists, OuterRef, QuerySet, Subquery
from msgspec import Struct

from discussions.core import judgement_kinds
from discussions.core.evaluation_states import SUBMITTED
from discussions.metrics.core.metric import RATING
from discussions.models import Evaluation, Judgement, RatingRule, Verdict
from discussions.models.queue_rules import MOST_REOPEN_MINUTES
from discussions.models.slots import CALIBRATION
from discussions.queries import rubric_record
from discussions.slots.queries import set_aside, submitted_count
from discussions.verdicts.permissions import check_reopen
from workspace.access.permissions import may
from workspace.core.limits import PAGE_SIZE
from workspace.display.core.charts import DotRow, DotsChart, Segment, dot_plot, share_bar
from workspace.models import Membership, Person
from workspace.models.projects import EVALUATOR


class MinePage(Struct, frozen=True):
    """The person's evaluations, newest first; `older` is the key to continue from, 0 at the end.

    Each has `rating` (None without one), `has_verdict`, `is_free` (it was set aside and can be taken up again) and
    `in_count` (how many evaluations of its game are submitted). `reopenable` holds the keys of evaluations that the
    person can reopen. `compared` holds the keys of evaluations for which the project shows where the person and the
    rule differ.
    """

    evaluations: list[Evaluation]
    older: int
    reopenable: set[int]
    compared: set[int]


def mine_page(*, person: Person, now: datetime, before: int = 0) -> MinePage:
    """One page of the person's evaluations; `before` continues after the evaluation with that key."""
    ratings = Judgement.objects.filter(evaluation=OuterRef("pk"), kind=judgement_kinds.RATING, subject="")
    rated = Membership.objects.filter(person=person, role=EVALUATOR, ended_at=None).values("project")
    own = Evaluation.objects.visible_to(person).select_related("game__project", "game__iteration")
    own = own.annotate(
        rating=Subquery(ratings.values("value")),
        has_verdict=Exists(Verdict.objects.filter(game=OuterRef("game"))),
        in_count=submitted_count(),
        is_free=Exists(set_aside(person, rated).filter(pk=OuterRef("pk"))),
    )
    found, older = _page(own, before)
    submitted = [evaluation for evaluation in found if evaluation.state == SUBMITTED]
    compared = list_compared(submitted)
    longest = timedelta(minutes=MOST_REOPEN_MINUTES)
    fresh = [evaluation for evaluation in submitted if now - (evaluation.submitted_at or now) < longest]
    reopenable = {evaluation.pk for evaluation in fresh if may(check_reopen, person, evaluation, now)}
    return MinePage(found, older, reopenable, compared)


def list_compared(submitted: Sequence[Evaluation]) -> set[int]:
    """The keys of those evaluations that have a page of differences from the rule; one query."""
    projects = {evaluation.game.project_id for evaluation in submitted}
    rules = RatingRule.objects.filter(project__in=projects, shows_differences=True)
    shown = set(rules.values_list("project", flat=True))
    return {
        evaluation.pk
        for evaluation in submitted
        if evaluation.game.project_id in shown and evaluation.purpose != CALIBRATION
    }


def _page(own: "QuerySet[Evaluation]", before: int) -> tuple[list[Evaluation], int]:
    """One page of these evaluations, newest first, and the key to continue from, 0 at the end."""
    rows = own.order_by("-pk")
    found = list((rows.filter(pk__lt=before) if before else rows)[: PAGE_SIZE + 1])
    return found[:PAGE_SIZE], found[PAGE_SIZE - 1].pk if len(found) > PAGE_SIZE else 0


class Question(Struct, frozen=True):
    """A question as in the newest of these games, and how often the person answered yes and no."""

    text: str
    yes: int
    no: int
    parts: list[Segment]


class AnsweredGame(Struct, frozen=True):
    """One submitted evaluation; `answers` are "yes", "no" or "" by question, in their order."""

    evaluation: Evaluation
    answers: list[str]
    rating: str


class OwnHistoryPage(Struct, frozen=True):
    """The newest games of the person; `older` is the key to continue from, 0 at the end."""

    questions: list[Question]
    ratings: DotsChart | None
    rows: list[AnsweredGame]
    older: int


def own_history_page(*, person: Person, before: int = 0) -> OwnHistoryPage:
    """One page of the person's submitted evaluations; `before` continues after the one with that key."""
    own = Evaluation.objects.visible_to(person).filter(state=SUBMITTED)
    found, older = _page(own.select_related("game__project", "measured__rubric_version"), before)
    given = _load_answers(found)
    texts: Sequence[str] = []
    if found:
        version = found[0].measured.rubric_version
        texts = rubric_record(version.pk, version.sha256).criterion("engagement").guiding_questions
    rows = [
        AnsweredGame(
            evaluation,
            [
                given[evaluation.pk].get((judgement_kinds.QUESTION, str(n)), "")
                for n in range(1, len(texts) + 1)
            ],
            given[evaluation.pk].get((judgement_kinds.RATING, ""), ""),
        )
        for evaluation in found
    ]
    questions = [_question(text, [row.answers[index] for row in rows]) for index, text in enumerate(texts)]
    return OwnHistoryPage(questions, _ratings_chart(rows), rows, older)


def _load_answers(evaluations: Sequence[Evaluation]) -> dict[int, dict[tuple[str, str], str]]:
    answers = Judgement.objects.filter(
        evaluation__in=evaluations, kind__in=(judgement_kinds.QUESTION, judgement_kinds.RATING)
    )
    found: dict[int, dict[tuple[str, str], str]] = defaultdict(dict)
    for evaluation, kind, subject, value in answers.values_list("evaluation", "kind", "subject", "value"):
        found[evaluation][kind, subject] = value
    return found


def _question(text: str, answers: list[str]) -> Question:
    yes, no = answers.count(judgement_kinds.YES), answers.count(judgement_kinds.NO)
    counts = ((judgement_kinds.YES, yes), (judgement_kinds.NO, no)) if yes + no else ()
    parts = share_bar([(label, str(count), count / (yes + no)) for label, count in counts])
    return Question(text, yes, no, parts)


def _ratings_chart(rows: list[AnsweredGame]) -> DotsChart | None:
    """One dot for each rating; equal ratings are stacked."""
    given = [float(row.rating) for row in rows if row.rating]
    if not given:
        return None
    mean = sum(given) / len(given)
    return dot_plot([DotRow("", given, mean, f"{mean:.2f}")], minimum=RATING.low, maximum=RATING.high)
