"""Files that are no tables and wait with a question: channels of Slack, lines with a sign between name and text."""

import re

import pytest
from django.urls import reverse

from discussions.models import ColumnMapping, Game
from tests.discussions.imports.test_choices import words
from tests.discussions.transcripts.test_core_readers_public import archive, slack_day, slack_export
from tests.factories.columns import upload_table
from tests.factories.jobs import run_waiting_jobs
from tests.factories.own_logs import SAID
from tests.factories.tokens import program_of

pytestmark = pytest.mark.django_db


def answers(page: str, **chosen: str) -> dict[str, str]:
    """The radio buttons of the questions about these values, as a browser sends them."""
    found = {}
    for field in re.findall(r"<fieldset class=\"asked field\">(.*?)</fieldset>", page, re.DOTALL):
        name = re.search(r'name="(\w+)"', field)
        for value, answer in chosen.items():
            if f"“{value}”" in field:
                assert name is not None
                found[name[1]] = answer
    return found


def test_talking_channels_of_slack_are_asked_about_and_each_that_is_a_game_is_read(seen, project, lead):
    files = slack_export() | {"random/2026-01-31.json": slack_day()}
    files["channels.json"] = [*files["channels.json"], {"id": "C02", "name": "random"}]
    export = upload_table(project=project, by=lead, data=archive(files), name="export.zip")
    run_waiting_jobs()
    report = seen.get(reverse("import_show", args=["ours", export.pk])).content.decode()
    address = reverse("map_columns", args=["ours", export.pk])
    assert "waits for an answer" in report and address in report
    shown = seen.get(address)
    page = shown.content.decode()
    assert "2 rows What is “town”?" in words(shown) and "2 rows What is “random”?" in words(shown)
    chosen = {"player": "1", "text": "2", "game": "0", "time": "3", "do": "save"}
    asked = answers(page, town="speech", random="ignore")
    assert len(asked) == 2
    assert seen.post(address, chosen).status_code == 422
    assert seen.post(address, chosen | asked).status_code == 303
    run_waiting_jobs()
    (game,) = Game.objects.all()
    assert game.message_count == 2
    assert seen.get(reverse("column_mappings", args=["ours"])).status_code == 200


def test_lines_with_another_sign_are_shown_as_a_game_and_read_once_it_is_confirmed(seen, project, lead):
    data = "\n".join(f"{name} | {text}" for name, text in SAID).encode()
    log = upload_table(project=project, by=lead, data=data, name="log.txt")
    run_waiting_jobs()
    address = reverse("map_columns", args=["ours", log.pk])
    assert "6 rows are one game" in words(seen.get(address))
    proposal = program_of(lead).get(f"projects/ours/imports/{log.pk}/columns/").json()
    assert proposal["settings"] == {"separator": "|"}
    assert [(path["path"], path["named"]) for path in proposal["paths"]] == [("name |", 3), ("text |", 0)]
    assert seen.post(address, {"player": "0", "text": "1", "do": "save"}).status_code == 303
    run_waiting_jobs()
    log.refresh_from_db()
    assert log.faults == "[]", log.faults
    assert Game.objects.get().message_count == len(SAID)
    assert ColumnMapping.objects.get().transcript == log


def test_lines_of_a_log_are_asked_about_and_the_next_log_is_read_by_the_recipe(seen, project, lead):
    lines = [f"2026-03-01 20:15:1{n},1 INFO game.hall: {who}: {text}" for n, (who, text) in enumerate(SAID)]
    thought = "2026-03-01 20:15:09,1 DEBUG agent.Ann: thought: CANARY"
    log = upload_table(project=project, by=lead, data="\n".join([thought, *lines]).encode(), name="log.txt")
    run_waiting_jobs()
    address = f"projects/ours/imports/{log.pk}/columns/"
    proposal = program_of(lead).get(address).json()
    assert [question["value"] for question in proposal["questions"]] == ["INFO game.hall"]
    page = seen.get(reverse("map_columns", args=["ours", log.pk]))
    assert "What is “INFO game.hall”?" in words(page) and "CANARY" not in words(page).split("Paths")[0]
    given = {key: proposal[key] for key in ("fields", "settings")} | {"kinds": {"INFO game.hall": "speech"}}
    assert program_of(lead).post(address, given).status_code == 200
    run_waiting_jobs()
    next_log = "\n".join(line.replace("20:15", "21:30") for line in lines).encode()
    upload_table(project=project, by=lead, data=next_log, name="next.txt")
    run_waiting_jobs()
    assert [game.message_count for game in Game.objects.all()] == [len(SAID)] * 2


def test_the_page_says_what_each_path_holds(seen, project, lead):
    table = upload_table(project=project, by=lead)
    run_waiting_jobs()
    page = seen.get(reverse("map_columns", args=["ours", table.pk])).content.decode()
    (paths,) = re.findall(r'<details id="paths">(.*?)</details>', page, re.DOTALL)
    assert paths.count('<th scope="row">') == page.count('<th scope="col"><bdi') > 2
    assert "100%" in paths
