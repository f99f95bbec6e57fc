"""The overview of a project: its stages with their rows of successes, what waits for evaluators, and their pace."""

from collections import defaultdict
from datetime import date, datetime, time

import msgspec
from django.db.models import Count, Q
from django.utils import timezone
from django.utils.translation import gettext as _
from msgspec import Struct

from discussions.core.evaluation_states import OPEN, SKIPPED, SUBMITTED
from discussions.gates.core import GateStatus
from discussions.gates.permissions import check_open_stage
from discussions.gates.queries import compute_stage_gate
from discussions.iterations.queries import load_history
from discussions.models import Evaluation, Iteration, Slot, Stage
from discussions.models.slots import RATING
from discussions.queue.core import Pace, compute_pace, first_monday, format_duration
from discussions.reliability.queries import rating_agreement
from discussions.verdicts.queries import complete_games
from workspace.access.permissions import get_refusal
from workspace.models import Person, Project


class StageLine(Struct, frozen=True):
    """One stage. `count` of `needed` successes make its row, `says` tells of it; `missing` keeps the door shut."""

    number: int
    name: str
    goal: str
    opened_at: datetime
    closed_at: datetime | None
    count: int
    needed: int
    unit: str
    says: str
    is_gate_open: bool
    is_by_override: bool
    missing: list[str]
    iteration_count: int
    game_count: int
    newest: int
    newest_name: str

    @property
    def marks(self) -> list[bool]:
        """A mark for each success that is needed, whether it is there."""
        return [place < self.count for place in range(self.needed)]


class WaitingLine(Struct, frozen=True):
    """The games of one iteration that are not through: free for evaluators, begun, or handed in without a verdict."""

    iteration: int
    name: str
    stage: int | None
    key: int
    free: int
    begun: int
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
    handed_in: int
    begun: int
    skipped: int


class OverviewPage(Struct, frozen=True):
    """Everything on the page. `agreement` is "" where no game is for several evaluators."""

    slug: str
    stages: list[StageLine]
    stage_refusal: str
    waiting: list[WaitingLine]
    free_count: int
    complete_count: int
    weeks: list[WeekLine]
    week_count: int
    handed_in: int
    time: str
    people: list[MemberWork]
    agreement: str


def build_overview_page(*, project: Project, person: Person, now: datetime) -> OverviewPage:
    """The page: a fixed number of queries, and seven more while games of the open stage wait for a verdict."""
    iterations = _iterations(project)
    waiting = _waiting(project, iterations)
    since = first_monday(timezone.localdate(now))
    rows = _evaluations(project, since)
    pace = _pace(rows, timezone.localdate(now))
    return OverviewPage(
        slug=project.slug,
        stages=_stages(project, iterations),
        stage_refusal=get_refusal(check_open_stage, person, project),
        waiting=waiting,
        free_count=sum(line.free for line in waiting),
        complete_count=sum(line.complete for line in waiting),
        weeks=_weeks(pace),
        week_count=len(pace.weeks),
        handed_in=pace.count,
        time=format_duration(pace.minutes),
        people=_people(rows),
        agreement=_agreement(project)
        if any(iteration.evaluator_count > 1 for iteration in iterations)
        else "",
    )


class _Iteration(Struct, frozen=True):
    """An iteration as its row has it, with how many games count in it."""

    key: int
    number: int
    name: str
    stage: int | None
    evaluator_count: int
    game_count: int


def _iterations(project: Project) -> list[_Iteration]:
    counted = Count("games", filter=Q(games__withdrawn_at=None))
    rows = Iteration.objects.filter(project=project).annotate(game_count=counted).order_by("number")
    columns = ("pk", "number", "name", "stage__number", "evaluator_count", "game_count")
    return [_Iteration(*row) for row in rows.values_list(*columns)]


def _stages(project: Project, iterations: list[_Iteration]) -> list[StageLine]:
    """The newest first. At most one is open; how the door of the others stood is stored with them."""
    rows = Stage.objects.filter(project=project).select_related("stated_by", "project").order_by("-number")
    return [
        _stage(stage, [iteration for iteration in iterations if iteration.stage == stage.number])
        for stage in rows
    ]


def _stage(stage: Stage, iterations: list[_Iteration]) -> StageLine:
    door = (
        msgspec.json.decode(stage.door, type=GateStatus)
        if stage.door
        else compute_stage_gate(stage, load_history(stage))
    )
    newest = iterations[-1] if iterations else None
    return StageLine(
        number=stage.number,
        name=stage.name,
        goal=stage.goal,
        opened_at=stage.created_at,
        closed_at=stage.closed_at,
        count=door.streak.count,
        needed=door.streak.needed,
        unit=_("iterations") if door.streak.unit == "iteration" else _("games"),
        says=door.streak.says,
        is_gate_open=door.is_open,
        is_by_override=door.is_by_override,
        missing=door.missing,
        iteration_count=len(iterations),
        game_count=sum(iteration.game_count for iteration in iterations),
        newest=newest.number if newest else 0,
        newest_name=newest.name if newest else "",
    )


def _waiting(project: Project, iterations: list[_Iteration]) -> list[WaitingLine]:
    """Where something waits, in order of iterations."""
    open_slots = Slot.objects.filter(game__project=project, game__withdrawn_at=None, purpose=RATING)
    by_iteration = open_slots.filter(is_closed=False).order_by().values("game__iteration")
    counted = by_iteration.annotate(
        free=Count("game", distinct=True, filter=Q(evaluator=None)),
        begun=Count("game", distinct=True, filter=Q(evaluator__isnull=False)),
    )
    free = {
        key: (free, begun) for key, free, begun in counted.values_list("game__iteration", "free", "begun")
    }
    complete = _complete(project)
    return [
        WaitingLine(
            iteration.number,
            iteration.name,
            iteration.stage,
            iteration.key,
            *there,
            complete.get(iteration.key, 0),
        )
        for iteration in iterations
        if any(there := free.get(iteration.key, (0, 0))) or iteration.key in complete
    ]


def _complete(project: Project) -> dict[int, int]:
    """Iteration -> how many of its games have all evaluations but no verdict."""
    found: dict[int, int] = defaultdict(int)
    for key in complete_games(project).values_list("game__iteration", flat=True):
        found[key] += 1
    return dict(found)


class _Row(Struct, frozen=True):
    """One evaluation: by whom, how far, taken and handed in when."""

    person: int
    name: str
    state: str
    taken_at: datetime
    submitted_at: datetime | None


def _evaluations(project: Project, since: date) -> list[_Row]:
    """Those that were handed in, skipped or begun since that day, and all that are open."""
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
    """In the order of names: this is about what is under way, not about who is fastest."""
    by_person: dict[tuple[str, int], list[_Row]] = defaultdict(list)
    for row in rows:
        by_person[row.name.casefold(), row.person].append(row)
    return [
        MemberWork(
            theirs[0].name,
            handed_in=sum(row.state == SUBMITTED for row in theirs),
            begun=sum(row.state in OPEN for row in theirs),
            skipped=sum(row.state == SKIPPED for row in theirs),
        )
        for _key, theirs in sorted(by_person.items())
    ]


def _agreement(project: Project) -> str:
    """How far ratings of the same games agree, in a line; the page of agreement says the rest."""
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
