"""Settings of a project: its people, storage and rules; and newer versions of its rubric and of the metrics."""

from django.forms import Form
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import ngettext, ngettext_lazy

from discussions.core.evaluation_states import OPEN
from discussions.iterations.actions import change_iteration
from discussions.iterations.permissions import check_change_iteration
from discussions.iterations.views import SECTION, build_stage_frame, iteration_or_404
from discussions.models import Evaluation, Iteration
from discussions.models.queue_rules import CLOSEST, load_queue_rule, load_rating_rule
from discussions.planning import actions
from discussions.planning.actions import measure_again, move_to_version
from discussions.planning.forms import REVEAL_CHOICES, IterationForm, RatingRuleForm, VersionForm
from discussions.planning.permissions import check_change_version, check_measure_again
from discussions.planning.queries import VersionPreview, list_newer_versions, load_version_preview
from discussions.slots.queries import Effect, load_effect
from rubric.models import RubricVersion
from rubric.versions.core.draft import NO, YES
from workspace.access.permissions import get_refusal
from workspace.models import Person
from workspace.people.actions import projects
from workspace.people.forms import StorageLimitForm
from workspace.people.permissions import check_set_storage_limit
from workspace.people.queries import load_storage
from workspace.web.bind_form import bind_form, kept_status, parse_number, project_or_404
from workspace.web.form_page import form_page, press
from workspace.web.views import SignedIn, frame, only_parameters, require, respond


@require("change_iteration", methods=("GET", "POST"))
def change(request: SignedIn, slug: str) -> HttpResponse:
    iteration, wanted = settings_or_404(request, slug), None
    if request.method == "GET":
        return _show_settings(request, iteration)
    form, status = bind_form(request, IterationForm), 422
    if form.is_valid():
        values = dict(form.cleaned_data)
        wanted = values["evaluator_count"]
        if values.pop("confirmed") == wanted or wanted in (None, iteration.evaluator_count):
            change_iteration(iteration=iteration, **values, by=request.user, now=timezone.now())
            return respond(request, page="", redirect=reverse("project_settings", args=[slug]))
        status = 200
    return _show_settings(request, iteration, form=form, wanted=wanted, status=status)


@require("change_iteration", methods=("POST",))
def change_rating_rules(request: SignedIn, slug: str) -> HttpResponse:
    iteration = settings_or_404(request, slug)
    form = bind_form(request, RatingRuleForm)
    if not form.is_valid():
        return _show_settings(request, iteration, rule_form=form, status=422)
    project = iteration.project
    actions.change_rating_rule(project=project, **form.cleaned_data, by=request.user, now=timezone.now())
    return respond(request, page="", redirect=reverse("project_settings", args=[slug]))


@require("set_storage_limit", methods=("POST",))
def set_storage_limit(request: SignedIn, slug: str) -> HttpResponse:
    iteration = settings_or_404(request, slug)
    check_set_storage_limit(request.user, iteration.project)
    form = bind_form(request, StorageLimitForm)
    if not form.is_valid():
        return _show_settings(request, iteration, storage_form=form, status=422)
    project = iteration.project
    projects.set_storage_limit(project=project, **form.cleaned_data, by=request.user, now=timezone.now())
    return respond(request, page="", redirect=reverse("project_settings", args=[slug]))


def settings_or_404(request: SignedIn, slug: str) -> Iteration:
    """The unsorted iteration of the project; NotAllowed for everybody but leads."""
    project = project_or_404(request.user, slug, check_change_iteration)
    rows = Iteration.objects.select_related("project", "rubric_version__rubric")
    return get_object_or_404(rows, project=project, stage=None)


def _show_settings(
    request: SignedIn, iteration: Iteration, *, wanted: int | None = None, status: int = 200, **bound: Form
) -> HttpResponse:
    """Show the page, with the input of one of its forms; with `wanted`, the effect of that number of evaluators."""
    project, rule = iteration.project, load_rating_rule(iteration.project_id)
    storage = load_storage(project)
    stored = {"identification": iteration.identification, "evaluator_count": iteration.evaluator_count}
    ruled = {"flags": rule.flags, "reopen_minutes": rule.reopen_minutes}
    ruled |= {name: YES if getattr(rule, name) else NO for name in ("shows_differences", "records_at_submit")}
    limit = {"megabytes": storage.limit_mb if storage.is_own else None}
    started = Evaluation.objects.filter(game__iteration=iteration, state__in=OPEN)
    context = {
        "iteration": iteration,
        "reveal": dict(REVEAL_CHOICES)[iteration.reveal],
        # Open evaluations keep the form that they started with.
        "started_count": started.exclude(identification=iteration.identification).count(),
        "wanted": wanted,
        "effect": [] if wanted is None else _describe_effect(load_effect(iteration, wanted)),
        "is_closest_first": load_queue_rule(project).order == CLOSEST,
        "storage": storage,
        "storage_refusal": get_refusal(check_set_storage_limit, request.user, project),
        "form": IterationForm(initial=stored),
        "rule_form": RatingRuleForm(initial=ruled),
        "storage_form": StorageLimitForm(initial=limit),
        **bound,
        **frame(request.user, project, "settings"),
    }
    return respond(request, page="discussions/planning/rules.html", context=context, status=status)


EFFECTS = (
    ngettext_lazy(
        "%(n)d further slot opens on a game without a verdict.",
        "%(n)d further slots open on games without a verdict.",
        "n",
    ),
    ngettext_lazy(
        "%(n)d open slot closes. Nothing that anybody started is taken away.",
        "%(n)d open slots close. Nothing that anybody started is taken away.",
        "n",
    ),
    ngettext_lazy(
        "%(n)d game was complete and waits for further evaluations before its verdict.",
        "%(n)d games were complete and wait for further evaluations before their verdicts.",
        "n",
    ),
    ngettext_lazy(
        "%(n)d game has enough evaluations then, and its verdict can be recorded.",
        "%(n)d games have enough evaluations then, and their verdicts can be recorded.",
        "n",
    ),
    ngettext_lazy(
        "%(n)d evaluation that is under way is not needed then; it may still be submitted, and counts.",
        "%(n)d evaluations that are under way are not needed then; they may still be submitted, and count.",
        "n",
    ),
    ngettext_lazy(
        "%(n)d game has a verdict and keeps the number it was recorded under.",
        "%(n)d games have a verdict and keep the number it was recorded under.",
        "n",
    ),
)


def _describe_effect(effect: Effect) -> list[str]:
    says = ngettext(
        "Games imported from now on are rated by %(n)d evaluator.",
        "Games imported from now on are rated by %(n)d evaluators.",
        effect.after,
    )
    counts = (effect.opened, effect.closed, effect.waiting, effect.complete, effect.beyond, effect.kept)
    counted = zip(counts, EFFECTS, strict=True)
    return [says % {"n": effect.after}, *(words % {"n": count} for count, words in counted if count)]


@require("change_iteration", methods=("GET", "POST"), costs="computations")
def change_version(request: SignedIn, slug: str, iteration: int) -> HttpResponse:
    row = changed_or_404(request, slug, iteration)
    stage = row.stage
    assert stage is not None
    chosen = parse_number(only_parameters(request, "to")["to"])
    newer = list_newer_versions(row)

    def move(form: VersionForm) -> str:
        version = get_object_or_404(newer, pk=form.cleaned_data.pop("to"))
        move_to_version(
            iteration=row, version=version, **form.cleaned_data, by=request.user, now=timezone.now()
        )
        return reverse("iteration", args=[slug, iteration])

    def context() -> dict[str, object]:
        versions, preview, why_not = load_move_preview(iteration=row, person=request.user, to=chosen)
        return {
            "iteration": row,
            "versions": versions,
            "preview": preview,
            "others": _list_compared(row, preview.version) if preview else [],
            "refusal": why_not,
            "head": build_stage_frame(stage=stage, current="change_version"),
            **frame(request.user, row.project, SECTION),
        }

    page = "discussions/upgrades/version.html"
    return form_page(
        request, VersionForm, move, page=page, context=context, refuse=kept_status, versions=newer
    )


def changed_or_404(request: SignedIn, slug: str, number: int) -> Iteration:
    """The iteration of a stage, for leads; raises NotAllowed for others."""
    row = iteration_or_404(request.user, slug, number)
    check_change_iteration(request.user, row.project)
    if row.stage is None:
        raise Http404
    return row


def load_move_preview(
    *, iteration: Iteration, person: Person, to: int = 0
) -> tuple[list[RubricVersion], VersionPreview | None, str]:
    """The newer versions; what moving to the one of key `to`, else to the newest, would change; why nothing can move.

    The preview is None without a newer version, and where nothing can be moved now.
    """
    versions = list(list_newer_versions(iteration))
    version = next((row for row in versions if row.pk == to), versions[0] if versions else None)
    refusal = get_refusal(check_change_version, person, iteration)
    return versions, load_version_preview(iteration, version) if version and not refusal else None, refusal


def _list_compared(iteration: Iteration, version: RubricVersion) -> list[int]:
    rows = Iteration.objects.filter(compared_with=iteration) | Iteration.objects.filter(compared_by=iteration)
    other = rows.exclude(rubric_version=version).order_by("number")
    return list(other.values_list("number", flat=True).distinct())


@require("measure_again", methods=("POST",), costs="computations")
def measure_outdated(request: SignedIn, slug: str) -> HttpResponse:
    project = project_or_404(request.user, slug, check_measure_again)
    return press(request, measure_again, reverse("imports", args=[slug]), project=project)
