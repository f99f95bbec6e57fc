"""The statistics pages of a comparison set: its reviewers, their agreement, the success metrics, fitted weights."""

from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from rubric.actions.adopting import adopt_weights
from rubric.actions.figuring import ask_for_figures
from rubric.forms.statistics import AdoptForm, KindForm
from rubric.models import ComparisonSet, Reviewer
from rubric.pages.set_frame import SetFrame
from rubric.pages.statistics_agreement import build_agreement_page
from rubric.pages.statistics_manners import build_manners_page
from rubric.pages.statistics_reviewer import build_reviewer_page
from rubric.pages.statistics_state import FiguresState
from rubric.pages.statistics_success import build_success_page
from rubric.pages.statistics_tuning import build_tuning_page
from rubric.permissions import check_edit_rubrics, check_see_results, check_see_reviewer, check_tune
from rubric.views.comparing import SECTION, set_or_404
from workspace.core.refusals import Malformed
from workspace.pages.frame import frame
from workspace.views.answers import answer
from workspace.views.bodies import number_of, only_parameters, typed
from workspace.views.gate import SignedIn, needs


@needs("see_results")
def set_manners(request: SignedIn, slug: str, number: int) -> HttpResponse:
    """How each reviewer scores."""
    found = _results_of(request, slug, number)
    page = build_manners_page(comparison_set=found, person=request.user, now=timezone.now())
    context = _context(request, found, page, page.head, page.state)
    return answer(
        request, page="rubric/set_manners.html", region="rubric/_figures_manners.html", context=context
    )


@needs("see_reviewer")
def set_reviewer(request: SignedIn, slug: str, number: int, reviewer: int) -> HttpResponse:
    """The reviews behind what is said of one reviewer."""
    given = only_parameters(request, "from")
    found = set_or_404(request.user, slug, number)
    row = get_object_or_404(Reviewer, pk=reviewer, set=found)
    check_see_reviewer(request.user, found, row)
    start = number_of(given["from"]) or 1
    page = build_reviewer_page(comparison_set=found, reviewer=row, person=request.user, start=start)
    if start > max(1, page.count):
        raise Http404
    context = {"page": page, "head": page.head, **frame(request.user, found.project, SECTION)}
    return answer(request, page="rubric/set_reviewer.html", context=context)


@needs("see_results")
def set_agreement(request: SignedIn, slug: str, number: int) -> HttpResponse:
    """How far reviewers agree."""
    found = _results_of(request, slug, number)
    page = build_agreement_page(comparison_set=found, person=request.user, now=timezone.now())
    context = _context(request, found, page, page.head, page.state)
    return answer(
        request, page="rubric/set_agreement.html", region="rubric/_figures_agreement.html", context=context
    )


@needs("see_results")
def set_success(request: SignedIn, slug: str, number: int) -> HttpResponse:
    """The four success metrics."""
    found = _results_of(request, slug, number)
    page = build_success_page(comparison_set=found, person=request.user, now=timezone.now())
    context = _context(request, found, page, page.head, page.state)
    return answer(
        request, page="rubric/set_success.html", region="rubric/_figures_success.html", context=context
    )


@needs("tune")
def set_tuning(request: SignedIn, slug: str, number: int) -> HttpResponse:
    """Weights fitted to what reviewers think of responses as a whole, with the evidence."""
    only_parameters(request)
    found = set_or_404(request.user, slug, number)
    check_tune(request.user, found)
    page = build_tuning_page(comparison_set=found, person=request.user, now=timezone.now())
    context = _context(request, found, page, page.head, page.state)
    return answer(
        request, page="rubric/set_tuning.html", region="rubric/_figures_tuning.html", context=context
    )


@needs("see_results", methods=("POST",))
def figure_set(request: SignedIn, slug: str, number: int) -> HttpResponse:
    """Ask for what is not there of the figures; leads back to the page that asked."""
    found = set_or_404(request.user, slug, number)
    check_see_results(request.user, found)
    form = typed(request, KindForm)
    if not form.is_valid():
        raise Malformed(_("The form does not say which figures it is about. Reload the page and try again."))
    ask_for_figures(comparison_set=found, by=request.user, now=timezone.now())
    return answer(request, page="", redirect=reverse(f"set_{form.cleaned_data['kind']}", args=[slug, number]))


@needs("edit_rubrics", methods=("POST",))
def adopt_fit(request: SignedIn, slug: str, number: int) -> HttpResponse:
    """Make a draft of fitted weights; leads to the draft."""
    found = set_or_404(request.user, slug, number)
    check_edit_rubrics(request.user)
    form = typed(request, AdoptForm)
    if not form.is_valid():
        raise Malformed(_("The form does not say which weights to adopt. Reload the page and try again."))
    made = adopt_weights(comparison_set=found, **form.cleaned_data, by=request.user, now=timezone.now())
    return answer(request, page="", redirect=reverse("rubric_version", args=[made.rubric.key, made.number]))


def _results_of(request: SignedIn, slug: str, number: int) -> ComparisonSet:
    only_parameters(request)
    found = set_or_404(request.user, slug, number)
    check_see_results(request.user, found)
    return found


def _context(
    request: SignedIn, found: ComparisonSet, page: object, head: SetFrame, state: FiguresState
) -> dict[str, Any]:
    return {"page": page, "head": head, "state": state, **frame(request.user, found.project, SECTION)}
