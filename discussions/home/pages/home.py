"""The home page: what waits for a person, and what they have begun."""

from datetime import datetime

from django.db.models import Case, Count, OuterRef, Q, When
from msgspec import Struct

from discussions.calibration.pages import OwnCalibration, own_calibrations
from discussions.core.evaluation_states import OPEN, RETURNED, SKIPPED
from discussions.flags.queries import count_waiting_flags
from discussions.models import Evaluation, Transcript
from discussions.models.slots import CALIBRATION
from discussions.queue.pages.queue import Submission, count_submitted_today, find_submission, free_counts
from discussions.slots.core import minutes_left
from discussions.slots.queries import query_kept_slots, set_aside
from discussions.verdicts.queries import complete_alone, complete_games, faulty_transcripts
from rubric.human_reviewers.queries.waiting import waiting_count
from workspace.access.permissions import is_admin
from workspace.core.limits import PAGE_SIZE
from workspace.database.capped_counts import MOST_COUNTED, CappedNumbers, numbers_in
from workspace.models import Membership, Person, Project

LISTED, ASIDE = 5, 10


class Started(Struct, frozen=True, kw_only=True):
    """An open evaluation of the person; `minutes` are left of its lease, None without a lease."""

    evaluation: int
    game_number: int
    project: str
    is_returned: bool
    begun_at: datetime
    judged: int
    comment: str
    minutes: int | None
    is_calibration: bool


class Aside(Struct, frozen=True, kw_only=True):
    """An evaluation of the person that was skipped or lapsed and could go on, since a slot is free.

    `why` is the reason for which the slot was given back, `comment` that with which a lead sent the evaluation back.
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
    counts the flags that wait for the person's answer.
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

    `submission` is the evaluation that was just submitted; `today_count` are the games that the person submitted today.
    """

    submission: Submission | None
    returned: list[Started]
    started: list[Started]
    aside: list[Aside]
    projects: list[ProjectWork]
    may_create: bool
    review_count: int | None
    today_count: int

    @property
    def first(self) -> ProjectWork | None:
        """Where the next game is the first thing to do; None while something started or sent back comes first."""
        if self.returned or self.started:
            return None
        return next((work for work in self.projects if work.has_next), None)

    @property
    def is_free(self) -> bool:
        """Whether no game is to be gone on with or taken."""
        return not self.returned and not self.started and self.first is None


def home_page(*, person: Person, now: datetime, handed_in: int = 0, only: Project | None = None) -> HomePage:
    """The page, in a fixed number of queries; each calibration costs a few more.

    `handed_in` is the key of the evaluation that was just submitted, or 0. With `only` it is what the person has to do
    in that project, games alone.
    """
    roles, projects = _projects(person, only)
    led = [project.pk for project in projects if is_admin(person) or roles.get(project.pk) == "lead"]
    rated = [project.pk for project in projects if roles.get(project.pk) == "evaluator"]
    free = free_counts(person, rated)
    kept = _kept(person, rated)
    calibrations = own_calibrations(person=person, projects=rated)
    complete, faulty = _lead_work(led)
    verdicts = complete | _own_verdicts(person, [key for key in rated if key not in led])
    flags = count_waiting_flags(person, led, rated)
    names = _names([key for keys in faulty.values() for key in keys[:LISTED]])
    work = [
        ProjectWork(
            project=project,
            role="admin" if is_admin(person) else str(roles.get(project.pk, "")),
            free_count=free.get(project.pk, 0),
            kept=kept.get(project.pk, []),
            calibration=calibrations.get(project.pk),
            verdict_count=len(verdicts.get(project.pk, [])),
            verdicts=verdicts.get(project.pk, [])[:LISTED],
            faulty_count=len(faulty.get(project.pk, [])),
            faulty=[(key, names[key]) for key in faulty.get(project.pk, [])[:LISTED]],
            flag_count=flags.get(project.pk, 0),
        )
        for project in projects
    ]
    started = _started(person, now, only)
    return HomePage(
        find_submission(person, handed_in, now) if handed_in else None,
        [started_game for started_game in started if started_game.is_returned],
        [started_game for started_game in started if not started_game.is_returned],
        _aside(person, rated),
        work,
        may_create=is_admin(person),
        review_count=waiting_count(person) if only is None else None,
        today_count=count_submitted_today(person, now) if rated else 0,
    )


def _projects(person: Person, only: Project | None) -> tuple[dict[int, str], list[Project]]:
    """The person's roles by project, and the projects that they may see, by name; one query, two for an admin."""
    memberships = Membership.objects.filter(person=person, ended_at=None).order_by("project__name")
    if only is None and not person.is_admin:
        held = list(memberships.select_related("project")[:PAGE_SIZE])
        return {one.project_id: one.role for one in held}, [one.project for one in held]
    roles = dict(memberships.values_list("project", "role"))
    return roles, [only] if only is not None else list(Project.objects.visible_to(person)[:PAGE_SIZE])


def _started(person: Person, now: datetime, only: Project | None) -> list[Started]:
    """The open evaluations of the person, returned ones first."""
    own = Evaluation.objects.visible_to(person).filter(state__in=OPEN).select_related("game__project", "slot")
    if only is not None:
        own = own.filter(game__project=only)
    counted = own.annotate(judged=_judged()).order_by(
        Case(When(returned_comment="", then=1), default=0), "-state", "pk"
    )
    return [
        Started(
            evaluation=evaluation.pk,
            game_number=evaluation.game_number,
            project=evaluation.game.project.name,
            is_returned=bool(evaluation.returned_comment) or evaluation.state == RETURNED,
            begun_at=evaluation.created_at,
            judged=evaluation.judged,
            comment=evaluation.returned_comment,
            minutes=minutes_left(evaluation.slot.lease_until, now),
            is_calibration=evaluation.purpose == CALIBRATION,
        )
        for evaluation in counted[:PAGE_SIZE]
    ]


def _aside(person: Person, rated: list[int]) -> list[Aside]:
    """The evaluations that the person could take up again, the newest first."""
    own = set_aside(person, rated).select_related("game__project").annotate(judged=_judged()).order_by("-pk")
    return [
        Aside(
            evaluation=evaluation.pk,
            game_number=evaluation.game_number,
            project=evaluation.game.project.name,
            is_skipped=evaluation.state == SKIPPED,
            why=evaluation.skipped_reason if evaluation.state == SKIPPED else evaluation.released_reason,
            comment=evaluation.returned_comment,
            judged=evaluation.judged,
        )
        for evaluation in own[:ASIDE]
    ]


def _judged() -> Count:
    return Count("judgements", filter=~Q(judgements__value=""))


def _kept(person: Person, rated: list[int]) -> dict[int, list[tuple[int, str]]]:
    """By project: games that leads assigned to the person, as (number, name of the lead)."""
    rows = query_kept_slots(person).filter(project__in=rated)
    found: dict[int, list[tuple[int, str]]] = {}
    for project, number, by in rows.values_list("project", "game__number", "assigned_by__name")[:PAGE_SIZE]:
        found.setdefault(project, []).append((number, by))
    return found


def _lead_work(led: list[int]) -> tuple[dict[int, list[int]], dict[int, list[int]]]:
    """By project: numbers of games without a verdict, and keys of transcripts with faults, the newest first.

    At most a hundred of each, in one query.
    """
    rows = Project.objects.filter(pk__in=led).order_by("pk")
    annotated = rows.annotate(
        complete=CappedNumbers(complete_games(OuterRef("pk")), "game__number"),
        faulty=CappedNumbers(faulty_transcripts(OuterRef("pk")), "pk"),
    ).values_list("pk", "complete", "faulty")
    found = [(key, numbers_in(complete), numbers_in(faulty)[::-1]) for key, complete, faulty in annotated]
    return {key: games for key, games, _keys in found}, {key: keys for key, _games, keys in found}


def _own_verdicts(person: Person, rated: list[int]) -> dict[int, list[int]]:
    """By project: numbers of games whose verdict the person records as their only evaluator; at most a hundred."""
    alone = complete_alone(OuterRef("pk"), person)
    rows = Project.objects.filter(pk__in=rated).order_by("pk")
    found = rows.annotate(alone=CappedNumbers(alone, "game__number")).values_list("pk", "alone")
    return {key: numbers_in(games) for key, games in found}


def _names(transcripts: list[int]) -> dict[int, str]:
    """The names of these transcripts; no query for none."""
    return dict(Transcript.objects.filter(pk__in=transcripts).values_list("pk", "name"))
