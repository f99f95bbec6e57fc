"""Comparisons: questions with responses, in sets that share a rubric version, a mode and reviewers."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from rubric.core.records import BOTH, HOLISTIC, MOST_REPEATS, MOST_RESPONSES, RUBRIC
from rubric.models.rubrics import RubricVersion
from workspace.database.pairs import set_together
from workspace.models import Made, Person, Project

MODES = [(HOLISTIC, "holistic"), (RUBRIC, "rubric"), (BOTH, "both")]
PERSON = "person"
MODEL = "model"
ELSEWHERE = "elsewhere"
REVIEWER_KINDS = [(PERSON, "person"), (MODEL, "model"), (ELSEWHERE, "reviewed elsewhere")]


class ComparisonSetQuerySet(models.QuerySet["ComparisonSet"]):
    def visible_to(self, person: Person) -> "ComparisonSetQuerySet":
        """The sets of projects that a person leads, and the sets in which the person reviews; all sets for an admin."""
        if person.is_admin:
            return self
        member = Q(project__memberships__person=person, project__memberships__ended_at=None)
        leads = member & Q(project__memberships__role="lead")
        reviews = Q(
            reviewers__person=person, reviewers__ended_at=None, project__in=Project.objects.visible_to(person)
        )
        return self.filter(Q(pk__in=self.model.objects.filter(leads).values("pk")) | reviews).distinct()


class ComparisonSet(Made):
    """Questions that are reviewed in the same way: under one rubric version, in one mode, by the same reviewers.

    Its number counts within the project. If there is a second round, reviewers see the others' reviews once all have
    submitted the first, and may revise. A closed set takes no more reviews. `people_needed` of its people review each
    comparison; None means all of them. `repeat_percent` of a person's comparisons are hidden duplicates.
    """

    project = models.ForeignKey(Project, models.PROTECT, related_name="comparison_sets")
    number = models.PositiveIntegerField()
    name = models.CharField(max_length=200)
    rubric_version = models.ForeignKey(RubricVersion, models.PROTECT, related_name="comparison_sets")
    mode = models.CharField(max_length=12, choices=MODES)
    has_second_round = models.BooleanField(default=False)
    people_needed = models.PositiveSmallIntegerField(null=True, blank=True)
    repeat_percent = models.PositiveSmallIntegerField(default=0)
    closed_at = models.DateTimeField(null=True, blank=True)
    closed_by = models.ForeignKey(Person, models.PROTECT, related_name="+", null=True, blank=True)

    objects = ComparisonSetQuerySet.as_manager()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["project", "number"], name="comparison_set_number_unique"),
            set_together("closed_at", "closed_by", name="comparison_set_closed_pair"),
            models.CheckConstraint(
                condition=Q(mode__in=[HOLISTIC, RUBRIC, BOTH]), name="comparison_set_mode_known"
            ),
            # A person who saw others' scores in a second round does not review the comparison again.
            models.CheckConstraint(
                condition=Q(repeat_percent=0) | Q(repeat_percent__lte=MOST_REPEATS, has_second_round=False),
                name="comparison_set_repeats_fit",
            ),
        )

    def __str__(self) -> str:
        return self.name


class Comparison(Made):
    """One question of a set. Its number counts within the set; `key` is the name that its importer gave it."""

    set = models.ForeignKey(ComparisonSet, models.PROTECT, related_name="comparisons")
    number = models.PositiveIntegerField()
    key = models.CharField(max_length=120)
    question = models.TextField()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["set", "number"], name="comparison_number_unique"),
            models.UniqueConstraint(fields=["set", "key"], name="comparison_key_unique"),
        )


class Response(models.Model):
    """One response of a comparison; its number counts from 1 in the order of import.

    `author` names the model or person that wrote it, "" if unknown; `written_by` is the author's account, if there is
    one. Reviewers never see either.
    """

    comparison = models.ForeignKey(Comparison, models.PROTECT, related_name="responses")
    number = models.PositiveSmallIntegerField()
    key = models.CharField(max_length=120)
    text = models.TextField()
    word_count = models.PositiveIntegerField()
    author = models.CharField(max_length=200, blank=True)
    written_by = models.ForeignKey(Person, models.PROTECT, related_name="+", null=True, blank=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["comparison", "number"], name="response_number_unique"),
            models.UniqueConstraint(fields=["comparison", "key"], name="response_key_unique"),
            models.CheckConstraint(
                condition=Q(number__gte=1, number__lte=MOST_RESPONSES), name="response_number_fits"
            ),
        )


class Reviewer(Made):
    """A reviewer of every comparison of a set: a person of the project, a model, or an external reviewer.

    `model` and `parameters` are what a live call sends; `name` is the name of the model or the external reviewer. A
    person who could see answers or results of the set is not blind from `could_see_since` on.
    """

    set = models.ForeignKey(ComparisonSet, models.PROTECT, related_name="reviewers")
    kind = models.CharField(max_length=12, choices=REVIEWER_KINDS)
    name = models.CharField(max_length=200)
    person = models.ForeignKey(Person, models.PROTECT, related_name="reviewers", null=True, blank=True)
    model = models.CharField(max_length=200, blank=True)
    parameters = models.JSONField(default=dict)
    could_see_since = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    ended_by = models.ForeignKey(Person, models.PROTECT, related_name="+", null=True, blank=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=["set", "person"], condition=Q(person__isnull=False), name="reviewer_person_once"
            ),
            models.UniqueConstraint(
                fields=["set", "kind", "name"], condition=Q(person=None), name="reviewer_name_once"
            ),
            models.CheckConstraint(
                condition=Q(kind=PERSON, person__isnull=False) | Q(kind__in=[MODEL, ELSEWHERE], person=None),
                name="reviewer_kind_fits",
            ),
            set_together("ended_at", "ended_by", name="reviewer_ended_pair"),
        )

    def __str__(self) -> str:
        return self.name


class ScoringChoice(Made):
    """One choice of an admin: whether new sets are scored by criterion too. The newest counts; rows never change."""

    is_on = models.BooleanField()

    def __str__(self) -> str:
        return "on" if self.is_on else "off"


def is_scored_by_criterion() -> bool:
    """Whether new sets begin with scores by criterion: as the last admin chose, else as DEFAULT_RUBRIC_SCORING says."""
    chosen = ScoringChoice.objects.order_by("-pk").values_list("is_on", flat=True).first()
    return bool(settings.DEFAULT_RUBRIC_SCORING) if chosen is None else chosen


def default_mode() -> str:
    return BOTH if is_scored_by_criterion() else HOLISTIC
