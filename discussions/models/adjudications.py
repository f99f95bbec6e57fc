"""The decisions of leads where evaluators differ. Rows never change; the newest decision on a subject counts."""

from django.db import models
from django.db.models import Q

from discussions.models.evaluations import Evaluation
from discussions.models.games import Game
from workspace.models import Made, Person


class AdjudicationQuerySet(models.QuerySet["Adjudication"]):
    def not_superseded(self) -> "AdjudicationQuerySet":
        return self.filter(superseded_by__supersedes=None)


class Adjudication(Made):
    """The value of one subject of a game, with the reason; `adopted` is the evaluation that gave the adopted answer.

    `kind`, `subject` and `value` are as in judgements. For a marked sentence, value "" says that it is no reference.
    `sides_sha256` is the hash of the evaluators' answers at the time of the decision.
    """

    game = models.ForeignKey(Game, models.PROTECT, related_name="adjudications")
    kind = models.CharField(max_length=30)
    subject = models.CharField(max_length=200)
    number = models.PositiveIntegerField()
    value = models.CharField(max_length=40, blank=True)
    reason = models.TextField()
    adopted = models.ForeignKey(Evaluation, models.PROTECT, related_name="+", null=True, blank=True)
    sides_sha256 = models.CharField(max_length=64)
    supersedes = models.OneToOneField(
        "self", models.PROTECT, related_name="superseded_by", null=True, blank=True
    )
    key = models.CharField(max_length=160)
    body_sha256 = models.CharField(max_length=64)

    objects = AdjudicationQuerySet.as_manager()

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=["game", "kind", "subject", "number"], name="adjudication_number_unique"
            ),
            models.UniqueConstraint(fields=["created_by", "key"], name="adjudication_key_unique"),
            models.CheckConstraint(condition=~Q(reason=""), name="adjudication_has_reason"),
        )

    def __str__(self) -> str:
        return f"{self.kind} {self.subject} of game {self.game_id} resolved"


class TieRequestQuerySet(models.QuerySet["TieRequest"]):
    def waiting(self) -> "TieRequestQuerySet":
        """Those that nobody has answered yet, and whose tie is still one."""
        return self.filter(answered_at=None, ended_at=None)

    def waiting_for(self, person: Person) -> "TieRequestQuerySet":
        """The ties that wait for the person's answer, also in projects that he or she has left."""
        return self.waiting().filter(evaluator=person, game__withdrawn_at=None)


class TieRequest(Made):
    """A tie of a game that one more evaluator answers alone, without the answers of the others.

    `value` is the answer once `answered_at` is set; as in an adjudication, "" can be one. `ended_at` is set if the tie
    ended without it: the row stays, since who was asked could see roles and does not rate the game.
    """

    game = models.ForeignKey(Game, models.PROTECT, related_name="tie_requests", db_index=False)
    kind = models.CharField(max_length=30)
    subject = models.CharField(max_length=200)
    evaluator = models.ForeignKey(Person, models.PROTECT, related_name="+")
    value = models.CharField(max_length=40, blank=True, default="")
    reason = models.TextField(blank=True, default="")
    answered_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    objects = TieRequestQuerySet.as_manager()

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=["game", "kind", "subject"], condition=Q(ended_at=None), name="tie_request_once"
            ),
            models.CheckConstraint(
                condition=Q(answered_at__isnull=False) | Q(value="", reason=""), name="tie_request_answered"
            ),
        )

    def __str__(self) -> str:
        return f"{self.kind} {self.subject} of game {self.game_id} for a third evaluator"
