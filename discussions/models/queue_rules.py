"""Which games of a project enter its queue, how it gives them out, and the rules once they are rated.

Without a row, the defaults apply.
"""

import msgspec
from django.db import models
from django.db.models import Q

from discussions.core.intake import Filling
from discussions.models.games import Game
from workspace.database.pairs import set_together
from workspace.models import Made, Person, Project

CLOSEST, BY_CHANCE, OLDEST = "closest", "random", "oldest"
ORDERS = [
    (CLOSEST, "closest to another verdict first, the rest in random order"),
    (BY_CHANCE, "in random order, each person their own"),
    (OLDEST, "oldest first"),
]
MOST_REPEATS = 50


class QueueRule(models.Model):
    """The order of a project's games, and the percentage of hidden duplicates among those given out (0 by default)."""

    project = models.OneToOneField(Project, models.PROTECT, related_name="queue_rule", primary_key=True)
    order = models.CharField(max_length=12, default=CLOSEST, choices=ORDERS)
    repeat_percent = models.PositiveSmallIntegerField(default=0)
    changed_at = models.DateTimeField()
    changed_by = models.ForeignKey(Person, models.PROTECT, related_name="+")

    class Meta:
        constraints = (
            models.CheckConstraint(
                condition=Q(repeat_percent__lte=MOST_REPEATS), name="queue_rule_repeat_percent"
            ),
        )


def load_queue_rule(project: Project) -> QueueRule:
    """The project's rule; an unsaved row with the defaults if there is none."""
    return next(iter(QueueRule.objects.filter(project=project)), None) or QueueRule(project=project)


class FillRules(Made):
    """One version of the rules by which games enter the queue, as JSON of `Filling`; never changed; the newest counts.

    `is_applied` says that games that waited when it was saved passed it, too.
    """

    project = models.ForeignKey(Project, models.PROTECT, related_name="fill_rules")
    number = models.PositiveIntegerField()
    body = models.TextField()
    is_applied = models.BooleanField(default=False)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["project", "number"], name="fill_rules_number_unique"),
        )

    def __str__(self) -> str:
        return f"fill rules {self.number} of project {self.project_id}"

    def to_record(self) -> Filling:
        return msgspec.json.decode(self.body, type=Filling)


def load_fill_rules(project: int) -> FillRules | None:
    return FillRules.objects.filter(project=project).order_by("-number").first()


class QueueDraw(models.Model):
    """Whether a game is in the queue, and who decided: a row of a version of the rules, or a lead by hand.

    Games without a row are in it. `row` counts from 1, 0 without rules. `probability` is that of the draw, and never
    changes once somebody has started the game. `chance` is the probability that the game is in at all, which a larger
    share of a later version raises; 0 where a lead put in what was not drawn. Estimates weight by it.
    """

    game = models.OneToOneField(Game, models.PROTECT, related_name="queue_draw", primary_key=True)
    rules = models.ForeignKey(FillRules, models.PROTECT, related_name="draws", null=True, blank=True)
    row = models.PositiveSmallIntegerField(default=0)
    probability = models.FloatField(default=1.0)
    chance = models.FloatField(default=1.0)
    is_in = models.BooleanField()
    drawn_at = models.DateTimeField()
    placed_at = models.DateTimeField(null=True, blank=True)
    placed_by = models.ForeignKey(Person, models.PROTECT, related_name="+", null=True, blank=True)

    class Meta:
        constraints = (
            models.CheckConstraint(
                condition=Q(probability__gte=0, probability__lte=1, chance__gte=0, chance__lte=1),
                name="queue_draw_probability",
            ),
            models.CheckConstraint(
                condition=Q(rules__isnull=False, row__gte=1) | Q(rules=None, row=0), name="queue_draw_row"
            ),
            set_together("placed_at", "placed_by", name="queue_draw_placed_pair"),
        )
        indexes = (models.Index(fields=["game"], condition=Q(is_in=False), name="queue_draw_out"),)

    def __str__(self) -> str:
        return f"draw of game {self.game_id}"


HOLD, WARN, IGNORE = "hold", "warn", "ignore"
FLAG_RULES = [
    (HOLD, "who set it cannot record the verdict"),
    (WARN, "the verdict's page names it"),
    (IGNORE, "it changes nothing"),
]
REOPEN_MINUTES, MOST_REOPEN_MINUTES = 30, 7 * 24 * 60


class RatingRule(models.Model):
    """Rules of a project that apply once something is rated. Without a row, the defaults apply.

    `flags` says how an open flag affects recording the verdict; a submitted evaluation can be reopened for
    `reopen_minutes`, 0 for never; with `shows_differences` evaluators see where they and the rule differ; with
    `records_at_submit` submitting records the verdict of a game that one evaluator rates, if nothing is in the way.
    """

    project = models.OneToOneField(Project, models.PROTECT, related_name="rating_rule", primary_key=True)
    flags = models.CharField(max_length=12, default=HOLD, choices=FLAG_RULES)
    reopen_minutes = models.PositiveSmallIntegerField(default=REOPEN_MINUTES)
    shows_differences = models.BooleanField(default=False)
    records_at_submit = models.BooleanField(default=False)
    changed_at = models.DateTimeField()
    changed_by = models.ForeignKey(Person, models.PROTECT, related_name="+")

    class Meta:
        constraints = (
            models.CheckConstraint(
                condition=Q(reopen_minutes__lte=MOST_REOPEN_MINUTES), name="rating_rule_reopen_minutes"
            ),
        )


def load_rating_rule(project: int) -> RatingRule:
    """The rule of the project with that key; an unsaved row with the defaults if there is none."""
    return RatingRule.objects.filter(project=project).first() or RatingRule(project_id=project)


class Guideline(Made):
    """One version of a project's guideline, in Markdown; never changed; the newest counts. An empty text ends it."""

    project = models.ForeignKey(Project, models.PROTECT, related_name="guidelines")
    number = models.PositiveIntegerField()
    text = models.TextField(blank=True)

    class Meta:
        constraints = (models.UniqueConstraint(fields=["project", "number"], name="guideline_number_unique"),)


class GuidelineReading(models.Model):
    guideline = models.ForeignKey(Guideline, models.PROTECT, related_name="readings")
    person = models.ForeignKey(Person, models.PROTECT, related_name="+")
    created_at = models.DateTimeField()

    class Meta:
        constraints = (models.UniqueConstraint(fields=["guideline", "person"], name="guideline_read_once"),)
