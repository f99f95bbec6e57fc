"""A pipeline that imports: it uploads, asks how far it is, stops and goes on."""

import pytest

from discussions.models import Game
from tests.factories.jobs import run_waiting_jobs
from tests.factories.people import make_lead
from tests.factories.tokens import program_of
from tests.factories.transcripts import as_bytes, make_games_project, native_game

pytestmark = pytest.mark.django_db
PATH = "projects/here/imports/"


@pytest.fixture
def program(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path
    return program_of(make_lead(project=make_games_project(slug="here")))


def started(answer):
    """The path of the import that an upload began."""
    assert answer.status_code == 202, answer.content
    return answer.json()["items"][0]["address"].removeprefix("/api/v1/")


def test_a_file_is_imported_and_the_same_bytes_are_known(program):
    sent = as_bytes([native_game(gameId="a"), native_game(gameId="b"), {"gameId": "c"}])
    address = started(program.post(f"{PATH}?name=night.json", sent))
    assert program.get(address).json()["state"] == "waiting"
    run_waiting_jobs()
    found = program.get(address).json()
    assert (found["state"], found["games"], found["name"]) == ("done", [1, 2], "night.json")
    assert (found["game_count"], found["measured_count"]) == (2, 2)
    assert [fault["is_warning"] for fault in found["faults"]] == [False] * found["fault_count"]
    assert program.post(PATH, sent).json()["items"][0]["outcome"] == "already"
    assert program.get(PATH).json()["items"][0]["measured_count"] == 2
    assert found["is_seen"] is False and found["fault_count"]
    assert program.post(f"{address}seen/").json()["is_seen"] is True
    assert program.post(f"{address}seen/").status_code == 200
    assert program.get(PATH).json()["items"][0]["is_seen"] is True


def test_an_import_is_stopped_and_goes_on(program):
    address = started(program.post(PATH, as_bytes(native_game())))
    assert program.post(f"{address}cancel/").json()["state"] == "cancelled"
    again = program.post(f"{address}cancel/")
    assert (again.status_code, again.json()["code"]) == (409, "job_is_over")
    assert program.post(f"{address}resume/").json()["state"] == "waiting"
    run_waiting_jobs()
    assert Game.objects.count() == 1


def test_games_go_into_an_iteration_that_takes_them(program):
    answer = program.post(f"{PATH}?iteration=5", as_bytes(native_game()))
    assert (answer.status_code, answer.json()["field"]) == (422, "iteration")
    assert program.post(f"{PATH}?iteration=0", as_bytes(native_game())).status_code == 202


def test_a_format_is_named_and_taken_ids_come_in_as_separate_games(program):
    chat = b"[10:00] Ann: I was at home in round 1.\n[10:01] Bob: Nobody saw you there.\n"
    assert program.post(f"{PATH}?format=morse", chat).status_code == 422
    address = started(program.post(f"{PATH}?name=chat.txt&format=chat_text", chat))
    run_waiting_jobs()
    found = program.get(address).json()
    assert (found["state"], found["format"], found["game_count"]) == ("done", "chat_text", 1)
    program.post(PATH, as_bytes(native_game(gameId="same")))
    taken = started(
        program.post(PATH, as_bytes(native_game(gameId="same", messages=native_game()["messages"][:5])))
    )
    run_waiting_jobs()
    assert program.get(taken).json()["faults"][0]["code"] == "game_exists"
    again = program.post(f"{taken}separate/")
    assert (again.status_code, again.json()["outcome"]) == (202, "new")
    run_waiting_jobs()
    assert Game.objects.count() == 3


def test_a_file_in_another_encoding_is_asked_about_and_read_when_it_is_named(program):
    sent = "player,text\n小明,大家好我是村民\n小红,小明为什么不说话\n".encode("gb18030")
    address = started(program.post(f"{PATH}?name=a.csv", sent))
    run_waiting_jobs()
    (fault,) = program.get(address).json()["faults"]
    assert (fault["code"], "gb18030 (“小明,大家好" in fault["message"]) == ("unknown_columns", True)
    assert program.post(f"{PATH}?name=a.csv&encoding=klingon", sent).status_code == 422
    answer = program.post(f"{PATH}?name=a.csv&encoding=gb18030", sent)
    assert answer.json()["items"][0]["outcome"] == "resumed"
    run_waiting_jobs()
    found = program.get(address).json()
    assert (found["state"], found["game_count"], found["faults"]) == ("done", 1, [])
    assert Game.objects.get().text.to_record().players[0].name == "小明"
