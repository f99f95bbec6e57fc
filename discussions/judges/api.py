"""Judges of a project for programs of its leads: who judges, what is asked, and answers that come by hand."""

from decimal import Decimal
from typing import Any, Literal

from django.utils import timezone
from pydantic import Field

from discussions.core.judgement_kinds import HELPS, STRATA
from discussions.judges import queries
from discussions.judges.actions import prompts, runs
from discussions.judges.core.contract import Contract
from discussions.judges.core.prompts import CRITERIA, AnswerText
from discussions.judges.labels import SIDE_LABELS
from discussions.judges.pages import describe_state
from discussions.judges.permissions import check_judges
from discussions.judges.queries import ALL, ANSWERED_BLIND
from discussions.judges.views import judge_or_404
from discussions.models import Admission, Judge, JudgePrompt
from workspace.core.limits import LONGEST_NAME, LONGEST_REASON
from workspace.core.refusals import Unacceptable
from workspace.web.bind_form import project_or_404
from workspace.web.endpoints import After, Answer, Given, Limit, Listed, Number, Operations, next_part
from workspace.web.views import SignedIn

router = Operations()
PATH = "/projects/{slug:slug}/judges/"
ONE = PATH + "{int:judge}/"


class JudgeLine(
    Answer, of=Judge, fields="number name model is_called identity created_at suspended_at ended_at"
):
    """A judge; its `identity` is the hash of model, parameters and prompt."""


class ContractRead(Answer, of=Contract, fields="use reasons items agreement people"):
    """What a judge may do for one metric and side ("" for all): helps, strata or refused, and why not more.

    `agreement` is that of the judge with people in percent, `people` that among themselves.
    """

    metric: str
    side: str


class AdmissionRead(Answer, of=Admission, fields="metric side use figures admitted_at ended_at ended_why"):
    """What a lead let a judge do, with the figures of its contract then, and why that ended."""

    figures: dict[str, Any]


class JudgeRead(Answer):
    """A judge and how far it is.

    `unread` prompts came back without an answer. `cost_usd` is null while no cost is known. `contracts` and
    `admissions`, the newest first, are told where one judge is read.
    """

    judge: JudgeLine
    state: str
    parameters: dict[str, float | str]
    prompt: str
    is_making: bool
    prompts: int
    open: int
    unread: int
    answers: int
    cost_usd: float | None
    contracts: list[ContractRead] = []
    admissions: list[AdmissionRead] = []


class PromptRead(Answer):
    """An open prompt; send its number back with the answer."""

    prompt: int
    game: int
    text: str


class JudgeGiven(Given):
    """A new judge. With `is_called` this site calls it, else you send its answers."""

    name: str = Field(max_length=LONGEST_NAME)
    model: str = Field(max_length=LONGEST_NAME)
    prompt: str = Field(max_length=runs.LONGEST_PROMPT)
    is_called: bool = False
    parameters: dict[str, float | int | str] = Field(default={}, max_length=10)
    budget_usd: float | None = Field(default=None, ge=0.01, le=999_999)


class RunGiven(Given):
    """What it is asked: `items` are those that people answered blind, or all; some are asked twice."""

    games: list[Number] = Field(max_length=prompts.MOST_GAMES)
    kinds: list[Literal[tuple(CRITERIA)]] = Field(default=list(CRITERIA), max_length=10)  # type: ignore[valid-type]
    items: Literal[ANSWERED_BLIND, ALL] = ANSWERED_BLIND  # type: ignore[valid-type]
    repeat_percent: int = Field(default=30, ge=0, le=100)


class TextGiven(Given):
    """What the judge wrote to the prompt of that number."""

    prompt: Number
    text: str = Field(max_length=2_000_000)


class AnswersGiven(Given):
    """Answers of a judge: all are kept, or none."""

    answers: list[TextGiven] = Field(max_length=1000)


class PlaceGiven(Given):
    """A metric and side of the judge's contracts."""

    metric: Literal[tuple(CRITERIA.values())]  # type: ignore[valid-type]
    side: Literal[tuple(SIDE_LABELS)] = ""  # type: ignore[valid-type]


class AdmitGiven(PlaceGiven):
    """What the contract says of that metric and side."""

    use: Literal[HELPS, STRATA]  # type: ignore[valid-type]


class WhyGiven(Given):
    """Why it is suspended."""

    reason: str = Field(max_length=LONGEST_REASON)


@router.get(PATH, "api_judges", "judges")
def list_judges(request: SignedIn, slug: str) -> Listed[JudgeLine]:
    """List the judges of a project, the newest first."""
    project = project_or_404(request.user, slug, check_judges)
    return Listed[JudgeLine].read_all(queries.judges_in(project))


@router.post(PATH, "api_judges", "judges", "admin", status=201)
def add_judge(request: SignedIn, slug: str, given: JudgeGiven) -> JudgeRead:
    """Add a judge to a project."""
    project = project_or_404(request.user, slug, check_judges)
    values = given.model_dump()
    budget = values["budget_usd"]
    values["budget_usd"] = None if budget is None else round(Decimal(str(budget)), 2)
    plan = runs.JudgePlan(**values)
    return _tell(runs.add_judge(project=project, plan=plan, by=request.user, now=timezone.now()))


@router.get(ONE, "api_judge", "judges")
def show_judge(request: SignedIn, slug: str, judge: int) -> JudgeRead:
    """Read a judge, how far it is, and what it may do."""
    row = judge_or_404(request.user, slug, judge)
    contracts = queries.load_contracts(row).items()
    told = [ContractRead.read(one, metric=metric, side=side) for (metric, side), one in contracts]
    signed = [AdmissionRead.read(one) for one in queries.list_admissions(row)]
    return _tell(row).model_copy(update={"contracts": told, "admissions": signed})


@router.post(ONE + "run/", "api_judge_run", "judges", "admin", costs="computations")
def run_judge(request: SignedIn, slug: str, judge: int, given: RunGiven) -> JudgeRead:
    """Queue the prompts for what the judge was not asked about these games; `is_making` until they are there."""
    row = judge_or_404(request.user, slug, judge)
    plan = prompts.RunPlan(given.games, given.kinds, given.items, given.repeat_percent)
    prompts.plan_run(judge=row, plan=plan, by=request.user, now=timezone.now())
    return _tell(row)


@router.post(ONE + "ask/", "api_judge_ask", "judges", "admin", costs="computations")
def ask_judge(request: SignedIn, slug: str, judge: int) -> JudgeRead:
    """Call the judge for its open prompts."""
    row = judge_or_404(request.user, slug, judge)
    prompts.start_calls(judge=row, by=request.user, now=timezone.now())
    return _tell(row)


@router.get(ONE + "prompts/", "api_judge_prompts", "judges")
def list_prompts(
    request: SignedIn, slug: str, judge: int, after: After = 0, limit: Limit = 20
) -> Listed[PromptRead]:
    """List the open prompts of a judge, in order."""
    row = judge_or_404(request.user, slug, judge)
    found = list(queries.find_open(row).filter(number__gt=min(after, 2**31 - 1))[: limit + 1])
    more = found[limit - 1].number if len(found) > limit else 0
    lines = [_read_prompt(prompt) for prompt in found[:limit]]
    return Listed[PromptRead].read_all(lines, next=next_part(request, more))


@router.post(ONE + "answers/", "api_judge_answers", "judges", "import")
def submit_answers(request: SignedIn, slug: str, judge: int, given: AnswersGiven) -> JudgeRead:
    """Submit what a judge wrote to open prompts. It is kept as it is, then read."""
    row = judge_or_404(request.user, slug, judge)
    lines = [AnswerText(at, one.prompt, one.text) for at, one in enumerate(given.answers, start=1)]
    faults = prompts.upload_answers(judge=row, lines=lines, by=request.user, now=timezone.now())
    if faults:
        raise Unacceptable(faults[0].message, field=f"answers/{faults[0].line - 1}{faults[0].pointer}")
    return _tell(row)


@router.post(ONE + "admit/", "api_judge_admit", "judges", "admin")
def admit_judge(request: SignedIn, slug: str, judge: int, given: AdmitGiven) -> JudgeRead:
    """Admit a judge for a metric and side as its contract says, in place of the one that is admitted there."""
    row = judge_or_404(request.user, slug, judge)
    runs.admit_judge(judge=row, **given.model_dump(), by=request.user, now=timezone.now())
    return _tell(row)


@router.post(ONE + "withdraw/", "api_judge_withdraw", "judges", "admin")
def withdraw_admission(request: SignedIn, slug: str, judge: int, given: PlaceGiven) -> JudgeRead:
    """Withdraw the admission of a judge for a metric and side."""
    row = judge_or_404(request.user, slug, judge)
    runs.withdraw_admission(judge=row, **given.model_dump(), by=request.user, now=timezone.now())
    return _tell(row)


@router.post(ONE + "suspend/", "api_judge_suspend", "judges", "admin")
def suspend_judge(request: SignedIn, slug: str, judge: int, given: WhyGiven) -> JudgeRead:
    """Suspend a judge: nothing more is asked of it until it is resumed."""
    row = judge_or_404(request.user, slug, judge)
    runs.suspend_judge(judge=row, reason=given.reason, by=request.user, now=timezone.now())
    return _tell(row)


@router.post(ONE + "resume/", "api_judge_resume", "judges", "admin")
def resume_judge(request: SignedIn, slug: str, judge: int) -> JudgeRead:
    """Resume a suspended judge."""
    row = judge_or_404(request.user, slug, judge)
    runs.resume_judge(judge=row, by=request.user, now=timezone.now())
    return _tell(row)


@router.post(ONE + "end/", "api_judge_end", "judges", "admin")
def end_judge(request: SignedIn, slug: str, judge: int) -> JudgeRead:
    """End a judge. Its answers stay."""
    row = judge_or_404(request.user, slug, judge)
    runs.end_judge(judge=row, by=request.user, now=timezone.now())
    return _tell(row)


def _read_prompt(prompt: JudgePrompt) -> PromptRead:
    return PromptRead(prompt=prompt.number, game=prompt.game.number, text=queries.build_text(prompt))


def _tell(row: Judge) -> JudgeRead:
    progress = queries.load_progress([row.pk])[row.pk]
    return JudgeRead(
        judge=JudgeLine.read(row),
        state=describe_state(row, is_admitted=row.admissions.filter(ended_at=None).exists()),
        parameters=row.parameters,
        prompt=row.prompt,
        is_making=prompts.is_live(prompts.find_job(row, prompts.MAKE)),
        prompts=progress.prompts,
        open=progress.open,
        unread=progress.unread,
        answers=progress.answers,
        cost_usd=None if progress.cost is None else float(progress.cost),
    )
