"""States for tests, each reached through the real actions. Keyword functions only; add yours below."""

from datetime import UTC, datetime, timedelta

from tests.factories.numbers import numbers
from tests.factories.replays import replayed
from workspace.models import Membership, Person, Project
from workspace.people.actions.people import create_account, system_person
from workspace.people.actions.projects import add_member, create_project

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


PASSWORD = "correct horse battery"


def moment(minutes: float = 0) -> datetime:
    """A moment so many minutes after the morning on which the tests play."""
    return NOW + timedelta(minutes=minutes)


@replayed
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


@replayed
def make_project(*, slug: str = "", name: str = "", by: Person | None = None, now: datetime = NOW) -> Project:
    """A project with its audit chain."""
    slug = slug or f"project-{next(numbers)}"
    return create_project(name=name or slug.capitalize(), slug=slug, by=by or system_person(now=now), now=now)


@replayed
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


def load_membership(*, person: Person, project: Project) -> Membership:
    """The person's present membership."""
    return Membership.objects.get(person=person, project=project, ended_at=None)
