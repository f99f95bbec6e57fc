"""A form that is refused for its origin or its cookie: the sentence says so, and what an admin does."""

import html

import pytest
from django.test import Client

from evalsite.logs import without_alarm

pytestmark = pytest.mark.django_db

TOKEN = "t" * 32
OLD = "This page is older than your sign-in"


def post(*, cookie=True, htmx=False, secure=True, **headers):
    """What is said to who posts the sign-in with these headers."""
    browser = Client(enforce_csrf_checks=True)
    if cookie:
        browser.cookies["csrftoken"] = TOKEN
    headers |= {"HX-Request": "true"} if htmx else {}
    fields = {"csrfmiddlewaretoken": TOKEN, "login": "ada@example.org", "password": "a-secret"}
    answer = browser.post("/sign-in/", fields, secure=secure, headers=headers)
    return answer.status_code, html.unescape(answer.content.decode())


@pytest.mark.parametrize("htmx", [False, True])
@pytest.mark.parametrize(
    ("header", "value", "named"),
    [
        ("Origin", "https://testserver:8443", "https://testserver:8443"),
        ("Origin", "http://testserver", "http://testserver"),
        ("Origin", "https://other.example.org", "https://other.example.org"),
        ("Origin", "null", "an unknown page"),
        ("Referer", "https://testserver:8443/sign-in/", "https://testserver:8443"),
        ("Referer", "http://testserver/sign-in/", "http://testserver"),
    ],
)
def test_another_origin_is_named_with_what_an_admin_does(header, value, named, htmx):
    status, said = post(htmx=htmx, **{header: value})
    assert status == 403
    assert f"came from {named}, but this site takes its address to be https://testserver." in said
    assert "CSRF_TRUSTED_ORIGINS" in said and "as the browser sent it" in said
    assert OLD not in said and "The form has expired" not in said
    assert "Send it again" not in said
    assert ("ada@example.org" in said) is not htmx
    assert "a-secret" not in said


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"cookie": False, "Origin": "https://testserver"}, "no cookie of this site"),
        ({}, "does not say from which page"),
        ({"Referer": "nowhere"}, "does not say from which page"),
    ],
)
def test_a_browser_that_keeps_back_cookie_or_referrer_is_told_that(given, words):
    status, said = post(**given)
    assert (status, words in said, OLD in said) == (403, True, False)


def test_an_old_form_is_still_called_old():
    browser = Client(enforce_csrf_checks=True)
    browser.cookies["csrftoken"] = "u" * 32
    answer = browser.post("/sign-in/", {"csrfmiddlewaretoken": TOKEN, "login": "ada@example.org"})
    said = html.unescape(answer.content.decode())
    assert (answer.status_code, OLD in said, "The form has expired" in said) == (403, True, True)


@pytest.mark.parametrize("name", ["DisallowedHost", "TooManyFieldsSent"])
def test_what_anybody_can_send_is_no_error_of_the_log(name):
    entry = {"logger": f"django.security.{name}", "level": "error", "exc_info": True, "event": "x"}
    assert without_alarm(None, "error", entry) == {
        "logger": f"django.security.{name}",
        "level": "warning",
        "event": "x",
    }
    ours = {"logger": "django.request", "level": "error", "exc_info": True}
    assert without_alarm(None, "error", dict(ours)) == ours


def test_pieces_without_a_length_are_not_taken_for_an_empty_form():
    browser = Client(enforce_csrf_checks=True)
    answer = browser.post("/sign-in/", b"", content_type="application/x-www-form-urlencoded",
                          headers={"Transfer-Encoding": "chunked"}, CONTENT_LENGTH="")  # fmt: skip
    assert answer.status_code == 400
    assert "Send the body with its length" in answer.content.decode()
