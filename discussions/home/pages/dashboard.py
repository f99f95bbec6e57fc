"""The dashboard of a project for its leads: what to do now, the games by state, and the metrics, weakest first."""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from msgspec import Struct

from discussions.home.core import GoalEstimate, Periods, divide_time, draw_spark, estimate_end, place_columns
from discussions.home.queries import (
    Ready,
    RecordedSum,
    ToDo,
    Worker,
    count_unmeasured,
    load_counts,
    sum_recorded,
)
from discussions.iterations.core.averages import Average
from discussions.iterations.core.gates import GateStatus
from discussions.iterations.core.history import History
from discussions.iterations.pages import (
    JudgedIteration,
    compute_margins,
    find_rated,
    format_figure,
    is_given_up,
    judge_iteration,
    margin_text,
    target_label,
)
from discussions.iterations.queries import load_gate, load_history
from discussions.metrics.core.registry import METRICS
from discussions.metrics.labels import limit_text
from discussions.models import Stage
from workspace.database.unions import MOST_COUNTED
from workspace.display.core.number_lists import format_numbers
from workspace.models import Project

WORKED_WITHIN = timedelta(days=7)
# The gate reads every game of its stage; of larger stages the dashboard links to it.
MOST_GATED = 200
# How many iterations a line of a metric shows.
MOST_DRAWN = 6


class GameStates(Struct, frozen=True):
    """The games that count by state, as the list of games has them.

    `withdrawn` ones, and those `left_out` of the queue, are in no other count.

    `complete` games have all evaluations and no verdict.
    """

    total: int
    measuring: int
    rating: int
    complete: int
    passed: int
    failed: int
    withdrawn: int
    left_out: int

    @property
    def recorded(self) -> int:
        return self.passed + self.failed

    @property
    def waiting(self) -> int:
        return max(0, self.total - self.recorded - self.complete - self.rating - self.measuring)


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
    """The verdicts by the day or week in which they were recorded; `before` are older than the first period."""

    unit: str
    rows: list[TrendRow]
    before: int


class DashboardPage(Struct, frozen=True):
    """`acts` are what a lead can do now, most urgent first: headline, reason, button and address of each.

    `metrics` are the rows of the table, weakest first, and `columns` the iterations of their lines with their places.
    """

    states: GameStates
    parts: list[tuple[str, int, str]]
    to_do: ToDo
    acts: list[dict[str, str]]
    progress: GoalProgress
    metrics: list[dict[str, Any]]
    columns: list[tuple[int, float]]
    trend: Trend
    workers: list[Worker]


def build_dashboard(*, project: Project, now: datetime) -> DashboardPage:
    """The page: a fixed number of queries, a few more for a gate, for ties and while games are measured."""
    periods = divide_time(timezone.localdate(project.created_at), today := timezone.localdate(now))
    found = load_counts(project, _midnight(today - WORKED_WITHIN))
    stage = None if found.stage is None else Stage.objects.get(pk=found.stage)
    recorded = sum_recorded(project, stage, [_midnight(start) for start in periods.starts])
    passed, aside = sum(line.passed for line in recorded), Counter(found.withdrawn) + Counter(found.left_out)
    states = GameStates(
        total=sum(found.games.values()) - aside.total(),
        measuring=count_unmeasured(project) if found.adding_jobs else 0,
        rating=found.taken,
        complete=found.ready.count,
        passed=passed,
        failed=sum(line.count for line in recorded) - passed,
        withdrawn=sum(found.withdrawn.values()),
        left_out=sum(found.left_out.values()),
    )
    counted = {key: count - aside[key] for key, count in found.games.items()}
    own_count = sum(count for key, count in counted.items() if stage is None or key in found.staged)
    history = load_history(stage) if stage is not None and own_count <= MOST_GATED else None
    judged = [judge_iteration(row) for row in history.iterations] if history else []
    metrics, columns = _metrics(judged)
    return DashboardPage(
        states=states,
        parts=_parts(states),
        to_do=found,
        acts=_acts(project.slug, found, states, stage, judged),
        progress=_progress(stage, history, own_count, recorded, periods, today),
        metrics=metrics,
        columns=columns,
        trend=_trend(periods, recorded),
        workers=found.workers,
    )


def _midnight(day: date) -> datetime:
    return timezone.make_aware(datetime.combine(day, time.min))


def _parts(states: GameStates) -> list[tuple[str, int, str]]:
    """The games as parts of one bar: the state as the list of games filters by it, the count, and its word."""
    parts = [
        ("pass", states.passed, _("pass")),
        ("fail", states.failed, _("fail")),
        ("waiting", states.waiting, _("to rate")),
        ("rating", states.rating, _("being rated")),
        ("submitted", states.complete, _("to record")),
        ("measuring", states.measuring, _("being measured")),
    ]
    return [part for part in parts if part[1]]


def _act(says: str, why: str, label: str, short: str, url: str) -> dict[str, str]:
    return {"says": says, "why": why, "label": label, "short": short, "url": url}


def _acts(
    slug: str, to_do: ToDo, states: GameStates, stage: Stage | None, judged: Sequence[JudgedIteration]
) -> list[dict[str, str]]:
    """Decide, record, resolve, open, answer, repair; where nothing of that waits, rate, plan or import."""
    if acts := list_acts(slug, to_do, judged):
        return acts
    if left := states.waiting + states.rating:
        says = ngettext("%(count)d game waits for its rating", "%(count)d games wait for their rating", left)
        under_way = ngettext(
            "%(count)d of them is being rated.", "%(count)d of them are being rated.", states.rating
        )
        why = under_way % {"count": states.rating} if states.rating else _("Nobody rates one now.")
        assign = _("Assign games"), _("Assign"), reverse("team", args=[slug])
        return [_act(says % {"count": left}, why, *assign)]
    bring = _("Import games"), _("Import"), reverse("imports", args=[slug])
    if states.measuring:
        return [_act(_("The games are being measured"), _("They can be rated in a moment."), *bring)]
    if not states.total:
        why = _("Import transcripts. They are measured at once, and evaluators can start.")
        return [_act(_("No games yet"), why, *bring)]
    if stage is None:
        return [_act(_("Every game has its verdict"), "", *bring)]
    plan = _("Plan the next iteration"), _("Plan"), reverse("open_iteration", args=[slug, stage.number])
    return [_act(_("Every game has its verdict"), "", *plan)]


def list_acts(slug: str, to_do: ToDo, judged: Sequence[JudgedIteration] = ()) -> list[dict[str, str]]:
    """What waits for a lead: decide, record, resolve, open, answer, repair."""
    acts = [_decide(slug, number, judged) for number in to_do.undecided]
    return [*acts, *list_verdict_acts(slug, to_do.ready), *_other_acts(slug, to_do)]


def say_number(count: int) -> str:
    return _("100 or more") if count >= MOST_COUNTED else str(count)


def _decide(slug: str, number: int, judged: Sequence[JudgedIteration]) -> dict[str, str]:
    change = next((side for side in judged if side.row.number == number), None)
    before = change and next((side for side in judged if side.row.id == change.row.compared_with), None)
    return _act(
        _("Iteration %(number)d waits for your decision") % {"number": number},
        _describe_target(before, change) if before and change else _("All its games have a verdict."),
        _("Decide iteration %(number)d") % {"number": number},
        _("Decide"),
        reverse("compare_iterations", args=[slug, number]),
    )


def _describe_target(before: JudgedIteration, change: JudgedIteration) -> str:
    """The means of the target as they are, without a word on chance: the comparison has that."""
    lines = [
        line for side in (before, change) for line in side.averages.lines if line.key == change.row.target
    ]
    if len(lines) < 2 or lines[0].value is None or lines[1].value is None:
        return _("All its games have a verdict.")
    was, now = (format_figure(line.value or 0.0, line.threshold) for line in lines)
    given = {"label": target_label(change.rubric, change.row.target), "now": now, "was": was}
    return _("%(label)s, its target: %(now)s on average, %(was)s before.") % given


def list_verdict_acts(slug: str, ready: Ready) -> list[dict[str, str]]:
    """Record, and resolve ties."""
    acts = []
    if numbers := ready.to_record:
        says = ngettext(
            "%(count)s game is ready to record", "%(count)s games are ready to record", len(numbers)
        )
        why = _describe_few(numbers)
        if ready.unread:
            unread = ngettext(
                "%(count)d was not checked for ties.", "%(count)d were not checked for ties.", ready.unread
            )
            why = f"{why} {unread % {'count': ready.unread}}"
        label = _("Record game %(number)d") % {"number": numbers[0]}
        url = reverse("verdict", args=[slug, numbers[0]])
        acts.append(_act(says % {"count": say_number(len(numbers))}, why, label, _("Record"), url))
    if numbers := ready.tied:
        says = ngettext(
            "%(count)d game has a tie to resolve", "%(count)d games have ties to resolve", len(numbers)
        )
        url = reverse("packet", args=[slug])
        if len(numbers) == 1:
            url = reverse("adjudicate", args=[slug, numbers[0]])
        why, short = _describe_few(numbers), _("Resolve")
        acts.append(_act(says % {"count": len(numbers)}, why, _("Resolve the ties"), short, url))
    return acts


def _describe_few(numbers: Sequence[int]) -> str:
    given = {"games": format_numbers(numbers[:5])}
    return (_("Rated: %(games)s, …") if len(numbers) > 5 else _("Rated: %(games)s.")) % given


def _other_acts(slug: str, to_do: ToDo) -> list[dict[str, str]]:
    acts = [
        _act(
            _("Iteration %(number)d has its games and waits to be opened for rating") % {"number": number},
            _("Nobody can rate them before."),
            _("Open iteration %(number)d") % {"number": number},
            _("Open"),
            reverse("iteration", args=[slug, number]),
        )
        for number in to_do.unopened
    ]
    flags = ngettext("%(count)s flag waits for an answer", "%(count)s flags wait for an answer", to_do.flags)
    faulty = ngettext(
        "%(count)s import has faults or waits for an answer",
        "%(count)s imports have faults or wait for an answer",
        to_do.faulty,
    )
    failed = ngettext("%(count)s job failed", "%(count)s jobs failed", to_do.failed_jobs)
    counted = (
        (to_do.flags, flags, _("Answer the flags"), _("Answer"), reverse("flags", args=[slug])),
        (to_do.faulty, faulty, _("Check the imports"), _("Check"), reverse("imports", args=[slug])),
        (to_do.failed_jobs, failed, _("See why"), _("See why"), f"{reverse('status')}#failed"),
    )
    return acts + [
        _act(says % {"count": say_number(count)}, "", *rest) for count, says, *rest in counted if count
    ]


def _metrics(judged: Sequence[JudgedIteration]) -> tuple[list[dict[str, Any]], list[tuple[int, float]]]:
    """A row a metric, weakest first, with its means in the last iterations, and these with their places.

    `now` and the margin are of the newest iteration that is rated in full and was not given up, which is always drawn;
    no rows without one.
    """
    drawn = [side for side in judged if any(line.passes is not None for line in side.averages.lines)]
    rated, drawn = find_rated(judged), drawn[-MOST_DRAWN:]
    if rated and rated not in drawn:
        drawn[0] = rated
    now = {"iteration": rated.row.number if rated else 0}
    rows = [_metric_row(*each, drawn) | now for each in compute_margins(judged)]
    return rows, [(side.row.number, x) for side, x in zip(drawn, place_columns(len(drawn)), strict=True)]


def _metric_row(now: Average, margin: float, drawn: Sequence[JudgedIteration]) -> dict[str, Any]:
    needed = now.threshold
    sides = [side.averages.lines for side in drawn]
    means = [
        next((line.value for line in lines if line.key == now.key and line.passes is not None), None)
        for lines in sides
    ]
    return {
        "label": now.label,
        "texts": ", ".join("–" if mean is None else format_figure(mean, needed) for mean in means),
        "spark": draw_spark(means, [not is_given_up(side.row) for side in drawn], needed),
        "now": format_figure(now.value or 0.0, needed) + METRICS[now.key].scale.symbol,
        "needed": limit_text(now.key, needed),
        "margin": margin_text(margin),
        "margin_value": margin,
    }


def _progress(
    stage: Stage | None,
    history: History | None,
    total: int,
    recorded: list[RecordedSum],
    periods: Periods,
    today: date,
) -> GoalProgress:
    by_period = {line.period: line.own for line in recorded}
    done = sum(by_period.values())
    gate = load_gate(stage, history) if stage is not None and history is not None else None
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
    return Trend(unit=periods.unit, rows=rows, before=by_period[-1].count if -1 in by_period else 0)


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
