"""Recipes: their files, names, and the ways to keep them."""

import json
import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.urls import reverse

from discussions.models import ColumnMapping, Game
from discussions.transcripts.core.readers.columns import MappingRecord, read_recipe, write_recipe
from tests.factories.columns import make_mapping, upload_table
from tests.factories.jobs import run_waiting_jobs
from tests.factories.people import make_lead
from tests.factories.text_formats import COLUMNS, FIELDS, TABLE
from tests.factories.tokens import program_of
from tests.factories.transcripts import make_games_project
from workspace.models import Event

FULL = MappingRecord(
    ["line", "who", "note", "stage", "a|b", "said"],
    {"player": "who", "text": "line|said", "type": "stage", "round": "a|b"},
    {"undertone": "thought", "dawn": "round"},
    {"P*": "Player*"},
    {"encoding": "gb18030"},
)


def as_file(body):
    return SimpleUploadedFile("ours.recipe.json", body)


def test_a_file_says_all_of_a_recipe_and_always_the_same():
    body = write_recipe("Harbour nights", FULL)
    name, found = read_recipe(body)
    assert (name, found.written, sorted(found.columns)) == (
        "Harbour nights",
        FULL.written,
        sorted(FULL.columns),
    )
    assert write_recipe(name, found) == body
    assert json.loads(body)["paths"]["text"] == ["line", "said"]
    assert json.loads(body)["paths"]["round"] == ["a|b"]
    assert json.loads(body)["ignored"] == ["note"]


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"version": 2}, "This is no recipe: Invalid enum value 2 - at `$.version`"),
        ({"more": 1}, "unknown field `more`"),
        ({"name": ""}, "at `$.name`"),
        ({"paths": {"player": ["who"]}}, "The paths of player and text are needed."),
        ({"paths": {"speaker": ["who"]}}, 'There is no field "speaker"'),
        ({"paths": {"player": ["who"], "text": ["who"]}}, 'The path "who" is used twice.'),
        ({"paths": {"player": ["who"], "text": ["|", "said"]}}, 'The paths of "text" cannot be told apart'),
        ({"kinds": {"x": "song"}}, "at `$.kinds[...]`"),
        ({"aliases": {"P*": "Player"}}, '"P*" and "Player" are no pair'),
        ({"settings": {"encoding": "klingon"}}, 'There is no encoding "klingon"'),
    ],
)
def test_a_faulty_file_is_refused_with_what_is_wrong(changes, says):
    recipe = json.loads(write_recipe("ours", FULL)) | changes
    with pytest.raises(ValueError, match=re.escape(says)):
        read_recipe(json.dumps(recipe).encode())


@pytest.mark.parametrize(("body", "says"), [(b"{", "Line 1: "), (b"{}" + b" " * 300_000, "more than")])
def test_what_is_no_json_is_refused(body, says):
    with pytest.raises(ValueError, match=says):
        read_recipe(body)


def test_a_recipe_goes_from_one_project_to_another_as_a_file(seen, project, lead):
    kept = make_mapping(project=project, by=lead)
    assert kept.name == "table.csv"
    answer = seen.get(reverse("download_recipe", args=["ours", kept.pk]))
    assert answer["Content-Disposition"] == 'attachment; filename="table.csv.recipe.json"'
    theirs = make_games_project(slug="theirs")
    other = make_lead(project=theirs)
    waiting = upload_table(project=theirs, by=other)
    run_waiting_jobs()
    seen.force_login(other)
    listed = reverse("column_mappings", args=["theirs"])
    refused = seen.post(listed, {"recipe": as_file(b"[]")})
    assert refused.status_code == 422 and "This is no recipe" in refused.content.decode()
    assert seen.post(listed, {"recipe": as_file(answer.content)})["Location"] == listed
    run_waiting_jobs()
    assert Game.objects.filter(transcript=waiting).count() == 2
    row = ColumnMapping.objects.get(project=theirs, removed_at=None)
    again = seen.get(reverse("download_recipe", args=["theirs", row.pk]))
    assert again.content == answer.content
    assert row.transcript is None and "Change" not in seen.get(listed).content.decode()


def test_a_name_is_one_recipes_alone(seen, project, lead):
    first = make_mapping(project=project, by=lead)
    table = upload_table(project=project, by=lead, data=TABLE.replace(b"who", b"whom"))
    chosen = {"player": "0", "text": "1", "game": "2", "do": "save"}
    assert seen.post(reverse("map_columns", args=["ours", table.pk]), chosen).status_code == 303
    second = ColumnMapping.objects.exclude(pk=first.pk).get()
    assert second.name == "table.csv (2)"
    rename = reverse("rename_recipe", args=["ours", second.pk])
    taken = seen.post(rename, {"name": "table.csv"})
    assert taken.status_code == 409 and "Another recipe has this name" in taken.content.decode()
    assert seen.post(rename, {"name": " "}).status_code == 422
    assert seen.post(rename, {"name": "Nights"}).status_code == 303
    second.refresh_from_db()
    assert second.name == "Nights"
    assert Event.objects.filter(verb="column_mapping:renamed").count() == 1
    # One that comes as a file replaces what has its name.
    body = write_recipe("Nights", FULL)
    seen.post(reverse("column_mappings", args=["ours"]), {"recipe": as_file(body)})
    newest = ColumnMapping.objects.get(name="Nights", removed_at=None)
    assert json.loads(newest.fields)["is.dawn"] == "round"


def test_programs_keep_recipes(lead):
    program = program_of(lead)
    recipe = json.loads(write_recipe("Nights", FULL))
    made = program.post("projects/ours/recipes/", {"recipe": recipe}).json()
    assert (made["name"], made["recipe"]) == ("Nights", recipe)
    assert program.post("projects/ours/recipes/", {"recipe": {}}).status_code == 422
    address = f"projects/ours/recipes/{made['id']}/"
    assert program.post(f"{address}rename/", {"name": "Days"}).json()["name"] == "Days"
    assert program.get(address).json()["recipe"] == recipe | {"name": "Days"}
    assert [item["name"] for item in program.get("projects/ours/recipes/").json()["items"]] == ["Days"]


def test_commands_take_a_recipe_from_a_file_or_by_its_name(lead, tmp_path, capsys):
    table = tmp_path / "table.csv"
    table.write_bytes(TABLE)
    recipe = tmp_path / "ours.recipe.json"
    recipe.write_bytes(write_recipe("ours", MappingRecord(COLUMNS, FIELDS)))
    with pytest.raises(SystemExit) as ended:
        call_command("measure_file", str(table), "--recipe", str(tmp_path / "none"))
    assert ended.value.code == 2 and "Correct --recipe" in capsys.readouterr().err
    call_command("measure_file", str(table), "--recipe", str(recipe))
    assert "m1:" in capsys.readouterr().out
    given = {"project": "ours", "by": lead.email, "wait": True}
    with pytest.raises(SystemExit) as ended:
        call_command("import_transcripts", str(table), recipe="ours", **given)
    assert ended.value.code == 2 and 'no recipe "ours"' in capsys.readouterr().err
    with pytest.raises(SystemExit) as ended:
        call_command("import_transcripts", str(table), recipe=str(recipe), **given)
    assert (ended.value.code, Game.objects.count()) == (0, 2)
    table.write_bytes(TABLE.replace(b"m1", b"k1").replace(b"m2", b"k2"))
    with pytest.raises(SystemExit) as ended:
        call_command("import_transcripts", str(table), recipe="ours", **given)
    assert (ended.value.code, Game.objects.count()) == (0, 4)
    assert ColumnMapping.objects.get().name == "ours"


def test_programs_replace_and_delete_recipes(lead):
    program = program_of(lead)
    recipe = json.loads(write_recipe("Nights", FULL))
    first = program.post("projects/ours/recipes/", {"recipe": recipe}).json()["id"]
    changed = recipe | {"name": "Days", "kinds": {"undertone": "private"}}
    answer = program.send("PUT", f"projects/ours/recipes/{first}/", {"recipe": changed}).json()
    assert (answer["recipe"], answer["id"] != first) == (changed, True)
    assert [item["id"] for item in program.get("projects/ours/recipes/").json()["items"]] == [answer["id"]]
    assert program.send("PUT", f"projects/ours/recipes/{first}/", {"recipe": changed}).status_code == 409
    assert program.send("PUT", f"projects/ours/recipes/{answer['id']}/", {"recipe": {}}).status_code == 422
    assert program.send("DELETE", f"projects/ours/recipes/{answer['id']}/").status_code == 200
    assert program.send("DELETE", f"projects/ours/recipes/{answer['id']}/").status_code == 409
    assert program.get("projects/ours/recipes/").json()["items"] == []
    events = Event.objects.filter(verb__startswith="column_mapping").order_by("pk")
    assert [event.verb.partition(":")[2] for event in events] == ["saved", "changed", "removed"]


def test_a_recipe_is_deleted_on_the_page_after_a_second_press(seen, project, lead):
    kept = make_mapping(project=project, by=lead)
    page = seen.get(reverse("column_mappings", args=["ours"])).content.decode()
    shown = page.index("Files that need this recipe wait again")
    assert page.index("<summary>Delete</summary>") < shown < page.index("Delete this recipe")
    assert seen.post(reverse("remove_mapping", args=["ours", kept.pk])).status_code == 303
    assert not ColumnMapping.objects.filter(removed_at=None).exists()
