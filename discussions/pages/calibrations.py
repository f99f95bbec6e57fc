"""Calibration rounds for leads: the list of them, and how everybody does in one."""

from collections import Counter
from collections.abc import Iterable
from datetime import datetime

from django.db.models import Count
from msgspec import Struct

from discussions.core.calibrating import Compared
from discussions.models import CalibrationGame, CalibrationRound, Evaluation, Verdict
from discussions.models.calibrated import Calibrated, standings_of
from discussions.models.slots import CALIBRATION
from discussions.pages.settling_things import label_of
from discussions.pages.team import evaluators_of
from workspace.models import Person, Project

MOST_OFFERED, MOST_MISSED = 60, 20


class RoundLine(Struct, frozen=True):
    """One round in the list."""

    number: int
    name: str
    game_count: int
    opened_at: datetime
    closed_at: datetime | None


class CalibrationsPage(Struct, frozen=True):
    """All rounds, newest first; `offered` are numbers of games with a verdict, the newest first."""

    slug: str
    rounds: list[RoundLine]
    is_open: bool
    offered: list[int]


class Trainee(Struct, frozen=True):
    """One evaluator in a round. `percent` and `rating_error` are None before anything is handed in."""

    key: int
    name: str
    done: int
    of_games: int
    alike: int
    count: int
    percent: float | None
    rating_error: float | None
    passes: bool | None
    waiver: str


class Missed(Struct, frozen=True):
    """A thing that several people answered otherwise than the key: it may be the key that is to be talked about."""

    game_number: int
    label: str
    subject: str
    people: int
    of_people: int


class KeyGame(Struct, frozen=True):
    """One game of a round."""

    number: int
    verdict: int
    note: str


class CalibrationPage(Struct, frozen=True):
    """One round: its rule, its games, everybody's way through it, and what is most often answered otherwise."""

    slug: str
    number: int
    name: str
    is_required: bool
    is_open: bool
    pass_percent: int
    rating_within: float
    opened_at: datetime
    opened_by: str
    games: list[KeyGame]
    people: list[Trainee]
    missed: list[Missed]


def calibrations_page(*, project: Project) -> CalibrationsPage:
    """The list of a project's rounds, in two queries."""
    rounds = CalibrationRound.objects.filter(project=project).annotate(count=Count("games"))
    lines = [
        RoundLine(one.number, one.name, one.count, one.created_at, one.closed_at)
        for one in rounds.order_by("-number")
    ]
    verdicts = Verdict.objects.standing().filter(project=project, game__withdrawn_at=None)
    offered = verdicts.order_by("-game__number").values_list("game__number", flat=True)[:MOST_OFFERED]
    return CalibrationsPage(project.slug, lines, any(line.closed_at is None for line in lines), list(offered))


def calibration_page(*, opened: CalibrationRound) -> CalibrationPage:
    """One round; the same number of queries however many people and games there are."""
    people = _people(opened)
    standings = standings_of(opened, [person.pk for person in people])
    games = list(
        CalibrationGame.objects.filter(round=opened).order_by("place").select_related("game", "verdict")
    )
    return CalibrationPage(
        slug=opened.project.slug,
        number=opened.number,
        name=opened.name,
        is_required=opened.is_required,
        is_open=opened.closed_at is None,
        pass_percent=opened.pass_percent,
        rating_within=float(opened.rating_within),
        opened_at=opened.created_at,
        opened_by=opened.created_by.name,
        games=[KeyGame(one.game.number, one.verdict.number, one.note) for one in games],
        people=[_trainee(person, standings[person.pk]) for person in people],
        missed=_missed(standings.values(), {one.game_id: one.game.number for one in games}),
    )


def _people(opened: CalibrationRound) -> list[Person]:
    """The project's evaluators, and whoever took part and is none any more, by name."""
    people = {person.pk: person for person in evaluators_of(opened.project)}
    begun = Evaluation.objects.filter(purpose=CALIBRATION, game__in=opened.games.values("game"))
    for person in Person.objects.filter(pk__in=begun.values("evaluator")):
        people.setdefault(person.pk, person)
    return sorted(people.values(), key=lambda person: (person.name.casefold(), person.pk))


def _trainee(person: Person, standing: Calibrated) -> Trainee:
    result = standing.result
    return Trainee(
        key=person.pk,
        name=person.name,
        done=result.games,
        of_games=result.of_games,
        alike=result.alike,
        count=result.count,
        percent=result.percent,
        rating_error=None if result.rating_error is None else float(result.rating_error),
        passes=result.passes if result.of_games else None,
        waiver=standing.waiver,
    )


def _missed(standings: Iterable[Calibrated], numbers: dict[int, int]) -> list[Missed]:
    """What at least two people answered otherwise, the most frequent first."""
    taken = Counter[int]()
    missed = Counter[tuple[int, str, str]]()
    for standing in standings:
        for game, compared in standing.compared.items():
            taken[game] += 1
            missed.update(_differences(game, compared))
    lines = [
        Missed(numbers[game], label_of(kind), subject, people, taken[game])
        for (game, kind, subject), people in missed.items()
        if people > 1
    ]
    return sorted(lines, key=lambda one: (-one.people, one.game_number, one.label, one.subject))[:MOST_MISSED]


def _differences(game: int, compared: Compared) -> list[tuple[int, str, str]]:
    return [(game, one.kind, one.subject) for one in compared.differences]
