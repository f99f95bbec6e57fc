"""Transactions that compute for long, where PostgreSQL ends those that were idle."""

import time

import pytest
from django.db import DatabaseError, connection, transaction

from workspace.database.transactions import allow_long_pauses, snapshot
from workspace.models import Person

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def impatient(db):
    """PostgreSQL, which ends a transaction of this connection after a tenth of a second without a statement."""
    if connection.vendor != "postgresql":
        pytest.skip("SQLite ends no transaction")
    with connection.cursor() as cursor:
        cursor.execute("SET idle_in_transaction_session_timeout = 100")
    yield
    connection.close()


def pause():
    """Ask, compute for long, ask again."""
    Person.objects.exists()
    time.sleep(0.4)
    Person.objects.exists()


@pytest.mark.usefixtures("impatient")
def test_a_snapshot_and_a_long_act_outlast_pauses():
    with snapshot():
        pause()
    with transaction.atomic():
        allow_long_pauses()
        pause()


@pytest.mark.usefixtures("impatient")
def test_other_transactions_are_ended():
    with pytest.raises(DatabaseError), transaction.atomic():
        pause()
