"""What is free for a person in a project, and the workload of its evaluators."""

from collections import defaultdict
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from discussions.core.evaluation_states import DRAFT, LAPSED, OPEN, RETURNED, SKIPPED, SUBMITTED
from discussions.models import Evaluation, Revision, Slot
from discussions.models.slots import CALIBRATION, RATING, REPEAT
from discussions.queue.core import LONG_DAYS, CompletedWork, Held, Load, active_minutes, compute_loads
from discussions.rating.core.visibility import count_judged
from discussions.rating.queries import load_state
from discussions.slots.queries import evaluators_in, games_led_by, query_free_slots
from workspace.access.queries import prepare_by_rights
from workspace.database.capped_counts import MOST_COUNTED, CappedCount
from workspace.models import Person, Project

# Timing reads every act; a project with more evaluations in four weeks is timed by its newest.
MOST_TIMED = 500


def free_counts(person: Person, projects: list[int]) -> dict[int, int]:
    """Project -> how many games are free for the person, as far as they may know; one query for all projects."""
    counted = _FREE[person.is_admin](person.pk, projects)
    return {key: tell_free(free, started, aside) for key, free, started, aside in counted}


def query_free(person: Person, projects: list[int]) -> "QuerySet[Project]":
    """These projects with what is free for the person in each: the three counts that `tell_free` takes."""
    free = query_free_slots(person, OuterRef("pk")).filter(
        ~Exists(games_led_by(person).filter(pk=OuterRef("game")))
    )
    games = free.order_by("game").values("game").distinct()
    repeats = Evaluation.objects.filter(evaluator=person, game__project=OuterRef("pk"), purpose=REPEAT)
    return (
        Project.objects.filter(pk__in=projects)
        .order_by("pk")
        .annotate(
            free=CappedCount(games),
            open_repeats=CappedCount(repeats.filter(state__in=OPEN).values("pk")),
            repeats_aside=CappedCount(repeats.filter(state__in=(SKIPPED, LAPSED)).values("pk")),
        )
    )


FREE_COLUMNS = ("pk", "free", "open_repeats", "repeats_aside")


_FREE = prepare_by_rights(
    lambda person, projects: query_free(person, projects).values_list(*FREE_COLUMNS), list
)


def tell_free(free: int, started: int, aside: int) -> int:
    """How many games a person is told to be free, of those that are and of their hidden duplicates.

    A hidden duplicate counts as a game that was given out; the last free game is always offered.
    """
    if free >= MOST_COUNTED:
        return free
    left = max(0, free - started)
    return max(min(left, 1), left - aside)


def query_submitted_since(person: Any, moment: Any) -> "QuerySet[Evaluation]":
    """The games that the person submitted since then, calibration aside."""
    own = Evaluation.objects.filter(evaluator=person, state=SUBMITTED, submitted_at__gte=moment)
    return own.exclude(purpose=CALIBRATION)


def start_of_day(now: datetime) -> datetime:
    return timezone.localtime(now).replace(hour=0, minute=0, second=0, microsecond=0)


def load_progress(evaluation: Evaluation) -> tuple[int, int]:
    """(judged, needed) of an evaluation as its evaluator reads it."""
    return _progress(evaluation.pk, evaluation.version, evaluation.game.content_sha256)


# Called every few seconds for the same evaluations. Each change raises the version, so the others stay cached.
@lru_cache(maxsize=1024)
def _progress(key: int, version: int, content_sha256: str) -> tuple[int, int]:
    # The hash guards against another database.
    state = load_state(Evaluation.objects.with_work().get(pk=key))
    return count_judged(state.progress, state.visibility.missing)


def load_workloads(*, project: Project, now: datetime) -> tuple[list[Load], int]:
    """A load for each evaluator, and how many evaluations the medians are taken from, 0 for all; five queries."""
    submitted = Evaluation.objects.filter(
        game__project=project,
        purpose=RATING,
        state=SUBMITTED,
        submitted_at__gt=now - timedelta(days=LONG_DAYS),
    )
    columns = ("pk", "evaluator", "evaluator__name", "created_at", "submitted_at", "game__message_count")
    rows = list(submitted.order_by("-submitted_at", "-pk").values_list(*columns))
    times = _times(project, rows[:MOST_TIMED])
    done = [
        CompletedWork(person, submitted_at, count, active_minutes(times.get(key, ())))
        for key, person, _name, _started, submitted_at, count in rows
    ]
    names = {evaluator.pk: evaluator.name for evaluator in evaluators_in(project)}
    names |= {person: name for _key, person, name, *_rest in rows}
    held, holders = _held(project)
    return compute_loads(names | holders, done, held, now), MOST_TIMED if len(rows) > MOST_TIMED else 0


def _times(project: Project, rows: list[tuple[Any, ...]]) -> dict[int, list[datetime]]:
    """Evaluation -> when it was taken, judged in, and submitted."""
    times = {key: [started, submitted_at] for key, _person, _name, started, submitted_at, _count in rows}
    if times:
        acts = Revision.objects.filter(judgement__evaluation__in=list(times)).order_by()
        for key, moment in acts.values_list("judgement__evaluation", "created_at"):
            times[key].append(moment)
    return times


def _held(project: Project) -> tuple[dict[int, Held], dict[int, str]]:
    """Person -> what they have now, and the names of those for whom games wait."""
    started = Evaluation.objects.filter(game__project=project, purpose=RATING).order_by()
    counted = started.values("evaluator", "evaluator__name").annotate(
        open=Count("pk", filter=Q(state=DRAFT)),
        back=Count("pk", filter=Q(state=RETURNED)),
        aside=Count("pk", filter=Q(state__in=(SKIPPED, LAPSED))),
    )
    kept = Slot.objects.free().filter(project=project, purpose=RATING, assigned_to__isnull=False).order_by()
    assigned: dict[int, int] = defaultdict(int)
    names: dict[int, str] = {}
    for person, name, count in kept.values_list("assigned_to", "assigned_to__name").annotate(Count("pk")):
        assigned[person], names[person] = count, name
    held = {person: Held(assigned=count) for person, count in assigned.items()}
    rows = counted.values_list("evaluator", "evaluator__name", "open", "back", "aside")
    for person, name, is_open, back, aside in rows:
        held[person] = Held(is_open, back, aside, assigned.get(person, 0))
        if is_open or back:
            names[person] = name
    return held, names
