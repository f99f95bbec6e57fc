"""Steps of the demo's script about a stage and its iterations."""

from decimal import Decimal

from discussions.comparison.actions import record_decision
from discussions.comparison.queries import decision_preview
from discussions.demo.actions.scene import Scene, Steps
from discussions.games.actions import enter_figure
from discussions.iterations.actions import StagePlan, open_for_rating, open_stage
from discussions.iterations.queries import load_history
from discussions.models import Iteration, Stage
from discussions.models.manual_figures import COST
from discussions.planning.actions import Protocol, open_baseline, open_change
from discussions.planning.core import Plan
from rubric.models import RubricVersion


def _open_baseline(scene: Scene, by: str, name: str, prompt: list[str], version: str = "") -> None:
    unsorted = Iteration.objects.select_related("rubric_version").get(project=scene.project, stage=None)
    rubric_version = unsorted.rubric_version
    if version:
        rubric_version = RubricVersion.objects.get(rubric=rubric_version.rubric_id, number=version)
    open_baseline(
        stage=Stage.objects.get(project=scene.project),
        plan=Plan(name=name, prompt="\n".join(prompt)),
        protocol=Protocol(rubric_version),
        **scene.stamp(by),
    )


def _open_change(scene: Scene, by: str, name: str, note: str, target: str, swap: list[str]) -> None:
    """Change one line in the prompt of the stage's reference: `swap` is the old line and the new one."""
    stage = Stage.objects.get(project=scene.project)
    reference = load_history(stage).reference
    assert reference is not None
    before = Iteration.objects.values_list("prompt", flat=True).get(pk=reference.id)
    old, new = swap
    plan = Plan(name=name, prompt=before.replace(old, new), change_note=note, target=target)
    open_change(stage=stage, plan=plan, compared_with=reference.id, **scene.stamp(by))


def _decide(scene: Scene, by: str, choice: str, reason: str) -> None:
    iteration = _newest(scene)
    preview = decision_preview(load_history(Stage.objects.get(project=scene.project)), iteration.pk)
    assert preview is not None
    record_decision(
        iteration=iteration,
        choice=choice,
        reason=reason,
        basis_sha256=preview.basis_sha256,
        **scene.stamp(by),
    )


def _newest(scene: Scene) -> Iteration:
    rows = Iteration.objects.select_related("project", "stage", "rubric_version")
    return rows.filter(project=scene.project).latest("number")


ITERATION_STEPS: Steps = {
    "open_stage": lambda scene, by, name, goal: open_stage(
        project=scene.project, plan=StagePlan(name=name, goal=goal), **scene.stamp(by)
    ),
    "open_baseline": _open_baseline,
    "open_change": _open_change,
    "open_for_rating": lambda scene, by: open_for_rating(iteration=_newest(scene), **scene.stamp(by)),
    "enter_cost": lambda scene, by, game, usd, reason: enter_figure(
        game=scene.game(game), kind=COST, value=Decimal(usd), reason=reason, **scene.stamp(by)
    ),
    "decide": _decide,
}
