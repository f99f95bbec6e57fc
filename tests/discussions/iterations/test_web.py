"""Importing into an iteration of a stage: chosen on the page or by --iteration, refused once it is frozen."""

import json
import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.urls import reverse

from discussions.iterations.actions import open_for_rating
from discussions.models import Game, Iteration, Transcript
from tests.factories.iterations import figures, get_lead, import_games, make_baseline, make_stage
from tests.factories.jobs import run_waiting_jobs
from tests.factories.people import make_lead, moment
from tests.factories.tokens import program_of
from tests.factories.transcripts import as_bytes, make_games_project, native_game

pytestmark = pytest.mark.django_db


@pytest.fixture
def stage(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path
    return make_stage()


@pytest.fixture
def baseline(stage):
    return make_baseline(stage=stage, name="First <games>")


@pytest.fixture
def seen(client, stage):
    client.force_login(get_lead(stage))
    return client


def address(stage, name="imports"):
    return reverse(name, args=[stage.project.slug])


def send(client, stage, **given):
    file = SimpleUploadedFile("a.json", as_bytes(native_game(gameId="a")), content_type="application/json")
    return client.post(address(stage, "import_upload"), {"transcripts": [file]} | given)


def plain(answer):
    """The page without the marks that isolate foreign text."""
    body = " ".join(answer.content.decode().split())
    return re.sub("</?bdi[^>]*>", "", body)


def freeze(baseline):
    import_games(iteration=baseline, games=[figures()] * 3)
    open_for_rating(iteration=baseline, by=get_lead(baseline.stage), now=moment(5))


def test_games_come_into_the_iteration_that_was_chosen(seen, stage, baseline):
    page = seen.get(address(stage) + f"?iteration={baseline.number}").content.decode()
    assert f'<option value="{baseline.number}" selected>Iteration 1: First &lt;games&gt;</option>' in page
    assert send(seen, stage, iteration=str(baseline.number)).status_code == 303
    run_waiting_jobs()
    assert Game.objects.get().iteration == baseline
    way = reverse("iteration", args=[stage.project.slug, baseline.number])
    assert f'<a href="{way}">1 First &lt;games&gt;</a>' in plain(seen.get(address(stage)))
    report = reverse("import_show", args=[stage.project.slug, Transcript.objects.get().pk])
    assert f'into <a href="{way}">iteration 1: First &lt;games&gt;</a>' in plain(seen.get(report))
    assert "Back to iteration 1</a>" in plain(seen.get(report))
    here = seen.get(address(stage) + f"?iteration={baseline.number}")
    assert f'href="{way}">Back to iteration 1: First &lt;games&gt;</a>' in plain(here)
    assert "Back to iteration" not in plain(seen.get(address(stage)))


def test_without_a_choice_games_wait_in_unsorted(seen, stage):
    assert 'name="iteration"' not in seen.get(address(stage)).content.decode()
    assert send(seen, stage).status_code == 303
    assert Transcript.objects.get().iteration.is_unsorted


def test_a_frozen_iteration_is_no_choice_and_says_so(seen, stage, baseline):
    freeze(baseline)
    assert 'name="iteration"' not in seen.get(address(stage)).content.decode()
    answer = send(seen, stage, iteration=str(baseline.number))
    assert answer.status_code == 422
    assert "This iteration takes no more games" in answer.content.decode()
    assert Transcript.objects.count() == 1


@pytest.mark.parametrize("number", ["x", "99", "-1"])
def test_iterations_that_are_not_there_are_no_choice(seen, stage, baseline, number):
    assert send(seen, stage, iteration=number).status_code == 422
    assert not Transcript.objects.exists()


def run(capsys, stage, path, number):
    with pytest.raises(SystemExit) as end:
        call_command(
            "import_transcripts", str(path), "--project", stage.project.slug, "--by", get_lead(stage).email,
            "--iteration", str(number), "--wait", "--json",
        )  # fmt: skip
    said = capsys.readouterr()
    return end.value.code, said.out, said.err


def test_the_command_takes_the_iterations_number_and_refuses_a_frozen_one(capsys, stage, baseline, tmp_path):
    path = tmp_path / "a.json"
    path.write_bytes(as_bytes(native_game(gameId="a")))
    code, out, _ = run(capsys, stage, path, baseline.number)
    assert (code, json.loads(out)["imports"][0]["games"]) == (0, 1)
    assert Game.objects.get().iteration == baseline
    freeze(Iteration.objects.select_related("project", "stage", "created_by").get(pk=baseline.pk))
    path.write_bytes(as_bytes(native_game(gameId="b")))
    code, _, err = run(capsys, stage, path, baseline.number)
    assert code == 2
    assert (
        "Iteration 1 was opened for rating, which froze its list" in json.loads(err)["faults"][0]["message"]
    )
    assert Transcript.objects.count() == 2


def test_a_statement_is_signed_once_and_shown_with_its_gate():
    project = make_games_project(slug="ours")
    lead = make_lead(project=project)
    program, path = program_of(lead), f"projects/ours/stages/{make_stage(project=project, by=lead).number}/"
    before = program.get(f"{path}gate/").json()
    assert (before["statement"], before["signed_by"], before["sign_refusal"]) == ("", "", "")
    assert not [sentence for sentence in before["missing"] if "below" in sentence]
    assert program.post(f"{path}sign/", {"statement": " "}).json()["field"] == "statement"
    signed = program.post(f"{path}sign/", {"statement": "Nobody left before the end."}).json()
    assert (signed["statement"], signed["signed_by"]) == ("Nobody left before the end.", lead.name)
    assert len(signed["missing"]) == len(before["missing"]) - 1
    again = program.post(f"{path}sign/", {"statement": "Another"})
    assert (again.status_code, again.json()["code"]) == (403, "stated")
