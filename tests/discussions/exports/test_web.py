"""Asking for an export, the list of one's own, and the file."""

import json
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from discussions.models import Game
from tests.factories.comparisons import make_set
from tests.factories.exports import ask_export, make_export
from tests.factories.iterations import make_baseline, make_stage
from tests.factories.jobs import run_waiting_jobs
from tests.factories.people import make_admin, make_lead, make_member
from tests.factories.rating import start
from tests.factories.tokens import program_of
from tests.factories.transcripts import import_game, make_games_project
from workspace.models import Event, Export, Job, KeptAnswer

pytestmark = pytest.mark.django_db
HTMX = {"HTTP_HX_REQUEST": "true"}


def client(person):
    seen = Client()
    seen.force_login(person)
    return seen


NEW, LIST = "/projects/ours/exports/new/", "/projects/ours/exports/"


def page(person, address=LIST, **headers):
    return client(person).get(address, **headers).content.decode()


def test_what_is_asked_for_waits_in_the_list(project, lead):
    answer = client(lead).post(NEW, {"of": "", "format": "csv", "pseudonyms": "on", "byte_order_mark": "on"})
    assert (answer.status_code, answer["Location"]) == (303, LIST)
    export = Export.objects.get()
    assert (export.subject, export.format, export.is_unblinded) == ("project", "csv", True)
    assert (export.has_pseudonyms, export.has_byte_order_mark, export.job.kind) == (True, True, "export")
    text = page(lead)
    assert "waits for a worker" in text
    assert "with pseudonyms" in text
    assert 'hx-trigger="every 2s"' in text
    assert "No worker is running" in text


def test_the_mark_is_for_csv_alone(project, lead):
    client(lead).post(NEW, {"format": "jsonl", "byte_order_mark": "on"})
    assert Export.objects.get().has_byte_order_mark is False


def test_a_ready_file_is_downloaded_as_an_attachment(project, lead):
    export = make_export(project, lead, now=timezone.now())
    text = page(lead)
    assert "ready" in text
    assert "about 24 hours left" in text
    assert "hx-trigger" not in text
    answer = client(lead).post(reverse("download_export", args=["ours", export.pk]))
    lines = [json.loads(line) for line in b"".join(answer).splitlines()]
    assert [line["kind"] for line in lines] == ["export", "rubric_version", "iteration", "end"]
    assert answer["Content-Disposition"] == 'attachment; filename="ours.jsonl"'
    assert (answer["Cache-Control"], answer["Content-Type"]) == ("no-store", "application/x-ndjson")
    assert Event.objects.filter(verb="export:downloaded", object_id=str(export.pk)).count() == 1


def test_nobody_else_sees_or_takes_an_export(project, lead):
    export = make_export(project, lead, now=timezone.now())
    for other in (make_lead(project=project), make_admin(), make_member(project=project)):
        assert "No exports yet" in page(other)
        for name in ("download_export", "cancel_export", "remove_export"):
            assert client(other).post(reverse(name, args=["ours", export.pk])).status_code == 404
    stranger = make_lead(project=make_games_project(slug="theirs"))
    assert client(stranger).get(LIST).status_code == 404
    address = reverse("download_export", args=["theirs", export.pk])
    assert client(stranger).post(address).status_code == 404


def test_a_file_whose_time_is_over_is_not_sent(project, lead):
    export = make_export(project, lead, now=timezone.now() - timedelta(days=1, seconds=1))
    text = page(lead)
    assert "file removed" in text
    assert ">Download" not in text
    answer = client(lead).post(reverse("download_export", args=["ours", export.pk]))
    assert answer.status_code == 409
    assert "its time was over" in answer.content.decode()


def test_a_waiting_export_is_cancelled(project, lead):
    export = ask_export(project, lead, now=timezone.now())
    assert client(lead).post(reverse("cancel_export", args=["ours", export.pk])).status_code == 303
    assert Job.objects.get(pk=export.job_id).state == "cancelled"
    assert "cancelled" in page(lead)


def test_progress_and_failure_are_shown(project, lead):
    export = ask_export(project, lead, now=timezone.now())
    jobs = Job.objects.filter(pk=export.job_id)
    jobs.update(state="running", started_at=timezone.now(), done_count=30, total_count=120)
    text = page(lead, **HTMX)
    assert "<b>30</b> of 120 records" in text
    jobs.update(state="failed", error="The disk is full. Make room, then export again.")
    assert "The disk is full." in page(lead)


def test_a_file_is_removed_by_its_owner(project, lead, django_capture_on_commit_callbacks):
    export = make_export(project, lead, now=timezone.now())
    with django_capture_on_commit_callbacks(execute=True):
        assert client(lead).post(reverse("remove_export", args=["ours", export.pk])).status_code == 303
    assert client(lead).post(reverse("download_export", args=["ours", export.pk])).status_code == 409


def test_the_form_says_what_of_how_much_and_who_may_see_it(lead):
    evaluation = start()
    chief = make_lead(project=evaluation.game.project)
    address = reverse("new_export", args=[evaluation.game.project.slug])
    text = page(chief, f"{address}?of=game:{evaluation.game.number}")
    assert f"Export game {evaluation.game.number}" in text
    assert "It has 1 game." in text
    assert "It holds what team leads see" in text
    assert "Texts that people wrote stay as they are and may hold names" in text
    text = page(chief, f"{address}?of=games:{evaluation.game.number}")
    assert f"Export game {evaluation.game.number}" in text and "It has 1 game." in text
    own = page(evaluation.evaluator, address)
    assert "It has 1 evaluation." in own
    assert "It holds your own evaluations and reviews" in own


def test_an_archive_is_a_choice_for_leads_and_the_page_says_what_it_shows(project, lead):
    text = page(lead, NEW)
    assert "It shows what is hidden from people who rate blind, and has names and e-mail addresses." in text
    assert client(lead).post(NEW, {"format": "archive"}).status_code == 303
    assert Export.objects.get().format == "archive"
    evaluator = make_member(project=project)
    assert "Only team leads of this project and admins make its archive." in page(evaluator, NEW)
    answer = client(evaluator).post(NEW, {"format": "archive"})
    assert (answer.status_code, Export.objects.count()) == (403, 1)


@pytest.mark.parametrize(("of", "status"), [("game:99", 404), ("person:1", 404), ("", 200)])
def test_a_lead_finds_no_form_for_what_is_not_there(project, lead, of, status):
    assert client(lead).get(f"{NEW}?of={of}").status_code == status


def test_what_is_gone_when_the_form_is_sent_is_said_and_what_was_chosen_stays(project, lead):
    answer = client(lead).post(NEW, {"of": "game:99", "format": "csv", "pseudonyms": "on"})
    text = answer.content.decode()
    assert answer.status_code == 422
    assert "There is nothing to export under" in text
    assert 'value="csv"' in text.split("checked")[0].rpartition("<input")[2]
    assert 'value="game:99"' in text


def test_an_evaluator_learns_of_no_part_of_a_project(project):
    evaluator = make_member(project=project)
    for of in ("game:1", "game:99", "stage:1", "person:1"):
        assert client(evaluator).get(f"{NEW}?of={of}").status_code == 403
        assert client(evaluator).post(NEW, {"of": of, "format": "jsonl"}).status_code == 403
    assert client(evaluator).post(NEW, {"format": "jsonl"}).status_code == 303
    assert Export.objects.get().is_unblinded is False
    assert "your own work, blind" in page(evaluator)


def test_parquet_is_greyed_with_what_to_install_where_it_is_missing(project, lead, monkeypatch):
    find = "workspace.exports.permissions.find_spec"
    monkeypatch.setattr(find, lambda _name: None)
    text = page(lead, NEW)
    assert "pip install -r requirements-parquet.txt" in text
    assert "disabled" in text.split('value="parquet"')[1].split(">")[0]
    refused = client(lead).post(NEW, {"format": "parquet"})
    assert refused.status_code == 422
    assert "Parquet needs the package pyarrow" in refused.content.decode()
    monkeypatch.setattr(find, lambda _name: object())
    assert "pip install" not in page(lead, NEW)


def test_every_page_of_a_thing_leads_to_the_form(project, lead):
    evaluation = start(project=project)
    stage = make_stage(project=project, by=lead)
    made = make_baseline(stage=stage)
    compared = make_set(by=lead)
    game = Game.objects.get(pk=evaluation.game_id)
    pages = {
        LIST: NEW,
        reverse("stage", args=["ours", stage.number]): f"{NEW}?of=stage:{stage.number}",
        reverse("iteration", args=["ours", made.number]): f"{NEW}?of=iteration:{made.number}",
        reverse("game", args=["ours", game.number]): f"{NEW}?of=game:{game.number}",
        reverse("comparison_set", args=["ours", compared.number]): f"{NEW}?of=set:{compared.number}",
    }
    for address, link in pages.items():
        assert f'href="{link}"' in page(lead, address), address
    assert f'href="{LIST}"' in page(make_member(project=project), reverse("project", args=["ours"]))


def test_older_exports_are_on_further_pages(project, lead):
    made = [ask_export(project, lead, now=timezone.now()) for _ in range(51)]
    Job.objects.update(state="cancelled")
    assert f"?before={made[1].pk}" in page(lead)
    assert page(lead, f"{LIST}?before={made[1].pk}").count("<tr>") == 2
    assert client(lead).get(f"{LIST}?before=x").status_code == 400


PATH = "projects/here/exports/"


@pytest.fixture
def owner():
    return make_lead(project=make_games_project(slug="here"))


def test_an_export_is_asked_for_followed_and_downloaded(owner):
    project, program = owner.memberships.get().project, program_of(owner)
    game = import_game(project=project, by=owner)
    asked = program.post(PATH, {"of": f"game:{game.number}"})
    assert (asked.status_code, asked.json()["state"]) == (202, "waiting")
    address = f"{PATH}{asked.json()['id']}/"
    early = program.post(f"{address}file/")
    assert (early.status_code, early.json()["code"]) == (409, "not_ready")
    run_waiting_jobs(now=timezone.now())
    found = program.get(address).json()
    assert (found["state"], found["of"], found["done_count"]) == (
        "ready",
        f"game:{game.number}",
        found["total_count"],
    )
    kept = KeptAnswer.objects.count()
    file = program.post(f"{address}file/", key="again")
    assert "attachment" in file["Content-Disposition"]
    lines = [json.loads(line) for line in b"".join(file).splitlines()]
    assert lines[-1]["kind"] == "end"
    assert b"".join(program.post(f"{address}file/", key="again")).count(b"\n") == len(lines)
    assert KeptAnswer.objects.count() == kept
    assert Event.objects.filter(verb="export:downloaded").count() == 2
    for other in (make_admin(), make_lead(project=project)):
        assert program_of(other).get(address).status_code == 404
        assert program_of(other).post(f"{address}file/").status_code == 404
    assert program.post(f"{address}remove/").json()["state"] == "removed"
    assert program.post(f"{address}file/").json()["code"] == "expired"


def test_an_evaluator_exports_their_own_work_and_no_part_of_the_project(owner):
    member = make_member(project=owner.memberships.get().project)
    program = program_of(member)
    assert "own work" in program.post(PATH, {"format": "csv"}).json()["holds"]
    refused = program.post(PATH, {"of": "stage:1"})
    assert (refused.status_code, refused.json()["code"]) == (403, "not_allowed")
    assert program.post(PATH, {"format": "pdf"}).status_code == 422
    unknown = program_of(owner).post(PATH, {"of": "game:77"})
    assert (unknown.status_code, unknown.json()["code"]) == (422, "no_subject")


def test_an_export_that_waits_is_cancelled_and_lists_take_few_queries(owner, django_assert_max_num_queries):
    program = program_of(owner)
    for _export in range(4):
        made = program.post(PATH).json()
    assert program.post(f"{PATH}{made['id']}/cancel/").json()["state"] == "cancelled"
    with django_assert_max_num_queries(9):
        assert len(program.get(PATH).json()["items"]) == 4
