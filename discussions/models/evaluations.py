"""Evaluators' work on games and everything they judge there. Human work is append-only in revisions."""

from django.db import models
from django.db.models import Q

from discussions.core.evaluation_states import DRAFT, RETURNED, SUBMITTED
from discussions.core.iteration_states import QUESTION
from discussions.core.judgement_kinds import STATEMENT
from discussions.models.games import Game
from discussions.models.iterations import IDENTIFICATIONS
from discussions.models.measurements import Measured
from discussions.models.slots import CALIBRATION, RATING, REPEAT, Slot
from workspace.database.pairs import set_together
from workspace.models import Made, Person, Project
from workspace.models.revisions import KeyedRevision, Versioned

# Every save reads these columns, so they are listed: all columns of all six rows would take a third longer.
WORK_COLUMNS = (
    *(
        "id",
        "game",
        "slot",
        "evaluator",
        "purpose",
        "measured",
        "state",
        "seed",
        "identification",
        "version",
        "returned_comment",
        "shown_number",
        "submitted_at",
    ),
    "slot__lease_until",
    *("game__number", "game__content_sha256", "game__paid_usd", "game__iteration", "game__project"),
    *("game__needed_count", "game__iteration__reveal", "game__iteration__evaluator_count"),
    *("game__project__slug", "game__project__name"),
    *("measured__findings_sha256", "measured__round_offset_number"),
    *("measured__rubric_version", "measured__rubric_version__sha256"),
)


class EvaluationQuerySet(models.QuerySet["Evaluation"]):
    def visible_to(self, person: Person) -> "EvaluationQuerySet":
        """The person's own evaluations; nobody rates for another person."""
        return self.filter(evaluator=person, game__project__in=Project.objects.visible_to(person))

    def submitted_ratings(self) -> "EvaluationQuerySet":
        """Those that count for verdicts and statistics: submitted, and neither duplicates nor calibration."""
        return self.filter(purpose=RATING, state=SUBMITTED)

    def with_work(self) -> "EvaluationQuerySet":
        """With the columns of related rows that judging and its page need, in one query."""
        return self.select_related(
            "slot", "game__iteration", "game__project", "measured__rubric_version"
        ).only(*WORK_COLUMNS)


class Evaluation(Versioned):
    """One evaluator's work on one game: a draft until submitted, a draft again when returned.

    `seed` draws the accuracy samples; `identification` is how the iteration asked who said it when the slot was taken:
    an evaluation keeps the form that it began with. `version` counts every change of state or judgement. Its state
    moves as the table of `discussions.core.evaluation_states` says; `slot` is its newest slot. If the project uses
    hidden duplicates, the evaluator knows the game by `shown_number`, which no game has: always for a duplicate, and
    for a game that the queue gave whenever it is not submitted, also after it was returned. `released_reason` is the
    reason of a lead who took the slot back. `set_aside_at` is the moment when it was skipped or lapsed.
    """

    # db_index=False: the index of a constraint begins with the same column.
    game = models.ForeignKey(Game, models.PROTECT, related_name="evaluations", db_index=False)
    slot = models.ForeignKey(Slot, models.PROTECT, related_name="evaluations")
    evaluator = models.ForeignKey(Person, models.PROTECT, related_name="evaluations", db_index=False)
    purpose = models.CharField(max_length=12, default=RATING)
    measured = models.ForeignKey(Measured, models.PROTECT, related_name="evaluations")
    state = models.CharField(max_length=12, default=DRAFT)
    seed = models.CharField(max_length=32)
    identification = models.CharField(max_length=12, default=QUESTION, choices=IDENTIFICATIONS)
    created_at = models.DateTimeField()
    submitted_at = models.DateTimeField(null=True, blank=True)
    skipped_reason = models.TextField(blank=True)
    returned_comment = models.TextField(blank=True)
    released_reason = models.TextField(blank=True)
    set_aside_at = models.DateTimeField(null=True, blank=True)
    shown_number = models.PositiveIntegerField(null=True, blank=True)

    objects = EvaluationQuerySet.as_manager()

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=["game", "evaluator", "purpose"], name="evaluation_once_per_person"
            ),
            models.CheckConstraint(
                condition=Q(purpose=RATING)
                | Q(purpose=REPEAT, shown_number__isnull=False)
                | (~Q(purpose__in=(RATING, REPEAT)) & Q(shown_number=None)),
                name="evaluation_repeat_is_renumbered",
            ),
        )
        indexes = (
            models.Index(fields=["evaluator", "state"], name="evaluation_by_person"),
            # Only for queries with exactly this condition; otherwise SQLite prefers the index over all states.
            models.Index(
                fields=["evaluator"], condition=Q(state=DRAFT) | Q(state=RETURNED), name="evaluation_open"
            ),
            models.Index(
                fields=["submitted_at"],
                condition=Q(submitted_at__isnull=False),
                name="evaluation_by_submission",
            ),
        )

    @property
    def game_number(self) -> int:
        is_submitted = self.state == SUBMITTED and self.submitted_at is not None
        if self.shown_number and (self.purpose == REPEAT or not is_submitted):
            return self.shown_number
        return self.game.number

    @property
    def is_returned(self) -> bool:
        """Whether a lead returned it and it is still open, also if its slot went back meanwhile and was taken again."""
        return self.state == RETURNED or (self.state == DRAFT and bool(self.returned_comment))

    @property
    def rated_as(self) -> int:
        """The number under which its evaluator judged the game, if the game has another one now; else 0."""
        number = self.shown_number or 0
        return 0 if number == self.game_number else number

    @property
    def leads_to(self) -> str:
        """What its evaluator may look at after submitting: "feedback", "verdict" (who rates alone), else "home".

        What is rated under a shown number leads home: it may be a hidden duplicate, which has no verdict.
        """
        if self.purpose == CALIBRATION:
            return "feedback"
        is_alone = self.purpose == RATING and self.game.evaluator_count == 1 and not self.shown_number
        return "verdict" if is_alone else "home"


class JudgementQuerySet(models.QuerySet["Judgement"]):
    def counting(self) -> "JudgementQuerySet":
        """Those that verdicts, disagreements and agreement rest on: labels of statements are none of them."""
        return self.exclude(kind=STATEMENT)


class Judgement(models.Model):
    """The newest value of one subject that one evaluator judges; `version` equals the number of its revisions.

    `kind` and `subject` identify the subject, never a finding's row: ("reference", "19.2") is the second sentence
    of message 19, ("strategic_depth", "19") message 19, ("phrase", "3|i think that") player 3's phrase,
    ("identify", "3") player 3, ("attribution", "3") the third message of the blind test, ("question", "4") the fourth
    question, ("rating", "") the rating, ("statement", "19.2") whether the author of that sentence believed it. Value ""
    is unset.
    """

    evaluation = models.ForeignKey(Evaluation, models.PROTECT, related_name="judgements", db_index=False)
    kind = models.CharField(max_length=30)
    subject = models.CharField(max_length=200)
    value = models.CharField(max_length=40, blank=True)
    reason = models.TextField(blank=True)
    blind_value = models.CharField(max_length=40, blank=True)
    version = models.PositiveIntegerField(default=0)

    objects = JudgementQuerySet.as_manager()

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=["evaluation", "kind", "subject"], name="judgement_once_per_subject"
            ),
        )

    def __str__(self) -> str:
        return f"{self.kind} {self.subject} = {self.value or 'unset'}"


class RevisionQuerySet(models.QuerySet["Revision"]):
    def undoable(self, evaluation: Evaluation | int | models.OuterRef) -> "RevisionQuerySet":
        """Acts of an evaluation that neither undo another act nor were undone, newest first."""
        undoing = Revision.objects.filter(
            judgement=models.OuterRef("judgement"), undoes=models.OuterRef("version")
        )
        acts = self.filter(judgement__evaluation=evaluation, undoes=None).exclude(models.Exists(undoing))
        return acts.order_by("-pk")


class Revision(KeyedRevision):
    """One act on a judgement, never changed: the value, the moment and the phase."""

    judgement = models.ForeignKey(Judgement, models.PROTECT, related_name="revisions", db_index=False)
    value = models.CharField(max_length=40, blank=True)
    phase = models.CharField(max_length=10, choices=[("blind", "blind"), ("revealed", "revealed")])

    objects = RevisionQuerySet.as_manager()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["judgement", "version"], name="revision_version_unique"),
            models.UniqueConstraint(fields=["created_by", "key"], name="revision_key_unique"),
        )


class Reveal(models.Model):
    """What an evaluator was shown, when: "roles", "scores", "thoughts", "metric:coherence", "reference:19.2" and so on.

    "suggestions:12.1-40.2": the evaluator looked at the suggested references from one to another; "suggestions": at
    all of them. "more:role_consistency:2": the evaluator asked for a second batch of further messages.
    """

    evaluation = models.ForeignKey(Evaluation, models.PROTECT, related_name="reveals", db_index=False)
    what = models.CharField(max_length=60)
    created_at = models.DateTimeField()

    class Meta:
        constraints = (models.UniqueConstraint(fields=["evaluation", "what"], name="reveal_once"),)

    def __str__(self) -> str:
        return f"{self.what} shown in evaluation {self.evaluation_id}"


class Remark(Made):
    """A flag or a comment with a target ("message:19", "game", "reference:19.2") and, once resolved, a resolution."""

    evaluation = models.ForeignKey(Evaluation, models.PROTECT, related_name="remarks")
    kind = models.CharField(max_length=10, choices=[("flag", "flag"), ("comment", "comment")])
    target = models.CharField(max_length=60)
    text = models.TextField(blank=True)
    key = models.CharField(max_length=160)
    body_sha256 = models.CharField(max_length=64)
    resolved_at = models.DateTimeField(null=True, blank=True)
    resolved_by = models.ForeignKey(Person, models.PROTECT, related_name="+", null=True, blank=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["created_by", "key"], name="remark_key_unique"),
            set_together("resolved_at", "resolved_by", name="remark_resolved_pair"),
        )
        indexes = (
            models.Index(
                fields=["evaluation"], condition=Q(kind="flag", resolved_at=None), name="remark_open_flag"
            ),
        )

    def __str__(self) -> str:
        return f"{self.kind} on {self.target}"


class FlagReply(Made):
    flag = models.ForeignKey(Remark, models.PROTECT, related_name="replies")
    text = models.TextField()


class Category(Made):
    """A short free text for what somebody saw in messages and games."""

    project = models.ForeignKey(Project, models.PROTECT, related_name="categories")
    name = models.CharField(max_length=80)

    def __str__(self) -> str:
        return self.name


class CategoryEnd(Made):
    """A category was merged into another, for which its codes count, or removed. Its codes keep it."""

    category = models.OneToOneField(Category, models.PROTECT, related_name="end")
    merged_into = models.ForeignKey(Category, models.PROTECT, related_name="merged", null=True, blank=True)


class Coding(Made):
    """A code by one lead, on a message or on the whole game (message 0); taken back, it stays with who and when."""

    category = models.ForeignKey(Category, models.PROTECT, related_name="codings")
    game = models.ForeignKey(Game, models.PROTECT, related_name="codings")
    message = models.PositiveIntegerField(default=0)
    removed_at = models.DateTimeField(null=True, blank=True)
    removed_by = models.ForeignKey(Person, models.PROTECT, related_name="+", null=True, blank=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=["game", "message", "category", "created_by"],
                condition=Q(removed_at=None),
                name="coding_once",
            ),
            set_together("removed_at", "removed_by", name="coding_removed_pair"),
        )

    def __str__(self) -> str:
        return f"code {self.pk} on message {self.message}"
