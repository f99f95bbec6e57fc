"""An upload of several files: what is refused alone, the totals, notices that end, samples, the way back."""

import re
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from discussions.models import Game, ImportDismissal, Transcript
from discussions.transcripts.core.formats import FORMATS
from discussions.verdicts.queries import faulty_transcripts
from tests.discussions.transcripts.test_docs_formats import TEXT, example
from tests.factories.jobs import run_waiting_jobs
from tests.factories.people import moment
from tests.factories.reading import read_transcripts
from tests.factories.transcripts import as_bytes, native_game, upload
from workspace.models import Event

pytestmark = pytest.mark.django_db

SAMPLES = {known.name: known.sample for known in FORMATS if known.sample}
HTMX = {"HTTP_HX_REQUEST": "true"}
BAD = {"gameId": "bad", "players": [], "messages": []}


def file(name, data):
    return SimpleUploadedFile(name, data if isinstance(data, bytes) else as_bytes(data))


def send(client, *files, **given):
    return client.post(reverse("import_upload", args=["ours"]), {"transcripts": list(files)}, **given)


def listed(client, **query):
    return client.get(reverse("imports", args=["ours"]), query).content.decode()


@pytest.mark.parametrize("given", [{}, HTMX])
def test_an_empty_file_does_not_refuse_the_others(seen, project, given):
    files = [file("a.json", native_game(gameId="a")), file("none.json", b""), file("bad.json", BAD)]
    answer = send(seen, *files, **given)
    page = answer.content.decode()
    assert answer.status_code == 422
    assert "“none.json” is empty." in page
    assert "2 other files were accepted" in page
    assert "a.json" in page
    # With htmx only the region is answered, so that the form keeps its choice of files.
    assert ("<form" in page and 'type="file"' in page) == (not given)
    run_waiting_jobs()
    assert Game.objects.get().source_id == "a"


def test_a_refused_upload_renews_itself_at_the_address_of_the_list(seen, project):
    answer = send(seen, file("a.json", native_game()), file("none.json", b""))
    assert f'hx-get="{reverse("imports", args=["ours"])}"' in answer.content.decode()


def test_when_all_files_are_empty_every_one_is_named(seen, project):
    page = send(seen, file("a.json", b""), file("b.json", b""), **HTMX).content.decode()
    assert "“a.json” is empty." in page
    assert "“b.json” is empty." in page
    assert not Transcript.objects.exists()


def test_the_list_has_totals_and_the_faults(seen, project, lead):
    upload(project=project, by=lead, games=[native_game(gameId=name) for name in "abc"], name="three.json")
    upload(project=project, by=lead, games=[native_game(gameId="d"), BAD], name="<two>.json")
    upload(
        project=project, by=lead, games=[native_game(gameId="a"), native_game(gameId="e")], name="again.json"
    )
    run_waiting_jobs()
    page = listed(seen)
    assert "5 games imported, 1 game refused, 1 file with faults" in re.sub(r"\s+", " ", page)
    assert "<two>" not in page


def test_seen_ends_the_notice_once_and_says_who(seen, project, lead):
    transcript = upload(project=project, by=lead, games=[BAD])
    run_waiting_jobs()
    address = reverse("import_seen", args=["ours", transcript.pk])
    assert list(faulty_transcripts(project)) == [transcript]
    assert address in listed(seen)
    for _again in range(2):
        answer = seen.post(address)
        assert answer["Location"] == reverse("imports", args=["ours"]) + f"#import-{transcript.pk}"
    assert not faulty_transcripts(project).exists()
    assert Event.objects.filter(verb="transcript:faults_seen", object_id=transcript.pk).count() == 1
    page = listed(seen)
    assert f"seen by {lead.name}" in page
    assert address not in page


def test_reading_the_file_again_brings_the_notice_back(seen, project, lead):
    transcript = upload(project=project, by=lead, games=[BAD])
    run_waiting_jobs()
    seen.post(reverse("import_seen", args=["ours", transcript.pk]))
    address = reverse("import_upload", args=["ours"])
    seen.post(address, {"transcripts": [file("game.json", [BAD])], "format": "native"})
    run_waiting_jobs()
    assert list(faulty_transcripts(project)) == [transcript]


@pytest.mark.parametrize(
    ("name", "games", "goes"),
    [
        ("game.json", [native_game()], True),
        ("other.json", [native_game()], False),
        ("game.json", [native_game(), BAD], False),
    ],
)
def test_a_fixed_file_of_the_same_name_replaces_the_failed_one(seen, project, lead, name, games, goes):
    first = upload(project=project, by=lead, games=[BAD], name="game.json")
    run_waiting_jobs()
    upload(project=project, by=lead, games=games, name=name, now=moment(5))
    run_waiting_jobs()
    assert (first not in faulty_transcripts(project)) == goes
    assert ImportDismissal.objects.count() == goes
    assert ("replaced by a later upload" in listed(seen)) == goes


def test_files_of_one_name_in_one_upload_do_not_replace_each_other(seen, project):
    send(seen, file("game.json", [BAD]), file("game.json", native_game()))
    run_waiting_jobs()
    assert faulty_transcripts(project).count() == 1


def test_the_formats_and_samples_are_on_the_page(seen, project):
    page = listed(seen)
    for known in FORMATS:
        assert known.name in page
        assert not known.sample or f'download="{known.sample}"' in page


@pytest.mark.parametrize("name", SAMPLES)
def test_a_sample_is_the_example_of_the_docs_and_has_no_faults(name):
    data = Path(finders.find(f"samples/{SAMPLES[name]}")).read_bytes()
    section = TEXT.split("\n## The native format\n", 1)[1]
    if name == "native":
        assert "(../static/samples/native.json)" in section, "the docs show it by its link"
    else:
        assert data.decode() == example(name)
    read = read_transcripts(data, SAMPLES[name])
    assert (read.format, [fault for fault in read.faults if not fault.is_warning]) == (name, [])
    assert read.games
