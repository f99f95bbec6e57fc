"""Results of jobs, stored with the hash of their input: figures of sets, impact of drafts. Also surveys."""

from django.db import models
from django.db.models import Q

from rubric.models.comparisons import Comparison, ComparisonSet
from rubric.models.rubrics import RubricVersion
from workspace.models import Made, Person
from workspace.models.stored_statistics import StoredStatistics


class SetFigures(StoredStatistics):
    """Figures of a comparison set that take too long for a page: `kind` "success", "tuning" or "agreement".

    `input_sha256` is the hash of the reviews, the weights and the code version from which they were computed.
    """

    set = models.ForeignKey(ComparisonSet, models.PROTECT, related_name="figures")
    kind = models.CharField(max_length=20)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["set", "kind", "input_sha256"], name="set_figures_unique"),
        )


class ImpactPreview(Made):
    """What publishing a draft would change. `sha256` is the draft's hash, `body` the JSON of the impact.

    `basis_sha256` is the hash of everything scored that the preview read, `part` is "games" or "comparisons".
    """

    version = models.ForeignKey(RubricVersion, models.PROTECT, related_name="previews")
    part = models.CharField(max_length=20)
    sha256 = models.CharField(max_length=64)
    basis_sha256 = models.CharField(max_length=64, blank=True)
    body = models.TextField()

    class Meta:
        indexes = (models.Index(fields=["version", "part", "sha256"], name="preview_by_draft"),)


class Survey(models.Model):
    """One person's survey after a result page: whether it is understood, and which criterion separated two responses.

    `arm`, "with" or "without" the breakdown by criteria, is assigned when the page is first opened. `pair` holds the
    numbers of the two responses asked about. `understood` is 1 to 5, `is_right` whether `named` is what separated them.
    """

    comparison = models.ForeignKey(Comparison, models.PROTECT, related_name="surveys")
    person = models.ForeignKey(Person, models.PROTECT, related_name="+")
    arm = models.CharField(max_length=8, choices=[("with", "with"), ("without", "without")])
    pair = models.JSONField(default=list)
    understood = models.PositiveSmallIntegerField(null=True, blank=True)
    named = models.CharField(max_length=120, blank=True)
    is_right = models.BooleanField(null=True, blank=True)
    text = models.TextField(blank=True)
    created_at = models.DateTimeField()
    answered_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["comparison", "person"], name="survey_once_per_person"),
            models.CheckConstraint(
                condition=Q(understood=None) | Q(understood__gte=1, understood__lte=5),
                name="survey_understood_fits",
            ),
        )
