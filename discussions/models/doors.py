"""The door from a stage to the next, as the stage's rows have it now."""

from discussions.core.gates import Door, Signed, door_of
from discussions.core.history import History
from discussions.core.streak import Choices, Streak, streak_of
from discussions.models.histories import rubric_of
from discussions.models.iterations import Iteration, Stage
from discussions.models.standings import rubric_record
from rubric.core.records import RubricRecord


def streak_of_stage(stage: Stage, history: History) -> Streak:
    """How many iterations or games of the stage succeed in a row, as its settings count."""
    choices = Choices(unit=stage.streak_unit, engagement=stage.engagement_rule)
    return streak_of(history.for_gate(rubric_of), rubric_of_stage(stage, history), choices)


def door_of_stage(stage: Stage, history: History, *, override: Signed | None = None) -> Door:
    """What keeps the door shut now; `override` is an admin's reason to open it all the same.

    Fetch the stage with `stated_by`, or that costs a query.
    """
    statement = None
    if stage.stated_at is not None and stage.stated_by is not None:
        statement = Signed(stage.stated_by.name, stage.stated_at.date().isoformat(), stage.statement)
    rubric = rubric_of_stage(stage, history)
    return door_of(streak_of_stage(stage, history), rubric, statement=statement, override=override)


def rubric_of_stage(stage: Stage, history: History) -> RubricRecord:
    """What the newest iteration is judged by; before the first, what the project's unsorted games are.

    It says how many successes are needed and what cache hit rate; each iteration succeeds under its own version.
    """
    if history.iterations:
        newest = history.iterations[-1]
        return rubric_record(newest.rubric_version, newest.rubric_sha256)
    unsorted = Iteration.objects.filter(project=stage.project_id, stage=None)
    version, sha256 = unsorted.values_list("rubric_version_id", "rubric_version__sha256").get()
    return rubric_record(version, sha256)
