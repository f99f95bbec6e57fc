"""Looks for a text in every column of the database, and in every stored file."""

from typing import Any

from django.apps import apps
from django.db import connection, models

from discussions.archives.actions.erasures import ask_to_erase
from tests.factories.jobs import run_waiting_jobs
from tests.factories.people import moment
from workspace.blob_store import list_files, open_file
from workspace.models import Erasure, Person

REASON = "Uploaded by mistake"


def erase(thing: Any, *, by: Person, reason: str = REASON) -> Erasure:
    """Ask for it, and do it as a worker does."""
    erasure = ask_to_erase(thing=thing, reason=reason, by=by, now=moment(60))
    run_waiting_jobs(now=moment(60))
    erasure.refresh_from_db()
    return erasure


def find_everywhere(text: str) -> list[str]:
    """The columns and files that hold the text, "table.column" or a name; also as escaped JSON, in any case."""
    found = []
    with connection.cursor() as cursor:
        for table in sorted(connection.introspection.table_names(cursor)):
            for column in connection.introspection.get_table_description(cursor, table):
                names = connection.ops.quote_name(table), connection.ops.quote_name(column.name)
                value = f"CAST({names[1]} AS text)"
                if "byt" in str(column.type_code) or str(column.type_code) == "17":
                    value = f"encode({names[1]}, 'escape')"
                cursor.execute(
                    f"SELECT COUNT(*) FROM {names[0]} WHERE lower({value}) LIKE %s", [f"%{text.lower()}%"]
                )
                found += [f"{table}.{column.name}"] * bool(cursor.fetchone()[0])
    for name in list_files():
        with open_file(name) as file:
            found += [name] * (text.lower().encode() in file.read().lower())
    return found


def count_texts() -> int:
    """How many columns with texts there are to look into."""
    kinds = (models.TextField, models.CharField, models.JSONField)
    return sum(
        isinstance(field, kinds) for model in apps.get_models() for field in model._meta.concrete_fields
    )
