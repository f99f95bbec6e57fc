"""manage.py import_transcripts: what it does, says and exits with."""

import json
from io import BytesIO, TextIOWrapper

import pytest
from django.core.management import CommandError, call_command

from discussions.management.transcript_files import read_paths
from discussions.models import Game, Measured, Transcript
from discussions.transcripts.core.formats import NATIVE, Format
from discussions.transcripts.core.layouts import ReadOptions
from discussions.transcripts.core.reader import plan_reading, read_games
from tests.factories.archives import zipped
from tests.factories.people import make_lead
from tests.factories.text_formats import TABLE
from tests.factories.transcripts import as_bytes, make_games_project, native_game
from workspace.models import Job

pytestmark = [pytest.mark.django_db, pytest.mark.services(is_long=True)]


@pytest.fixture
def lead(db, settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path / "media"
    return make_lead(project=make_games_project(slug="ours"))


@pytest.fixture
def folder(tmp_path):
    home = tmp_path / "games"
    home.mkdir()
    (home / "a.json").write_bytes(as_bytes(native_game(gameId="a")))
    (home / "b.json").write_bytes(as_bytes(native_game(gameId="b")))
    return home


def run(capsys, *arguments):
    """The exit code, stdout and stderr."""
    with pytest.raises(SystemExit) as end:
        call_command("import_transcripts", *map(str, arguments))
    said = capsys.readouterr()
    return end.value.code, said.out, said.err


def test_a_folder_comes_in_and_is_measured_while_one_waits(capsys, lead, folder):
    code, out, _ = run(capsys, folder, "--project", "ours", "--by", lead.email, "--wait", "--json")
    assert code == 0
    reports = json.loads(out)["imports"]
    assert [(report["file"], report["outcome"], report["state"], report["games"]) for report in reports] == [
        ("a.json", "taken in", "done", 1),
        ("b.json", "taken in", "done", 1),
    ]
    assert Measured.objects.count() == 2


def test_without_wait_the_work_is_queued(capsys, lead, folder):
    code, out, _ = run(capsys, folder / "a.json", "--project", "ours", "--by", lead.email.upper())
    assert code == 0
    assert "a.json: taken in, queued" in out
    assert Job.objects.get().state == "queued"
    assert Game.objects.count() == 0


def test_twice_is_once_and_says_so(capsys, lead, folder):
    run(capsys, folder, "--project", "ours", "--by", lead.email, "--wait")
    code, out, _ = run(capsys, folder, "--project", "ours", "--by", lead.email, "--wait")
    assert code == 0
    assert "a.json: already imported, done, 1 game in" in out
    assert Game.objects.count() == 2


def test_a_refused_game_is_exit_code_1_with_its_faults(capsys, lead, folder):
    (folder / "c.json").write_bytes(b'{"gameId": "c"')
    code, out, _ = run(capsys, folder, "--project", "ours", "--by", lead.email, "--wait")
    assert code == 1
    assert "c.json line 1 column 15 /gameId: The text ends before it is complete" in out
    assert Game.objects.count() == 2


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"project": "theirs"}, 'There is no project "theirs"'),
        ({"by": "nobody@example.org"}, 'There is no account "nobody@example.org"'),
        ({"paths": ["missing.json"]}, "No such file or directory. Check its name and its rights."),
        ({"iteration": "7"}, "The project has no iteration 7"),
        ({"format": "nothing"}, 'There is no format "nothing"; there are inspect, '),
    ],
)
@pytest.mark.parametrize("as_json", [False, True])
def test_what_cannot_be_started_is_exit_code_2_and_stores_nothing(
    capsys, lead, folder, change, says, as_json
):
    given = {"paths": [folder], "project": "ours", "by": lead.email} | change
    paths = given.pop("paths")
    options = [part for key, value in given.items() for part in (f"--{key}", value)]
    code, out, err = run(capsys, *paths, *options, *(["--json"] if as_json else []))
    assert (code, out) == (2, "")
    assert says in (json.loads(err)["faults"][0]["message"] if as_json else err)
    assert not Transcript.objects.exists()


@pytest.mark.parametrize("more", [[], ["--json"]])
def test_an_empty_file_does_not_refuse_the_others(capsys, lead, folder, more):
    (folder / "0.csv").write_bytes(b"")
    (folder / "c.csv").write_bytes(TABLE)
    mapped = ("--map", "player=who,text=what,game=match")
    code, out, _ = run(
        capsys,
        folder / "0.csv",
        folder / "c.csv",
        "--project",
        "ours",
        "--by",
        lead.email,
        *mapped,
        "--wait",
        *more,
    )
    assert (code, "“0.csv” is empty" in out) == (1, True)
    assert Game.objects.count() == 2
    if more:
        found = json.loads(out)
        assert (len(found["imports"]), len(found["refused"])) == (1, 1)


def test_only_empty_files_and_somebody_without_rights_are_exit_code_2(capsys, lead, folder):
    (folder / "c.json").write_bytes(b"")
    code, _, err = run(capsys, folder / "c.json", "--project", "ours", "--by", lead.email)
    assert (code, "“c.json” is empty" in err) == (2, True)
    stranger = make_lead(project=make_games_project())
    code, _, err = run(capsys, folder / "a.json", "--project", "ours", "--by", stranger.email)
    assert (code, "Only team leads" in err) == (2, True)
    assert not Transcript.objects.exists()


def test_archives_lines_and_standard_input_come_in(capsys, lead, folder, monkeypatch):
    (folder / "c.zip").write_bytes(zipped({"c.json": as_bytes(native_game(gameId="c"))}))
    (folder / "d.jsonl").write_bytes(
        as_bytes(native_game(gameId="d")) + b"\n" + as_bytes(native_game(gameId="e"))
    )
    (folder / "README.md").write_bytes(b"no transcript")
    (folder / "inner").mkdir()
    monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(as_bytes(native_game(gameId="f")))))
    given = ("--project", "ours", "--by", lead.email, "--wait", "--json", "--format", "native")
    code, out, _ = run(capsys, folder, "-", *given)
    assert code == 0
    assert [(report["file"], report["games"]) for report in json.loads(out)["imports"]] == [
        ("a.json", 1),
        ("b.json", 1),
        ("c.zip", 1),
        ("d.jsonl", 2),
        ("standard-input", 1),
    ]


def test_a_folder_that_is_a_game_comes_as_an_archive_of_the_same_bytes_each_time(tmp_path):
    known = Format(
        name="folder",
        looks="a folder with talk.txt",
        recognises_files=lambda names: "talk.txt" in names,
        to_native_files=lambda files, notes: native_game(
            gameId=notes.source, winner=files["talk.txt"].decode()
        ),
    )
    for number in ("0001", "0002"):
        (tmp_path / number).mkdir()
        (tmp_path / number / "talk.txt").write_bytes(b"mafia")
    (tmp_path / "a.json").write_bytes(as_bytes(native_game()))
    options = ReadOptions(formats=(known, NATIVE))
    files = read_paths([str(tmp_path)], options)
    assert [file.name for file in files] == ["0001.zip", "0002.zip", "a.json"]
    assert (
        read_paths([str(tmp_path / "0001")], options) == files[:1] == read_paths([str(tmp_path)], options)[:1]
    )
    (outcome,) = read_games(plan_reading(files[0].data, files[0].name, options))
    assert (outcome.game.record.game_id, outcome.game.record.winner) == ("0001", "mafia")


def test_columns_are_mapped_for_the_project_or_nothing_is_stored(capsys, lead, tmp_path):
    table = tmp_path / "a.csv"
    table.write_bytes(TABLE)
    given = (table, "--project", "ours", "--by", lead.email, "--wait")
    code, _out, says = run(capsys, *given, "--map", "player=who,text=nothing")
    assert (code, Transcript.objects.count()) == (2, 0)
    assert 'has no column "nothing"; it has "who", "what", "match"' in says
    code, _out, says = run(capsys, *given, "--map", "player=who")
    assert code == 2 and "The columns of player and text are needed" in says
    code, out, _says = run(capsys, *given)
    assert (code, Game.objects.count()) == (1, 0) and "Say once what each column is" in out
    assert "a.csv: taken in, waits for an answer (or --map), 0 games in" in out
    code, out, _says = run(capsys, *given, "--map", "player=who,text=what", "--map", "game=match")
    assert (code, Game.objects.count()) == (0, 2), out
    (tmp_path / "b.csv").write_bytes(TABLE.replace(b"m1", b"m3").replace(b"m2", b"m4"))
    assert run(capsys, tmp_path / "b.csv", *given[1:])[0] == 0
    assert Game.objects.count() == 4


def test_rows_that_only_format_calls_rows_are_mapped(capsys, lead, tmp_path):
    log = tmp_path / "a.jsonl"
    log.write_text('{"who": "Ann", "said": "Hi", "calls": [{"tool": "x"}]}\n')
    given = (log, "--project", "ours", "--by", lead.email, "--wait", "--format", "jsonl")
    code, out, _says = run(capsys, *given, "--map", "player=who,text=said")
    assert (code, Game.objects.count()) == (0, 1), out


def test_the_encoding_of_a_table_is_named(capsys, lead, tmp_path):
    table = tmp_path / "a.csv"
    table.write_bytes("Wer,Was\nJörg,Größe\nŘehoř,ještě\n".encode("cp1250"))
    named = (
        "--encoding",
        "windows-1250",
        "--map",
        "player=Wer,text=Was",
        "--project",
        "ours",
        "--by",
        lead.email,
    )
    code, out, _ = run(capsys, table, *named, "--wait")
    assert (code, Game.objects.get().text.to_record().messages[0].text) == (0, "Größe"), out
    with pytest.raises(CommandError, match="invalid choice: 'x'"):
        call_command(
            "import_transcripts", str(table), "--encoding", "x", "--project", "ours", "--by", lead.email
        )
