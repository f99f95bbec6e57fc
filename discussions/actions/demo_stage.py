"""The demo's stage: a baseline and four changes, played, rated, decided on, through the actions of people."""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path

import msgspec
from msgspec import Struct

from discussions.actions.deciding import record_decision
from discussions.actions.demo_games import Played, Sketch, Voices, play
from discussions.actions.demo_rating import Planned, Rater, rate, settle
from discussions.actions.figuring_games import enter_figure
from discussions.actions.importing import Upload, import_transcripts
from discussions.actions.planning import Protocol, open_baseline, open_change
from discussions.actions.sorting import open_for_rating
from discussions.actions.staging import StagePlan, open_stage
from discussions.actions.taking import take_next_game
from discussions.core.iteration_plan import Plan
from discussions.core.kinds import INACCURATE
from discussions.models import Evaluation, Game, Iteration, Stage
from discussions.models.decision_bases import decision_preview
from discussions.models.histories import history_of
from discussions.models.manual_figures import COST
from workspace.models import Person, Project

FOLDER = Path(__file__).resolve().parent.parent / "demo" / "stage"
ANSWERS = {"y": "yes", "n": "no"}


class Bill(Struct, frozen=True):
    """A cost that the transcript lacks, and where the lead has it from."""

    game: str
    usd: Decimal
    reason: str


class Cycle(Struct, frozen=True):
    """One iteration of the plan. `swap` is a line of the reference's prompt and what stands there instead.

    Without a `choice` its games wait for evaluators.
    """

    name: str
    days_ago: int
    games: list[Sketch]
    note: str = ""
    target: str = ""
    swap: tuple[str, str] = ("", "")
    choice: str = ""
    reason: str = ""
    bill: Bill | None = None


class StageOfDemo(Struct, frozen=True):
    """The whole stage: its goal, the first prompt by lines, and its iterations."""

    stage: StagePlan
    prompt: list[str]
    iterations: list[Cycle]


class Crew(Struct, frozen=True):
    """Who does it, where: `work` is what a worker would do now."""

    project: Project
    lead: Person
    evaluator: Person
    clock: Callable[[], datetime]
    work: Callable[[], None]


def fill_stage(*, crew: Crew, wait: Callable[[datetime], None], now: datetime) -> None:
    """Make the stage with its iterations, each on its day before `now`; `wait` lets the time pass until then."""
    plan = msgspec.json.decode((FOLDER / "plan.json").read_bytes(), type=StageOfDemo)
    voices = msgspec.json.decode((FOLDER / "voices.json").read_bytes(), type=Voices)
    stage = open_stage(project=crew.project, plan=plan.stage, by=crew.lead, now=crew.clock())
    for cycle in plan.iterations:
        wait(now - timedelta(days=cycle.days_ago))
        iteration = _open(cycle, plan.prompt, stage, crew)
        games = _import(cycle, voices, iteration, crew)
        open_for_rating(iteration=iteration, by=crew.lead, now=crew.clock())
        if any(sketch.rating for sketch in cycle.games):
            _rate(games, iteration, crew)
        if cycle.bill:
            _enter(cycle.bill, crew)
        if cycle.choice:
            _decide(cycle, iteration, stage, crew)


def _open(cycle: Cycle, prompt: list[str], stage: Stage, crew: Crew) -> Iteration:
    """The baseline, or a change of one line of what the stage's reference has."""
    reference = history_of(stage).reference
    if reference is None:
        protocol = Protocol(Iteration.objects.get(project=crew.project, stage=None).rubric_version)
        first = Plan(name=cycle.name, prompt="\n".join(prompt))
        return open_baseline(stage=stage, plan=first, protocol=protocol, by=crew.lead, now=crew.clock())
    before = Iteration.objects.values_list("prompt", flat=True).get(pk=reference.id)
    plan = Plan(
        name=cycle.name, prompt=before.replace(*cycle.swap), change_note=cycle.note, target=cycle.target
    )
    return open_change(stage=stage, plan=plan, compared_with=reference.id, by=crew.lead, now=crew.clock())


def _import(cycle: Cycle, voices: Voices, iteration: Iteration, crew: Crew) -> Mapping[str, Played]:
    """The games of the iteration, in one file; by their ids."""
    moment = crew.clock()
    games = [
        play(sketch, voices, f"{moment - timedelta(hours=len(cycle.games) - place):%Y-%m-%dT%H:00:00Z}")
        for place, sketch in enumerate(cycle.games)
    ]
    data = msgspec.json.format(msgspec.json.encode([game.body for game in games]), indent=1)
    file = Upload(f"iteration-{iteration.number}.json", data)
    import_transcripts(project=crew.project, files=[file], by=crew.lead, now=moment, iteration=iteration)
    crew.work()
    return {game.sketch.id: game for game in games}


def _rate(games: Mapping[str, Played], iteration: Iteration, crew: Crew) -> None:
    """The evaluator takes one game after the other, rates it, and records its verdict."""
    while taken := take_next_game(
        project=crew.project, by=crew.evaluator, now=crew.clock(), iteration=iteration
    ):
        evaluation = Evaluation.objects.with_work().get(pk=taken.pk)
        game = games[evaluation.game.source_id]
        rater = Rater(evaluation, crew.evaluator, crew.clock)
        rate(rater=rater, planned=_planned(rater, game), by=crew.evaluator)
        settle(rater=rater)


def _planned(rater: Rater, game: Played) -> Planned:
    """What the evaluator finds: references in messages that misremember are inaccurate."""
    wrong = {str(position) for position in game.wrong}
    counted = rater.work().ground.counted
    return Planned(
        file="",
        labels={subject: INACCURATE for subject in counted if subject.partition(".")[0] in wrong},
        questions=[ANSWERS[letter] for letter in game.sketch.questions],
        rating=game.sketch.rating,
    )


def _enter(bill: Bill, crew: Crew) -> None:
    game = Game.objects.select_related("project").get(project=crew.project, source_id=bill.game)
    enter_figure(game=game, kind=COST, value=bill.usd, reason=bill.reason, by=crew.lead, now=crew.clock())


def _decide(cycle: Cycle, iteration: Iteration, stage: Stage, crew: Crew) -> None:
    preview = decision_preview(history_of(stage), iteration.pk)
    assert preview is not None
    record_decision(
        iteration=iteration,
        choice=cycle.choice,
        reason=cycle.reason,
        basis_sha256=preview.basis_sha256,
        by=crew.lead,
        now=crew.clock(),
    )
