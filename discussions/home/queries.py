"""What the dashboard of a project counts: summed by the database, in a fixed number of queries."""

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from functools import lru_cache
from typing import Any, NamedTuple

from django.db.models import (
    Case,
    Count,
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
from discussions.core.iteration_states import CHANGE, IMPORTING
from discussions.games.queries.flags import is_in_project, query_flags, waits_for_lead
from discussions.models import Decision, Evaluation, Game, Iteration, Slot, Stage, Verdict
from discussions.models.slots import RATING
from discussions.queries import measured_for
from discussions.verdicts.queries import complete_games, faulty_transcripts
from workspace.database.prepared_queries import Prepared
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


class JobCount(NamedTuple):
    """How many jobs failed, and how many that bring or measure games are not done."""

    failed: int
    adding: int


class Worker(NamedTuple):
    """One evaluator: games open, games submitted since the given moment, when they took or submitted one last."""

    name: str
    open: int
    submitted: int
    last_at: datetime


def count_games(project: Project) -> dict[int, int]:
    return _count_by_iteration(Game.objects.filter(project=project))


def count_withdrawn(project: Project) -> dict[int, int]:
    return _count_by_iteration(Game.objects.filter(project=project, withdrawn_at__isnull=False))


def _count_by_iteration(games: "QuerySet[Game]") -> dict[int, int]:
    return dict(games.order_by().values_list("iteration").annotate(Count("pk")))


def sum_recorded(project: Project, stage: Stage | None, starts: Sequence[datetime]) -> list[RecordedSum]:
    """The current verdicts by period; `starts` are the beginnings of the periods, oldest first."""
    key = stage.pk if stage else 0
    return [
        RecordedSum(period, count, count - failed, own if stage else count, costed, cost or Decimal(0))
        for period, count, failed, own, costed, cost in _recorded(tuple(starts))(project.pk, key)
    ]


def count_taken(project: Project) -> int:
    """How many games without a verdict are being rated."""
    taken = Slot.objects.filter(
        ~Exists(Verdict.objects.filter(game=OuterRef("game"))),
        project=project,
        purpose=RATING,
        is_closed=False,
        evaluator__isnull=False,
        game__withdrawn_at=None,
    )
    return int(taken.aggregate(count=Count("game", distinct=True))["count"])


def find_ready(project: Project) -> Ready:
    """The games that wait for a verdict. Those that only one evaluator rates have no ties."""
    rows = complete_games(project).values_list("game", "game__number", "needed")
    shared = [game for game, _number, needed in rows if needed > 1]
    tied = set(_find_tied(Game.objects.filter(pk__in=shared[:MOST_READ]))) if shared else set()
    numbers = [number for _game, number, _needed in rows]
    return Ready(
        to_record=[number for number in numbers if number not in tied],
        tied=[number for number in numbers if number in tied],
        unread=max(0, len(shared) - MOST_READ),
    )


def _find_tied(games: "QuerySet[Game]") -> list[int]:
    """The numbers of games for which a lead must decide before a verdict can be recorded."""
    return [
        found.number
        for found in load_disagreements(games)
        if any(disagreement.is_tie and disagreement.is_open for disagreement in found.disagreements)
    ]


def count_jobs(project: Project) -> JobCount:
    jobs = Job.objects.filter(project=project).exclude(state=DONE).order_by()
    rows = jobs.values_list("kind", "state").annotate(count=Count("pk"))
    return JobCount(
        failed=sum(count for _kind, state, count in rows if state == FAILED),
        adding=sum(count for kind, _state, count in rows if kind in _ADDS_GAMES),
    )


def count_flags(project: Project) -> int:
    return query_flags().filter(waits_for_lead(), is_in_project(project)).count()


def find_undecided(project: Project) -> list[int]:
    """The numbers of changes of open stages whose games all have a verdict, and on which nobody has decided yet."""
    return list(query_undecided(project).values_list("number", flat=True))


def find_unopened(project: Project) -> list[int]:
    """The numbers of iterations with enough games that nobody can rate, because they are not open for rating yet."""
    return list(query_unopened(project).values_list("number", flat=True))


def count_faulty(project: Project) -> int:
    return faulty_transcripts(project).count()


def count_unmeasured(project: Project) -> int:
    """The games without a verdict and without a measurement under their iteration's rubric version; looks at all."""
    recorded = Verdict.objects.filter(game=OuterRef("pk"))
    games = Game.objects.filter(project=project, withdrawn_at=None)
    return games.filter(~Exists(measured_for()), ~Exists(recorded)).count()


def list_workers(project: Project, since: datetime) -> list[Worker]:
    """Who has a game open or submitted one since then, in the order of names, since this is no ranking."""
    found: dict[int, Worker] = {}
    for key, *figures in _workers(since)(project.pk):
        one, other = Worker(*figures), found.get(key)
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


@lru_cache(maxsize=8)
def _workers(since: datetime) -> Prepared:
    is_open = Q(state=DRAFT) | Q(state=RETURNED)
    is_new = Q(state=SUBMITTED, submitted_at__gte=since)
    return Prepared(
        lambda project: _by_evaluator(project, is_open).union(_by_evaluator(project, is_new), all=True), int
    )


def _by_evaluator(project: Any, wanted: Q) -> "QuerySet[Any, Any]":
    """Evaluations of the project; EXISTS, so that SQLite begins with those wanted and not with all games."""
    own = Exists(Game.objects.filter(pk=OuterRef("game"), project=project))
    return (
        Evaluation.objects.filter(wanted, own, purpose=RATING)
        .order_by()
        .values("evaluator", "evaluator__name")
        .annotate(
            open=Count("pk", filter=~Q(state=SUBMITTED)),
            submitted=Count("pk", filter=Q(state=SUBMITTED)),
            last=Max(Coalesce("submitted_at", "created_at")),
        )
        .values_list("evaluator", "evaluator__name", "open", "submitted", "last")
    )


def query_undecided(project: Any) -> "QuerySet[Iteration, Any]":
    games = Game.objects.filter(iteration=OuterRef("pk"), withdrawn_at=None)
    recorded = Verdict.objects.filter(
        game=OuterRef("pk"), rubric_version=OuterRef("iteration__rubric_version")
    )
    changes = Iteration.objects.filter(
        ~Exists(Decision.objects.filter(iteration=OuterRef("pk"))),
        Exists(games),
        ~Exists(games.filter(~Exists(recorded))),
        project=project,
        kind=CHANGE,
        stage__closed_at=None,
        opened_at__isnull=False,
    )
    return changes.order_by("number")


def query_unopened(project: Any) -> "QuerySet[Iteration, Any]":
    counted = Count("games", filter=Q(games__withdrawn_at=None))
    planned = Iteration.objects.filter(project=project, state=IMPORTING, stage__isnull=False)
    there = planned.filter(stage__closed_at=None).annotate(there=counted).filter(there__gte=F("least_games"))
    return there.order_by("number")
