"""The survey on whether a result is clear; reviewers get it before a result opens."""

from fractions import Fraction
from typing import Any

from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from msgspec import Struct

from rubric.core.records import HOLISTIC, RubricRecord
from rubric.core.scores import round_half_up
from rubric.models import Comparison
from rubric.sets.views import SECTION, set_or_404
from rubric.surveys.actions import answer_survey, begin_survey, pass_survey_over
from rubric.surveys.core import Separated
from rubric.surveys.forms import SurveyForm
from rubric.surveys.permissions import check_survey
from rubric.surveys.queries import is_asked_enough, load_survey, separated_in
from workspace.access.permissions import may
from workspace.core.refusals import Malformed, Refusal
from workspace.display.core.charts import IntervalRow, IntervalsChart, interval_plot
from workspace.models import Person
from workspace.web.bind_form import add_refusal, bind_form, only_parameters
from workspace.web.frame import frame
from workspace.web.require import SignedIn, require
from workspace.web.respond import respond

WITH = "with"
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


def _act(request: SignedIn, comparison: Comparison, values: dict[str, Any], result: str) -> str:
    """Do what the form asks; return the URL to redirect to."""
    now = timezone.now()
    if values["do"] == "answer":
        answer = {"understood": int(values["understood"]), "named": values["named"], "text": values["text"]}
        answer_survey(comparison=comparison, **answer, by=request.user, now=now)
        return result
    ACTS[values["do"]](comparison=comparison, by=request.user, now=now)
    return result if values["do"] == "pass" else request.path


def _show(request: SignedIn, comparison: Comparison, form: SurveyForm, status: int = 200) -> HttpResponse:
    context = {
        "comparison": comparison,
        "page": build_survey_page(comparison=comparison, person=request.user),
        "form": form,
        "radios": [form["understood"], form["named"]],
        **frame(request.user, comparison.set.project, SECTION),
    }
    return respond(request, page="rubric/surveys/answer.html", context=context, status=status)


def comparison_or_404(request: SignedIn, slug: str, number: int, comparison: int) -> Comparison:
    """The comparison at that URL with its set; 404 if the person may not know of it."""
    found = set_or_404(request.user, slug, number)
    row = get_object_or_404(Comparison, set=found, number=comparison)
    row.set = found
    return row


class MeanLine(Struct, frozen=True):
    """One criterion's mean scores of both responses."""

    label: str
    first: str
    second: str
    apart: str


class SurveyedResponse(Struct, frozen=True):
    """One of the two responses: "A" ranks above "B". `text` is its own."""

    letter: str
    overall: str
    text: str


class SurveyPage(Struct, frozen=True):
    """The survey of one comparison. Before its start, nothing of the result is shown; only one arm has `means`.

    `is_brought` says that criteria have scales of their own, so that all means are brought to the common one.
    """

    is_started: bool
    responses: list[SurveyedResponse]
    means: list[MeanLine]
    plot: IntervalsChart | None
    is_brought: bool = False


class SurveyDone(Struct, frozen=True):
    """A person's answers on a result, in words, and whether the separating criterion was named."""

    understood: int
    named: str
    is_right: bool
    right: str


def survey_is_due(*, comparison: Comparison, person: Person) -> bool:
    """Whether to ask the person before the result opens: a reviewer of a closed set, at most a few times a set.

    A started survey stays due until it is answered or skipped, so its arm decides what is shown.
    """
    if comparison.set.closed_at is None or comparison.set.mode == HOLISTIC:
        return False
    if not may(check_survey, person, comparison.set):
        return False
    survey = load_survey(comparison, person)
    if survey is not None:
        return survey.answered_at is None
    return not is_asked_enough(comparison, person) and separated_in(comparison) is not None


def list_criteria(comparison: Comparison) -> list[tuple[str, str]]:
    """The criteria to choose from."""
    return [
        (criterion.key, criterion.label) for criterion in comparison.set.rubric_version.to_record().criteria
    ]


def build_survey_page(*, comparison: Comparison, person: Person) -> SurveyPage:
    """The page of a comparison fetched with its set, project and version, for a person who is asked."""
    record, survey = comparison.set.rubric_version.to_record(), load_survey(comparison, person)
    separated = separated_in(comparison)
    if survey is None or separated is None:
        return SurveyPage(False, [], [], None)
    has_means = survey.arm == WITH
    return SurveyPage(
        is_started=True,
        responses=_responses(comparison, separated),
        means=_means(separated, record) if has_means else [],
        plot=_plot(separated, record) if has_means else None,
        is_brought=bool(record.scales),
    )


def build_survey_done(*, comparison: Comparison, person: Person) -> SurveyDone | None:
    """The person's answers on this result; None without any."""
    survey = load_survey(comparison, person)
    if survey is None or survey.understood is None:
        return None
    labels = dict(list_criteria(comparison))
    separated = separated_in(comparison)
    return SurveyDone(
        understood=survey.understood,
        named=labels.get(survey.named, ""),
        is_right=bool(survey.is_right),
        right=", ".join(labels[key] for key in separated.most) if separated else "",
    )


def _responses(comparison: Comparison, separated: Separated) -> list[SurveyedResponse]:
    texts = {str(number): text for number, text in comparison.responses.values_list("number", "text")}
    pairs = zip("AB", (separated.first, separated.second), separated.overalls, strict=True)
    return [
        SurveyedResponse(letter, str(round_half_up(overall)), texts[name]) for letter, name, overall in pairs
    ]


def _means(separated: Separated, record: RubricRecord) -> list[MeanLine]:
    return [
        MeanLine(
            record.criterion(key).label,
            str(round_half_up(first)),
            str(round_half_up(other)),
            _signed(first - other),
        )
        for key, (first, other) in separated.means.items()
    ]


def _plot(separated: Separated, record: RubricRecord) -> IntervalsChart:
    rows = [
        IntervalRow(
            label=record.criterion(key).label, value=float(first), text=str(round_half_up(first)), other=float(other),
            says=_("B %(mean)s") % {"mean": round_half_up(other)},
        )
        for key, (first, other) in separated.means.items()
    ]  # fmt: skip
    return interval_plot(rows, minimum=1, maximum=10)


def _signed(value: Fraction) -> str:
    shown = round_half_up(value)
    return f"+{shown}" if shown > 0 else str(shown)
