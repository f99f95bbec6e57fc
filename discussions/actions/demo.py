"""The demo: a project with games and comparisons and one of a team, made through everybody's actions."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

import msgspec
from django.db import transaction

from discussions.actions.demo_comparisons import fill_comparisons
from discussions.actions.demo_rating import Planned, Rater, rate, settle
from discussions.actions.demo_stage import Crew, fill_stage
from discussions.actions.demo_team import TEAM, Office, fill_team
from discussions.actions.importing import Upload, import_transcripts
from discussions.actions.iterating import open_project
from discussions.actions.taking import take_next_game
from discussions.models import Evaluation, Game, Transcript
from workspace.actions.accounts import create_account
from workspace.actions.jobs import run_job
from workspace.actions.projects import add_member
from workspace.models import Job, Person, Project

FOLDER = Path(__file__).resolve().parent.parent / "demo"
SLUG, NAME = "demo", "Demo: mafia by language models"
TEAM_SLUG, TEAM_NAME = "demo-team", "Demo: three evaluators a game"
# The games came in first; the stage takes three weeks, the team less than two, and the comparisons are of today.
BEGUN, TOGETHER, BEFORE = timedelta(days=23), timedelta(days=12), timedelta(hours=2)


class SignIn(msgspec.Struct, frozen=True):
    """Somebody of the demo, and how to sign in."""

    key: str
    email: str
    name: str
    password: str
    role: str


class Plan(msgspec.Struct, frozen=True):
    """The whole demo."""

    people: list[SignIn]
    games: list[Planned]


class Demo(msgspec.Struct, frozen=True):
    """What is there: the sign-ins, how many games the first project has, and whether they were there before."""

    people: list[SignIn]
    game_count: int
    verdict_count: int
    was_there: bool


def fill_demo(*, by: Person, now: datetime) -> Demo:
    """Make the demo's projects unless they are there; all of it or nothing. The same moment gives the same rows."""
    plan = msgspec.json.decode((FOLDER / "plan.json").read_bytes(), type=Plan)
    project = Project.objects.filter(slug=SLUG).first()
    if project is not None:
        return _demo(plan, project, was_there=True)
    clock = _Clock(now - BEGUN)
    with transaction.atomic():
        project = open_project(slug=SLUG, name=NAME, by=by, now=clock())
        people = {one.key: _person(one, project, by, clock()) for one in plan.people}
        for planned in plan.games:
            _import(planned.file, project, people["lead"], clock)
            if planned.evaluator:
                _rate(planned, project, people[planned.evaluator], clock)
        work = partial(_work, project, clock)
        crew = Crew(project, people["lead"], people["first"], clock, work)
        fill_stage(crew=crew, wait=clock.wait, now=now)
        clock.wait(now - BEFORE)
        fill_comparisons(project=project, people=people, by=people["lead"], clock=clock)
        _work(project, clock)
        _open_team(people, by, _Clock(now - TOGETHER), now)
    return _demo(plan, project, was_there=False)


class _Clock:
    """Time of the demo: some seconds pass with every look."""

    def __init__(self, start: datetime) -> None:
        self.moment = start

    def __call__(self) -> datetime:
        self.moment += timedelta(seconds=7)
        return self.moment

    def wait(self, until: datetime) -> None:
        """Let the time pass, if that moment is still to come."""
        self.moment = max(self.moment, until)


def _person(sign_in: SignIn, project: Project, by: Person, now: datetime) -> Person:
    person = create_account(
        email=sign_in.email,
        name=sign_in.name,
        password=sign_in.password,
        is_admin=sign_in.role == "admin",
        by=by,
        now=now,
    )
    if sign_in.role != "admin":
        add_member(project=project, person=person, role=sign_in.role, by=by, now=now)
    return person


def _open_team(people: Mapping[str, Person], by: Person, clock: "_Clock", now: datetime) -> None:
    """The project of the team, with its lead and evaluators, and what they did there."""
    project = open_project(slug=TEAM_SLUG, name=TEAM_NAME, by=by, now=clock())
    for key in ("lead", *TEAM):
        role = "lead" if key == "lead" else "evaluator"
        add_member(project=project, person=people[key], role=role, by=by, now=clock())
    work = partial(_work, project, clock)
    fill_team(office=Office(project, people, clock, work, clock.wait), now=now)


def _import(name: str, project: Project, lead: Person, clock: _Clock) -> None:
    """Import one file and do what follows from it here and now."""
    data = (FOLDER / name).read_bytes()
    import_transcripts(project=project, files=[Upload(name, data)], by=lead, now=clock())
    _work(project, clock)


def _work(project: Project, clock: _Clock) -> None:
    """What a worker would do, here and now."""
    waiting = Job.objects.filter(project=project, state="queued").order_by("pk").values_list("pk", flat=True)
    while job := waiting.first():
        run_job(job=job, clock=clock)


def _rate(planned: Planned, project: Project, evaluator: Person, clock: _Clock) -> None:
    """Rate the one free game as planned, and record its verdict if that is planned."""
    taken = take_next_game(project=project, by=evaluator, now=clock())
    assert taken is not None
    evaluation = Evaluation.objects.with_work().get(pk=taken.pk)
    rater = Rater(evaluation, evaluator, clock)
    rate(rater=rater, planned=planned, by=evaluator)
    if planned.until == "verdict":
        settle(rater=rater)


def _demo(plan: Plan, project: Project, *, was_there: bool) -> Demo:
    games = Game.objects.filter(project=project)
    verdicts = games.exclude(verdicts=None).count()
    assert Transcript.objects.filter(project=project).exists()
    # A demo that an earlier release made lacks who was added since.
    there = set(Person.objects.values_list("email", flat=True))
    people = [one for one in plan.people if one.email in there]
    return Demo(people, games.count(), verdicts, was_there)
