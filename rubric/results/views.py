"""The screens of results: one comparison, and a set as a whole."""

from fractions import Fraction
from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from rubric.core.records import HOLISTIC, RubricRecord
from rubric.core.scores import round_half_up
from rubric.models import Comparison, ComparisonSet, RubricVersion
from rubric.results.actions import answer_survey, begin_survey, pass_survey_over
from rubric.results.core.surveys import Separated
from rubric.results.core.what_if import TriedWeights, tried_weights
from rubric.results.forms import SurveyForm
from rubric.results.pages.single_comparison import build_comparison_page, build_what_if_part
from rubric.results.pages.whole_set import build_set_results
from rubric.results.pages.words import ResultsQuery
from rubric.results.permissions import check_survey
from rubric.results.queries import is_asked_enough, load_survey, separated_in
from rubric.reviews.pages import SetFrame
from rubric.reviews.permissions import check_see_results
from rubric.reviews.views import SECTION, set_or_404
from rubric.versions.permissions import check_see_weights
from workspace.access.permissions import may
from workspace.core.refusals import Malformed, Refusal
from workspace.display.core.charts import IntervalRow, IntervalsChart, interval_plot
from workspace.models import Person
from workspace.web.bind_form import add_refusal, bind_form, parse_number
from workspace.web.views import SignedIn, frame, is_htmx, odd_address, only_parameters, require, respond

ONE, REGION, WHOLE = (
    "rubric/results/comparison.html",
    "rubric/results/_what_if_result.html",
    "rubric/results/whole_set.html",
)

SWITCHES = ("under", "incomplete", "whole", "page")


@require("see_results", own_address=True)
def comparison_result(request: SignedIn, slug: str, number: int, comparison: int) -> HttpResponse:
    """Show one comparison: its ranking and its evidence; an htmx request gets only the ranking under other weights."""
    comparison_set = set_or_404(request.user, slug, number, check_see_results)
    row = get_object_or_404(Comparison, set=comparison_set, number=comparison)
    row.set = comparison_set
    if survey_is_due(comparison=row, person=request.user):
        return redirect("survey", slug, number, comparison)
    asked, given = _asked(request, comparison_set)
    tried = _tried(given, asked)
    status = 422 if tried.faults else 200
    if is_htmx(request):
        check_see_weights(request.user)
        what_if = build_what_if_part(comparison=row, asked=asked, tried=tried)
        context = {"what_if": what_if, "is_answer": True, "address": request.path}
        return respond(request, page=ONE, region=REGION, context=context, status=status)
    page = build_comparison_page(comparison=row, asked=asked, tried=tried, person=request.user)
    head = SetFrame(comparison_set=comparison_set, current="set_results", person=request.user)
    survey = build_survey_done(comparison=row, person=request.user)
    context = {"page": page, "head": head, "survey": survey}
    context |= frame(request.user, comparison_set.project, SECTION)
    return respond(request, page=ONE, context=context, status=status)


@require("see_results")
def set_results(request: SignedIn, slug: str, number: int) -> HttpResponse:
    """Show a set as a whole: the ranking across its comparisons, and one line for each comparison."""
    comparison_set = set_or_404(request.user, slug, number, check_see_results)
    asked, _given = _asked(request, comparison_set)
    page = build_set_results(comparison_set=comparison_set, asked=asked, person=request.user)
    head = SetFrame(comparison_set=comparison_set, current="set_results", person=request.user)
    context = {"page": page, "head": head, **frame(request.user, comparison_set.project, SECTION)}
    return respond(request, page=WHOLE, context=context)


def _asked(request: SignedIn, comparison_set: ComparisonSet) -> tuple[ResultsQuery, dict[str, str]]:
    """The query, and the values of the weight controls; the version decides which parameters are allowed."""
    under = request.GET.get("under", "")
    version = _version(comparison_set, under, request.user)
    keys = [criterion.key for criterion in version.to_record().criteria]
    controls = [f"{part}-{key}" for key in keys for part in ("weight", "slider", "was")]
    given = only_parameters(request, *SWITCHES, *controls)
    if given["incomplete"] not in ("", "yes"):
        raise odd_address()
    asked = ResultsQuery(
        version=version,
        under=under,
        with_incomplete=given["incomplete"] == "yes",
        whole=parse_number(given["whole"]),
        page=max(1, parse_number(given["page"])),
    )
    return asked, given


def _version(comparison_set: ComparisonSet, under: str, person: Person) -> RubricVersion:
    """The published version of number `under`, or the set's own without one."""
    own = comparison_set.rubric_version
    if not under or under == own.number:
        return own
    check_see_weights(person)
    found = RubricVersion.objects.published().filter(rubric=own.rubric_id, number=under).first()
    if found is None:
        raise Http404
    return found


def _tried(given: dict[str, str], asked: ResultsQuery) -> TriedWeights:
    """The weights of the submitted form; without a form, those of the version."""
    shares = asked.shares
    controls = {
        key: (given[f"weight-{key}"], given[f"slider-{key}"], given[f"was-{key}"])
        for key in shares
        if given[f"weight-{key}"] or given[f"was-{key}"]
    }
    return tried_weights(controls, shares)


WITH = "with"
ACTS = {"begin": begin_survey, "pass": pass_survey_over}


@require("survey", methods=("GET", "POST"))
def survey(request: SignedIn, slug: str, number: int, comparison: int) -> HttpResponse:
    """Begin, skip or answer the survey; GET writes nothing, and redirects people who are not asked to the result."""
    found = comparison_or_404(request, slug, number, comparison)
    check_survey(request.user, found.set)
    result = reverse("comparison_result", args=[slug, number, comparison])
    criteria = list_criteria(found)
    if request.method != "POST":
        if not survey_is_due(comparison=found, person=request.user):
            return redirect(result)
        return _show_survey(request, found, SurveyForm(criteria=criteria))
    form = bind_form(request, SurveyForm, criteria=criteria)
    if "do" in form.errors:
        raise Malformed(
            _("The form was sent with a button that it does not have. Reload the page and try again.")
        )
    if not form.is_valid():
        return _show_survey(request, found, form, status=422)
    try:
        return respond(request, page="", redirect=_act(request, found, form.cleaned_data, result))
    except Refusal as refusal:
        return _show_survey(request, found, form, status=add_refusal(form, refusal))


def _act(request: SignedIn, comparison: Comparison, values: dict[str, Any], result: str) -> str:
    """Do what the form asks; return the URL to redirect to."""
    now = timezone.now()
    if values["do"] == "answer":
        answer = {"understood": int(values["understood"]), "named": values["named"], "text": values["text"]}
        answer_survey(comparison=comparison, **answer, by=request.user, now=now)
        return result
    ACTS[values["do"]](comparison=comparison, by=request.user, now=now)
    return result if values["do"] == "pass" else request.path


def _show_survey(
    request: SignedIn, comparison: Comparison, form: SurveyForm, status: int = 200
) -> HttpResponse:
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
    return [
        (criterion.key, criterion.label) for criterion in comparison.set.rubric_version.to_record().criteria
    ]


def build_survey_page(*, comparison: Comparison, person: Person) -> dict[str, Any]:
    """The page of a comparison fetched with its set, project and version, for a person who is asked.

    Before the start, nothing of the result is shown; only one arm has `means`. Of the `responses` "A" ranks above "B".
    `is_brought` says that criteria have scales of their own, so that all means are brought to the common one.
    """
    record, survey = comparison.set.rubric_version.to_record(), load_survey(comparison, person)
    separated = separated_in(comparison)
    if survey is None or separated is None:
        return {"is_started": False, "responses": [], "means": []}
    has_means = survey.arm == WITH
    return {
        "is_started": True,
        "responses": _responses(comparison, separated),
        "means": _means(separated, record) if has_means else [],
        "plot": _plot(separated, record) if has_means else None,
        "is_brought": bool(record.scales),
    }


def build_survey_done(*, comparison: Comparison, person: Person) -> dict[str, int | str] | None:
    """The person's answers on this result, in words, and the separating criteria; None without any."""
    survey = load_survey(comparison, person)
    if survey is None or survey.understood is None:
        return None
    labels = dict(list_criteria(comparison))
    separated = separated_in(comparison)
    return {
        "understood": survey.understood,
        "named": labels.get(survey.named, ""),
        "is_right": bool(survey.is_right),
        "right": ", ".join(labels[key] for key in separated.most) if separated else "",
    }


def _responses(comparison: Comparison, separated: Separated) -> list[dict[str, str]]:
    texts = {str(number): text for number, text in comparison.responses.values_list("number", "text")}
    pairs = zip("AB", (separated.first, separated.second), separated.overalls, strict=True)
    return [
        {"letter": letter, "overall": str(round_half_up(overall)), "text": texts[name]}
        for letter, name, overall in pairs
    ]


def _means(separated: Separated, record: RubricRecord) -> list[dict[str, str]]:
    return [
        {
            "label": record.criterion(key).label,
            "first": str(round_half_up(first)),
            "second": str(round_half_up(other)),
            "apart": _signed(first - other),
        }
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
