"""The demo: projects that a script plays through the product's own actions, so that every rule holds for them too."""

from datetime import datetime, timedelta

import msgspec
from django.contrib.auth.hashers import get_hasher, make_password
from django.db import transaction

from discussions.demo.actions.comparison_steps import COMPARISON_STEPS
from discussions.demo.actions.game_steps import GAME_STEPS
from discussions.demo.actions.iteration_steps import ITERATION_STEPS
from discussions.demo.actions.judge_steps import JUDGE_STEPS
from discussions.demo.actions.scene import FOLDER, Clock, Scene
from discussions.demo.core import Account, Demo, DemoPlan, DemoProject, ScriptLine
from discussions.iterations.actions import open_project
from discussions.models import Game
from workspace.jobs.actions import run_job
from workspace.models import Job, Person, Project
from workspace.people.actions.people import create_account
from workspace.people.actions.projects import add_member

SLUG = "demo"
PLAN = msgspec.json.decode((FOLDER / "plan.json").read_bytes(), type=DemoPlan)
STEPS = GAME_STEPS | ITERATION_STEPS | COMPARISON_STEPS | JUDGE_STEPS


def fill_demo(*, by: Person, now: datetime) -> Demo:
    """Make the demo's projects if they do not exist: all or none. The same moment gives the same rows."""
    was_there = Project.objects.filter(slug=SLUG).exists()
    if not was_there:
        people = make_accounts(by=by, now=now)
        with transaction.atomic():
            for planned in PLAN.projects:
                _play_project(planned, people, now)
    games = Game.objects.filter(project__slug=SLUG)
    return Demo(games.count(), games.exclude(verdicts=None).count(), was_there)


def make_accounts(*, by: Person, now: datetime) -> dict[str, Person]:
    """The demo's people by their keys, those who make them as "system". Who is missing is made."""
    people = {"system": by}
    with transaction.atomic():
        for account in PLAN.people:
            given = {"email": account.email, "name": account.name, "password": account.password}
            made = Person.objects.filter(email=account.email)
            if not made.exists():
                is_admin = account.role == "admin"
                create_account(**given, is_admin=is_admin, by=by, now=now - PLAN.ago, is_hashed=False)
                made.update(password=_hash_password(account))
            people[account.key] = made.get()
    return people


def _hash_password(account: Account) -> str:
    """The hash from the plan, next to the password that everybody may know, while a new one would cost as much."""
    hasher, hashed = get_hasher(), account.hashed
    is_current = hashed.startswith(f"{hasher.algorithm}$") and not hasher.must_update(hashed)
    return hashed if is_current else make_password(account.password)


def read_script(name: str) -> list[ScriptLine]:
    return msgspec.json.decode((FOLDER / "script" / f"{name}.json").read_bytes(), type=list[ScriptLine])


def play(*, script: list[ScriptLine], scene: Scene) -> None:
    """Take every step at its time, and at once do the background work that follows from it."""
    for line in script:
        if line.ago is not None:
            scene.clock.wait(scene.present - line.ago)
        STEPS[line.do](scene, line.by, **line.args)
        queued = Job.objects.filter(project=scene.project, state="queued").order_by("pk")
        while job := queued.values_list("pk", flat=True).first():
            run_job(job=job, clock=scene.clock)


def _play_project(planned: DemoProject, people: dict[str, Person], now: datetime) -> None:
    scripts = [read_script(name) for name in planned.scripts]
    clock = Clock(now - (scripts[0][0].ago or timedelta()))
    project = open_project(slug=planned.slug, name=planned.name, by=people["system"], now=clock())
    for account in PLAN.people:
        if account.role != "admin":
            person = people[account.key]
            add_member(project=project, person=person, role=account.role, by=people["system"], now=clock())
    for script in scripts:
        play(script=script, scene=Scene(project, people, clock, now))
