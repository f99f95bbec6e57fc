"""Results of comparison sets, for programs."""

from fractions import Fraction

from django.shortcuts import get_object_or_404

from rubric.models import Comparison
from rubric.results.core.what_if import tried_weights
from rubric.results.core.whole_set import Subject
from rubric.results.pages.panel import PanelPart
from rubric.results.pages.single_comparison import build_comparison_page
from rubric.results.pages.whole_set import build_set_results
from rubric.results.pages.words import ResultsQuery
from rubric.sets.permissions import check_see_results
from rubric.sets.views import set_or_404
from rubric.surveys.views import survey_is_due
from workspace.core.refusals import NotAllowed
from workspace.web.endpoints import Answer, Operations
from workspace.web.require import SignedIn

router = Operations()
PATH = "/projects/{slug:slug}/comparison-sets/{int:number}/"


class SubjectAnswer(Answer):
    """The author, or the key, of responses across comparisons. `interval` is one of 95 %, null without one.

    `wins` counts comparisons where it alone is first, `shared` those where it is level with others.
    """

    name: str
    place: int | None
    mean: float | None
    interval: tuple[float, float] | None
    wins: int
    shared: int
    holistic: float | None


class SetResultsAnswer(Answer):
    """All comparisons of a set together: a sentence about who leads, what to bear in mind, and the ranking."""

    headline: str
    notes: list[str]
    comparison_count: int
    reviewer_count: int
    left_out_count: int
    subjects: list[SubjectAnswer]


class RankAnswer(Answer):
    """A response of a ranking, by its number; `name` is its author, else its key."""

    response: int
    name: str
    place: int | None
    mean: float | None
    review_count: int


class RankingAnswer(Answer):
    """The ranking by one kind of score: rubric or holistic. `lead` is a sentence about the first response."""

    kind: str
    lead: str
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
    found = set_or_404(request.user, slug, number)
    check_see_results(request.user, found)
    asked = ResultsQuery(version=found.rubric_version)
    page = build_set_results(comparison_set=found, asked=asked, person=request.user)
    return SetResultsAnswer(
        headline=page.headline.says,
        notes=page.notes,
        comparison_count=page.comparison_count,
        reviewer_count=page.reviewer_count,
        left_out_count=page.left_out_count,
        subjects=[_subject(subject) for subject in page.subjects],
    )


@router.get(PATH + "comparisons/{int:comparison}/results/", "api_comparison_result", "see_results")
def show_result(request: SignedIn, slug: str, number: int, comparison: int) -> ComparisonResultAnswer:
    """Read the result of one comparison."""
    found = set_or_404(request.user, slug, number)
    check_see_results(request.user, found)
    row = get_object_or_404(Comparison, set=found, number=comparison)
    row.set = found
    if survey_is_due(comparison=row, person=request.user):
        says = "Answer the survey of this comparison or pass it over first, then its result is shown."
        raise NotAllowed(says, code="survey_due")
    asked = ResultsQuery(version=found.rubric_version)
    tried = tried_weights({}, asked.shares)
    page = build_comparison_page(comparison=row, asked=asked, tried=tried, person=request.user)
    return ComparisonResultAnswer(
        number=page.number,
        question=page.question,
        notes=page.notes,
        rankings=[_ranking(panel) for panel in page.panels],
    )


def _subject(subject: Subject) -> SubjectAnswer:
    return SubjectAnswer(
        name=subject.name,
        place=subject.place,
        mean=_number(subject.mean),
        interval=subject.figure.interval,
        wins=subject.wins,
        shared=subject.shared,
        holistic=_number(subject.holistic),
    )


def _ranking(panel: PanelPart) -> RankingAnswer:
    return RankingAnswer(
        kind=panel.kind,
        lead=panel.lead,
        ranks=[
            RankAnswer(
                response=row.response.number,
                name=row.response.name,
                place=row.rank.place,
                mean=_number(row.rank.mean),
                review_count=row.rank.count,
            )
            for row in panel.rows
        ],
    )


def _number(value: Fraction | None) -> float | None:
    return None if value is None else float(value)
