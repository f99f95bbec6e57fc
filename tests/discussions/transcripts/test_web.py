"""The pages of imports: who may, what is shown, what is refused, with htmx and without."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from discussions.models import Game, Transcript
from discussions.transcripts.pages import ImportPage
from tests.factories.jobs import run_waiting_jobs
from tests.factories.people import NOW, make_admin, make_lead, make_member, make_person
from tests.factories.transcripts import as_bytes, make_games_project, native_game, native_message, upload
from tests.site.pseudo_locale import install
from workspace.jobs.actions import beat, take_job
from workspace.models import Job

pytestmark = pytest.mark.django_db


HTMX = {"HTTP_HX_REQUEST": "true"}


@pytest.fixture
def transcript(project, lead):
    return upload(project=project, by=lead)


@pytest.fixture
def seen(client, lead):
    client.force_login(lead)
    return client


def make_file(value=None, name="game.json"):
    data = value if isinstance(value, bytes) else as_bytes(value or native_game())
    return SimpleUploadedFile(name, data, content_type="application/json")


def send(client, *files, **given):
    return client.post(reverse("import_upload", args=["ours"]), {"transcripts": list(files)}, **given)


def test_one_file_leads_to_its_report(seen, project):
    answer = send(seen, make_file())
    transcript = Transcript.objects.get()
    assert (answer.status_code, answer["Location"]) == (
        303,
        reverse("import_show", args=["ours", transcript.pk]),
    )
    page = seen.get(answer["Location"]).content.decode()
    assert "waiting" in page
    run_waiting_jobs()
    page = seen.get(answer["Location"]).content.decode()
    assert "game-1" in page
    assert "done" in page


def test_a_format_is_named_and_shown(seen, project):
    page = seen.get(reverse("imports", args=["ours"])).content.decode()
    assert "detect automatically" in page
    address = reverse("import_upload", args=["ours"])
    answer = seen.post(address, {"transcripts": [make_file({"rows": []})], "format": "native"})
    run_waiting_jobs()
    page = seen.get(answer["Location"]).content.decode()
    assert "<dd>native</dd>" in page
    assert "The game has no gameId." in page
    answer = seen.post(address, {"transcripts": [make_file()], "format": "nothing"})
    assert answer.status_code == 422
    assert Transcript.objects.count() == 1


def test_several_files_lead_to_the_list(seen, project):
    answer = send(seen, make_file(), make_file(native_game(gameId="b"), "b.json"))
    assert answer["Location"] == reverse("imports", args=["ours"])
    assert Transcript.objects.count() == 2
    page = seen.get(answer["Location"]).content.decode()
    assert "game.json" in page
    assert "b.json" in page


def test_htmx_is_sent_to_the_report(seen, project):
    answer = send(seen, make_file(), **HTMX)
    assert answer["HX-Redirect"] == reverse("import_show", args=["ours", Transcript.objects.get().pk])


def test_a_file_sent_again_in_another_format_is_said_to_be_read_again(seen, project, lead):
    data = as_bytes({"players": [], "rows": []})
    transcript = upload(project=project, by=lead, games=data)
    run_waiting_jobs()
    given = {"transcripts": [SimpleUploadedFile("game.json", data)], "format": "native"}
    answer = seen.post(reverse("import_upload", args=["ours"]), given)
    assert answer["Location"] == reverse("import_show", args=["ours", transcript.pk]) + "?was=resumed"
    assert "or you chose another format" in seen.get(answer["Location"]).content.decode()


def test_the_same_bytes_are_answered_with_already_imported(seen, transcript):
    run_waiting_jobs()
    answer = send(seen, make_file(name="other.json"))
    assert answer["Location"] == reverse("import_show", args=["ours", transcript.pk]) + "?was=already"
    assert "This file was imported into this project before" in seen.get(answer["Location"]).content.decode()
    answer = send(seen, make_file(), make_file(native_game(gameId="b")))
    page = seen.get(answer["Location"]).content.decode()
    assert "1 of these files had been imported before" in page
    assert Game.objects.count() == 1


@pytest.mark.parametrize(
    ("files", "says"),
    [
        ([], "Choose at least one file."),
        ([b""], "“game.json” is empty."),
        ([b"x" * 3_000_000], "is larger than 2 MiB"),
    ],
)
@pytest.mark.parametrize("given", [{}, HTMX])
def test_a_bad_upload_is_refused_at_the_form_and_nothing_is_written(seen, settings, files, says, given):
    settings.TRANSCRIPT_LIMITS = settings.TRANSCRIPT_LIMITS | {"file_bytes": 2 * 1024 * 1024}
    answer = send(seen, *[make_file(data) for data in files], **given)
    assert answer.status_code == 422
    assert says in answer.content.decode()
    assert not Transcript.objects.exists()
    assert not Job.objects.exists()


def test_a_body_over_the_limit_is_answered_413_and_nothing_is_written(seen, settings):
    settings.MOST_UPLOADED_AT_ONCE = 100_000
    answer = send(seen, make_file(b"x" * 200_000))
    assert answer.status_code == 413
    assert not Transcript.objects.exists()


def test_a_field_that_the_form_does_not_have_is_malformed(seen, project):
    answer = seen.post(
        reverse("import_upload", args=["ours"]), {"transcripts": [make_file()], "url": "http://x"}
    )
    assert answer.status_code == 400
    assert not Transcript.objects.exists()


@pytest.mark.parametrize(
    ("games", "title"),
    [
        ([native_game(), native_game()], "Notes on the file"),
        ([native_game(), {"gameId": "b"}], "What is wrong with the file"),
        (b"who,what\nAnn,hello\nBea,yes\n", "What the file waits for"),
    ],
)
def test_the_heading_says_whether_something_is_wrong(project, lead, games, title):
    transcript = upload(project=project, by=lead, games=games)
    run_waiting_jobs()
    transcript.refresh_from_db()
    assert ImportPage(transcript=transcript, now=timezone.now()).faults_title == title


def test_faults_and_warnings_are_listed_with_place_and_remedy(seen, project, lead):
    games = [native_game(gameId="a", votes=[]), native_game(gameId="<b>", messages=[]), 5]
    transcript = upload(project=project, by=lead, games=games, name="many\u202e.json")
    run_waiting_jobs()
    page = seen.get(reverse("import_show", args=["ours", transcript.pk])).content.decode()
    assert "/1/messages" in page
    assert "The game has no messages, so there is nothing to measure." in page
    assert "A game should be a JSON object" in page
    assert "The file has no votes" in page
    assert "\u202e" not in page
    assert "<b>" not in page


def test_imported_games_are_listed_by_number_whatever_their_warnings(project, lead):
    games = [native_game(gameId="a"), native_game(gameId="b", votes=[]), native_game(gameId="c", votes=[])]
    transcript = upload(project=project, by=lead, games=games)
    run_waiting_jobs()
    listed = ImportPage(transcript=transcript, now=NOW).games
    assert [len(line["warnings"]) for line in listed] == [0, 1, 1]
    assert [line["game"].number for line in listed] == [1, 2, 3]


def test_what_looks_odd_is_listed_beside_the_warnings(seen, project, lead):
    messages = [native_message(1, name, text) for name, text in (("Ann", "Hi"), ("Bea", "Yo"), ("Ann", "Hi"))]
    transcript = upload(project=project, by=lead, games=native_game(messages=messages))
    run_waiting_jobs()
    (line,) = ImportPage(transcript=transcript, now=NOW).games
    assert [warning.code for warning in line["odd"]] == ["odd_repeated", "odd_one_speaker"]
    assert line["warnings"] == []
    page = seen.get(reverse("import_show", args=["ours", transcript.pk])).content.decode()
    assert "Oddities" in page


def test_what_is_wrong_with_a_file_that_is_no_json_is_said(seen, project, lead):
    transcript = upload(project=project, by=lead, games=b'{"gameId": "a", "players": [}')
    run_waiting_jobs()
    page = seen.get(reverse("import_show", args=["ours", transcript.pk])).content.decode()
    assert "line 1 column 29" in page
    assert "This is not JSON" in page
    assert "no game imported" in page


def region(client, transcript):
    return client.get(reverse("import_show", args=["ours", transcript.pk]), **HTMX).content.decode()


def test_the_region_asks_again_while_work_goes_on_and_stops_when_it_is_done(seen, transcript):
    assert 'hx-trigger="every 1s"' in region(seen, transcript)
    assert 'hx-trigger="every 2s"' in seen.get(reverse("imports", args=["ours"]), **HTMX).content.decode()
    run_waiting_jobs()
    after = region(seen, transcript)
    assert "hx-trigger" not in after
    assert after.strip().startswith('<div id="import-report"')
    assert "hx-trigger" not in seen.get(reverse("imports", args=["ours"])).content.decode()


def test_nobody_working_is_said_and_not_when_a_worker_lives(seen, transcript, lead):
    assert "No worker is running" in region(seen, transcript)
    assert "No worker is running" in seen.get(reverse("imports", args=["ours"])).content.decode()
    beat(worker="one@here", by=lead, now=timezone.now())
    assert "No worker is running" not in region(seen, transcript)


def test_a_worker_that_holds_a_job_lives(seen, transcript):
    take_job(job=transcript.job_id, now=timezone.now())
    page = region(seen, transcript)
    assert "No worker is running" not in page
    assert "reading" in page


def test_cancel_go_on_and_separate(seen, transcript, project, lead):
    answer = seen.post(reverse("import_cancel", args=["ours", transcript.pk]))
    assert answer.status_code == 303
    page = region(seen, transcript)
    assert "cancelled" in page
    assert seen.post(reverse("import_cancel", args=["ours", transcript.pk])).status_code == 409
    assert seen.post(reverse("import_resume", args=["ours", transcript.pk])).status_code == 303
    run_waiting_jobs()
    other = upload(project=project, by=lead, games=native_game(winner="mafia"))
    run_waiting_jobs()
    assert "Import as separate games" in region(seen, other)
    answer = seen.post(reverse("import_separate", args=["ours", other.pk]))
    assert answer.status_code == 303
    run_waiting_jobs()
    assert Game.objects.count() == 2


ROUTES = [
    ("imports", "get", False),
    ("import_upload", "post", False),
    ("import_show", "get", True),
    ("import_cancel", "post", True),
    ("import_resume", "post", True),
    ("import_seen", "post", True),
    ("import_separate", "post", True),
]


@pytest.mark.parametrize(("name", "verb", "has_transcript"), ROUTES)
def test_who_may_not(client, project, transcript, name, verb, has_transcript):
    address = reverse(name, args=["ours", transcript.pk] if has_transcript else ["ours"])
    before = Job.objects.values_list("state", flat=True).get()
    anonymous = getattr(client, verb)(address)
    assert anonymous.status_code == (302 if verb == "get" else 401)
    assert getattr(client, verb)(address, **HTMX).status_code == 401
    client.force_login(make_person())
    assert getattr(client, verb)(address).status_code == 404
    client.force_login(make_lead(project=make_games_project()))
    assert getattr(client, verb)(address).status_code == 404
    client.force_login(make_member(project=project))
    refused = getattr(client, verb)(address)
    assert refused.status_code == 403
    assert "Only team leads of this project" in refused.content.decode()
    client.force_login(make_admin())
    wrong = {"get": "post", "post": "get"}[verb]
    assert getattr(client, wrong)(address).status_code == 405
    assert client.put(address).status_code == 405
    assert Job.objects.values_list("state", flat=True).get() == before


def test_a_transcript_of_another_project_is_not_there(seen, transcript):
    other = make_games_project()
    theirs = upload(project=other, by=make_lead(project=other))
    assert seen.get(reverse("import_show", args=["ours", theirs.pk])).status_code == 404


def count_queries(client, address):
    with CaptureQueriesContext(connection) as queries:
        assert client.get(address).status_code == 200
    return len(queries)


def test_queries_do_not_grow_with_imports_and_games(seen, project, lead):
    counts = []
    for size in (1, 12):
        for number in range(size):
            games = [native_game(gameId=f"{size}-{number}-{value}", votes=[]) for value in range(size)]
            last = upload(project=project, by=lead, games=games)
        run_waiting_jobs()
        seen.get(reverse("imports", args=["ours"]))
        addresses = [reverse("imports", args=["ours"]), reverse("import_show", args=["ours", last.pk])]
        counts.append([count_queries(seen, address) for address in addresses])
    assert counts[0] == counts[1]
    assert max(counts[0]) <= 12


def test_older_imports_have_a_page_of_their_own(seen, project, lead):
    for number in range(32):
        upload(project=project, by=lead, games=native_game(gameId=str(number)), name=f"n{number}.json")
    first = seen.get(reverse("imports", args=["ours"])).content.decode()
    assert "n31.json" in first
    assert "n1.json" not in first
    oldest = Transcript.objects.order_by("-pk")[29].pk
    assert f"?before={oldest}" in first
    assert "n1.json" in seen.get(reverse("imports", args=["ours"]) + f"?before={oldest}").content.decode()
    assert seen.get(reverse("imports", args=["ours"]) + "?before=-1").status_code == 400
    assert seen.get(reverse("imports", args=["ours"]) + "?order=x").status_code == 400


def test_faults_and_warnings_are_said_in_the_language_of_who_reads_them(seen, project, lead, monkeypatch):
    game = native_game(messages=[{"text": "No speaker"}])
    upload(project=project, by=lead, games=[game, native_game(gameId="fine", metadata={})])
    run_waiting_jobs()
    transcript = Transcript.objects.get()
    address = reverse("import_show", args=["ours", transcript.pk])
    plain = seen.get(address).content.decode()
    assert "The cost was not reported." in plain and "\x02" not in plain
    install(monkeypatch)
    said = seen.get(address).content.decode()
    assert "⟦The cost was not reported.⟧" in said
    assert [fault.message for fault in ImportPage(transcript=transcript, now=NOW).faults][0].startswith("⟦")


def test_an_encoding_is_chosen_on_the_page(seen, project):
    table = "player,text\nАня,Доброе утро\nБея,Здравствуй\n".encode("koi8-r")
    given = {"transcripts": [SimpleUploadedFile("a.csv", table)], "encoding": "koi8-r"}
    answer = seen.post(reverse("import_upload", args=["ours"]), given)
    run_waiting_jobs()
    assert Game.objects.get().text.to_record().messages[0].text == "Доброе утро"
    assert "done" in seen.get(answer["Location"]).content.decode()
    assert seen.post(reverse("import_upload", args=["ours"]), given | {"encoding": "x"}).status_code == 422
