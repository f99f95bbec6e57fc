"""The page that maps columns: what it shows and keeps, what it refuses, with htmx and without."""

import gzip
import re
from zlib import crc32

import pytest
from django.urls import reverse

from discussions.imports.actions import columns as actions
from discussions.imports.actions import reading as import_actions
from discussions.models import ColumnMapping, Game
from discussions.queries import game_record
from discussions.transcripts.actions import Upload, import_files
from discussions.transcripts.core.readers.columns import MappingRecord
from tests.factories.archives import zipped
from tests.factories.columns import make_mapping, upload_table
from tests.factories.iterations import withdraw
from tests.factories.jobs import run_waiting_jobs
from tests.factories.people import NOW, make_lead, make_member
from tests.factories.text_formats import COLUMNS, FIELDS, TABLE
from tests.factories.transcripts import as_bytes, make_games_project, native_game, upload
from workspace.models import Event

pytestmark = pytest.mark.django_db
HTMX = {"HTTP_HX_REQUEST": "true"}
CHOSEN = {"player": "0", "text": "1", "game": "2"}


@pytest.fixture
def table(project, lead):
    return upload_table(project=project, by=lead)


def address(table):
    return reverse("map_columns", args=["ours", table.pk])


def test_a_file_that_waits_leads_to_the_page_and_is_read_when_it_is_mapped(seen, project, lead, table):
    run_waiting_jobs()
    report = seen.get(reverse("import_show", args=["ours", table.pk])).content.decode()
    assert "waits for an answer" in report and "--map" not in report
    assert (
        "Mark the faults as seen" not in report and address(table) in seen.get("/projects/ours/imports/").text
    )
    # What to do next comes before what puts it off.
    assert 0 < report.index(address(table)) < report.index(reverse("import_seen", args=["ours", table.pk]))
    assert "1 import has faults or waits for an answer" in " ".join(seen.get("/").content.decode().split())
    later = upload_table(project=project, by=lead, data=TABLE.replace(b"m1", b"m3"), name="later.csv")
    run_waiting_jobs()
    answer = seen.post(address(table), {**CHOSEN, "do": "save"})
    assert (answer.status_code, answer["Location"]) == (303, reverse("import_show", args=["ours", table.pk]))
    run_waiting_jobs()
    assert set(Game.objects.values_list("source_id", flat=True)) == {"m1", "m2", "m3"}
    assert Game.objects.filter(transcript=later).exists()
    assert "waits for an answer" not in seen.get(answer["Location"]).content.decode()
    next_one = upload_table(project=project, by=lead, data=TABLE.replace(b"m1", b"k1"), name="next.csv")
    run_waiting_jobs()
    assert Game.objects.filter(transcript=next_one).get().source_id == "k1"


def test_a_file_that_waits_is_no_refused_game(seen, project, lead, table):
    upload(project=project, by=lead, games=[native_game(), {"gameId": "bad", "players": [], "messages": []}])
    run_waiting_jobs()
    page = " ".join(seen.get(reverse("imports", args=["ours"])).content.decode().split())
    totals = "1 game imported, 1 game refused, 1 file with faults, 1 file waits for an answer<"
    assert totals in page and re.findall(r'data-label="Faults"[^>]*>(\d+)<', page) == ["2", "0"]
    assert "What the file waits for: " in page
    seen.post(address(table), {**CHOSEN, "do": "save"})
    run_waiting_jobs()
    page = " ".join(seen.get(reverse("imports", args=["ours"])).content.decode().split())
    assert "3 games imported, 1 game refused, 1 file with faults<" in page


def test_keys_that_hold_lists_are_named_since_they_are_no_columns(seen, project, lead, table):
    calls = [{"id": "1", "model": "m", "said": {"<choices>": [{"text": "Hi.", "rank": 1}]}, "none": []}] * 2
    log = upload_table(project=project, by=lead, data=b"\n".join(map(as_bytes, calls)), name="calls.jsonl")
    run_waiting_jobs()
    page = seen.get(address(log)).content.decode()
    (note,) = re.findall(r'<p id="lists">(.*?)</p>', page, re.DOTALL)
    assert re.sub(r"<[^>]+>|\s+", "", note).startswith("Leftoutbecausetheyholdlists:said.&lt;choices&gt;.If")
    assert 'id="lists"' not in seen.get(address(table)).content.decode()


def test_a_table_in_an_archive_is_mapped_by_its_first_rows(seen, project, lead):
    files = {"read.me": b"Two tables.", "a/b.csv": TABLE.replace(b"m1", b"k1"), "c.csv": TABLE}
    packed = upload_table(project=project, by=lead, data=zipped(files), name="packed")
    run_waiting_jobs()
    assert address(packed) in seen.get(reverse("import_show", args=["ours", packed.pk])).content.decode()
    assert seen.get(address(packed)).status_code == 200
    assert seen.post(address(packed), {**CHOSEN, "do": "save"}).status_code == 303
    run_waiting_jobs()
    assert {"k1", "m1"} <= {*Game.objects.filter(transcript=packed).values_list("source_id", flat=True)}


def test_rows_that_only_a_person_calls_rows_are_mapped_too(seen, project, lead):
    data = b"".join(
        b'{"who": "%s", "said": "Hi", "calls": [{"tool": "x"}]}\n' % name for name in (b"Ann", b"Bea")
    )
    given = {"project": project, "files": [Upload("log.json", data)], "by": lead, "now": NOW}
    (made,) = import_files(**given, format_name="jsonl").imported
    run_waiting_jobs()
    answer = seen.post(address(made.transcript), {"player": "0", "text": "1", "do": "save"})
    assert answer.status_code == 303
    run_waiting_jobs()
    assert Game.objects.get().transcript == made.transcript


def test_the_first_game_is_shown_by_htmx_and_by_a_button(seen, table):
    page = seen.get(address(table)).content.decode()
    # Long varied texts, and a few short values that come back, are proposed without known names; here are none.
    assert "Choose the columns of the player and of the text" in page
    assert '<th scope="col"><bdi dir="auto">who</bdi></th>' in page
    chosen = {**CHOSEN, "do": "preview"}
    region = seen.post(address(table), chosen, **HTMX)
    assert region.status_code == 200
    assert region.content.decode().strip().startswith('<div class="propose"')
    page = seen.post(address(table), chosen)
    assert page.status_code == 200
    for answer in (region, page):
        text = answer.content.decode()
        assert '<strong><bdi dir="auto">Ann</bdi>' in text and '<p><bdi dir="auto">hello</bdi></p>' in text
        assert "Cid</bdi></strong>" not in text
        said = " ".join(text.split())
        assert "4 rows are 2 games. The first: 2 players, 1 round, 2 messages, 0 votes." in said
    assert '<option value="2" selected>match</option>' in page.content.decode()
    assert not ColumnMapping.objects.exists()


@pytest.mark.parametrize(
    ("chosen", "says"),
    [
        ({"player": "", "text": "1", "game": "2"}, "Choose the column."),
        ({"player": "1", "text": "1", "game": "2"}, "This column is chosen twice."),
        ({"player": "0", "text": "9", "game": "2"}, "Select a valid choice."),
        ({}, "Choose the column."),
    ],
)
def test_what_cannot_be_saved_is_said_and_what_was_chosen_stays(seen, table, chosen, says):
    answer = seen.post(address(table), {**chosen, "do": "save"})
    page = answer.content.decode()
    assert answer.status_code == 422
    assert says in page
    if chosen:
        assert '<option value="2" selected>match</option>' in page
    assert not ColumnMapping.objects.exists()


def test_a_choice_that_keeps_the_game_out_says_why(seen, project, lead):
    table = upload_table(project=project, by=lead, data=b"who,what,when\nAnn,hello,soon\nBea,yes,late\n")
    chosen = {"player": "0", "text": "1", "round": "2", "do": "preview"}
    page = seen.post(address(table), chosen, **HTMX).content.decode()
    assert "This game would be refused" in page
    assert "The round" in page and "holds no number" in page
    assert "line 2" in page


def test_hostile_names_and_cells_are_only_shown(seen, project, lead):
    data = '=HYPERLINK("x"),<script>alert(1)</script>,a\u202eb,\n=1+1,<b>no</b>,{{ 7*7 }},\nx,y,z,\n'
    data = data.replace('=HYPERLINK("x")', '"=HYPERLINK(""x"")"')
    table = upload_table(project=project, by=lead, data=data.encode())
    chosen = {"player": "0", "text": "1"}
    for page in (seen.get(address(table)), seen.post(address(table), {**chosen, "do": "preview"})):
        text = page.content.decode()
        assert "<script>alert" not in text and "<b>no" not in text and "\u202e" not in text
        assert "=HYPERLINK(" in text
    assert seen.post(address(table), {**chosen, "do": "save"}).status_code == 303
    page = seen.get(reverse("column_mappings", args=["ours"])).content.decode()
    assert "<script>alert" not in page and "\u202e" not in page


def test_a_mapping_is_listed_changed_and_removed_with_an_event_each(seen, project, lead):
    mapping = make_mapping(project=project, by=lead)
    listed = reverse("column_mappings", args=["ours"])
    page = seen.get(listed).content.decode()
    text = " ".join(re.sub(r"<[^>]+>", " ", page).split())
    assert "table.csv Rename" in text and "Player who Text what Game match" in text
    assert address(mapping.transcript) in page
    page = seen.get(address(mapping.transcript)).content.decode()
    assert "Read by a recipe" in page and '<option value="2" selected>match</option>' in page
    run_waiting_jobs()
    changed = {"player": "0", "text": "1", "do": "save"}
    assert (
        "2 games of this file are imported and stay" in seen.get(address(mapping.transcript)).content.decode()
    )
    assert seen.post(address(mapping.transcript), changed).status_code == 303
    run_waiting_jobs()
    assert Game.objects.count() == 2
    newest = ColumnMapping.objects.get(removed_at=None)
    assert seen.post(address(mapping.transcript), changed).status_code == 303
    assert ColumnMapping.objects.get(removed_at=None) == newest
    remove = reverse("remove_mapping", args=["ours", newest.pk])
    assert seen.post(remove)["Location"] == listed
    assert seen.post(remove).status_code == 409
    assert "No recipes" in seen.get(listed).content.decode()
    verbs = Event.objects.filter(object_kind="column_mapping").order_by("seq").values_list("verb", flat=True)
    assert list(verbs) == ["column_mapping:saved", "column_mapping:changed", "column_mapping:removed"]


def test_a_file_whose_games_were_all_refused_is_read_again(seen, project, lead):
    table = upload_table(project=project, by=lead, data=b"who,what,when\nAnn,hello,soon\nBea,yes,late\n")
    seen.post(address(table), {"player": "0", "text": "1", "round": "2", "do": "save"})
    run_waiting_jobs()
    assert not Game.objects.exists()
    assert address(table) in seen.get(reverse("import_show", args=["ours", table.pk])).content.decode()
    seen.post(address(table), {"player": "0", "text": "1", "time": "2", "do": "save"})
    run_waiting_jobs()
    assert Game.objects.get().message_count == 2


def test_games_that_were_read_wrongly_are_read_again_when_they_are_withdrawn(seen, project, lead):
    table = upload_table(project=project, by=lead, data=b"who,what,next\nAnn,hello,yes\nBea,yes,no\n")
    report, again = (reverse(name, args=["ours", table.pk]) for name in ("import_show", "import_separate"))
    seen.post(address(table), {"player": "0", "text": "2", "do": "save"})
    run_waiting_jobs()
    assert "withdraw its games" in seen.get(address(table)).content.decode()
    seen.post(address(table), {"player": "0", "text": "1", "do": "save"})
    assert again not in seen.get(report).content.decode()
    withdraw(game=Game.objects.get(), by=lead)
    page = seen.get(report).content.decode()
    assert again in page and "All its games are withdrawn." in page
    assert seen.post(again).status_code == 303
    run_waiting_jobs()
    _wrong, game = Game.objects.order_by("number")
    assert [message.text for message in game_record(game.pk, game.content_sha256).messages] == [
        "hello",
        "yes",
    ]
    assert again not in seen.get(report.replace(f"/{table.pk}/", f"/{game.transcript_id}/")).content.decode()


def test_a_table_in_gzip_is_mapped_by_its_first_rows(seen, project, lead):
    rows = b"who,what\n" + b"".join(b"Ann,hello %d\n" % number for number in range(40_000))
    table = upload_table(project=project, by=lead, data=gzip.compress(rows), name="rows.csv.gz")
    run_waiting_jobs()
    assert address(table) in seen.get(reverse("import_show", args=["ours", table.pk])).content.decode()
    page = seen.post(address(table), {"player": "0", "text": "1", "do": "preview"}, **HTMX).content.decode()
    assert "hello 0" in page and "The file is longer" in page
    small = upload_table(project=project, by=lead, data=gzip.compress(TABLE), name="small.csv.gz")
    page = seen.post(address(small), {**CHOSEN, "do": "preview"}, **HTMX).content.decode()
    assert "hello" in page and "The file is longer" not in page
    assert seen.post(address(small), {**CHOSEN, "do": "save"}).status_code == 303
    run_waiting_jobs()
    assert set(Game.objects.values_list("source_id", flat=True)) == {"m1", "m2"}


def test_a_mapping_that_is_saved_while_its_file_is_read_is_used_afterwards(project, lead, table, monkeypatch):
    def map_and_read(transcript):
        found = load_mappings(transcript.project)
        monkeypatch.undo()
        actions.map_columns(transcript=table, mapping=MappingRecord(COLUMNS, FIELDS), by=lead, now=NOW)
        return found

    load_mappings = import_actions.load_mappings
    monkeypatch.setattr(import_actions, "load_mappings", lambda given: map_and_read(table))
    run_waiting_jobs()
    assert set(Game.objects.values_list("source_id", flat=True)) == {"m1", "m2"}
    table.refresh_from_db()
    assert (table.waits_for_columns, table.job.state) == (False, "done")


def test_a_large_file_is_read_to_the_head_only(seen, project, lead, monkeypatch):
    rows = b"Ann," + b"hello " * 100 + b"\n"
    rows *= 1_000
    table = upload_table(project=project, by=lead, data=b"who,what\n" + rows)
    asked = []
    load = actions.load_start

    def counted(sha256, count):
        data = load(sha256, count)
        asked.append(len(data))
        return data

    monkeypatch.setattr(actions, "load_start", counted)
    monkeypatch.setattr("workspace.blob_store.load_bytes", None)
    page = seen.post(address(table), {"player": "0", "text": "1", "do": "preview"}, **HTMX).content.decode()
    assert "The file is longer" in page
    assert asked == [256 * 1024] and len(rows) > 2 * asked[0]


def test_files_without_columns_are_refused_with_a_way_on(seen, project, lead):
    transcript = upload(project=project, by=lead)
    answer = seen.get(address(transcript))
    assert answer.status_code == 403 and "Somebody else" not in answer.content.decode()
    assert "Upload it again as CSV or JSON lines" in answer.content.decode()
    theirs = make_games_project()
    other = upload_table(project=theirs, by=make_lead(project=theirs))
    assert seen.get(address(other)).status_code == 404
    assert seen.post(address(transcript), {"zebra": "1"}).status_code == 403
    table = upload_table(project=project, by=lead)
    assert seen.post(address(table), {"zebra": "1", "do": "save"}).status_code == 400


def test_only_leads_and_admins_map(client, project, lead, table):
    mapping = make_mapping(project=project, by=lead)
    client.force_login(make_member(project=project))
    remove = reverse("remove_mapping", args=["ours", mapping.pk])
    assert client.post(address(table), {**CHOSEN, "do": "save"}).status_code == 403
    assert client.post(remove).status_code == 403
    assert client.get(reverse("column_mappings", args=["ours"])).status_code == 403
    assert ColumnMapping.objects.get().removed_at is None


def test_queries_do_not_grow_with_mappings(seen, project, lead, django_assert_max_num_queries):
    for number in range(5):
        data = TABLE.replace(b"who", f"who{number}".encode())
        table = upload_table(project=project, by=lead, data=data)
        seen.post(address(table), {**CHOSEN, "do": "save"})
    with django_assert_max_num_queries(10):
        seen.get(reverse("column_mappings", args=["ours"]))


LOG = b"".join(
    b'{"turn_no": %d, "who": "%s", "stage": "%s", "line": "%s %d"}\n'
    % (number // 4, who, stage, line, number)
    for number, (who, stage, line) in enumerate(
        [
            (b"Ann", b"speech", b"I think that Bea is quiet today."),
            (b"Bea", b"undertone", b"Ann must not learn what I am."),
            (b"Bea", b"speech", b"Ann speaks a lot, and says little."),
            (b"Cid", b"speech", b"Let us hear both of them again."),
        ]
        * 6
    )
)
UNDERTONE, MARI = (f"{kind}_{crc32(value):08x}" for kind, value in (("is", b"undertone"), ("also", b"P*")))
ANSWERS = {"player": "1", "text": "3", "round": "0", "type": "2"}


def test_texts_of_a_column_that_is_not_read_are_told(seen, project, lead):
    rows = [
        {"player": who, "text": f"It was {at}.", "undertone": f"Nobody will believe me, {at}."}
        for at, who in enumerate(("Ann", "Bea") * 3)
    ]
    log = upload_table(project=project, by=lead, data=b"\n".join(map(as_bytes, rows)), name="log.jsonl")
    run_waiting_jobs()
    page = " ".join(seen.get(address(log)).content.decode().split())
    assert 'id="first-game"' in page
    assert re.search("Not read: the texts in “<bdi[^>]*>undertone</bdi>”. Thoughts", page)


def test_an_unknown_log_is_proposed_as_a_game_with_one_question(seen, project, lead):
    log = upload_table(project=project, by=lead, data=LOG.replace(b"stage", b"kind"), name="log.jsonl")
    run_waiting_jobs()
    page = " ".join(seen.get(address(log)).content.decode().split())
    # Player, text and round are found by what is in the columns, the type by its name.
    assert "24 rows are one game: 3 players, 6 rounds, 18 messages, 0 votes." in page
    assert "What is “<bdi" in page or "What is “undertone”?" in page
    assert "Left out of the talk: 6 of 24 rows" in page
    assert 'Waits for your answer</dt><dd class="n">6<' in page
    assert "Ann must not learn" not in page.partition('id="first-game"')[2].partition("</section>")[0]
    # The beginning, the middle and the end.
    assert page.count('class="spoken"') == 10
    assert re.findall(r'<p class="gap">\s*(\d+) messages', page) == ["3", "5"]
    refused = seen.post(address(log), {**ANSWERS, "do": "save"})
    assert refused.status_code == 422 and "the file does not say it" in refused.content.decode()
    seen.post(address(log), {**ANSWERS, UNDERTONE: "thought", "do": "save"})
    run_waiting_jobs()
    game = Game.objects.get(transcript=log)
    assert (game.message_count, len(game.private_track.to_entries())) == (18, 6)
    brother = LOG.replace(b"stage", b"kind").replace(b"quiet", b"loud")
    later = upload_table(project=project, by=lead, data=brother, name="next.jsonl")
    run_waiting_jobs()
    assert Game.objects.get(transcript=later).message_count == 18


def test_a_game_in_one_object_is_asked_about_on_the_same_page(seen, project, lead):
    rows = [
        {"speaker": name, "text": f"{word} to all.", "channel": channel}
        for name, word, channel in (
            ("Ann", "Hello", "town"),
            ("Bea", "Psst", "undertone"),
            ("Bea", "Ho", "town"),
        )
    ]
    log = upload_table(project=project, by=lead, data=as_bytes({"id": "g7", "messages": rows}), name="g.json")
    run_waiting_jobs()
    assert not Game.objects.exists()
    assert "undertone" in seen.get(address(log)).content.decode()
    answer = seen.post(
        address(log), {"player": "0", "text": "1", "phase": "2", UNDERTONE: "private", "do": "save"}
    )
    assert answer.status_code == 303
    run_waiting_jobs()
    game = Game.objects.get()
    assert (game.source_id, game.message_count) == ("g7", 2)
    assert [entry.text for entry in game.private_track.to_entries()] == ["Psst to all."]


def test_names_that_only_texts_use_are_asked_about_and_kept(seen, project, lead):
    rows = [
        ("Player1_G7", "A very good day, P2."),
        ("Player2_G7", "Hello P1."),
        ("Player3_G7", "P2 is quiet."),
    ]
    lines = [as_bytes({"who": who, "what": what}) for who, what in rows]
    log = upload_table(project=project, by=lead, data=b"\n".join(lines), name="log.jsonl")
    run_waiting_jobs()
    page = " ".join(seen.get(address(log)).content.decode().split())
    assert "Is P1 Player1, and so on?" in re.sub(r"</?bdi[^>]*>", "", page)
    assert f'<input type="radio" name="{MARI}" value="P*"' in page
    chosen = {"player": "0", "text": "1"}
    wrong = seen.post(address(log), {**chosen, "also": "Mari", "do": "save"})
    assert wrong.status_code == 422 and "has no player" in wrong.content.decode()
    seen.post(address(log), {**chosen, MARI: "P*", "also": "Third = Player3_G7", "do": "save"})
    run_waiting_jobs()
    game = Game.objects.get(transcript=log)
    names = [player.aliases for player in game_record(game.pk, game.content_sha256).players]
    assert names == [["P1"], ["P2"], ["P3", "Third"]]
    page = seen.get(address(log)).content.decode()
    assert 'value="Third=Player3_G7"' in page and re.search(r'value="P\*"[^>]*checked', page)
