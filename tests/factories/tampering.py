"""Changing what the database refuses to change, as somebody with the database in hand could."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import DatabaseError, connection, transaction

from discussions.models import Measured, Verdict
from workspace.core.canonical import bytes_hash
from workspace.database.append_only import guards


@contextmanager
def without_triggers() -> Iterator[None]:
    """The triggers that guard evidence are away inside, and back afterwards."""
    for guard in guards().values():
        guard.take_down(connection)
    yield
    for guard in guards().values():
        guard.put_up(connection)


def as_if_measured_by(verdict: Verdict, code_version: str) -> None:
    """Make measurement and basis say, in agreement, that other code measured the game."""
    basis = re.sub(r'"code_version":"[^"]*"', f'"code_version":"{code_version}"', verdict.basis)
    with without_triggers():
        Measured.objects.filter(pk=verdict.measured_id).update(code_version=code_version)
        Verdict.objects.filter(pk=verdict.pk).update(basis=basis, basis_sha256=bytes_hash(basis.encode()))


def refused(sql: str) -> bool:
    """Whether the database refuses a statement."""
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            if connection.vendor == "postgresql":
                cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
            cursor.execute(sql)
    except DatabaseError as refusal:
        return "never changed or deleted" in str(refusal)
    return False
