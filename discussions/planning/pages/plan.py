"""The plan of an iteration as it is stored: what is changed against what, and how its games are judged."""

from datetime import datetime

from msgspec import Struct

from discussions.iterations.core.history import HistoryIteration
from discussions.iterations.core.prompt_diff import PromptDiff, prompt_diff
from discussions.iterations.queries import load_rubric
from discussions.metrics.core.registry import METRICS
from discussions.models import Iteration
from discussions.models.iterations import IDENTIFICATIONS, REVEALS
from discussions.planning.core import most_hunks


class PlanPart(Struct, frozen=True):
    """The plan; `against` is the number of the iteration that a change is compared with, 0 for a baseline.

    `materials` are labels with the difference that matters, `diff` what differs from the reference's prompt.
    """

    against: int
    change_note: str
    target: str
    materials: list[tuple[str, str]]
    hunks_answer: str
    prompt: str
    prompt_lines: int
    diff: PromptDiff | None
    evaluator_count: int
    reveal: str
    identification: str
    rubric: str
    rubric_key: str
    rubric_number: str
    least_games: int
    created_at: datetime
    created_by: str
    opened_at: datetime | None
    opened_by: str


def build_plan_part(iteration: Iteration, row: HistoryIteration) -> PlanPart:
    """The plan of an iteration fetched with its reference, rubric version and people; no query."""
    reference, version, rubric = iteration.compared_with, iteration.rubric_version, load_rubric(row)
    before, after, allowed = reference.prompt if reference else "", iteration.prompt, most_hunks(rubric)
    return PlanPart(
        against=reference.number if reference else 0,
        change_note=iteration.change_note,
        target=rubric.criterion(iteration.target).label if iteration.target else "",
        materials=[
            (criterion.label, f"{row.material[criterion.key]:g}{METRICS[criterion.key].scale.symbol}")
            for criterion in rubric.criteria
            if criterion.key in row.material
        ],
        hunks_answer=iteration.hunks_answer,
        prompt=iteration.prompt,
        prompt_lines=len(iteration.prompt.splitlines()),
        diff=prompt_diff(before, after, allowed=allowed) if reference else None,
        evaluator_count=iteration.evaluator_count,
        reveal=dict(REVEALS)[iteration.reveal],
        identification=dict(IDENTIFICATIONS)[iteration.identification],
        rubric=str(version),
        rubric_key=version.rubric.key,
        rubric_number=version.number,
        least_games=iteration.least_games,
        created_at=iteration.created_at,
        created_by=iteration.created_by.name,
        opened_at=iteration.opened_at,
        opened_by=iteration.opened_by.name if iteration.opened_by else "",
    )
