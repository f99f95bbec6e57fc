"""The index of messages follows imports, erasures, restores and moves, and `verify` compares it."""

from datetime import timedelta
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import connection

from discussions.checks.games import GAME_CHECKS
from discussions.models import IndexedMessage, PrivateTrack, UnindexedGame
from discussions.search import actions
from discussions.search.core import KEYS
from tests.factories.erasures import erase, find_everywhere
from tests.factories.people import NOW, make_admin, make_lead
from tests.factories.search import index_all, talk
from tests.factories.transcripts import import_game, make_games_project
from workspace.jobs.actions import run_job
from workspace.models import Job

SECRET = "xylophonist"


def check():
    """What `verify` says of the index."""
    (found,) = [check for check in GAME_CHECKS if check.code == "I4w"]
    return list(found.find(NOW))


def bytes_of_index():
    """The file of the index; on SQLite that of the database."""
    if connection.vendor == "sqlite":
        return Path(connection.settings_dict["NAME"]).read_bytes()
    with connection.cursor() as cursor:
        cursor.execute("CHECKPOINT")
        cursor.execute("SELECT pg_read_binary_file(pg_relation_filepath('discussions_indexedmessage_gin'))")
        return bytes(cursor.fetchone()[0])


@pytest.mark.services
@pytest.mark.django_db
def test_every_message_is_indexed_once_and_verify_sees_what_is_not():
    project = make_games_project()
    lead = make_lead(project=project)
    game = import_game(project=project, by=lead, **talk("one", "two", "three"))
    assert [row.game_id for row in UnindexedGame.objects.all()] == [game.pk]
    assert check() == []
    index_all()
    keys = [game.pk * KEYS + at for at in (1, 2, 3)]
    assert list(IndexedMessage.objects.order_by("key").values_list("key", flat=True)) == keys
    assert check() == []
    IndexedMessage.objects.filter(key=keys[1]).delete()
    (said,) = check()
    assert f"Game {game.number}" in said
    assert "index_messages" in said
    with pytest.raises(SystemExit) as ended:
        call_command("index_messages")
    assert ended.value.code == 0
    index_all()
    assert check() == []
    IndexedMessage.objects.create(key=(game.pk + 7) * KEYS + 1, words="'ghost'")
    assert check() == ["1 messages are indexed that no game has."]


@pytest.mark.django_db
def test_a_game_is_indexed_after_all_when_a_worker_dies_in_the_middle(monkeypatch):
    project = make_games_project()
    import_game(project=project, by=make_lead(project=project), **talk("one", "two"))

    def die(keys):
        real(keys)
        assert IndexedMessage.objects.count() == 2
        raise MemoryError

    real = actions._write_words
    monkeypatch.setattr(actions, "_write_words", die)
    with pytest.raises(MemoryError):
        index_all()
    assert (UnindexedGame.objects.count(), IndexedMessage.objects.count()) == (1, 0)
    monkeypatch.undo()
    later = NOW + timedelta(hours=1)
    assert run_job(job=Job.objects.get(kind="index").pk, clock=lambda: later)
    assert (UnindexedGame.objects.count(), IndexedMessage.objects.count()) == (0, 2)


@pytest.mark.services
@pytest.mark.django_db
def test_private_tracks_are_never_indexed():
    project = make_games_project()
    game = import_game(project=project, by=make_lead(project=project), **talk("hello"))
    PrivateTrack.objects.create(
        game=game, body=f'[{{"after":1,"player":1,"text":"{SECRET}","kind":"thought"}}]'
    )
    index_all()
    assert find_everywhere(SECRET) == ["discussions_privatetrack.body"]


@pytest.mark.services
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("what", ["game", "project"])
def test_an_erasure_leaves_no_byte_of_a_text_in_the_index(what):
    project = make_games_project()
    lead, admin = make_lead(project=project), make_admin()
    game = import_game(project=project, by=lead, **talk(f"I am a {SECRET}", "no"))
    other = make_games_project()
    import_game(project=other, by=make_lead(project=other), **talk("stays here"))
    index_all()
    assert any("indexedmessage" in place for place in find_everywhere(SECRET))
    erase(game if what == "game" else project, by=admin)
    assert [place for place in find_everywhere(SECRET) if "message" in place] == []
    assert IndexedMessage.objects.count() == 1
    assert [word in bytes_of_index() for word in (b"stays", SECRET.encode())] == [True, False]


@pytest.mark.django_db(transaction=True)
def test_what_waits_is_erased_before_it_is_indexed():
    project = make_games_project()
    game = import_game(project=project, by=make_lead(project=project), **talk(SECRET))
    erase(game, by=make_admin())
    assert not UnindexedGame.objects.exists()
    index_all()
    assert not IndexedMessage.objects.exists()
