"""The dashboard of a project for its leads: its progress, what is to do, and the trend of verdicts and costs."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal

from django.db.models import QuerySet
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from msgspec import Struct

from discussions.home.core import GoalEstimate, Periods, divide_time, estimate_end, link_known
from discussions.home.queries import (
    Ready,
    RecordedSum,
    Worker,
    count_unmeasured,
    list_workers,
    load_counts,
    sum_recorded,
)
from discussions.iterations.core.gates import GateStatus
from discussions.iterations.queries import load_gate
from discussions.models import Decision, Iteration, Stage
from workspace.database.prepared_queries import prepared
from workspace.display.core.charts import Segment, share_bar
from workspace.display.core.multiples import Axis, Column, Multiple, Point, compute_scale, multiple
from workspace.models import Project

WORKED_WITHIN = timedelta(days=7)
# The gate reads every game of its stage; of larger stages the dashboard links to it.
MOST_GATED = 200
# Fewer verdicts than these in a period are drawn as a ring.
FEW = 5


class GameStates(Struct, frozen=True):
    """The games that count by state, as the list of games has them; `withdrawn` ones are in no other count.

    `complete` games have all evaluations and no verdict.
    """

    total: int
    measuring: int
    rating: int
    complete: int
    passed: int
    failed: int
    withdrawn: int

    @property
    def recorded(self) -> int:
        return self.passed + self.failed

    @property
    def waiting(self) -> int:
        return max(0, self.total - self.recorded - self.complete - self.rating - self.measuring)


class ToDo(Struct, frozen=True):
    """What needs a lead.

    `undecided` are numbers of changes that wait for a decision, `unopened` of iterations to open for rating.
    """

    ready: Ready
    flag_count: int
    faulty_count: int
    failed_count: int
    undecided: list[int]
    unopened: list[int]

    @property
    def is_empty(self) -> bool:
        counts = (
            self.ready.count,
            self.flag_count,
            self.faulty_count,
            self.failed_count,
            len(self.undecided),
            len(self.unopened),
        )
        return not any(counts)


class GoalProgress(Struct, frozen=True):
    """How many games of the open stage, or of the project without one, have a verdict.

    `gate` is None without a stage and where it was not computed.
    """

    stage: Stage | None
    total: int
    recorded: int
    estimate: GoalEstimate
    gate: GateStatus | None
    gate_unit: str


class TrendRow(Struct, frozen=True):
    """The verdicts of one period; `rate` is in percent. Figures are None, and texts "", where there is none."""

    start: date
    count: int
    passed: int
    rate: float | None
    cost: Decimal | None
    costed: int


class Trend(Struct, frozen=True):
    """Pass rate and mean cost of a game by the day or week of the verdict.

    `before` verdicts are older than the first period. A chart is None with fewer than two periods to draw.
    """

    unit: str
    rows: list[TrendRow]
    before: int
    rate: Multiple | None
    cost: Multiple | None


class DashboardPage(Struct, frozen=True):
    states: GameStates
    parts: list[Segment]
    to_do: ToDo
    progress: GoalProgress
    trend: Trend
    workers: list[Worker]
    decision: Decision | None


def build_dashboard(*, project: Project, now: datetime) -> DashboardPage:
    """The page: a fixed number of queries, a few more for a gate, for ties and while games are measured."""
    today = timezone.localdate(now)
    periods = divide_time(timezone.localdate(project.created_at), today)
    stage = next(iter(_open_stage(project.pk)), None)
    recorded = sum_recorded(project, stage, [_midnight(start) for start in periods.starts])
    found = load_counts(project)
    left_out, passed = sum(found.withdrawn.values()), sum(line.passed for line in recorded)
    states = GameStates(
        total=sum(found.games.values()) - left_out,
        measuring=count_unmeasured(project) if found.adding_jobs else 0,
        rating=found.taken,
        complete=found.ready.count,
        passed=passed,
        failed=sum(line.count for line in recorded) - passed,
        withdrawn=left_out,
    )
    counted = {key: count - found.withdrawn.get(key, 0) for key, count in found.games.items()}
    return DashboardPage(
        states=states,
        parts=_parts(states),
        to_do=ToDo(
            ready=found.ready,
            flag_count=found.flags,
            faulty_count=found.faulty,
            failed_count=found.failed_jobs,
            undecided=found.undecided,
            unopened=found.unopened,
        ),
        progress=_progress(stage, counted, recorded, periods, today),
        trend=_trend(periods, recorded),
        workers=list_workers(project, _midnight(today - WORKED_WITHIN)),
        decision=next(iter(_newest_decision(project.pk)), None),
    )


@prepared
def _open_stage(project: int) -> "QuerySet[Stage]":
    return (
        Stage.objects.filter(project=project, closed_at=None).select_related("stated_by").order_by("pk")[:1]
    )


@prepared
def _newest_decision(project: int) -> "QuerySet[Decision]":
    decisions = Decision.objects.not_superseded().filter(iteration__project=project)
    fields = ("choice", "reason", "created_at", "iteration__number", "iteration__name", "created_by__name")
    return decisions.select_related("iteration", "created_by").only(*fields).order_by("-pk")[:1]


def _midnight(day: date) -> datetime:
    return timezone.make_aware(datetime.combine(day, time.min))


def _parts(states: GameStates) -> list[Segment]:
    """The games as parts of one bar; none without games."""
    if not states.total:
        return []
    counts = (
        (_("PASS"), states.passed),
        (_("FAIL"), states.failed),
        (_("Submitted, no verdict"), states.complete),
        (_("Being rated"), states.rating),
        (_("Waiting for an evaluator"), states.waiting),
        (_("Being measured"), states.measuring),
    )
    whole = max(states.total, sum(count for _label, count in counts))
    return share_bar([(label, str(count), count / whole) for label, count in counts])


def _progress(
    stage: Stage | None, games: Mapping[int, int], recorded: list[RecordedSum], periods: Periods, today: date
) -> GoalProgress:
    own = set(games)
    if stage is not None:
        own = set(Iteration.objects.filter(stage=stage).values_list("pk", flat=True))
    by_period = {line.period: line.own for line in recorded}
    total, done = sum(games.get(key, 0) for key in own), sum(by_period.values())
    gate = load_gate(stage) if stage is not None and total <= MOST_GATED else None
    gate_unit = ""
    if gate is not None:
        gate_unit = _("iterations") if gate.streak.unit == "iteration" else _("games")
    return GoalProgress(
        stage=stage,
        total=total,
        recorded=done,
        estimate=estimate_end(left=total - done, done=by_period, periods=periods, today=today),
        gate=gate,
        gate_unit=gate_unit,
    )


def _trend(periods: Periods, recorded: Iterable[RecordedSum]) -> Trend:
    by_period = {line.period: line for line in recorded}
    rows = [_trend_row(start, by_period.get(at)) for at, start in enumerate(periods.starts)]
    costs = [None if row.cost is None else float(row.cost) for row in rows]
    known = [cost for cost in costs if cost is not None]
    rates = [row.rate for row in rows]
    return Trend(
        unit=periods.unit,
        rows=rows,
        before=by_period[-1].count if -1 in by_period else 0,
        rate=_chart(rows, rates, [row.count for row in rows], Axis(0, 100, 25)),
        cost=_chart(
            rows,
            costs,
            [row.costed for row in rows],
            compute_scale([0.0, *known], step=0.5, least=1.0, lowest=0.0),
        ),
    )


def _trend_row(start: date, line: RecordedSum | None) -> TrendRow:
    if line is None:
        return TrendRow(start, count=0, passed=0, rate=None, cost=None, costed=0)
    return TrendRow(
        start=start,
        count=line.count,
        passed=line.passed,
        rate=100 * line.passed / line.count,
        cost=line.cost / line.costed if line.costed else None,
        costed=line.costed,
    )


def _chart(
    rows: Sequence[TrendRow], values: Sequence[float | None], counts: Sequence[int], scale: Axis
) -> Multiple | None:
    """A dot for each period with verdicts, in a line; None with fewer than two."""
    if sum(value is not None for value in values) < 2:
        return None
    origins = link_known(values)
    return multiple(
        [
            Column(
                label=date_format(row.start, "j M"),
                values=[] if value is None else [Point(at, value, is_hollow=count < FEW)],
                mean=value,
                origin=origin,
            )
            for at, (row, value, count, origin) in enumerate(zip(rows, values, counts, origins, strict=True))
        ],
        scale,
    )
