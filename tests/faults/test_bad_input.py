"""Bad files through the upload page and the command: the sentence that the person reads, and nothing half stored."""

import copy
import html

import pytest
from django.core.management import call_command
from django.urls import reverse

from discussions.models import Game, GameText, Measured, Slot, Transcript
from tests.factories.jobs import run_waiting_jobs
from tests.factories.people import make_lead
from tests.factories.transcripts import as_bytes, make_games_project, native_game
from tests.faults.crowd import breaches
from tests.faults.odd_games import game_among
from tests.faults.uploading import send
from tests.faults.visitors import words
from workspace.models import Event, Job

pytestmark = pytest.mark.django_db

GOOD = native_game(gameId="good")


def with_value(path, value):
    """A proper game with one value replaced; the path is a JSON pointer."""
    game = copy.deepcopy(native_game())
    *parents, last = path.strip("/").split("/")
    place = game
    for part in parents:
        place = place[int(part)] if isinstance(place, list) else place[part]
    place[int(last) if isinstance(place, list) else last] = value
    return as_bytes(game)


def with_text(old, new):
    """A proper game's bytes with something replaced."""
    data = as_bytes(native_game())
    assert old in data
    return data.replace(old, new, 1)


NESTED = []
for _level in range(70):
    NESTED = [NESTED]

FILES = {
    "in no format": (b"Dear all, here is the game.", "which is no transcript format we know"),
    "truncated": (as_bytes(native_game())[:300], "The file was probably cut off; export it again."),
    "blank": (b" \n\t ", "The file is empty. Export it again"),
    "deep": (b"[" * 100_000, "Brackets are nested deeper than 64"),
    "deep inside": (with_value("/players", NESTED), "Brackets are nested deeper than 64"),
    "duplicate keys": (
        with_text(b'"gameId"', b'"gameId": "x", "gameId"'),
        'The key "gameId" appears twice',
    ),
    "NaN": (with_text(b"1.25", b"NaN"), "NaN"),
    "infinity": (with_text(b"1.25", b"1e999"), "1e999"),
    "a number of 5,000 digits": (with_text(b"1.25", b"9" * 5000), "digits"),
    "wrong types": (with_value("/messages", {}), '"messages" should be a list, but an object was found.'),
    "a message that is a number": (with_value("/messages/2", 7), "Entry 3 should be an object, but a number"),
    "an unknown speaker": (
        with_value("/messages/2/playerName", "Narrator"),
        '"Narrator" is not among the players of this game. Add the player, or correct the name.',
    ),
    "duplicate names": (with_value("/players/1/name", "Ann"), 'The player "Ann" is named twice.'),
    "names that look alike": (with_value("/players/1/name", "An\u200bn"), "cannot be told apart"),
    "no text": (with_value("/messages/2/message", "  "), "The message has no text."),
    "zero messages": (with_value("/messages", []), "The game has no messages"),
    "no players": (with_value("/players", []), "The game has no players."),
    "201 players": (
        as_bytes(game_among([f"P{number}" for number in range(201)], ["hello"])),
        "200",
    ),
    "a word of 200,000 characters": (
        with_value("/messages/2/message", "x" * 200_000),
        "has 200,000 characters; at most 100,000",
    ),
    "bytes that are no text": (b'{"gameId": "\xff"}', "is not UTF-8 text"),
    "UTF-16 without its mark": (native_game()["gameId"].encode("utf-16-le"), "UTF-8"),
    "a picture": (b"\x89PNG\r\n\x1a\n", "The file is a picture."),
    "an archive": (b"PK\x03\x04rest", "The archive is damaged or was cut off. Make it again"),
    "something else": (b'{"rows": []}', "no transcript format we know"),
    "no games": (b"[]", "an empty list: it holds no games"),
}


@pytest.fixture
def lead(db, settings, tmp_path):
    settings.MEDIA_ROOT = settings.VAR_DIR = tmp_path / "var"
    return make_lead(project=make_games_project(slug="ours"))


@pytest.fixture
def seen(client, lead):
    client.force_login(lead)
    return client


def said(answer):
    return html.unescape(words(answer.content.decode()))


def check_nothing_is_half_stored():
    for table in (Game, GameText, Measured, Slot):
        assert not table.objects.exists(), table
    assert not Job.objects.exclude(state="done").exists()
    assert breaches() == {}


# One after the other in one database, which is verified at the end of all: that takes longer than a file does.


def test_files_that_cannot_come_in_say_why_and_leave_nothing(seen):
    for number, (name, (data, sentence)) in enumerate(FILES.items(), 1):
        answer = send(seen, data)
        assert answer.status_code == 303, name
        run_waiting_jobs()
        page = seen.get(answer["Location"])
        assert page.status_code == 200, name
        assert sentence in said(page), name
        assert (
            Transcript.objects.filter(fault_count__gte=1).count() == Transcript.objects.count() == number
        ), name
        assert not Game.objects.exists(), name
    check_nothing_is_half_stored()


def test_the_command_says_the_same_and_ends_with_1(lead, tmp_path, capsys):
    path = tmp_path / "game.json"
    for name, (data, sentence) in FILES.items():
        path.write_bytes(data)
        with pytest.raises(SystemExit) as end:
            call_command("import_transcripts", str(path), "--project", "ours", "--by", lead.email, "--wait")
        assert end.value.code == 1, name
        out = capsys.readouterr().out
        assert sentence in out, name
        assert "game.json" in out, name
        assert not Game.objects.exists(), name
    check_nothing_is_half_stored()


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", "“game.json” is empty. Export it again and look at its size first."),
        (b"[" + b" " * 1024 * 1024, "“game.json” is larger than 1 MiB, the most that is read. Split it"),
    ],
)
def test_an_empty_and_a_huge_file_are_refused_at_once_and_the_others_come_in(seen, settings, data, sentence):
    settings.TRANSCRIPT_LIMITS = settings.TRANSCRIPT_LIMITS | {"file_bytes": 1024 * 1024}
    answer = send(seen, as_bytes(GOOD), data)
    assert answer.status_code == 422
    assert sentence in said(answer)
    run_waiting_jobs()
    verbs = Event.objects.filter(object_kind="transcript").order_by("seq").values_list("verb", flat=True)
    assert list(verbs) == ["transcript:uploaded", "transcript:imported"]
    assert Transcript.objects.count() == Game.objects.count() == 1
    assert not Job.objects.exclude(state="done").exists()


def test_a_body_over_the_limit_is_refused_unread(seen, settings):
    settings.MOST_UPLOADED_AT_ONCE = 1024
    answer = send(seen, b" " * 2048)
    assert answer.status_code == 413
    check_nothing_is_half_stored()


def test_a_form_without_files_and_a_file_without_a_name_are_refused(seen):
    answer = seen.post(reverse("import_upload", args=["ours"]), {})
    assert (answer.status_code, "Choose at least one file." in said(answer)) == (422, True)
    check_nothing_is_half_stored()


@pytest.mark.services
@pytest.mark.parametrize(
    "name", ["../../etc/passwd", "a\\..\\b.json", "x" * 300 + ".json", "a\u202egpj.json"]
)
def test_a_hostile_file_name_is_only_ever_shown(seen, lead, tmp_path, name):
    answer = send(seen, as_bytes(GOOD), name=name)
    assert answer.status_code == 303
    run_waiting_jobs()
    assert seen.get(answer["Location"]).status_code == 200
    shown = Transcript.objects.get().name
    assert not set(shown) & set("/\\\u202e")
    assert len(shown) <= 200
    kept = [path for path in (tmp_path / "var").rglob("*") if path.is_file() and "audit" not in path.parts]
    assert [path.name for path in kept] == [Transcript.objects.get().sha256]


@pytest.mark.services
def test_one_bad_game_of_three_is_refused_and_the_others_come_in(seen):
    games = [native_game(gameId="a"), native_game(gameId="b", messages=[]), native_game(gameId="c")]
    answer = send(seen, as_bytes(games))
    run_waiting_jobs()
    page = said(seen.get(answer["Location"]))
    assert "The game has no messages" in page
    assert sorted(Game.objects.values_list("source_id", flat=True)) == ["a", "c"]
    assert Measured.objects.count() == Slot.objects.count() == 2
    assert breaches() == {}


@pytest.mark.services
def test_the_same_id_with_other_content_is_refused_and_overwrites_nothing(seen):
    send(seen, as_bytes(native_game(gameId="a")))
    answer = send(seen, as_bytes(native_game(gameId="a", prompt="another")))
    run_waiting_jobs()
    page = said(seen.get(answer["Location"]))
    assert 'The id "a" already belongs to game 1, whose content is another. Nothing was overwritten.' in page
    assert Game.objects.count() == 1
    assert breaches() == {}
