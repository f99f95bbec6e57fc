"""The settings of e-mail: off unless configured, and nothing half configured or unencrypted gets past the start."""

import pytest
from django.core.exceptions import ImproperlyConfigured

from evalsite import environment


@pytest.mark.parametrize(("value", "port"), [("", 587), ("25", 25), ("65535", 65535)])
def test_a_port(value, port, monkeypatch):
    monkeypatch.setenv("EMAIL_PORT", value)
    assert environment.port("EMAIL_PORT", "587") == port


@pytest.mark.parametrize("value", ["0", "65536", "smtp", "-1", "25.0"])
def test_what_is_no_port_is_refused(value, monkeypatch):
    monkeypatch.setenv("EMAIL_PORT", value)
    with pytest.raises(ImproperlyConfigured, match="EMAIL_PORT is"):
        environment.port("EMAIL_PORT", "587")


@pytest.mark.parametrize("value", ["evalsite@example.org", "Evalsite <evalsite@example.org>"])
def test_a_sender(value, monkeypatch):
    monkeypatch.setenv("EMAIL_FROM", value)
    assert environment.sender("EMAIL_FROM", "mail.example.org") == value
    assert environment.sender("EMAIL_FROM", "") == ""


@pytest.mark.parametrize(
    ("value", "says"),
    [("", "EMAIL_FROM is not set"), ("evalsite", "no address"), ("a@b\nBcc: c@d", "no address")],
)
def test_what_is_no_sender_is_refused(value, says, monkeypatch):
    monkeypatch.setenv("EMAIL_FROM", value)
    with pytest.raises(ImproperlyConfigured, match=says):
        environment.sender("EMAIL_FROM", "mail.example.org")


@pytest.mark.parametrize(
    ("value", "host", "is_local"),
    [
        ("starttls", "mail.example.org", False),
        ("tls", "mail.example.org", False),
        ("none", "127.0.0.1", False),
        ("none", "mail.example.org", True),
        ("none", "", False),
    ],
)
def test_how_the_way_to_the_mail_server_may_be(value, host, is_local, monkeypatch):
    monkeypatch.setenv("EMAIL_SECURITY", value)
    assert environment.mail_security("EMAIL_SECURITY", host=host, is_local=is_local) == value


@pytest.mark.parametrize(("value", "says"), [("none", "in the open"), ("ssl", "write one of")])
def test_how_it_may_not_be(value, says, monkeypatch):
    monkeypatch.setenv("EMAIL_SECURITY", value)
    with pytest.raises(ImproperlyConfigured, match=says):
        environment.mail_security("EMAIL_SECURITY", host="mail.example.org", is_local=False)
