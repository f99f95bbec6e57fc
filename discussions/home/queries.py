"""What the dashboard of a project counts: summed by the database, in a fixed number of queries."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from functools import lru_cache, reduce
from operator import or_
from typing import Any, NamedTuple

from django.db.models import (
    Case,
    Count,
    DateTimeField,
    DecimalField,
    Exists,
    F,
    Max,
    OuterRef,
    Q,
    QuerySet,
    Sum,
    Value,
    When,
)
from django.db.models.functions import Coalesce
from msgspec import Struct

from discussions.adjudication.queries import load_disagreements
from discussions.core.evaluation_states import DRAFT, RETURNED, SUBMITTED
from discussions.core.iteration_states import IMPORTING
from discussions.games.queries.flags import is_in_project, query_flags, waits_for_lead
from discussions.iterations.queries import query_undecided
from discussions.models import Evaluation, Game, Iteration, QueueDraw, Slot, Stage, Verdict
from discussions.models.slots import RATING
from discussions.queries import measured_for
from discussions.verdicts.queries import complete_games, faulty_transcripts
from workspace.database.prepared_queries import Prepared, prepared
from workspace.database.unions import select_part
from workspace.models import Job, Project
from workspace.models.jobs import DONE, FAILED

# The disagreements of at most so many games are read, since each game takes about a millisecond.
MOST_READ = 20
_ADDS_GAMES = ("import", "measure")


class RecordedSum(Struct, frozen=True):
    """The current verdicts of one period; those of withdrawn games are left out.

    `period` is the index of the period, -1 before the first. `own` of them are of games of the stage, all without one.
    `costed` games have a cost, `cost` is their sum; not summed before the first period.
    """

    period: int
    count: int
    passed: int
    own: int
    costed: int
    cost: Decimal


class Ready(Struct, frozen=True):
    """Games with all evaluations and without a verdict, by number: those to record, and those with a tie to resolve.

    `unread` of those to record were not looked at for ties.
    """

    to_record: list[int]
    tied: list[int]
    unread: int

    @property
    def count(self) -> int:
        return len(self.to_record) + len(self.tied)


class ToDo(Struct, frozen=True, kw_only=True):
    """What waits in a project: `flags` for a lead's answer, imports with faults, jobs that failed.

    `undecided` are the numbers of changes of open stages whose games all have a verdict, and on which nobody has
    decided yet; `unopened` those of iterations with enough games that nobody can rate, because they are not open for
    rating yet.
    """

    ready: Ready
    flags: int
    faulty: int
    failed_jobs: int
    undecided: list[int]
    unopened: list[int]


class ProjectCounts(ToDo, frozen=True, kw_only=True):
    """What a project has, too: `games`, `withdrawn` ones and those `left_out` of the queue are by iteration.

    `taken` games are rated and have no verdict. `adding_jobs` bring or measure games and are not done. `stage` is the
    key of the open stage, `staged` are those of its iterations. `workers` have a game open, or submitted one lately, in
    the order of names, since this is no ranking.
    """

    games: dict[int, int]
    withdrawn: dict[int, int]
    left_out: dict[int, int]
    taken: int
    adding_jobs: int
    stage: int | None
    staged: set[int]
    workers: list["Worker"]


class Worker(NamedTuple):
    """One evaluator: games open, games submitted since the given moment, when they took or submitted one last."""

    name: str
    open: int
    submitted: int
    last_at: datetime


def load_counts(project: Project, since: datetime) -> ProjectCounts:
    """One query; the disagreements of games that several rate are read besides. `since` is for the workers."""
    found = defaultdict[int, list[Any]](list)
    seen = []
    for part, key, one, other, name, last_at in sorted(_count_parts(project.pk, since)):
        if part == _WORKERS:
            seen.append((key, Worker(name, one, other, last_at)))
        found[part].append((key, one, other))
    return ProjectCounts(
        games={key: count for key, count, _none in found[_GAMES]},
        withdrawn={key: count for key, count, _none in found[_WITHDRAWN]},
        left_out={key: count for key, count, _none in found[_LEFT_OUT]},
        taken=sum(count for _project, count, _none in found[_TAKEN]),
        ready=_find_ready(found[_COMPLETE]),
        failed_jobs=sum(count for _project, count, _adding in found[_JOBS]),
        adding_jobs=sum(count for _project, _failed, count in found[_JOBS]),
        flags=len(found[_FLAGS]),
        faulty=len(found[_FAULTY]),
        undecided=[number for number, *_none in found[_UNDECIDED]],
        unopened=[number for number, *_none in found[_UNOPENED]],
        stage=next((key for key, *_none in found[_STAGE]), None),
        staged={key for key, *_none in found[_STAGED]},
        workers=_merge_workers(seen),
    )


def sum_recorded(project: Project, stage: Stage | None, starts: Sequence[datetime]) -> list[RecordedSum]:
    """The current verdicts by period; `starts` are the beginnings of the periods, oldest first."""
    key = stage.pk if stage else 0
    return [
        RecordedSum(period, count, count - failed, own if stage else count, costed, cost or Decimal(0))
        for period, count, failed, own, costed, cost in _recorded(tuple(starts))(project.pk, key)
    ]


def _find_ready(rows: Sequence[tuple[int, int, int]]) -> Ready:
    """The games that wait for a verdict. Those that only one evaluator rates have no ties."""
    shared = [game for game, _number, needed in rows if needed > 1]
    pairs = _find_tied(Game.objects.filter(pk__in=shared[:MOST_READ])) if shared else []
    tied = {number for _game, number in pairs}
    numbers = [number for _game, number, _needed in rows]
    return Ready(
        to_record=[number for number in numbers if number not in tied],
        tied=[number for number in numbers if number in tied],
        unread=max(0, len(shared) - MOST_READ),
    )


def _find_tied(games: "QuerySet[Game]") -> list[tuple[int, int]]:
    """The games, as (key, number), for which a lead must decide before a verdict can be recorded."""
    return [
        (found.game, found.number)
        for found in load_disagreements(games)
        if any(disagreement.is_tie and disagreement.is_open for disagreement in found.disagreements)
    ]


def find_tied(numbers: Mapping[int, Sequence[int]]) -> dict[int, list[int]]:
    """By project, those of its games with these numbers that have a tie; the first MOST_READ shared games are read."""
    wanted = [Q(project=project, number__in=own) for project, own in numbers.items()]
    if not wanted:
        return {}
    shared = Game.objects.filter(reduce(or_, wanted), Q(needed_count=None) | Q(needed_count__gt=1))
    shared = shared.filter(iteration__evaluator_count__gt=1).order_by("pk")
    projects = dict(shared.values_list("pk", "project")[:MOST_READ])
    found: dict[int, list[int]] = defaultdict(list)
    for game, number in _find_tied(Game.objects.filter(pk__in=projects)) if projects else ():
        found[projects[game]].append(number)
    return found


def count_unmeasured(project: Project) -> int:
    """The games without a verdict and without a measurement under their iteration's rubric version; looks at all."""
    recorded = Verdict.objects.filter(game=OuterRef("pk"))
    games = Game.objects.filter(project=project, withdrawn_at=None)
    return games.filter(~Exists(measured_for()), ~Exists(recorded)).count()


def _merge_workers(seen: Sequence[tuple[int, Worker]]) -> list[Worker]:
    """Open and submitted games of one person come as two rows."""
    found: dict[int, Worker] = {}
    for key, one in seen:
        other = found.get(key)
        if other is not None:
            last_at = max(one.last_at, other.last_at)
            one = Worker(one.name, one.open + other.open, one.submitted + other.submitted, last_at)
        found[key] = one
    return sorted(found.values(), key=lambda worker: worker.name.casefold())


def _verdicts_of(project: Any) -> "QuerySet[Verdict]":
    """Verdicts of games that count, without those that a later one supersedes; asks for no row of a game."""
    superseded = Verdict.objects.exclude(supersedes=None).values("supersedes")
    withdrawn = Game.objects.filter(project=project, withdrawn_at__isnull=False).values("pk")
    rows: QuerySet[Verdict] = Verdict.objects.filter(project=project)
    return rows.exclude(pk__in=superseded).exclude(game__in=withdrawn).order_by()


def _period(starts: Sequence[datetime]) -> Case:
    newest_first = reversed(list(enumerate(starts)))
    return Case(*(When(created_at__gte=start, then=Value(at)) for at, start in newest_first))


# The beginnings of periods change once a day.
@lru_cache(maxsize=64)
def _recorded(starts: tuple[datetime, ...]) -> Prepared:
    return Prepared(
        lambda project, stage: _since(project, stage, starts).union(
            _before(project, stage, starts[0]), all=True
        ),
        int,
        int,
    )


_SUMS = ("period", "count", "failed", "own", "costed", "cost")


def _since(project: Any, stage: Any, starts: Sequence[datetime]) -> "QuerySet[Any, Any]":
    rows = _verdicts_of(project).filter(created_at__gte=starts[0])
    return (
        rows.annotate(period=_period(starts))
        .values("period")
        .annotate(
            count=Count("pk"),
            failed=Count("pk", filter=Q(passes=False)),
            own=Count("pk", filter=Q(game__iteration__stage=stage)),
            costed=Count("game__paid_usd"),
            cost=Sum("game__paid_usd"),
        )
        .values_list(*_SUMS)
    )


def _before(project: Any, stage: Any, start: datetime) -> "QuerySet[Any, Any]":
    """What is older than the first period is in one index, without the games and what they cost."""
    rows = _verdicts_of(project).filter(created_at__lt=start)
    return (
        rows.annotate(period=Value(-1))
        .values("period")
        .annotate(
            count=Count("pk"),
            failed=Count("pk", filter=Q(passes=False)),
            own=Count("pk", filter=Q(game__in=Game.objects.filter(iteration__stage=stage).values("pk"))),
            costed=Value(0),
            cost=Value(0, output_field=DecimalField()),
        )
        .values_list(*_SUMS)
    )


def _by_evaluator(project: Any, wanted: Q) -> "QuerySet[Any, Any]":
    """Evaluations of the project; EXISTS, so that SQLite begins with those wanted and not with all games."""
    own = Exists(Game.objects.filter(pk=OuterRef("game"), project=project))
    rows = Evaluation.objects.filter(wanted, own, purpose=RATING).values("evaluator", "evaluator__name")
    opened, submitted = (Count("pk", filter=only) for only in (~Q(state=SUBMITTED), Q(state=SUBMITTED)))
    last_at = Max(Coalesce("submitted_at", "created_at"))
    return select_part(_WORKERS, rows, "evaluator", opened, submitted, "evaluator__name", last_at)


_GAMES, _WITHDRAWN, _TAKEN, _COMPLETE, _JOBS, _FLAGS, _FAULTY, _UNDECIDED, _UNOPENED, _LEFT_OUT = range(10)
_STAGE, _STAGED, _WORKERS = range(10, 13)


@prepared
def _count_parts(project: int, since: datetime) -> "QuerySet[Any, Any]":
    """All that `load_counts` counts: the part, three figures of it, and the name and the moment of a worker."""
    # Erased games count by their verdicts, or are withdrawn: so only the index is read.
    games = Game.with_erased.filter(project=project).values("iteration")
    recorded = Exists(Verdict.objects.filter(game=OuterRef("game")))
    taken = Slot.objects.filter(project=project, purpose=RATING, is_closed=False, evaluator__isnull=False)
    taken = taken.filter(~recorded, game__withdrawn_at=None)
    counting = Exists(Game.objects.filter(pk=OuterRef("game"), project=project, withdrawn_at=None))
    left = QueueDraw.objects.filter(counting, ~recorded, is_in=False)
    staged = Iteration.objects.filter(project=project, stage__closed_at=None, stage__isnull=False)
    jobs = Job.objects.filter(project=project).exclude(state=DONE)
    failed, adding = (Count("pk", filter=only) for only in (Q(state=FAILED), Q(kind__in=_ADDS_GAMES)))
    first, *others = (
        # The first, since PostgreSQL would take moments that are all NULL for texts.
        _by_evaluator(project, Q(state=DRAFT) | Q(state=RETURNED)),
        _part(_GAMES, games, "iteration", Count("pk")),
        _part(_WITHDRAWN, games.filter(withdrawn_at__isnull=False), "iteration", Count("pk")),
        _part(_TAKEN, taken.values("project"), "project", Count("game", distinct=True)),
        _part(_COMPLETE, complete_games(project), "game", F("game__number"), F("needed")),
        _part(_JOBS, jobs.values("project"), "project", failed, adding),
        _part(_FLAGS, query_flags().filter(waits_for_lead(), is_in_project(project)), "pk"),
        _part(_FAULTY, faulty_transcripts(project), "pk"),
        _part(_UNDECIDED, query_undecided(project), "number"),
        _part(_UNOPENED, query_unopened(project), "number"),
        _part(_LEFT_OUT, left.values("game__iteration"), "game__iteration", Count("pk")),
        _part(_STAGE, Stage.objects.filter(project=project, closed_at=None), "pk"),
        _part(_STAGED, staged, "pk"),
        _by_evaluator(project, Q(state=SUBMITTED, submitted_at__gte=since)),
    )
    return first.union(*others, all=True)


def _part(part: int, rows: "QuerySet[Any, Any]", key: str, *figures: Any) -> "QuerySet[Any, Any]":
    nobody, never = Value(""), Value(None, output_field=DateTimeField())
    return select_part(part, rows, key, *(*figures, Value(0), Value(0))[:2], nobody, never)


def query_unopened(project: Any) -> "QuerySet[Iteration, Any]":
    counted = Count("games", filter=Q(games__withdrawn_at=None))
    planned = Iteration.objects.filter(project=project, state=IMPORTING, stage__isnull=False)
    there = planned.filter(stage__closed_at=None).annotate(there=counted).filter(there__gte=F("least_games"))
    return there.order_by("number")
