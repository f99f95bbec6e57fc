"""All invariants of this app for `manage.py verify`."""

from discussions.checks.categories import CATEGORY_CHECKS
from discussions.checks.evaluations import ADJUDICATION_CHECKS, EVALUATION_CHECKS
from discussions.checks.games import GAME_CHECKS
from discussions.checks.iterations import ITERATION_CHECKS
from discussions.checks.judges import JUDGE_CHECKS
from discussions.checks.verdicts import VERDICT_CHECKS
from workspace.checks.core import Check

CHECKS: tuple[Check, ...] = (
    *GAME_CHECKS,
    *EVALUATION_CHECKS,
    *VERDICT_CHECKS,
    *ITERATION_CHECKS,
    *ADJUDICATION_CHECKS,
    *JUDGE_CHECKS,
    *CATEGORY_CHECKS,
)
