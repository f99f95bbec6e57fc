"""Columns that are set together: who did something, and when."""

from django.db.models import CheckConstraint, Q


def set_together(*columns: str, name: str) -> CheckConstraint:
    """The constraint that either all of these columns have a value or none."""
    unset = Q(**dict.fromkeys(columns))
    return CheckConstraint(
        condition=unset | Q(**{f"{column}__isnull": False for column in columns}), name=name
    )
