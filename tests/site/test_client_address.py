"""Whose address a request counts under: the client's own, behind our proxies too, never one that it wrote itself."""

from ipaddress import ip_network

import pytest
from django.http import HttpResponse
from django.test import Client, RequestFactory

from evalsite.middleware import ClientAddress
from tests.factories.people import PASSWORD, make_person

PROXY, CLIENT = "10.1.0.5", "203.0.113.9"


@pytest.fixture
def behind_proxy(settings):
    settings.BEHIND_PROXY = True
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    settings.TRUSTED_PROXIES = [ip_network("10.1.0.0/16"), ip_network("127.0.0.0/8"), ip_network("::1/128")]
    return settings


def seen(peer, said="", proto=""):
    """The address and the scheme that the site sees."""
    headers = {"HTTP_X_FORWARDED_FOR": said, "HTTP_X_FORWARDED_PROTO": proto}
    given = {name: value for name, value in headers.items() if value}
    request = RequestFactory().get("/", REMOTE_ADDR=peer, **given)
    ClientAddress(lambda _request: HttpResponse())(request)
    return request.META["REMOTE_ADDR"], request.scheme


@pytest.mark.parametrize(
    ("peer", "said", "address"),
    [
        (PROXY, CLIENT, CLIENT),
        (PROXY, f"198.51.100.1, {CLIENT}", CLIENT),
        (PROXY, f"198.51.100.1, {CLIENT}, 10.1.0.9", CLIENT),
        (PROXY, f"{CLIENT}, 127.0.0.1", CLIENT),
        ("::ffff:10.1.0.5", CLIENT, CLIENT),
        (PROXY, "2001:db8::7", "2001:db8::7"),
        (PROXY, "", PROXY),
        (PROXY, "10.1.0.7", "10.1.0.7"),
        (PROXY, f"{CLIENT}, unknown", PROXY),
        (PROXY, f"{CLIENT},", PROXY),
        (PROXY, f"{CLIENT}:4711", PROXY),
        ("198.51.100.1", CLIENT, "198.51.100.1"),
        ("198.51.100.1", "10.1.0.5", "198.51.100.1"),
        ("", CLIENT, ""),
    ],
)
def test_address_is_the_last_that_is_no_proxy_of_ours(behind_proxy, peer, said, address):
    assert seen(peer, said)[0] == address


def test_scheme_counts_from_proxies_of_ours_alone(behind_proxy):
    assert seen(PROXY, CLIENT, "https")[1] == "https"
    assert seen("198.51.100.1", CLIENT, "https")[1] == "http"


def test_headers_count_for_nothing_without_a_proxy(behind_proxy):
    behind_proxy.BEHIND_PROXY = False
    assert seen("127.0.0.1", CLIENT)[0] == "127.0.0.1"


@pytest.mark.django_db
def test_failures_of_one_client_behind_a_proxy_do_not_lock_out_others(behind_proxy):
    def sign_in(email, password, said):
        return Client().post(
            "/sign-in/",
            {"login": email, "password": password},
            REMOTE_ADDR=PROXY,
            headers={"X-Forwarded-For": said},
        )

    said = [
        sign_in(f"nobody{number}@example.org", "wrong", f"192.0.2.{number}, {CLIENT}").content.decode()
        for number in range(11)
    ]
    assert ["Too many attempts" in text for text in said] == [False] * 10 + [True]
    person = make_person()
    assert sign_in(person.email, PASSWORD, "203.0.113.10").status_code == 302
