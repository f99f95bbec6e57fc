"""A person's own evaluations, and their answers to the five questions and ratings game by game."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet, Subquery

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
from workspace.display.core.charts import DotRow, dot_plot, share_bar
from workspace.models import Membership, Person
from workspace.models.projects import EVALUATOR


def mine_page(*, person: Person, now: datetime, before: int = 0) -> dict[str, Any]:
    """One page of the person's evaluations, newest first; `before` continues after the evaluation with that key.

    Each has `rating` (None without one), `has_verdict`, `is_free` (it was set aside and can be taken up again) and
    `in_count` (how many evaluations of its game are submitted). `older` is the key to continue from, 0 at the end;
    `reopenable` holds the keys of evaluations that the person can reopen, `compared` of those for which the project
    shows where the person and the rule differ.
    """
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
    return {"evaluations": found, "older": older, "reopenable": reopenable, "compared": compared}


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


def build_own_history(*, person: Person, before: int = 0) -> dict[str, object]:
    """One page of the person's submitted evaluations; `before` continues after the one with that key.

    `questions` are those of the newest game, each with the counts of `yes` and `no`; `rows` have `answers` in their
    order, "" where there is none. `older` is the key to continue from, 0 at the end.
    """
    own = Evaluation.objects.visible_to(person).filter(state=SUBMITTED)
    evaluations, older = _page(own.select_related("game__project", "measured__rubric_version"), before)
    by_evaluation = _load_answers(evaluations)
    texts: Sequence[str] = []
    if evaluations:
        version = evaluations[0].measured.rubric_version
        texts = rubric_record(version.pk, version.sha256).criterion("engagement").guiding_questions
    rows: list[dict[str, object]] = []
    answered: list[list[str]] = []
    ratings: list[float] = []
    for evaluation in evaluations:
        values = by_evaluation[evaluation.pk]
        answers = [values.get((judgement_kinds.QUESTION, str(n)), "") for n in range(1, len(texts) + 1)]
        rating = values.get((judgement_kinds.RATING, ""), "")
        answered.append(answers)
        rows.append({"evaluation": evaluation, "answers": answers, "rating": rating})
        ratings += [float(rating)] if rating else []
    mean = sum(ratings) / len(ratings) if ratings else 0
    dots = DotRow("", ratings, mean, f"{mean:.2f}")
    return {
        "questions": [
            _count_answers(text, [answers[index] for answers in answered]) for index, text in enumerate(texts)
        ],
        "ratings": dot_plot([dots], minimum=RATING.low, maximum=RATING.high) if ratings else None,
        "rows": rows,
        "older": older,
    }


def _load_answers(evaluations: Sequence[Evaluation]) -> dict[int, dict[tuple[str, str], str]]:
    answers = Judgement.objects.filter(
        evaluation__in=evaluations, kind__in=(judgement_kinds.QUESTION, judgement_kinds.RATING)
    )
    found: dict[int, dict[tuple[str, str], str]] = defaultdict(dict)
    for evaluation, kind, subject, value in answers.values_list("evaluation", "kind", "subject", "value"):
        found[evaluation][kind, subject] = value
    return found


def _count_answers(text: str, answers: list[str]) -> dict[str, object]:
    yes, no = answers.count(judgement_kinds.YES), answers.count(judgement_kinds.NO)
    counts = ((judgement_kinds.YES, yes), (judgement_kinds.NO, no)) if yes + no else ()
    parts = share_bar([(label, str(count), count / (yes + no)) for label, count in counts])
    return {"text": text, "yes": yes, "no": no, "parts": parts}
