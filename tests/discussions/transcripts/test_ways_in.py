"""The same files by page, command and API: real games, hostile archives, and bad files of every format."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.urls import reverse
from msgspec.structs import asdict, replace

from discussions.models import Game, GameText, Transcript
from tests.discussions.transcripts import test_core_own_logs_faults as own_logs
from tests.discussions.transcripts.test_core_reader_faults import GAMES
from tests.discussions.transcripts.test_core_readers import REAL, real_folders
from tests.factories.archives import HOSTILE, MIB
from tests.factories.people import NOW, make_lead
from tests.factories.reading import read_transcripts
from tests.factories.tokens import program_of
from tests.factories.transcripts import as_bytes, make_games_project
from workspace.core.words import say_stored
from workspace.jobs.actions import run_job
from workspace.models import Job

pytestmark = [pytest.mark.django_db, pytest.mark.slow]  # the package alone stays under 15 seconds

SMALL = replace(own_logs.SMALL, file_bytes=4 * MIB, unpacked_bytes=16 * MIB, archive_files=100)
BAD = {
    "": list(HOSTILE.values()),
    "native": [as_bytes(game) for game, *_said in GAMES],
    "csv": [text.encode() for text, _code in own_logs.CSV],
    "jsonl": [text.encode() for text, _code in own_logs.JSONL],
    "chat_text": [text.encode() for text, _code in own_logs.CHATS],
    "openai_chat": [json.dumps(value).encode() for value, _code in own_logs.CHAT_VALUES],
    "inspect": [json.dumps(value).encode() for value, _code in own_logs.SAMPLES],
}


@pytest.fixture
def lead(db, settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path / "media"
    return make_lead(project=make_games_project(slug="ours"))


def read_waiting():
    """The imports that wait; what they bring in is not measured."""
    for key in Job.objects.filter(kind="import", state="queued").order_by("pk").values_list("pk", flat=True):
        run_job(job=key, clock=lambda: NOW)


class Page:
    """The page of imports."""

    def __init__(self, client, lead, _capsys, _folder):
        self.client = client
        client.force_login(lead)

    def send(self, files, name):
        sent = [SimpleUploadedFile(called, data) for called, data in files.items()]
        answer = self.client.post(
            reverse("import_upload", args=["ours"]), {"transcripts": sent, "format": name}
        )
        assert answer.status_code == 303

    def faults(self, transcript):
        page = self.client.get(reverse("import_show", args=["ours", transcript.pk])).content.decode()
        assert "no game imported" in page or "waits for an answer" in page
        return page.count('<dt class="mono">')


class Command:
    """`import_transcripts`."""

    def __init__(self, _client, lead, capsys, folder):
        self.lead, self.capsys, self.folder = lead, capsys, folder

    def send(self, files, name):
        for called, data in files.items():
            (self.folder / called).write_bytes(data)
        paths = [str(self.folder / called) for called in files]
        self.named = ["--format", name] if name else []
        self._run(*paths)

    def faults(self, transcript):
        (report,) = self._run(str(self.folder / transcript.name), "--wait")["imports"]
        assert report["games"] == 0 and report["is_refused"]
        return len(report["faults"])

    def _run(self, *arguments):
        with pytest.raises(SystemExit) as end:
            call_command(
                "import_transcripts",
                *arguments,
                *self.named,
                "--project",
                "ours",
                "--by",
                self.lead.email,
                "--json",
            )
        assert end.value.code in (0, 1)
        return json.loads(self.capsys.readouterr().out)


class Api:
    """The API."""

    def __init__(self, _client, lead, _capsys, _folder):
        self.program = program_of(lead)

    def send(self, files, name):
        for called, data in files.items():
            answer = self.program.post(f"projects/ours/imports/?name={called}&format={name}", data)
            assert answer.status_code == 202, answer.content

    def faults(self, transcript):
        found = self.program.get(f"projects/ours/imports/{transcript.pk}/").json()
        assert found["state"] in ("nothing", "columns") and found["games"] == []
        return len(found["faults"])


@pytest.fixture(params=[Page, Command, Api], ids=["page", "command", "api"])
def way(request, client, lead, capsys, tmp_path):
    """One of the three ways in."""
    return request.param(client, lead, capsys, tmp_path)


@pytest.mark.skipif(not REAL.is_dir(), reason="the real transcripts are not here")
def test_real_games_come_in_equal_to_their_native_files(way):
    way.send({f"{name}.zip": data for name, data in real_folders()}, "")
    read_waiting()
    assert list(Transcript.objects.values_list("fault_count", flat=True)) == [0] * 4
    compared = 0
    for text in GameText.objects.select_related("game__transcript"):
        name = text.game.transcript.name.removesuffix(".zip")
        native = REAL / "native" / f"{name}-{text.game.source_id}.json"
        if native.is_file():
            compared += 1
            expected = read_transcripts(native.read_bytes(), native.name).games[0].record
            # The native files leave out who left the game and who won.
            assert replace(text.to_record(), eliminations=[], winner=None) == expected
    assert compared == 12


LOGS = {
    "run.jsonl": b'{"turn": 3, "agent": "gpt", "utterance": "I am calm.", "timestamp": 1769850000}\n'
    b'{"turn": 4, "agent": "llama", "utterance": "I am not.", "timestamp": 1769850009}\n',
    "graph.json": b'{"messages": [{"type": "system", "content": "Play."}, {"type": "human", "name": "Ann", '
    b'"content": "Hello."}, {"type": "ai", "name": "Bea", "content": "Hello, Ann.", "tool_calls": []}]}',
    "notes.md": b"# Night game\n\n## Day 1\n\n**Ann**: Hello.\n\n- one\n- two\n\n**Bea:** No.\n\n---\n\n"
    b"**Ann**: Why?\n\nWinner: village\n",
}


def test_logs_of_ones_own_come_in_without_a_word_of_help(way):
    way.send(LOGS, "")
    read_waiting()
    found = Game.objects.order_by("source_id").values_list("source_id", "player_count", "message_count")
    assert list(found) == [("graph", 2, 2), ("notes.md", 2, 3), ("run", 2, 2)]
    assert not Transcript.objects.exclude(fault_count=0).exists()


@pytest.mark.parametrize("name", BAD, ids=lambda name: name or "archives")
def test_bad_files_are_answered_with_sentences_and_store_nothing(way, settings, name):
    settings.TRANSCRIPT_LIMITS = asdict(SMALL)
    bad = sorted({data for data in BAD[name] if data})
    assert len(bad) >= (40 if name else 20)
    bad = bad[::5]  # what is said of each is asked of its reader
    way.send({f"{number}.txt": data for number, data in enumerate(bad)}, name)
    read_waiting()
    assert Transcript.objects.count() == len(bad)
    assert not Game.objects.exists()
    for transcript in Transcript.objects.all():
        faults = say_stored(json.loads(transcript.faults))
        assert way.faults(transcript) == len(faults) >= 1
        assert all(fault["message"].endswith(".") for fault in faults), faults
    assert not Job.objects.filter(kind="import").exclude(state="done").exists()
