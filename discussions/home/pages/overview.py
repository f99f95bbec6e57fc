"""The overviews of a project, with its stages and the pace of evaluators, and of the installation."""

from collections import Counter, defaultdict
from datetime import date, datetime, time
from typing import Any

from django.db.models import Count, OuterRef, Q, Subquery
from django.utils import timezone
from django.utils.translation import gettext as _

from discussions.core.evaluation_states import OPEN, SKIPPED, SUBMITTED
from discussions.iterations.permissions import check_open_stage
from discussions.iterations.queries import load_gate
from discussions.metrics.core.registry import CODE_VERSION
from discussions.models import Evaluation, Iteration, Slot, Stage, Verdict
from discussions.models.slots import RATING
from discussions.queue.core import Pace, compute_pace, first_monday, format_duration
from discussions.reliability.queries import rating_agreement
from discussions.verdicts.queries import complete_games
from workspace.access.permissions import get_refusal
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


def build_overview(*, project: Project, person: Person, now: datetime) -> dict[str, Any]:
    """What the page shows: a fixed number of queries, and seven more while games of the open stage wait for a verdict.

    `agreement` is "" where no game is for several evaluators.
    """
    rows = Iteration.objects.filter(project=project).select_related("stage").defer("prompt")
    iterations = list(rows.order_by("number"))
    since = first_monday(timezone.localdate(now))
    evaluations = _evaluations(project, since)
    pace = _pace(evaluations, timezone.localdate(now))
    is_shared = any(iteration.evaluator_count > 1 for iteration in iterations)
    return {
        "stages": _stages(project, iterations),
        "stage_refusal": get_refusal(check_open_stage, person, project),
        "waiting": _waiting(project, iterations),
        "pace": pace,
        "format_duration": format_duration,
        "people": _people(evaluations),
        "agreement": _agreement(project) if is_shared else "",
    }


def _stages(project: Project, iterations: list[Iteration]) -> list[dict[str, Any]]:
    """The newest first. At most one is open; the gates of the others are stored with them."""
    counted = Count("iterations__games", filter=Q(iterations__games__withdrawn_at=None))
    rows = Stage.objects.filter(project=project).select_related("stated_by", "project").order_by("-number")
    lines = []
    for stage in rows.annotate(game_count=counted):
        gate = load_gate(stage)
        own = [iteration for iteration in iterations if iteration.stage_id == stage.pk]
        unit = _("iterations") if gate.streak.unit == "iteration" else _("games")
        lines.append({"stage": stage, "gate": gate, "unit": unit, "iterations": own})
    return lines


def _waiting(project: Project, iterations: list[Iteration]) -> list[dict[str, Any]]:
    """The iterations with unfinished games, in order: free for evaluators, started, submitted without a verdict."""
    open_slots = Slot.objects.filter(game__project=project, game__withdrawn_at=None, purpose=RATING)
    by_iteration = open_slots.filter(is_closed=False).order_by().values("game__iteration")
    counted = by_iteration.annotate(
        free=Count("game", distinct=True, filter=Q(evaluator=None)),
        started=Count("game", distinct=True, filter=Q(evaluator__isnull=False)),
    )
    counts = {row["game__iteration"]: row for row in counted}
    complete = Counter(complete_games(project).values_list("game__iteration", flat=True))
    lines = [
        {"iteration": iteration, "free": 0, "started": 0, "complete": complete[iteration.pk]}
        | counts.get(iteration.pk, {})
        for iteration in iterations
    ]
    return [line for line in lines if line["free"] or line["started"] or line["complete"]]


def _evaluations(project: Project, since: date) -> list[Any]:
    """Evaluations submitted, skipped or started since that day, and all open ones."""
    start = timezone.make_aware(datetime.combine(since, time.min))
    rows = Evaluation.objects.filter(game__project=project, purpose=RATING)
    wanted = rows.filter(Q(state__in=OPEN) | Q(submitted_at__gte=start) | Q(created_at__gte=start))
    columns = ("evaluator", "evaluator__name", "state", "created_at", "submitted_at")
    return list(wanted.values_list(*columns, named=True))


def _pace(rows: list[Any], today: date) -> Pace:
    done = [
        (timezone.localtime(row.created_at), timezone.localtime(row.submitted_at))
        for row in rows
        if row.state == SUBMITTED and row.submitted_at
    ]
    return compute_pace(done, today)


def _people(rows: list[Any]) -> list[dict[str, Any]]:
    """The people in the order of names, since this is no ranking, and how many evaluations they have in each state."""
    by_person: dict[tuple[str, int], list[Any]] = defaultdict(list)
    for row in rows:
        by_person[row.evaluator__name.casefold(), row.evaluator].append(row)
    return [
        {
            "name": evaluations[0].evaluator__name,
            "submitted": sum(row.state == SUBMITTED for row in evaluations),
            "started": sum(row.state in OPEN for row in evaluations),
            "skipped": sum(row.state == SKIPPED for row in evaluations),
        }
        for _key, evaluations in sorted(by_person.items())
    ]


def _agreement(project: Project) -> str:
    """How far ratings of the same games agree, in a sentence; "" without such games."""
    found, games = rating_agreement(project)
    if not games:
        return ""
    if found.value is None:
        return _("Agreement on the rating is not known: %(why)s") % {"why": found.reason}
    interval = found.interval
    shown = f" [{interval[0]:.2f}, {interval[1]:.2f}]" if interval else ""
    return _(
        "Agreement on the rating: Krippendorff's alpha %(value).2f%(interval)s over %(count)d games."
    ) % {"value": found.value, "interval": shown, "count": games}


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
