"""Every row of a project is in its archive, or it is said why not; a changed line changes the format."""

import msgspec
import pytest
from django.apps import apps

from discussions.archives.core import FORMAT, ArchivedEvent, replace_keys
from discussions.archives.queries.tables import (
    AUDIT,
    KIND_MODELS,
    LEFT_OUT,
    OWN,
    TABLES,
    get_line_type,
    swap_start_key,
)
from workspace.audit.labels import KINDS
from workspace.core.canonical import canonical_hash

# Format -> the hash of what its lines are made of.
LAYOUTS = {2: "3fc26237e7c5ec2a513fa571e31a74ecb29a747095231a6f99498006537c02f4"}


def test_every_model_is_written_or_left_out_with_a_reason():
    models = {
        model
        for model in apps.get_models()
        if model.__module__.split(".")[0] in ("workspace", "rubric", "discussions")
    }
    unsaid = {model.__name__ for model in models - set(TABLES) - set(LEFT_OUT) - set(AUDIT)}
    assert not unsaid, (
        f"{unsaid}: add a table to discussions/archives/queries/tables.py, or a reason to LEFT_OUT"
    )
    assert all(LEFT_OUT.values())
    assert not set(TABLES) & set(LEFT_OUT)


def test_no_other_app_keeps_rows_of_projects():
    ours = {"workspace", "rubric", "discussions"}
    others = {model.__module__.split(".")[0] for model in apps.get_models()} - ours
    # Content types, and the accounts of a sign-in service.
    assert others <= {"django", "allauth"}, f"{others}: say in tables.py whether an archive has their rows"


@pytest.mark.parametrize("table", TABLES.values(), ids=lambda table: table.kind)
def test_lines_name_only_rows_that_lines_hold_and_that_come_before(table):
    order = list(TABLES)
    for field in table.fields:
        if field.is_relation:
            assert order.index(field.related_model) <= order.index(table.model), field
    names = {field.name for field in table.model._meta.concrete_fields}
    assert {*table.filled, *table.inner, *table.texts, *table.types} <= names
    assert not table.model._meta.many_to_many


def test_every_kind_of_audit_line_names_a_model_or_none():
    left_out = {"invitation", "access_token", "job", "scoring_choice", "export", "backup", "webhook"}
    assert set(KINDS) - set(KIND_MODELS) == left_out


def test_a_changed_line_has_another_format():
    """A model with another field makes other lines: older archives are not read any more, and must say so."""
    types = {table.kind: get_line_type(table.model) for table in TABLES.values()}
    types["workspace.event"] = ArchivedEvent
    # In a line names are sorted, so the order of fields does not matter.
    layout = {
        kind: sorted(field.name for field in msgspec.structs.fields(line)) for kind, line in types.items()
    }
    found = canonical_hash(layout)
    assert LAYOUTS[FORMAT] == found, (
        "The lines of archives have changed. If the product was released since FORMAT was raised last, raise it in "
        f"discussions/archives/core.py; write {found!r} here."
    )


def test_keys_in_stored_json_are_replaced_by_their_paths():
    value = {"id": 1, "rows": [{"id": 2}, {"id": None}], "picked": [3, 4], "none": None}
    for path in ("id", "rows.*.id", "picked.*", "none", "not.there", "id.*"):
        value = replace_keys(value, path, lambda key: f"row {key}" if isinstance(key, int) else key)
    assert value == {
        "id": "row 1",
        "rows": [{"id": "row 2"}, {"id": None}],
        "picked": ["row 3", "row 4"],
        "none": None,
    }


def test_only_the_keys_of_marks_that_a_review_began_with_name_it():
    assert swap_start_key("start:17:holistic:1", lambda key: key + 1) == "start:18:holistic:1"
    assert [swap_start_key(key, lambda _key: 0) for key in ("nonce:1", "start:x:1")] == [
        "nonce:1",
        "start:x:1",
    ]


def test_tables_of_a_project_come_after_the_shared_ones():
    assert list(TABLES.values())[-len(OWN) :] == list(OWN)
