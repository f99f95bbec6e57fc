"""The table of ASVS 5.0 in docs/asvs.md is whole and true to the repository; and what no other test shows of it."""

import ast
import logging
import re
from functools import cache

import pytest
from django.test import Client
from django.urls import reverse

from tests.factories.people import PASSWORD, make_lead, make_project
from tests.guards.layout import ROOT
from workspace.models import Person

# By section, the requirements of ASVS 5.0.0 that have level 1 or 2.
REQUIREMENTS = {
    "1.1": (1, 2),
    "1.2": range(1, 10),
    "1.3": range(1, 12),
    "1.4": (1, 2, 3),
    "1.5": (1, 2),
    "2.1": (1, 2, 3),
    "2.2": (1, 2, 3),
    "2.3": (1, 2, 3, 4),
    "2.4": (1,),
    "3.2": (1, 2),
    "3.3": (1, 2, 3, 4),
    "3.4": range(1, 7),
    "3.5": range(1, 6),
    "3.7": (1, 2),
    "4.1": (1, 2, 3),
    "4.2": (1,),
    "4.3": (1, 2),
    "4.4": (1, 2, 3, 4),
    "5.1": (1,),
    "5.2": (1, 2, 3),
    "5.3": (1, 2),
    "5.4": (1, 2, 3),
    "6.1": (1, 2, 3),
    "6.2": range(1, 13),
    "6.3": (1, 2, 3, 4),
    "6.4": (1, 2, 3, 4),
    "6.5": range(1, 6),
    "6.6": (1, 2, 3),
    "6.8": (1, 2, 3, 4),
    "7.1": (1, 2, 3),
    "7.2": (1, 2, 3, 4),
    "7.3": (1, 2),
    "7.4": range(1, 6),
    "7.5": (1, 2),
    "7.6": (1, 2),
    "8.1": (1, 2),
    "8.2": (1, 2, 3),
    "8.3": (1,),
    "8.4": (1,),
    "9.1": (1, 2, 3),
    "9.2": (1, 2, 3, 4),
    "10.1": (1, 2),
    "10.2": (1, 2),
    "10.3": (1, 2, 3, 4),
    "10.4": range(1, 12),
    "10.5": range(1, 6),
    "10.6": (1, 2),
    "10.7": (1, 2, 3),
    "11.1": (1, 2),
    "11.2": (1, 2, 3),
    "11.3": (1, 2, 3),
    "11.4": (1, 2, 3, 4),
    "11.5": (1,),
    "11.6": (1,),
    "12.1": (1, 2, 3),
    "12.2": (1, 2),
    "12.3": (1, 2, 3, 4),
    "13.1": (1,),
    "13.2": range(1, 6),
    "13.3": (1, 2),
    "13.4": range(1, 6),
    "14.1": (1, 2),
    "14.2": (1, 2, 3, 4),
    "14.3": (1, 2, 3),
    "15.1": (1, 2, 3),
    "15.2": (1, 2, 3),
    "15.3": range(1, 8),
    "16.1": (1,),
    "16.2": range(1, 6),
    "16.3": (1, 2, 3, 4),
    "16.4": (1, 2, 3),
    "16.5": (1, 2, 3),
    "17.1": (1,),
    "17.2": (1, 2, 3, 4),
    "17.3": (1, 2),
}
ROW = re.compile(r"\| ([0-9., ]+) \| (.+?) \| (.+) \|")
FILE = re.compile(r"(?:[\w.-]+/)+(?:[\w.-]+)?|[\w.-]+\.(?:txt|toml|lock|example)|\.env\.example")
SECTION = re.compile("“([^”]+)” in `([^`]+)`")


def rows():
    """Numbers, what they ask, and the evidence of each row of the table."""
    text = (ROOT / "docs" / "asvs.md").read_text()
    return [
        (found[1].split(", "), found[2], found[3]) for found in map(ROW.fullmatch, text.splitlines()) if found
    ]


@cache
def list_tests(path):
    """The names of the tests in a file."""
    tree = ast.parse((ROOT / path).read_text())
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def faults_of(evidence):
    """What the evidence names that is not there, and evidence that names nothing."""
    named = re.findall("`([^`]+)`", evidence)
    faults = []
    for name in named:
        path, _colons, test = name.partition("::")
        if test and (not (ROOT / path).is_file() or test not in list_tests(path)):
            faults.append(f"{name} is no test")
        elif not test and FILE.fullmatch(path) and not (ROOT / path).exists():
            faults.append(f"{name} is not there")
    for heading, path in SECTION.findall(evidence):
        if f"## {heading}\n" not in (ROOT / path).read_text():
            faults.append(f"{path} has no section {heading}")
    is_reasoned = re.match(r"(Does not apply|Deviation): \w.{10,}", evidence)
    if not is_reasoned and not any("::" in name or FILE.fullmatch(name) for name in named):
        faults.append(f"no evidence: {evidence}")
    return faults


def test_every_requirement_of_level_1_and_2_has_one_row():
    wanted = [f"{section}.{number}" for section, numbers in REQUIREMENTS.items() for number in numbers]
    assert len(wanted) == 253
    found = [number for numbers, _asks, _evidence in rows() for number in numbers]
    assert sorted(found) == sorted(wanted)


def test_all_evidence_exists():
    faults = [fault for numbers, _asks, evidence in rows() for fault in faults_of(evidence)]
    assert not faults, "\n".join(faults)


def test_the_check_of_evidence_can_fail():
    for evidence in (
        "`tests/site/test_asvs.py::test_nothing_of_the_kind`.",
        "`tests/site/test_nowhere.py::test_all_evidence_exists`.",
        "`docs/nowhere.md`.",
        "We are careful.",
        "Deviation: no.",
        "“No such section” in `docs/security.md`.",
    ):
        assert faults_of(evidence), evidence
    assert not faults_of("`tests/site/test_asvs.py::test_all_evidence_exists` and `docs/security.md`.")


# ---------------------------------------------------------------- what no other test shows


def test_shipped_proxies_speak_tls_1_2_and_1_3_alone():
    nginx = (ROOT / "deploy" / "nginx.conf").read_text()
    assert re.findall(r"ssl_protocols (.+);", nginx) == ["TLSv1.2 TLSv1.3"]
    # Caddy speaks these two alone unless it is told otherwise.
    assert "protocols" not in (ROOT / "deploy" / "Caddyfile").read_text()


@pytest.fixture
def lead(db):
    return make_lead(project=make_project(slug="ours"))


@pytest.fixture
def visitor(client, lead):
    client.force_login(lead)
    return client


@pytest.mark.parametrize(
    ("address", "kind"),
    [
        ("/sign-in/", "text/html"),
        ("/projects/ours/", "text/html"),
        ("/nowhere/", "text/html"),
        ("/healthz", "text/plain"),
        ("/projects/ours/audit.csv", "text/csv"),
    ],
)
def test_answers_name_their_type_and_charset(visitor, address, kind):
    assert visitor.get(address)["Content-Type"].startswith(f"{kind}; charset=utf-8")


def test_answers_in_json_name_their_type(visitor):
    """Which has no charset: JSON is UTF-8 (RFC 8259)."""
    assert visitor.get("/api/v1/projects/")["Content-Type"] == "application/problem+json"
    assert visitor.get("/api/v1/openapi.json")["Content-Type"] == "application/json"
    assert visitor.get("/readyz")["Content-Type"] == "application/json"


def test_password_fields_hide_what_is_typed_and_say_which_they_are(visitor):
    for address, kinds in (
        ("/sign-in/", ["current-password"]),
        (reverse("account_change_password"), ["current-password", "new-password"]),
    ):
        page = (Client() if "sign-in" in address else visitor).get(address).content.decode()
        fields = re.findall(r'<input[^>]*type="password"[^>]*>', page)
        assert [re.search('autocomplete="([^"]+)"', field)[1] for field in fields] == kinds
        assert not any("onpaste" in field for field in fields)
        assert all(int(most) >= 64 for field in fields for most in re.findall('maxlength="([0-9]+)"', field))
        assert not re.search(r'<input(?![^>]*type="password")[^>]*name="(?:old|password)"', page)


@pytest.mark.parametrize(
    "address", ["/projects/", "/projects/ours/", "/settings/", "/projects/ours/games/", "/nowhere/"]
)
def test_every_page_of_the_signed_in_leads_to_signing_out(visitor, address):
    assert f'action="{reverse("account_logout")}"' in visitor.get(address).content.decode()


@pytest.mark.parametrize(
    "path",
    [
        "/.git/config",
        "/.git/",
        "/.env",
        "/manage.py",
        "/static/",
        "/static../manage.py",
        "/static/../.env",
        "/uploads/",
        "/var/",
    ],
)
def test_nothing_of_the_repository_is_served(visitor, path):
    answer = visitor.get(path)
    assert answer.status_code == 404
    assert "<title>" in answer.content.decode()


def test_trace_is_refused(visitor):
    for address in ("/sign-in/", "/projects/", "/healthz", "/projects/ours/games/"):
        assert visitor.generic("TRACE", address, headers={"X-Secret": "told"}).status_code in (403, 405)
        assert b"told" not in visitor.generic("TRACE", address, headers={"X-Secret": "told"}).content


def test_migrations_make_no_account_that_can_sign_in(db):
    assert not [person for person in Person.objects.all() if person.has_usable_password()]


def of(caplog, logger):
    """What that logger said."""
    return [record.getMessage() for record in caplog.records if record.name == logger]


def test_signing_in_is_logged_also_when_it_fails(client, lead, caplog):
    caplog.set_level(logging.INFO, "evalsite.sign_in")
    address = reverse("account_login")
    client.post(address, {"login": lead.email, "password": "wrong"})
    client.post(address, {"login": lead.email, "password": PASSWORD})
    assert of(caplog, "evalsite.sign_in") == [
        "sign-in refused from 127.0.0.1",
        f"signed in: person {lead.pk}",
    ]


def test_a_refusal_is_logged_with_who_and_from_where(visitor, lead, caplog):
    caplog.set_level(logging.INFO, "evalsite.refusals")
    assert visitor.get("/people/", REMOTE_ADDR="192.0.2.7").status_code == 403
    assert of(caplog, "evalsite.refusals") == [
        f"refused 403 not_allowed people, person {lead.pk} from 192.0.2.7"
    ]
