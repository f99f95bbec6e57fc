"""Who is no longer blind to a game: leads of its project and admins, past and present."""

from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery

from discussions.core.evaluation_states import LEADS, LED, LEFT
from discussions.models import Game
from discussions.models.games import GameQuerySet
from workspace.database.prepared_queries import prepared
from workspace.models import Membership, Person, Project
from workspace.models.projects import EVALUATOR, LEAD


def games_led_by(person: Person) -> GameQuerySet:
    """Games whose roles, figures and evaluations the person can or could see, so that they cannot rate them blind."""
    if person.is_admin or person.is_system:
        return Game.objects.all()
    led = _lasting(person.pk, OuterRef("project"), OuterRef("created_at")).filter(role=LEAD)
    return Game.objects.filter(Exists(led))


def reason_unblinded(person: Person, game: int) -> str:
    """Why the person may not judge the game blind: they lead, led or left its project; "" when they may."""
    if person.is_admin or person.is_system:
        return LEADS
    held = {(role, ended is None) for role, ended in _list_held(person.pk, game)}
    if (LEAD, True) in held:
        return LEADS
    if (LEAD, False) in held:
        return LED
    return "" if held else LEFT


def barred_until(person: Person, project: Project) -> int:
    """The key of the newest game that an evaluator could see as a former lead; 0 for people who never led.

    Games are ordered by import, so one index range excludes all of them.
    """
    led_until = _list_led(person.pk, project.pk)
    if not led_until:
        return 0
    games = Game.objects.filter(project=project, created_at__lt=led_until[0][0])
    return games.order_by("-pk").values_list("pk", flat=True).first() or 0


def _lasting(person: int, project: Any, since: Any) -> "QuerySet[Membership]":
    """The person's memberships that lasted beyond that moment."""
    lasted = Q(ended_at=None) | Q(ended_at__gt=since)
    return Membership.objects.filter(lasted, person=person, project=project)


@prepared  # with every save
def _list_held(person: int, game: int) -> "QuerySet[Membership, Any]":
    project, since = (Game.objects.filter(pk=game).values(name) for name in ("project", "created_at"))
    rows = _lasting(person, Subquery(project), Subquery(since))
    return rows.exclude(~Q(ended_at=None), ~Q(role=LEAD)).values_list("role", "ended_at")


@prepared  # for every game that is given out
def _list_led(person: int, project: int) -> "QuerySet[Membership, Any]":
    led = Membership.objects.filter(person=person, project=project, role=LEAD, ended_at__isnull=False)
    return led.order_by("-ended_at").values_list("ended_at")[:1]


def evaluators_in(project: Project) -> list[Person]:
    """The people who rate in the project now, by name."""
    return sorted(_evaluators(project.pk), key=lambda person: (person.name.casefold(), person.pk))


def name_evaluators(project: Project) -> dict[int, str]:
    """The names of the same people by key, in the same order, for lists that need only names."""
    return dict(sorted(_list_names(project.pk), key=lambda row: (row[1].casefold(), row[0])))


def _evaluators(project: int) -> "QuerySet[Person]":
    found: QuerySet[Person] = Person.objects.filter(
        is_active=True,
        memberships__project=project,
        memberships__role=EVALUATOR,
        memberships__ended_at=None,
    )
    return found


@prepared
def _list_names(project: int) -> "QuerySet[Person, tuple[int, str]]":
    return _evaluators(project).values_list("pk", "name")
