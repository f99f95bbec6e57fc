"""Calibration rounds: for leads the list and each person's result, for evaluators their progress and their feedback."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from django.db.models import Count
from msgspec import Struct

from discussions.access.queries import evaluators_in
from discussions.adjudication.pages.evidence import (
    Subject,
    answer_word,
    build_subject,
    get_kind_label,
    load_evidence_source,
)
from discussions.calibration.core import ComparedAnswers, KeyDifference, Result
from discussions.calibration.queries import RoundProgress, games_left, load_progress, load_progress_by_person
from discussions.core.evaluation_states import OPEN, SUBMITTED
from discussions.models import CalibrationGame, CalibrationRound, Evaluation, Verdict
from discussions.models.slots import CALIBRATION
from workspace.database.prepared_queries import Prepared
from workspace.models import Person, Project

MOST_OFFERED, MOST_MISSED = 60, 20


class CalibrationsPage(Struct, frozen=True):
    """All rounds, newest first, with their `item_count`; `offered` are the newest numbers of games with a verdict."""

    rounds: Sequence[CalibrationRound]
    is_open: bool
    offered: list[int]


class Missed(Struct, frozen=True):
    """A subject on which several people differ from the key: perhaps the key is wrong."""

    game_number: int
    label: str
    subject: str
    people: int
    of_people: int


class CalibrationPage(Struct, frozen=True):
    """One round: its games, everybody's progress, and the subjects on which people most often differ from the keys."""

    round: CalibrationRound
    games: list[CalibrationGame]
    people: list[tuple[Person, RoundProgress]]
    missed: list[Missed]


def calibrations_page(*, project: Project) -> CalibrationsPage:
    """The list of a project's rounds, in two queries."""
    rounds = CalibrationRound.objects.filter(project=project).annotate(item_count=Count("games"))
    listed = list(rounds.order_by("-number"))
    verdicts = Verdict.objects.not_superseded().filter(project=project, game__withdrawn_at=None)
    offered = verdicts.order_by("-game__number").values_list("game__number", flat=True)[:MOST_OFFERED]
    return CalibrationsPage(
        listed, any(listed_round.closed_at is None for listed_round in listed), list(offered)
    )


def calibration_page(*, opened: CalibrationRound) -> CalibrationPage:
    """One round; the same number of queries for any number of people and games."""
    people = _people(opened)
    progress = load_progress_by_person(opened, [person.pk for person in people])
    games = list(CalibrationGame.objects.filter(round=opened).order_by("place").select_related("game"))
    return CalibrationPage(
        round=opened,
        games=games,
        people=[(person, progress[person.pk]) for person in people],
        missed=_missed(progress.values(), {game.game_id: game.game.number for game in games}),
    )


def _people(opened: CalibrationRound) -> list[Person]:
    """The project's evaluators, and everybody who took part and is no longer an evaluator, by name."""
    people = {person.pk: person for person in evaluators_in(opened.project)}
    started = Evaluation.objects.filter(purpose=CALIBRATION, game__in=opened.games.values("game"))
    for person in Person.objects.filter(pk__in=started.values("evaluator")):
        people.setdefault(person.pk, person)
    return sorted(people.values(), key=lambda person: (person.name.casefold(), person.pk))


def _missed(progress: Iterable[RoundProgress], numbers: dict[int, int]) -> list[Missed]:
    """Subjects on which at least two people differ from the key, the most frequent first."""
    taken = Counter[int]()
    missed = Counter[tuple[int, str, str]]()
    for game, compared in (item for person in progress for item in person.compared.items()):
        taken[game] += 1
        missed.update((game, difference.kind, difference.subject) for difference in compared.differences)
    lines = [
        Missed(numbers[game], get_kind_label(kind), subject, people, taken[game])
        for (game, kind, subject), people in missed.items()
        if people > 1
    ]
    lines.sort(key=lambda line: (-line.people, line.game_number, line.label, line.subject))
    return lines[:MOST_MISSED]


class AnswerDifference(Struct, frozen=True):
    """One subject on which the person's answer differs from the team's.

    Hides what other people answered.
    """

    subject: Subject
    given: str
    agreed: str


class FeedbackPage(Struct, frozen=True):
    """One game, and the round so far. `left` counts the person's remaining games, `kinds` are (label, alike, count).

    `is_let_rate`: a lead lets the person rate whatever the result.
    Hides the results of other people.
    """

    round: CalibrationRound
    game: CalibrationGame
    compared: ComparedAnswers
    result: Result
    is_let_rate: bool
    kinds: list[tuple[str, int, int]]
    differences: list[AnswerDifference]
    left: int


def feedback_page(*, evaluation: Evaluation) -> FeedbackPage | None:
    """The page of a submitted calibration; None for any other evaluation."""
    rows = CalibrationGame.objects.filter(game=evaluation.game, round__created_at__lte=evaluation.created_at)
    chosen = rows.select_related("round__project", "game").order_by("-round__number").first()
    if chosen is None:
        return None
    opened = chosen.round
    progress = load_progress(opened, evaluation.evaluator)
    compared = progress.compared.get(evaluation.game_id)
    if compared is None:
        return None
    return FeedbackPage(
        round=opened,
        game=chosen,
        compared=compared,
        result=progress.result,
        is_let_rate=bool(progress.waiver),
        kinds=[(get_kind_label(kind), *counts) for kind, counts in compared.by_kind.items()],
        differences=_differences(evaluation, compared.differences),
        left=len(games_left(opened, evaluation.evaluator)) if opened.closed_at is None else 0,
    )


def _differences(evaluation: Evaluation, differences: list[KeyDifference]) -> list[AnswerDifference]:
    measured = evaluation.measured
    source = load_evidence_source(evaluation.game, measured, measured.rubric_version)
    return [
        AnswerDifference(
            build_subject(source, difference.kind, difference.subject),
            answer_word(difference.kind, difference.given),
            answer_word(difference.kind, difference.agreed),
        )
        for difference in differences
    ]


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
        """Whether "Next game" gives a game of this round."""
        return self.round.is_required and bool(self.waiting)

    @property
    def is_offered(self) -> bool:
        """Whether the person may choose to begin its next game."""
        return bool(self.waiting) and not self.round.is_required and not self.started


def own_calibrations(*, person: Person, projects: Collection[int]) -> dict[int, OwnCalibration]:
    """Project -> its open round, where that has games for the person.

    Three queries, and those of the result for a round that the person has finished.
    """
    opened = {round_.pk: round_ for round_ in _OPEN_ROUNDS.objects(list(projects))}
    if not opened:
        return {}
    games: dict[int, list[int]] = {}
    for key, game in _GAMES.rows(list(opened)):
        games.setdefault(key, []).append(game)
    asked = [game for listed in games.values() for game in listed]
    own = {
        game: (evaluation, purpose, state) for game, evaluation, purpose, state in _OWN.rows(person.pk, asked)
    }
    found = {opened[key].project_id: _own(opened[key], listed, own, person) for key, listed in games.items()}
    return {project: calibration for project, calibration in found.items() if calibration.of_games}


_OPEN_ROUNDS = Prepared(
    lambda projects: CalibrationRound.objects.filter(project__in=projects, closed_at=None).select_related(
        "project"
    ),
    list,
)
_GAMES = Prepared(
    lambda rounds: CalibrationGame.objects.filter(round__in=rounds, game__withdrawn_at=None).values_list(
        "round", "game"
    ),
    list,
)
_OWN = Prepared(
    lambda person, games: (
        Evaluation.objects.filter(evaluator=person, game__in=games)
        .order_by("pk")
        .values_list("game", "pk", "purpose", "state")
    ),
    int,
    list,
)


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
