"""Calibration rounds, and the progress of people in them, read from rows into core records."""

from collections import defaultdict
from collections.abc import Collection

import msgspec
from django.db.models import Count, QuerySet
from django.utils.translation import gettext as _
from msgspec import Struct

from discussions.calibration.core import ComparedAnswers, Key, compare, compute_result
from discussions.core import judgement_kinds
from discussions.core.evaluation_states import OPEN, SUBMITTED
from discussions.models import (
    CalibrationGame,
    CalibrationRound,
    CalibrationWaiver,
    Evaluation,
    Guideline,
    Judgement,
)
from discussions.models.slots import CALIBRATION
from discussions.slots.queries import evaluators_in
from rubric.calibration.core import RoundResult
from workspace.models import Person, Project


class RoundProgress(Struct, frozen=True):
    """One person's progress in a round: the submitted games compared with their keys, and the result of all of them.

    `reused` of them were started before the round opened, in an earlier one, and count in this one too: nobody rates a
    game for calibration twice. `waiver` is the reason of a lead who lets them rate without passing, "" without one.
    """

    compared: dict[int, ComparedAnswers]
    reused: int
    result: RoundResult
    waiver: str

    @property
    def why_not_rating(self) -> str:
        if self.result.passes is not False or self.waiver:
            return ""
        return _(
            "You rated all games of the calibration round and did not pass it yet. Go through the differences with a "
            "team lead, who can let you rate or create another round."
        )


def query_rounds(project: Project) -> "QuerySet[CalibrationRound]":
    return (
        CalibrationRound.objects.filter(project=project)
        .annotate(item_count=Count("games"))
        .order_by("-number")
    )


def query_games(opened: CalibrationRound) -> "QuerySet[CalibrationGame]":
    return CalibrationGame.objects.filter(round=opened).order_by("place").select_related("game")


def load_open_round(project: Project) -> CalibrationRound | None:
    rounds = CalibrationRound.objects.filter(project=project, closed_at=None)
    opened = min(rounds, key=lambda row: row.pk, default=None)
    if opened is not None:
        opened.project = project
    return opened


def games_left(opened: CalibrationRound, person: Person) -> list[CalibrationGame]:
    known = Evaluation.objects.filter(evaluator=person).values("game")
    games = CalibrationGame.objects.filter(round=opened, game__withdrawn_at=None).exclude(game__in=known)
    return list(games.order_by("place").select_related("verdict", "game__project"))


def load_progress(opened: CalibrationRound, person: Person) -> RoundProgress:
    return load_progress_by_person(opened, [person.pk])[person.pk]


def load_progress_by_person(opened: CalibrationRound, people: Collection[int]) -> dict[int, RoundProgress]:
    """The progress of each of these people; four queries for any number of them."""
    games = list(opened.games.values_list("game", "key", "game__withdrawn_at"))
    keys = {game: msgspec.json.decode(key, type=Key) for game, key, _withdrawn_at in games}
    gone = {game for game, _key, withdrawn_at in games if withdrawn_at is not None}
    started: dict[int, set[int]] = defaultdict(set)
    submitted: dict[int, dict[int, int]] = defaultdict(dict)
    known: dict[int, set[int]] = defaultdict(set)
    earlier: set[int] = set()
    rows = Evaluation.objects.filter(game__in=keys, evaluator__in=people).order_by("pk")
    columns = ("pk", "evaluator", "game", "purpose", "state", "created_at")
    for key, person, game, purpose, state, created_at in rows.values_list(*columns):
        if purpose != CALIBRATION:
            known[person].add(game)
            continue
        started[person].add(game)
        if state == SUBMITTED:
            submitted[person][game] = key
            if created_at < opened.created_at:
                earlier.add(key)
    answers = _first_answers([key for games in submitted.values() for key in games.values()])
    waivers = dict(CalibrationWaiver.objects.filter(round=opened).values_list("person", "reason"))
    progress = {}
    for person in people:
        asked = keys.keys() - gone - (known[person] - started[person])
        compared = {
            game: compare(keys[game], answers[key])
            for game, key in submitted[person].items()
            if game in asked
        }
        result = compute_result(
            compared.values(),
            asked=len(asked),
            pass_percent=opened.pass_percent,
            rating_within=opened.rating_within,
        )
        reused = sum(submitted[person][game] in earlier for game in compared)
        progress[person] = RoundProgress(compared, reused, result, waivers.get(person, ""))
    return progress


def load_trainees(opened: CalibrationRound) -> list[tuple[Person, RoundProgress]]:
    people = {person.pk: person for person in evaluators_in(opened.project)}
    started = Evaluation.objects.filter(purpose=CALIBRATION, game__in=opened.games.values("game"))
    for person in Person.objects.filter(pk__in=started.values("evaluator")):
        people.setdefault(person.pk, person)
    progress = load_progress_by_person(opened, people)
    by_name = sorted(people.values(), key=lambda person: (person.name.casefold(), person.pk))
    return [(person, progress[person.pk]) for person in by_name]


def _first_answers(evaluations: list[int]) -> dict[int, dict[tuple[str, str], str]]:
    """Evaluation -> the blind values; where none was given blind, the value given later."""
    answers: dict[int, dict[tuple[str, str], str]] = defaultdict(dict)
    rows = Judgement.objects.counting().filter(evaluation__in=evaluations)
    columns = ("evaluation", "kind", "subject", "value", "blind_value")
    for key, kind, subject, value, blind in rows.exclude(value="", blind_value="").values_list(*columns):
        if kind != judgement_kinds.ATTRIBUTION:
            answers[key][kind, subject] = blind or value
    return answers


class OwnCalibration(Struct, frozen=True):
    """One open round for one person: `done` of the `of_games` that they are to rate, `waiting` not started yet.

    `started` is an open evaluation of the round, `last` the newest submitted one; 0 without one. `passes` is None
    while games are left, and True for a person with a waiver. `why_not` is the sentence that says why the person
    rates nothing else now, "" when they do.
    """

    round: CalibrationRound
    done: int
    of_games: int
    waiting: int
    started: int
    last: int
    passes: bool | None
    why_not: str

    @property
    def comes_first(self) -> bool:
        return self.round.is_required and bool(self.waiting)

    @property
    def is_offered(self) -> bool:
        return bool(self.waiting) and not self.round.is_required and not self.started


def own_calibrations(*, person: Person, projects: Collection[int]) -> dict[int, OwnCalibration]:
    """Project -> its open round, if it has games for the person. Three queries, more for a round that is finished."""
    rounds = CalibrationRound.objects.filter(project__in=projects, closed_at=None).select_related("project")
    opened = {round_.pk: round_ for round_ in rounds}
    if not opened:
        return {}
    games: dict[int, list[int]] = {}
    rows = CalibrationGame.objects.filter(round__in=opened, game__withdrawn_at=None)
    for key, game in rows.values_list("round", "game"):
        games.setdefault(key, []).append(game)
    asked = [game for listed in games.values() for game in listed]
    evaluations = Evaluation.objects.filter(evaluator=person, game__in=asked).order_by("pk")
    own = {row[0]: row[1:] for row in evaluations.values_list("game", "pk", "purpose", "state")}
    rounds_of_person = [_own(opened[key], listed, own, person) for key, listed in games.items()]
    return {one.round.project_id: one for one in rounds_of_person if one.of_games}


def _own(
    opened: CalibrationRound, games: list[int], own: dict[int, tuple[int, str, str]], person: Person
) -> OwnCalibration:
    mine = [own[game] for game in games if game in own and own[game][1] == CALIBRATION]
    submitted = [evaluation for evaluation, _purpose, state in mine if state == SUBMITTED]
    waiting = sum(game not in own for game in games)
    is_finished = bool(submitted) and not waiting and len(submitted) == len(mine)
    progress = load_progress(opened, person) if is_finished else None
    return OwnCalibration(
        round=opened,
        done=len(submitted),
        of_games=len(mine) + waiting,
        waiting=waiting,
        started=next((evaluation for evaluation, _purpose, state in mine if state in OPEN), 0),
        last=max(submitted, default=0),
        passes=(bool(progress.waiver) or progress.result.passes) if progress else None,
        why_not=progress.why_not_rating if progress and opened.is_required else "",
    )


def newest_guideline(project: Project) -> Guideline | None:
    """None while the project has none, or its newest is empty."""
    newest = Guideline.objects.filter(project=project).order_by("-number").first()
    return newest if newest is not None and newest.text else None


def unread_guideline(person: Person, project: Project) -> Guideline | None:
    """Current version, when the person has not confirmed it yet; two queries, one if there is none."""
    newest = newest_guideline(project)
    if newest is None or newest.readings.filter(person=person).exists():
        return None
    return newest
