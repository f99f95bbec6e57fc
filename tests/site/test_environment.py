"""Values of the environment that cannot be meant are refused by a sentence that names the variable."""

import subprocess
import sys

import pytest
from django.core.exceptions import ImproperlyConfigured

from evalsite import environment
from tests.guards.layout import ROOT


def level(name):
    return environment.log_level(name, "INFO")


def zone(name):
    return environment.time_zone(name, "UTC")


REFUSED = {
    "ALLOWED_HOSTS": (environment.hosts, ",", "https://evalsite.example.org", "a b", "x/y", "a..b"),
    "CSRF_TRUSTED_ORIGINS": (
        *(environment.origins, ",", "evalsite.example.org", "https://", "https://x/y", "ftp://x"),
        *("https://x:99999", "https://x/"),
    ),
    "REDIS_URL": (environment.broker, "localhost", "redis://", "http://x", "redis://x:99999", "redis://x:0"),
    "DATABASE_URL": (
        *(environment.database, "nonsense", "postgres://host", "postgres://host/", "mysql://h/d"),
        *("postgres://h:99999/d", "sqlite:///"),
    ),
    "EMAIL_HOST": (environment.host, "smtp://mail.example.org", "mail.example.org:25", "a b"),
    "REVIEW_MODELS": (environment.words, ",", " , ,"),
    "TRUSTED_PROXIES": (environment.networks, ",", "10.0.0.0/99", "proxy"),
    "LOG_LEVEL": (level, "LOUD", "10"),
    "TIME_ZONE": (zone, "Mars/Base", "../etc/passwd", "+01:00"),
}
TAKEN = {
    "ALLOWED_HOSTS": (environment.hosts, "a.example.org, .b.org", "localhost,[::1]", "2001:db8::1"),
    "CSRF_TRUSTED_ORIGINS": (
        environment.origins,
        "",
        "https://a.example.org, http://b:8000",
        "https://*.b.org",
    ),
    "REDIS_URL": (environment.broker, "redis://:pw@127.0.0.1:6379/0", "rediss://r", "unix:///run/redis.sock"),
    "DATABASE_URL": (
        *(environment.database, "postgres://u:p@h:5432/d", "postgres:///d", "postgresql://%2Frun%2Fpg/d"),
        "sqlite:////var/my data/e.sqlite3",
    ),
    "EMAIL_HOST": (environment.host, "", "mail.example.org", "127.0.0.1", "mail_server", "::1"),
    "LOG_LEVEL": (level, "", "debug", "ERROR"),
    "TIME_ZONE": (zone, "", "Europe/Vienna"),
}


def list_cases(rows):
    return [(name, read, value) for name, (read, *values) in rows.items() for value in values]


@pytest.mark.parametrize(("name", "read", "value"), list_cases(REFUSED))
def test_what_cannot_be_meant_is_refused(name, read, value, monkeypatch):
    monkeypatch.setenv(name, value)
    with pytest.raises(ImproperlyConfigured, match=rf"{name} .*\.$"):
        read(name)


@pytest.mark.parametrize(("name", "read", "value"), list_cases(TAKEN))
def test_what_can_be_meant_is_taken(name, read, value, monkeypatch):
    monkeypatch.setenv(name, value)
    read(name)


@pytest.mark.parametrize(
    ("demo", "expected"), [("true", "True ['127.0.0.0/8', '::1/128']"), ("false", "False []")]
)
def test_only_the_demo_lets_webhooks_call_this_machine(demo, expected, tmp_path):
    says = (
        "from evalsite import settings as s; print(s.WEBHOOK_HTTP, [str(one) for one in s.WEBHOOK_NETWORKS])"
    )
    secrets = {"SECRET_KEY": "s" * 60, "AUDIT_KEY": "a" * 60}
    given = {
        "EVALSITE_MODE": "local",
        "DEMO": demo,
        "VAR_DIR": str(tmp_path),
        "WEBHOOK_HTTP": "",
        "WEBHOOK_NETWORKS": "",
    }
    done = subprocess.run(
        [sys.executable, "-c", says],
        env=given | secrets,
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == expected
