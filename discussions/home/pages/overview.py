"""The overview of a project: its stages with their streaks, what waits for evaluators, and their pace."""

from collections import defaultdict
from datetime import date, datetime, time

from django.db.models import Count, Q
from django.utils import timezone
from django.utils.translation import gettext as _
from msgspec import Struct

from discussions.core.evaluation_states import OPEN, SKIPPED, SUBMITTED
from discussions.iterations.core.gates import GateStatus
from discussions.iterations.permissions import check_open_stage
from discussions.iterations.queries import load_gate
from discussions.models import Evaluation, Iteration, Slot, Stage
from discussions.models.slots import RATING
from discussions.queue.core import Pace, compute_pace, first_monday, format_duration
from discussions.reliability.queries import rating_agreement
from discussions.verdicts.queries import complete_games
from workspace.access.permissions import get_refusal
from workspace.models import Person, Project


class StageLine(Struct, frozen=True):
    """One stage with its gate, and its iterations; `game_count` counts their games."""

    stage: Stage
    gate: GateStatus
    unit: str
    iterations: list[Iteration]
    game_count: int


class WaitingLine(Struct, frozen=True):
    """The unfinished games of one iteration: free for evaluators, started, or submitted without a verdict."""

    iteration: Iteration
    free: int
    started: int
    complete: int


class WeekLine(Struct, frozen=True):
    """One week; `share` is its count in percent of the fullest one's."""

    monday: date
    count: int
    share: int
    time: str


class MemberWork(Struct, frozen=True):
    """What one evaluator did in these weeks, in numbers."""

    name: str
    submitted: int
    started: int
    skipped: int


class OverviewPage(Struct, frozen=True):
    """Everything on the page. `agreement` is "" where no game is for several evaluators."""

    stages: list[StageLine]
    stage_refusal: str
    waiting: list[WaitingLine]
    free_count: int
    complete_count: int
    weeks: list[WeekLine]
    week_count: int
    submitted: int
    time: str
    people: list[MemberWork]
    agreement: str


def build_overview_page(*, project: Project, person: Person, now: datetime) -> OverviewPage:
    """The page: a fixed number of queries, and seven more while games of the open stage wait for a verdict."""
    rows = Iteration.objects.filter(project=project).select_related("stage").defer("prompt")
    iterations = list(rows.order_by("number"))
    waiting = _waiting(project, iterations)
    since = first_monday(timezone.localdate(now))
    evaluations = _evaluations(project, since)
    pace = _pace(evaluations, timezone.localdate(now))
    return OverviewPage(
        stages=_stages(project, iterations),
        stage_refusal=get_refusal(check_open_stage, person, project),
        waiting=waiting,
        free_count=sum(line.free for line in waiting),
        complete_count=sum(line.complete for line in waiting),
        weeks=_weeks(pace),
        week_count=len(pace.weeks),
        submitted=pace.count,
        time=format_duration(pace.minutes),
        people=_people(evaluations),
        agreement=_agreement(project)
        if any(iteration.evaluator_count > 1 for iteration in iterations)
        else "",
    )


def _stages(project: Project, iterations: list[Iteration]) -> list[StageLine]:
    """The newest first. At most one is open; the gates of the others are stored with them."""
    counted = Count("iterations__games", filter=Q(iterations__games__withdrawn_at=None))
    rows = Stage.objects.filter(project=project).select_related("stated_by", "project").order_by("-number")
    lines = []
    for stage in rows.annotate(game_count=counted):
        gate = load_gate(stage)
        own = [iteration for iteration in iterations if iteration.stage_id == stage.pk]
        unit = _("iterations") if gate.streak.unit == "iteration" else _("games")
        lines.append(StageLine(stage, gate, unit, own, stage.game_count))
    return lines


def _waiting(project: Project, iterations: list[Iteration]) -> list[WaitingLine]:
    """The iterations with unfinished games, in order."""
    open_slots = Slot.objects.filter(game__project=project, game__withdrawn_at=None, purpose=RATING)
    by_iteration = open_slots.filter(is_closed=False).order_by().values("game__iteration")
    counted = by_iteration.annotate(
        free=Count("game", distinct=True, filter=Q(evaluator=None)),
        started=Count("game", distinct=True, filter=Q(evaluator__isnull=False)),
    )
    free = {
        key: (free, started)
        for key, free, started in counted.values_list("game__iteration", "free", "started")
    }
    complete = _complete(project)
    return [
        WaitingLine(iteration, *counts, complete.get(iteration.pk, 0))
        for iteration in iterations
        if any(counts := free.get(iteration.pk, (0, 0))) or iteration.pk in complete
    ]


def _complete(project: Project) -> dict[int, int]:
    """Iteration -> how many of its games have all evaluations but no verdict."""
    found: dict[int, int] = defaultdict(int)
    for key in complete_games(project).values_list("game__iteration", flat=True):
        found[key] += 1
    return dict(found)


class _Row(Struct, frozen=True):
    """One evaluation."""

    person: int
    name: str
    state: str
    taken_at: datetime
    submitted_at: datetime | None


def _evaluations(project: Project, since: date) -> list[_Row]:
    """Evaluations submitted, skipped or started since that day, and all open ones."""
    start = timezone.make_aware(datetime.combine(since, time.min))
    rows = Evaluation.objects.filter(game__project=project, purpose=RATING)
    wanted = rows.filter(Q(state__in=OPEN) | Q(submitted_at__gte=start) | Q(created_at__gte=start))
    columns = ("evaluator", "evaluator__name", "state", "created_at", "submitted_at")
    return [_Row(*row) for row in wanted.values_list(*columns)]


def _pace(rows: list[_Row], today: date) -> Pace:
    done = [
        (timezone.localtime(row.taken_at), timezone.localtime(row.submitted_at))
        for row in rows
        if row.state == SUBMITTED and row.submitted_at
    ]
    return compute_pace(done, today)


def _weeks(pace: Pace) -> list[WeekLine]:
    return [
        WeekLine(
            week.monday, week.count, round(100 * week.count / (pace.most or 1)), format_duration(week.minutes)
        )
        for week in pace.weeks
    ]


def _people(rows: list[_Row]) -> list[MemberWork]:
    """The people in the order of names, since this is no ranking."""
    by_person: dict[tuple[str, int], list[_Row]] = defaultdict(list)
    for row in rows:
        by_person[row.name.casefold(), row.person].append(row)
    return [
        MemberWork(
            evaluations[0].name,
            submitted=sum(row.state == SUBMITTED for row in evaluations),
            started=sum(row.state in OPEN for row in evaluations),
            skipped=sum(row.state == SKIPPED for row in evaluations),
        )
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
