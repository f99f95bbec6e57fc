"""A process that says how long it waits for PostgreSQL waits no longer, and goes on with another connection."""

from contextlib import nullcontext

import pytest
from django.db import OperationalError, connection, connections, transaction

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]


def ask(statement):
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return cursor.fetchone()


@pytest.fixture
def longest_wait(monkeypatch):
    if connection.vendor != "postgresql":
        pytest.skip("SQLite answers by itself")

    def set_to(seconds):
        connection.close()
        monkeypatch.setattr(type(connections["default"]), "longest_wait", seconds)

    yield set_to
    connection.close()


@pytest.mark.parametrize("around", [nullcontext, transaction.atomic])
def test_statement_that_is_not_answered_in_time_is_given_up(longest_wait, around):
    longest_wait(0.2)
    before = ask("SELECT pg_backend_pid()")
    with pytest.raises(OperationalError), around():
        ask("SELECT pg_sleep(1)")
    connection.close_if_unusable_or_obsolete()  # as Django does after each request
    assert ask("SELECT pg_backend_pid()") != before


def test_a_process_that_does_not_say_so_waits(longest_wait):
    longest_wait(None)
    assert ask("SELECT 1 FROM pg_sleep(0.5)") == (1,)
