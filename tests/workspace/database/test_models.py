"""Evidence that the database itself refuses to change, and the ground that every process checks at its start."""

import pytest
from django.core.checks import run_checks
from django.db import DatabaseError, connection, transaction
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.test import override_settings

from evalsite.start import assert_ready, end_unless_ready, take_as_ready
from tests.factories.people import NOW, make_admin, make_person, make_project
from tests.factories.tampering import refused
from workspace.checks.actions import CHECKS, verify
from workspace.database.append_only import ForbidChange, frozen_tables, guards, missing_triggers
from workspace.database.startup_checks import check_time_limits, missing_migrations, pragma_faults
from workspace.models import Event

pytestmark = [pytest.mark.django_db, pytest.mark.services]


def test_audit_lines_cannot_be_changed_deleted_or_emptied():
    make_person()
    assert refused("UPDATE workspace_event SET verb = 'x'")
    assert refused("DELETE FROM workspace_event")
    assert refused(
        "TRUNCATE workspace_event CASCADE"
        if connection.vendor == "postgresql"
        else "DELETE FROM workspace_event"
    )
    with pytest.raises(DatabaseError), transaction.atomic():
        Event.objects.update(verb="x")
    assert Event.objects.get().verb == "account:created"


def test_every_kind_of_evidence_is_guarded():
    assert sorted(guards()) == sorted(frozen_tables())
    assert missing_triggers(connection) == []


def test_guards_name_columns_that_exist():
    for table, guard in guards().items():
        with connection.cursor() as cursor:
            columns = {
                column.name for column in connection.introspection.get_table_description(cursor, table)
            }
        assert set(guard.columns) <= columns, table


@pytest.fixture
def shelf():
    """A table of drafts that freeze when they are published."""
    guard = ForbidChange("shelf", columns=("body",), once="OLD.state <> 'draft'")
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE shelf (id integer, state varchar(10), body text, note text)")
        cursor.execute("INSERT INTO shelf VALUES (1, 'draft', 'a', ''), (2, 'out', NULL, '')")
    guard.put_up(connection)
    yield guard
    guard.take_down(connection)


def test_drafts_are_free_and_published_rows_only_beside_what_is_frozen(shelf):
    assert not refused("UPDATE shelf SET body = 'b' WHERE id = 1")
    assert not refused("UPDATE shelf SET note = 'n' WHERE id = 2")
    assert not refused("UPDATE shelf SET body = NULL WHERE id = 2")
    assert refused("UPDATE shelf SET body = 'b' WHERE id = 2")
    assert refused("DELETE FROM shelf WHERE id = 2")
    assert not refused("UPDATE shelf SET state = 'out' WHERE id = 1")
    assert refused("UPDATE shelf SET body = 'c' WHERE id = 1")
    assert refused("DELETE FROM shelf WHERE id = 1")


def test_putting_up_again_renews(shelf):
    shelf.put_up(connection)
    assert refused("DELETE FROM shelf WHERE id = 2")
    shelf.take_down(connection)
    assert not refused("DELETE FROM shelf WHERE id = 2")


def test_a_lost_trigger_shows_at_start_in_checks_and_in_verify():
    guard = guards()["workspace_event"]
    guard.take_down(connection)
    try:
        assert "workspace_event_frozen_update" in missing_triggers(connection)
        faults = run_checks(databases=["default"])
        assert [fault.id for fault in faults] == ["evalsite.E003"]
        with pytest.raises(Exception, match="does not start"):
            assert_ready()
        with pytest.raises(SystemExit, match="does not start"):
            end_unless_ready()
        found = verify(checks=[check for check in CHECKS if check.code == "I12"], by=make_admin(), now=NOW)
        assert "workspace_event_frozen_delete" in found[0].breaches[0]
    finally:
        guard.put_up(connection)
    assert run_checks(databases=["default"]) == []


def test_what_was_just_checked_is_not_checked_again(django_assert_num_queries):
    take_as_ready(True)
    try:
        with django_assert_num_queries(0):
            end_unless_ready()
    finally:
        take_as_ready(False)


@pytest.mark.skipif(connection.vendor != "sqlite", reason="SQLite's settings")
def test_settings_of_sqlite_are_asked_of_the_connection_itself():
    assert pragma_faults(connection) == []
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA busy_timeout = 10")
        assert ["busy_timeout 10" in fault.msg for fault in pragma_faults(connection)] == [True]
        cursor.execute("PRAGMA busy_timeout = 20000")
    assert pragma_faults(connection) == []


@pytest.mark.parametrize("forgotten", [None, ("rubric", "0001_initial"), ("auth", "0001_initial")])
def test_missing_migrations_are_those_that_the_files_have_and_the_database_has_not(forgotten):
    if forgotten:
        MigrationRecorder(connection).record_unapplied(*forgotten)
    loader = MigrationLoader(connection)
    missing = set(loader.disk_migrations) - set(loader.applied_migrations)
    assert missing == ({forgotten} if forgotten else set())
    assert missing_migrations(connection) == len(missing)


def test_a_task_may_not_run_longer_than_half_its_message_stays_hidden():
    assert check_time_limits() == []
    with override_settings(CELERY_TASK_TIME_LIMIT=1200):
        assert [fault.id for fault in check_time_limits()] == ["evalsite.E004"]


def test_the_installation_has_one_chain():
    from django.db import IntegrityError

    from workspace.models import Chain

    make_project()
    make_person()
    with pytest.raises(IntegrityError), transaction.atomic():
        Chain.objects.create(project=None)
