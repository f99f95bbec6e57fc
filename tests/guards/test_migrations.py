"""New migrations stop nobody who saves: indexes of large tables are built online, rows change in batches."""

from collections.abc import Iterator

import pytest
from django.db import migrations, models
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations.base import Operation

from workspace.database.append_only import ForbidChange
from workspace.database.online_changes import AddIndexOnline, ChangeInBatches
from workspace.database.table_changes import ChangeTables

# Those up to these were there before the rule.
BEFORE = {
    "discussions": "0001_tables",
    "rubric": "0002_shipped_versions",
    "workspace": "0002_tables",
}
# Tables that grow with the games, responses and acts of an installation.
LARGE = {
    "discussions": "game gametext privatetrack measured measuredfindings companions slot evaluation judgement revision "
    "reveal remark flagreply verdict adjudication transcript manualfigure withdrawal roundoffset tierequest",
    "rubric": "comparison response review mark markrevision answer reviewprompt wholeprompt",
    "workspace": "event job delivery email notification counter export",
}
DATA = (migrations.RunPython, migrations.RunSQL, ChangeInBatches)
ADVICE = "see workspace/database/online_changes.py"


def flat(operations: list[Operation]) -> Iterator[Operation]:
    """The operations, with those inside others."""
    for operation in operations:
        if isinstance(operation, ChangeTables):
            yield from flat(operation.operations)
        elif isinstance(operation, migrations.SeparateDatabaseAndState):
            yield from flat(operation.database_operations)
        else:
            yield operation


def is_indexed(field: models.Field) -> bool:
    return bool(field.unique or field.db_index)


def table_of(operation: Operation) -> str:
    """The model that the operation changes, "" if none."""
    return getattr(operation, "model_name_lower", "") or getattr(operation, "name_lower", "")


def locks(operation: Operation) -> str:
    """What of a large table the operation would build while nobody can save; "" if nothing."""
    match operation:
        case AddIndexOnline():
            return ""
        case migrations.AddIndex():
            return "an index: use AddIndexOnline"
        case migrations.AddField() | migrations.AlterField() if is_indexed(operation.field):
            return "the index of a column: db_index=False, and AddIndexOnline"
        case migrations.AddConstraint():
            return "a constraint, for which all rows are read: AddConstraintNotValid, then ValidateConstraint"
        case migrations.AlterUniqueTogether():
            return "an index: use AddIndexOnline"
    return ""


def faults(migration: migrations.Migration) -> Iterator[str]:
    """Sentences about what would lock."""
    name = f"{migration.app_label}.{migration.name}"
    operations = list(flat(migration.operations))
    made = {operation.name_lower for operation in operations if isinstance(operation, migrations.CreateModel)}
    large = set(LARGE[migration.app_label].split()) - made
    for operation in operations:
        if table_of(operation) in large and (what := locks(operation)):
            yield f"{name} builds {what} ({table_of(operation)}); {ADVICE}"
    data = [operation for operation in operations if isinstance(operation, DATA)]
    others = [operation for operation in operations if not isinstance(operation, (*DATA, ForbidChange))]
    if data and others:
        yield f"{name} changes rows in the transaction that changes tables: put them into two migrations; {ADVICE}"
    changed = {table_of(operation) for operation in others} & large
    if len(changed) > 1:
        yield (
            f"{name} holds several large tables ({', '.join(sorted(changed))}) until its end, and who saves may hold "
            "one and wait for the other: a migration for each"
        )
    is_online = any(isinstance(operation, AddIndexOnline | ChangeInBatches) for operation in operations)
    if is_online and migration.atomic:
        yield f"{name} needs atomic = False; {ADVICE}"


def test_migrations_of_the_project_stop_nobody_who_saves():
    loader = MigrationLoader(None)
    ours = {key: made for key, made in loader.disk_migrations.items() if key[0] in BEFORE}
    assert set(BEFORE.items()) <= ours.keys()
    new = [made for (app, name), made in sorted(ours.items()) if name > BEFORE[app]]
    assert [fault for made in new for fault in faults(made)] == []


def migration(*operations: Operation, atomic: bool = True) -> migrations.Migration:
    made = migrations.Migration("0099_new", "discussions")
    made.operations, made.atomic = list(operations), atomic
    return made


def fill(_apps, _rows) -> None:
    """Change nothing."""


PLAIN = migrations.AddField("game", "mood", models.TextField(null=True))
INDEX = models.Index(fields=["project", "seed"], name="game_by_seed")
KEYED = models.ForeignKey("workspace.person", models.PROTECT, null=True, related_name="+")
POSITIVE = models.CheckConstraint(condition=models.Q(number__gte=1), name="number_positive")
BOOK = migrations.CreateModel("Game", [("id", models.BigAutoField(primary_key=True))])


@pytest.mark.parametrize(
    ("refused", "says"),
    [
        ([migrations.AddIndex("game", INDEX)], "AddIndexOnline"),
        ([ChangeTables([PLAIN, migrations.AddIndex("game", INDEX)])], "AddIndexOnline"),
        ([migrations.SeparateDatabaseAndState([migrations.AddIndex("game", INDEX)], [])], "AddIndexOnline"),
        ([migrations.AddField("game", "liked_by", KEYED)], "db_index=False"),
        ([migrations.AlterField("verdict", "reason", models.TextField(db_index=True))], "db_index=False"),
        ([migrations.AddConstraint("game", POSITIVE)], "AddConstraintNotValid"),
        ([migrations.AlterUniqueTogether("game", {("project", "seed")})], "AddIndexOnline"),
        ([PLAIN, migrations.AddField("slot", "mood", models.TextField(null=True))], "a migration for each"),
        ([PLAIN, migrations.RunPython(fill)], "two migrations"),
        ([PLAIN, migrations.RunSQL("SELECT 1")], "two migrations"),
        ([ChangeInBatches("Game", fill)], "atomic = False"),
        ([AddIndexOnline("game", INDEX)], "atomic = False"),
    ],
)
def test_what_locks_is_refused_with_what_to_do(refused, says):
    (fault,) = faults(migration(*refused))
    assert says in fault


@pytest.mark.parametrize(
    "allowed",
    [
        migration(PLAIN, ForbidChange("discussions_game")),
        migration(BOOK, migrations.AddIndex("game", INDEX)),
        migration(migrations.AddIndex("stage", INDEX)),
        migration(migrations.RunPython(fill)),
        migration(ChangeInBatches("Game", fill), atomic=False),
        migration(AddIndexOnline("game", INDEX), atomic=False),
    ],
    ids=["a column", "a new table", "a small table", "rows alone", "batches", "online"],
)
def test_what_does_not_lock_is_allowed(allowed):
    assert list(faults(allowed)) == []
