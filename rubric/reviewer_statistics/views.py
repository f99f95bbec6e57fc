"""The statistics pages of a comparison set: its reviewers, their agreement, the success metrics, fitted weights."""

from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from rubric.models import ComparisonSet, Reviewer
from rubric.reviewer_statistics.actions import adopt_weights, ask_for_figures
from rubric.reviewer_statistics.forms import AdoptForm, KindForm
from rubric.reviewer_statistics.pages.agreement import build_agreement_page
from rubric.reviewer_statistics.pages.rater_effects import build_rater_effects_page
from rubric.reviewer_statistics.pages.single_reviewer import build_reviewer_page
from rubric.reviewer_statistics.pages.state import StatisticsPage
from rubric.reviewer_statistics.pages.success import build_success_page
from rubric.reviewer_statistics.pages.weights import build_tuning_page
from rubric.reviewer_statistics.permissions import check_see_reviewer, check_tune
from rubric.sets.permissions import check_see_results
from rubric.sets.views import SECTION, set_or_404
from rubric.versions.permissions import check_edit_rubrics
from workspace.core.refusals import Malformed
from workspace.web.bind_form import bind_form, only_parameters, parse_number
from workspace.web.frame import frame
from workspace.web.require import SignedIn, require
from workspace.web.respond import respond


@require("see_results")
def set_rater_effects(request: SignedIn, slug: str, number: int) -> HttpResponse:
    """How each reviewer scores."""
    comparison_set = _get_results_set(request, slug, number)
    page = build_rater_effects_page(comparison_set=comparison_set, person=request.user, now=timezone.now())
    return respond(
        request,
        page="rubric/reviewer_statistics/rater_effects.html",
        region="rubric/reviewer_statistics/_rater_effects.html",
        context=_context(request, comparison_set, page),
    )


@require("see_reviewer")
def set_reviewer(request: SignedIn, slug: str, number: int, reviewer: int) -> HttpResponse:
    """The reviews behind the statistics of one reviewer."""
    given = only_parameters(request, "from")
    comparison_set = set_or_404(request.user, slug, number)
    row = get_object_or_404(Reviewer, pk=reviewer, set=comparison_set)
    check_see_reviewer(request.user, comparison_set, row)
    start = parse_number(given["from"]) or 1
    page = build_reviewer_page(comparison_set=comparison_set, reviewer=row, person=request.user, start=start)
    if start > max(1, page.count):
        raise Http404
    context = {"page": page, "head": page.head, **frame(request.user, comparison_set.project, SECTION)}
    return respond(request, page="rubric/reviewer_statistics/reviewer.html", context=context)


@require("see_results")
def set_agreement(request: SignedIn, slug: str, number: int) -> HttpResponse:
    """How far reviewers agree."""
    comparison_set = _get_results_set(request, slug, number)
    page = build_agreement_page(comparison_set=comparison_set, person=request.user, now=timezone.now())
    return respond(
        request,
        page="rubric/reviewer_statistics/agreement.html",
        region="rubric/reviewer_statistics/_agreement.html",
        context=_context(request, comparison_set, page),
    )


@require("see_results")
def set_success(request: SignedIn, slug: str, number: int) -> HttpResponse:
    """The four success metrics."""
    comparison_set = _get_results_set(request, slug, number)
    page = build_success_page(comparison_set=comparison_set, person=request.user, now=timezone.now())
    return respond(
        request,
        page="rubric/reviewer_statistics/success.html",
        region="rubric/reviewer_statistics/_success.html",
        context=_context(request, comparison_set, page),
    )


@require("tune")
def set_tuning(request: SignedIn, slug: str, number: int) -> HttpResponse:
    """Weights fitted to holistic scores and to preferences, with the evidence."""
    only_parameters(request)
    comparison_set = set_or_404(request.user, slug, number)
    check_tune(request.user, comparison_set)
    page = build_tuning_page(comparison_set=comparison_set, person=request.user, now=timezone.now())
    return respond(
        request,
        page="rubric/reviewer_statistics/weights.html",
        region="rubric/reviewer_statistics/_weights.html",
        context=_context(request, comparison_set, page),
    )


@require("see_results", methods=("POST",))
def figure_set(request: SignedIn, slug: str, number: int) -> HttpResponse:
    """Queue the missing figures; redirects to the page that asked for them."""
    comparison_set = set_or_404(request.user, slug, number)
    check_see_results(request.user, comparison_set)
    form = bind_form(request, KindForm)
    if not form.is_valid():
        raise Malformed(_("The form does not say which figures it is about. Reload the page and try again."))
    ask_for_figures(comparison_set=comparison_set, by=request.user, now=timezone.now())
    return respond(
        request, page="", redirect=reverse(f"set_{form.cleaned_data['kind']}", args=[slug, number])
    )


@require("edit_rubrics", methods=("POST",))
def adopt_fit(request: SignedIn, slug: str, number: int) -> HttpResponse:
    """Make a draft of fitted weights; redirects to the draft."""
    comparison_set = set_or_404(request.user, slug, number)
    check_edit_rubrics(request.user)
    form = bind_form(request, AdoptForm)
    if not form.is_valid():
        raise Malformed(_("The form does not say which weights to adopt. Reload the page and try again."))
    made = adopt_weights(
        comparison_set=comparison_set, **form.cleaned_data, by=request.user, now=timezone.now()
    )
    return respond(request, page="", redirect=reverse("rubric_version", args=[made.rubric.key, made.number]))


def _get_results_set(request: SignedIn, slug: str, number: int) -> ComparisonSet:
    only_parameters(request)
    comparison_set = set_or_404(request.user, slug, number)
    check_see_results(request.user, comparison_set)
    return comparison_set


def _context(request: SignedIn, comparison_set: ComparisonSet, page: StatisticsPage) -> dict[str, Any]:
    shown = {"page": page, "head": page.head, "state": page.state}
    return shown | frame(request.user, comparison_set.project, SECTION)
