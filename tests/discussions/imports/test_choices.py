"""One choice at a time on the page “Is this the game?”: lists, rounds, encodings, several columns for one fact."""

import re
from zlib import crc32

import pytest
from django.urls import reverse

from discussions.models import ColumnMapping, Game
from discussions.queries import game_record
from discussions.transcripts.queries import mapping_record
from tests.factories.columns import upload_table
from tests.factories.jobs import run_waiting_jobs
from tests.factories.transcripts import as_bytes

pytestmark = pytest.mark.django_db
NAMES = ("Ann", "Bea", "Cid")


def address(table):
    return reverse("map_columns", args=["ours", table.pk])


def words(answer):
    return " ".join(re.sub(r"<[^>]+>", " ", answer.content.decode()).split())


def log(name, count=6):
    return [
        {"who": NAMES[n % 3], "line": f"I, {name}, think that {NAMES[(n + 1) % 3]} is quiet {n} times."}
        for n in range(count)
    ]


def runs(name):
    return {
        "by": "lab",
        "runs": [
            {"id": f"{name}-{n}", "cast": [{"who": who} for who in NAMES], "log": log(n)} for n in (1, 2)
        ],
    }


def test_an_id_that_is_the_name_of_the_file_is_said_and_a_column_offered(seen, project, lead):
    game = {"ref": "quay-7", "turns": log("a")}
    table = upload_table(project=project, by=lead, data=as_bytes(game), name="lantern.json")
    run_waiting_jobs()
    page = seen.get(address(table))
    text = page.content.decode()
    assert "Its id is the name of the file: lantern" in words(page)
    assert text.count('name="game"') == 1 and text.index('name="game"') < text.index("Columns</summary>")
    chosen = {"player": "1", "text": "2", "game": "0", "list": "turns", "do": "save"}
    assert "name of the file" not in words(seen.post(address(table), chosen | {"do": "preview"}))
    assert seen.post(address(table), chosen).status_code == 303
    run_waiting_jobs()
    assert Game.objects.get().source_id == "quay-7"


def test_the_list_of_messages_is_found_in_an_object_and_can_be_another(seen, project, lead):
    table = upload_table(project=project, by=lead, data=as_bytes(runs("a")), name="runs.json")
    run_waiting_jobs()
    page = seen.get(address(table))
    assert "12 rows are 2 games. The first: 3 players" in words(page)
    assert 'name="list" value="runs.log" id="id_list_2" checked' in page.content.decode()
    other = seen.post(address(table), {"list": "runs.cast", "do": "preview"}, HTTP_HX_REQUEST="true")
    assert "Choose the columns of the player and of the text" in words(other)
    columns = ["game.id", "game.by", "game", "who", "line"]
    places = {"game": "game.id", "player": "who", "text": "line"}
    chosen = {fact: str(columns.index(name)) for fact, name in places.items()}
    chosen |= {"list": "runs.log", "do": "save"}
    assert seen.post(address(table), chosen).status_code == 303
    run_waiting_jobs()
    assert sorted(Game.objects.values_list("source_id", flat=True)) == ["a-1", "a-2"]
    brother = upload_table(project=project, by=lead, data=as_bytes(runs("b")), name="more.json")
    run_waiting_jobs()
    assert Game.objects.filter(transcript=brother).count() == 2
    assert "Read by a recipe" in words(seen.get(address(brother)))


def test_lines_that_each_hold_a_game_are_read_by_their_list(seen, project, lead):
    data = b"\n".join(as_bytes(run).replace(b"\n", b" ") for run in runs("a")["runs"])
    table = upload_table(project=project, by=lead, data=data, name="runs.jsonl")
    run_waiting_jobs()
    page = seen.get(address(table))
    assert "12 rows are 2 games" in words(page)


def test_an_encoding_is_chosen_by_its_text_and_kept(seen, project, lead):
    said = (
        "大家好我是村民，今天先听一听大家怎么说",
        "小明为什么不说话，我觉得他很可疑",
        "我在听你们说，不要急着投票",
    )
    rows = zip(("小明", "小红", "小明"), said, strict=True)
    text = "\n".join(["谁,轮,话", *(f"{who},1,{line}" for who, line in rows), ""])
    table = upload_table(project=project, by=lead, data=text.encode("gb18030"), name="a.csv")
    run_waiting_jobs()
    page = seen.get(address(table))
    assert "小明" in words(page).split("Which text is right?")[0]
    assert 'value="gb18030" id="id_encoding_0" checked' in page.content.decode()
    wrong = seen.post(address(table), {"encoding": "big5", "player": "0", "text": "2", "do": "preview"})
    assert "小明" not in words(wrong).split("Which text is right?")[0]
    chosen = {"encoding": "gb18030", "player": "0", "text": "2", "round": "1", "do": "save"}
    assert seen.post(address(table), chosen).status_code == 303
    run_waiting_jobs()
    game = Game.objects.get()
    assert [player.name for player in game_record(game.pk, game.content_sha256).players] == ["小明", "小红"]
    later = text.replace("可疑", "奇怪").encode("gb18030")
    upload_table(project=project, by=lead, data=later, name="b.csv")
    run_waiting_jobs()
    assert Game.objects.count() == 2


def rounds_log():
    rows = []
    for n, said in enumerate(log("one", 6)):
        if n % 3 == 0:
            rows.append({"type": "dawn_bell"})
        rows.append({"type": "speech", **said})
    return b"\n".join(map(as_bytes, rows))


@pytest.mark.parametrize(
    ("begins", "rounds"), [("", {1}), ("is.dawn_bell", {1, 2}), ("none", {1})], ids=["columns", "row", "none"]
)
def test_a_round_begins_where_a_person_says(seen, project, lead, begins, rounds):
    table = upload_table(project=project, by=lead, data=rounds_log(), name="a.jsonl")
    run_waiting_jobs()
    page = seen.get(address(table))
    assert "Where does a round begin? As the columns say At “dawn_bell”, 2 rounds Nowhere" in words(page)
    chosen = {"type": "0", "player": "1", "text": "2", "rounds": begins}
    shown = words(seen.post(address(table), {**chosen, "do": "preview"}))
    assert f"{len(rounds)} round" in shown
    assert seen.post(address(table), {**chosen, "do": "save"}).status_code == 303
    run_waiting_jobs()
    game = Game.objects.get()
    record = game_record(game.pk, game.content_sha256)
    assert {message.round for message in record.messages} == rounds
    assert [message.round for message in record.messages].count(1) == 6 // len(rounds)
    assert ("no_round" in game.warnings) == (begins == "")
    again = seen.get(address(table)).content.decode()
    assert re.search(rf'name="rounds" value="{begins}"[^>]* checked', again)


@pytest.mark.parametrize(("said", "counts"), [("one", [12]), ("several", [6, 6])])
def test_whether_rounds_that_begin_again_are_one_game_is_asked(seen, project, lead, said, counts):
    rows = [{"day": 1 + n // 3, **row} for name in "ab" for n, row in enumerate(log(name))]
    table = upload_table(project=project, by=lead, data=b"\n".join(map(as_bytes, rows)), name="a.jsonl")
    run_waiting_jobs()
    assert "Is this one game? One game, whose rounds begin again Several:" in words(seen.get(address(table)))
    chosen = {"round": "0", "player": "1", "text": "2", "do": "save"}
    refused = seen.post(address(table), chosen)
    assert (refused.status_code, "Answer this" in words(refused)) == (422, True)
    assert seen.post(address(table), {**chosen, "games": said}).status_code == 303
    run_waiting_jobs()
    records = [game_record(game.pk, game.content_sha256) for game in Game.objects.order_by("number")]
    assert [len(record.messages) for record in records] == counts


def test_several_columns_may_hold_one_fact(seen, project, lead):
    rows = [
        {"who": who, "said" if n % 2 else "line": f"I think that this is sentence {n} of {who}."}
        for n, who in enumerate(NAMES * 2)
    ]
    table = upload_table(project=project, by=lead, data=b"\n".join(map(as_bytes, rows)), name="a.jsonl")
    run_waiting_jobs()
    page = seen.post(address(table), {"player": "0", "text": "1", "do": "preview"}).content.decode()
    assert '<option value="1|2">line, said</option>' in page
    twice = seen.post(address(table), {"player": "1", "text": "1|2", "do": "save"})
    assert twice.status_code == 422 and "chosen twice" in words(twice)
    assert seen.post(address(table), {"player": "0", "text": "1|2", "do": "save"}).status_code == 303
    run_waiting_jobs()
    assert Game.objects.get().message_count == 6
    assert mapping_record(ColumnMapping.objects.get()).fields["text"] == "line|said"


def test_answers_to_questions_that_another_choice_made_needless_do_no_harm(seen, project, lead):
    table = upload_table(project=project, by=lead, data=b"\n".join(map(as_bytes, log("a"))), name="a.jsonl")
    gone = {f"is_{crc32(b'undertone'):08x}": "thought", "encoding": "big5", "list": "x"}
    page = seen.post(address(table), {"player": "0", "text": "1", "do": "preview", **gone})
    assert page.status_code == 200 and "6 messages" in words(page)
