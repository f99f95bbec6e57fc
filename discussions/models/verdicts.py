"""Verdicts: PASS or FAIL of a game, recorded once by a person, with everything it was based on."""

from functools import partial
from typing import Any

from django.db import models
from django.db.models import Q, QuerySet

from discussions.core.moves import SUBMITTED
from discussions.models.games import Game, GameQuerySet
from discussions.models.measurements import Measured
from discussions.models.slots import RATING
from rubric.models import RubricVersion
from workspace.models import Person, Project
from workspace.models.prepared import LARGEST_KEY, Prepared


def games_open_to(person: Person) -> GameQuerySet:
    """Games whose verdict concerns the person: they lead the project, or handed in an evaluation of the game."""
    mine = Q(
        evaluations__evaluator=person,
        evaluations__purpose=RATING,
        evaluations__state=SUBMITTED,
        project__in=Project.objects.visible_to(person),
    )
    return Game.objects.filter(
        Q(pk__in=Game.objects.visible_to(person).values("pk"))
        | Q(pk__in=Game.objects.filter(mine).values("pk"))
    )


def games_explained_to(person: Person) -> GameQuerySet:
    """Games whose every figure the person may open: they lead the project, or judged the game and it has a verdict."""
    judged = games_open_to(person).filter(pk__in=Verdict.objects.values("game"))
    return Game.objects.filter(
        Q(pk__in=Game.objects.visible_to(person).values("pk")) | Q(pk__in=judged.values("pk"))
    )


def open_game(person: Person, slug: str, number: int, *, explained: bool = False) -> int | None:
    """The key of a game that is open to the person, with `explained` in every figure; None if there is none."""
    if number > LARGEST_KEY:
        return None
    found = _OPEN[bool(explained), person.is_admin].rows(person.pk, slug, number)
    return found[0][0] if found else None


def _open(person: int, slug: str, number: int, *, explained: bool, is_admin: bool) -> "QuerySet[Game, Any]":
    games = (games_explained_to if explained else games_open_to)(Person(pk=person, is_admin=is_admin))
    return games.filter(project__slug=slug, number=number).values_list("pk")


# Django takes longer to build these than the rest of a page's queries take together.
_OPEN = {
    (explained, is_admin): Prepared(partial(_open, explained=explained, is_admin=is_admin), int, str, int)
    for explained in (False, True)
    for is_admin in (False, True)
}


class VerdictQuerySet(models.QuerySet["Verdict"]):
    """How verdicts are asked for."""

    def visible_to(self, person: Person) -> "VerdictQuerySet":
        """Those of games that the person leads, or handed in an evaluation of."""
        return self.filter(game__in=games_open_to(person))

    def standing(self) -> "VerdictQuerySet":
        """Those that no later one supersedes."""
        return self.filter(superseded_by=None)


class Verdict(models.Model):
    """One recorded verdict, never changed; a correction is a new row that supersedes it, with a reason.

    `basis` is the canonical JSON of everything the verdict rests on, `basis_sha256` its hash; `outcome` is the JSON of
    what was computed from it. `composite`, `passed_count` and `flip_distance` repeat figures of the outcome for lists.
    """

    # The game's project once more: lists in the order of a figure walk one index, however many games there are.
    project = models.ForeignKey(Project, models.PROTECT, related_name="+")
    game = models.ForeignKey(Game, models.PROTECT, related_name="verdicts")
    rubric_version = models.ForeignKey(RubricVersion, models.PROTECT, related_name="+")
    measured = models.ForeignKey(Measured, models.PROTECT, related_name="+")
    number = models.PositiveIntegerField()
    passes = models.BooleanField()
    passed_count = models.PositiveSmallIntegerField()
    composite = models.FloatField(null=True, blank=True)
    flip_distance = models.PositiveIntegerField(null=True, blank=True)
    basis = models.TextField()
    basis_sha256 = models.CharField(max_length=64)
    outcome = models.TextField()
    reason = models.TextField(blank=True)
    supersedes = models.OneToOneField(
        "self", models.PROTECT, related_name="superseded_by", null=True, blank=True
    )
    created_at = models.DateTimeField()
    created_by = models.ForeignKey(Person, models.PROTECT, related_name="+")

    objects = VerdictQuerySet.as_manager()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["game", "number"], name="verdict_number_unique"),
            models.CheckConstraint(
                condition=Q(supersedes=None) | ~Q(reason=""), name="verdict_correction_has_reason"
            ),
        )
        indexes = (
            models.Index(fields=["project", "composite"], name="verdict_by_composite"),
            models.Index(fields=["project", "flip_distance"], name="verdict_by_flip"),
        )

    def __str__(self) -> str:
        return f"verdict {self.number} on game {self.game_id}"
