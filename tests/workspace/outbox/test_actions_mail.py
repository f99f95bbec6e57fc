"""E-mails stand or fall with the act, are sent at least once, and keep no secret longer than they must."""

from datetime import timedelta

import pytest
from django.core import mail
from django.db import transaction

from tests.factories.outbox import configure_email, send_waiting
from tests.factories.people import NOW, make_person, moment
from tests.services.mail_server import mail_server
from workspace.core.retries import MOST_ATTEMPTS
from workspace.models import Email, Job, Notification, Person
from workspace.outbox.actions import digests
from workspace.outbox.actions.queue import queue_email
from workspace.outbox.actions.send import end_all_waiting, forget_old, send_by_smtp

pytestmark = [pytest.mark.django_db, pytest.mark.services(is_long=True)]


@pytest.fixture(autouse=True)
def configured(settings):
    configure_email(settings)


def queue(now=NOW, **given):
    by = Person.objects.system(now=now)
    chosen = {
        "address": "ann@example.org",
        "purpose": "invitation",
        "subject": "Come in",
        "body": "The SECRET",
    }
    with transaction.atomic():
        return queue_email(**(chosen | given), by=by, now=now)


class Refusing:
    """A server that is away."""

    def __init__(self):
        self.count = 0

    def __call__(self, _email, _body):
        self.count += 1
        raise OSError("Nobody answers.")


def test_an_email_is_sent_once_and_its_text_is_gone_then():
    email = queue(subject="Come\r\nBcc: eve@example.org\u202e", body="The SECRET\nof \u202eAnn")
    assert "SECRET" not in email.body
    assert send_waiting() == 1
    assert [(sent.to, sent.subject, sent.body) for sent in mail.outbox] == [
        (["ann@example.org"], "Come Bcc: eve@example.org", "The SECRET\nof ⟨U+202E⟩Ann")
    ]
    email.refresh_from_db()
    assert (email.state, email.body, email.sent_at) == ("sent", "", NOW)
    assert send_waiting(now=moment(60)) == 0
    assert Job.objects.get(kind="send_emails").state == "done"


def test_an_act_that_is_rolled_back_sends_nothing():
    with transaction.atomic():
        queue()
        transaction.set_rollback(True)
    assert send_waiting() == 0
    assert not mail.outbox


@pytest.mark.django_db(transaction=True)
def test_an_email_wants_a_transaction():
    by = Person.objects.system(now=NOW)
    with pytest.raises(RuntimeError, match="outside of a transaction"):
        queue_email(address="a@example.org", purpose="invitation", subject="s", body="b", by=by, now=NOW)


def test_without_a_mail_server_nothing_is_queued(settings):
    settings.EMAIL_HOST = ""
    assert queue() is None
    assert not Email.objects.exists()


def test_it_is_tried_again_later_and_given_up_in_the_end():
    email, away = queue(), Refusing()
    send_waiting(mail=away)
    email.refresh_from_db()
    assert (email.state, email.error, away.count) == ("waiting", "OSError: Nobody answers.", 1)
    assert NOW < email.next_attempt_at < moment(1)
    assert send_waiting(mail=away) == 0
    for _attempt in range(MOST_ATTEMPTS):
        email.refresh_from_db()
        if email.next_attempt_at:
            send_waiting(mail=away, now=email.next_attempt_at)
    assert (email.state, email.body) == ("failed", "")
    assert 5 <= away.count <= MOST_ATTEMPTS


@pytest.mark.parametrize("is_late", [True, False])
def test_what_is_too_late_or_for_a_deactivated_account_is_not_sent(is_late):
    person = make_person()
    email = queue(person=person, expires_at=moment(30))
    if not is_late:
        Person.objects.filter(pk=person.pk).update(is_active=False)
    send_waiting(now=moment(31 if is_late else 1))
    email.refresh_from_db()
    assert (email.state, email.body, mail.outbox) == ("failed", "", [])


def test_old_ones_are_forgotten_and_a_restored_site_sends_none_that_waited():
    email, by = queue(), Person.objects.system(now=NOW)
    end_all_waiting(by=by, now=NOW)
    email.refresh_from_db()
    assert (email.state, email.body) == ("failed", "")
    assert forget_old(by=by, now=NOW + timedelta(days=29)) == 0
    assert forget_old(by=by, now=NOW + timedelta(days=30)) == 1


def test_it_goes_to_a_real_server_which_may_be_busy_first(settings):
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_USE_TLS = False
    email = queue(body="Zwölf Spiele")
    with mail_server() as server:
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", server.port
        server.busy_count = 1
        send_waiting()
        email.refresh_from_db()
        assert email.state == "waiting" and "451" in email.error
        send_waiting(now=email.next_attempt_at)
        (message,) = server.messages
    email.refresh_from_db()
    assert (email.state, email.error) == ("sent", "")
    assert (message["To"], message["From"]) == ("ann@example.org", "evalsite@example.org")
    assert message.get_payload(decode=True).decode().strip() == "Zwölf Spiele"


def test_an_email_that_is_sent_twice_has_one_name_by_which_mailboxes_drop_the_second():
    queue()

    def sent_and_killed(email, body):
        send_by_smtp(email, body)
        raise SystemExit

    with pytest.raises(SystemExit):
        send_waiting(mail=sent_and_killed)
    Job.objects.update(state="queued", lease_until=None)
    send_waiting(now=moment(60))
    first, second = (sent.message() for sent in mail.outbox)
    assert first["Message-ID"] == second["Message-ID"]
    assert first["Message-ID"].endswith("@evalsite.example.org>")
    assert first["Auto-Submitted"] == "auto-generated"


def test_an_email_that_meets_an_error_does_not_keep_the_others(caplog):
    first, second = queue(), queue(address="ben@example.org")
    sent = []

    def break_one(email, _body):
        if email.pk == first.pk:
            raise RuntimeError("no such template")
        sent.append(email.pk)

    assert send_waiting(mail=break_one) == 2
    assert sent == [second.pk]
    assert [(row.state, row.error) for row in Email.objects.order_by("pk")] == [
        ("waiting", "RuntimeError: no such template"),
        ("sent", ""),
    ]
    assert Job.objects.get(kind="send_emails").state == "done"
    assert "Traceback" in caplog.text


def test_a_person_whose_email_cannot_be_written_does_not_keep_the_others(monkeypatch):
    ada, ben = make_person(), make_person()
    for person in (ada, ben):
        Notification.objects.create(
            person=person, code="job_failed", subject="x", about={"job": 1}, created_at=NOW, email_due_at=NOW
        )
    real = digests.queue_email

    def refuse(**given):
        if given["person"] == ada:
            raise RuntimeError("this one")
        return real(**given)

    monkeypatch.setattr(digests, "queue_email", refuse)
    with pytest.raises(RuntimeError, match="this one"):
        digests.write_due_emails(by=Person.objects.system(now=NOW), now=NOW)
    assert [email.person for email in Email.objects.all()] == [ben]
    assert Notification.objects.get(person=ada).email_due_at == NOW
