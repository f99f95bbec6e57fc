"""The home page: what waits for a person, and what they have started."""

from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import Case, Count, F, OuterRef, Q, QuerySet, Subquery, Value, When
from django.db.models.functions import Coalesce
from msgspec import Struct

from discussions.calibration.queries import OwnCalibration, own_calibrations
from discussions.core.evaluation_states import LAPSED, OPEN, SKIPPED
from discussions.games.queries.flags import count_for_evaluator, count_for_leads
from discussions.home.queries import query_undecided, query_unopened
from discussions.models import Evaluation, Judgement, Transcript
from discussions.models.slots import CALIBRATION
from discussions.queue.pages import Submission, find_submission
from discussions.queue.queries import (
    FREE_COLUMNS,
    query_free,
    query_submitted_since,
    start_of_day,
    tell_free,
)
from discussions.slots.core import minutes_left
from discussions.slots.queries import query_kept_slots, set_aside
from discussions.verdicts.queries import complete_alone, complete_games, faulty_transcripts
from rubric.human_reviewers.queries.waiting import waiting_count
from workspace.access.permissions import is_admin
from workspace.access.queries import prepare_by_rights
from workspace.core.limits import PAGE_SIZE
from workspace.database.capped_counts import MOST_COUNTED, CappedCount, CappedNumbers, numbers_in
from workspace.database.prepared_queries import Prepared
from workspace.models import Membership, Person, Project

LISTED, ASIDE = 5, 10
MOST_TODAY = 10_000


class Started(Struct, frozen=True, kw_only=True):
    """An open evaluation of the person; `minutes` are left of its lease, None without a lease."""

    evaluation: int
    game_number: int
    project: str
    is_returned: bool
    started_at: datetime
    judged: int
    comment: str
    minutes: int | None
    is_calibration: bool


class Aside(Struct, frozen=True, kw_only=True):
    """An evaluation of the person that was skipped or lapsed and could go on, since a slot is free.

    `why` is the reason why the slot was given back. `comment` is the lead's comment on a returned evaluation.
    """

    evaluation: int
    game_number: int
    project: str
    is_skipped: bool
    why: str
    comment: str
    judged: int


class ProjectWork(Struct, frozen=True):
    """What waits for the person in one project: free games, games without a verdict, imports with faults.

    `verdicts` are game numbers, `faulty` transcripts as (number, name), both the first few. The counts are of all; 100
    means 100 or more. `kept` are games that leads assigned to the person, as (number, name of the lead). `flag_count`
    counts the flags that wait for the person's answer. `unopened` and `undecided` are the first iterations to open for
    rating, and the first changes to decide on.
    """

    project: Project
    role: str
    free_count: int
    kept: list[tuple[int, str]]
    calibration: OwnCalibration | None
    verdict_count: int
    verdicts: list[int]
    faulty_count: int
    faulty: list[tuple[int, str]]
    flag_count: int
    unopened: list[int]
    undecided: list[int]

    @property
    def left_count(self) -> int:
        """How many games the person can still take, assigned ones included; 100 means 100 or more."""
        return min(self.free_count + len(self.kept), MOST_COUNTED)

    @property
    def has_next(self) -> bool:
        """Whether "Next game" gives one."""
        own = self.calibration
        if own is not None and own.round.is_required and (own.comes_first or own.why_not):
            return own.comes_first
        return bool(self.free_count or self.kept)


class HomePage(Struct, frozen=True):
    """Everything that waits for one person; `review_count` is None for a person who reviews no comparisons.

    `submission` is the evaluation that was just submitted, `is_skipped` says that one was just skipped; `today_count`
    are the games that the person submitted today.
    """

    submission: Submission | None
    returned: list[Started]
    started: list[Started]
    aside: list[Aside]
    projects: list[ProjectWork]
    may_create: bool
    review_count: int | None
    today_count: int
    is_skipped: bool = False

    @property
    def focus(self) -> str:
        """What has the focus after an act: the slug of a project whose next game comes, else what else is to do.

        "" before an act, the number of an open evaluation, "reviews", or "mine" when nothing is left.
        """
        if not self.submission and not self.is_skipped:
            return ""
        ended = self.submission.project if self.submission else 0
        able = [work for work in self.projects if work.has_next and work.role == "evaluator"]
        # The project of the game that was submitted goes first: its next game is offered with the news.
        if same := next((work for work in able if work.project.pk == ended), None):
            return same.project.slug
        if opened := self.returned + self.started:
            return str(opened[0].evaluation)
        if able:
            return able[0].project.slug
        return "reviews" if self.review_count else "mine"

    @property
    def first(self) -> ProjectWork | None:
        """The project whose next game comes first; None while something started or returned comes before it."""
        if self.returned or self.started:
            return None
        return next((work for work in self.projects if work.has_next), None)

    @property
    def is_free(self) -> bool:
        """Whether there is no game to continue or take."""
        return not self.returned and not self.started and self.first is None


def was_skipped(person: Person, key: int) -> bool:
    return Evaluation.objects.filter(pk=key, evaluator=person, state=SKIPPED).exists()


def home_page(*, person: Person, now: datetime, submitted: int = 0, only: Project | None = None) -> HomePage:
    """The page, in a fixed number of queries; each calibration costs a few more.

    `submitted` is the key of the evaluation that was just submitted, or 0. If `only` is set, the page has only the
    person's games in that project.
    """
    roles, projects, today_count = _projects(person, now, only)
    led = [project.pk for project in projects if is_admin(person) or roles.get(project.pk) == "lead"]
    rated = [project.pk for project in projects if roles.get(project.pk) == "evaluator"]
    mine, led_work = _own_work(person, rated), _lead_work(led)
    kept = _kept(person, rated)
    calibrations = own_calibrations(person=person, projects=rated)
    names = _names([key for work in led_work.values() for key in work.faulty[:LISTED]])
    work = []
    for project in projects:
        own_work, to_do = mine.get(project.pk, _NOTHING_TO_RATE), led_work.get(project.pk, _NOTHING_TO_LEAD)
        verdicts = to_do.complete if project.pk in led_work else own_work.alone
        work.append(
            ProjectWork(
                project=project,
                role="admin" if is_admin(person) else str(roles.get(project.pk, "")),
                free_count=own_work.free,
                kept=kept.get(project.pk, []),
                calibration=calibrations.get(project.pk),
                verdict_count=len(verdicts),
                verdicts=verdicts[:LISTED],
                faulty_count=len(to_do.faulty),
                faulty=[(key, names[key]) for key in to_do.faulty[:LISTED]],
                flag_count=own_work.flags + to_do.flags,
                unopened=to_do.unopened[:LISTED],
                undecided=to_do.undecided[:LISTED],
            )
        )
    own = _load_own(person, None if only is None else projects, rated)
    started = [_start(evaluation, now) for evaluation in own if evaluation.state in OPEN]
    return HomePage(
        find_submission(person, submitted, now) if submitted else None,
        [started_game for started_game in started if started_game.is_returned],
        [started_game for started_game in started if not started_game.is_returned],
        [_put_aside(evaluation) for evaluation in own if evaluation.state not in OPEN][:ASIDE],
        work,
        may_create=is_admin(person),
        review_count=waiting_count(person) if only is None else None,
        today_count=today_count if rated else 0,
    )


def _projects(
    person: Person, now: datetime, only: Project | None
) -> tuple[dict[int, str], list[Project], int]:
    """The person's roles by project, the projects that they may see, by name, and what they submitted today.

    One query, two for an admin.
    """
    held = _MEMBERSHIPS.objects(person.pk, person.pk, start_of_day(now))
    roles = {one.project_id: one.role for one in held}
    today_count = max((one.today_count for one in held), default=0)
    if only is not None:
        return roles, [only], today_count
    projects = list(Project.objects.all()[:PAGE_SIZE]) if person.is_admin else [one.project for one in held]
    return roles, projects[:PAGE_SIZE], today_count


_MEMBERSHIPS = Prepared(
    lambda person, again, midnight: (
        Membership.objects.filter(person=person, ended_at=None)
        .select_related("project")
        .order_by("project__name")
        .annotate(today_count=CappedCount(query_submitted_since(again, midnight).values("pk"), MOST_TODAY))
    ),
    int,
    int,
    datetime,
)


def _start(evaluation: Evaluation, now: datetime) -> Started:
    return Started(
        evaluation=evaluation.pk,
        game_number=evaluation.game_number,
        project=evaluation.game.project.name,
        is_returned=evaluation.is_returned,
        started_at=evaluation.created_at,
        judged=evaluation.judged,  # type: ignore[attr-defined]
        comment=evaluation.returned_comment,
        minutes=minutes_left(evaluation.slot.lease_until, now),
        is_calibration=evaluation.purpose == CALIBRATION,
    )


def _put_aside(evaluation: Evaluation) -> Aside:
    return Aside(
        evaluation=evaluation.pk,
        game_number=evaluation.game_number,
        project=evaluation.game.project.name,
        is_skipped=evaluation.state == SKIPPED,
        why=evaluation.skipped_reason if evaluation.state == SKIPPED else evaluation.released_reason,
        comment=evaluation.returned_comment,
        judged=evaluation.judged,  # type: ignore[attr-defined]
    )


def _load_own(person: Person, shown: list[Project] | None, rated: list[int]) -> list[Evaluation]:
    """The open evaluations of the person, returned ones first, then those they could take up again, newest first.

    Open evaluations come from all projects that the person may see, or from `shown`. One query.
    """
    rated = rated or [0]
    if shown is None:
        return _OWN[person.is_admin].objects(person.pk, rated)
    return _OWN_IN[person.is_admin].objects(person.pk, rated, [project.pk for project in shown])


def _query_own(
    person: Person, rated: list[int], shown: "list[int] | QuerySet[Any, Any]"
) -> "QuerySet[Evaluation]":
    aside = set_aside(person, rated).values("pk")
    is_open = Q(state__in=OPEN)
    judged = Judgement.objects.filter(evaluation=OuterRef("pk")).exclude(value="").order_by()
    counted = judged.values("evaluation").annotate(count=Count("pk")).values("count")
    rows = Evaluation.objects.filter(evaluator=person, state__in=(*OPEN, SKIPPED, LAPSED))
    return (
        rows.filter(Q(is_open, game__project__in=shown) | Q(pk__in=aside))
        .select_related("game__project", "slot")
        .only(*_OWN_COLUMNS)
        .annotate(judged=Coalesce(Subquery(counted), 0))
        .order_by(
            Case(When(is_open, then=0), default=1),
            Case(When(is_open & Q(returned_comment=""), then=1), default=0),
            Case(When(is_open, then=F("state")), default=Value("")).desc(),
            Case(When(is_open, then=F("pk")), default=-F("pk")),
        )[: PAGE_SIZE + ASIDE]
    )


_OWN_COLUMNS = (
    *("state", "purpose", "shown_number", "submitted_at", "created_at", "skipped_reason", "released_reason"),
    *("returned_comment", "slot__lease_until", "game__number", "game__project__name"),
)
_OWN = prepare_by_rights(
    lambda person, rated: _query_own(person, rated, Project.objects.visible_to(person).values("pk")), list
)
_OWN_IN = prepare_by_rights(_query_own, list, list)


def _kept(person: Person, rated: list[int]) -> dict[int, list[tuple[int, str]]]:
    """By project: games that leads assigned to the person, as (number, name of the lead)."""
    found: dict[int, list[tuple[int, str]]] = {}
    for project, number, by in _KEPT.rows(person.pk, rated):
        found.setdefault(project, []).append((number, by))
    return found


_KEPT = Prepared(
    lambda person, rated: (
        query_kept_slots(person)
        .filter(project__in=rated)
        .values_list("project", "game__number", "assigned_by__name")[:PAGE_SIZE]
    ),
    int,
    list,
)


class _ToLead(NamedTuple):
    """Of one project: numbers of games without a verdict, keys of imports with faults, flags that wait for leads.

    `unopened` and `undecided` are numbers of iterations to open for rating, and of changes to decide on.
    """

    complete: list[int]
    faulty: list[int]
    flags: int
    unopened: list[int] = []
    undecided: list[int] = []


class _ToRate(NamedTuple):
    """One project's free games, the games whose verdict the person records alone (numbers), and flags for them."""

    free: int
    alone: list[int]
    flags: int


_NOTHING_TO_LEAD, _NOTHING_TO_RATE = _ToLead([], [], 0), _ToRate(0, [], 0)


def _lead_work(led: list[int]) -> dict[int, _ToLead]:
    """The lead's work by project: at most a hundred games and imports, the newest imports first; one query."""
    return {
        key: _ToLead(
            numbers_in(complete), numbers_in(faulty)[::-1], flags, numbers_in(unopened), numbers_in(undecided)
        )
        for key, complete, faulty, flags, unopened, undecided in _LED.rows(led)
    }


_LED = Prepared(
    lambda led: (
        Project.objects.filter(pk__in=led)
        .order_by("pk")
        .annotate(
            complete=CappedNumbers(complete_games(OuterRef("pk")), "game__number"),
            faulty=CappedNumbers(faulty_transcripts(OuterRef("pk")), "pk"),
            flags=count_for_leads(OuterRef("pk")),
            unopened=CappedNumbers(query_unopened(OuterRef("pk")), "number"),
            undecided=CappedNumbers(query_undecided(OuterRef("pk")), "number"),
        )
        .values_list("pk", "complete", "faulty", "flags", "unopened", "undecided")
    ),
    list,
)


def _own_work(person: Person, rated: list[int]) -> dict[int, _ToRate]:
    """The person's own work by project, at most a hundred games; one query."""
    return {
        key: _ToRate(tell_free(free, started, aside), numbers_in(alone), flags)
        for key, free, started, aside, alone, flags in _RATED[person.is_admin].rows(person.pk, rated)
    }


_RATED = prepare_by_rights(
    lambda person, rated: (
        query_free(person, rated)
        .annotate(
            alone=CappedNumbers(complete_alone(OuterRef("pk"), person), "game__number"),
            flags=count_for_evaluator(person, OuterRef("pk")),
        )
        .values_list(*FREE_COLUMNS, "alone", "flags")
    ),
    list,
)


def _names(transcripts: list[int]) -> dict[int, str]:
    """The names of these transcripts; no query for none."""
    if not transcripts:
        return {}
    return dict(Transcript.objects.filter(pk__in=transcripts).values_list("pk", "name"))
