"""Stages with iterations and rated games.

Everything comes about through the real actions but the verdicts: what evaluators would have to say for given figures to
come out is another test's matter, so `rate_games` writes their rows. `tests.factories.verdicts.settle` goes the whole
way.
"""

from decimal import Decimal
from fractions import Fraction

from discussions.comparison.actions import record_decision
from discussions.comparison.queries import DecisionPreview, decision_preview
from discussions.core.outcome import ENGAGEMENT
from discussions.core.records import Score
from discussions.games.actions import withdraw_game
from discussions.iterations.actions import StagePlan, open_for_rating, open_stage
from discussions.iterations.core.history import History
from discussions.iterations.queries import load_history
from discussions.models import Decision, Game, Iteration, Measured, Stage, Verdict
from discussions.planning.actions import Protocol, open_baseline, open_change
from discussions.planning.core import Plan
from discussions.queries import rubric_record
from discussions.transcripts.actions import Upload, import_files
from discussions.verdicts.core.rule import decide
from discussions.verdicts.queries import load_basis
from rubric.core.records import DISCUSSION
from rubric.models import RubricVersion
from tests.factories.jobs import run_waiting_jobs
from tests.factories.numbers import numbers
from tests.factories.people import make_lead, moment
from tests.factories.replays import replayed
from tests.factories.transcripts import as_bytes, make_games_project, native_game
from workspace.core.canonical import bytes_hash, canonical_bytes
from workspace.models import Person, Project

# Figures of a game that passes everything: six scores in percent, None where the metric does not apply, and the rating.
GOOD = {
    "memory_accuracy": 90,
    "strategic_depth": 70,
    "coherence": 80,
    "role_consistency": 90,
    "personality_diversity": 60,
    "anti_repetition": 95,
    ENGAGEMENT: 4,
}


PROMPT = "You play Mafia.\n\nSpeak your mind.\nName your reasons.\nBe brief.\n\nVote once a round.\n"


def figures(**changes):
    """The figures of a good game with these changes; `cost` in dollars and `cache` from 0 to 1 go along."""
    return GOOD | {"cost": 1.25, "cache": 0.8} | changes


@replayed
def make_stage(*, project: Project | None = None, by: Person | None = None, **plan) -> Stage:
    """The first stage of a project."""
    project = project or make_games_project()
    by = by or make_lead(project=project)
    return open_stage(project=project, plan=StagePlan(**({"name": "Stage 1"} | plan)), by=by, now=moment())


def get_lead(stage: Stage) -> Person:
    """Who opened the stage."""
    return stage.created_by


def protocol(**given) -> Protocol:
    """How games are judged: the newest rubric version, one evaluator."""
    return Protocol(**({"rubric_version": RubricVersion.objects.newest(DISCUSSION)} | given))


def plan(**given) -> Plan:
    """A plan that can be; changes differ from the prompt in one line."""
    number = next(numbers)
    prompt = PROMPT.replace("Be brief.", f"Be brief, in {number} words.")
    return Plan(**({"name": f"Iteration {number}", "prompt": prompt, "change_note": "Shorter."} | given))


@replayed
def make_baseline(
    *, stage: Stage, games=(), minutes: float = 1, evaluator_count: int = 1, **given
) -> Iteration:
    """A baseline, with these figures' games opened for rating and rated; without any it is open for import."""
    iteration = open_empty_baseline(stage=stage, minutes=minutes, evaluator_count=evaluator_count, **given)
    return fill(iteration=iteration, games=games, minutes=minutes)


@replayed
def open_empty_baseline(*, stage: Stage, minutes: float, evaluator_count: int, **given) -> Iteration:
    """A baseline that is open for import."""
    return open_baseline(
        stage=stage,
        plan=plan(prompt=PROMPT, change_note="", **given),
        protocol=protocol(evaluator_count=evaluator_count),
        by=get_lead(stage),
        now=moment(minutes),
    )


@replayed
def make_change(*, stage: Stage, games=(), minutes: float = 2, **given) -> Iteration:
    """A change against the stage's reference, like `make_baseline`."""
    iteration = open_change(
        stage=stage,
        plan=plan(**given),
        compared_with=history(stage).reference.id,
        by=get_lead(stage),
        now=moment(minutes),
    )
    return fill(iteration=iteration, games=games, minutes=minutes)


@replayed
def make_iteration(*, stage: Stage, games=(), decision: str = "", minutes: float = 1, **given) -> Iteration:
    """The next iteration of a stage: its baseline first, then changes; rated, and decided when so asked."""
    if not stage.iterations.exists():
        return make_baseline(stage=stage, games=games, minutes=minutes, **given)
    iteration = make_change(stage=stage, games=games, minutes=minutes, **given)
    if decision:
        decide_on(iteration=iteration, choice=decision, minutes=minutes + 0.5)
    return fresh(iteration)


@replayed
def fill(*, iteration: Iteration, games=(), minutes: float = 1) -> Iteration:
    """Import games with these figures, open the iteration for rating and rate them; None leaves a game unrated."""
    if games:
        import_games(iteration=iteration, games=games, minutes=minutes)
        if len(games) >= iteration.least_games:
            open_imported(iteration=iteration, minutes=minutes)
            rate_games(iteration=iteration, games=games, minutes=minutes)
    return fresh(iteration)


@replayed
def open_imported(*, iteration: Iteration, minutes: float) -> None:
    """Open the iteration for rating, by who opened the stage."""
    open_for_rating(iteration=iteration, by=get_lead(iteration.stage), now=moment(minutes))


def import_games(*, iteration: Iteration, games, minutes: float = 1) -> None:
    """Import and measure as many games, with their costs and cache hit rates."""
    costs = [_cost(game or figures()) for game in games]
    import_costed(iteration=iteration, costs=costs, minutes=minutes)


@replayed
def import_costed(*, iteration: Iteration, costs, minutes: float) -> None:
    """Import and measure a game with each of these costs."""
    given = [native_game(gameId=f"staged-{next(numbers)}", metadata={"cost": cost}) for cost in costs]
    import_files(
        project=iteration.project,
        files=[Upload(f"games-{next(numbers)}.json", as_bytes(given))],
        by=iteration.created_by,
        now=moment(minutes),
        iteration=iteration,
    )
    run_waiting_jobs(now=moment(minutes))


@replayed
def rate_games(*, iteration: Iteration, games, minutes: float = 1) -> None:
    """Verdict rows with these figures for the iteration's games in the order of their numbers."""
    related = ("project", "created_by", "transcript", "iteration__rubric_version", "iteration__project")
    rows = Game.objects.filter(iteration=iteration).select_related(*related).order_by("number")
    for game, given in zip(rows, games, strict=True):
        if given is not None:
            record_figures(game=game, given=given, minutes=minutes)


@replayed
def record_figures(*, game: Game, given, minutes: float = 1) -> Verdict:
    """One verdict row with these figures, superseding the one that stands."""
    version = game.iteration.rubric_version
    rubric = rubric_record(version.pk, version.sha256)
    scores = {key: _score(key, value) for key, value in given.items() if key in GOOD and key != ENGAGEMENT}
    outcome = decide(scores, Fraction(str(given[ENGAGEMENT])), game.cost_usd, rubric)
    last = Verdict.objects.filter(game=game).not_superseded().first()
    basis = canonical_bytes(load_basis(game))
    return Verdict.objects.create(
        project=game.project,
        game=game,
        rubric_version=version,
        measured=Measured.objects.filter(game=game).latest("pk"),
        number=last.number + 1 if last else 1,
        passes=bool(outcome.passes),
        passed_count=outcome.passed_count,
        composite=outcome.composite,
        flip_distance=outcome.flip_distance,
        weak_pass_count=len(outcome.weak_passes),
        basis=basis.decode(),
        basis_sha256=bytes_hash(basis),
        outcome=canonical_bytes(outcome).decode(),
        reason="Looked at again." if last else "",
        supersedes=last,
        created_at=moment(minutes),
        created_by=game.created_by,
    )


@replayed
def withdraw(*, game: Game, by: Person | None = None, minutes: float = 8, reason: str = "Cut short.") -> Game:
    """The game, out of the averages."""
    row = Game.objects.select_related("project", "iteration").get(pk=game.pk)
    withdraw_game(game=row, reason=reason, by=by or row.created_by, now=moment(minutes))
    return Game.objects.select_related("project", "iteration").get(pk=game.pk)


def history(stage: Stage) -> History:
    """The stage's history as it stands."""
    return load_history(Stage.objects.get(pk=stage.pk))


def preview(iteration: Iteration) -> DecisionPreview:
    """What a decision would rest on now."""
    found = decision_preview(history(iteration.stage), iteration.pk)
    assert found is not None
    return found


@replayed
def decide_on(
    *,
    iteration: Iteration,
    choice: str,
    by: Person | None = None,
    reason: str = "As proposed.",
    minutes: float = 3,
) -> Decision:
    """A decision on what the page would show now."""
    return record_decision(
        iteration=fresh(iteration),
        choice=choice,
        reason=reason,
        basis_sha256=preview(iteration).basis_sha256,
        by=by or get_lead(iteration.stage),
        now=moment(minutes),
    )


def fresh(iteration: Iteration) -> Iteration:
    """The iteration as actions and pages fetch it."""
    rows = Iteration.objects.select_related("project", "stage__created_by", "rubric_version", "created_by")
    return rows.get(pk=iteration.pk)


def _cost(given):
    cost = {"inputTokens": given.get("tokens", 90_000), "outputTokens": 8_000}
    for name, key in (("cost", "totalUsd"), ("cache", "cacheHitRate")):
        if given.get(name) is not None:
            cost[key] = given[name]
    return cost


def _score(metric, value) -> Score:
    if value is None:
        return Score(metric, 0, 0, is_applicable=False)
    if isinstance(value, tuple):
        return Score(metric, *value)
    exact = Decimal(str(value)) * 100
    return Score(metric, int(exact), 10_000)
