"""The survey whether a result is clear, for programs."""

from typing import Literal

from django.utils import timezone
from pydantic import Field

from rubric.results import views
from rubric.results.actions import CANNOT_TELL, answer_survey, begin_survey, pass_survey_over
from rubric.results.permissions import check_survey
from workspace.core.limits import LONGEST_REASON
from workspace.web.endpoints import Answer, Given, Operations
from workspace.web.views import SignedIn

router = Operations()
PATH = "/projects/{slug:slug}/comparison-sets/{int:number}/comparisons/{int:comparison}/survey/"


class SurveyedAnswer(Answer):
    """One of the two responses: "A" ranks above "B"."""

    letter: str
    overall: str
    text: str


class MeansAnswer(Answer):
    """The mean scores of both responses by one criterion; told to half of those who are asked."""

    label: str
    first: str
    second: str


class SurveyAnswer(Answer):
    """A survey. It `is_due` until it is answered or passed over; responses come once it is started.

    `named` can be the key of a criterion, or "cannot".
    """

    is_started: bool
    responses: list[SurveyedAnswer]
    means: list[MeansAnswer]
    is_due: bool
    criteria: list[str]


class SurveyGiven(Given):
    """Begin the survey, pass it over, or answer it: how well you understand the ranking (1 to 5), and the criterion
    that separates the two responses most.
    """

    do: Literal["begin", "pass", "answer"]
    understood: int = Field(default=0, ge=0, le=5)
    named: str = Field(default="", max_length=100)
    text: str = Field(default="", max_length=LONGEST_REASON)


@router.get(PATH, "api_survey", "survey")
def show_survey(request: SignedIn, slug: str, number: int, comparison: int) -> SurveyAnswer:
    """Read the survey that comes before a result. Asking begins nothing."""
    found = views.comparison_or_404(request, slug, number, comparison)
    check_survey(request.user, found.set)
    page = views.build_survey_page(comparison=found, person=request.user)
    page["is_due"] = views.survey_is_due(comparison=found, person=request.user)
    page["criteria"] = [*(key for key, _label in views.list_criteria(found)), CANNOT_TELL]
    return SurveyAnswer.read(page)


@router.post(PATH, "api_survey", "survey", "rate")
def act_on_survey(
    request: SignedIn, slug: str, number: int, comparison: int, given: SurveyGiven
) -> SurveyAnswer:
    """Begin, answer or pass over the survey of a comparison. Then its result is open to you."""
    found = views.comparison_or_404(request, slug, number, comparison)
    check_survey(request.user, found.set)
    by, now = request.user, timezone.now()
    if given.do == "begin":
        begin_survey(comparison=found, by=by, now=now)
    elif given.do == "pass":
        pass_survey_over(comparison=found, by=by, now=now)
    else:
        said = given.model_dump(exclude={"do"})
        answer_survey(comparison=found, **said, by=by, now=now)
    return show_survey(request, slug, number, comparison)
