"""The progress of people in a calibration round, read from rows into core records."""

from collections import defaultdict
from collections.abc import Collection

import msgspec
from django.utils.translation import gettext as _
from msgspec import Struct

from discussions.calibration.core import ComparedAnswers, Key, Result, compare, compute_result
from discussions.core import judgement_kinds
from discussions.core.evaluation_states import SUBMITTED
from discussions.models import CalibrationGame, CalibrationRound, CalibrationWaiver, Evaluation, Judgement
from discussions.models.slots import CALIBRATION
from workspace.database.prepared_queries import Prepared
from workspace.models import Person, Project


class RoundProgress(Struct, frozen=True):
    """One person's progress in a round: the submitted games compared with their keys, and the result of all of them.

    `reused` of them were started before the round opened, in an earlier one, and count in this one too: nobody rates a
    game for calibration twice. `waiver` is the reason of a lead who lets them rate without passing, "" without one.
    """

    compared: dict[int, ComparedAnswers]
    reused: int
    result: Result
    waiver: str

    @property
    def why_not_rating(self) -> str:
        """Why the person does not rate other games now, as a sentence; "" when they do."""
        if self.result.passes is not False or self.waiver:
            return ""
        return _(
            "You rated all games of the calibration round and did not pass it yet. Go through the differences with a "
            "team lead, who can let you rate or create another round."
        )


def load_open_round(project: Project) -> CalibrationRound | None:
    """The open round of the project, if there is one."""
    found: CalibrationRound | None = _OPEN.first(project.pk)
    return found


_OPEN = Prepared(
    lambda project: (
        CalibrationRound.objects.filter(project=project, closed_at=None)
        .select_related("project")
        .order_by("pk")[:1]
    ),
    int,
)


def load_keys(opened: CalibrationRound) -> dict[int, Key]:
    """Game -> the key that the team agreed on."""
    return {game: msgspec.json.decode(key, type=Key) for game, key in _KEYS.rows(opened.pk)}


def games_left(opened: CalibrationRound, person: Person) -> list[CalibrationGame]:
    """The games of the round that the person has not started or rated, in order."""
    known = Evaluation.objects.filter(evaluator=person).values("game")
    games = CalibrationGame.objects.filter(round=opened, game__withdrawn_at=None).exclude(game__in=known)
    return list(games.order_by("place").select_related("verdict", "game__project"))


def load_progress(opened: CalibrationRound, person: Person) -> RoundProgress:
    """The progress of one person."""
    return load_progress_by_person(opened, [person.pk])[person.pk]


def load_progress_by_person(opened: CalibrationRound, people: Collection[int]) -> dict[int, RoundProgress]:
    """The progress of each of these people; five queries for any number of them."""
    keys = load_keys(opened)
    started: dict[int, set[int]] = defaultdict(set)
    submitted: dict[int, dict[int, int]] = defaultdict(dict)
    known: dict[int, set[int]] = defaultdict(set)
    earlier: set[int] = set()
    for key, person, game, purpose, state, created_at in _RATED.rows(list(keys), list(people)):
        if purpose != CALIBRATION:
            known[person].add(game)
            continue
        started[person].add(game)
        if state == SUBMITTED:
            submitted[person][game] = key
            if created_at < opened.created_at:
                earlier.add(key)
    answers = _first_answers([key for games in submitted.values() for key in games.values()])
    waivers = dict(_WAIVERS.rows(opened.pk))
    gone = {game for (game,) in _WITHDRAWN.rows(opened.pk)}
    found = {}
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
        found[person] = RoundProgress(compared, reused, result, waivers.get(person, ""))
    return found


def _first_answers(evaluations: list[int]) -> dict[int, dict[tuple[str, str], str]]:
    """Evaluation -> the blind values; where none was given blind, the value given later."""
    answers: dict[int, dict[tuple[str, str], str]] = defaultdict(dict)
    for key, kind, subject, value, blind in _ANSWERS.rows(evaluations):
        if kind != judgement_kinds.ATTRIBUTION:
            answers[key][kind, subject] = blind or value
    return answers


_KEYS = Prepared(lambda opened: CalibrationGame.objects.filter(round=opened).values_list("game", "key"), int)
_WITHDRAWN = Prepared(
    lambda opened: (
        CalibrationGame.objects.filter(round=opened).exclude(game__withdrawn_at=None).values_list("game")
    ),
    int,
)
_WAIVERS = Prepared(
    lambda opened: CalibrationWaiver.objects.filter(round=opened).values_list("person", "reason"), int
)
_RATED = Prepared(
    lambda games, people: (
        Evaluation.objects.filter(game__in=games, evaluator__in=people)
        .order_by("pk")
        .values_list("pk", "evaluator", "game", "purpose", "state", "created_at")
    ),
    list,
    list,
)
_ANSWERS = Prepared(
    lambda evaluations: (
        Judgement.objects.filter(evaluation__in=evaluations)
        .exclude(value="", blind_value="")
        .values_list("evaluation", "kind", "subject", "value", "blind_value")
    ),
    list,
)
