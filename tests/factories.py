"""States for tests, each reached through the real actions. Keyword functions only; add yours below."""

from datetime import UTC, datetime, timedelta

from discussions.actions.importing import Upload, import_transcripts
from discussions.actions.iterating import open_project
from discussions.models import Game, Transcript
from tests.numbers import numbers
from tests.transcripts import as_bytes, native_game
from workspace.actions.accounts import create_account, system_person
from workspace.actions.jobs import run_job
from workspace.actions.projects import add_member, create_project
from workspace.models import Job, Membership, Person, Project

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
PASSWORD = "correct horse battery"


def moment(minutes: float = 0) -> datetime:
    """A moment so many minutes after the morning on which the tests play."""
    return NOW + timedelta(minutes=minutes)


def make_person(
    *, name: str = "", email: str = "", is_admin: bool = False, password: str = PASSWORD, now: datetime = NOW
) -> Person:
    """Somebody with an account."""
    number = next(numbers)
    return create_account(
        email=email or f"person{number}@example.org",
        name=name or f"Person {number}",
        password=password,
        is_admin=is_admin,
        by=system_person(now=now),
        now=now,
    )


def make_admin(**given: object) -> Person:
    """An admin of the installation."""
    return make_person(is_admin=True, **given)


def make_project(*, slug: str = "", name: str = "", by: Person | None = None, now: datetime = NOW) -> Project:
    """A project with its audit chain."""
    slug = slug or f"project-{next(numbers)}"
    return create_project(name=name or slug.capitalize(), slug=slug, by=by or system_person(now=now), now=now)


def make_member(
    *, project: Project, role: str = "evaluator", person: Person | None = None, now: datetime = NOW
) -> Person:
    """Somebody who belongs to the project."""
    person = person or make_person(now=now)
    add_member(project=project, person=person, role=role, by=system_person(now=now), now=now)
    return person


def make_lead(*, project: Project, now: datetime = NOW) -> Person:
    """A team lead of the project."""
    return make_member(project=project, role="lead", now=now)


def membership_of(*, person: Person, project: Project) -> Membership:
    """The person's present membership."""
    return Membership.objects.get(person=person, project=project, ended_at=None)


def make_games_project(*, slug: str = "", now: datetime = NOW) -> Project:
    """A project with its unsorted iteration under the shipped rubric."""
    slug = slug or f"project-{next(numbers)}"
    return open_project(slug=slug, name=slug.capitalize(), by=system_person(now=now), now=now)


def upload(
    *, project: Project, by: Person, games: object = None, name: str = "game.json", now: datetime = NOW
) -> Transcript:
    """A transcript that was uploaded and waits; `games` is a native game or a list of them, or raw bytes."""
    data = games if isinstance(games, bytes) else as_bytes(native_game() if games is None else games)
    return import_transcripts(project=project, files=[Upload(name, data)], by=by, now=now)[0].transcript


def run_waiting_jobs(*, now: datetime = NOW) -> None:
    """What a worker does, until nothing waits."""
    while job := Job.objects.filter(state="queued").order_by("pk").first():
        run_job(job=job.pk, clock=lambda: now)


def make_game(*, project: Project, by: Person, now: datetime = NOW, **changes: object) -> Game:
    """A game that came in and was measured; `changes` go to the native game."""
    changes.setdefault("gameId", f"game-{next(numbers)}")
    transcript = upload(project=project, by=by, games=native_game(**changes), now=now)
    run_waiting_jobs(now=now)
    return Game.objects.get(transcript=transcript)
