"""Leads admit judges by metric and side, as their contracts say; an admission ends with a reason, once."""

from datetime import datetime

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _
from msgspec import to_builtins
from msgspec.structs import asdict

from discussions.judges.core.contract import REFUSED, Contract
from discussions.judges.permissions import check_judges, check_use_judge
from discussions.judges.queries import find_admissions, load_contracts
from discussions.models import Admission, Judge
from discussions.models.judges import REPLACED, WITHDRAWN
from workspace.audit.actions import record_event
from workspace.core.refusals import Conflict
from workspace.models import Person, Project


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
