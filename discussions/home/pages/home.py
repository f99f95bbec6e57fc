"""What waits for somebody and where they stopped: the home page."""

from datetime import datetime

from django.db.models import Case, Count, OuterRef, Q, When
from msgspec import Struct

from discussions.calibration.pages import OwnCalibration, own_calibrations
from discussions.core.evaluation_states import OPEN, RETURNED, SKIPPED
from discussions.models import Evaluation, Transcript
from discussions.models.slots import CALIBRATION
from discussions.queue.pages.queue import describe_submitted, free_counts
from discussions.slots.core import minutes_left
from discussions.slots.queries import query_kept_slots, set_aside
from discussions.verdicts.queries import complete_alone, complete_games, faulty_transcripts
from rubric.human_reviewers.queries import waiting_count
from workspace.access.permissions import is_admin
from workspace.core.limits import PAGE_SIZE
from workspace.database.capped_counts import CappedNumbers, numbers_in
from workspace.models import Membership, Person, Project

LISTED, ASIDE = 5, 10


class Started(Struct, frozen=True, kw_only=True):
    """An evaluation of one's own that is open; `minutes` are left of its lease, None while none runs."""

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
    """An evaluation of one's own that was skipped, or whose time ended, with a place in which it could go on.

    `why` is what was said when the place was given back, by oneself or by a lead, `comment` what it was sent back with.
    """

    evaluation: int
    game_number: int
    project: str
    is_skipped: bool
    why: str
    comment: str
    judged: int


class HeldGame(Struct, frozen=True):
    """One project as it concerns the person: what can be taken, what waits for a verdict, which imports have faults.

    `verdicts` are game numbers, `faulty` transcripts as (number, name); both the first few, with counts of all, where
    100 stands for 100 or more. `kept` are games that leads keep for the person, as (number, who keeps it).
    """

    slug: str
    name: str
    role: str
    free_count: int
    kept: list[tuple[int, str]]
    calibration: OwnCalibration | None
    verdict_count: int
    verdicts: list[int]
    faulty_count: int
    faulty: list[tuple[int, str]]

    @property
    def has_next(self) -> bool:
        """Whether "Next game" gives one."""
        own = self.calibration
        if own is not None and own.is_required and (own.comes_first or own.why_not):
            return own.comes_first
        return bool(self.free_count or self.kept)


class HomePage(Struct, frozen=True):
    """Everything that waits for one person; `review_count` is None for who reviews no comparisons at all.

    `handed_in` tells of what they handed in a moment ago, "" else.
    """

    name: str
    handed_in: str
    returned: list[Started]
    started: list[Started]
    aside: list[Aside]
    places: list[HeldGame]
    may_create: bool
    review_count: int | None


def home_page(*, person: Person, now: datetime, handed_in: int = 0) -> HomePage:
    """The same number of queries however many projects and games there are; calibrations ask a few more.

    `handed_in` is the number of the evaluation that somebody comes from, having handed it in.
    """
    memberships = Membership.objects.filter(person=person, ended_at=None)
    roles = dict(memberships.values_list("project", "role"))
    projects = list(Project.objects.visible_to(person)[:PAGE_SIZE])
    led = [project.pk for project in projects if is_admin(person) or roles.get(project.pk) == "lead"]
    rated = [project.pk for project in projects if roles.get(project.pk) == "evaluator"]
    free = free_counts(person, rated)
    kept = _kept(person, rated)
    calibrations = own_calibrations(person=person, projects=rated)
    complete, faulty = _told_to_leads(led)
    verdicts = complete | _own_verdicts(person, [key for key in rated if key not in led])
    names = _names([key for keys in faulty.values() for key in keys[:LISTED]])
    places = [
        HeldGame(
            slug=project.slug,
            name=project.name,
            role="admin" if is_admin(person) else str(roles.get(project.pk, "")),
            free_count=free.get(project.pk, 0),
            kept=kept.get(project.pk, []),
            calibration=calibrations.get(project.pk),
            verdict_count=len(verdicts.get(project.pk, [])),
            verdicts=verdicts.get(project.pk, [])[:LISTED],
            faulty_count=len(faulty.get(project.pk, [])),
            faulty=[(key, names[key]) for key in faulty.get(project.pk, [])[:LISTED]],
        )
        for project in projects
    ]
    started = _started(person, now)
    return HomePage(
        person.name,
        describe_submitted(person, handed_in) if handed_in else "",
        [started_game for started_game in started if started_game.is_returned],
        [started_game for started_game in started if not started_game.is_returned],
        _aside(person, rated),
        places,
        may_create=is_admin(person),
        review_count=waiting_count(person),
    )


def _started(person: Person, now: datetime) -> list[Started]:
    """What the person has open, what was sent back to them first."""
    own = Evaluation.objects.visible_to(person).filter(state__in=OPEN).select_related("game__project", "slot")
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
    """What the person skipped, or did not finish in time, and could take up again; the newest first."""
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
    """Project -> games that leads keep for the person, as (number, who keeps it)."""
    rows = query_kept_slots(person).filter(project__in=rated)
    found: dict[int, list[tuple[int, str]]] = {}
    for project, number, by in rows.values_list("project", "game__number", "assigned_by__name")[:PAGE_SIZE]:
        found.setdefault(project, []).append((number, by))
    return found


def _told_to_leads(led: list[int]) -> tuple[dict[int, list[int]], dict[int, list[int]]]:
    """Project -> numbers of games that wait for a verdict, and -> keys of transcripts with faults, the newest first.

    At most a hundred of each, in one query however many games are done.
    """
    rows = Project.objects.filter(pk__in=led).order_by("pk")
    told = rows.annotate(
        complete=CappedNumbers(complete_games(OuterRef("pk")), "game__number"),
        faulty=CappedNumbers(faulty_transcripts(OuterRef("pk")), "pk"),
    ).values_list("pk", "complete", "faulty")
    found = [(key, numbers_in(complete), numbers_in(faulty)[::-1]) for key, complete, faulty in told]
    return {key: games for key, games, _keys in found}, {key: keys for key, _games, keys in found}


def _own_verdicts(person: Person, rated: list[int]) -> dict[int, list[int]]:
    """Project -> numbers of games whose verdict the person records, having rated them alone; at most a hundred."""
    alone = complete_alone(OuterRef("pk"), person)
    rows = Project.objects.filter(pk__in=rated).order_by("pk")
    found = rows.annotate(alone=CappedNumbers(alone, "game__number")).values_list("pk", "alone")
    return {key: numbers_in(games) for key, games in found}


def _names(transcripts: list[int]) -> dict[int, str]:
    """The names of these transcripts; no query for none."""
    return dict(Transcript.objects.filter(pk__in=transcripts).values_list("pk", "name"))
