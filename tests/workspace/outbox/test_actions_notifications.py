"""Notifications stand or fall with the act, reach who may see their thing, and follow what people chose."""

from datetime import timedelta
from types import SimpleNamespace

import pytest
from django.core import mail
from django.db import transaction

from tests.factories.jobs import make_failed_job
from tests.factories.outbox import SITE, configure_email, send_waiting
from tests.factories.people import NOW, make_admin, make_lead, make_member, make_project, moment
from workspace.core.refusals import Unacceptable
from workspace.jobs.actions import enqueue, fail, retry_job, take_job
from workspace.models import Membership, Notification, NotificationSettings, Person
from workspace.outbox.actions.changes import change_notifications, mark_all_read, mark_read
from workspace.outbox.actions.queue import notify, take_back, tell_failed_job
from workspace.outbox.actions.send import forget_old
from workspace.outbox.core import KINDS
from workspace.outbox.queries import count_unread_lines, notifications_page
from workspace.people.actions.projects import end_membership

pytestmark = [pytest.mark.django_db, pytest.mark.services(is_long=True)]


@pytest.fixture
def project():
    return make_project(slug="ours", name="Ours")


@pytest.fixture
def ann(project):
    return make_member(project=project)


def tell(project, *people, code="game_assigned", game=7, now=NOW, **given):
    by = Person.objects.system(now=now)
    keys = [person.pk for person in people]
    with transaction.atomic():
        return notify(
            people=keys,
            code=code,
            subject=f"game:{game}",
            project=project,
            by=by,
            now=now,
            **{"about": {"game": game}} | given,
        )


def listed(person):
    return [line.says for line in notifications_page(person=person)[0]]


def test_it_is_listed_newest_first_and_unread_until_it_is_read(project, ann):
    tell(project, ann, game=7)
    tell(project, ann, game=8)
    assert listed(ann) == ["Game 8 is assigned to you.", "Game 7 is assigned to you."]
    newer, older = Notification.objects.order_by("-pk")
    assert mark_all_read(until=older.pk, by=ann, now=NOW) == 1
    assert count_unread_lines(ann) == 1
    assert mark_read(notifications=[newer.pk], by=make_member(project=project), now=NOW) == 0
    assert mark_read(notifications=[newer.pk], by=ann, now=NOW) == 1
    assert notifications_page(person=ann, unread=True)[0] == []


def test_nobody_is_told_twice_while_the_first_is_unread(project, ann):
    assert (tell(project, ann), tell(project, ann)) == (1, 0)
    mark_read(notifications=Notification.objects.values_list("pk", flat=True), by=ann, now=NOW)
    assert tell(project, ann) == 1


def test_an_act_that_is_rolled_back_tells_nobody(project, ann):
    with transaction.atomic():
        tell(project, ann)
        transaction.set_rollback(True)
    assert listed(ann) == []


@pytest.mark.django_db(transaction=True)
def test_it_wants_a_transaction(project, ann):
    with pytest.raises(RuntimeError, match="outside of a transaction"):
        notify(people=[ann.pk], code="tie", subject="", about={}, project=project, by=ann, now=NOW)


def test_who_left_the_project_or_leads_it_no_more_sees_nothing_of_it(project, ann, settings):
    configure_email(settings)
    lead, admin = make_lead(project=project), make_admin()
    tell(project, ann, lead, admin)
    tell(project, ann, lead, admin, code="flag_opened", for_leads=True)
    assert [len(listed(person)) for person in (ann, lead, admin)] == [1, 2, 2]
    Membership.objects.filter(person=lead).update(role="evaluator")
    end_membership(membership=ann.memberships.get(), by=admin, now=NOW)
    assert [len(listed(person)) for person in (ann, lead, admin)] == [0, 1, 2]
    send_waiting()
    assert sorted(sent.to[0] for sent in mail.outbox) == sorted([lead.email, admin.email])


def test_programs_and_deactivated_people_are_not_told(project, ann):
    Person.objects.filter(pk=ann.pk).update(is_active=False)
    assert tell(project, ann) == 0


def test_what_is_not_so_any_more_is_taken_back(project, ann):
    other = make_member(project=project)
    tell(project, ann, other)
    take_back(SimpleNamespace(chain=SimpleNamespace(project=project)), "game:7", person=ann.pk)
    assert (listed(ann), len(listed(other))) == ([], 1)


def test_old_ones_are_forgotten(project, ann):
    tell(project, ann)
    assert forget_old(by=ann, now=NOW + timedelta(days=89)) == 0
    assert forget_old(by=ann, now=NOW + timedelta(days=90)) == 1


# ---------------------------------------------------------------- e-mail


def test_one_email_gathers_what_is_due_and_names_no_secret(project, ann, settings):
    configure_email(settings)
    tell(project, ann, game=7)
    send_waiting()
    (first,) = mail.outbox
    assert first.to == [ann.email]
    assert first.subject == "evalsite: Game 7 is assigned to you."
    assert f"{SITE}/notifications/{Notification.objects.get().pk}/" in first.body
    assert f"{SITE}/settings/notifications/" in first.body
    # The next ones wait until ten minutes are over, and come together.
    tell(project, ann, game=8, now=moment(1))
    tell(project, ann, game=9, now=moment(2))
    assert send_waiting(now=moment(3)) == 0
    send_waiting(now=moment(11))
    assert [sent.subject for sent in mail.outbox[1:]] == ["evalsite: 2 notifications"]


def test_a_burst_is_one_line_of_an_email(project, ann, settings):
    configure_email(settings)
    for game in range(50):
        tell(project, ann, game=game)
    send_waiting()
    (sent,) = mail.outbox
    assert sent.subject == "evalsite: 50 games are assigned to you."
    assert sent.body.count("\n* ") + sent.body.startswith("* ") == 1
    assert f"/notifications/{Notification.objects.latest('pk').pk}/" in sent.body
    assert "more" not in sent.body


def test_what_was_read_in_the_app_is_not_sent(project, ann, settings):
    configure_email(settings)
    tell(project, ann)
    mark_all_read(until=10**6, by=ann, now=NOW)
    assert (send_waiting(), mail.outbox) == (0, [])


def test_without_a_mail_server_nothing_waits_to_be_sent(project, ann):
    tell(project, ann)
    assert Notification.objects.get().email_due_at is None


def choose(person, shown=KINDS, mailed=KINDS, digest="at_once", offered=KINDS):
    return change_notifications(
        offered=offered, shown=shown, mailed=mailed, digest=digest, by=person, now=NOW
    )


def test_people_choose_what_is_shown_and_sent(project, ann, settings):
    configure_email(settings)
    choose(ann, shown=["returned"], mailed=["assigned"])
    ann = Person.objects.get(pk=ann.pk)
    tell(project, ann)
    assert (listed(ann), send_waiting()) == ([], 1)
    choose(ann, shown=["assigned"], mailed=[])
    tell(project, ann, game=8)
    assert (len(listed(ann)), send_waiting(now=moment(60))) == (1, 0)
    choose(ann, shown=[], mailed=[])
    assert tell(project, ann, game=9) == 0


def test_a_daily_digest_comes_in_the_morning(project, ann, settings):
    configure_email(settings)
    choose(ann, digest="daily")
    for game in (7, 8):
        tell(project, ann, game=game)
    assert send_waiting(now=NOW + timedelta(hours=21)) == 0
    assert send_waiting(now=NOW + timedelta(hours=22)) == 1
    assert mail.outbox[0].subject == "evalsite: 2 notifications"


def test_what_waits_follows_a_new_choice(project, ann, settings):
    configure_email(settings)
    tell(project, ann)
    choose(ann, digest="off")
    assert send_waiting(now=NOW + timedelta(days=2)) == 0


def test_kinds_that_were_not_offered_stay_as_they_are(ann):
    choose(ann, shown=["assigned"], offered=["assigned", "returned"])
    assert NotificationSettings.objects.get().hidden == "returned"
    choose(ann, shown=["assigned", "returned"], mailed=None, offered=["assigned", "returned"])
    assert NotificationSettings.objects.get().hidden == ""
    with pytest.raises(Unacceptable, match="how often"):
        choose(ann, digest="hourly")
    with pytest.raises(Unacceptable, match="kinds of this page"):
        choose(ann, shown=["all"])


# ---------------------------------------------------------------- failed jobs


def failed(*, kind, by, project, subject="thing:1", now=NOW):
    with transaction.atomic():
        job = enqueue(project=project, kind=kind, subject=subject, input_hash="", by=by, now=now)
    held = take_job(job=job.pk, now=now)
    fail(job=held, code="broken", reason="The disk holds SECRET.", now=now)
    return held


def test_a_failed_job_is_told_to_whom_it_concerns(project, ann):
    lead, admin, system = make_lead(project=project), make_admin(), Person.objects.system(now=NOW)
    failed(kind="export", by=ann, project=project)
    failed(kind="import", by=lead, project=project, subject="transcript:12")
    job = failed(kind="measure", by=system, project=project)
    failed(kind="preview_games", by=lead, project=None)
    assert listed(ann) == ["An export failed."]
    assert listed(lead) == [
        f"Work in the background failed (job {job.pk}).",
        "The import of a file failed.",
    ]
    assert [line.notification.code for line in notifications_page(person=admin)[0]] == ["site_job_failed"]


def test_a_job_that_was_given_up_is_told_of(project, ann):
    with transaction.atomic():
        job = enqueue(project=project, kind="export", subject="e", input_hash="", by=ann, now=NOW)
    for minute in range(1, 5):
        take_job(job=job.pk, now=moment(minute))
    assert listed(ann) == ["An export failed."]


def test_reading_all_in_the_app_keeps_the_emails_of_what_the_app_does_not_show(settings, project, ann):
    configure_email(settings)
    choose(ann, shown=(), digest="daily")
    tell(project, ann)
    assert mark_all_read(until=Notification.objects.get().pk, by=ann, now=NOW) == 0
    assert send_waiting(now=NOW + timedelta(days=1)) == 1


def test_what_comes_by_email_alone_is_told_again_once_it_was_sent(settings, project, ann):
    configure_email(settings)
    choose(ann, shown=())
    assert (tell(project, ann), tell(project, ann)) == (1, 0)
    send_waiting()
    assert tell(project, ann, now=NOW + timedelta(hours=1)) == 1
    assert send_waiting(now=NOW + timedelta(hours=1)) == 1
    assert len(mail.outbox) == 2


def test_a_failed_job_is_read_when_it_is_started_again(project):
    lead, other = make_lead(project=project), make_lead(project=project)
    job = make_failed_job(project=project, by=lead)
    with transaction.atomic():
        tell_failed_job(job=job, now=NOW)
    assert len(listed(lead)) == len(listed(other)) == 1
    retry_job(job=job, by=other, now=NOW)
    assert not Notification.objects.filter(read_at=None).exists()
