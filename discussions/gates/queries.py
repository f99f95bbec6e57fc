"""The gate from a stage to the next, from the rows of the stage."""

from django.utils.translation import gettext as _

from discussions.gates.core import Choices, GateStatus, Signed, Streak, compute_gate_status, compute_streak
from discussions.iterations.core.figures import GameFigures
from discussions.iterations.core.history import History
from discussions.iterations.queries import Obstacle, load_history, load_rubric
from discussions.models import Iteration, Stage, Verdict
from discussions.queries import rubric_record
from discussions.verdicts.core.rule import read_rules
from rubric.core.records import RubricRecord
from workspace.core.text import figure
from workspace.core.words import decode_stored


def compute_stage_streak(stage: Stage, history: History) -> Streak:
    """How many iterations or games of the stage succeed in a row, counted by its settings."""
    choices = Choices(unit=stage.streak_unit, engagement=stage.engagement_rule)
    return compute_streak(history.for_gate(load_rubric), load_stage_rubric(stage, history), choices)


def compute_stage_gate(stage: Stage, history: History, *, override: Signed | None = None) -> GateStatus:
    """The gate now; `override` is an admin's reason to open it although things are missing.

    Fetch the stage with `stated_by`, else this costs one query more.
    """
    statement = None
    if stage.stated_at is not None and stage.stated_by is not None:
        statement = Signed(stage.stated_by.name, stage.stated_at.date().isoformat(), stage.statement)
    rubric = load_stage_rubric(stage, history)
    return compute_gate_status(
        compute_stage_streak(stage, history), rubric, statement=statement, override=override
    )


def load_gate(stage: Stage, history: History | None = None) -> GateStatus:
    """The gate now; of a closed stage, the gate when the next one was opened. Without a `history` it is loaded."""
    if stage.door:
        return decode_stored(stage.door, GateStatus)
    return compute_stage_gate(stage, history or load_history(stage))


def list_weak_games(stage: Stage, streak: Streak) -> list[int]:
    """The numbers of the latest successes' games with a metric not applicable or on few references; one query."""
    rows = Verdict.objects.filter(project=stage.project_id, weak_pass_count__gt=0).not_superseded()
    numbers = [game.number for game in streak.games]
    return sorted(rows.filter(game__number__in=numbers).values_list("game__number", flat=True))


def load_stage_rubric(stage: Stage, history: History) -> RubricRecord:
    """The rubric version of the newest iteration; before the first, that of the project's unsorted games.

    It sets how many successes and what cache hit rate are needed. Each iteration succeeds under its own version.
    """
    if history.iterations:
        newest = history.iterations[-1]
        return rubric_record(newest.rubric_version, newest.rubric_sha256)
    unsorted = Iteration.objects.filter(project=stage.project_id, stage=None)
    version, sha256 = unsorted.values_list("rubric_version_id", "rubric_version__sha256").get()
    return rubric_record(version, sha256)


def why_rules_are_final(stage: Stage) -> Obstacle | None:
    """Why a stage cannot count its successes in another way: an iteration was opened under these rules."""
    opened = Iteration.objects.filter(stage=stage).exclude(opened_at=None).order_by("opened_at")
    number = opened.values_list("number", flat=True).first()
    if number is None:
        return None
    says = _(
        "Iteration %(number)d was opened for rating, and the row of successes is counted in this way. Name and goal "
        "can still be changed; the next stage can be counted in another way."
    )
    return Obstacle("rules_final", says % {"number": number})


def counted_says(stage: Stage) -> str:
    """How the stage's row of successes is counted."""
    units = {"iteration": _("whole iterations"), "game": _("single games")}
    rules = {"average": _("on average"), "every_game": _("in every game")}
    return _("A success is counted in %(unit)s, with the rating needed %(rule)s.") % {
        "unit": units[stage.streak_unit],
        "rule": rules[stage.engagement_rule],
    }


def cost_text(game: GameFigures, rubric: RubricRecord) -> str:
    """A game's cost, never rounded across the two limits of cost; "" when not reported."""
    if game.cost_usd is None:
        return ""
    rules = read_rules(rubric)
    nearest = min((rules.amber, rules.limit), key=lambda amount: abs(amount - (game.cost_usd or 0)))
    return f"${figure(game.cost_usd, float(nearest), decimals=2)}"
