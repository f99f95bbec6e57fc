"""Moving an iteration to a newer rubric version, and measuring games again by newer code."""

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone

from discussions.iterations.permissions import check_change_iteration
from discussions.iterations.views import SECTION, build_stage_frame, iteration_or_404
from discussions.models import Iteration
from discussions.planning.actions.upgrades import measure_again, move_to_version
from discussions.planning.forms import VersionForm
from discussions.planning.permissions import check_change_version, check_measure_again
from discussions.planning.queries import VersionPreview, list_newer_versions, load_version_preview
from rubric.models import RubricVersion
from workspace.access.permissions import get_refusal
from workspace.core.refusals import Refusal
from workspace.models import Person
from workspace.web.bind_form import bind_form, kept_status, only_parameters, parse_number, project_or_404
from workspace.web.form_page import press
from workspace.web.frame import frame
from workspace.web.require import SignedIn, require
from workspace.web.respond import respond


@require("change_iteration", methods=("GET", "POST"), costs="computations")
def change_version(request: SignedIn, slug: str, iteration: int) -> HttpResponse:
    row = changed_or_404(request, slug, iteration)
    assert row.stage is not None
    chosen = parse_number(only_parameters(request, "to")["to"])
    newer, form, status = list_newer_versions(row), None, 200
    if request.method == "POST":
        form, status = bind_form(request, VersionForm, versions=newer), 422
        try:
            if form.is_valid():
                version = get_object_or_404(newer, pk=form.cleaned_data.pop("to"))
                by, now = request.user, timezone.now()
                move_to_version(iteration=row, version=version, **form.cleaned_data, by=by, now=now)
                return respond(request, page="", redirect=reverse("iteration", args=[slug, iteration]))
        except Refusal as refusal:
            status = kept_status(form, refusal)
    versions, preview, why_not = load_move_preview(iteration=row, person=request.user, to=chosen)
    context = {
        "iteration": row,
        "versions": versions,
        "preview": preview,
        "others": _list_compared(row, preview.version) if preview else [],
        "refusal": why_not,
        "form": form or VersionForm(versions=newer),
        "head": build_stage_frame(stage=row.stage, current="change_version"),
        **frame(request.user, row.project, SECTION),
    }
    return respond(request, page="discussions/upgrades/version.html", context=context, status=status)


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
