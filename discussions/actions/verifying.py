"""What must hold of games, their judging, verdicts and iterations: this wing's part of `manage.py verify`."""

from discussions.actions.verifying_adjudications import ADJUDICATION_CHECKS
from discussions.actions.verifying_evaluations import EVALUATION_CHECKS
from discussions.actions.verifying_games import GAME_CHECKS
from discussions.actions.verifying_iterations import ITERATION_CHECKS
from discussions.actions.verifying_verdicts import VERDICT_CHECKS
from workspace.core.verification import Check

CHECKS: tuple[Check, ...] = (
    *GAME_CHECKS,
    *EVALUATION_CHECKS,
    *VERDICT_CHECKS,
    *ITERATION_CHECKS,
    *ADJUDICATION_CHECKS,
)
