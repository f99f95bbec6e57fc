"""A text of unknown lines, on the page “Is this the game?”, by the API and by the command."""

import re

import pytest
from django.urls import reverse

from discussions.models import ColumnMapping, Game, Transcript
from discussions.queries import game_record
from discussions.transcripts.queries import mapping_record
from tests.discussions.imports.test_choices import words
from tests.discussions.transcripts.test_commands_import import run
from tests.factories.columns import upload_table
from tests.factories.jobs import run_waiting_jobs
from tests.factories.own_logs import SAID
from tests.factories.tokens import program_of

pytestmark = pytest.mark.django_db
SHAPES = ("🗣️ 7. {} {}", "/{}/ {}")
TEMPLATES = ("🗣️ {turn}. {player} {text}", "/{player}/ {text}")


def log(shape: str, name: str = "") -> bytes:
    return "\n".join([f"Welcome {name}", *(shape.format(who, text) for who, text in SAID)]).encode()


@pytest.fixture
def waiting(project, lead):
    """The address of the page for a file that waits."""
    table = upload_table(project=project, by=lead, data=log(SHAPES[0]), name="log.txt")
    run_waiting_jobs()
    return reverse("map_columns", args=["ours", table.pk])


def hidden(page: str) -> dict[str, str]:
    return dict(re.findall(r'type="hidden" name="(of_columns|lines_before)" value="([^"]*)"', page))


def ask(seen, address: str, **posted: str):
    return seen.post(address, {"do": "preview", **posted}, HTTP_HX_REQUEST="true")


def test_a_text_of_unknown_lines_waits_and_shows_how_it_begins(seen, waiting):
    address = waiting
    report = words(seen.get(address.removesuffix("columns/")))
    assert "waits for an answer" in report and "What the file waits for" in report
    page = words(seen.get(address))
    assert "Say how its lines are written, and the game is shown here." in page
    assert "Welcome 🗣️ 7. Ann Good morning, Bea and Cid." in page
    answer = seen.post(address, {"do": "save", "lines": ""})
    assert answer.status_code == 422 and "Write a template." in words(answer)


def test_templates_show_the_game_and_are_the_recipe_of_such_files(seen, project, lead, waiting):
    address = waiting
    before = hidden(seen.get(address).content.decode())
    shown = ask(seen, address, lines=TEMPLATES[0], **before)
    assert "6 rows are one game: 3 players, 1 round, 6 messages" in words(shown)
    assert "1 line is in none of them: Welcome" in words(shown)
    assert "Say how its lines" not in words(shown)
    now = hidden(shown.content.decode())
    assert now["lines_before"] == TEMPLATES[0] and now["of_columns"] != before["of_columns"]
    # The columns were proposed again; they are those of the game.
    chosen = dict(re.findall(r'<option value="(\d+)" selected>(\w+)', shown.content.decode()))
    fields = {name: number for number, name in chosen.items()}
    saved = {"do": "save", "lines": TEMPLATES[0], "player": fields["player"], "text": fields["text"], **now}
    assert seen.post(address, saved).status_code == 303
    run_waiting_jobs()
    game = Game.objects.get()
    messages = game_record(game.pk, game.content_sha256).messages
    assert [message.text for message in messages] == [text for _name, text in SAID]
    upload_table(project=project, by=lead, data=log(SHAPES[0], "again"), name="brother.txt")
    run_waiting_jobs()
    assert Game.objects.count() == 2
    assert "separated" in words(seen.get(address.removesuffix("columns/")))


def test_templates_of_two_kinds_of_files_are_two_recipes_and_all_that_wait_are_read(
    seen, project, lead, waiting
):
    tables = [
        upload_table(project=project, by=lead, data=log(shape, str(n)), name=f"{n}.txt")
        for n, shape in enumerate(SHAPES * 2)
    ]
    run_waiting_jobs()
    assert not Game.objects.exists()
    for table, template in zip(tables[:2], TEMPLATES, strict=True):
        address = f"projects/ours/imports/{table.pk}/columns/"
        fields = {"player": "player", "text": "text"}
        given = {"fields": fields, "settings": {"separator": template}}
        preview = program_of(lead).post(address, given | {"is_preview": True}).json()
        assert [one["text"] for one in preview["messages"]] == [text for _name, text in SAID]
        assert program_of(lead).post(address, given).json()["is_kept"]
    run_waiting_jobs()
    assert (ColumnMapping.objects.filter(removed_at=None).count(), Game.objects.count()) == (2, 5)


def test_wrong_templates_are_refused_with_what_was_typed_kept(seen, waiting):
    address = waiting
    for lines, says in (
        ("{speaker}: {text}", "There is no field &quot;speaker&quot;."),
        ("{player} says {text}", "No line of the file is written so."),
    ):
        answer = seen.post(address, {"do": "save", "lines": lines})
        assert answer.status_code == 422
        page = answer.content.decode()
        assert says.replace("&quot;", "&#34;") in page and lines in page
    assert not ColumnMapping.objects.exists() and not Game.objects.exists()


def test_the_last_that_is_said_of_a_file_counts(lead, waiting):
    address = f"projects/ours/imports/{waiting.split('/')[-3]}/columns/"
    given = {"fields": {"player": "player", "text": "text"}}
    for template in ("🗣️ {turn}. {player} {text...}", "{} {turn}. {player} {text}"):
        assert program_of(lead).post(address, given | {"settings": {"separator": template}}).json()["is_kept"]
    (kept,) = ColumnMapping.objects.filter(removed_at=None)
    assert mapping_record(kept).settings["separator"] == "{} {turn}. {player} {text}"


def test_of_a_sign_and_templates_the_one_that_was_changed_last_counts(seen, project, lead):
    data = "\n".join(f"{name} | {text} » yes" for name, text in SAID).encode()
    table = upload_table(project=project, by=lead, data=data, name="log.txt")
    run_waiting_jobs()
    address = reverse("map_columns", args=["ours", table.pk])
    lines = "{player} | {text} » {}"
    shown = ask(seen, address, lines=lines, lines_before="", separator="|")
    assert "» yes" not in words(shown).partition("The first lines")[0]
    assert "Ann | Good morning, Bea and Cid. » yes" in words(shown)
    same = ask(seen, address, lines=lines, lines_before=lines, separator="")
    assert f">\n{lines}</textarea>" in same.content.decode()
    other = ask(seen, address, lines=lines, separator="|", **hidden(same.content.decode()))
    assert "» yes" in words(other).partition("What stands")[0]
    # What was typed stays, and counts again once it is changed.
    assert f">\n{lines}</textarea>" in other.content.decode()
    again = ask(seen, address, lines=f"{lines}!", separator="|", **hidden(other.content.decode()))
    assert "Say how its lines are written" in words(again)


def test_the_command_takes_templates(capsys, lead, project, tmp_path):
    (tmp_path / "a.txt").write_bytes(log("{}, who says: {}"))
    given = (tmp_path / "a.txt", "--project", "ours", "--by", lead.email, "--wait", "--map")
    code, _out, says = run(capsys, *given, "separator={player}, who says: {words}")
    assert (code, Transcript.objects.count()) == (2, 0) and 'There is no field "words"' in says
    code, out, _says = run(capsys, *given, "separator={player}, who says: {text}")
    assert (code, Game.objects.get().message_count) == (0, 6), out
