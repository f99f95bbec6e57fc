"""The demo's team: three evaluators a game, in every state that a lead looks at, made through everybody's actions."""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from pathlib import Path

import msgspec
from msgspec import Struct

from discussions.actions.adjudicating import adjudicate
from discussions.actions.assigning import assign_game
from discussions.actions.calibrating import RoundPlan, open_round, take_calibration
from discussions.actions.demo_games import Played, Sketch, Voices, play
from discussions.actions.demo_opinions import Opinion, Temper, give
from discussions.actions.demo_rating import Rater, record
from discussions.actions.figuring_team import ask_for_team_figures
from discussions.actions.importing import Upload, import_transcripts
from discussions.actions.iterating import change_iteration
from discussions.actions.leasing import expire_leases
from discussions.actions.returning import return_evaluation
from discussions.actions.ruling_queue import change_queue
from discussions.actions.taking import take_next_game
from discussions.core.leases import LEASE
from discussions.models import Evaluation, Game, Iteration
from discussions.models.adjudicated import disagreements_in
from discussions.models.queue_rules import BY_CHANCE
from workspace.actions.accounts import system_person
from workspace.models import Person, Project

FOLDER = Path(__file__).resolve().parent.parent / "demo"
TEAM, ALONE = ("first", "second", "third"), "third"
# Somebody works at this moment; what else happens today takes less than that.
HELD = timedelta(minutes=12)
# Nobody waits for the others, so that they come to a game at other times of the day.
APART = timedelta(hours=2, minutes=25)
# Keys are given with care.
CALM = Temper(differs=0.0, rating=0.0)
RECORDED, RETURNED = "recorded", "returned"


class Calibration(Struct, frozen=True):
    """The round: its games, rated by the third evaluator alone; who goes through it, and how they are on that day.

    Which messages are sampled hangs on the key of the installation, so their tempers are far apart: everywhere one
    passes and one does not.
    """

    name: str
    days_ago: int
    people: dict[str, Temper]
    pass_percent: int
    note: str
    games: list[Sketch]


class Shared(Struct, frozen=True):
    """One game of all three: `tie` says how each sees its first misremembered vote, `split` how one sees the last."""

    days_ago: int
    ends: str
    sketch: Sketch
    split: dict[str, str] = {}
    tie: dict[str, str] = {}
    settle: str = ""
    comment: str = ""


class TeamOfDemo(Struct, frozen=True):
    """The whole team project; `begun` is rated by one, left by one and held by one, `fresh` is to be taken."""

    repeat_percent: int
    tempers: dict[str, Temper]
    calibration: Calibration
    games: list[Shared]
    begun: Sketch
    fresh: Sketch


class Office(Struct, frozen=True):
    """Where the team works, and who: `work` is what a worker would do now, `wait` lets the time pass until a moment."""

    project: Project
    people: Mapping[str, Person]
    clock: Callable[[], datetime]
    work: Callable[[], None]
    wait: Callable[[datetime], None]


class _Team:
    """The team while it works through its plan."""

    def __init__(self, office: Office, plan: TeamOfDemo, voices: Voices) -> None:
        self.plan, self.voices = plan, voices
        self.project, self.people, self.clock = office.project, office.people, office.clock
        self.work, self.wait, self.lead = office.work, office.wait, office.people["lead"]

    def bring(self, sketch: Sketch) -> Played:
        """Import one game and have it measured."""
        moment = self.clock()
        played = play(sketch, self.voices, f"{moment - timedelta(hours=1):%Y-%m-%dT%H:00:00Z}")
        data = msgspec.json.format(msgspec.json.encode([played.body]), indent=1)
        import_transcripts(
            project=self.project, files=[Upload(f"{sketch.id}.json", data)], by=self.lead, now=moment
        )
        self.work()
        return played

    def row(self, sketch: Sketch) -> Game:
        """The game as it stands."""
        rows = Game.objects.select_related("iteration__rubric_version", "transcript", "project")
        return rows.get(project=self.project, source_id=sketch.id)

    def take(self, who: str) -> Rater:
        """The next game of somebody, who has just that one to take."""
        taken = take_next_game(project=self.project, by=self.people[who], now=self.clock())
        assert taken is not None
        return self.rater(taken.pk, who)

    def rater(self, evaluation: int, who: str) -> Rater:
        """Somebody at work."""
        return Rater(Evaluation.objects.with_work().get(pk=evaluation), self.people[who], self.clock)

    def opinion(
        self,
        who: str,
        played: Played,
        *,
        labels: Mapping[str, str] | None = None,
        temper: Temper | None = None,
    ) -> Opinion:
        """What somebody thinks of a game, with their usual temper or with another."""
        sketch, temper = played.sketch, temper or self.plan.tempers[who]
        return Opinion(who, temper, played.wrong, sketch.questions, sketch.rating, labels or {})


def fill_team(*, office: Office, now: datetime) -> None:
    """Rate the games of the team's project, each on its day before `now`, and let its figures be computed."""
    plan = msgspec.json.decode((FOLDER / "team" / "plan.json").read_bytes(), type=TeamOfDemo)
    voices = msgspec.json.decode((FOLDER / "stage" / "voices.json").read_bytes(), type=Voices)
    team = _Team(office, plan, voices)
    change_queue(
        project=team.project,
        order=BY_CHANCE,
        repeat_percent=plan.repeat_percent,
        by=team.lead,
        now=team.clock(),
    )
    _calibrate(team, now)
    for shared in plan.games:
        team.wait(now - timedelta(days=shared.days_ago))
        _rate_together(team, shared)
    _leave_open(team, now)
    ask_for_team_figures(project=team.project, by=team.lead, now=team.clock())
    team.work()


def _calibrate(team: _Team, now: datetime) -> None:
    """One evaluator rates the first games alone; their verdicts are the keys of a round. Then three rate each game."""
    plan, games = team.plan.calibration, []
    for sketch in plan.games:
        games.append(team.bring(sketch))
        rater = team.take(ALONE)
        give(rater=rater, opinion=team.opinion(ALONE, games[-1], temper=CALM))
        record(game=team.row(sketch), by=rater.person, now=team.clock())
    unsorted = Iteration.objects.select_related("project").get(project=team.project, stage=None)
    change_iteration(
        iteration=unsorted,
        identification=unsorted.identification,
        evaluator_count=len(TEAM),
        by=team.lead,
        now=team.clock(),
    )
    team.wait(now - timedelta(days=plan.days_ago))
    numbers = [team.row(sketch).number for sketch in plan.games]
    asked = RoundPlan(
        name=plan.name,
        games=numbers,
        is_required=False,
        pass_percent=plan.pass_percent,
        notes={numbers[0]: plan.note},
    )
    opened = open_round(project=team.project, plan=asked, by=team.lead, now=team.clock())
    for who, temper in plan.people.items():
        for played in games:
            taken = take_calibration(opened=opened, by=team.people[who], now=team.clock())
            assert taken is not None
            give(rater=team.rater(taken.pk, who), opinion=team.opinion(who, played, temper=temper))


def _rate_together(team: _Team, shared: Shared) -> None:
    """All three rate the game; then the lead does what is left."""
    played = team.bring(shared.sketch)
    for who in TEAM:
        team.wait(team.clock() + APART)
        rater = team.take(who)
        wrong = _misremembered(rater, played)
        labels = {wrong[-1]: shared.split[who]} if who in shared.split else {}
        if who in shared.tie:
            labels[wrong[0]] = shared.tie[who]
        give(rater=rater, opinion=team.opinion(who, played, labels=labels))
    if shared.ends == RECORDED:
        _settle(team, shared)
        record(game=team.row(shared.sketch), by=team.lead, now=team.clock())


def _misremembered(rater: Rater, played: Played) -> list[str]:
    """References to votes that nobody cast, in their order."""
    wrong = {str(position) for position in played.wrong}
    return [one for one in rater.work().ground.counted if one.partition(".")[0] in wrong]


def _settle(team: _Team, shared: Shared) -> None:
    """The lead takes the side of the third evaluator on every tie."""
    game = team.row(shared.sketch)
    adopted = Evaluation.objects.get(game=game, evaluator=team.people[ALONE])
    for tie in disagreements_in(game):
        if tie.is_tie:
            adjudicate(
                game=game,
                kind=tie.kind,
                subject=tie.subject,
                value="",
                reason=shared.settle,
                adopted=adopted,
                sides_sha256=tie.page_sha256,
                key=f"demo:{game.pk}:{tie.kind}:{tie.subject}",
                by=team.lead,
                now=team.clock(),
            )


def _leave_open(team: _Team, now: datetime) -> None:
    """A game that one rated, one left and one holds now; what is sent back; and one that is kept for somebody."""
    team.wait(now - timedelta(days=1))
    begun = team.bring(team.plan.begun)
    give(rater=team.take("first"), opinion=team.opinion("first", begun))
    give(rater=team.take("second"), opinion=team.opinion("second", begun), most=4)
    team.wait(team.clock() + LEASE)
    expire_leases(by=system_person(now=now), now=team.clock(), project=team.project)
    for shared in team.plan.games:
        if shared.ends == RETURNED:
            _send_back(team, shared)
    team.wait(now - HELD)
    give(rater=team.take("third"), opinion=team.opinion("third", begun), most=6)
    team.bring(team.plan.fresh)
    assign_game(game=team.row(team.plan.fresh), person=team.people["first"], by=team.lead, now=team.clock())


def _send_back(team: _Team, shared: Shared) -> None:
    """The lead asks whoever sees the last misremembered vote otherwise than the others to look again."""
    (who,) = shared.split
    rows = Evaluation.objects.select_related("game__project")
    mine = rows.get(game=team.row(shared.sketch), evaluator=team.people[who])
    return_evaluation(evaluation=mine, comment=shared.comment, by=team.lead, now=team.clock())
