"""Games with a verdict, or about to get one, reached through the real actions."""

from discussions.models import Game, Verdict
from discussions.queue.actions import take_next_game
from discussions.rating.actions import reveal_roles, submit_evaluation
from discussions.verdicts.actions import record_verdict
from discussions.verdicts.queries import Preview, load_verdict_preview
from tests.factories.people import make_lead, moment
from tests.factories.rating import say_what_is_missing, submitted
from tests.factories.replays import replayed
from workspace.models import Person, Project


@replayed
def game_to_record(**given: object) -> Game:
    """A game whose one evaluation is submitted; no verdict yet."""
    return fresh(submitted(**given).game)


def fresh(game: Game) -> Game:
    """The game as actions and pages fetch it."""
    return Game.objects.select_related("iteration__rubric_version", "transcript", "project").get(pk=game.pk)


def preview(game: Game) -> Preview:
    """What would be recorded now."""
    found = load_verdict_preview(fresh(game))
    assert found is not None
    return found


@replayed
def record(
    game: Game, *, by: Person | None = None, reason: str = "", sha256: str = "", minutes: float = 60
) -> Verdict:
    """Record what the page would show now, as the game's evaluator unless somebody else is named."""
    by = by or game.evaluations.get().evaluator
    basis = sha256 or preview(game).basis_sha256
    return record_verdict(game=game, basis_sha256=basis, by=by, now=moment(minutes), reason=reason)


@replayed
def recorded_verdict(**given: object) -> Verdict:
    """A recorded verdict."""
    return record(game_to_record(**given))


def get_lead(game: Game) -> Person:
    """A lead of the game's project."""
    return make_lead(project=game.project)


@replayed
def record_next_verdict(*, project: Project, by: Person) -> Verdict:
    """The verdict on the project's next game, rated and recorded by this evaluator."""
    return record(submit_next_game(project=project, by=by), by=by)


@replayed
def submit_next_game(*, project: Project, by: Person) -> Game:
    """The project's next game, rated by this evaluator; its verdict is not recorded."""
    evaluation = take_next_game(project=project, by=by, now=moment())
    say_what_is_missing(evaluation)
    reveal_roles(evaluation=evaluation, by=by, now=moment())
    say_what_is_missing(evaluation)
    submit_evaluation(evaluation=evaluation, by=by, now=moment())
    return evaluation.game
