"""Stages and their gates, for programs."""

from typing import Literal

from django.utils import timezone
from pydantic import Field

from discussions.core.iteration_states import AVERAGE, ITERATION
from discussions.iterations import actions
from discussions.iterations.actions import StagePlan
from discussions.iterations.core.gates import GateStatus
from discussions.iterations.permissions import check_open_stage, check_sign_stage
from discussions.iterations.queries import count_erased, load_gate
from discussions.iterations.views import get_next_refusal, stage_or_404
from discussions.models import Stage
from discussions.models.iterations import ENGAGEMENT_RULES, STREAK_UNITS
from discussions.slots.permissions import check_see_iterations
from workspace.access.permissions import get_refusal
from workspace.core.limits import LONGEST_REASON
from workspace.models import Person
from workspace.web.bind_form import project_or_404
from workspace.web.endpoints import Answer, Given, Listed, Operations
from workspace.web.views import SignedIn

router = Operations()
PATH = "/projects/{slug:slug}/stages/"
ONE = PATH + "{int:stage}/"


class StageAnswer(
    Answer, of=Stage, fields="number name goal streak_unit engagement_rule created_at closed_at"
):
    """A stage; it is open while `closed_at` is null."""


class GateAnswer(
    Answer,
    of=GateStatus,
    fields="is_open missing streak:streak.count streak_needed:streak.needed cache_hit_rate:cache.rate",
):
    """The gate to the next stage: what is missing in sentences, and how many successes there are in a row.

    `statement` says what makes the games fascinating to watch, "" until somebody signed one; `sign_refusal` says why
    you cannot sign it now. Of `erased_count` games only the figures of their verdicts are left.
    """

    next_refusal: str
    statement: str
    signed_by: str
    sign_refusal: str
    erased_count: int


class StatementGiven(Given):
    """What makes the games of a stage fascinating to watch."""

    statement: str = Field(max_length=LONGEST_REASON)


class StageGiven(Given):
    """A stage: its goal, what has to succeed in a row, and where engagement must reach its threshold."""

    name: str
    goal: str = ""
    streak_unit: Literal[tuple(key for key, _name in STREAK_UNITS)] = ITERATION  # type: ignore[valid-type]
    engagement_rule: Literal[tuple(key for key, _name in ENGAGEMENT_RULES)] = AVERAGE  # type: ignore[valid-type]


class NextStageGiven(StageGiven):
    """The next stage. An admin who opens it although something is missing gives a `reason`."""

    reason: str = ""


@router.get(PATH, "api_stages", "see_iterations")
def list_stages(request: SignedIn, slug: str) -> Listed[StageAnswer]:
    """List the stages of a project."""
    project = project_or_404(request.user, slug, check_see_iterations)
    rows = Stage.objects.filter(project=project).order_by("number")
    return Listed[StageAnswer].read_all(rows)


@router.post(PATH, "api_stages", "open_stage", "admin", status=201)
def open_stage(request: SignedIn, slug: str, given: StageGiven) -> StageAnswer:
    """Create the first stage of a project."""
    project = project_or_404(request.user, slug, check_open_stage)
    plan = StagePlan(**given.model_dump())
    made = actions.open_stage(project=project, plan=plan, by=request.user, now=timezone.now())
    return StageAnswer.read(made)


@router.get(ONE + "gate/", "api_gate", "see_iterations")
def show_gate(request: SignedIn, slug: str, stage: int) -> GateAnswer:
    """Read what the gate to the next stage still asks for."""
    row = stage_or_404(request.user, slug, stage)
    check_see_iterations(request.user, row.project)
    return _gate(row, request.user)


@router.post(ONE + "sign/", "api_sign_stage", "sign_stage", "admin")
def sign(request: SignedIn, slug: str, stage: int, given: StatementGiven) -> GateAnswer:
    """Sign that the games of a stage are fascinating to watch. It is permanent and signed with your name."""
    row = stage_or_404(request.user, slug, stage)
    check_sign_stage(request.user, row)
    actions.sign_stage(stage=row, text=given.statement, by=request.user, now=timezone.now())
    return _gate(stage_or_404(request.user, slug, stage), request.user)


def _gate(stage: Stage, person: Person) -> GateAnswer:
    gate = load_gate(stage)
    return GateAnswer.read(
        gate,
        next_refusal=get_next_refusal(person, stage, gate),
        statement=stage.statement,
        signed_by=stage.stated_by.name if stage.stated_by else "",
        sign_refusal=get_refusal(check_sign_stage, person, stage),
        erased_count=sum(count_erased(iteration__stage=stage).values()),
    )


@router.post(ONE + "next/", "api_next_stage", "open_next_stage", "admin", status=201)
def open_next_stage(request: SignedIn, slug: str, stage: int, given: NextStageGiven) -> StageAnswer:
    """Close a stage and open the next one.

    The gate must be open, which takes a statement that a lead signs.
    """
    row = stage_or_404(request.user, slug, stage)
    texts = given.model_dump()
    reason = texts.pop("reason")
    made = actions.open_next_stage(
        stage=row, plan=StagePlan(**texts), reason=reason, by=request.user, now=timezone.now()
    )
    return StageAnswer.read(made)
