"""Stages and iterations: the goal, prompt, rubric version and rules under which a game is judged."""

from django.db import models
from django.db.models import Count, F, Q
from django.utils.translation import gettext_lazy as _

from discussions.core.iteration_states import (
    ALONGSIDE,
    ALWAYS_OPEN,
    AVERAGE,
    BASELINE,
    BLIND_FIRST,
    CHANGE,
    DECIDED,
    EVERY_GAME,
    GAME,
    IMPORTING,
    ITERATION,
    NEVER,
    QUESTION,
    RATING,
    STATES_WITH_SLOTS,
    TAKES_GAMES,
    TEST,
    UNSORTED,
)
from rubric.models import RubricVersion
from workspace.models import Made, Person, Project
from workspace.models.projects import LedQuerySet

REVEALS = [(BLIND_FIRST, "blind first"), (ALONGSIDE, "alongside"), (NEVER, "never")]
IDENTIFICATIONS = [(QUESTION, "question"), (TEST, "test")]
STREAK_UNITS = [(ITERATION, "iterations"), (GAME, "games")]
ENGAGEMENT_RULES = [(AVERAGE, "on average"), (EVERY_GAME, "in every game")]
KINDS = [(UNSORTED, _("unsorted")), (BASELINE, _("baseline")), (CHANGE, _("change"))]
STATES = [
    (ALWAYS_OPEN, _("always open")),
    (IMPORTING, _("open for import")),
    (RATING, _("open for rating")),
    (DECIDED, _("decided")),
]
LEAST_GAMES = 3
MOST_EVALUATORS = 10


def _pair(name: str) -> Q:
    at, by = f"{name}_at", f"{name}_by"
    return Q(**{at: None, by: None}) | Q(**{f"{at}__isnull": False, f"{by}__isnull": False})


class StageQuerySet(LedQuerySet["Stage"]):
    pass


class Stage(Made):
    """What the rubric calls "Iteration 1": a goal with a gate. It closes when the next one is opened.

    `streak_unit` says whether successes are counted in iterations or games, `engagement_rule` whether a success needs
    the rating on average or in every game. `stated_...` is a lead's signed statement that the games are fascinating to
    watch. `door` is the JSON of the gate when the next stage was opened; with `override_reason`, an admin opened it
    although the gate was closed.
    """

    project = models.ForeignKey(Project, models.PROTECT, related_name="stages")
    number = models.PositiveIntegerField()
    name = models.CharField(max_length=200)
    goal = models.TextField(blank=True)
    streak_unit = models.CharField(max_length=12, default=ITERATION, choices=STREAK_UNITS)
    engagement_rule = models.CharField(max_length=12, default=AVERAGE, choices=ENGAGEMENT_RULES)
    stated_at = models.DateTimeField(null=True, blank=True)
    stated_by = models.ForeignKey(Person, models.PROTECT, related_name="+", null=True, blank=True)
    statement = models.TextField(blank=True)
    closed_at = models.DateTimeField(null=True, blank=True)
    closed_by = models.ForeignKey(Person, models.PROTECT, related_name="+", null=True, blank=True)
    door = models.TextField(blank=True)
    override_reason = models.TextField(blank=True)

    objects = StageQuerySet.as_manager()

    class Meta:
        ordering = ("project", "number")
        constraints = (
            models.UniqueConstraint(fields=["project", "number"], name="stage_number_unique"),
            models.UniqueConstraint(
                fields=["project"], condition=Q(closed_at=None), name="stage_one_open_per_project"
            ),
            models.CheckConstraint(condition=_pair("closed"), name="stage_closed_pair"),
            models.CheckConstraint(
                condition=Q(stated_at=None, stated_by=None, statement="")
                | (Q(stated_at__isnull=False, stated_by__isnull=False) & ~Q(statement="")),
                name="stage_stated_whole",
            ),
            models.CheckConstraint(
                condition=Q(closed_at__isnull=False) | Q(door="", override_reason=""),
                name="stage_door_when_closed",
            ),
        )

    def __str__(self) -> str:
        return self.name


class IterationQuerySet(LedQuerySet["Iteration"]):
    def taking_games(self) -> "IterationQuerySet":
        """Iterations with a list of games that is not frozen."""
        return self.filter(state__in=TAKES_GAMES)


class Iteration(Made):
    """One cycle inside a stage, or the project's unsorted iteration (no stage), where games wait.

    A change is compared with `compared_with`, the stage's reference when it was opened; `baseline` is the stage's
    newest baseline then. A baseline with `replay_of` plays that iteration's prompt again: its games count with that
    one's, and it is never a reference of its own. `target` is the key of the criterion that should improve ("" when
    none was named), `material` the JSON of the differences that matter: criterion -> number. `hunk_count` says how many
    places of the prompt differ from the reference's; more than the rubric allows need the lead's answer. All of it is
    final once the iteration is open for rating.
    """

    project = models.ForeignKey(Project, models.PROTECT, related_name="iterations")
    stage = models.ForeignKey(Stage, models.PROTECT, related_name="iterations", null=True, blank=True)
    number = models.PositiveIntegerField()
    name = models.CharField(max_length=200)
    kind = models.CharField(max_length=12, default=UNSORTED, choices=KINDS)
    state = models.CharField(max_length=12, default=ALWAYS_OPEN, choices=STATES)
    rubric_version = models.ForeignKey(RubricVersion, models.PROTECT, related_name="+")
    evaluator_count = models.PositiveSmallIntegerField(default=1)
    reveal = models.CharField(max_length=12, default=BLIND_FIRST, choices=REVEALS)
    identification = models.CharField(max_length=12, default=QUESTION, choices=IDENTIFICATIONS)
    prompt = models.TextField(blank=True)
    prompt_sha256 = models.CharField(max_length=64, blank=True)
    compared_with = models.ForeignKey(
        "self", models.PROTECT, related_name="compared_by", null=True, blank=True
    )
    baseline = models.ForeignKey("self", models.PROTECT, related_name="based_on", null=True, blank=True)
    replay_of = models.ForeignKey("self", models.PROTECT, related_name="replayed_by", null=True, blank=True)
    target = models.CharField(max_length=60, blank=True)
    material = models.TextField(default="{}")
    change_note = models.TextField(blank=True)
    hunk_count = models.PositiveIntegerField(default=0)
    hunks_answer = models.TextField(blank=True)
    least_games = models.PositiveIntegerField(default=LEAST_GAMES)
    opened_at = models.DateTimeField(null=True, blank=True)
    opened_by = models.ForeignKey(Person, models.PROTECT, related_name="+", null=True, blank=True)

    objects = IterationQuerySet.as_manager()

    class Meta:
        ordering = ("project", "number")
        constraints = (
            models.UniqueConstraint(fields=["project", "number"], name="iteration_number_unique"),
            models.UniqueConstraint(
                fields=["project"], condition=Q(stage=None), name="iteration_one_unsorted_per_project"
            ),
            models.CheckConstraint(
                condition=Q(evaluator_count__gte=1, evaluator_count__lte=MOST_EVALUATORS),
                name="iteration_evaluator_count",
            ),
            models.CheckConstraint(
                condition=Q(kind=UNSORTED, stage=None, state=ALWAYS_OPEN)
                | (~Q(kind=UNSORTED) & Q(stage__isnull=False) & ~Q(state=ALWAYS_OPEN)),
                name="iteration_unsorted_has_no_stage",
            ),
            models.CheckConstraint(
                condition=Q(kind=CHANGE, compared_with__isnull=False, baseline__isnull=False)
                | (~Q(kind=CHANGE) & Q(compared_with=None, baseline=None)),
                name="iteration_change_has_reference",
            ),
            models.CheckConstraint(
                condition=Q(compared_with=None) | ~Q(compared_with=F("id")), name="iteration_not_with_itself"
            ),
            models.CheckConstraint(
                condition=Q(replay_of=None) | (Q(kind=BASELINE) & ~Q(replay_of=F("id"))),
                name="iteration_replay_is_baseline",
            ),
            models.CheckConstraint(condition=_pair("opened"), name="iteration_opened_pair"),
            models.CheckConstraint(
                condition=~Q(state=RATING) | Q(opened_at__isnull=False), name="iteration_rating_was_opened"
            ),
            models.CheckConstraint(condition=Q(least_games__gte=1), name="iteration_least_games"),
        )

    @property
    def is_unsorted(self) -> bool:
        return self.stage_id is None

    @property
    def takes_games(self) -> bool:
        return self.state in TAKES_GAMES

    @property
    def has_slots(self) -> bool:
        """Whether evaluators can take its games; never in an iteration that was dropped before it was opened."""
        return self.state in STATES_WITH_SLOTS and (self.is_unsorted or self.opened_at is not None)


def iterations_by_version() -> dict[int, int]:
    """How many iterations use each rubric version; unused versions are left out."""
    rows = Iteration.objects.order_by().values_list("rubric_version").annotate(count=Count("pk"))
    return dict(rows)


def list_projects_using(version: int) -> list[tuple[str, str, int]]:
    """The projects with iterations under a rubric version: address, name, and how many iterations."""
    rows = Iteration.objects.filter(rubric_version=version).order_by("project__name", "project__slug")
    return list(rows.values_list("project__slug", "project__name").annotate(count=Count("pk")))
