"""The door from a stage to the next, as the stage's rows have it now."""

from django.utils.translation import gettext as _

from discussions.gates.core import Choices, GateStatus, Signed, Streak, compute_gate_status, compute_streak
from discussions.iterations.core.history import History
from discussions.iterations.queries import Obstacle, load_rubric
from discussions.models import Iteration, Stage
from discussions.queries import rubric_record
from rubric.core.records import RubricRecord


def compute_stage_streak(stage: Stage, history: History) -> Streak:
    """How many iterations or games of the stage succeed in a row, as its settings count."""
    choices = Choices(unit=stage.streak_unit, engagement=stage.engagement_rule)
    return compute_streak(history.for_gate(load_rubric), load_stage_rubric(stage, history), choices)


def compute_stage_gate(stage: Stage, history: History, *, override: Signed | None = None) -> GateStatus:
    """What keeps the door shut now; `override` is an admin's reason to open it all the same.

    Fetch the stage with `stated_by`, or that costs a query.
    """
    statement = None
    if stage.stated_at is not None and stage.stated_by is not None:
        statement = Signed(stage.stated_by.name, stage.stated_at.date().isoformat(), stage.statement)
    rubric = load_stage_rubric(stage, history)
    return compute_gate_status(
        compute_stage_streak(stage, history), rubric, statement=statement, override=override
    )


def load_stage_rubric(stage: Stage, history: History) -> RubricRecord:
    """What the newest iteration is judged by; before the first, what the project's unsorted games are.

    It says how many successes are needed and what cache hit rate; each iteration succeeds under its own version.
    """
    if history.iterations:
        newest = history.iterations[-1]
        return rubric_record(newest.rubric_version, newest.rubric_sha256)
    unsorted = Iteration.objects.filter(project=stage.project_id, stage=None)
    version, sha256 = unsorted.values_list("rubric_version_id", "rubric_version__sha256").get()
    return rubric_record(version, sha256)


def why_rules_are_final(stage: Stage) -> Obstacle | None:
    """Why a stage cannot count its successes in another way: an iteration of it was opened under these rules."""
    opened = Iteration.objects.filter(stage=stage).exclude(opened_at=None).order_by("opened_at")
    number = opened.values_list("number", flat=True).first()
    if number is None:
        return None
    says = _(
        "Iteration %(number)d was opened for rating, and the row of successes is counted in this way. Name and goal "
        "can still be changed; the next stage can be counted in another way."
    )
    return Obstacle("rules_final", says % {"number": number})
