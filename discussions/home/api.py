"""The dashboard of a project and the overview of the installation, for programs."""

from datetime import date, datetime

from django.utils import timezone

from discussions.access.permissions import check_see_games
from discussions.home.pages.dashboard import DashboardPage, build_dashboard
from discussions.home.pages.site import SitePage, build_site_page
from workspace.checks.api import JobAnswer
from workspace.checks.permissions import check_see_overview
from workspace.web.bind_form import project_or_404
from workspace.web.endpoints import Answer, Operations
from workspace.web.require import SignedIn

router = Operations()


class GamesAnswer(Answer):
    """The games of a project by state; withdrawn ones are in no other count."""

    total: int
    measuring: int
    waiting: int
    rating: int
    complete: int
    passed: int
    failed: int
    withdrawn: int


class ToDoAnswer(Answer):
    """What needs a lead: numbers of games to record and with ties, of iterations to decide on and to open; counts."""

    to_record: list[int]
    tied: list[int]
    undecided: list[int]
    unopened: list[int]
    flags: int
    faulty_imports: int
    failed_jobs: int


class GoalAnswer(Answer):
    """Games with a verdict, of the open stage or, without one (null), of the project.

    `done` were recorded in the last `days`; `state` is "known" where there is a date, else why there is none.
    """

    stage: int | None
    total: int
    recorded: int
    state: str
    done: int
    days: int
    on: date | None
    earliest: date | None
    latest: date | None


class PeriodAnswer(Answer):
    """The verdicts of a day or week; `rate` is the pass rate in percent, `cost` the mean of `costed` games."""

    start: date
    count: int
    passed: int
    rate: float | None
    cost: float | None
    costed: int


class WorkerAnswer(Answer):
    """An evaluator with a game open, or one submitted in the last 7 days."""

    name: str
    open: int
    submitted: int
    last_at: datetime


class DashboardAnswer(Answer):
    """The dashboard of a project; `unit` says whether a period is a day or a week."""

    games: GamesAnswer
    to_do: ToDoAnswer
    progress: GoalAnswer
    unit: str
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
    file_count: int
    file_bytes: int
    free_bytes: int | None
    versions: dict[str, str]
    backup: BackupAnswer | None


@router.get("/projects/{slug:slug}/dashboard/", "api_dashboard", "see_games")
def dashboard(request: SignedIn, slug: str) -> DashboardAnswer:
    """See how far a project is: games by state, what needs a lead, progress, pass rate and cost over time."""
    project = project_or_404(request.user, slug)
    check_see_games(request.user, project)
    return _dashboard(build_dashboard(project=project, now=timezone.now()))


def _dashboard(page: DashboardPage) -> DashboardAnswer:
    progress, to_do = page.progress, page.to_do
    estimate = progress.estimate
    return DashboardAnswer(
        games=GamesAnswer.model_validate(page.states),
        to_do=ToDoAnswer(
            to_record=to_do.ready.to_record,
            tied=to_do.ready.tied,
            undecided=to_do.undecided,
            unopened=to_do.unopened,
            flags=to_do.flag_count,
            faulty_imports=to_do.faulty_count,
            failed_jobs=to_do.failed_count,
        ),
        progress=GoalAnswer(
            stage=progress.stage.number if progress.stage else None,
            total=progress.total,
            recorded=progress.recorded,
            state=estimate.state,
            done=estimate.done,
            days=estimate.days,
            on=estimate.on,
            earliest=estimate.earliest,
            latest=estimate.latest,
        ),
        unit=page.trend.unit,
        periods=[PeriodAnswer.model_validate(row) for row in page.trend.rows],
        workers=[WorkerAnswer.model_validate(worker) for worker in page.workers],
    )


@router.get("/overview/", "api_overview", "see_overview", scope="admin")
def overview(request: SignedIn) -> OverviewAnswer:
    """See the state of the installation: projects, people, jobs, storage, versions and the last backup."""
    check_see_overview(request.user)
    return _overview(build_site_page(person=request.user, now=timezone.now()))


def _overview(page: SitePage) -> OverviewAnswer:
    return OverviewAnswer(
        projects=[
            SiteProjectAnswer(
                slug=line.project.slug,
                name=line.project.name,
                stage=line.stage.number if line.stage else None,
                games=line.game_count,
                verdicts=line.verdict_count,
                leads=line.lead_count,
                evaluators=line.evaluator_count,
                last_at=line.last_at,
            )
            for line in page.projects
        ],
        active_people=len(page.active),
        accounts=page.account_count,
        is_worker_running=page.jobs.is_worker_alive,
        jobs_waiting=page.jobs.queued_count,
        jobs_running=page.jobs.running_count,
        jobs_failed=page.jobs.failed_count,
        oldest_waiting_at=page.jobs.oldest_queued_at,
        failed_jobs=[JobAnswer.model_validate(failed.job) for failed in page.jobs.failed],
        database_bytes=page.storage.database_bytes,
        file_count=page.storage.file_count,
        file_bytes=page.storage.file_bytes,
        free_bytes=page.storage.free_bytes,
        versions={
            "product": page.versions.product,
            "metrics": page.metrics_version,
            "python": page.versions.python,
            "django": page.versions.django,
            "database": page.versions.database,
        },
        backup=BackupAnswer.model_validate(page.backup) if page.backup else None,
    )
