"""Stages and iterations, for programs."""

from datetime import datetime
from typing import Any

from django.utils import timezone
from ninja import Router

from discussions.access.permissions import check_see_iterations
from discussions.gates.views import stage_or_404
from discussions.iterations.actions import open_for_rating
from discussions.iterations.pages import JudgedIteration, judge_iteration
from discussions.iterations.permissions import check_freeze
from discussions.iterations.queries import load_history
from discussions.iterations.views import iteration_or_404
from discussions.models import Iteration, Stage
from workspace.web.bind_form import project_or_404
from workspace.web.endpoints import Answer, Listed, endpoint
from workspace.web.require import SignedIn

router = Router()
PROJECT = "/projects/{slug:slug}/"


class StageAnswer(Answer):
    """A stage; it is open while `closed_at` is null."""

    number: int
    name: str
    goal: str
    created_at: datetime
    closed_at: datetime | None


class IterationAnswer(Answer):
    """An iteration. `stage` is null for unsorted games; `rubric` is the rubric version, such as “discussion 1.1”."""

    number: int
    name: str
    stage: int | None
    kind: str
    state: str
    rubric: str
    evaluator_count: int
    target: str
    created_at: datetime
    opened_at: datetime | None


class SingleIterationAnswer(IterationAnswer):
    """One iteration with its prompt and plan; `compared_with` is the number of its reference."""

    prompt: str
    prompt_sha256: str
    change_note: str
    compared_with: int | None
    reveal: str
    least_games: int


class AverageAnswer(Answer):
    """The average of a metric over the games of an iteration; null while games are not known.

    `interval` is that of the average without games to which the metric does not apply (95 %).
    """

    key: str
    label: str
    threshold: float
    value: float | None
    passes: bool | None
    of_count: int
    by_rule_count: int
    pending: list[int]
    interval: tuple[float, float] | None


class SummaryAnswer(Answer):
    """The averages of an iteration and the decision on it, "" while there is none."""

    number: int
    name: str
    kind: str
    state: str
    game_count: int
    headline: str
    passes: bool | None
    mean_cost_usd: float | None
    cache_hit_rate: float | None
    decision: str
    averages: list[AverageAnswer]


@endpoint(
    router,
    "GET",
    PROJECT + "stages/",
    name="api_stages",
    permission="see_iterations",
    scope="read",
    answer=Listed[StageAnswer],
)
def list_stages(request: SignedIn, slug: str) -> Listed[StageAnswer]:
    """List the stages of a project."""
    project = project_or_404(request.user, slug)
    check_see_iterations(request.user, project)
    rows = Stage.objects.filter(project=project).order_by("number")
    return Listed[StageAnswer](items=[StageAnswer.model_validate(stage) for stage in rows])


@endpoint(
    router,
    "GET",
    PROJECT + "stages/{int:stage}/summary/",
    name="api_stage_summary",
    permission="see_iterations",
    scope="read",
    answer=Listed[SummaryAnswer],
)
def summarise_stage(request: SignedIn, slug: str, stage: int) -> Listed[SummaryAnswer]:
    """Read the averages of all iterations of a stage."""
    found = stage_or_404(request.user, slug, stage)
    check_see_iterations(request.user, found.project)
    return Listed[SummaryAnswer](
        items=[_summary(judge_iteration(row)) for row in load_history(found).iterations]
    )


def _summary(found: JudgedIteration) -> SummaryAnswer:
    row, averages = found.row, found.averages
    cost = averages.cost.mean_usd
    return SummaryAnswer(
        number=row.number,
        name=row.name,
        kind=row.kind,
        state=row.state,
        game_count=len(row.games),
        headline=averages.headline,
        passes=averages.passes,
        mean_cost_usd=None if cost is None else float(cost),
        cache_hit_rate=None if found.cache.rate is None else float(found.cache.rate),
        decision=row.decision.choice if row.decision else "",
        averages=[AverageAnswer.model_validate(line) for line in averages.lines],
    )


@endpoint(
    router,
    "GET",
    PROJECT + "iterations/",
    name="api_iterations",
    permission="see_iterations",
    scope="read",
    answer=Listed[IterationAnswer],
)
def list_iterations(request: SignedIn, slug: str) -> Listed[IterationAnswer]:
    """List the iterations of a project; number 0 holds the unsorted games."""
    project = project_or_404(request.user, slug)
    check_see_iterations(request.user, project)
    rows = Iteration.objects.filter(project=project).select_related("stage", "rubric_version__rubric")
    return Listed[IterationAnswer](items=[IterationAnswer(**_facts(row)) for row in rows.order_by("number")])


@endpoint(
    router,
    "GET",
    PROJECT + "iterations/{int:iteration}/",
    name="api_iteration",
    permission="see_iterations",
    scope="read",
    answer=SingleIterationAnswer,
)
def show_iteration(request: SignedIn, slug: str, iteration: int) -> SingleIterationAnswer:
    """Read one iteration with its prompt and its plan."""
    return _single(iteration_or_404(request.user, slug, iteration))


@endpoint(
    router,
    "POST",
    PROJECT + "iterations/{int:iteration}/open/",
    name="api_iteration_open",
    permission="freeze",
    scope="admin",
    answer=SingleIterationAnswer,
)
def open_iteration(request: SignedIn, slug: str, iteration: int) -> SingleIterationAnswer:
    """Open an iteration for rating.

    That freezes its list of games and gives evaluators their places on them.
    """
    found = iteration_or_404(request.user, slug, iteration)
    check_freeze(request.user, found)
    open_for_rating(iteration=found, by=request.user, now=timezone.now())
    return _single(iteration_or_404(request.user, slug, iteration))


def _facts(row: Iteration) -> dict[str, Any]:
    names = ("number", "name", "kind", "state", "evaluator_count", "target", "created_at", "opened_at")
    facts: dict[str, Any] = {name: getattr(row, name) for name in names}
    return {**facts, "stage": row.stage.number if row.stage else None, "rubric": str(row.rubric_version)}


def _single(row: Iteration) -> SingleIterationAnswer:
    names = ("prompt", "prompt_sha256", "change_note", "reveal", "least_games")
    reference = row.compared_with
    return SingleIterationAnswer(
        **_facts(row),
        **{name: getattr(row, name) for name in names},
        compared_with=reference.number if reference else None,
    )
