"""What must hold of games, measurements, evaluations and verdicts: this wing's part of `manage.py verify`."""

from workspace.core.verification import Check

CHECKS: tuple[Check, ...] = ()
