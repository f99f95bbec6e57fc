"""Judges are added, run on games, admitted, watched for drift, suspended and ended."""

from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.db import transaction
from django.db.models import Max, QuerySet
from django.utils.translation import gettext as _
from msgspec import Struct, to_builtins
from msgspec.structs import asdict

from discussions.judges.core.contract import REFUSED, Contract
from discussions.judges.core.drift import Baseline, Drift
from discussions.judges.labels import METRIC_LABELS, SIDE_LABELS
from discussions.judges.permissions import check_judges, check_use_judge
from discussions.judges.queries import find_admissions, load_contracts, load_drifts
from discussions.models import Admission, Evaluation, Judge, JudgePrompt
from discussions.models.judges import ENDED, REPLACED, SUSPENDED, WITHDRAWN
from rubric.core.call_parameters import select_parameters
from workspace.audit.actions import record_event
from workspace.core.canonical import canonical_hash
from workspace.core.limits import LONGEST_NAME, LONGEST_REASON
from workspace.core.refusals import Conflict, Unacceptable
from workspace.core.text import clean_text
from workspace.jobs.actions import Clock, enqueue, finish
from workspace.models import Event, Job, Person, Project
from workspace.outbox.actions.queue import announce, mark_done, tell
from workspace.outbox.core import JUDGE_SUSPENDED
from workspace.outbox.queries import leads_of
from workspace.people.actions.people import system_person

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


def admit_judge(*, judge: Judge, metric: str, side: str, use: str, by: Person, now: datetime) -> Admission:
    """Let the judge be used as its contract says now, which must be `use`. Another admission there ends.

    Raises NotAllowed, Conflict when the contract refuses it or says something else, and when it is admitted already.
    """
    check_use_judge(by, judge)
    contract = load_contracts(judge).get((metric, side))
    if contract is None or contract.use == REFUSED:
        raise Conflict(
            _("The contract of this judge refuses it there, so it cannot be admitted."), code="refused"
        )
    if contract.use != use:
        raise Conflict(
            _("The contract of this judge says something else now. Load the page again."), code="changed"
        )
    with transaction.atomic():
        # Two leads at once: one judge for a metric and side, and none that is being suspended.
        Project.objects.select_for_update().get(pk=judge.project_id)
        check_use_judge(by, Judge.objects.select_for_update().get(pk=judge.pk))
        there = find_admissions(judge.project).filter(metric=metric, side=side)
        before = there.first()
        if before is not None and (before.judge_id, before.use) == (judge.pk, use):
            raise Conflict(_("The judge is admitted there already."), code="admitted")
        end_admissions(rows=there, why=REPLACED, by=by, now=now)
        made = Admission.objects.create(
            judge=judge,
            metric=metric,
            side=side,
            use=use,
            figures=list_figures(contract),
            admitted_at=now,
            admitted_by=by,
        )
        detail = {"metric": metric, "side": side, "use": use}
        if before is not None:
            detail["replaces"] = before.judge.name
        record_event("judge:admitted", judge, by=by, now=now, detail=detail)
    return made


def list_figures(contract: Contract) -> dict[str, object]:
    """The figures of a contract as they are stored; of the test against people their number, not who they are."""
    test = {**asdict(contract.test), "people": len(contract.test.people)}
    figures: dict[str, object] = to_builtins({**asdict(contract), "test": test})
    return figures


def withdraw_admission(*, judge: Judge, metric: str, side: str, by: Person, now: datetime) -> None:
    """Raises NotAllowed, Conflict if the judge is not admitted there."""
    check_judges(by, judge.project)
    there = find_admissions(judge.project).filter(judge=judge, metric=metric, side=side)
    with transaction.atomic():
        if not end_admissions(rows=there, why=WITHDRAWN, by=by, now=now):
            raise Conflict(
                _("The judge is not admitted there any more. Load the page again."), code="changed"
            )
        record_event("judge:withdrawn", judge, by=by, now=now, detail={"metric": metric, "side": side})


def end_admissions(*, rows: "QuerySet[Admission]", why: str, by: Person, now: datetime) -> int:
    """End those that are open; return how many."""
    return rows.filter(ended_at=None).update(ended_at=now, ended_by=by, ended_why=why)


WATCH = "watch_judge"


def ask_to_watch(event: Event) -> None:
    """Queue a look at each judge that was asked about the game, by who added it: evaluators hear nothing of the job."""
    game = Evaluation.objects.filter(pk=int(event.object_id)).values("game")
    asked = JudgePrompt.objects.filter(game__in=game).values("judge")
    watched = Judge.objects.filter(pk__in=asked, suspended_at=None, ended_at=None)
    for judge in watched.select_related("project", "created_by"):
        about, by = f"judge:{judge.pk}", judge.created_by
        enqueue(project=judge.project, kind=WATCH, subject=about, input_hash="", by=by, now=event.at)


def watch_judge(*, job: Job, clock: Clock, **_given: Any) -> None:
    """Suspend the job's judge if it drifts, in the name of the system, with the figures as the reason."""
    judge = Judge.objects.select_related("project").get(pk=int(job.subject.partition(":")[2]))
    drifts = load_drifts(judge) if judge.is_active else {}
    found = {key: _list_figures(*drift) for key, drift in sorted(drifts.items()) if drift[1].suspended_at}
    now = clock()
    with transaction.atomic():
        if found:
            by, (figures, *_others) = system_person(now=now), found.values()
            reason = " ".join(say_drift(*key, figures) for key, figures in found.items())
            changes = {"suspended_at": now, "suspended_by": by, "suspended_reason": reason}
            only = {"suspended_at": None, "ended_at": None}
            with suppress(Conflict):
                steer(
                    judge=judge,
                    verb="judge:suspended",
                    changes=changes,
                    only=only,
                    by=by,
                    now=now,
                    figures=figures,
                )
        finish(job=job, now=now)


def _list_figures(baseline: Baseline, drift: Drift) -> dict[str, int]:
    """How often the judge agrees with people now and did before, in percent, and of how many answers now."""
    then = 100 * baseline.agreed / max(1, baseline.items)
    return {"now": round(100 * (drift.agreement or 0)), "answers": drift.answers, "then": round(then)}


def say_drift(metric: str, side: str, figures: dict[str, int]) -> str:
    """The sentence about one metric and side."""
    says = _(
        "%(metric)s, %(side)s: it agreed with people in %(now)d %% of %(answers)d, and in %(then)d %% before."
    )
    return says % {"metric": METRIC_LABELS[metric], "side": SIDE_LABELS[side], **figures}


def tell_suspended(event: Event) -> None:
    """Tell leads and programs that a judge drifts. Whoever suspends one by hand says so on its page."""
    if event.by.is_system:
        number, subject = Judge.objects.get(pk=int(event.object_id)).number, f"judge:{event.object_id}"
        figures = {name: event.details[name] for name in ("now", "answers", "then")}
        leads = [lead.pk for lead in leads_of(event.chain.project)]
        tell(event, leads, "judge_suspended", subject, about={"judge": number, **figures}, for_leads=True)
        announce(event, JUDGE_SUSPENDED, {"judge": number})


def close_suspended(event: Event) -> None:
    mark_done(event, f"judge:{event.object_id}")
