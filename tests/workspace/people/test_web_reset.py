"""A new password by e-mail: who gets a link, what is told to whom, and what the link opens.

Everybody chooses the keys of the pages where they rate; what cannot work is refused in a sentence.
"""

import re

import pytest
from django.core import mail
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from evalsite.logs import without_secrets
from tests.factories.outbox import SITE, configure_email, send_waiting
from tests.factories.people import PASSWORD, make_admin, make_member, make_person, make_project
from tests.factories.sign_in import make_secured
from workspace.core.refusals import Unacceptable
from workspace.models import Email, Event, Person
from workspace.people.actions.people import change_keys, deactivate_person
from workspace.people.labels import ACTS, DEFAULTS, find_key_faults, keys_of

pytestmark = pytest.mark.django_db


FORGOTTEN = "/forgotten-password/"
NEW = "seven green parrots"


@pytest.fixture(autouse=True)
def configured(settings):
    configure_email(settings)


def ask(email, client=None):
    return (client or Client()).post(FORGOTTEN, {"email": email})


def link_for(person):
    """The path in the e-mail that the person gets."""
    ask(person.email)
    send_waiting(now=timezone.now())
    assert mail.outbox[-1].to == [person.email]
    return re.search(rf"{SITE}(/new-password/\S+)", mail.outbox[-1].body)[1]


def choose(client, path, password=NEW):
    """Open the link and send its form."""
    page = client.get(path, follow=True)
    return client.post(page.request["PATH_INFO"], {"password": password})


def signs_in(person, password) -> bool:
    client = Client()
    client.post("/sign-in/", {"login": person.email, "password": password})
    return client.get(reverse("projects")).status_code == 200


def test_a_link_sets_the_password_once_and_ends_all_sign_ins():
    person, inside, client = make_person(email="ada@example.org"), Client(), Client()
    inside.force_login(person)
    path = link_for(person)
    answer = choose(client, path)
    assert (answer.status_code, answer["Location"]) == (302, "/sign-in/?done=password")
    assert signs_in(person, NEW) and not signs_in(person, PASSWORD)
    assert inside.get(reverse("projects")).status_code == 302
    again = choose(Client(), path, "eight green parrots")
    assert "This link is closed" in again.content.decode() and not signs_in(person, "eight green parrots")
    told = Event.objects.filter(object_id=person.pk).order_by("seq")
    assert list(told.values_list("verb", flat=True))[-2:] == ["password:link_sent", "password:chosen"]
    assert told.get(verb="password:link_sent").by.is_system


def test_the_secret_leaves_the_address_and_the_host_of_a_request_counts_for_nothing():
    person, client = make_person(), Client(headers={"host": "127.0.0.1"})
    ask(person.email, client)
    send_waiting(now=timezone.now())
    assert f"{SITE}/new-password/" in mail.outbox[0].body and "127.0.0.1" not in mail.outbox[0].body
    path = re.search(rf"{SITE}(/new-password/\S+)", mail.outbox[0].body)[1]
    answer = Client().get(path)
    assert answer.status_code == 302 and path.split("/")[-2] not in answer["Location"]
    assert "no-store" in answer["Cache-Control"]


def test_the_answer_is_the_same_whoever_has_an_account():
    known, off, system = make_person(), make_person(), Person.objects.system(now=timezone.now())
    deactivate_person(person=off, by=system, now=timezone.now())
    said = set()
    for email in (known.email, off.email, system.email, "nobody@example.org"):
        client = Client()
        answer = ask(email, client)
        page = client.get(answer["Location"]).content.decode()
        said.add((answer.status_code, answer["Location"], re.sub(r'value="[^"]+"|Token": "[^"]+"', "", page)))
    assert len(said) == 1
    assert list(Email.objects.values_list("address", flat=True)) == [known.email]


def test_a_weak_password_is_refused_and_the_link_stays_open():
    person, client = make_person(), Client()
    path = link_for(person)
    answer = choose(client, path, "password")
    assert answer.status_code == 422 and "too short" in answer.content.decode()
    assert choose(client, path).status_code == 302


def test_the_second_factor_stays():
    person = make_secured(make_person(), now=timezone.now())[0]
    choose(Client(), link_for(person))
    client = Client()
    answer = client.post("/sign-in/", {"login": person.email, "password": NEW})
    assert answer["Location"] == "/sign-in/second-step/"
    assert client.get(reverse("projects")).status_code == 302


@pytest.mark.parametrize("is_old", [True, False])
def test_an_old_link_and_one_from_before_a_change_of_rights_are_closed(settings, is_old):
    person = make_person()
    path = link_for(person)
    if is_old:
        settings.PASSWORD_RESET_TIMEOUT = -1
    else:
        make_member(project=make_project(), person=person)
    assert "This link is closed" in Client().get(path).content.decode()


def test_asking_is_limited_whether_there_is_an_account_or_not():
    for email in (make_person().email, "nobody@example.org"):
        statuses = [ask(email).status_code for _try in range(4)]
        assert statuses == [302, 302, 302, 429]


def test_without_a_mail_server_the_sign_in_page_says_whom_to_ask(settings, client):
    assert "/forgotten-password/" in client.get("/sign-in/").content.decode()
    settings.EMAIL_HOST = ""
    page = client.get("/sign-in/").content.decode()
    assert "/forgotten-password/" not in page
    assert "Ask a team lead or an admin for a password link." in page
    assert [client.get(path).status_code for path in (FORGOTTEN, f"{FORGOTTEN}sent/")] == [404, 404]
    assert ask("a@example.org").status_code == 404


# ---------------------------------------------------------------- invitations


def test_an_invitation_goes_by_email_and_again(client):
    admin, project = make_admin(), make_project(slug="ours")
    client.force_login(admin)
    given = {"email": "New@example.org", "role": "evaluator", "send": "on"}
    page = client.post(reverse("add_to_project", args=["ours"]), given).content.decode()
    assert "new@example.org" in page and "/invitations/" not in page.replace("/people/invitations/", "")
    client.post(reverse("add_to_project", args=["ours"]), given)
    send_waiting(now=timezone.now())
    first, second = (re.search(rf"{SITE}(/invitations/\S+)", sent.body)[1] for sent in mail.outbox)
    assert [Client().get(path).status_code for path in (first, second)] == [404, 200]
    assert Event.objects.filter(verb="invitation:sent", chain__project=project).count() == 2


def test_an_admin_is_invited_by_email(client):
    client.force_login(make_admin())
    client.post(reverse("invite_admin"), {"email": "chief@example.org", "send": "on"})
    send_waiting(now=timezone.now())
    assert [sent.to for sent in mail.outbox] == [["chief@example.org"]]


def test_without_a_mail_server_the_link_is_shown(settings, client):
    settings.EMAIL_HOST = ""
    client.force_login(make_admin())
    page = client.post(reverse("invite_admin"), {"email": "chief@example.org", "send": "on"}).content.decode()
    assert "http://testserver/invitations/" in page and "Send by e-mail" not in page


@pytest.mark.parametrize("path", ["/new-password/6/dii68g-cef5b25c/", "/invitations/N9FjSf5pzP/"])
def test_logs_do_not_hold_what_opens_an_account(path):
    secret = path.split("/")[-2]
    said = without_secrets(None, "", {"event": f"Not Found: {path}?x=1"})["event"]
    assert secret not in said and said.startswith("Not Found: /")


def faults(**chosen):
    assert set(chosen) <= set(ACTS)
    return find_key_faults(DEFAULTS | chosen)


def test_the_defaults_can_all_be_pressed():
    assert len(DEFAULTS) == len(ACTS) > 30
    assert not faults()


@pytest.mark.parametrize(
    ("act", "key", "says"),
    [
        ("yes", "n", "“n” is used twice: also for “no, not strategic”."),
        ("next", "y", "“y” is used twice: also for “yes, strategic, acceptable”."),
        ("yes", "7", "Digits rate and name agents."),
        ("yes", "ja", "“ja” is no single character."),
        ("yes", "", "This act needs a key."),
        ("yes", "\u200b", "is no single character."),
        ("phase", "c", "“c” is used twice: also for “consistent”."),
        ("undo", "0", "“0” has another meaning in reviews."),
    ],
)
def test_a_key_that_cannot_work_is_refused(act, key, says):
    assert says in faults(**{act: key})[act]


def test_keys_of_acts_that_never_meet_may_be_the_same():
    assert DEFAULTS["half"] == DEFAULTS["honest"]
    assert not faults(consistent="a", bluff="ö", submit=";")
    assert set(faults(bluff="ö", flag="ö")) == {"bluff", "flag"}


def test_what_differs_is_stored_and_what_is_unknown_left_out():
    person = make_person()
    swapped = {"yes": "k", "last_message": "y"}
    change_keys(keys=swapped | {"no": "n"}, by=person, now=person.created_at)
    person.refresh_from_db()
    assert person.keys == swapped
    assert keys_of(person.keys) == DEFAULTS | swapped
    assert keys_of({"gone": "x"}) == DEFAULTS
    with pytest.raises(Unacceptable) as refused:
        change_keys(keys={"yes": "n"}, by=person, now=person.created_at)
    assert refused.value.field == "yes"
    assert Event.objects.latest("pk").verb == "settings:changed"


def test_the_page_shows_keys_and_faults_and_resets(client):
    person = make_person()
    client.force_login(person)
    address = reverse("own_keys")
    page = client.get(address).content.decode()
    assert page.count("<kbd>") == sum(bool(key) for key in DEFAULTS.values())
    assert f'href="{address}"' in client.get(reverse("settings")).content.decode()
    refused = client.post(address, DEFAULTS | {"yes": "N"})
    assert refused.status_code == 422
    said = refused.content.decode()
    assert "used twice: also for “no, not strategic”" in said
    assert 'aria-describedby="id_yes_error"' in said and 'id="id_yes_error"' in said
    assert client.post(address, {"yes": "K", "last_message": "Y"}).status_code == 303
    person.refresh_from_db()
    assert person.keys == {"yes": "k", "last_message": "y"}
    assert 'value="k"' in client.get(address).content.decode()
    assert client.post(address, DEFAULTS | {"yes": "k", "defaults": "on"}).status_code == 303
    person.refresh_from_db()
    assert person.keys is None
