"""Signing in at the organisation's own place: with a real server beside us, as it should be and in every way wrong."""

import time

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from django.contrib.auth.hashers import is_password_usable
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from tests.factories.people import PASSWORD, make_person
from tests.factories.sign_in import make_secured
from tests.services.oidc_server import OutsideServer
from workspace.models import Event, Person
from workspace.people.actions.people import deactivate_person, system_person

pytestmark = pytest.mark.django_db


BEGIN, BACK = "/sign-in/outside/", "/sign-in/outside/back/"


@pytest.fixture
def outside(settings):
    """The other place, and our settings that name it."""
    server = OutsideServer()
    settings.OIDC_ISSUER = server.url
    known = settings.SOCIALACCOUNT_PROVIDERS["openid_connect"]
    app = known["APPS"][0] | {"settings": {"server_url": server.url}}
    settings.SOCIALACCOUNT_PROVIDERS = {"openid_connect": known | {"APPS": [app]}}
    yield server
    server.close()


@pytest.fixture
def ada(outside) -> Person:
    """Somebody with an account here, whom the other place knows."""
    person = make_person(email="ada@example.org")
    outside.claims = {"email": "Ada@Example.org", "email_verified": True}
    return person


def come_back(client, outside, **changes):
    """There and back; `changes` go to what the browser brings back."""
    there = client.get(BEGIN, {"next": "/projects/"})
    assert (there.status_code, there["Location"].startswith(f"{outside.url}/authorize?")) == (302, True)
    return client.get(BACK, outside.consent(there["Location"]) | changes)


def is_in(client) -> bool:
    return client.get(reverse("projects")).status_code == 200


def test_the_sign_in_page_and_the_dialog_offer_it(client, settings):
    page = client.get("/sign-in/?next=/projects/").content.decode()
    assert f'href="{BEGIN}?next=/projects/"' in page
    assert "Sign in with Acme" in page
    assert "in another tab" in client.get("/projects/", headers={"HX-Request": "true"}).content.decode()
    settings.OIDC_NAME = ""
    assert BEGIN not in client.get("/sign-in/").content.decode()
    assert BEGIN not in client.get("/projects/", headers={"HX-Request": "true"}).content.decode()


def test_whoever_comes_back_with_a_verified_address_is_in(client, outside, ada):
    answer = come_back(client, outside)
    assert (answer.status_code, answer["Location"]) == (302, "/projects/")
    assert client.session["_auth_user_id"] == str(ada.pk)
    assert "opens userinfo" not in str(client.session.items())
    assert "/userinfo" not in outside.asked
    ada.refresh_from_db()
    assert is_password_usable(ada.password)
    assert ada.check_password(PASSWORD)
    assert Person.objects.count() == 2  # and the system


def test_an_address_that_the_token_lacks_is_asked_for(client, outside, ada):
    outside.claims = {}
    outside.userinfo = {"sub": "17", "email": ada.email, "email_verified": True}
    assert come_back(client, outside)["Location"] == "/projects/"
    other = Client()
    outside.userinfo["sub"] = "18"
    assert come_back(other, outside).status_code == 403
    assert not is_in(other)


def test_a_second_factor_is_asked_for_here_too(client, outside, ada):
    _, app, _ = make_secured(ada)
    assert come_back(client, outside)["Location"] == reverse("second_step")
    assert not is_in(client)
    assert client.post(reverse("second_step"), {"code": app.code()})["Location"] == "/projects/"
    assert is_in(client)


@pytest.mark.parametrize("is_verified", [False, None, "false", 1])
def test_an_address_that_is_not_verified_there_opens_nothing(client, outside, ada, is_verified):
    outside.claims["email_verified"] = is_verified
    answer = come_back(client, outside)
    assert (answer.status_code, "is not verified there" in answer.content.decode()) == (403, True)
    assert not is_in(client)


def test_an_address_alone_is_not_verified(client, outside, ada):
    del outside.claims["email_verified"]
    assert come_back(client, outside).status_code == 403


def test_nobody_gets_an_account_by_it(client, outside, ada):
    outside.claims["email"] = "stranger@example.org"
    answer = come_back(client, outside)
    assert answer.status_code == 403
    assert "There is no account here for stranger@example.org that may sign in" in answer.content.decode()
    assert not Person.objects.filter(email="stranger@example.org").exists()
    assert not is_in(client)


def test_the_system_and_who_was_switched_off_do_not_get_in(client, outside, ada):
    system = system_person(now=timezone.now())
    deactivate_person(person=ada, by=system, now=timezone.now())
    for email in (ada.email, system.email):
        outside.claims["email"] = email
        answer = come_back(Client(), outside)
        assert (answer.status_code, "that may sign in" in answer.content.decode()) == (403, True)


def test_an_address_that_was_given_to_somebody_else_does_not_open_the_account(client, outside, ada):
    assert come_back(client, outside).status_code == 302
    outside.claims["sub"] = "18"
    other = Client()
    answer = come_back(other, outside)
    said = answer.content.decode()
    assert (answer.status_code, "is linked to somebody else at Acme" in said, "unlink" in said) == (
        403,
        True,
        True,
    )
    assert not is_in(other)
    outside.claims["sub"] = "17"
    assert come_back(other, outside).status_code == 302


def test_whoever_is_known_there_gets_in_whatever_their_address_is_now(client, outside, ada):
    come_back(client, outside)
    bob = make_person(email="bob@example.org")
    outside.claims = {"email": bob.email, "email_verified": False}
    later = Client()
    assert come_back(later, outside).status_code == 302
    assert later.session["_auth_user_id"] == str(ada.pk)
    deactivate_person(person=ada, by=system_person(now=timezone.now()), now=timezone.now())
    outside.claims["email_verified"] = True
    answer = come_back(Client(), outside)
    assert (answer.status_code, "that may sign in" in answer.content.decode()) == (403, True)


def test_an_account_is_linked_once_its_person_is_in(client, outside, ada):
    _, app, _ = make_secured(ada)
    come_back(client, outside)
    ada.refresh_from_db()
    assert ada.oidc_subject == ""
    client.post(reverse("second_step"), {"code": app.code()})
    ada.refresh_from_db()
    assert (ada.oidc_issuer, ada.oidc_subject) == (outside.url, "17")
    come_back(Client(), outside)
    assert Event.objects.filter(verb="outside_account:linked", object_id=ada.pk).count() == 1


def test_a_link_holds_for_its_issuer_alone(client, outside, ada):
    Person.objects.filter(pk=ada.pk).update(oidc_issuer="https://before.example", oidc_subject="3")
    bob = make_person(email="bob@example.org")
    Person.objects.filter(pk=bob.pk).update(oidc_issuer="https://before.example", oidc_subject="17")
    assert come_back(client, outside).status_code == 302
    assert client.session["_auth_user_id"] == str(ada.pk)
    ada.refresh_from_db()
    assert (ada.oidc_issuer, ada.oidc_subject) == (outside.url, "17")


def test_an_account_that_an_operator_unlinked_is_linked_anew(client, outside, ada):
    come_back(client, outside)
    outside.claims["sub"] = "18"
    call_command("unlink_account", "Ada@example.org", "--reason", "Her account there was made again")
    assert come_back(Client(), outside).status_code == 302
    ada.refresh_from_db()
    assert ada.oidc_subject == "18"
    line = Event.objects.get(verb="outside_account:unlinked")
    assert (line.object_id, "made again" in line.detail) == (str(ada.pk), True)


@pytest.mark.parametrize("sub", ["", 17, "x" * 192])
def test_a_subject_that_no_provider_gives_opens_nothing(client, outside, ada, sub):
    outside.claims["sub"] = sub
    assert come_back(client, outside).status_code == 403
    assert not is_in(client)


SPOILED = {
    "a nonce of another sign-in": {"nonce": "another"},
    "no nonce": {"nonce": None},
    "another audience": {"aud": "another-site"},
    "another issuer": {"iss": "https://elsewhere.example"},
    "a time that is over": {"exp": int(time.time()) - 60},
    "no subject": {"sub": None},
}


@pytest.mark.parametrize("claims", SPOILED.values(), ids=SPOILED.keys())
def test_a_token_that_is_not_for_this_sign_in_opens_nothing(client, outside, ada, claims):
    outside.claims |= claims
    assert come_back(client, outside).status_code in (403, 503)
    assert "_auth_user_id" not in client.session


SIGNED = {
    "another key": {"signs_with": rsa.generate_private_key(public_exponent=65537, key_size=2048)},
    "a shared key": {"signs_with": "x" * 32, "algorithm": "HS256"},
    "nobody": {"signs_with": None, "algorithm": "none"},
    "an unknown key": {"header": {"kid": "two"}},
    "a key without a name": {"header": {}},
}


@pytest.mark.parametrize("signed", SIGNED.values(), ids=SIGNED.keys())
def test_a_token_signed_by_anything_else_opens_nothing(client, outside, ada, signed):
    for name, value in signed.items():
        setattr(outside, name, value)
    assert come_back(client, outside).status_code in (403, 503)
    assert "_auth_user_id" not in client.session


@pytest.mark.parametrize("changes", [{"state": "another"}, {"state": ""}, {"code": "another"}, {"code": ""}])
def test_a_state_or_code_that_is_not_this_browsers_opens_nothing(client, outside, ada, changes):
    answer = come_back(client, outside, **changes)
    assert answer.status_code == 403
    assert "Signing in with Acme did not work" in answer.content.decode()
    assert not is_in(client)


def test_a_way_back_opens_once_and_in_one_browser(client, outside, ada):
    there = client.get(BEGIN)
    back = outside.consent(there["Location"])
    assert Client().get(BACK, back).status_code == 403
    assert client.get(BACK, back).status_code == 302
    client.logout()
    assert client.get(BACK, back).status_code == 403


def test_a_refusal_there_is_told(client, outside, ada):
    state = outside.consent(client.get(BEGIN)["Location"])["state"]
    answer = client.get(BACK, {"error": "access_denied", "state": state})
    assert (answer.status_code, "did not work" in answer.content.decode()) == (403, True)


@pytest.mark.parametrize(
    "description",
    [
        {"issuer": "https://elsewhere.example"},
        {"issuer": None},
        {"authorization_endpoint": None},
        {"jwks_uri": 7},
    ],
)
def test_a_place_that_describes_itself_wrongly_is_not_trusted(client, outside, ada, description):
    outside.description = description
    there = client.get(BEGIN)
    if there.status_code == 302 and there["Location"].startswith(outside.url):
        there = client.get(BACK, outside.consent(there["Location"]))
    assert there.status_code in (403, 503)
    assert "_auth_user_id" not in client.session


def test_a_place_that_does_not_answer_is_told(client):
    answer = client.get(BEGIN)
    assert (answer.status_code, "does not answer as it should" in answer.content.decode()) == (503, True)


def test_it_is_asked_for_at_most_twenty_times_a_minute(client):
    assert [client.get(BEGIN).status_code for _ in range(21)] == [503] * 20 + [429]


@pytest.mark.parametrize("hostile", ["//evil.example", "https://evil.example/", "/\\evil.example"])
def test_the_way_on_stays_on_this_site(client, outside, ada, hostile):
    there = client.get(BEGIN, {"next": hostile})
    answer = client.get(BACK, outside.consent(there["Location"]))
    assert answer["Location"] == reverse("home")
