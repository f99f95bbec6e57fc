"""How long a process waits for PostgreSQL, and how each of its connections begins."""

from contextlib import nullcontext

import psycopg
import pytest
from celery.fixups.django import DjangoWorkerFixup
from celery.signals import task_prerun
from django.db import OperationalError, connection, connections, transaction

from evalsite.celery import app
from workspace.database.postgresql import base

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]


def ask(statement):
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return cursor.fetchone()


@pytest.fixture(autouse=True)
def new_connection():
    if connection.vendor != "postgresql":
        pytest.skip("SQLite answers by itself")
    connection.close()
    yield
    connection.close()


@pytest.fixture
def longest_wait(monkeypatch):
    def set_to(seconds):
        connection.close()
        monkeypatch.setattr(type(connections["default"]), "longest_wait", seconds)

    return set_to


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


def test_a_connection_packs_by_lz4_where_the_server_can():
    (methods,) = ask("SELECT enumvals FROM pg_settings WHERE name = 'default_toast_compression'")
    assert ask("SHOW default_toast_compression") == ("lz4" if "lz4" in methods else "pglz",)


def test_how_it_packs_is_the_first_that_a_connection_says(monkeypatch):
    monkeypatch.setattr(base, "PACK_BY_LZ4", "SET application_name = 'said'")
    assert ask("SHOW application_name") == ("said",)


def test_a_server_without_lz4_does_everything_else(monkeypatch):
    monkeypatch.setattr(base, "PACK_BY_LZ4", "SET default_toast_compression = unknown")
    assert ask("SELECT 1") == (1,)


def next_job():
    """What Celery does in a worker after a job and before the next one."""
    task, worker = app.tasks["celery.backend_cleanup"], DjangoWorkerFixup(app)
    worker.on_task_postrun(task)
    worker.on_task_prerun(task)
    task_prerun.send(sender=task, task=task)


def test_the_next_job_goes_on_with_the_connection_of_the_last():
    before = ask("SELECT pg_backend_pid()")
    next_job()
    assert ask("SELECT pg_backend_pid()") == before


def test_a_connection_that_the_server_ended_between_jobs_is_replaced():
    (before,) = ask("SELECT pg_backend_pid()")
    at = connection.settings_dict
    with psycopg.connect(
        host=at["HOST"], port=at["PORT"], user=at["USER"], password=at["PASSWORD"], dbname=at["NAME"]
    ) as other:
        other.execute("SELECT pg_terminate_backend(%s, 5000)", [before])
    next_job()
    assert ask("SELECT pg_backend_pid()") != (before,)
