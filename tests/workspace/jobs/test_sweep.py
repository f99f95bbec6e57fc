"""The sweep as workers do it: each asks for it and one does it. A worker's first sends messages for all that waits."""

from datetime import timedelta

import pytest
from django.core.cache import cache

from evalsite.celery import app
from workspace import tasks
from workspace.jobs.actions import NOTIFY_AGAIN
from workspace.models import Heartbeat

pytestmark = pytest.mark.django_db


@pytest.fixture
def sweeps(monkeypatch):
    """What each sweep was told of how long a message counts as on its way."""
    found = []
    monkeypatch.setattr(tasks, "sweep", lambda *, by, now, notify_again: found.append(notify_again))
    return found


def ask(**given):
    app.tasks[tasks.SWEEP].apply(kwargs=given).get()


def test_of_several_workers_that_ask_at_about_the_same_moment_one_sweeps(sweeps):
    ask()
    ask()
    assert sweeps == [NOTIFY_AGAIN]
    cache.delete("sweep")
    ask()
    assert sweeps == [NOTIFY_AGAIN] * 2


def test_the_first_of_each_worker_is_done_always_and_sends_messages_for_everything(sweeps):
    ask()
    ask(is_first=True)
    ask(is_first=True)
    assert sweeps == [NOTIFY_AGAIN, timedelta(0), timedelta(0)]


def test_who_is_asked_to_sweep_gives_a_sign_of_life(sweeps):
    ask()
    ask()
    assert Heartbeat.objects.count() == 1


def test_the_schedule_names_a_task_that_exists():
    assert [entry["task"] in app.tasks for entry in app.conf.beat_schedule.values()] == [True]
