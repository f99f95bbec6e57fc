"""What the statistics pages of a set share: its figures are current, being computed, out of date or missing."""

from typing import Any

from django.http import HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from rubric.models import ComparisonSet, SetFigures
from rubric.reviewer_statistics.actions import ask_for_figures
from rubric.reviewer_statistics.core.figure_kinds import AGREEMENT, RATER_EFFECTS, SUCCESS, TUNING
from rubric.reviewer_statistics.forms import KindForm
from rubric.reviewer_statistics.queries import SET_STATISTICS, count_not_blind
from rubric.sets.pages import SetFrame
from rubric.sets.permissions import check_see_results
from rubric.sets.views import SECTION, set_or_404
from workspace.core.refusals import Malformed
from workspace.stored_statistics.pages import StatisticsState, read_state
from workspace.web.bind_form import bind_form, only_parameters
from workspace.web.frame import frame
from workspace.web.require import SignedIn, require
from workspace.web.respond import respond

KIND_NAMES = {
    RATER_EFFECTS: gettext_lazy("Reviewers"),
    AGREEMENT: gettext_lazy("Agreement"),
    SUCCESS: gettext_lazy("Success"),
    TUNING: gettext_lazy("Weights"),
}


def get_results_set(request: SignedIn, slug: str, number: int) -> ComparisonSet:
    only_parameters(request)
    comparison_set = set_or_404(request.user, slug, number)
    check_see_results(request.user, comparison_set)
    return comparison_set


def load_figures(
    request: SignedIn, comparison_set: ComparisonSet, kind: str
) -> tuple[SetFrame, dict[str, Any], SetFigures | None]:
    """The header, the shared context, and the row of figures of that kind if it matches the present input.

    `not_blind` reviews are left out of the figures.
    """
    state, row = read_state(
        store=SET_STATISTICS,
        owner=comparison_set,
        kind=kind,
        names=KIND_NAMES,
        since=_since,
        now=timezone.now(),
    )
    head = SetFrame(comparison_set, f"set_{kind}", request.user)
    context = {
        "head": head,
        "state": StatisticsState(**state),
        "address": reverse(f"set_{kind}", args=[head.slug, head.number]),
        "not_blind": count_not_blind(comparison_set),
        **frame(request.user, comparison_set.project, SECTION),
    }
    return head, context, row


def _since(more: int) -> str:
    if more <= 0:
        return _(
            "The figures there are come from other reviews or an earlier way of computing, so they are not shown."
        )
    sentence = ngettext(
        "%(n)d review was submitted since the figures were computed, so they are not shown.",
        "%(n)d reviews were submitted since the figures were computed, so they are not shown.",
        more,
    )
    return sentence % {"n": more}


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
