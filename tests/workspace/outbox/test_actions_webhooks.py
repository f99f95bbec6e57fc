"""Webhooks are made and changed by leads; deliveries stand or fall with the act, and are sent at least once."""

import json
import re
from datetime import timedelta
from ipaddress import ip_network

import pytest
from django.conf import settings
from django.db import transaction
from django.utils.module_loading import import_string

from tests.factories.jobs import run_waiting_jobs
from tests.factories.outbox import URL, fresh, make_webhook, measure_games
from tests.factories.people import NOW, make_lead, make_member, make_person, make_project, moment
from tests.guards.layout import ROOT
from tests.services.chat_server import sends, talking
from workspace.core.refusals import Conflict, NotAllowed, Unacceptable
from workspace.jobs.actions import take_job
from workspace.models import Delivery, Event, Job, Person, Webhook
from workspace.outbox.actions.changes import change_webhook, remove_webhook, replace_secret
from workspace.outbox.actions.client import Attempt
from workspace.outbox.actions.queue import queue_deliveries
from workspace.outbox.actions.send import (
    enqueue_due,
    forget_old,
    forget_webhooks,
    send_again,
    send_due,
    send_test,
)
from workspace.outbox.core import (
    EVALUATION_SUBMITTED,
    GAME_MEASURED,
    MOST_ATTEMPTS,
    MOST_OLD_SECRETS,
    MOST_WEBHOOKS,
    VERDICT_RECORDED,
)

pytestmark = [pytest.mark.django_db, pytest.mark.services(is_long=True)]

TAKEN, REFUSED = Attempt(200, ""), Attempt(500, "The server answered 500.")


@pytest.fixture
def lead(db):
    return make_lead(project=make_project(slug="ours"))


@pytest.fixture
def project(lead):
    return lead.memberships.get().project


class Receiver:
    """Takes what is sent, or answers what it is told to."""

    def __init__(self, outcome=TAKEN):
        self.outcome, self.games = outcome, []

    def __call__(self, _url, body, _headers):
        self.games.append(json.loads(body)["data"].get("game"))
        return self.outcome


def work(receiver, *, now=NOW):
    """What the sweep and a worker do at that moment; how many jobs there were."""
    by = Person.objects.system(now=now)
    enqueue_due(by=by, now=now)
    waiting = list(Job.objects.filter(kind="deliver", state="queued").order_by("-subject"))
    for row in waiting:
        send_due(job=take_job(job=row.pk, now=now), clock=lambda: now, send=receiver)
    return len(waiting)


def states(webhook):
    rows = Delivery.objects.filter(webhook=webhook).order_by("pk")
    return [(row.state, row.attempt_count) for row in rows]


def told():
    return list(Event.objects.filter(object_kind="webhook").order_by("pk").values_list("verb", flat=True))


def test_a_message_is_signed_so_that_the_example_of_the_docs_accepts_it(project, lead, settings):
    """From the act to a receiver on a real connection, by the job that a worker runs."""
    settings.WEBHOOK_HTTP, settings.WEBHOOK_NETWORKS = True, [ip_network("127.0.0.1/32")]
    example = {}
    exec(re.search(r"```python\n(.*?)```", (ROOT / "docs/webhooks.md").read_text(), re.DOTALL)[1], example)
    example["time"] = type("Clock", (), {"time": staticmethod(lambda: NOW.timestamp() + 60)})
    with talking(sends(b"")) as server:
        made = make_webhook(project=project, by=lead, url=f"{server.url}/hook")
        (delivery,) = measure_games(project, 7)
        enqueue_due(by=lead, now=NOW)
        run_waiting_jobs()
    (heard,) = server.heard
    assert heard.sent.decode() == delivery.body
    assert heard.headers["webhook-id"] == delivery.identifier == heard.body["id"]
    assert example["is_genuine"](made.secret, heard.headers, heard.sent)
    assert not example["is_genuine"](made.secret, heard.headers, heard.sent + b" ")
    assert not example["is_genuine"](made.secret, {**heard.headers, "webhook-timestamp": "9"}, heard.sent)
    delivery.refresh_from_db()
    assert (delivery.state, delivery.status, delivery.attempt_count) == ("delivered", 200, 1)


def test_the_secret_is_stored_encrypted_and_never_in_the_log(project, lead):
    made = make_webhook(project=project, by=lead, url=f"{URL}?key=of-the-receiver")
    assert made.secret.startswith("whsec_")
    stored = Webhook.objects.get()
    assert made.secret not in stored.secret and made.secret[6:] not in stored.secret
    detail = Event.objects.get(verb="webhook:created").detail
    assert "receiver.invalid" in detail
    assert "of-the-receiver" not in detail and made.secret not in detail


class Listener(Receiver):
    """A receiver that keeps the headers and checks them as the docs have it, with the secrets that it knows."""

    def __init__(self, *secrets, at=NOW):
        super().__init__()
        self.heard = []
        example = {}
        exec(
            re.search(r"```python\n(.*?)```", (ROOT / "docs/webhooks.md").read_text(), re.DOTALL)[1], example
        )
        example["time"] = type("Clock", (), {"time": staticmethod(at.timestamp)})
        self.secrets, self.check = secrets, example["is_genuine"]

    def __call__(self, _url, body, headers):
        self.heard.append([self.check(secret, headers, body) for secret in self.secrets])
        self.signature = headers["webhook-signature"]
        return TAKEN


def test_a_replaced_secret_signs_for_a_day_beside_the_new_one(project, lead):
    made = make_webhook(project=project)
    new = replace_secret(webhook=made.webhook, by=lead, now=NOW).secret
    stored = fresh(made.webhook)
    assert new != made.secret and new not in stored.secret and made.secret not in str(stored.old_secrets)
    for at, expected in (
        (NOW + timedelta(hours=23, minutes=59), [True, True]),
        (NOW + timedelta(hours=24), [False, True]),
    ):
        listener = Listener(made.secret, new, at=at)
        measure_games(project, 1, now=at)
        work(listener, now=at)
        assert (listener.heard, len(listener.signature.split())) == ([expected], sum(expected))
    assert fresh(made.webhook).old_secrets
    assert forget_webhooks(by=lead, now=NOW + timedelta(hours=24)) == 1
    assert fresh(made.webhook).old_secrets == []
    assert told() == ["webhook:created", "webhook:secret_replaced"]
    assert new not in Event.objects.get(verb="webhook:secret_replaced").detail


def test_a_secret_that_was_lost_and_replaced_again_leaves_the_first_one_signing(project, lead):
    made = make_webhook(project=project)
    lost = replace_secret(webhook=made.webhook, by=lead, now=NOW).secret
    new = replace_secret(webhook=made.webhook, by=lead, now=moment(60)).secret
    listener = Listener(made.secret, lost, new)
    measure_games(project, 1)
    work(listener)
    assert listener.heard == [[True, True, True]]
    for _more in range(MOST_OLD_SECRETS - 2):
        replace_secret(webhook=made.webhook, by=lead, now=NOW)
    with pytest.raises(Conflict, match="Use the newest one"):
        replace_secret(webhook=made.webhook, by=lead, now=NOW)
    replace_secret(webhook=made.webhook, by=lead, now=NOW + timedelta(hours=24))


def test_a_secret_is_replaced_by_another_one_of_a_webhook_that_is_there(project, lead, settings):
    made = make_webhook(project=project)
    for wrong in (made.secret, "whsec_short"):
        with pytest.raises(Unacceptable) as refused:
            replace_secret(webhook=made.webhook, secret=wrong, by=lead, now=NOW)
        assert refused.value.field == "secret"
    with pytest.raises(NotAllowed):
        replace_secret(webhook=made.webhook, by=make_member(project=project), now=NOW)
    settings.AUDIT_KEY = "another key " * 4
    new = replace_secret(webhook=made.webhook, by=lead, now=NOW).secret
    listener = Listener(new)
    measure_games(project, 1)
    work(listener)
    assert listener.heard == [[True]]
    remove_webhook(webhook=made.webhook, by=lead, now=NOW)
    assert (fresh(made.webhook).secret, fresh(made.webhook).old_secrets) == ("", [])
    with pytest.raises(Conflict):
        replace_secret(webhook=made.webhook, by=lead, now=NOW)


def test_deliveries_stand_and_fall_with_the_act(project):
    make_webhook(project=project)
    with transaction.atomic():
        measure_games(project, 1)
        transaction.set_rollback(True)
    assert not Delivery.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_outside_of_a_transaction_nothing_is_queued(project, lead):
    with pytest.raises(RuntimeError, match="outside of a transaction"):
        queue_deliveries(project=project, event=GAME_MEASURED, things=[{"game": 1}], by=lead, now=NOW)


def test_an_act_costs_one_query_without_webhooks_and_two_with_however_many(
    project, lead, django_assert_num_queries
):
    make_webhook(project=make_project())

    def tell(event=GAME_MEASURED, count=1):
        things = [{"game": number} for number in range(count)]
        queue_deliveries(project=project, event=event, things=things, by=lead, now=NOW)

    with django_assert_num_queries(1):
        tell()
    make_webhook(project=project, events=[GAME_MEASURED])
    make_webhook(project=project, events=[GAME_MEASURED, EVALUATION_SUBMITTED])
    with django_assert_num_queries(2):
        tell(count=20)
    with django_assert_num_queries(1):
        tell(VERDICT_RECORDED)
    assert Delivery.objects.count() == 40


def test_only_webhooks_that_are_on_and_chose_the_event_are_told(project, lead):
    chosen = make_webhook(project=project, events=[GAME_MEASURED]).webhook
    others = make_webhook(project=project, events=[VERDICT_RECORDED]).webhook
    off = make_webhook(project=project).webhook
    switch(off, lead, is_active=False)
    removed = make_webhook(project=project).webhook
    remove_webhook(webhook=removed, by=lead, now=NOW)
    measure_games(project, 1)
    assert [len(states(webhook)) for webhook in (chosen, others, off, removed)] == [1, 0, 0, 0]


def switch(webhook, by, *, now=NOW, **given):
    """Change a webhook in part."""
    present = {"name": webhook.name, "url": webhook.url, "events": webhook.events.split(), "is_active": True}
    return change_webhook(webhook=webhook, **present | given, by=by, now=now)


def test_what_is_due_is_sent_in_order_and_once(project):
    webhook = make_webhook(project=project).webhook
    measure_games(project, 1, 2, 3)
    receiver = Receiver()
    assert work(receiver) == 1
    assert receiver.games == [1, 2, 3]
    assert states(webhook) == [("delivered", 1)] * 3
    assert work(receiver, now=moment(60)) == 0
    measure_games(project, 4, now=moment(60))
    assert work(receiver, now=moment(60)) == 1
    assert receiver.games == [1, 2, 3, 4]


def test_a_long_queue_lets_the_work_of_others_go_first(project):
    make_webhook(project=project)
    measure_games(project, 1, 2, 3)
    enqueue_due(by=Person.objects.system(now=NOW), now=NOW)
    receiver = Receiver()
    seconds = iter(range(0, 1000, 5))
    job = take_job(job=Job.objects.get().pk, now=NOW)
    send_due(job=job, clock=lambda: NOW + timedelta(seconds=next(seconds)), send=receiver)
    assert 0 < len(receiver.games) < 3
    assert Job.objects.get().state == "queued"
    work(receiver, now=moment(9))
    assert receiver.games == [1, 2, 3]


def test_a_failure_ends_the_turn_and_pauses_the_webhook_until_it_answers(project):
    webhook = make_webhook(project=project).webhook
    measure_games(project, 1, 2)
    receiver = Receiver(REFUSED)
    work(receiver)
    assert (receiver.games, states(webhook)) == ([1], [("waiting", 1), ("waiting", 0)])
    found = fresh(webhook)
    assert (found.failure_count, found.failing_since) == (1, NOW)
    assert timedelta(seconds=7) < found.paused_until - NOW < timedelta(seconds=13)
    assert work(receiver, now=NOW + timedelta(seconds=5)) == 0
    receiver.outcome = TAKEN
    work(receiver, now=moment(1))
    assert (receiver.games, states(webhook)) == ([1, 1, 2], [("delivered", 2), ("delivered", 1)])
    found = fresh(webhook)
    assert (found.failure_count, found.failing_since, found.paused_until) == (0, None, None)
    assert Delivery.objects.filter(error="", next_attempt_at=None).count() == 2


def keep_failing(project, game, *, now=NOW):
    """A game is measured, and every attempt fails until none is left."""
    (delivery,) = measure_games(project, game, now=now)
    receiver = Receiver(REFUSED)
    while delivery.state == "waiting":
        now = max(now, delivery.next_attempt_at, fresh(delivery.webhook).paused_until or now)
        work(receiver, now=now)
        delivery.refresh_from_db()
    return receiver


def test_a_delivery_that_fails_for_a_day_has_failed(project):
    webhook = make_webhook(project=project).webhook
    receiver = keep_failing(project, 1)
    assert receiver.games == [1] * MOST_ATTEMPTS
    row = Delivery.objects.get()
    assert (row.state, row.status, row.error, row.next_attempt_at) == ("failed", 500, REFUSED.error, None)
    assert timedelta(hours=16) < row.attempted_at - NOW < timedelta(hours=28)
    assert fresh(webhook).is_active


def test_a_webhook_that_fails_for_days_is_switched_off_with_a_line_in_the_log(project, lead):
    webhook = make_webhook(project=project).webhook
    keep_failing(project, 1)
    keep_failing(project, 2, now=NOW + timedelta(days=2.5))
    found = fresh(webhook)
    assert not found.is_active and found.gave_up_at - found.failing_since >= timedelta(days=3)
    assert told() == ["webhook:created", "webhook:gave_up"]
    assert work(Receiver(), now=moment(5 * 24 * 60)) == 0
    assert [state for state, _count in states(webhook)] == ["failed", "failed"]
    switch(found, lead)
    found = fresh(webhook)
    assert found.is_active and (found.gave_up_at, found.failing_since, found.failure_count) == (None, None, 0)


def test_a_receiver_that_is_gone_is_told_of_nothing_any_more(project, lead):
    webhook = make_webhook(project=project).webhook
    gone = Receiver(Attempt(410, "The server answered 410."))
    send_test(webhook=webhook, by=lead, now=NOW)
    work(gone)
    assert fresh(webhook).is_active
    measure_games(project, 1, 2)
    work(gone)
    assert gone.games == [None, 1]
    assert states(webhook) == [("failed", 1), ("failed", 1), ("failed", 0)]
    assert (fresh(webhook).is_active, fresh(webhook).gave_up_at) == (False, NOW)
    assert told() == ["webhook:created", "webhook:gave_up"]


def test_a_worker_that_dies_while_it_sends_leaves_a_delivery_that_is_sent_later(project):
    webhook = make_webhook(project=project).webhook
    measure_games(project, 1)

    def die(*_given):
        raise SystemError

    with pytest.raises(SystemError):
        work(die)
    assert states(webhook) == [("waiting", 1)]
    assert work(Receiver()) == 0
    receiver, later = Receiver(), moment(5)
    enqueue_due(by=Person.objects.system(now=later), now=later)
    job = take_job(job=Job.objects.get().pk, now=later)
    send_due(job=job, clock=lambda: later, send=receiver)
    assert (receiver.games, states(webhook)) == ([1], [("delivered", 2)])


def test_a_test_event_is_sent_at_once_and_tried_once(project, lead):
    webhook = make_webhook(project=project).webhook
    measure_games(project, 1)
    work(Receiver(REFUSED))
    receiver = Receiver(REFUSED)
    delivery = send_test(webhook=webhook, by=lead, now=NOW)
    assert work(receiver) == 1
    assert receiver.games == [None]
    delivery.refresh_from_db()
    assert (delivery.event, delivery.state, delivery.error) == ("test", "failed", REFUSED.error)
    assert fresh(webhook).failure_count == 1


def test_a_delivery_is_sent_again_under_its_id_whatever_became_of_it(project, lead):
    webhook = make_webhook(project=project).webhook
    delivered, failed = measure_games(project, 1, 2)
    work(Receiver())
    Delivery.objects.filter(pk=failed.pk).update(state="failed", attempt_count=11, error="No.")
    receiver = Receiver()
    for row in (delivered, failed):
        row.webhook = fresh(webhook)
        send_again(delivery=row, by=lead, now=moment(9))
    again = Delivery.objects.filter(pk__in=(delivered.pk, failed.pk))
    assert list(again.values_list("error", "attempted_at", "status")) == [("", None, None)] * 2
    work(receiver, now=moment(9))
    assert sorted(receiver.games) == [1, 2]
    assert states(webhook) == [("delivered", 1)] * 2
    assert Delivery.objects.get(pk=failed.pk).identifier == failed.identifier


def test_what_came_of_an_attempt_is_not_written_over_what_was_asked_for_meanwhile(project, lead):
    webhook = make_webhook(project=project).webhook
    (row,) = measure_games(project, 1)
    row.webhook = fresh(webhook)

    def ask_meanwhile(*_given):
        send_again(delivery=row, by=lead, now=NOW)
        return REFUSED

    work(ask_meanwhile)
    assert states(webhook) == [("waiting", 0)]


def test_switched_off_or_removed_nothing_is_sent_and_nobody_sends_by_hand(project, lead):
    webhook = make_webhook(project=project).webhook
    measure_games(project, 1)
    switch(webhook, lead, is_active=False)
    row = Delivery.objects.select_related("webhook__project").get()
    assert (row.state, row.error) == ("failed", "It was not sent: the webhook was deactivated or removed.")
    for act in (
        lambda: send_test(webhook=webhook, by=lead, now=NOW),
        lambda: send_again(delivery=row, by=lead, now=NOW),
    ):
        with pytest.raises(Conflict, match="deactivated"):
            act()
    remove_webhook(webhook=webhook, by=lead, now=NOW)
    assert Webhook.objects.get().secret == ""
    with pytest.raises(Conflict, match="removed"):
        remove_webhook(webhook=webhook, by=lead, now=NOW)
    with pytest.raises(Conflict, match="removed"):
        switch(webhook, lead)
    assert work(Receiver(), now=moment(5)) == 0
    assert told() == ["webhook:created", "webhook:changed", "webhook:removed"]


def test_a_secret_that_cannot_be_read_any_more_is_told(project, settings):
    webhook = make_webhook(project=project).webhook
    measure_games(project, 1)
    settings.AUDIT_KEY = "another key " * 4
    work(Receiver())
    assert "AUDIT_KEY changed" in Delivery.objects.get(webhook=webhook).error


def test_only_leads_of_the_project_and_admins_manage_webhooks(project):
    webhook = make_webhook(project=project).webhook
    (row,) = measure_games(project, 1)
    row.webhook = webhook
    for person in (make_member(project=project), make_lead(project=make_project()), make_person()):
        for act in (
            lambda person: make_webhook(project=project, by=person),
            lambda person: switch(webhook, person),
            lambda person: remove_webhook(webhook=webhook, by=person, now=NOW),
            lambda person: send_test(webhook=webhook, by=person, now=NOW),
            lambda person: send_again(delivery=row, by=person, now=NOW),
        ):
            with pytest.raises(NotAllowed, match="Only team leads"):
                act(person)


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"name": " "}, "name"),
        ({"name": "a" * 101}, "name"),
        ({"url": "ftp://example.org"}, "url"),
        ({"events": []}, "events"),
        ({"events": ["test"]}, "events"),
        ({"secret": "whsec_short"}, "secret"),
    ],
)
def test_what_cannot_be_taken_is_refused_by_field(project, wrong, field):
    with pytest.raises(Unacceptable) as refused:
        make_webhook(project=project, **wrong)
    assert refused.value.field == field


def test_there_are_so_many_webhooks_at_most(project, lead):
    for _each in range(MOST_WEBHOOKS):
        webhook = make_webhook(project=project).webhook
    with pytest.raises(Conflict, match="10 webhooks already"):
        make_webhook(project=project)
    remove_webhook(webhook=webhook, by=lead, now=NOW)
    make_webhook(project=project)


def test_old_deliveries_and_removed_webhooks_are_forgotten(project, lead):
    webhook = make_webhook(project=project).webhook
    removed = make_webhook(project=project).webhook
    remove_webhook(webhook=removed, by=lead, now=NOW)
    measure_games(project, 1)
    measure_games(project, 2, now=moment(60))
    now = NOW + timedelta(days=30)
    assert forget_old(by=lead, now=now - timedelta(minutes=1)) == 0
    assert forget_old(by=lead, now=now) == 1
    assert forget_webhooks(by=lead, now=now - timedelta(minutes=1)) == 0
    assert forget_webhooks(by=lead, now=now) == 1
    assert list(Webhook.objects.all()) == [webhook]
    assert Delivery.objects.get().body.count('"game":2') == 1


def test_the_sweep_does_what_is_due():
    names = {import_string(name) for name in settings.SWEEP_ACTIONS}
    assert {enqueue_due, forget_old, forget_webhooks} <= names
    assert import_string(settings.JOB_ACTIONS["deliver"]) is send_due


def test_a_delivery_that_meets_an_error_is_tried_again_and_does_not_keep_others(project, lead, caplog):
    webhook = make_webhook(project=project).webhook
    measure_games(project, 1)

    def break_it(*_given):
        raise RuntimeError("a secret of the site")

    work(break_it)
    row = Delivery.objects.get()
    assert (row.state, row.attempt_count) == ("waiting", 1)
    assert row.error == "It was not sent, as this site met an error. Its log says which."
    assert "a secret of the site" in caplog.text
    assert Job.objects.get(kind="deliver").state == "done"
    assert fresh(webhook).failure_count == 1
