"""The overview of the installation for admins: projects, people, jobs, storage, versions, backups."""

from datetime import datetime

from django.db.models import Count, OuterRef, Q, Subquery
from msgspec import Struct

from discussions.metrics.core.registry import CODE_VERSION
from discussions.models import Stage, Verdict
from workspace.checks.pages import (
    JobsPart,
    LastBackup,
    StoragePart,
    build_jobs_part,
    find_last_backup,
    list_active_people,
    list_acts,
    measure_storage,
    read_versions,
)
from workspace.checks.queries import SweepAct
from workspace.models import Event, Person, Project
from workspace.models.projects import EVALUATOR, LEAD

MOST_PROJECTS = 200


class ProjectLine(Struct, frozen=True):
    """One project: its open stage (None without), its numbers, and when something was last done in it."""

    project: Project
    stage: Stage | None
    game_count: int
    verdict_count: int
    lead_count: int
    evaluator_count: int
    last_at: datetime | None


class SitePage(Struct, frozen=True):
    """Everything on the page; `metrics_version` is the version of the metrics' code, not of the product."""

    projects: list[ProjectLine]
    project_count: int
    active: list[tuple[Person, datetime]]
    account_count: int
    jobs: JobsPart
    acts: list[tuple[SweepAct, bool]]
    storage: StoragePart
    versions: dict[str, str]
    metrics_version: str
    backup: LastBackup | None
    made_at: datetime


def build_site_page(*, person: Person, now: datetime) -> SitePage:
    """The overview at this moment, in a fixed number of queries; it looks at every stored file."""
    return SitePage(
        projects=_list_projects(),
        project_count=Project.objects.count(),
        active=list_active_people(now),
        account_count=Person.objects.filter(is_active=True, is_system=False).count(),
        jobs=build_jobs_part(person, now),
        acts=list_acts(now),
        storage=measure_storage(),
        versions=read_versions(),
        metrics_version=CODE_VERSION,
        backup=find_last_backup(now),
        made_at=now,
    )


def _list_projects() -> list[ProjectLine]:
    last = Event.objects.filter(chain__project=OuterRef("pk")).order_by("-seq").values("at")[:1]
    present = Q(memberships__ended_at=None)
    rows = Project.objects.order_by("name", "pk").annotate(
        lead_count=Count("memberships", filter=present & Q(memberships__role=LEAD)),
        evaluator_count=Count("memberships", filter=present & Q(memberships__role=EVALUATOR)),
        last_at=Subquery(last),
    )
    projects = list(rows[:MOST_PROJECTS])
    stages = {stage.project_id: stage for stage in Stage.objects.filter(closed_at=None)}
    counted = Verdict.objects.order_by().values("project").annotate(count=Count("game", distinct=True))
    verdicts = dict(counted.values_list("project", "count"))
    return [
        ProjectLine(
            project=project,
            stage=stages.get(project.pk),
            # Games are never deleted, so the next number gives their count.
            game_count=project.next_game_number - 1,
            verdict_count=verdicts.get(project.pk, 0),
            lead_count=project.lead_count,
            evaluator_count=project.evaluator_count,
            last_at=project.last_at,
        )
        for project in projects
    ]
