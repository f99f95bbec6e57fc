"""What goes with being worth watching, for programs of leads."""

from discussions.reliability.core.blind_answers import EngagementFigures, MetricWithRating
from discussions.reliability.permissions import check_see_team_statistics
from discussions.reliability.queries import engagement_figures
from workspace.statistics.estimates import Agreement
from workspace.web.bind_form import project_or_404
from workspace.web.endpoints import Answer, Operations
from workspace.web.views import SignedIn

router = Operations()


class CorrelationAnswer(Answer, of=Agreement, fields="value interval"):
    """A rank correlation within prompts and its 95 % interval, jackknife over games."""


class MetricWithRatingAnswer(
    Answer,
    of=MetricWithRating,
    fields="key word games:games.number p:within.p tau_b:within.tau rho:within.rho tau_b_corrected rho_corrected",
):
    """One metric: the numbers of the games, and "goes_with", "no_sign", "against" or "too_few" (below 20).

    `p` is that of a permutation test within prompts. The corrected values are those of a rating without error.
    """

    games: list[int]
    p: float | None
    tau_b: CorrelationAnswer
    rho: CorrelationAnswer
    tau_b_corrected: CorrelationAnswer | None
    rho_corrected: CorrelationAnswer | None


class EngagementAnswer(
    Answer, of=EngagementFigures, fields="games prompts alone reliability passing watchable threshold share"
):
    """Which metrics go with the rating, over `games` of `prompts`; `alone` games have no other of their prompt.

    Of `passing` games that pass M1 to M6, `watchable` have a rating of `threshold` or more (`share`: 95 % interval, in
    percent). `reliability` is the rating's ICC(2,k).
    """

    metrics: list[MetricWithRatingAnswer]


@router.get("/projects/{slug:slug}/team/worth-watching/", "api_worth_watching", "see_team_figures")
def show_worth_watching(request: SignedIn, slug: str) -> EngagementAnswer:
    """Read which metrics go with being worth watching, over the newest 500 games with a verdict."""
    project = project_or_404(request.user, slug, check_see_team_statistics)
    return EngagementAnswer.read(engagement_figures(project))
