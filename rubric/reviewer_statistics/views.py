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
from rubric.reviewer_statistics.pages.state import FiguresState
from rubric.reviewer_statistics.pages.success import build_success_page
from rubric.reviewer_statistics.pages.weights import build_tuning_page
from rubric.reviewer_statistics.permissions import check_see_reviewer, check_tune
from rubric.sets.pages import SetFrame
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
    found = _get_results_set(request, slug, number)
    page = build_rater_effects_page(comparison_set=found, person=request.user, now=timezone.now())
    context = _context(request, found, page, page.head, page.state)
    return respond(
        request,
        page="rubric/reviewer_statistics/rater_effects.html",
        region="rubric/reviewer_statistics/_rater_effects.html",
        context=context,
    )


@require("see_reviewer")
def set_reviewer(request: SignedIn, slug: str, number: int, reviewer: int) -> HttpResponse:
    """The reviews behind what is said of one reviewer."""
    given = only_parameters(request, "from")
    found = set_or_404(request.user, slug, number)
    row = get_object_or_404(Reviewer, pk=reviewer, set=found)
    check_see_reviewer(request.user, found, row)
    start = parse_number(given["from"]) or 1
    page = build_reviewer_page(comparison_set=found, reviewer=row, person=request.user, start=start)
    if start > max(1, page.count):
        raise Http404
    context = {"page": page, "head": page.head, **frame(request.user, found.project, SECTION)}
    return respond(request, page="rubric/reviewer_statistics/reviewer.html", context=context)


@require("see_results")
def set_agreement(request: SignedIn, slug: str, number: int) -> HttpResponse:
    """How far reviewers agree."""
    found = _get_results_set(request, slug, number)
    page = build_agreement_page(comparison_set=found, person=request.user, now=timezone.now())
    context = _context(request, found, page, page.head, page.state)
    return respond(
        request,
        page="rubric/reviewer_statistics/agreement.html",
        region="rubric/reviewer_statistics/_agreement.html",
        context=context,
    )


@require("see_results")
def set_success(request: SignedIn, slug: str, number: int) -> HttpResponse:
    """The four success metrics."""
    found = _get_results_set(request, slug, number)
    page = build_success_page(comparison_set=found, person=request.user, now=timezone.now())
    context = _context(request, found, page, page.head, page.state)
    return respond(
        request,
        page="rubric/reviewer_statistics/success.html",
        region="rubric/reviewer_statistics/_success.html",
        context=context,
    )


@require("tune")
def set_tuning(request: SignedIn, slug: str, number: int) -> HttpResponse:
    """Weights fitted to what reviewers think of responses as a whole, with the evidence."""
    only_parameters(request)
    found = set_or_404(request.user, slug, number)
    check_tune(request.user, found)
    page = build_tuning_page(comparison_set=found, person=request.user, now=timezone.now())
    context = _context(request, found, page, page.head, page.state)
    return respond(
        request,
        page="rubric/reviewer_statistics/weights.html",
        region="rubric/reviewer_statistics/_weights.html",
        context=context,
    )


@require("see_results", methods=("POST",))
def figure_set(request: SignedIn, slug: str, number: int) -> HttpResponse:
    """Ask for what is not there of the figures; leads back to the page that asked."""
    found = set_or_404(request.user, slug, number)
    check_see_results(request.user, found)
    form = bind_form(request, KindForm)
    if not form.is_valid():
        raise Malformed(_("The form does not say which figures it is about. Reload the page and try again."))
    ask_for_figures(comparison_set=found, by=request.user, now=timezone.now())
    return respond(
        request, page="", redirect=reverse(f"set_{form.cleaned_data['kind']}", args=[slug, number])
    )


@require("edit_rubrics", methods=("POST",))
def adopt_fit(request: SignedIn, slug: str, number: int) -> HttpResponse:
    """Make a draft of fitted weights; leads to the draft."""
    found = set_or_404(request.user, slug, number)
    check_edit_rubrics(request.user)
    form = bind_form(request, AdoptForm)
    if not form.is_valid():
        raise Malformed(_("The form does not say which weights to adopt. Reload the page and try again."))
    made = adopt_weights(comparison_set=found, **form.cleaned_data, by=request.user, now=timezone.now())
    return respond(request, page="", redirect=reverse("rubric_version", args=[made.rubric.key, made.number]))


def _get_results_set(request: SignedIn, slug: str, number: int) -> ComparisonSet:
    only_parameters(request)
    found = set_or_404(request.user, slug, number)
    check_see_results(request.user, found)
    return found


def _context(
    request: SignedIn, found: ComparisonSet, page: object, head: SetFrame, state: FiguresState
) -> dict[str, Any]:
    return {"page": page, "head": head, "state": state, **frame(request.user, found.project, SECTION)}
