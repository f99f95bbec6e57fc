"""`verify` finds what was tampered with, keeps the heads of the audit log, and is silent otherwise."""

import io
from datetime import timedelta

import msgspec
import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import connection

from tests.factories.people import (
    NOW,
    load_membership,
    make_admin,
    make_lead,
    make_member,
    make_person,
    make_project,
)
from workspace.checks.actions import CHECKS, keep_heads, run_daily_maintenance, verify
from workspace.checks.core import Check
from workspace.database.append_only import guards
from workspace.models import Chain, Counter, Event, Job, Membership, Person, SignIn
from workspace.models.sign_ins import SessionStore
from workspace.people.actions.people import system_person
from workspace.tokens.actions import create_service_account

pytestmark = [pytest.mark.django_db, pytest.mark.services]


@pytest.fixture(autouse=True)
def own_folder(tmp_path, settings):
    settings.VAR_DIR = tmp_path


def breaches(code: str = "", now=NOW) -> list[str]:
    chosen = [check for check in CHECKS if code in ("", check.code)]
    found = verify(checks=chosen, by=system_person(now=now), now=now)
    return [breach for check in found for breach in check.breaches]


def tamper(sql: str) -> None:
    """What somebody with the database and its triggers in hand could do."""
    guard = guards()["workspace_event"]
    guard.take_down(connection)
    with connection.cursor() as cursor:
        cursor.execute(sql)
    guard.put_up(connection)


def test_an_honest_database_has_no_breach():
    project = make_project()
    make_lead(project=project)
    make_member(project=project)
    account = {"name": "Pipeline", "project": project, "role": "lead"}
    create_service_account(**account, by=make_admin(), now=NOW)
    assert breaches() == []


@pytest.mark.parametrize(
    ("sql", "says"),
    [
        ("UPDATE workspace_event SET verb = 'x' WHERE seq = 2", "breaks at line 2"),
        ("DELETE FROM workspace_event WHERE seq = 2", "line 2 is missing"),
        ("DELETE FROM workspace_event WHERE seq = 3", "head says 3 lines, there are 2"),
    ],
)
def test_a_touched_audit_log_shows(sql, says):
    for _ in range(3):
        make_person()
    tamper(sql)
    assert says in breaches("I7")[0]


def test_a_cut_tail_with_a_mended_head_shows_by_the_daily_file():
    for _ in range(3):
        make_person()
    keep_heads(by=system_person(now=NOW), now=NOW)
    tamper("DELETE FROM workspace_event WHERE seq = 3")
    Chain.objects.update(seq=2, mac=Event.objects.get(seq=2).mac)
    assert "were there when a head was kept" in breaches("I7")[0]
    assert "were there when a head was kept" in breaches("I7", NOW + timedelta(days=1))[0]


def heads_kept():
    keep_heads(by=system_person(now=NOW), now=NOW)
    (path,) = (settings.VAR_DIR / "audit").glob("heads-*")
    return path


def test_heads_are_kept_once_a_day_and_renewed_only_when_verified():
    make_person()
    path = heads_kept()
    assert path.name == "heads-2026-03-02.json"
    kept = path.read_bytes()
    make_person()
    assert heads_kept().read_bytes() == kept
    assert breaches() == []
    assert msgspec.json.decode(path.read_bytes())["heads"][0]["seq"] == 2


def test_the_round_of_the_day_is_done_once():
    system = system_person(now=NOW)
    Counter.objects.create(key="old", value="1", expires_at=NOW - timedelta(days=1))
    SessionStore().create()
    SignIn.objects.update(expire_date=NOW - timedelta(days=1))
    assert run_daily_maintenance(by=system, now=NOW)
    assert not run_daily_maintenance(by=system, now=NOW + timedelta(hours=1))
    assert not Counter.objects.exists()
    assert not SignIn.objects.exists()
    assert run_daily_maintenance(by=system, now=NOW + timedelta(days=1))


def test_unreadable_heads_show():
    heads_kept().write_text("{")
    assert "cannot be read" in breaches("I7")[0]


def test_a_row_without_its_event_and_an_event_without_its_row_show():
    project = make_project()
    member = make_member(project=project)
    at = load_membership(person=member, project=project).pk
    Person.objects.create(email="planted@example.org", name="Planted", created_at=NOW)
    Membership.objects.filter(pk=at).delete()
    found = breaches("I7a")
    assert any("has 0 lines of account:created" in breach for breach in found)
    assert any(f"membership {at}, which is not there" in breach for breach in found)


def test_a_stuck_job_shows():
    Job.objects.create(
        kind="import", subject="x", state="running", created_at=NOW, created_by=make_person(), lease_until=NOW
    )
    assert breaches("I8", NOW + timedelta(seconds=59)) == []
    assert "runs past its lease" in breaches("I8", NOW + timedelta(seconds=61))[0]


def test_a_sign_in_of_somebody_switched_off_shows():
    person = make_person()
    store = SessionStore()
    store["_auth_user_id"] = str(person.pk)
    store.create()
    store.save()
    assert breaches("I14") == []
    Person.objects.filter(pk=person.pk).update(is_active=False)
    assert f"Person {person.pk} is switched off" in breaches("I14")[0]


def test_the_command_says_what_holds_and_ends_with_1_when_something_does_not():
    for _ in range(2):
        make_person()
    said = io.StringIO()
    call_command("verify", stdout=said)
    assert "all hold" in said.getvalue()
    tamper("UPDATE workspace_event SET verb = 'x' WHERE seq = 1")
    said = io.StringIO()
    with pytest.raises(SystemExit) as ending:
        call_command("verify", "--json", "--only", "I7", stdout=said)
    assert ending.value.code == 1
    assert msgspec.json.decode(said.getvalue())[0]["breach_count"] == 1


def test_accounts_are_made_by_command(monkeypatch):
    project = make_project(slug="spring")
    monkeypatch.setattr("sys.stdin", io.StringIO("correct horse battery\n"))
    given = ("ada@example.org", "--name", "Ada", "--project", "spring", "--role", "lead", "--password-stdin")
    call_command("create_account", *given, stdout=io.StringIO())
    person = Person.objects.get(email="ada@example.org")
    assert person.check_password("correct horse battery")
    assert load_membership(person=person, project=project).role == "lead"
    monkeypatch.setattr("sys.stdin", io.StringIO("correct horse battery\n"))
    with pytest.raises(CommandError, match="e-mail address already"):
        call_command("create_account", *given)
    with pytest.raises(CommandError, match="no project nowhere"):
        call_command("create_account", "b@example.org", "--name", "B", "--project", "nowhere")
    monkeypatch.setattr("sys.stdin", io.StringIO("short\n"))
    with pytest.raises(CommandError, match="at least 12"):
        call_command("create_account", "b@example.org", "--name", "B", "--password-stdin")


def test_a_check_that_meets_an_error_does_not_hold_and_the_others_are_run():
    def broken(_now):
        raise KeyError("seal")

    checks = [Check("I0", "It breaks", broken), *CHECKS]
    first, *others = verify(checks=checks, by=system_person(now=NOW), now=NOW)
    assert first.breach_count == 1
    assert "not known to hold: KeyError: 'seal' (workspace/checks/" in first.breaches[0]
    assert [found.code for found in others] == [check.code for check in CHECKS]
