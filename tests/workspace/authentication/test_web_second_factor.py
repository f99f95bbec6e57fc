"""The second factor on the web: set up, the second step on the page and in place, limits, who must have one."""

import json
import re

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from tests.factories.people import PASSWORD, make_admin, make_lead, make_member, make_person, make_project
from tests.factories.sign_in import App, make_secured
from workspace.authentication.actions import reset_second_factor
from workspace.authentication.queries import has_second_factor
from workspace.models import Event, Membership, SignIn
from workspace.people.actions.people import change_password, deactivate_person, system_person
from workspace.people.actions.projects import change_role

pytestmark = pytest.mark.django_db


HTMX = {"HX-Request": "true"}


SET_UP, STEP = "/settings/second-factor/set-up/", "/sign-in/second-step/"


def give_password(client, person, *, password=PASSWORD, headers=None, **more):
    given = {"login": person.email, "password": password, **more}
    return client.post("/sign-in/", given, headers=headers)


def is_in(client) -> bool:
    return client.get(reverse("projects")).status_code == 200


def app_on(page) -> App:
    """An app that took the secret from the page."""
    secret = re.search(r'id="secret">([A-Z2-7 ]+)<', page.content.decode())[1]
    return App(secret.replace(" ", ""))


def test_the_set_up_from_the_picture_to_the_first_code(client):
    person = make_person()
    client.force_login(person)
    page = client.get(SET_UP + "?next=/projects/")
    app = app_on(page)
    assert page.context["address"].startswith(
        f"otpauth://totp/testserver:{person.email.replace('@', '%40')}?"
    )
    assert app.secret in page.context["address"]
    assert re.search(r'<path d="M4 4h1v1h-1z', page.content.decode())
    assert "style" not in re.search(r"<svg class=\"qr\".*?</svg>", page.content.decode())[0]
    assert app_on(client.get(SET_UP)).secret == app.secret, "a reload spoils what was scanned"
    assert app.secret not in str(client.session.items())
    wrong = client.post(SET_UP, {"code": app.wrong(), "next": "/projects/"})
    assert (wrong.status_code, has_second_factor(person)) == (422, False)
    assert "This code is not valid" in wrong.content.decode()
    done = client.post(SET_UP, {"code": app.code(), "next": "/projects/"})
    assert done.status_code == 200
    codes = done.context["codes"]
    assert f"<code>{codes[0][:4]} {codes[0][4:]}</code>" in done.content.decode()
    assert 'href="/projects/"' in done.content.decode()
    assert is_in(client)
    shown = client.get(reverse("second_factor")).content.decode()
    assert "10 left" in shown
    assert codes[0][:4] + " " + codes[0][4:] not in shown
    assert app_on(client.get(SET_UP)).secret != app.secret


def test_an_old_sign_in_proves_first_who_it_is(client):
    client.force_login(make_person())
    client.get(SET_UP)
    session = client.session
    session["began"] -= 601
    session.save()
    app = app_on(client.get(SET_UP))
    assert client.post(SET_UP, {"code": app.code()}).status_code == 422
    assert client.post(SET_UP, {"code": app.code(), "proof": "wrong"}).status_code == 422
    assert client.post(SET_UP, {"code": app.code(), "proof": PASSWORD}).status_code == 200


def test_another_device_wants_the_former_one_or_the_password(client):
    person, _, _ = make_secured()
    client.force_login(person)
    app = app_on(client.get(SET_UP))
    assert client.post(SET_UP, {"code": app.code()}).status_code == 422
    assert client.post(SET_UP, {"code": app.code(), "proof": PASSWORD}).status_code == 200


@pytest.mark.services
def test_a_password_alone_does_not_sign_in_whoever_has_an_app(client):
    person, app, _ = make_secured()
    answer = give_password(client, person, next="/projects/")
    assert (answer.status_code, answer["Location"]) == (302, STEP)
    assert not is_in(client)
    page = client.get(STEP)
    assert 'autocomplete="one-time-code"' in page.content.decode()
    assert client.post(STEP, {"code": app.wrong()}).status_code == 422
    assert not is_in(client)
    before = client.session.session_key
    code = app.code()  # the app shows another one from half minute to half minute
    done = client.post(STEP, {"code": code})
    assert (done.status_code, done["Location"]) == (302, "/projects/")
    assert is_in(client)
    assert client.session.session_key != before
    again = Client()
    give_password(again, person)
    assert again.post(STEP, {"code": code}).status_code == 422, "a code opened twice"


def test_a_recovery_code_signs_in_once(client):
    person, _, codes = make_secured()
    for status in (302, 422):
        client = Client()
        give_password(client, person)
        assert client.post(STEP, {"code": codes[0]}).status_code == status
    assert Event.objects.filter(verb="recovery_code:used").count() == 1


def test_without_the_first_step_there_is_no_second(client):
    person, app, _ = make_secured()
    give_password(client, person, password="wrong horse battery")
    answer = client.post(STEP, {"code": app.code()})
    assert (answer.status_code, answer["Location"]) == (302, "/sign-in/")
    assert client.post(STEP, {"code": app.code()}, headers=HTMX)["HX-Retarget"] == "#signin"
    assert not is_in(client)


def test_whoever_is_switched_off_between_the_steps_does_not_get_in(client):
    person, app, _ = make_secured()
    give_password(client, person)
    deactivate_person(person=person, by=system_person(now=timezone.now()), now=timezone.now())
    assert client.post(STEP, {"code": app.code()})["Location"] == "/sign-in/"
    assert "_auth_user_id" not in client.session


def test_a_second_step_does_not_survive_a_new_password(client):
    person, app, _ = make_secured()
    give_password(client, person)
    assert client.get(STEP).status_code == 200
    change_password(old=PASSWORD, new="another horse battery", by=person, now=timezone.now())
    answer = client.post(STEP, {"code": app.code()})
    assert (answer.status_code, answer["Location"]) == (302, "/sign-in/")
    assert "_auth_user_id" not in client.session


def test_codes_are_tried_five_times_whatever_the_browser(client):
    person, app, _ = make_secured()
    for _number in range(5):
        client = Client()
        give_password(client, person)
        assert client.post(STEP, {"code": app.wrong()}).status_code == 422
    client = Client()
    give_password(client, person)
    answer = client.post(STEP, {"code": app.code()})
    assert answer.status_code == 422
    assert "Too many attempts" in answer.content.decode()
    assert not is_in(client)


def test_one_can_start_over_as_somebody_else(client):
    person, _, _ = make_secured()
    other = make_person()
    give_password(client, person)
    assert "Second step" not in client.get("/sign-in/").content.decode()
    give_password(client, other)
    assert client.session["_auth_user_id"] == str(other.pk)


def test_in_place_both_steps_and_on_with_a_new_token():
    person, app, _ = make_secured()
    browser = Client(enforce_csrf_checks=True)
    dialog = browser.get(reverse("projects"), headers=HTMX)
    headers = HTMX | {"X-CSRFToken": str(dialog.context["csrf_token"])}
    step = give_password(browser, person, headers=headers)
    assert step.status_code == 200
    assert f'hx-post="{STEP}"' in step.content.decode()
    assert "<html" not in step.content.decode()
    assert "HX-Trigger" not in step
    # An act that is sent meanwhile brings the same dialog, not the first one.
    meanwhile = browser.post(reverse("settings"), {"name": "Ada"}, headers=headers)
    assert (meanwhile.status_code, meanwhile["HX-Retarget"]) == (401, "#signin")
    assert f'hx-post="{STEP}"' in meanwhile.content.decode()
    wrong = browser.post(STEP, {"code": app.wrong()}, headers=headers)
    assert (wrong.status_code, "This code is not valid" in wrong.content.decode()) == (422, True)
    done = browser.post(STEP, {"code": app.code()}, headers=headers)
    assert done.status_code == 200
    new = json.loads(done["HX-Trigger"])["signed-in"]["csrfToken"]
    given = {"name": "Ada", "time_zone": ""}
    answer = browser.post(reverse("settings"), given, headers=HTMX | {"X-CSRFToken": new})
    assert answer.status_code == 200
    person.refresh_from_db()
    assert person.name == "Ada"


def test_starting_over_in_place_shows_the_first_dialog(client):
    person, _, _ = make_secured()
    give_password(client, person, headers=HTMX)
    dialog = client.get("/sign-in/", headers=HTMX).content.decode()
    assert 'name="password"' in dialog
    assert "<html" not in dialog


@pytest.mark.services
def test_leads_and_admins_are_led_to_the_set_up_before_anything_else(client, settings):
    settings.REQUIRE_TOTP = True
    project = make_project()
    for person in (make_lead(project=project), make_admin()):
        client = Client()
        give_password(client, person, next="/projects/")
        page = client.get("/projects/")
        assert (page.status_code, page["Location"]) == (302, f"{SET_UP}?next=%2Fprojects%2F")
        act = client.post(reverse("settings"), {"name": "Typed"}, headers=HTMX)
        assert (act.status_code, act["HX-Retarget"]) == (401, "#signin")
        assert "Nothing that you entered is lost" in act.content.decode()
        plain = client.post(reverse("settings"), {"name": "Typed"}, headers={"Origin": "http://testserver"})
        assert (plain.status_code, "Typed" in plain.content.decode()) == (403, True)
        assert "Send it again" in plain.content.decode()
        on = client.get("/sign-in/", headers=HTMX)
        assert (on.status_code, "HX-Trigger" in on) == (401, False)
        person.refresh_from_db()
        assert person.name != "Typed"
        app = app_on(client.get(page["Location"]))
        assert "proof" not in client.get(SET_UP).context["form"].fields
        assert client.post(SET_UP, {"code": app.code(), "next": "/projects/"}).status_code == 200
        assert is_in(client)
        assert json.loads(client.get("/sign-in/", headers=HTMX)["HX-Trigger"])["signed-in"]["csrfToken"]
        assert client.post(reverse("account_logout")).status_code == 303


@pytest.mark.services
def test_others_are_not_asked_until_they_become_leads(client, settings):
    settings.REQUIRE_TOTP = True
    project = make_project()
    person = make_member(project=project)
    client.force_login(person)
    assert is_in(client)
    membership = Membership.objects.get(person=person)
    change_role(membership=membership, role="lead", by=system_person(now=timezone.now()), now=timezone.now())
    assert client.get(reverse("projects"))["Location"].startswith(SET_UP)
    change_role(
        membership=Membership.objects.get(person=person, ended_at=None),
        role="evaluator",
        by=system_person(now=timezone.now()),
        now=timezone.now(),
    )
    assert is_in(client)


def test_where_it_is_not_required_nobody_is_asked(client):
    client.force_login(make_admin())
    assert is_in(client)


@pytest.mark.parametrize("is_required", [False, True])
def test_a_request_of_somebody_signed_in_takes_two_queries(
    client, settings, django_assert_num_queries, is_required
):
    settings.REQUIRE_TOTP = is_required
    person, _, _ = make_secured(make_lead(project=make_project()))
    client.force_login(person)
    client.get(reverse("account_change_password"))
    with django_assert_num_queries(2):  # the session and the person
        assert client.get(reverse("account_change_password")).status_code == 200


def test_a_reset_sends_the_person_through_the_set_up_again(client, settings):
    settings.REQUIRE_TOTP = True
    person, _, _ = make_secured(make_admin())
    client.force_login(person)
    assert is_in(client)
    reset_second_factor(
        person=person, reason="Phone lost", by=system_person(now=timezone.now()), now=timezone.now()
    )
    assert client.get(reverse("projects"))["Location"].startswith("/sign-in/")
    assert give_password(client, person)["Location"] == "/"
    assert client.get(reverse("projects"))["Location"].startswith(SET_UP)


def test_an_admin_resets_on_the_page_of_people(client):
    admin, (person, _, _) = make_admin(), make_secured()
    client.force_login(admin)
    address = reverse("reset_second_factor", args=[person.pk])
    assert address in client.get(reverse("people")).content.decode()
    assert person.email in client.get(address).content.decode()
    assert client.post(address, {"reason": " "}).status_code == 422
    assert client.post(address, {"reason": "Phone lost"})["Location"] == reverse("people")
    assert not has_second_factor(person)
    assert "nothing to reset" in client.get(address).content.decode()


def test_new_codes_and_switching_off_want_proof(client):
    person, app, former = make_secured()
    client.force_login(person)
    renew, off = reverse("renew_recovery_codes"), reverse("switch_off_second_factor")
    for address in (renew, off):
        assert client.post(address, {"proof": "wrong"}).status_code == 422
    codes = client.post(renew, {"proof": PASSWORD}).context["codes"]
    assert not set(codes) & set(former)
    assert client.post(off, {"proof": app.code()}).status_code == 303
    assert not has_second_factor(person)


def test_settings_say_where_one_is_signed_in_and_end_the_others(client):
    person = make_person()
    firefox = {"User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"}
    give_password(client, person, headers=firefox)
    other = Client()
    give_password(other, person, headers={"User-Agent": "<script>alert(1)</script>"})
    assert is_in(other)
    page = client.get(reverse("settings")).content.decode()
    assert page.index("Firefox, Linux") < page.index("this one") < page.index("Unknown browser")
    assert "<script>alert" not in page
    assert client.post(reverse("end_other_sign_ins")).status_code == 303
    assert (is_in(client), is_in(other)) == (True, False)
    assert SignIn.objects.of(person).count() == 1
    assert "You are signed in nowhere else" in client.get(reverse("settings")).content.decode()


def test_switching_an_account_off_ends_every_sign_in_with_the_next_request(client):
    person, page, act, fresh = make_person(), Client(), Client(), Client()
    for browser in (page, act, fresh):
        browser.force_login(person)
    assert is_in(page)
    assert is_in(act)
    client.force_login(make_admin())
    assert client.post(reverse("switch_off", args=[person.pk])).status_code == 303
    assert page.get(reverse("projects"))["Location"].startswith("/sign-in/")
    answer = act.post(reverse("settings"), {"name": "Late"}, headers=HTMX)
    assert (answer.status_code, answer["HX-Retarget"]) == (401, "#signin")
    assert fresh.post(reverse("settings"), {"name": "Late"}).status_code == 401
    person.refresh_from_db()
    assert person.name != "Late"
    assert not SignIn.objects.of(person).exists()
    assert give_password(page, person).status_code == 422
