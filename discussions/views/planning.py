"""The screen on which a baseline or a change is planned, and planned anew while none of its games is there."""

from typing import Any, NamedTuple

from django.http import HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from discussions.actions import planning
from discussions.actions.planning import Protocol
from discussions.core.history import History
from discussions.core.iteration_moves import BASELINE, CHANGE
from discussions.forms.iterations import BaselineForm, ChangeForm, PlanForm
from discussions.models import Iteration, Stage
from discussions.models.histories import history_of
from discussions.pages.iteration_open import (
    build_plan_page,
    faults_of_plan,
    first_kind,
    first_texts,
    plan_texts,
    rubric_for,
    versions_for,
)
from discussions.pages.stage_frame import SECTION, build_stage_frame
from discussions.permissions import check_open_iteration
from discussions.views.iterations import iteration_or_404
from discussions.views.moved import kept_status
from discussions.views.staging import stage_or_404
from rubric.models import RubricVersion
from workspace.core.refusals import Malformed, NotAllowed, Refusal
from workspace.pages.frame import frame
from workspace.views.answers import answer
from workspace.views.bodies import only_parameters, typed
from workspace.views.gate import SignedIn, needs

PAGE = "discussions/iteration_open.html"


@needs("open_iteration", methods=("GET", "POST"))
def open_iteration(request: SignedIn, slug: str, stage: int) -> HttpResponse:
    """A form for the next iteration; `kind` says whether a baseline or a change. Leads to the iteration."""
    wanted = only_parameters(request, "kind")["kind"]
    if wanted not in ("", BASELINE, CHANGE):
        raise Malformed(_("An iteration is a baseline or a change. Open the page afresh."))
    found = stage_or_404(request.user, slug, stage)
    history = history_of(found)
    kind = wanted if history.reference else BASELINE
    return _planned(request, found, history, kind or first_kind(history))


@needs("open_iteration", methods=("GET", "POST"))
def edit_iteration(request: SignedIn, slug: str, iteration: int) -> HttpResponse:
    """The plan of an iteration that holds no game yet; leads back to it."""
    only_parameters(request)
    found = iteration_or_404(request.user, slug, iteration)
    if found.stage is None:
        raise NotAllowed(
            _("The unsorted iteration has no plan: it only holds games until they are sorted."),
            code="unsorted",
        )
    stage = stage_or_404(request.user, slug, found.stage.number)
    return _planned(request, stage, history_of(stage), found.kind, found)


def _planned(
    request: SignedIn, stage: Stage, history: History, kind: str, iteration: Iteration | None = None
) -> HttpResponse:
    """Show the form, or judge what was posted: every button but Save only looks at it."""
    desk = Desk(stage, history, kind, iteration)
    if request.method == "GET":
        check_open_iteration(request.user, stage)
        return _show(request, desk, desk.fresh_form())
    form, status = _bound(request, desk).with_file(), 422
    try:
        check_open_iteration(request.user, stage)
        if form.is_valid() and not _faulty(form, desk):
            if form.cleaned_data["do"] == "check":
                return _show(request, desk, form, is_fine=True)
            number = _save(request, desk, form)
            return answer(request, page="", redirect=reverse("iteration", args=[stage.project.slug, number]))
    except Refusal as refusal:
        status = kept_status(form, refusal)
        desk = Desk(stage, history_of(stage), kind, iteration)
    return _show(request, desk, form, status=status)


class Desk(NamedTuple):
    """What is planned: an iteration of that kind in a stage, or anew the one that is given."""

    stage: Stage
    history: History
    kind: str
    iteration: Iteration | None

    @property
    def form_class(self) -> type[PlanForm]:
        """A baseline's way of judging is open while no change rests on it; a change takes over its reference's."""
        if self.kind == CHANGE:
            return ChangeForm
        key = self.iteration.pk if self.iteration else 0
        rests = any(key in (each.compared_with, each.baseline) for each in self.history.iterations)
        return PlanForm if rests else BaselineForm

    @property
    def given(self) -> dict[str, Any]:
        """What the form is told when it is made."""
        if self.form_class is ChangeForm:
            return {"rubric": rubric_for(self.history, self.iteration)}
        return {"versions": versions_for()} if self.form_class is BaselineForm else {}

    def fresh_form(self) -> PlanForm:
        """The form as it is shown first."""
        if self.iteration is not None:
            texts = plan_texts(self.iteration)
        else:
            texts = first_texts(self.stage, self.history, self.kind)
        return self.form_class(initial=texts, **self.given)


def _bound(request: SignedIn, desk: Desk) -> PlanForm:
    return typed(request, desk.form_class, **desk.given)


def _faulty(form: PlanForm, desk: Desk) -> bool:
    """Put everything that is wrong with the plan into its form."""
    faults = faults_of_plan(form.to_plan(), desk.kind, desk.history, desk.iteration)
    for fault in faults:
        form.add_error(fault.field if fault.field in form.fields else None, fault.says)
    return bool(faults)


def _save(request: SignedIn, desk: Desk, form: PlanForm) -> int:
    """Store the plan; gives the iteration's number."""
    plan, now = form.to_plan(), timezone.now()
    protocol = _protocol(form.cleaned_data) if isinstance(form, BaselineForm) else None
    if desk.iteration is not None:
        planning.edit_iteration(
            iteration=desk.iteration, plan=plan, protocol=protocol, by=request.user, now=now
        )
        return desk.iteration.number
    if desk.kind == CHANGE:
        shown = form.cleaned_data["compared_with"] or 0
        made = planning.open_change(
            stage=desk.stage, plan=plan, compared_with=shown, by=request.user, now=now
        )
        return made.number
    assert protocol is not None
    made = planning.open_baseline(stage=desk.stage, plan=plan, protocol=protocol, by=request.user, now=now)
    return made.number


def _protocol(given: dict[str, Any]) -> Protocol:
    return Protocol(
        rubric_version=RubricVersion.objects.select_related("rubric").get(pk=given["rubric_version"]),
        evaluator_count=given["evaluator_count"],
        reveal=given["reveal"],
        identification=given["identification"],
    )


def _show(
    request: SignedIn, desk: Desk, form: PlanForm, *, is_fine: bool = False, status: int = 200
) -> HttpResponse:
    """The form, and once something was posted what differs from the reference's prompt."""
    page = build_plan_page(
        stage=desk.stage,
        history=desk.history,
        kind=desk.kind,
        person=request.user,
        prompt=form.data.get("prompt", "") if form.is_bound else None,
        iteration=desk.iteration,
    )
    context = {
        "page": page,
        "form": form,
        "is_fine": is_fine,
        "head": build_stage_frame(
            stage=desk.stage, current="open_iteration", newest=desk.history.newest_change
        ),
        **frame(request.user, desk.stage.project, SECTION),
    }
    return answer(request, page=PAGE, context=context, status=status)
