"""The survey whether a result is clear, which reviewers are asked before a result opens."""

from typing import Any

from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from rubric.actions.surveying import answer_survey, begin_survey, pass_survey_over
from rubric.forms.surveys import SurveyForm
from rubric.models import Comparison
from rubric.pages.surveys import build_survey_page, criteria_of, survey_is_due
from rubric.permissions import check_survey
from rubric.views.comparing import SECTION, set_or_404
from workspace.core.refusals import Malformed, Refusal
from workspace.pages.frame import frame
from workspace.views.answers import answer
from workspace.views.bodies import fault_of, only_parameters, typed
from workspace.views.gate import SignedIn, needs

ACTS = {"begin": begin_survey, "pass": pass_survey_over}


@needs("survey", methods=("GET", "POST"))
def survey(request: SignedIn, slug: str, number: int, comparison: int) -> HttpResponse:
    """Begin it, pass it over or answer it; asking writes nothing, and who is not asked is sent to the result."""
    only_parameters(request)
    found = _comparison(request, slug, number, comparison)
    check_survey(request.user, found.set)
    result = reverse("comparison_result", args=[slug, number, comparison])
    criteria = criteria_of(found)
    if request.method != "POST":
        if not survey_is_due(comparison=found, person=request.user):
            return redirect(result)
        return _show(request, found, SurveyForm(criteria=criteria))
    form = typed(request, SurveyForm, criteria=criteria)
    if "do" in form.errors:
        raise Malformed(
            _("The form was sent with a button that it does not have. Reload the page and try again.")
        )
    if not form.is_valid():
        return _show(request, found, form, status=422)
    try:
        return answer(request, page="", redirect=_act(request, found, form.cleaned_data, result))
    except Refusal as refusal:
        return _show(request, found, form, status=fault_of(form, refusal))


def _act(request: SignedIn, found: Comparison, given: dict[str, Any], result: str) -> str:
    """Do what was asked; where to go then."""
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
    return answer(request, page="rubric/survey_answer.html", context=context, status=status)


def _comparison(request: SignedIn, slug: str, number: int, comparison: int) -> Comparison:
    found = set_or_404(request.user, slug, number)
    row = get_object_or_404(Comparison, set=found, number=comparison)
    row.set = found
    return row
