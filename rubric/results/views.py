"""The screens of results: one comparison, and a set as a whole."""

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _

from rubric.models import Comparison, ComparisonSet, RubricVersion
from rubric.results.core.what_if import TriedWeights, WeightControl, tried_weights
from rubric.results.pages.single_comparison import build_comparison_page, build_what_if_part
from rubric.results.pages.whole_set import build_set_results
from rubric.results.pages.words import ResultsQuery
from rubric.sets.pages import SetFrame
from rubric.sets.permissions import check_see_results
from rubric.sets.views import SECTION, set_or_404
from rubric.surveys.views import build_survey_done, survey_is_due
from rubric.versions.permissions import check_see_weights
from workspace.core.refusals import Malformed
from workspace.models import Person
from workspace.web.bind_form import only_parameters, parse_number
from workspace.web.frame import frame
from workspace.web.require import SignedIn, is_htmx, require
from workspace.web.respond import respond

ONE, REGION, WHOLE = (
    "rubric/results/comparison.html",
    "rubric/results/_what_if_result.html",
    "rubric/results/whole_set.html",
)

SWITCHES = ("under", "incomplete", "whole", "page")


@require("see_results")
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
        raise Malformed(_("This address holds something that the page does not know. Open the page again."))
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
        key: WeightControl(given[f"weight-{key}"], given[f"slider-{key}"], given[f"was-{key}"])
        for key in shares
        if given[f"weight-{key}"] or given[f"was-{key}"]
    }
    return tried_weights(controls, shares)
