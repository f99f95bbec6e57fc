"""Signing in and out: who gets in, what is told to whom, how long it lasts, how often it can be tried."""

import json
from datetime import timedelta

import pytest
from django.forms import PasswordInput
from django.test import Client, override_settings
from django.urls import reverse
from django.utils import timezone

from tests.factories.people import PASSWORD, make_person
from workspace.authentication.forms import CodeForm, ProofForm, SetUpForm, SignInForm
from workspace.models import Person, SignIn
from workspace.people.actions.people import change_password, deactivate_person, system_person
from workspace.people.forms import AcceptForm, PasswordForm
from workspace.people.queries import last_seen

pytestmark = pytest.mark.django_db


SIGN_IN = "/sign-in/"


def sign_in(client, email, password=PASSWORD, **more):
    return client.post(SIGN_IN, {"login": email, "password": password, **more})


def is_in(client) -> bool:
    return client.get(reverse("projects")).status_code == 200


def test_email_and_password_open_the_door_whatever_the_case(client):
    person = make_person(email="ada@example.org")
    answer = sign_in(client, "Ada@Example.ORG", next="/projects/")
    assert (answer.status_code, answer["Location"]) == (302, "/projects/")
    assert client.session["_auth_user_id"] == str(person.pk)


def test_nobody_is_told_whether_an_account_exists(client):
    known, off, system = make_person(), make_person(), system_person(now=timezone.now())
    deactivate_person(person=off, by=system, now=timezone.now())
    said = set()
    for email, password in (
        (known.email, "wrong horse battery"),
        ("nobody@example.org", PASSWORD),
        (off.email, PASSWORD),
        (system.email, PASSWORD),
    ):
        answer = Client().post(SIGN_IN, {"login": email, "password": password})
        page = answer.content.decode().replace(email, "EMAIL")
        token = answer.context["csrf_token"] if answer.context else ""
        said.add((answer.status_code, page.replace(str(token), "TOKEN")))
    assert {status for status, _ in said} == {422}
    assert len({without_tokens(page) for _, page in said}) == 1


def without_tokens(page: str) -> str:
    return "\n".join(line for line in page.splitlines() if "csrf" not in line.lower())


@pytest.mark.parametrize(
    "hostile",
    [
        "//evil.example",
        "https:evil",
        "https://evil.example/",
        "/\\evil.example",
        "/%0d%0aX:1",
        "///evil",
        "javascript:x",
        "/nowhere/",
        "/%5cevil.example",
        "\\\\evil",
        "http:///evil",
    ],
)
def test_the_way_on_stays_on_this_site(client, hostile):
    person = make_person()
    answer = sign_in(client, person.email, next=hostile)
    assert (answer.status_code, answer["Location"]) == (302, reverse("home"))
    theme = client.post(reverse("set_theme"), {"theme": "dark", "next": hostile})
    assert theme["Location"] == reverse("home")


def test_the_key_of_the_session_is_new_after_signing_in(client):
    person = make_person()
    client.session["planted"] = "by somebody else"
    client.session.save()
    planted = client.session.session_key
    client.cookies["sessionid"] = planted
    sign_in(client, person.email)
    assert client.session.session_key != planted
    other = Client()
    other.cookies["sessionid"] = planted
    assert not is_in(other)


def test_signing_out_ends_the_session_on_the_server(client):
    sign_in(client, make_person().email)
    key = client.session.session_key
    assert client.post(reverse("account_logout")).status_code == 303
    stolen = Client()
    stolen.cookies["sessionid"] = key
    assert not is_in(stolen)
    assert not SignIn.objects.filter(pk=key).exists()
    assert client.get(reverse("account_logout")).status_code == 405


def test_a_switched_off_account_is_out_with_the_next_request(client):
    person = make_person()
    client.force_login(person)
    assert is_in(client)
    Person.objects.filter(pk=person.pk).update(is_active=False)
    assert client.get(reverse("projects")).status_code == 302
    Person.objects.filter(pk=person.pk).update(is_active=True)
    client.force_login(person)
    deactivate_person(person=person, by=system_person(now=timezone.now()), now=timezone.now())
    assert not SignIn.objects.exists()


def test_a_new_password_ends_all_other_sign_ins(client):
    person = make_person()
    client.force_login(person)
    change_password(old=PASSWORD, new="seven green parrots", by=person, now=timezone.now())
    assert not is_in(client)


def test_the_one_who_changes_the_password_stays_signed_in(client):
    client.force_login(make_person())
    given = {"old": PASSWORD, "password": "seven green parrots"}
    assert client.post(reverse("account_change_password"), given).status_code == 303
    assert is_in(client)


@pytest.mark.parametrize(
    ("began", "seen", "stays"), [(0, 0, True), (0, 7, True), (0, 9, False), (8 * 24, 0, False)]
)
def test_a_sign_in_ends_unused_after_hours_and_in_any_case_after_days(client, began, seen, stays):
    client.force_login(make_person())
    assert is_in(client)
    session = client.session
    session["began"] -= began * 3600
    session["seen"] -= seen * 3600
    session.save()
    assert is_in(client) is stays
    assert is_in(client) is stays


def test_a_session_is_not_written_on_every_request(client, django_assert_num_queries):
    client.force_login(make_person())
    client.get(reverse("account_change_password"))
    with django_assert_num_queries(2):  # the session and the person
        client.get(reverse("account_change_password"))


def test_people_are_seen_when_they_were_active_to_a_minute(client):
    admin = make_person(is_admin=True)
    client.force_login(admin)
    client.get(reverse("account_change_password"))
    session = client.session
    session["seen"] -= 61
    session.save()
    client.get("/people/")
    assert timezone.now() - last_seen([admin])[admin.pk] < timedelta(seconds=30)


def is_refused(client, person, password, address):
    """Whether it is too many tries; other failures are a wrong password."""
    answer = client.post(SIGN_IN, {"login": person.email, "password": password}, REMOTE_ADDR=address)
    assert answer.status_code in (302, 422)
    return "Too many attempts" in answer.content.decode()


def test_tries_are_limited_per_account_and_address_and_spoofed_addresses_do_not_help(client):
    person = make_person()
    for number in range(5):
        answer = client.post(
            SIGN_IN,
            {"login": person.email, "password": "wrong"},
            headers={"X-Forwarded-For": f"10.0.0.{number}"},
            REMOTE_ADDR="192.0.2.1",
        )
        assert answer.status_code == 422
    assert is_refused(client, person, PASSWORD, "192.0.2.1")


def test_nobody_locks_out_an_account_that_they_know_from_one_address(client):
    person = make_person()
    for _number in range(6):
        Client().post(SIGN_IN, {"login": person.email, "password": "wrong"}, REMOTE_ADDR="192.0.2.1")
    assert not is_refused(client, person, PASSWORD, "192.0.2.2")


def test_tries_from_many_addresses_end_and_the_known_computer_gets_in(settings):
    settings.ACCOUNT_FAILURES = "10/h/key"
    person, at_home, elsewhere = make_person(), Client(), Client()
    assert not is_refused(at_home, person, PASSWORD, "198.51.100.1")
    at_home.post(reverse("account_logout"))
    said = [is_refused(Client(), person, "wrong", f"192.0.2.{number}") for number in range(12)]
    assert said == [False] * 10 + [True] * 2
    assert is_refused(elsewhere, person, PASSWORD, "198.51.100.2")
    # Whatever the address is by now, and others who fail there count for nothing.
    assert not is_refused(at_home, person, PASSWORD, "198.51.100.3")
    assert is_in(at_home)


def test_a_known_computer_tries_no_more_often_than_others():
    person, at_home = make_person(), Client()
    assert not is_refused(at_home, person, PASSWORD, "198.51.100.1")
    at_home.post(reverse("account_logout"))
    said = [is_refused(at_home, person, "wrong", f"198.51.100.{number}") for number in range(6)]
    assert said == [False] * 5 + [True]


@pytest.mark.parametrize("value", ["", "x", "a:b:c", "\x00", "e30:1:x"])
def test_a_computer_is_known_by_what_we_signed_alone(settings, value):
    settings.ACCOUNT_FAILURES = "1/h/key"
    person, client = make_person(), Client()
    client.cookies[settings.DEVICE_COOKIE_NAME] = value
    assert not is_refused(client, person, "wrong", "192.0.2.1")
    assert is_refused(client, person, PASSWORD, "192.0.2.2")


def test_a_computer_is_known_for_one_account(settings):
    settings.ACCOUNT_FAILURES = "1/h/key"
    person, other, client = make_person(), make_person(), Client()
    assert not is_refused(client, other, PASSWORD, "192.0.2.1")
    client.post(reverse("account_logout"))
    assert not is_refused(client, person, "wrong", "192.0.2.2")
    assert is_refused(client, person, PASSWORD, "192.0.2.3")


def test_tries_are_limited_per_address_whatever_a_header_says(client):
    answers = [
        client.post(
            SIGN_IN,
            {"login": f"somebody{number}@example.org", "password": "wrong"},
            headers={"X-Forwarded-For": f"10.0.0.{number}"},
        )
        for number in range(21)
    ]
    assert answers[-1].status_code == 429
    assert answers[-1]["Retry-After"] == "300"
    assert "Too many attempts" in answers[12].content.decode()


def test_there_is_no_way_to_sign_up(client):
    for path in (
        "/signup/",
        "/sign-up/",
        "/accounts/signup/",
        "/sign-in/signup/",
        "/password/reset/",
        "/admin/",
    ):
        assert client.get(path).status_code == 404


def test_htmx_is_sent_the_sign_in_dialog_and_goes_on_with_a_new_token():
    person, browser = make_person(), Client(enforce_csrf_checks=True)
    htmx = {"HX-Request": "true"}
    dialog = browser.get(reverse("projects"), headers=htmx)
    assert (dialog.status_code, dialog["HX-Retarget"], dialog["HX-Reswap"]) == (401, "#signin", "innerHTML")
    assert "<html" not in dialog.content.decode()
    token = str(dialog.context["csrf_token"])
    given = {"login": person.email, "password": "wrong"}
    again = browser.post(SIGN_IN, given, headers=htmx | {"X-CSRFToken": token})
    assert (again.status_code, "<html" in again.content.decode()) == (422, False)
    given["password"] = PASSWORD
    answer = browser.post(SIGN_IN, given, headers=htmx | {"X-CSRFToken": token})
    assert answer.status_code == 200
    new = json.loads(answer["HX-Trigger"])["signed-in"]["csrfToken"]
    settings = {"name": "Ada", "time_zone": ""}
    assert (
        browser.post(reverse("settings"), settings, headers=htmx | {"X-CSRFToken": token}).status_code == 403
    )
    assert browser.post(reverse("settings"), settings, headers=htmx | {"X-CSRFToken": new}).status_code == 200


def test_a_form_of_somebody_signed_out_keeps_what_was_typed(client):
    given = {"name": "Ada <b>", "password": "secret words here"}
    answer = client.post(reverse("settings"), given, headers={"Origin": "http://testserver"})
    page = answer.content.decode()
    assert answer.status_code == 401
    assert "Ada &lt;b&gt;" in page
    assert page.index("Sign in in another tab") < page.index(">Home<") < page.index("Send it again")
    assert page.count("button primary") == 1
    assert "secret words here" not in page


def test_every_field_for_a_secret_is_left_out_of_what_is_kept(client):
    forms = (SignInForm(), PasswordForm(), AcceptForm(), CodeForm(), SetUpForm(), ProofForm())
    is_secret = {
        name: isinstance(field.widget, PasswordInput) or name == "code"
        for form in forms
        for name, field in form.fields.items()
    }
    names = {name for name, secret in is_secret.items() if secret}
    assert names == {"password", "old", "proof", "code"}
    answer = client.post(reverse("settings"), dict.fromkeys(names, "secret words here") | {"name": "Ada"})
    assert (answer.status_code, "Ada" in answer.content.decode()) == (401, True)
    assert "secret words here" not in answer.content.decode()


@override_settings(SIGN_IN_IDLE=0)
def test_the_limits_come_from_the_settings(client):
    client.force_login(make_person())
    assert is_in(client)
    session = client.session
    session["seen"] -= 2
    session.save()
    assert not is_in(client)
