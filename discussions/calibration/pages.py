"""Calibration rounds: for leads the list and each person's result, for evaluators their progress and their feedback."""

from collections import Counter
from collections.abc import Collection, Iterable
from datetime import datetime

from django.db.models import Count
from msgspec import Struct

from discussions.access.queries import evaluators_in
from discussions.adjudication.pages.evidence import (
    EvidenceSource,
    Subject,
    answer_word,
    build_subject,
    get_kind_label,
)
from discussions.calibration.core import ComparedAnswers, KeyDifference
from discussions.calibration.queries import Calibrated, games_left, load_progress, load_progress_by_person
from discussions.core.evaluation_states import OPEN, SUBMITTED
from discussions.models import CalibrationGame, CalibrationRound, Evaluation, Verdict
from discussions.models.slots import CALIBRATION
from discussions.queries import game_record, load_measurements, rubric_record
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
        RoundLine(round_.number, round_.name, round_.count, round_.created_at, round_.closed_at)
        for round_ in rounds.order_by("-number")
    ]
    verdicts = Verdict.objects.standing().filter(project=project, game__withdrawn_at=None)
    offered = verdicts.order_by("-game__number").values_list("game__number", flat=True)[:MOST_OFFERED]
    return CalibrationsPage(project.slug, lines, any(line.closed_at is None for line in lines), list(offered))


def calibration_page(*, opened: CalibrationRound) -> CalibrationPage:
    """One round; the same number of queries however many people and games there are."""
    people = _people(opened)
    standings = load_progress_by_person(opened, [person.pk for person in people])
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
        games=[KeyGame(game.game.number, game.verdict.number, game.note) for game in games],
        people=[_trainee(person, standings[person.pk]) for person in people],
        missed=_missed(standings.values(), {game.game_id: game.game.number for game in games}),
    )


def _people(opened: CalibrationRound) -> list[Person]:
    """The project's evaluators, and whoever took part and is none any more, by name."""
    people = {person.pk: person for person in evaluators_in(opened.project)}
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
        Missed(numbers[game], get_kind_label(kind), subject, people, taken[game])
        for (game, kind, subject), people in missed.items()
        if people > 1
    ]
    return sorted(lines, key=lambda line: (-line.people, line.game_number, line.label, line.subject))[
        :MOST_MISSED
    ]


def _differences(game: int, compared: ComparedAnswers) -> list[tuple[int, str, str]]:
    return [(game, difference.kind, difference.subject) for difference in compared.differences]


class Otherwise(Struct, frozen=True):
    """One thing that was answered otherwise than the team does."""

    thing: Subject
    said: str
    agreed: str


class KindLine(Struct, frozen=True):
    """How many answers of one kind are those of the team."""

    label: str
    alike: int
    count: int


class FeedbackPage(Struct, frozen=True):
    """One game, and the round so far. `passes` is None while games are left; `left` says how many.

    `is_let_rate`: a lead lets the person rate whatever came of it.
    """

    evaluation: int
    slug: str
    round_number: int
    name: str
    game_number: int
    note: str
    alike: int
    count: int
    kinds: list[KindLine]
    differences: list[Otherwise]
    rating: float | None
    agreed_rating: float | None
    done: int
    of_games: int
    left: int
    percent: float | None
    pass_percent: int
    rating_within: float
    rating_error: float | None
    passes: bool | None
    is_let_rate: bool
    is_required: bool
    is_open: bool


def feedback_page(*, evaluation: Evaluation) -> FeedbackPage | None:
    """The page of a calibration that was handed in; None for any other evaluation."""
    rows = CalibrationGame.objects.filter(game=evaluation.game, round__created_at__lte=evaluation.created_at)
    chosen = rows.select_related("round__project").order_by("-round__number").first()
    if chosen is None:
        return None
    opened = chosen.round
    standing = load_progress(opened, evaluation.evaluator)
    compared = standing.compared.get(evaluation.game_id)
    if compared is None:
        return None
    result = standing.result
    return FeedbackPage(
        evaluation=evaluation.pk,
        slug=opened.project.slug,
        round_number=opened.number,
        name=opened.name,
        game_number=evaluation.game.number,
        note=chosen.note,
        alike=compared.alike,
        count=compared.count,
        kinds=[KindLine(get_kind_label(kind), *counted) for kind, counted in compared.by_kind.items()],
        differences=_otherwise(evaluation, compared.differences),
        rating=_number(compared.rating),
        agreed_rating=_number(compared.agreed_rating),
        done=result.games,
        of_games=result.of_games,
        left=len(games_left(opened, evaluation.evaluator)) if opened.closed_at is None else 0,
        percent=result.percent,
        pass_percent=opened.pass_percent,
        rating_within=float(opened.rating_within),
        rating_error=_number(result.rating_error),
        passes=result.passes,
        is_let_rate=bool(standing.waiver),
        is_required=opened.is_required,
        is_open=opened.closed_at is None,
    )


def _otherwise(evaluation: Evaluation, differences: list[KeyDifference]) -> list[Otherwise]:
    game, measured = evaluation.game, evaluation.measured
    version = measured.rubric_version
    ground = EvidenceSource(
        game_record(game.pk, game.content_sha256),
        load_measurements(measured.pk, measured.findings_sha256),
        rubric_record(version.pk, version.sha256),
    )
    return [
        Otherwise(
            build_subject(ground, difference.kind, difference.subject),
            answer_word(difference.kind, difference.said),
            answer_word(difference.kind, difference.agreed),
        )
        for difference in differences
    ]


def _number(value: object) -> float | None:
    return None if value is None else float(value)  # type: ignore[arg-type]


class OwnCalibration(Struct, frozen=True):
    """One open round for one person: `done` of its `of_games` that are theirs to rate, `waiting` not begun yet.

    `begun` is an evaluation of it that is open, `last` the newest that was handed in; 0 without one. `passes` is None
    while games are left, and True also for who may rate without; `why_not` is the sentence that says why they rate
    nothing else now, "" when they do.
    """

    slug: str
    number: int
    is_required: bool
    done: int
    of_games: int
    waiting: int
    begun: int
    last: int
    passes: bool | None
    why_not: str

    @property
    def comes_first(self) -> bool:
        """Whether "Next game" gives a game of it."""
        return self.is_required and bool(self.waiting)

    @property
    def is_offered(self) -> bool:
        """Whether the person may begin its next game of their own accord."""
        return bool(self.waiting) and not self.is_required and not self.begun


def own_calibrations(*, person: Person, projects: Collection[int]) -> dict[int, OwnCalibration]:
    """Project -> the round that is open there, where it has games for the person.

    Three queries, and those of the result for a round that the person is through with.
    """
    rounds = CalibrationRound.objects.filter(project__in=projects, closed_at=None)
    opened = {round_.pk: round_ for round_ in rounds.select_related("project")}
    if not opened:
        return {}
    games: dict[int, list[int]] = {}
    rows = CalibrationGame.objects.filter(round__in=opened, game__withdrawn_at=None)
    for key, game in rows.values_list("round", "game"):
        games.setdefault(key, []).append(game)
    own: dict[int, tuple[int, str, str]] = {}
    asked = [game for listed in games.values() for game in listed]
    known = Evaluation.objects.filter(evaluator=person, game__in=asked).order_by("pk")
    for game, evaluation, purpose, state in known.values_list("game", "pk", "purpose", "state"):
        own[game] = (evaluation, purpose, state)
    found = {opened[key].project_id: _own(opened[key], listed, own, person) for key, listed in games.items()}
    return {project: calibration for project, calibration in found.items() if calibration.of_games}


def _own(
    opened: CalibrationRound, games: list[int], own: dict[int, tuple[int, str, str]], person: Person
) -> OwnCalibration:
    mine = [own[game] for game in games if game in own and own[game][1] == CALIBRATION]
    handed_in = [evaluation for evaluation, _purpose, state in mine if state == SUBMITTED]
    waiting = sum(game not in own for game in games)
    is_through = bool(handed_in) and not waiting and len(handed_in) == len(mine)
    standing = load_progress(opened, person) if is_through else None
    return OwnCalibration(
        slug=opened.project.slug,
        number=opened.number,
        is_required=opened.is_required,
        done=len(handed_in),
        of_games=len(mine) + waiting,
        waiting=waiting,
        begun=next((evaluation for evaluation, _purpose, state in mine if state in OPEN), 0),
        last=max(handed_in, default=0),
        passes=(bool(standing.waiver) or standing.result.passes) if standing else None,
        why_not=standing.why_not_rating if standing and opened.is_required else "",
    )
