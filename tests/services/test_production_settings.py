"""The start in production: refuses with a sentence that names the variable, and passes Django's own checks."""

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator

import pytest

from tests.guards.layout import ROOT
from tests.services.commands import Commands
from tools.processes import PATIENCE

GOOD = {
    "DJANGO_SETTINGS_MODULE": "evalsite.settings",
    "EVALSITE_MODE": "production",
    "SECRET_KEY": "Kq7-zR2_vLx9mTn4wYp8sBd3hFj6gCe1aUi5oXr0QkMlPzNyGb5vTs7w",
    "AUDIT_KEY": "w8Tq3-nVx7_Lm2Rk9sPd4zHf6jYb1cGe5aUo0iXt",
    "ALLOWED_HOSTS": "evalsite.example.org",
    "DATABASE_URL": "postgres://evalsite@127.0.0.1:1/evalsite",
    "REDIS_URL": "redis://127.0.0.1:1/0",
    "DEMO": "false",
    "DEBUG": "false",
    "BEHIND_PROXY": "false",
    "CSRF_TRUSTED_ORIGINS": "",
    "LOG_LEVEL": "INFO",
    "REQUIRE_TOTP": "",
    "OIDC_ISSUER": "",
}
ENVIRONMENT = {"PATH": os.environ["PATH"], "VAR_DIR": os.environ["VAR_DIR"]} | GOOD
OUTSIDE = {"OIDC_NAME": "Acme", "OIDC_CLIENT_ID": "evalsite", "OIDC_CLIENT_SECRET": "a-secret-of-theirs"}


@pytest.fixture(scope="session")
def in_production() -> Iterator[Commands]:
    """Runs what it is given in processes with the environment of production, in which nothing of the site is loaded."""
    commands = Commands(ENVIRONMENT, loads="libraries")
    yield commands
    commands.stop()


REFUSED: list[tuple[dict[str, str], str]] = [
    ({"SECRET_KEY": ""}, "SECRET_KEY is not set. It signs sessions"),
    ({"SECRET_KEY": "short"}, "SECRET_KEY has 5 characters; it needs at least 50"),
    ({"AUDIT_KEY": ""}, "AUDIT_KEY is not set. It seals the audit log"),
    ({"ALLOWED_HOSTS": ""}, "ALLOWED_HOSTS is not set. Name the hosts"),
    ({"ALLOWED_HOSTS": "*"}, 'ALLOWED_HOSTS holds "*"'),
    ({"DATABASE_URL": ""}, "DATABASE_URL is not set. In production name the database"),
    ({"REDIS_URL": ""}, "REDIS_URL is not set. In production name the broker"),
    ({"DEMO": "true"}, "EVALSITE_MODE=local allows. Take DEMO away, or let `make setup` write"),
    ({"DEBUG": "true"}, "DEBUG is true, which only EVALSITE_MODE=local allows"),
    ({"DEBUG": "1"}, 'DEBUG is "1"; write true or false'),
    ({"EVALSITE_MODE": "staging"}, "write one of: production, local"),
    ({"REQUIRE_TOTP": "yes"}, 'REQUIRE_TOTP is "yes"; write true or false'),
    (OUTSIDE | {"OIDC_ISSUER": "http://id.example.org"}, "OIDC_ISSUER begins with http://"),
    (OUTSIDE | {"OIDC_ISSUER": "id.example.org"}, "OIDC_ISSUER is no address to call"),
    ({"OIDC_ISSUER": "https://id.example.org"}, "OIDC_NAME is not set. OIDC_ISSUER is set: say how"),
    (
        OUTSIDE | {"OIDC_ISSUER": "https://id.example.org", "OIDC_CLIENT_SECRET": ""},
        "OIDC_CLIENT_SECRET is not set. OIDC_ISSUER is set: give the secret",
    ),
]


def test_no_start_is_refused_in_the_environment_of_production(in_production):
    assert in_production.run("-c", "import evalsite.settings") == (0, "", "")


@pytest.mark.parametrize(("changes", "says"), REFUSED)
def test_the_start_refuses_and_says_which_variable_and_why(in_production, changes, says):
    done = in_production.run("-c", "import evalsite.settings", **changes)
    assert done.returncode == 1
    assert says in done.stderr.splitlines()[-1]


STARTS = {
    "a command": ("manage.py", "verify"),
    "the preparation": ("-m", "tools.prepare"),
    "the worker": ("-m", "celery", "-A", "evalsite", "worker"),
    "the web server": ("-c", "import evalsite.wsgi"),
}
# By `make faults` alone.
OTHERS = ("the preparation", "the worker")


@pytest.mark.parametrize(
    "start",
    ["a command", "the web server", *(pytest.param(start, marks=pytest.mark.long) for start in OTHERS)],
)
def test_a_bad_weight_stops_every_start_with_its_sentence_alone(start):
    env = ENVIRONMENT | {"LLM_COUNCIL_WEIGHT_CLARITY": "0.19"}
    command = [sys.executable, *STARTS[start]]
    done = subprocess.run(
        command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert (done.returncode, done.stdout) == (1, "")
    (said,) = done.stderr.splitlines()
    said = said.replace("\N{NO-BREAK SPACE}", " ")
    assert said.startswith("LLM_COUNCIL_WEIGHT_* give no weights. The weights sum to 99 %, 1 % too little")


def test_djangos_checks_for_deployment_are_clean_with_sign_in_elsewhere_too(in_production):
    """Without it they are part of `make check`."""
    done = in_production.run(
        "check", "--deploy", "--fail-level", "WARNING", **OUTSIDE, OIDC_ISSUER="https://id.example.org"
    )
    assert done.returncode == 0, done.stderr


def test_leads_and_admins_need_a_second_factor_in_production_unless_it_is_said(in_production):
    code = "import evalsite.settings as s; print(s.REQUIRE_TOTP)"
    said = [{}, {"REQUIRE_TOTP": "false"}, {"EVALSITE_MODE": "local"}]
    assert [in_production.run("-c", code, **changes).stdout.strip() for changes in said] == [
        "True",
        "False",
        "False",
    ]


def test_signing_in_outside_is_loaded_only_where_it_is_configured(in_production):
    code = (
        "import django, json, sys; django.setup(); from django.conf import settings;"
        "from django.urls import get_resolver; get_resolver().url_patterns;"
        "names = ('requests', 'jwt', 'cryptography', 'segno', 'fido2', 'allauth.socialaccount.models', "
        "'prometheus_client');"
        "print(json.dumps([bool(settings.OIDC_NAME), 'openid_connect_login' in get_resolver().reverse_dict,"
        "[name for name in names if name in sys.modules]]))"
    )
    assert json.loads(in_production.run("-c", code, **OUTSIDE).stdout) == [False, False, []]
    with_it = json.loads(
        in_production.run("-c", code, **OUTSIDE, OIDC_ISSUER="https://id.example.org").stdout
    )
    assert with_it[:2] == [True, True]
    assert "requests" in with_it[2]


def test_production_cookies_are_bound_to_the_host_and_https(in_production):
    code = (
        "import json, evalsite.settings as s; print(json.dumps([s.SESSION_COOKIE_NAME, s.CSRF_COOKIE_NAME, "
        "s.SESSION_COOKIE_SECURE, s.CSRF_COOKIE_SECURE, s.SESSION_COOKIE_SAMESITE, s.SESSION_COOKIE_HTTPONLY, "
        "getattr(s, 'SESSION_COOKIE_DOMAIN', None), s.SECURE_SSL_REDIRECT, s.SECURE_HSTS_SECONDS, s.DEBUG, "
        "getattr(s, 'USE_X_FORWARDED_HOST', False), getattr(s, 'SECURE_PROXY_SSL_HEADER', None)]))"
    )
    expected = [
        "__Host-sessionid",
        "__Host-csrftoken",
        True,
        True,
        "Lax",
        True,
        None,
        True,
        31536000,
        False,
        False,
        None,
    ]
    assert json.loads(in_production.run("-c", code).stdout) == expected
    assert json.loads(in_production.run("-c", code, BEHIND_PROXY="true").stdout)[-1] == [
        "HTTP_X_FORWARDED_PROTO",
        "https",
    ]


def test_passwords_are_stored_by_a_slow_hash(in_production):
    code = (
        "import django; django.setup(); from django.contrib.auth.hashers import make_password;"
        "print(make_password('correct horse battery'))"
    )
    algorithm, rounds, _salt, _hash = in_production.run("-c", code).stdout.strip().split("$")
    assert algorithm == "pbkdf2_sha256"
    assert int(rounds) >= 600_000  # OWASP's Password Storage Cheat Sheet


def test_the_web_process_does_not_start_on_a_database_that_is_behind(in_production, tmp_path):
    done = in_production.run("-c", "import evalsite.wsgi", DATABASE_URL=f"sqlite:///{tmp_path}/empty.sqlite3")
    assert done.returncode != 0
    assert "migrations behind. Run `manage.py migrate` first" in done.stderr


def test_logs_are_json_lines_without_secrets_or_broken_lines(in_production):
    code = (
        "import django, logging; django.setup(); log = logging.getLogger('django.request');"
        "log.warning('Not Found: %s', '/invitations/c2VjcmV0LXNlY3JldA/');"
        "log.warning('Unprocessable Entity: %s', '/password/3/dihp5j-c2VjcmV0/');"
        'log.warning(\'forged\\r\\n{"level": "error"}\');'
        "import structlog; structlog.get_logger('x').info('kept', count=3);"
        "\ntry: {}['key']\nexcept KeyError: log.exception('broken')"
    )
    lines = [json.loads(line) for line in in_production.run("-c", code).stderr.splitlines()]
    assert [line["event"] for line in lines] == [
        "Not Found: /invitations/.../",
        "Unprocessable Entity: /password/3/.../",
        'forged\\x0d\\x0a{"level": "error"}',
        "kept",
        "broken",
    ]
    assert (lines[0]["level"], lines[0]["logger"], lines[3]["count"]) == ("warning", "django.request", 3)
    assert lines[0]["timestamp"].endswith("Z")
    assert "locals" not in json.dumps(lines[4])


def test_a_postgres_that_answers_nobody_is_given_up_within_seconds(in_production):
    code = (
        "import django; django.setup(); from django.db import OperationalError, connection\n"
        "try: connection.ensure_connection()\n"
        "except OperationalError: print(connection.settings_dict['OPTIONS']['connect_timeout'])"
    )
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"postgres://evalsite@127.0.0.1:{silent.getsockname()[1]}/evalsite"
        assert 2 <= int(in_production.run("-c", code, DATABASE_URL=url).stdout) <= 5


def test_the_address_of_a_database_may_say_how_long_to_wait(in_production):
    code = "from evalsite.settings import DATABASES; print(DATABASES['default']['OPTIONS'])"
    said = in_production.run(
        "-c", code, DATABASE_URL="postgres://evalsite@127.0.0.1:1/evalsite?connect_timeout=7"
    ).stdout
    assert "'connect_timeout': 7" in said
    assert "tcp_user_timeout" in said
    assert "idle_in_transaction_session_timeout=30s" in said
