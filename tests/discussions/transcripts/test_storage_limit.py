"""How much a project may store: uploads beyond it are refused with a sentence on pages, by commands and programs."""

import json
from io import StringIO
from threading import Barrier, Thread

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.db import connection
from django.urls import reverse

from discussions.games.actions import withdraw_game
from discussions.models import Transcript
from discussions.transcripts.actions import Upload, import_files, import_separately
from rubric.models import Comparison
from tests.factories.comparisons import make_set
from tests.factories.people import NOW, make_admin, make_lead
from tests.factories.tokens import program_of
from tests.factories.transcripts import import_game, make_games_project
from workspace.core.refusals import NotAllowed, Unacceptable
from workspace.models import Event, StorageLimit
from workspace.people.actions.projects import set_storage_limit
from workspace.people.queries import MB, load_storage

pytestmark = pytest.mark.django_db
SAYS = "Nothing was stored: with this the project would hold 2 MB, and its limit is 1 MB."


@pytest.fixture
def project():
    return make_games_project(slug="ours")


@pytest.fixture
def lead(project):
    return make_lead(project=project)


@pytest.fixture
def small(project, settings, tmp_path):
    """The project may store 1 MB."""
    settings.MEDIA_ROOT = tmp_path
    set_storage_limit(project=project, megabytes=1, by=make_admin(), now=NOW)
    return project


def data(size, *, mark=b"a"):
    return b'{"' + mark + b'": "' + b"x" * (size - 9) + b'"}'


def bring(project, lead, *files):
    uploads = [Upload(f"{number}.json", file) for number, file in enumerate(files)]
    return import_files(project=project, files=uploads, by=lead, now=NOW).imported


def test_what_fits_exactly_comes_in_and_one_byte_more_does_not(small, lead, tmp_path):
    bring(small, lead, data(MB - 100))
    with pytest.raises(Unacceptable, match=SAYS) as refused:
        bring(small, lead, data(101, mark=b"b"))
    assert (refused.value.code, refused.value.field) == ("no_room", "transcripts")
    assert load_storage(small).used == MB - 100
    assert len([path for path in tmp_path.rglob("*") if path.is_file()]) == 1, "nothing is written before"
    bring(small, lead, data(100, mark=b"b"))
    assert load_storage(small).used == MB


def test_nothing_of_a_call_comes_in_that_is_too_much_together(small, lead):
    with pytest.raises(Unacceptable, match=SAYS):
        bring(small, lead, data(MB // 2 + 1), data(MB // 2 + 1, mark=b"b"))
    assert not Transcript.objects.exists()


def test_the_same_bytes_count_once(small, lead):
    first = bring(small, lead, data(MB // 2 + 10))[0].transcript
    assert bring(small, lead, data(MB // 2 + 10))[0].outcome == "already"
    import_separately(transcript=first, by=lead, now=NOW)
    assert load_storage(small).used == MB // 2 + 10
    bring(small, lead, data(200, mark=b"b"), data(200, mark=b"b"))
    assert load_storage(small).used == MB // 2 + 210


def test_withdrawn_games_count_on_since_their_files_are_kept(small, lead):
    game = import_game(project=small, by=lead)
    before = load_storage(small).used
    withdraw_game(game=game, reason="It was a trial run.", by=lead, now=NOW)
    assert load_storage(small).used == before > 0


def test_a_project_over_a_new_limit_keeps_what_it_has_and_takes_no_more(project, lead, settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path
    admin = make_admin()
    bring(project, lead, data(2 * MB))
    set_storage_limit(project=project, megabytes=1, by=admin, now=NOW)
    assert bring(project, lead, data(2 * MB))[0].outcome == "already"
    with pytest.raises(Unacceptable, match="would hold 3 MB, and its limit is 1 MB"):
        bring(project, lead, data(100))
    set_storage_limit(project=project, megabytes=None, by=admin, now=NOW)
    bring(project, lead, data(100))


def test_comparisons_count_too(small, lead):
    made = make_set(by=lead)
    responses = [{"id": name, "text": name * 50_000} for name in "ab"]

    def lines(*keys):
        rows = [{"id": key, "question": "Why?", "responses": responses} for key in keys]
        return "\n".join(json.dumps(row) for row in rows).encode()

    program, address = program_of(lead), f"projects/ours/comparison-sets/{made.number}/lines/"
    before = load_storage(small).used
    answer = program.post(address, lines(*"ghijkl"))
    assert answer.status_code == 200, answer.json()
    assert load_storage(small).used == before + 6 * 100_004
    said = program.post(address, lines(*"abcdef"))
    assert (said.status_code, said.json()["code"]) == (422, "no_room")
    assert not Comparison.objects.filter(set=made, key="a").exists()
    with pytest.raises(Unacceptable, match="Nothing was stored"):
        bring(small, lead, data(MB // 2))


def test_page_command_and_program_say_why(small, lead, client, tmp_path):
    client.force_login(lead)
    file = tmp_path / "large.json"
    file.write_bytes(data(MB + 1))
    page = client.post(
        reverse("import_upload", args=["ours"]),
        {"transcripts": [SimpleUploadedFile("large.json", file.read_bytes())], "format": "native"},
    )
    assert page.status_code == 422
    assert SAYS in page.content.decode()
    assert 'value="native" selected' in page.content.decode()
    said = program_of(lead).post("projects/ours/imports/?name=large.json", file.read_bytes())
    assert (said.status_code, said.json()["code"]) == (422, "no_room")
    assert said.json()["detail"].startswith(SAYS)
    out, err = StringIO(), StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command("import_transcripts", str(file), project="ours", by=lead.email, stdout=out, stderr=err)
    assert ended.value.code == 2
    assert SAYS in out.getvalue() + err.getvalue()
    assert not Transcript.objects.exists()


def test_admins_set_the_limit_and_the_log_says_so(project, lead):
    admin = make_admin()
    for megabytes in (5, 5, 7, None):
        set_storage_limit(project=project, megabytes=megabytes, by=admin, now=NOW)
    lines = Event.objects.filter(verb="project:storage_limit_changed").order_by("pk")
    assert [json.loads(line.detail) for line in lines] == [
        {"before": None, "after": 5},
        {"before": 5, "after": 7},
        {"before": 7, "after": None},
    ]
    assert not StorageLimit.objects.exists()
    with pytest.raises(NotAllowed):
        set_storage_limit(project=project, megabytes=5, by=lead, now=NOW)
    for megabytes in (0, -1, 1_000_001):
        with pytest.raises(Unacceptable):
            set_storage_limit(project=project, megabytes=megabytes, by=admin, now=NOW)


def test_the_settings_page_shows_what_is_used_to_leads_and_the_form_to_admins(small, lead, client):
    bring(small, lead, data(MB // 2))
    address, form = reverse("project_settings", args=["ours"]), reverse("set_storage_limit", args=["ours"])
    client.force_login(lead)
    page = client.get(address).content.decode()
    assert "0.5 of 1 MB are used." in page
    assert "Only admins change how much a project may store." in page
    assert form not in page
    client.force_login(make_admin())
    assert form in client.get(address).content.decode()
    assert client.post(form, {"megabytes": "none"}).status_code == 422
    assert client.post(form, {"megabytes": "0"}).status_code == 422
    assert client.post(form, {"megabytes": "20"}).status_code == 303
    assert "0.5 of 20 MB are used." in client.get(address).content.decode()
    assert client.post(form, {"megabytes": ""}).status_code == 303
    assert "0.5 of 10,240 MB are used." in client.get(address).content.decode()


def test_programs_read_what_is_used_and_admins_change_the_limit(small, lead):
    bring(small, lead, data(MB // 2))
    said = program_of(lead).get("projects/ours/settings/").json()
    assert (said["stored_bytes"], said["storage_limit_mb"]) == (MB // 2, 1)
    program = program_of(make_admin())
    assert program.post("projects/ours/settings/", {"storage_limit_mb": 9}).json()["storage_limit_mb"] == 9
    assert (
        program.post("projects/ours/settings/", {"storage_limit_mb": 0}).json()["storage_limit_mb"] == 10240
    )


@pytest.mark.services
@pytest.mark.django_db(transaction=True)
def test_uploads_at_the_same_moment_are_not_both_let_in(small, lead):
    start, outcomes = Barrier(4), []

    def upload(number):
        start.wait()
        try:
            bring(small, lead, data(MB // 2 + 1, mark=b"%d" % number))
            outcomes.append("in")
        except Unacceptable as refusal:
            outcomes.append(refusal.code)
        finally:
            connection.close()

    threads = [Thread(target=upload, args=[number]) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["in", "no_room", "no_room", "no_room"]
    assert load_storage(small).used == MB // 2 + 1
