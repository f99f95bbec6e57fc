"""Reviews: one reviewer's judgement of one comparison in one round, act by act and as submitted."""

from decimal import Decimal

from django.db import models
from django.db.models import Q

from rubric.models.comparisons import Comparison, Response, Reviewer
from workspace.database.pairs import set_together
from workspace.models import Made, Person, Project
from workspace.models.revisions import KeyedRevision, Versioned

DRAFT = "draft"
SUBMITTED = "submitted"
SUPERSEDED = "superseded"
# Submitted in a calibration round or as a hidden duplicate: counts nowhere. Whatever counts reviews asks for SUBMITTED.
SET_APART = "set_apart"
RATING, CALIBRATION, REPEAT = "rating", "calibration", "repeat"
PURPOSES = [(RATING, "rating"), (CALIBRATION, "calibration"), (REPEAT, "repeat")]
PASTED, UPLOADED, FETCHED = "pasted", "uploaded", "fetched"
SOURCES = [(PASTED, "pasted"), (UPLOADED, "uploaded"), (FETCHED, "fetched")]


class ReviewQuerySet(models.QuerySet["Review"]):
    def visible_to(self, person: Person) -> "ReviewQuerySet":
        """A person's own reviews, in projects where the person is still a member; nobody reviews for somebody else."""
        return self.filter(
            reviewer__person=person,
            reviewer__ended_at=None,
            reviewer__set__project__in=Project.objects.visible_to(person),
        ).exclude(state=SUPERSEDED)

    def submitted(self) -> "ReviewQuerySet":
        return self.filter(state=SUBMITTED)


class Review(Versioned):
    """One reviewer's review of one comparison in one round.

    `order` lists the numbers of the responses as they are shown: the first is Response A. A person's own responses are
    not shown. `version` counts every act. The submitted content is in `reviewed` rows and in `mode`, `ranking`,
    `reported_ranking` and `flags`, which are empty before. Asking a model again supersedes its earlier review.

    `reader` is the number of the reader that read an answer. A review that reads the same answer again, or corrects how
    it was read, has the review of the answer as `read_from`; `correction` holds what a person corrected.
    `criteria_first` says that the reviewer saw the criteria before giving holistic scores. `is_blind` says that the
    reviewer could not see answers or results of the set before submitting.

    A review with a `purpose` other than rating counts nowhere.
    """

    comparison = models.ForeignKey(Comparison, models.PROTECT, related_name="reviews")
    reviewer = models.ForeignKey(Reviewer, models.PROTECT, related_name="reviews")
    round = models.PositiveSmallIntegerField(default=1)
    purpose = models.CharField(max_length=12, choices=PURPOSES, default=RATING)
    state = models.CharField(max_length=12, default=DRAFT)
    seed = models.CharField(max_length=32)
    order = models.JSONField()
    mode = models.CharField(max_length=12, blank=True)
    ranking = models.JSONField(default=list)
    reported_ranking = models.JSONField(null=True, blank=True)
    flags = models.JSONField(default=list)
    reader = models.PositiveSmallIntegerField(default=1)
    read_from = models.ForeignKey("self", models.PROTECT, related_name="readings", null=True, blank=True)
    correction = models.JSONField(default=dict, blank=True)
    corrected_by = models.ForeignKey(Person, models.PROTECT, related_name="+", null=True, blank=True)
    corrected_at = models.DateTimeField(null=True, blank=True)
    criteria_first = models.BooleanField(default=False)
    is_blind = models.BooleanField(default=True)
    created_at = models.DateTimeField()
    submitted_at = models.DateTimeField(null=True, blank=True)

    objects = ReviewQuerySet.as_manager()

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=["comparison", "reviewer", "round", "purpose"],
                condition=~Q(state=SUPERSEDED),
                name="review_once_per_round",
            ),
            models.CheckConstraint(condition=Q(round__in=[1, 2]), name="review_round_known"),
            set_together("corrected_at", "corrected_by", name="review_corrected_pair"),
            models.CheckConstraint(
                condition=Q(state=DRAFT, submitted_at=None)
                | Q(state=SUBMITTED, submitted_at__isnull=False, purpose=RATING)
                | Q(state=SET_APART, submitted_at__isnull=False, purpose__in=[CALIBRATION, REPEAT])
                | Q(state=SUPERSEDED, purpose=RATING),
                name="review_state_fits",
            ),
            models.CheckConstraint(
                condition=Q(purpose=RATING) | Q(purpose__in=[CALIBRATION, REPEAT], round=1),
                name="review_purpose_fits",
            ),
        )
        indexes = (models.Index(fields=["reviewer", "state"], name="review_by_reviewer"),)

    @property
    def source(self) -> "Review":
        """The review that the answer and its prompt belong to: this one, or the one whose answer it reads again."""
        return self.read_from or self

    @property
    def source_id(self) -> int:
        return self.read_from_id or self.pk


class ReviewedResponse(models.Model):
    """What a submitted review gives one response. Never changed.

    `scores` holds the criteria that were scored and no others, `position` counts from 1 in the order of the review.
    `is_own` says that the reviewer wrote the response (models only: people never see their own).
    """

    review = models.ForeignKey(Review, models.PROTECT, related_name="reviewed")
    response = models.ForeignKey(Response, models.PROTECT, related_name="reviewed")
    position = models.PositiveSmallIntegerField()
    scores = models.JSONField(default=dict)
    holistic = models.FloatField(null=True, blank=True)
    reported_overall = models.FloatField(null=True, blank=True)
    is_incomplete = models.BooleanField(default=False)
    is_own = models.BooleanField(default=False)
    notes = models.TextField(blank=True)
    # Why a criterion could not be judged, by its key ("holistic" for the holistic score).
    cannot_judge = models.JSONField(default=dict)

    class Meta:
        constraints = (models.UniqueConstraint(fields=["review", "response"], name="reviewed_response_once"),)


class Mark(models.Model):
    """The newest value of one entry in a person's draft review; `version` equals the number of its revisions.

    `kind` and `subject` say what it is about: ("holistic", "2") is the second response overall, ("score", "2.accuracy")
    one of its criteria, ("notes", "2"), ("ranking", ""). The value "" means unset, "cannot" means cannot judge, with
    its `reason`.
    """

    # db_index=False: the index of a constraint begins with the same column.
    review = models.ForeignKey(Review, models.PROTECT, related_name="marks", db_index=False)
    kind = models.CharField(max_length=12)
    subject = models.CharField(max_length=120)
    value = models.TextField(blank=True)
    reason = models.TextField(blank=True)
    version = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["review", "kind", "subject"], name="mark_once_per_subject"),
        )

    def __str__(self) -> str:
        return f"{self.kind} {self.subject} = {self.value or 'unset'}"


class MarkRevision(KeyedRevision):
    """Never changed."""

    mark = models.ForeignKey(Mark, models.PROTECT, related_name="revisions", db_index=False)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["mark", "version"], name="mark_revision_version_unique"),
            models.UniqueConstraint(fields=["created_by", "key"], name="mark_revision_key_unique"),
        )


class ModelPrompt(models.Model):
    """The prompt for a model. Never changed; the nonce marks where the untrusted text begins and ends."""

    text = models.TextField()
    nonce = models.CharField(max_length=64)
    sha256 = models.CharField(max_length=64)
    created_at = models.DateTimeField()

    class Meta:
        abstract = True


class ReviewPrompt(ModelPrompt):
    review = models.OneToOneField(Review, models.PROTECT, related_name="prompt")


class WholePrompt(ModelPrompt):
    """The prompt that asks for the holistic score, in a separate call that names no criterion."""

    review = models.OneToOneField(Review, models.PROTECT, related_name="whole_prompt")


class ModelReply(Made):
    """A text of a model as it was pasted, uploaded or fetched, or why there is none. Never changed.

    `error_code` and `error` say what went wrong with a call.
    """

    attempt = models.PositiveSmallIntegerField(default=1)
    source = models.CharField(max_length=12, choices=SOURCES)
    text = models.TextField(blank=True)
    finish_reason = models.CharField(max_length=40, blank=True)
    prompt_tokens = models.PositiveIntegerField(null=True, blank=True)
    answer_tokens = models.PositiveIntegerField(null=True, blank=True)
    cost_usd = models.DecimalField(max_digits=12, decimal_places=6, null=True, blank=True)
    took_ms = models.PositiveIntegerField(null=True, blank=True)
    error_code = models.CharField(max_length=40, blank=True)
    error = models.TextField(blank=True)

    class Meta:
        abstract = True


class Answer(ModelReply):
    """One raw answer of a model, before anything is read from it.

    `part` is "whole" for an answer to the prompt for the holistic score, `parameters` are those of the call.
    """

    review = models.ForeignKey(Review, models.PROTECT, related_name="answers")
    part = models.CharField(max_length=10, blank=True)
    model = models.CharField(max_length=200, blank=True)
    parameters = models.JSONField(default=dict)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["review", "attempt"], name="answer_attempt_unique"),
            models.CheckConstraint(
                condition=Q(cost_usd=None) | Q(cost_usd__gte=Decimal(0)), name="answer_cost_not_negative"
            ),
        )
