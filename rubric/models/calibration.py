"""Calibration rounds of a set: comparisons with agreed marks, reviewed to see whether people judge as agreed."""

from django.db import models
from django.db.models import Q

from rubric.models.comparisons import Comparison, ComparisonSet, Reviewer
from workspace.database.pairs import set_together
from workspace.models import Made, Person


class CalibrationRound(Made):
    """One round of a set. A required round comes before any other review; only one round is open at a time.

    It is passed by whoever gives at least `pass_percent` of a hundred marks within `mark_within` points of the agreed
    ones, and in at least `first_percent` of a hundred comparisons puts the agreed response first.
    """

    set = models.ForeignKey(ComparisonSet, models.PROTECT, related_name="calibration_rounds")
    number = models.PositiveIntegerField()
    name = models.CharField(max_length=200)
    is_required = models.BooleanField(default=True)
    mark_within = models.DecimalField(max_digits=3, decimal_places=2, default=1)
    pass_percent = models.PositiveSmallIntegerField(default=80)
    first_percent = models.PositiveSmallIntegerField(default=0)
    closed_at = models.DateTimeField(null=True, blank=True)
    closed_by = models.ForeignKey(Person, models.PROTECT, related_name="+", null=True, blank=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["set", "number"], name="set_calibration_number_unique"),
            models.UniqueConstraint(
                fields=["set"], condition=Q(closed_at=None), name="set_calibration_one_open"
            ),
            models.CheckConstraint(
                condition=Q(pass_percent__gte=1, pass_percent__lte=100, first_percent__lte=100),
                name="set_calibration_percents",
            ),
            models.CheckConstraint(
                condition=Q(mark_within__gte=0, mark_within__lte=9), name="set_calibration_mark_within"
            ),
            set_together("closed_at", "closed_by", name="set_calibration_closed_pair"),
        )

    def __str__(self) -> str:
        return self.name


class CalibrationComparison(models.Model):
    """One comparison of a round and its key: canonical JSON of number of the response -> criterion -> agreed mark.

    The holistic score is under "holistic". Marks are exact, such as "15/2". `note` says why the marks are these; people
    read it after they submit. From now on, reviews of the comparison do not count.
    """

    round = models.ForeignKey(CalibrationRound, models.PROTECT, related_name="comparisons")
    comparison = models.ForeignKey(Comparison, models.PROTECT, related_name="calibrations")
    place = models.PositiveSmallIntegerField()
    key = models.TextField()
    note = models.TextField(blank=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["round", "comparison"], name="set_calibration_comparison_once"),
            models.UniqueConstraint(fields=["round", "place"], name="set_calibration_place_unique"),
        )


class CalibrationWaiver(Made):
    """A lead's permission, with the reason, that somebody who did not pass a round may review."""

    round = models.ForeignKey(CalibrationRound, models.PROTECT, related_name="waivers")
    reviewer = models.ForeignKey(Reviewer, models.PROTECT, related_name="+")
    reason = models.TextField()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["round", "reviewer"], name="set_calibration_waiver_once"),
            models.CheckConstraint(condition=~Q(reason=""), name="set_calibration_waiver_has_reason"),
        )
