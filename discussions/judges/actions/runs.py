"""Judges are added, run on games, suspended and ended by leads."""

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext as _
from msgspec import Struct

from discussions.judges.actions.admissions import end_admissions
from discussions.judges.permissions import check_judges, check_use_judge
from discussions.models import Judge
from discussions.models.judges import ENDED, SUSPENDED
from rubric.core.call_parameters import select_parameters
from workspace.audit.actions import record_event
from workspace.core.canonical import canonical_hash
from workspace.core.limits import LONGEST_NAME, LONGEST_REASON
from workspace.core.refusals import Conflict, Unacceptable
from workspace.models import Person, Project
from workspace.texts import clean_text

LONGEST_PROMPT = 20_000


class JudgePlan(Struct, frozen=True):
    """Who judges: a model with its parameters and its prompt. With `is_called` this site calls it."""

    name: str
    model: str
    prompt: str
    is_called: bool = False
    parameters: Mapping[str, Any] = {}
    budget_usd: Decimal | None = None


def add_judge(*, project: Project, plan: JudgePlan, by: Person, now: datetime) -> Judge:
    """Raises NotAllowed, Unacceptable, Conflict if the project has a judge of the same model, parameters and prompt."""
    check_judges(by, project)
    name = clean_text(plan.name, field="name", ask=_("Give the judge a name."), most=LONGEST_NAME)
    model = clean_text(plan.model, field="model", ask=_("Say which model it is."), most=LONGEST_NAME)
    prompt = clean_text(plan.prompt, field="prompt", ask=_("Write the prompt."), most=LONGEST_PROMPT)
    parameters = select_parameters(plan.parameters)
    if dict(plan.parameters) != parameters:
        raise Unacceptable(_("These are no parameters of a call. Load the page again."))
    with transaction.atomic():
        Project.objects.select_for_update().get(pk=project.pk)
        identity = compute_identity(model, parameters, prompt)
        known = Judge.objects.filter(project=project, identity=identity).first()
        if known is not None:
            says = _("%(name)s is the same model with the same parameters and prompt.") % {"name": known.name}
            raise Conflict(says, code="same_judge")
        newest = Judge.objects.filter(project=project).aggregate(newest=Max("number"))["newest"] or 0
        judge = Judge.objects.create(
            project=project,
            number=newest + 1,
            name=name,
            model=model,
            is_called=plan.is_called,
            parameters=parameters,
            prompt=prompt,
            identity=identity,
            budget_usd=plan.budget_usd,
            created_at=now,
            created_by=by,
        )
        detail = {"number": judge.number, "model": model, "is_called": plan.is_called, "identity": identity}
        record_event("judge:added", judge, by=by, now=now, detail=detail)
    return judge


def compute_identity(model: str, parameters: Mapping[str, Any], prompt: str) -> str:
    return canonical_hash([model, dict(parameters), prompt])


def suspend_judge(*, judge: Judge, reason: str, by: Person, now: datetime) -> None:
    """Nothing more is asked of it until somebody resumes it. Raises NotAllowed, Unacceptable without a reason."""
    check_use_judge(by, judge)
    said = clean_text(reason, field="reason", ask=_("Say why it is suspended."), most=LONGEST_REASON)
    changes = {"suspended_at": now, "suspended_by": by, "suspended_reason": said}
    steer(
        judge=judge,
        verb="judge:suspended",
        changes=changes,
        only={"suspended_at": None, "ended_at": None},
        by=by,
        now=now,
    )


def resume_judge(*, judge: Judge, by: Person, now: datetime) -> None:
    """Raises NotAllowed, Conflict if it is not suspended."""
    check_judges(by, judge.project)
    changes = {"suspended_at": None, "suspended_by": None, "suspended_reason": ""}
    steer(
        judge=judge,
        verb="judge:resumed",
        changes=changes,
        only={"suspended_at__isnull": False, "ended_at": None},
        by=by,
        now=now,
    )


def end_judge(*, judge: Judge, by: Person, now: datetime) -> None:
    """Ask it nothing more; its answers stay. Raises NotAllowed, Conflict if it was ended."""
    check_judges(by, judge.project)
    steer(
        judge=judge,
        verb="judge:ended",
        changes={"ended_at": now, "ended_by": by},
        only={"ended_at": None},
        by=by,
        now=now,
    )


def steer(
    *,
    judge: Judge,
    verb: str,
    changes: dict[str, Any],
    only: dict[str, Any],
    by: Person,
    now: datetime,
    figures: Mapping[str, int] = {},
) -> None:
    """Change the judge if it is as `only` says; one that stops is admitted no more. Raises Conflict."""
    with transaction.atomic():
        if not Judge.objects.filter(pk=judge.pk, **only).update(**changes):
            raise Conflict(_("The judge was changed meanwhile. Load the page again."), code="changed")
        if changes.get("suspended_at") or changes.get("ended_at"):
            why = ENDED if "ended_at" in changes else SUSPENDED
            end_admissions(rows=judge.admissions.all(), why=why, by=by, now=now)
        detail = {"reason": changes["suspended_reason"]} if changes.get("suspended_reason") else {}
        record_event(verb, judge, by=by, now=now, detail=detail | dict(figures))
    for name, value in changes.items():
        setattr(judge, name, value)
