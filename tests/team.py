"""Games with several evaluators, reached through the real actions; what nobody was told to say, the machine says."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from discussions.actions.finishing import reveal_roles, submit_evaluation
from discussions.actions.taking import take_next_game
from discussions.actions.verifying import CHECKS
from discussions.models import Evaluation, Game
from discussions.models.slots import RATING
from discussions.models.standings import work_of
from tests.factories import NOW, make_member
from tests.rated import ANSWERS, make_game, make_rating_project, say
from tests.settled import fresh
from workspace.models import Project

Key = tuple[str, str]
AFTER_ROLES = "role_consistency"


def make_shared_game(
    *,
    k: int = 3,
    project: Project | None = None,
    message_count: int = 12,
    content: object = None,
    reveal: str = "blind_first",
    now: datetime = NOW,
) -> Game:
    """A game that needs k evaluators, each with an evaluation begun; other games of the project are rated before."""
    project = project or make_rating_project(reveal=reveal, evaluator_count=k)
    game = make_game(project=project, message_count=message_count, content=content)
    for _number in range(k):
        taken = take_next_game(project=project, by=make_member(project=project), now=now)
        assert taken is not None and taken.game_id == game.pk
    return fresh(game)


def evaluations_of(game: Game) -> list[Evaluation]:
    """The evaluations that count for the game's verdict once they are in, in the order in which they were begun."""
    return list(Evaluation.objects.with_work().filter(game=game, purpose=RATING).order_by("pk"))


def submit_as(
    evaluation: Evaluation,
    *,
    values: Mapping[Key, str] | None = None,
    answers: Mapping[str, str] = ANSWERS,
    now: datetime = NOW,
) -> Evaluation:
    """Hand an evaluation in, with these values by (kind, subject), whatever else is asked answered as the machine does.

    What the machine says nothing about has the answer of its kind in `answers`, else "yes".
    """
    chosen = dict(values or {})
    _fill(evaluation, chosen, answers, now)
    _choose(evaluation, {key: chosen[key] for key in chosen if key[0] != AFTER_ROLES}, now)
    _fill(evaluation, chosen, answers, now)
    reveal_roles(evaluation=evaluation, by=evaluation.evaluator, now=now)
    _fill(evaluation, chosen, answers, now)
    _choose(evaluation, {key: chosen[key] for key in chosen if key[0] == AFTER_ROLES}, now)
    return submit_evaluation(evaluation=evaluation, by=evaluation.evaluator, now=now)


def _fill(
    evaluation: Evaluation, chosen: Mapping[Key, str], answers: Mapping[str, str], now: datetime
) -> None:
    """Judge what is asked for now; where a value is chosen, that one."""
    work = work_of(evaluation)
    for missing in work.sight.missing:
        key = (missing.kind, missing.subject)
        if missing.kind != "reveal":
            machine = work.machine.get(key) or answers.get(missing.kind, "yes")
            say(evaluation, *key, chosen.get(key) or machine, now=now)


def _choose(evaluation: Evaluation, chosen: Mapping[Key, str], now: datetime) -> None:
    """Say what was chosen and is not said yet."""
    stored = {(row.kind, row.subject): row.value for row in evaluation.judgements.all()}
    for key, value in chosen.items():
        if stored.get(key, "") != value:
            say(evaluation, *key, value, now=now)


def breaches(now: datetime = NOW) -> list[str]:
    """Every sentence that the discussions' part of `manage.py verify` says."""
    return [sentence for check in CHECKS for sentence in check.find(now)]


def submitted_game(
    k: int = 3, *, differing: Mapping[Key, Sequence[str]] | None = None, **given: object
) -> Game:
    """A shared game with every evaluation in. `differing` says of each thing what each evaluator says, in turn.

    {("strategic_depth", "4"): ("no", "yes", "")} : the third stays silent, which accepts what the machine says.
    Everything else is agreed. `given` goes to make_shared_game.
    """
    game = make_shared_game(k=k, **given)
    for place, evaluation in enumerate(evaluations_of(game)):
        own = {key: values[place] for key, values in (differing or {}).items() if values[place]}
        submit_as(evaluation, values=own)
    return fresh(game)
