"""Results of comparison sets, for programs."""

from django.shortcuts import get_object_or_404

from rubric.models import Comparison
from rubric.results.core.what_if import tried_weights
from rubric.results.core.whole_set import Subject
from rubric.results.pages.panel import PanelPart, RankingRow
from rubric.results.pages.single_comparison import build_comparison_page
from rubric.results.pages.whole_set import SetResultsPage, build_set_results
from rubric.results.pages.words import ResultsQuery
from rubric.results.views import survey_is_due
from rubric.reviews.permissions import check_see_results
from rubric.reviews.views import set_or_404
from workspace.core.refusals import NotAllowed
from workspace.web.endpoints import Answer, Operations
from workspace.web.views import SignedIn

router = Operations()
PATH = "/projects/{slug:slug}/comparison-sets/{int:number}/"


class SubjectAnswer(
    Answer, of=Subject, fields="name place mean interval:figure.interval wins shared holistic"
):
    """The author, or the key, of responses across comparisons. `interval` is one of 95 %, null without one.

    `wins` counts comparisons where it alone is first, `shared` those where it is level with others.
    """


class SetResultsAnswer(
    Answer,
    of=SetResultsPage,
    fields="headline:headline.says notes comparison_count reviewer_count left_out_count subjects",
):
    """All comparisons of a set together: a sentence about who leads, what to bear in mind, and the ranking."""

    subjects: list[SubjectAnswer]


class RankAnswer(
    Answer,
    of=RankingRow,
    fields="response:response.number name:response.name place:rank.place mean:rank.mean review_count:rank.count",
):
    """A response of a ranking, by its number; `name` is its author, else its key."""


class RankingAnswer(Answer, of=PanelPart, fields="kind lead ranks:rows"):
    """The ranking by one kind of score: rubric or holistic. `lead` is a sentence about the first response."""

    ranks: list[RankAnswer]


class ComparisonResultAnswer(Answer):
    """The result of one comparison."""

    number: int
    question: str
    notes: list[str]
    rankings: list[RankingAnswer]


@router.get(PATH + "results/", "api_set_results", "see_results")
def show_set_results(request: SignedIn, slug: str, number: int) -> SetResultsAnswer:
    """Read the results of a comparison set.

    Leads and admins read them once their own reviews are submitted, reviewers once the set is closed.
    """
    found = set_or_404(request.user, slug, number, check_see_results)
    asked = ResultsQuery(version=found.rubric_version)
    page = build_set_results(comparison_set=found, asked=asked, person=request.user)
    return SetResultsAnswer.read(page)


@router.get(PATH + "comparisons/{int:comparison}/results/", "api_comparison_result", "see_results")
def show_result(request: SignedIn, slug: str, number: int, comparison: int) -> ComparisonResultAnswer:
    """Read the result of one comparison."""
    found = set_or_404(request.user, slug, number, check_see_results)
    row = get_object_or_404(Comparison, set=found, number=comparison)
    row.set = found
    if survey_is_due(comparison=row, person=request.user):
        says = "Answer the survey of this comparison or pass it over first, then its result is shown."
        raise NotAllowed(says, code="survey_due")
    asked = ResultsQuery(version=found.rubric_version)
    tried = tried_weights({}, asked.shares)
    page = build_comparison_page(comparison=row, asked=asked, tried=tried, person=request.user)
    return ComparisonResultAnswer.read(page | {"rankings": page["panels"]})
