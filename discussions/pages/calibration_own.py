"""How far an evaluator is with the calibration rounds that are open in their projects."""

from collections.abc import Collection

from msgspec import Struct

from discussions.core.moves import OPEN, SUBMITTED
from discussions.models import CalibrationGame, CalibrationRound, Evaluation
from discussions.models.calibrated import standing_of
from discussions.models.slots import CALIBRATION
from workspace.models import Person


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
    opened = {one.pk: one for one in rounds.select_related("project")}
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
    return {project: one for project, one in found.items() if one.of_games}


def _own(
    opened: CalibrationRound, games: list[int], own: dict[int, tuple[int, str, str]], person: Person
) -> OwnCalibration:
    mine = [own[game] for game in games if game in own and own[game][1] == CALIBRATION]
    handed_in = [evaluation for evaluation, _purpose, state in mine if state == SUBMITTED]
    waiting = sum(game not in own for game in games)
    is_through = bool(handed_in) and not waiting and len(handed_in) == len(mine)
    standing = standing_of(opened, person) if is_through else None
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
