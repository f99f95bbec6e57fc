"""The dashboard of a project and the overview of the installation, for programs."""

from datetime import datetime

from django.utils import timezone

from discussions.home.pages.dashboard import (
    DashboardPage,
    GameStates,
    GoalProgress,
    TrendRow,
    build_dashboard,
)
from discussions.home.pages.overview import build_site_page
from discussions.home.queries import ToDo, Worker
from discussions.slots.permissions import check_see_games
from workspace.checks.api import JobAnswer
from workspace.checks.permissions import check_see_overview
from workspace.web.bind_form import project_or_404
from workspace.web.endpoints import Answer, Operations
from workspace.web.views import SignedIn

router = Operations()


class GamesAnswer(
    Answer, of=GameStates, fields="total measuring waiting rating complete passed failed withdrawn left_out"
):
    """The games of a project by state; withdrawn ones, and those left out of the queue, are in no other count."""


class ToDoAnswer(
    Answer,
    of=ToDo,
    fields="to_record:ready.to_record tied:ready.tied undecided unopened flags faulty_imports:faulty "
    "failed_jobs",
):
    """What needs a lead: numbers of games to record and with ties, of iterations to decide on and to open; counts."""


class GoalAnswer(
    Answer,
    of=GoalProgress,
    fields="stage:stage.number total recorded state:estimate.state done:estimate.done days:estimate.days "
    "on:estimate.on earliest:estimate.earliest latest:estimate.latest",
):
    """Games with a verdict, of the open stage or, without one (null), of the project.

    `done` were recorded in the last `days`; `state` is "known" where there is a date, else why there is none.
    """


class PeriodAnswer(Answer, of=TrendRow, fields="start count passed rate cost costed"):
    """The verdicts of a day or week; `rate` is the pass rate in percent, `cost` the mean of `costed` games."""


class WorkerAnswer(Answer, of=Worker, fields="name open submitted last_at"):
    """An evaluator with a game open, or one submitted in the last 7 days."""


class DashboardAnswer(
    Answer, of=DashboardPage, fields="games:states to_do progress unit:trend.unit periods:trend.rows workers"
):
    """The dashboard of a project; `unit` says whether a period is a day or a week."""

    games: GamesAnswer
    to_do: ToDoAnswer
    progress: GoalAnswer
    periods: list[PeriodAnswer]
    workers: list[WorkerAnswer]


class SiteProjectAnswer(Answer):
    """A project; `stage` is the number of its open stage."""

    slug: str
    name: str
    stage: int | None
    games: int
    verdicts: int
    leads: int
    evaluators: int
    last_at: datetime | None


class BackupAnswer(Answer):
    """A backup that was read back whole when it was made."""

    name: str
    made_at: datetime
    rows: int
    files: int
    is_late: bool


class OverviewAnswer(Answer):
    """The state of the installation. Sizes are in bytes; what cannot be known is null.

    `backup` is the newest one that `manage.py backup` made, null without one.
    """

    projects: list[SiteProjectAnswer]
    active_people: int
    accounts: int
    is_worker_running: bool
    jobs_waiting: int
    jobs_running: int
    jobs_failed: int
    oldest_waiting_at: datetime | None
    failed_jobs: list[JobAnswer]
    database_bytes: int | None
    file_count: int | None
    file_bytes: int | None
    free_bytes: int | None
    backup: BackupAnswer | None
    versions: dict[str, str]


@router.get("/projects/{slug:slug}/dashboard/", "api_dashboard", "see_games")
def dashboard(request: SignedIn, slug: str) -> DashboardAnswer:
    """See how far a project is: games by state, what needs a lead, progress, pass rate and cost over time."""
    project = project_or_404(request.user, slug, check_see_games)
    return DashboardAnswer.read(build_dashboard(project=project, now=timezone.now()))


@router.get("/overview/", "api_overview", "see_overview", scope="admin")
def overview(request: SignedIn) -> OverviewAnswer:
    """See the state of the installation: projects, people, jobs, storage, versions and the last backup."""
    check_see_overview(request.user)
    page = build_site_page(person=request.user, now=timezone.now())
    jobs, names = page["jobs"], ("product", "python", "django", "database")
    answer = {
        "active_people": len(page["active"]),
        "accounts": page["account_count"],
        "is_worker_running": jobs["is_worker_alive"],
        "jobs_waiting": jobs["queued_count"],
        "jobs_running": jobs["running_count"],
        "jobs_failed": jobs["failed_count"],
        "oldest_waiting_at": jobs["oldest_queued_at"],
        "failed_jobs": [line["job"] for line in jobs["failed"]],
        "versions": {name: page["versions"][name] for name in names} | {"metrics": page["metrics_version"]},
    }
    return OverviewAnswer.read(page | page["storage"] | answer)
