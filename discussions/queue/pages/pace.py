"""Workload of a project's evaluators, for planning: what they did lately, and which games wait for them."""

from collections import defaultdict
from datetime import datetime, timedelta

from django.db.models import Count, Q
from msgspec import Struct

from discussions.access.queries import evaluators_in
from discussions.core.evaluation_states import DRAFT, LAPSED, RETURNED, SKIPPED, SUBMITTED
from discussions.models import Evaluation, Revision, Slot
from discussions.models.slots import RATING
from discussions.queue.core import (
    LONG_DAYS,
    SHORT_DAYS,
    CompletedWork,
    Held,
    Load,
    active_minutes,
    compute_loads,
)
from workspace.models import Project

# Timing reads every act; a project with more evaluations in four weeks is timed by its newest.
MOST_TIMED = 500


class PacePage(Struct, frozen=True):
    """A load for each evaluator. `timed` is how many evaluations the medians are taken from, 0 for all of them."""

    loads: list[Load]
    timed: int
    short_days: int = SHORT_DAYS
    long_days: int = LONG_DAYS

    @property
    def most(self) -> int:
        """The longest list of games that wait for an evaluator, at least 1."""
        return max((load.ahead for load in self.loads), default=0) or 1


def build_pace_page(*, project: Project, now: datetime) -> PacePage:
    """The page, in five queries."""
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
    loads = compute_loads(names | holders, done, held, now)
    return PacePage(loads, timed=MOST_TIMED if len(rows) > MOST_TIMED else 0)


def _times(project: Project, rows: list[tuple]) -> dict[int, list[datetime]]:
    """Evaluation -> when it was taken, judged in, and submitted."""
    times = {key: [started, submitted_at] for key, _person, _name, started, submitted_at, _count in rows}
    if times:
        acts = Revision.objects.filter(judgement__evaluation__in=list(times)).order_by()
        for key, at in acts.values_list("judgement__evaluation", "created_at"):
            times[key].append(at)
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
