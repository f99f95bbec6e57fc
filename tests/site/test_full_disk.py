"""A full disk: 507 with a sentence for everybody, and nothing is stored half."""

import errno
import os
import sqlite3
from pathlib import Path

import pytest
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import OperationalError, connection
from django.test import Client
from django.urls import reverse

from discussions.models import Transcript
from tests.factories.people import make_lead
from tests.factories.transcripts import make_games_project
from tests.site.test_whole_requests import Protocol, announced, ask
from workspace.models import Event, Job

pytestmark = pytest.mark.django_db(transaction=True)


def fill(*_args, **_kwargs):
    raise OSError(errno.ENOSPC, "No space left on device")


@pytest.fixture
def client(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path
    client = Client(raise_request_exception=False)
    client.force_login(make_lead(project=make_games_project(slug="ours")))
    return client


def send(client, **given):
    file = SimpleUploadedFile("game.json", b'{"messages": []}')
    return client.post(reverse("import_upload", args=["ours"]), {"transcripts": [file]}, **given)


def kept_files():
    return [path for path in Path(default_storage.location).rglob("*") if path.is_file()]


def test_upload_on_a_full_disk_is_507_and_stores_nothing(client, monkeypatch):
    lines, files = Event.objects.count(), kept_files()
    with monkeypatch.context() as context:
        context.setattr(os, "fsync", fill)
        page = send(client)
        region = send(client, headers={"HX-Request": "true"})
    for answer in (page, region):
        assert answer.status_code == 507
        assert "disk of this site is full" in answer.content.decode()
        assert "Content-Security-Policy" in answer.headers
    assert (Transcript.objects.count(), Job.objects.count()) == (0, 0)
    assert (Event.objects.count(), kept_files()) == (lines, files)
    assert send(client).status_code == 303


def test_full_disk_before_the_view_begins_is_507(client, monkeypatch):
    monkeypatch.setattr("django.http.multipartparser.MultiPartParser.parse", fill)
    answer = send(client)
    assert (answer.status_code, "disk of this site is full" in answer.content.decode()) == (507, True)


def test_database_without_room_is_507(client, monkeypatch):
    cause = sqlite3.OperationalError("database or disk is full")
    cause.sqlite_errorcode = sqlite3.SQLITE_FULL

    def refuse(*_args, **_kwargs):
        raise OperationalError("database or disk is full") from cause

    monkeypatch.setattr(connection, "cursor", refuse)
    for path in ("/projects/ours/", "/api/v1/projects/"):
        answer = client.get(path)
        assert answer.status_code == 507
        assert "disk of this site is full" in answer.content.decode()


def test_body_for_which_there_is_no_room_is_told_to_the_site(monkeypatch):
    def say(environ, start_response):
        start_response("200 OK", [])
        return [environ.get("evalsite.body", "").encode()]

    monkeypatch.setattr("tempfile.SpooledTemporaryFile.write", fill)
    answer = ask(Protocol(b"abc"), application=say, headers=announced(3))
    assert answer.body == b"no room"


def test_site_answers_507_to_a_body_without_room(client):
    answer = client.post(reverse("import_upload", args=["ours"]), **{"evalsite.body": "no room"})
    assert (answer.status_code, "disk of this site is full" in answer.content.decode()) == (507, True)
