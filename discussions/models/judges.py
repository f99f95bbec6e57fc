"""Judges: models that are asked what evaluators answer about games. What they say never enters an evaluation."""

from decimal import Decimal

from django.db import models
from django.db.models import Q

from discussions.core.judgement_kinds import HELPS, STRATA
from discussions.models.games import Game
from discussions.models.slots import RATING, REPEAT
from rubric.models import RubricVersion
from rubric.models.reviews import ModelReply
from workspace.database.pairs import set_together
from workspace.models import Made, Person, Project

OPEN, ANSWERED, UNREADABLE, FAILED = "open", "answered", "unreadable", "failed"
# Why an admission ended; the last two are that the judge was.
WITHDRAWN, REPLACED, SUSPENDED, ENDED = ENDS = ("withdrawn", "replaced", "suspended", "ended")
STATES = [(state, state) for state in (OPEN, ANSWERED, UNREADABLE, FAILED)]


class Judge(Made):
    """A model with its parameters and its prompt: `identity` is the hash of the three, and never changes.

    With `is_called` this site calls it, else its answers are pasted or uploaded. Calls stop when they have cost
    `budget_usd`. Whoever suspends it says why; an ended judge is asked nothing more.
    """

    event_kind = "judge"
    project = models.ForeignKey(Project, models.PROTECT, related_name="judges")
    number = models.PositiveIntegerField()
    name = models.CharField(max_length=200)
    model = models.CharField(max_length=200)
    is_called = models.BooleanField(default=False)
    parameters = models.JSONField(default=dict)
    prompt = models.TextField()
    identity = models.CharField(max_length=64)
    budget_usd = models.DecimalField(max_digits=8, decimal_places=2, null=True, blank=True)
    suspended_at = models.DateTimeField(null=True, blank=True)
    suspended_by = models.ForeignKey(Person, models.PROTECT, related_name="+", null=True, blank=True)
    suspended_reason = models.TextField(blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    ended_by = models.ForeignKey(Person, models.PROTECT, related_name="+", null=True, blank=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["project", "number"], name="judge_number_unique"),
            models.UniqueConstraint(fields=["project", "identity"], name="judge_identity_unique"),
            set_together("suspended_at", "suspended_by", name="judge_suspended_pair"),
            set_together("ended_at", "ended_by", name="judge_ended_pair"),
        )

    def __str__(self) -> str:
        return self.name

    @property
    def is_active(self) -> bool:
        return self.suspended_at is None and self.ended_at is None


class Admission(models.Model):
    """What a lead lets a judge do for one metric and side ("" for all): `use` is what its contract said then.

    `figures` are those of that contract. It ends when it is withdrawn, when another judge is admitted in its place, or
    when the judge is suspended or ended. At most one of a project is open for a metric and side.
    """

    judge = models.ForeignKey(Judge, models.PROTECT, related_name="admissions")
    metric = models.CharField(max_length=30)
    side = models.CharField(max_length=20, blank=True)
    use = models.CharField(max_length=12, choices=[(use, use) for use in (HELPS, STRATA)])
    figures = models.JSONField(default=dict)
    admitted_at = models.DateTimeField()
    admitted_by = models.ForeignKey(Person, models.PROTECT, related_name="+")
    ended_at = models.DateTimeField(null=True, blank=True)
    ended_by = models.ForeignKey(Person, models.PROTECT, related_name="+", null=True, blank=True)
    ended_why = models.CharField(max_length=12, blank=True, choices=[(why, why) for why in ENDS])

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=["judge", "metric", "side"], condition=Q(ended_at=None), name="admission_open_once"
            ),
            set_together("ended_at", "ended_by", name="admission_ended_pair"),
        )

    def __str__(self) -> str:
        return f"judge {self.judge_id} {self.use} {self.metric} {self.side}"


class JudgePrompt(Made):
    """One prompt for a judge: items of one kind in one game, in the order that `seed` draws.

    Its text is built from the game, the rubric version and the seed; `sha256` is its hash as it was made. A repeat asks
    again, in another order and under other names, what was asked before.
    """

    # db_index=False: the index of a constraint begins with the same column.
    judge = models.ForeignKey(Judge, models.PROTECT, related_name="prompts", db_index=False)
    number = models.PositiveIntegerField()
    game = models.ForeignKey(Game, models.PROTECT, related_name="+")
    rubric_version = models.ForeignKey(RubricVersion, models.PROTECT, related_name="+", db_index=False)
    kind = models.CharField(max_length=30)
    purpose = models.CharField(
        max_length=12, choices=[(RATING, "rating"), (REPEAT, "repeat")], default=RATING
    )
    seed = models.CharField(max_length=32)
    subjects = models.JSONField(default=list)
    sha256 = models.CharField(max_length=64)
    state = models.CharField(max_length=12, choices=STATES, default=OPEN)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["judge", "number"], name="judge_prompt_number_unique"),
        )
        indexes = (
            models.Index(fields=["judge", "number"], condition=Q(state=OPEN), name="judge_prompt_open"),
        )

    def __str__(self) -> str:
        return f"prompt {self.number} for judge {self.judge_id}"


class JudgeReply(ModelReply):
    """What came for a prompt. `flags` are what the reader with the number `reader` noted: what it left out, and why."""

    prompt = models.ForeignKey(JudgePrompt, models.PROTECT, related_name="replies", db_index=False)
    reader = models.PositiveSmallIntegerField(default=1)
    flags = models.JSONField(default=list)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["prompt", "attempt"], name="judge_reply_attempt_unique"),
            models.CheckConstraint(
                condition=Q(cost_usd=None) | Q(cost_usd__gte=Decimal(0)), name="judge_reply_cost_not_negative"
            ),
        )

    def __str__(self) -> str:
        return f"reply {self.attempt} to prompt {self.prompt_id}"


class JudgeAnswer(models.Model):
    """A judge's answer on one subject; "" where it said that it cannot tell. Never changed, and never a judgement."""

    prompt = models.ForeignKey(JudgePrompt, models.PROTECT, related_name="answers", db_index=False)
    subject = models.CharField(max_length=200)
    value = models.CharField(max_length=40, blank=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["prompt", "subject"], name="judge_answer_once_per_subject"),
        )

    def __str__(self) -> str:
        return f"{self.subject} = {self.value or 'cannot tell'}"
