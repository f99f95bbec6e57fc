"""The form that plans a baseline or a change: the reference, the proposed target, what differs, and how many games."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec
from django.http import HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from discussions.comparison.core.sentences import points_text, say_how_often
from discussions.core.iteration_states import BASELINE, CHANGE
from discussions.iterations.core.figures import GameFigures
from discussions.iterations.core.history import History, HistoryIteration
from discussions.iterations.core.next_target import describe_target
from discussions.iterations.core.prompt_diff import prompt_diff
from discussions.iterations.queries import load_batches, load_history, load_rubric, propose_target
from discussions.iterations.views import SECTION, build_stage_frame, iteration_or_404, stage_or_404
from discussions.models import Iteration, Stage
from discussions.models.iterations import LEAST_GAMES
from discussions.planning import actions
from discussions.planning.actions import Protocol
from discussions.planning.core import (
    MOST_GAMES,
    FindChance,
    get_game_count,
    list_find_chances,
    most_hunks,
    plan_faults,
)
from discussions.planning.forms import BaselineForm, ChangeForm, PlanForm
from discussions.planning.permissions import check_open_iteration
from discussions.planning.queries import compare_with_reference, load_prompt, refuse_change
from rubric.core.records import DISCUSSION, RubricRecord
from rubric.models import RubricVersion
from workspace.access.permissions import get_refusal
from workspace.core.refusals import Malformed, NotAllowed, Refusal
from workspace.web.bind_form import add_refusal, bind_form, kept_status, parse_number
from workspace.web.views import SignedIn, frame, only_parameters, require, respond

# Fields of the form that an iteration stores under the same name.
STORED_FIELDS = (
    *("name", "prompt", "change_note", "target", "hunks_answer", "least_games"),
    *("evaluator_count", "reveal", "identification"),
)


@require("open_iteration", methods=("GET", "POST"))
def open_iteration(request: SignedIn, slug: str, stage: int) -> HttpResponse:
    """A form for the next iteration; `kind` is baseline or change. Redirects to the new iteration.

    `again` is the number of a change whose prompt is played further, `target` what it is to improve then.
    """
    row = stage_or_404(request.user, slug, stage)
    given = only_parameters(request, "kind", "again", "target")
    wanted = given["kind"]
    if wanted not in ("", BASELINE, CHANGE):
        raise Malformed(_("An iteration is a baseline or a change. Open the page again."))
    history = load_history(row)
    kind = (wanted or CHANGE) if history.reference else BASELINE
    again = next((line for line in history.iterations if line.number == parse_number(given["again"])), None)
    return _plan(request, PlanView(row, history, kind, None, again, given["target"]))


@require("open_iteration", methods=("GET", "POST"))
def edit_iteration(request: SignedIn, slug: str, iteration: int) -> HttpResponse:
    row = iteration_or_404(request.user, slug, iteration)
    if row.stage is None:
        says = _("The unsorted iteration has no plan: it only holds games until they are sorted.")
        raise NotAllowed(says, code="unsorted")
    stage = stage_or_404(request.user, slug, row.stage.number)
    return _plan(request, PlanView(stage, load_history(stage), row.kind, row))


class PlanView(NamedTuple):
    """What is planned: a new iteration of that kind in a stage, or a new plan for `iteration`.

    A new change may play the prompt of a change `again`, with another `target` if that is not "".
    """

    stage: Stage
    history: History
    kind: str
    iteration: Iteration | None
    again: HistoryIteration | None = None
    target: str = ""

    @property
    def reference(self) -> HistoryIteration | None:
        """What a stored change, or else the next one, is compared with; None for a baseline."""
        if self.kind == BASELINE:
            return None
        return (
            self.history.find(self.iteration.compared_with_id) if self.iteration else self.history.reference
        )

    @property
    def form(self) -> tuple[type[PlanForm], dict[str, Any]]:
        """The class of the form, and its arguments besides the data.

        A baseline's protocol can change while no change depends on it; a change is judged like its reference.
        """
        if self.reference is not None:
            return ChangeForm, {"rubric": load_rubric(self.reference)}
        key = self.iteration.pk if self.iteration else 0
        if any(key in (row.compared_with, row.baseline) for row in self.history.iterations):
            return PlanForm, {}
        rows = RubricVersion.objects.published().filter(rubric__kind=DISCUSSION).select_related("rubric")
        versions = rows.order_by("-published_at", "-pk")
        return BaselineForm, {"versions": [(str(version.pk), str(version)) for version in versions]}


def _plan(request: SignedIn, view: PlanView) -> HttpResponse:
    """Show the form, or check the posted plan; only Save stores it."""
    form_class, arguments = view.form
    if request.method == "GET":
        check_open_iteration(request.user, view.stage)
        stored = plan_texts(view.iteration) if view.iteration else first_texts(view)
        return _show_plan(request, view, form_class(initial=stored, **arguments))
    form, status = bind_form(request, form_class, **arguments), 422
    form.read_file()
    try:
        check_open_iteration(request.user, view.stage)
        if form.is_valid() and not _add_faults(form, view):
            if form.cleaned_data["do"] == "check":
                return _show_plan(request, view, form, is_fine=True)
            address = reverse("iteration", args=[view.stage.project.slug, _save(request, view, form)])
            return respond(request, page="", redirect=address)
    except Refusal as refusal:
        status = kept_status(form, refusal)
        view = view._replace(history=load_history(view.stage))
    return _show_plan(request, view, form, status=status)


def _add_faults(form: PlanForm, view: PlanView) -> bool:
    plan = form.to_plan().tidied()
    compared: dict[str, Any] = {}
    if reference := view.reference:
        compared = compare_with_reference(plan, view.history, reference) | {"rubric": load_rubric(reference)}
    faults = list(plan_faults(plan, view.kind, **compared))
    for fault in faults:
        add_refusal(form, fault)
    return bool(faults)


def _save(request: SignedIn, view: PlanView, form: PlanForm) -> int:
    who: dict[str, Any] = {"plan": form.to_plan(), "by": request.user, "now": timezone.now()}
    protocol = None
    if isinstance(form, BaselineForm):
        judged = {name: form.cleaned_data[name] for name in Protocol.__struct_fields__}
        versions = RubricVersion.objects.select_related("rubric")
        protocol = Protocol(**judged | {"rubric_version": versions.get(pk=judged["rubric_version"])})
    if view.iteration is not None:
        actions.edit_iteration(iteration=view.iteration, protocol=protocol, **who)
        return view.iteration.number
    if protocol is not None:
        return actions.open_baseline(stage=view.stage, protocol=protocol, **who).number
    reference = form.cleaned_data["compared_with"] or 0
    return actions.open_change(stage=view.stage, compared_with=reference, **who).number


def _show_plan(
    request: SignedIn, view: PlanView, form: PlanForm, *, is_fine: bool = False, status: int = 200
) -> HttpResponse:
    """Show the form, and after a POST also the difference from the reference's prompt."""
    stage, history, kind, iteration = view[:4]
    reference = view.reference
    closed = get_refusal(check_open_iteration, request.user, stage)
    change_refusal = closed or get_refusal(refuse_change, history)
    diff = None
    if reference and form.is_bound:
        allowed = most_hunks(load_rubric(reference))
        diff = prompt_diff(load_prompt(reference), form.data.get("prompt", ""), allowed=allowed)
    newest = reference or history.reference
    proposed = describe_target(propose_target(history, newest)) if newest else None
    context = {
        "kind": kind,
        "iteration": iteration,
        "reference": reference,
        "target": proposed if reference else None,
        "diff": diff,
        "how_many": _describe_how_many(view, form, proposed.key if proposed else ""),
        "refusal": change_refusal if kind == CHANGE and iteration is None else closed,
        "change_refusal": change_refusal,
        "form": form,
        "is_fine": is_fine,
        "head": build_stage_frame(stage=stage, current="open_iteration", history=history),
        **frame(request.user, stage.project, SECTION),
    }
    return respond(request, page="discussions/planning/plan.html", context=context, status=status)


def first_texts(view: PlanView) -> dict[str, object]:
    """Initial values of the form for a new iteration: the reference's prompt, and for a change the proposed target.

    A baseline is judged like the newest one, the first like the unsorted games.
    """
    if reference := view.reference:
        if view.again is not None and view.again.kind == CHANGE:
            played = Iteration.objects.get(pk=view.again.id)
            return plan_texts(played) | {
                "target": view.target or played.target,
                "compared_with": reference.id,
            }
        target = propose_target(view.history, reference).target
        return {
            "prompt": load_prompt(reference),
            "target": target.key if target else "",
            "compared_with": reference.id,
            "least_games": get_game_count(load_rubric(reference), CHANGE),
        }
    before, newest = view.history.baseline, view.history.reference
    rows = Iteration.objects.select_related("rubric_version")
    like = rows.get(pk=before.id) if before else rows.get(project=view.stage.project_id, stage=None)
    return {
        "name": "" if before else _("Baseline"),
        "prompt": load_prompt(newest) if newest else "",
        "least_games": get_game_count(like.rubric_version.to_record(), BASELINE),
        "rubric_version": str(like.rubric_version_id),
        "evaluator_count": like.evaluator_count,
        "reveal": like.reveal,
        "identification": like.identification,
    }


def plan_texts(iteration: Iteration) -> dict[str, object]:
    material = msgspec.json.decode(iteration.material, type=dict[str, float])
    return {
        **{f"material-{key}": value for key, value in material.items()},
        **{name: getattr(iteration, name) for name in STORED_FIELDS},
        "rubric_version": str(iteration.rubric_version_id),
    }


def _describe_how_many(view: PlanView, form: PlanForm, proposed: str) -> dict[str, Any] | None:
    project, history = view.stage.project_id, view.history
    like = view.reference or (history.find(view.iteration.pk) if view.iteration else history.baseline)
    if like is not None:
        rubric, version = load_rubric(like), like.rubric_version
    else:
        unsorted = Iteration.objects.select_related("rubric_version").get(project=project, stage=None)
        rubric, version = unsorted.rubric_version.to_record(), unsorted.rubric_version_id
    target = str(form["target"].value() or "") if "target" in form.fields else ""
    return describe_how_many(
        rubric,
        load_batches(project, version),
        target or proposed,
        form["least_games"].value(),
        picked=proposed,
    )


def describe_how_many(
    rubric: RubricRecord,
    batches: Sequence[Sequence[GameFigures]],
    key: str,
    least_games: object,
    picked: str = "",
) -> dict[str, Any] | None:
    """What to know when choosing the number of games; `key` is the target, else the sentence is about the first metric.

    `least_games` is the text in the form, perhaps not a number; `picked` is the metric that is proposed as the lowest.
    None for a rubric without metrics. `sizes` are the column headings.
    """
    chances = list_find_chances(rubric, batches, read_size(least_games), picked)
    if not chances:
        return None
    told = next((line for line in chances if line.key == key), chances[0])
    (few, first), (many, second) = told.sizes
    given = {
        "few": few,
        "many": many,
        "gain": points_text(told.gain, told.span),
        "label": told.label.lower(),
        "often": say_how_often(first),
        "oftener": say_how_often(second, is_short=True),
    }
    says = _(
        "%(few)d against %(few)d finds a gain of %(gain)s in %(label)s %(often)s; %(many)d against %(many)d "
        "%(oftener)s."
    )
    source = _(
        "This project has too few games to know how much they differ under one prompt; %(gain)s is usual."
    )
    if told.is_own:
        source = _("By so much, %(gain)s, games of this project under one prompt usually differ.")
    if told.unpicked:
        says += " " + _("It was picked as the lowest: with the reference run again first it is %(again)s.")
        given["again"] = say_how_often(told.unpicked, is_short=True)
    return {
        "says": says % given,
        "source": source % given,
        "sizes": [_("%(size)d against %(size)d") % {"size": size} for size, _chance in told.sizes],
        "lines": [_describe_chance(line) for line in chances],
    }


def _describe_chance(line: FindChance) -> dict[str, Any]:
    return {
        "label": line.label,
        "gain": points_text(line.gain, line.span),
        "chances": [say_how_often(chance) for _size, chance in line.sizes],
        "is_own": line.is_own,
    }


def read_size(typed: object) -> int:
    """The number of games in the form, or the usual one if the text is not a number."""
    text = str(typed).strip()
    size = int(text) if text.isascii() and text.isdigit() and len(text) < 5 else 0
    return size if 1 <= size <= MOST_GAMES else LEAST_GAMES
