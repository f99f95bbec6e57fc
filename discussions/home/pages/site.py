"""The overview of the installation for admins: projects, people, jobs, storage, versions, backups."""

from datetime import datetime
from typing import Any

from django.db.models import Count, OuterRef, Q, Subquery

from discussions.metrics.core.registry import CODE_VERSION
from discussions.models import Stage, Verdict
from workspace.checks.pages import (
    build_jobs_part,
    find_last_backup,
    list_active_people,
    list_acts,
    measure_storage,
    read_versions,
)
from workspace.models import Event, Person, Project
from workspace.models.projects import EVALUATOR, LEAD

MOST_PROJECTS = 200


def build_site_page(*, person: Person, now: datetime) -> dict[str, Any]:
    """The overview at this moment, in a fixed number of queries; it looks at every stored file.

    `metrics_version` is the version of the metrics' code, not of the product.
    """
    return {
        "projects": _list_projects(),
        "project_count": Project.objects.count(),
        "active": list_active_people(now),
        "account_count": Person.objects.filter(is_active=True, is_system=False).count(),
        "jobs": build_jobs_part(person, now),
        "acts": list_acts(now),
        "storage": measure_storage(),
        "versions": read_versions(),
        "metrics_version": CODE_VERSION,
        "backup": find_last_backup(now),
        "made_at": now,
    }


def _list_projects() -> list[dict[str, Any]]:
    """Projects with the number of their open stage (None without), their counts, and when something was last done."""
    last = Event.objects.filter(chain__project=OuterRef("pk")).order_by("-seq").values("at")[:1]
    present = Q(memberships__ended_at=None)
    rows = Project.objects.order_by("name", "pk").annotate(
        lead_count=Count("memberships", filter=present & Q(memberships__role=LEAD)),
        evaluator_count=Count("memberships", filter=present & Q(memberships__role=EVALUATOR)),
        last_at=Subquery(last),
    )
    projects = list(rows[:MOST_PROJECTS])
    stages = dict(Stage.objects.filter(closed_at=None).values_list("project", "number"))
    counted = Verdict.objects.order_by().values("project").annotate(count=Count("game", distinct=True))
    verdicts = dict(counted.values_list("project", "count"))
    return [
        {
            "slug": project.slug,
            "name": project.name,
            "stage": stages.get(project.pk),
            # Games are never deleted, so the next number gives their count.
            "games": project.next_game_number - 1,
            "verdicts": verdicts.get(project.pk, 0),
            "leads": project.lead_count,
            "evaluators": project.evaluator_count,
            "last_at": project.last_at,
        }
        for project in projects
    ]
