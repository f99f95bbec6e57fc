"""Calibration rounds: games with an agreed key that evaluators rate to see whether they judge as the team does."""

from django.db import models
from django.db.models import Q

from discussions.models.games import Game
from discussions.models.verdicts import Verdict
from workspace.database.pairs import set_together
from workspace.models import Made, Person, Project


class CalibrationRound(Made):
    """One round of a project, with its games from the beginning. A required round comes before any other game; only
    one round is open at a time.

    An evaluator passes if, over all games of the round, at least `pass_percent` percent of their answers equal the key,
    and their ratings are on average within `rating_within` of the key's ratings.
    """

    event_kind = "calibration"
    project = models.ForeignKey(Project, models.PROTECT, related_name="calibration_rounds")
    number = models.PositiveIntegerField()
    name = models.CharField(max_length=200)
    is_required = models.BooleanField(default=True)
    pass_percent = models.PositiveSmallIntegerField(default=80)
    rating_within = models.DecimalField(max_digits=3, decimal_places=2, default=1)
    closed_at = models.DateTimeField(null=True, blank=True)
    closed_by = models.ForeignKey(Person, models.PROTECT, related_name="+", null=True, blank=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["project", "number"], name="calibration_number_unique"),
            models.UniqueConstraint(
                fields=["project"],
                condition=Q(closed_at=None),
                name="calibration_one_open_per_project",
            ),
            models.CheckConstraint(
                condition=Q(pass_percent__gte=1, pass_percent__lte=100), name="calibration_pass_percent"
            ),
            models.CheckConstraint(
                condition=Q(rating_within__gte=0, rating_within__lte=4), name="calibration_rating_within"
            ),
            set_together("closed_at", "closed_by", name="calibration_closed_pair"),
        )

    def __str__(self) -> str:
        return self.name


class CalibrationGame(models.Model):
    """One game of a round and its key: canonical JSON of kind -> subject -> value, as its verdict had it.

    `note` explains to the evaluator, after they submitted, what the team agreed on and why.
    """

    round = models.ForeignKey(CalibrationRound, models.PROTECT, related_name="games")
    game = models.ForeignKey(Game, models.PROTECT, related_name="+")
    place = models.PositiveSmallIntegerField()
    verdict = models.ForeignKey(Verdict, models.PROTECT, related_name="+")
    key = models.TextField()
    note = models.TextField(blank=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["round", "game"], name="calibration_game_once"),
            models.UniqueConstraint(fields=["round", "place"], name="calibration_place_unique"),
        )


class CalibrationWaiver(Made):
    """A lead's permission to rate for a person who did not pass a round, with the reason."""

    round = models.ForeignKey(CalibrationRound, models.PROTECT, related_name="waivers")
    person = models.ForeignKey(Person, models.PROTECT, related_name="+")
    reason = models.TextField()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["round", "person"], name="calibration_waiver_once"),
            models.CheckConstraint(condition=~Q(reason=""), name="calibration_waiver_has_reason"),
        )
