"""Pace and load of a project's evaluators, for who plans their work: what they did, and what is before them."""

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

# Their acts are read one by one; a project that hands in more in four weeks is timed by its newest.
MOST_TIMED = 500


class PaceLine(Struct, frozen=True):
    """One person; `share` is what is before them in percent of the longest list, for the bar."""

    load: Load
    share: int


class PacePage(Struct, frozen=True):
    """The page. `timed` is how many evaluations the medians rest on where that is not all of them, else 0."""

    slug: str
    lines: list[PaceLine]
    short_days: int
    long_days: int
    timed: int


def build_pace_page(*, project: Project, now: datetime) -> PacePage:
    """The page, in five queries."""
    handed_in = Evaluation.objects.filter(
        game__project=project,
        purpose=RATING,
        state=SUBMITTED,
        submitted_at__gt=now - timedelta(days=LONG_DAYS),
    )
    columns = ("pk", "evaluator", "evaluator__name", "created_at", "submitted_at", "game__message_count")
    rows = list(handed_in.order_by("-submitted_at", "-pk").values_list(*columns))
    times = _times(project, rows[:MOST_TIMED])
    done = [
        CompletedWork(person, submitted_at, count, active_minutes(times.get(key, ())))
        for key, person, _name, _begun, submitted_at, count in rows
    ]
    names = {evaluator.pk: evaluator.name for evaluator in evaluators_in(project)}
    names |= {person: name for _key, person, name, *_rest in rows}
    held, holders = _held(project)
    loads = compute_loads(names | holders, done, held, now)
    most = max((load.ahead for load in loads), default=0) or 1
    return PacePage(
        slug=project.slug,
        lines=[PaceLine(load, round(100 * load.ahead / most)) for load in loads],
        short_days=SHORT_DAYS,
        long_days=LONG_DAYS,
        timed=MOST_TIMED if len(rows) > MOST_TIMED else 0,
    )


def _times(project: Project, rows: list[tuple]) -> dict[int, list[datetime]]:
    """Evaluation -> when it was taken, judged in, and handed in."""
    times = {key: [begun, submitted_at] for key, _person, _name, begun, submitted_at, _count in rows}
    if times:
        acts = Revision.objects.filter(judgement__evaluation__in=list(times)).order_by()
        for key, at in acts.values_list("judgement__evaluation", "created_at"):
            times[key].append(at)
    return times


def _held(project: Project) -> tuple[dict[int, Held], dict[int, str]]:
    """Person -> what they have now, and the names of those who have something to do still."""
    begun = Evaluation.objects.filter(game__project=project, purpose=RATING).order_by()
    counted = begun.values("evaluator", "evaluator__name").annotate(
        open=Count("pk", filter=Q(state=DRAFT)),
        back=Count("pk", filter=Q(state=RETURNED)),
        aside=Count("pk", filter=Q(state__in=(SKIPPED, LAPSED))),
    )
    kept = Slot.objects.filter(
        project=project, purpose=RATING, assigned_to__isnull=False, evaluator=None, is_closed=False
    ).order_by()
    assigned: dict[int, int] = defaultdict(int)
    names: dict[int, str] = {}
    for person, name, count in kept.values_list("assigned_to", "assigned_to__name").annotate(Count("pk")):
        assigned[person], names[person] = count, name
    held = {person: Held(assigned=count) for person, count in assigned.items()}
    for row in counted.values_list("evaluator", "evaluator__name", "open", "back", "aside"):
        person, name, is_open, back, aside = row
        held[person] = Held(is_open, back, aside, assigned.get(person, 0))
        if is_open or back:
            names[person] = name
    return held, names
