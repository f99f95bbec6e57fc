"""Evidence that the database itself refuses to change, and the ground that every process checks at its start."""

import io

import pytest
from django.apps import apps
from django.core.checks import run_checks
from django.core.management import call_command, get_commands, load_command_class
from django.core.management.base import OutputWrapper, SystemCheckError
from django.db import DatabaseError, connection, transaction
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.test import override_settings

from evalsite.start import assert_ready, end_unless_ready, take_as_ready
from tests.factories.people import NOW, make_admin, make_person, make_project
from tests.factories.tampering import refused
from tools import prepare
from workspace.checks.actions import CHECKS, verify
from workspace.database.append_only import ForbidChange, frozen_tables, guards, missing_triggers
from workspace.database.squashed import LAST_VERSION, OLDER, SQUASHED
from workspace.database.startup_checks import (
    check_time_limits,
    describe_newer,
    describe_older,
    missing_migrations,
    pragma_faults,
)
from workspace.models import Event

pytestmark = [pytest.mark.django_db, pytest.mark.services]
# Guarded table -> the columns besides the key that its triggers let change.
FREE = {
    "discussions_admission": "ended_at ended_by_id ended_why",
    "discussions_calibrationround": "closed_at closed_by_id name",
    "discussions_columnmapping": "name removed_at removed_by_id",
    "discussions_evaluation": (
        "measured_id released_reason returned_comment set_aside_at skipped_reason slot_id state submitted_at"
        " version"
    ),
    "discussions_game": (
        "iteration_id needed_at needed_by_id needed_count needed_reason paid_usd warning_count warnings"
        " withdrawn_at withdrawn_by_id withdrawn_reason"
    ),
    "discussions_iteration": "evaluator_count identification name reveal rubric_version_id state",
    "discussions_judge": (
        "budget_usd ended_at ended_by_id name suspended_at suspended_by_id suspended_reason"
    ),
    "discussions_judgeprompt": "state",
    "discussions_judgement": "blind_value reason value version",
    "discussions_remark": "resolved_at resolved_by_id",
    "discussions_slot": (
        "assigned_at assigned_by_id assigned_to_id awaiting_since evaluator_id is_closed lease_until taken_at"
    ),
    "discussions_stage": (
        "closed_at closed_by_id door engagement_rule goal name override_reason stated_at stated_by_id"
        " statement streak_unit"
    ),
    "discussions_transcript": "fault_count faults format iteration_id job_id named_format waits_for_columns",
    "rubric_calibrationround": "closed_at closed_by_id",
    "rubric_comparisonset": "closed_at closed_by_id name people_needed repeat_percent",
    "rubric_mark": "reason value version",
    "rubric_review": "criteria_first flags is_blind mode ranking reader reported_ranking state submitted_at version",
    "rubric_reviewer": "could_see_since ended_at ended_by_id parameters",
    "rubric_rubricversion": "retired_at retired_by_id retired_reason state",
}


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
    assert len(guards()) > 10
    for table, guard in guards().items():
        with connection.cursor() as cursor:
            columns = {
                column.name for column in connection.introspection.get_table_description(cursor, table)
            }
        assert set(guard.columns) <= columns, table


def test_every_column_of_a_guarded_table_is_frozen_or_may_change():
    models = {model._meta.db_table: model for model in apps.get_models()}
    assert len(guards()) > 10
    for table, guard in guards().items():
        others = {field.column for field in models[table]._meta.concrete_fields if not field.primary_key}
        free = others - set(guard.columns) if guard.columns else set()
        assert free == set(FREE.get(table, "").split()), (
            f"{table}: a new column is in `columns` of a ForbidChange at the end of its migration, or in FREE"
        )


@pytest.fixture
def shelf():
    """A table of drafts that freeze when they are published."""
    guard = ForbidChange("shelf", columns=("body",), once="OLD.state <> 'draft'")
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE shelf (id integer PRIMARY KEY, state varchar(10), body text, note text)")
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


@pytest.mark.parametrize("forgotten", [None, ("rubric", "0001_tables"), ("auth", "0001_initial")])
def test_missing_migrations_are_those_that_the_files_have_and_the_database_has_not(forgotten):
    if forgotten:
        MigrationRecorder(connection).record_unapplied(*forgotten)
    loader = MigrationLoader(connection)
    missing = set(loader.disk_migrations) - set(loader.applied_migrations)
    assert missing == ({forgotten} - SQUASHED.keys() if forgotten else set()), (
        "all that it replaces were applied"
    )
    assert missing_migrations(connection) == len(missing)


def test_migrations_that_were_cut_off_go_on():
    for name in ("0002_tables", *(name for _app, name in SQUASHED["workspace", "0002_tables"])):
        MigrationRecorder(connection).record_unapplied("workspace", name)
    assert (describe_older(connection), missing_migrations(connection)) == ("", 1)


@pytest.mark.parametrize("newest", ["0016_oidc_subjects", "0004_webhook_scores"])
def test_a_database_of_before_the_squash_must_pass_through_the_last_version_before_it(newest, monkeypatch):
    monkeypatch.setattr(connection, "close", lambda: None)  # it would end the test's transaction
    assert describe_older(connection) == ""
    for name in ("0002_tables", *(name for _app, name in SQUASHED["workspace", "0002_tables"])):
        MigrationRecorder(connection).record_unapplied("workspace", name)
    MigrationRecorder(connection).record_applied("workspace", newest)
    assert f"`git checkout v{LAST_VERSION}`" in describe_older(connection)
    assert [(fault.id, fault.msg) for fault in run_checks(databases=["default"])] == [
        ("evalsite.E006", OLDER)
    ]
    with pytest.raises(SystemCheckError, match=f"v{LAST_VERSION}"):
        call_command("migrate", skip_checks=False)
    with pytest.raises(SystemExit, match=f"v{LAST_VERSION}"):
        end_unless_ready()
    assert prepare.main() == 1


@pytest.mark.parametrize("app", ["workspace", "rubric", "auth"])
def test_code_that_is_older_than_the_database_says_so_wherever_it_starts(app, caplog, capsys, monkeypatch):
    monkeypatch.setattr(connection, "close", lambda: None)  # it would end the test's transaction
    rows = MigrationRecorder.Migration.objects
    rows.create(app="removed_app", name="0001_initial")
    assert describe_newer(connection) == "" and run_checks(databases=["default"]) == []
    rows.create(app=app, name="9999_newer")
    said = describe_newer(connection)
    assert f"it does not know 1 of the applied migrations, such as {app}.9999_newer." in said
    assert "or restore the backup that was made before the update" in said
    assert [(fault.id, fault.msg) for fault in run_checks(databases=["default"])] == [("evalsite.W001", said)]
    end_unless_ready()
    assert [record.message for record in caplog.records if record.levelname == "WARNING"] == [said]
    prepare.migrate()
    assert capsys.readouterr().out == f"{said}\n"


def test_commands_say_that_the_code_is_older_than_the_database():
    """All but those that need no database, `restore`, whose database is empty, and `migrate`, whose checks say it."""
    MigrationRecorder.Migration.objects.create(app="discussions", name="9999_newer")
    apart = {"makemessages", "measure_file", "migrate", "restore", "score_reviews"}
    own = {
        name for name, app in get_commands().items() if app in ("workspace", "rubric", "discussions")
    } - apart
    assert len(own) == 16
    for name in own:
        app, faults = get_commands()[name], io.StringIO()
        command = load_command_class(app, name)
        command.stderr = OutputWrapper(faults)
        command.handle = lambda *_, **__: None
        command.execute(no_color=True, force_color=False, skip_checks=True, stdout=None, stderr=None)
        assert faults.getvalue() == f"{describe_newer(connection)}\n", name


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
