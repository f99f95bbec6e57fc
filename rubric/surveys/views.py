"""The survey on whether a result is clear; reviewers get it before a result opens."""

from typing import Any

from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from rubric.models import Comparison
from rubric.sets.views import SECTION, set_or_404
from rubric.surveys.actions import answer_survey, begin_survey, pass_survey_over
from rubric.surveys.forms import SurveyForm
from rubric.surveys.pages import build_survey_page, list_criteria, survey_is_due
from rubric.surveys.permissions import check_survey
from workspace.core.refusals import Malformed, Refusal
from workspace.web.bind_form import add_refusal, bind_form, only_parameters
from workspace.web.frame import frame
from workspace.web.require import SignedIn, require
from workspace.web.respond import respond

ACTS = {"begin": begin_survey, "pass": pass_survey_over}


@require("survey", methods=("GET", "POST"))
def survey(request: SignedIn, slug: str, number: int, comparison: int) -> HttpResponse:
    """Begin, skip or answer the survey; GET writes nothing, and redirects people who are not asked to the result."""
    only_parameters(request)
    found = comparison_or_404(request, slug, number, comparison)
    check_survey(request.user, found.set)
    result = reverse("comparison_result", args=[slug, number, comparison])
    criteria = list_criteria(found)
    if request.method != "POST":
        if not survey_is_due(comparison=found, person=request.user):
            return redirect(result)
        return _show(request, found, SurveyForm(criteria=criteria))
    form = bind_form(request, SurveyForm, criteria=criteria)
    if "do" in form.errors:
        raise Malformed(
            _("The form was sent with a button that it does not have. Reload the page and try again.")
        )
    if not form.is_valid():
        return _show(request, found, form, status=422)
    try:
        return respond(request, page="", redirect=_act(request, found, form.cleaned_data, result))
    except Refusal as refusal:
        return _show(request, found, form, status=add_refusal(form, refusal))


def _act(request: SignedIn, found: Comparison, given: dict[str, Any], result: str) -> str:
    """Do what the form asks; return the URL to redirect to."""
    now = timezone.now()
    if given["do"] == "answer":
        said = {"understood": int(given["understood"]), "named": given["named"], "text": given["text"]}
        answer_survey(comparison=found, **said, by=request.user, now=now)
        return result
    ACTS[given["do"]](comparison=found, by=request.user, now=now)
    return result if given["do"] == "pass" else request.path


def _show(request: SignedIn, found: Comparison, form: SurveyForm, status: int = 200) -> HttpResponse:
    page = build_survey_page(comparison=found, person=request.user)
    radios = [form["understood"], form["named"]]
    context = {"page": page, "form": form, "radios": radios}
    context |= frame(request.user, found.set.project, SECTION)
    return respond(request, page="rubric/surveys/answer.html", context=context, status=status)


def comparison_or_404(request: SignedIn, slug: str, number: int, comparison: int) -> Comparison:
    """The comparison at that URL with its set; 404 if the person may not know of it."""
    found = set_or_404(request.user, slug, number)
    row = get_object_or_404(Comparison, set=found, number=comparison)
    row.set = found
    return row
