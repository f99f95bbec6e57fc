"""A broker that is away: nobody who saves notices, and the sweep sends messages later.

The broker address of these tests is dead.
"""

import socket

import pytest
from django.conf import settings
from django.core.management import call_command
from django.db import transaction

from tests.factories.people import NOW, make_lead
from tests.factories.transcripts import make_games_project
from workspace.jobs.actions import enqueue, notify_workers
from workspace.models import Job

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif(":1/" not in settings.REDIS_URL, reason="this run has a broker that lives"),
]


@pytest.fixture
def lead(db):
    return make_lead(project=make_games_project(slug="ours"))


def ask(lead):
    with transaction.atomic():
        return enqueue(project=None, kind="noop", subject="thing:1", input_hash="", by=lead, now=NOW)


def test_whoever_queues_a_job_is_not_held_up(lead, django_capture_on_commit_callbacks, monkeypatch):
    tries, connect = [], socket.socket.connect
    monkeypatch.setattr(socket.socket, "connect", lambda *given: tries.append(given) or connect(*given))
    with django_capture_on_commit_callbacks(execute=True) as callbacks:
        job = ask(lead)
    assert len(callbacks) == 1
    assert 1 <= len(tries) <= 4
    assert Job.objects.get(pk=job.pk).rung_at is None


def test_the_first_refused_message_ends_the_sending(lead):
    assert notify_workers({ask(lead).pk: "noop", 0: "noop"}, NOW) == 0


def test_the_sweep_says_so_and_ends_with_1(lead, capsys):
    ask(lead)
    with pytest.raises(SystemExit) as ended:
        call_command("sweep")
    assert ended.value.code == 1
    assert "could not do its round" in capsys.readouterr().err
