"""The pages of webhooks, and the operations of the API."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from tests.factories.outbox import URL, fresh, make_webhook, measure_games
from tests.factories.people import NOW, make_lead, make_member, make_project
from tests.factories.tokens import program_of
from workspace.models import Delivery, Job, KeptAnswer, Webhook
from workspace.outbox.core import write_secret

pytestmark = pytest.mark.django_db
GIVEN = {"name": "Pipeline", "url": URL, "events": ["game.measured", "verdict.recorded"]}
LIST = "/projects/ours/webhooks/"


@pytest.fixture
def project(db):
    return make_project(slug="ours")


@pytest.fixture
def client(project):
    seen = Client()
    seen.force_login(make_lead(project=project))
    return seen


def text_of(answer):
    return answer.content.decode()


def test_a_webhook_is_made_on_its_page_and_its_secret_shown_once(client):
    assert LIST in text_of(client.get(reverse("members", args=["ours"])))
    made = text_of(client.post(LIST, GIVEN))
    secret = re.search(r'value="(whsec_[^"]+)"', made)[1]
    webhook = Webhook.objects.get()
    for address in (LIST, reverse("webhook", args=["ours", webhook.pk])):
        again = text_of(client.get(address))
        assert "Pipeline" in again and secret not in again
    assert (webhook.events, webhook.has_scores) == ("game.measured verdict.recorded", False)
    change = GIVEN | {"has_scores": "on", "is_active": "on"}
    assert client.post(reverse("webhook", args=["ours", webhook.pk]), change).status_code == 303
    assert fresh(webhook).has_scores


def test_an_evaluator_is_shown_no_way_to_webhooks(project):
    seen = Client()
    seen.force_login(make_member(project=project))
    assert LIST not in text_of(seen.get("/projects/ours/"))


@pytest.mark.parametrize(
    "changes", [{"name": ""}, {"url": "http://127.0.0.1/"}, {"events": []}, {"events": ["x"]}]
)
def test_a_bad_form_comes_back_with_what_was_typed(client, project, changes):
    answer = client.post(LIST, GIVEN | changes)
    assert (answer.status_code, Webhook.objects.count()) == (422, 0)
    assert "fault" in text_of(answer)
    webhook = make_webhook(project=project).webhook
    answer = client.post(reverse("webhook", args=["ours", webhook.pk]), GIVEN | {"name": "Other"} | changes)
    assert (answer.status_code, fresh(webhook).name) == (422, "Pipeline")


def test_a_webhook_is_changed_and_switched_off_and_removed(client, project):
    webhook = make_webhook(project=project).webhook
    address = reverse("webhook", args=["ours", webhook.pk])
    assert client.post(address, GIVEN | {"name": "Other"}).status_code == 303
    found = fresh(webhook)
    assert (found.name, found.is_active) == ("Other", False)
    page = text_of(client.get(address))
    assert re.search(r"<button class=\"button\"\s+disabled", page) and "Send again" not in page
    assert client.post(f"{address}remove/").status_code == 303
    assert client.get(address).status_code == 404
    for late in (f"{address}remove/", f"{address}secret/", f"{address}test/"):
        answer = client.post(late)
        assert (answer.status_code, "removed" in text_of(answer)) == (409, True)
    answer = client.post(address, GIVEN | {"name": "Other"})
    assert (answer.status_code, "This webhook was removed" in text_of(answer)) == (409, True)
    assert "Other" not in text_of(client.get(LIST))


def test_the_page_lists_deliveries_in_parts_and_sends_them_again(client, project):
    webhook = make_webhook(project=project).webhook
    rows = measure_games(project, *range(1, 56))
    Delivery.objects.exclude(pk=rows[54].pk).update(
        state="failed", error="The server answered 500.", status=500
    )
    address = reverse("webhook", args=["ours", webhook.pk])
    first = text_of(client.get(address))
    assert (first.count("The server answered 500."), first.count("Send again<span")) == (49, 50)
    # A first attempt is about to be made: the region asks again, and is answered as a region.
    assert 'hx-trigger="every 2s"' in first
    region = text_of(client.get(address, headers={"HX-Request": "true"}))
    assert region.lstrip().startswith("<section") and "<html" not in region
    older = re.search(r'href="[^"?]+(\?before=\d+)"', first)[1]
    second = text_of(client.get(address + older))
    assert (second.count("Send again<span"), "every 2s" in second) == (5, False)
    again = reverse("send_again", args=["ours", webhook.pk, rows[0].pk])
    assert client.post(again).status_code == 303
    assert Delivery.objects.get(pk=rows[0].pk).state == "waiting"
    assert Job.objects.get().subject == f"delivery:{rows[0].pk}"
    assert client.post(f"{address}test/").status_code == 303
    assert Delivery.objects.filter(event="test").count() == 1
    elsewhere = make_webhook(project=project).webhook
    assert client.post(reverse("send_again", args=["ours", elsewhere.pk, rows[0].pk])).status_code == 404


def test_the_page_says_that_a_webhook_fails_or_gave_up(client, project):
    webhook = make_webhook(project=project).webhook
    address = reverse("webhook", args=["ours", webhook.pk])
    Webhook.objects.update(failing_since=NOW, paused_until=NOW, failure_count=3)
    assert 'id="failing"' in text_of(client.get(address))
    Webhook.objects.update(is_active=False, gave_up_at=NOW)
    page = text_of(client.get(address))
    assert 'id="gave-up"' in page and 'id="failing"' not in page


def test_programs_make_change_list_and_remove_webhooks(project):
    program = program_of(make_lead(project=project))
    path, secret = "projects/ours/webhooks/", write_secret(bytes(32))
    made = program.post(path, GIVEN | {"secret": secret})
    assert made.status_code == 201
    number = made.json()["id"]
    assert not KeptAnswer.objects.filter(body__contains=secret).exists()
    wrong = program.post(path, GIVEN | {"secret": "short"})
    assert (wrong.status_code, wrong.json()["field"]) == (422, "secret")
    changed = program.post(f"{path}{number}/", GIVEN | {"events": ["iteration.decided"], "is_active": True})
    assert (changed.json()["events"], changed.json()["has_scores"]) == (["iteration.decided"], False)
    asked = program.post(f"{path}{number}/", GIVEN | {"has_scores": True, "is_active": True})
    assert asked.json()["has_scores"] is True
    assert [line["id"] for line in program.get(path).json()["items"]] == [number]
    assert program.post(f"{path}{number}/remove/").json() == {"id": number}
    assert program.get(path).json()["items"] == []


def test_a_secret_is_replaced_on_the_page_and_the_new_one_shown_once(client, project):
    made = make_webhook(project=project)
    address = reverse("webhook", args=["ours", made.webhook.pk])
    page = text_of(client.get(address))
    assert "Replace the secret" in page and "signs until" not in page
    shown = text_of(client.post(f"{address}secret/"))
    secret = re.search(r'value="(whsec_[^"]+)"', shown)[1]
    assert secret != made.secret and made.secret not in shown
    again = text_of(client.get(address))
    assert "signs until" in again and secret not in again
    # What the answer leads to can be fetched.
    measure_games(project, *range(1, 53))
    shown = text_of(client.post(f"{address}secret/"))
    assert f'hx-get="{address}"' in shown and f'href="{address}?before=' in shown


def test_programs_replace_the_secret_send_a_test_event_and_send_again(project):
    made = make_webhook(project=project)
    program, path = program_of(make_lead(project=project)), f"projects/ours/webhooks/{made.webhook.pk}/"
    secret = write_secret(bytes(32))
    assert program.post(f"{path}secret/", {"secret": secret}).json()["id"] == made.webhook.pk
    assert (program.post(f"{path}secret/", {"secret": secret}).json()["field"]) == "secret"
    assert not KeptAnswer.objects.filter(body__contains=secret).exists()
    tested = program.post(f"{path}test/")
    assert (tested.status_code, tested.json()["event"], tested.json()["state"]) == (202, "test", "waiting")
    Delivery.objects.update(state="failed", error="The server answered 500.")
    again = program.post(f"{path}deliveries/{tested.json()['identifier']}/again/")
    assert (again.status_code, again.json()["state"], again.json()["error"]) == (202, "waiting", "")
    other = make_webhook(project=project).webhook
    wrong = f"projects/ours/webhooks/{other.pk}/deliveries/{tested.json()['identifier']}/again/"
    assert program.post(wrong).status_code == 404


def test_programs_list_the_messages_of_a_webhook_in_parts(project):
    webhook = make_webhook(project=project).webhook
    measure_games(project, *range(1, 53))
    program, found = program_of(make_lead(project=project)), []
    path = f"projects/ours/webhooks/{webhook.pk}/deliveries/"
    while path:
        part = program.get(path).json()
        found += [line["message"]["data"]["game"] for line in part["items"]]
        path = (part["next"] or "").removeprefix("/api/v1/")
    assert found == list(range(52, 0, -1))
    assert part["items"][-1]["state"] == "waiting"
