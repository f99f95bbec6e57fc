"""What tests begin with: a migrated database, kept between runs, also after a test that commits."""

import sqlite3
from contextlib import closing

import pytest

from rubric.models import RubricVersion
from rubric.versions.queries import shipped_versions
from tests.factories.people import make_person
from tests.services import migrated
from workspace.models import Person


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("turn", ["before", "after"])
def test_what_migrations_made_is_there_after_a_test_that_commits(turn):
    stored = RubricVersion.objects.values_list("rubric__key", "number", "state")
    assert set(stored) == {(shipped.key, shipped.number, "published") for shipped in shipped_versions()}
    assert Person.objects.get().is_system


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("turn", ["before", "after"])
def test_ids_begin_again_after_a_test_that_commits(turn):
    assert make_person().pk == Person.objects.get(is_system=True).pk + 1


def test_a_database_without_migrations_is_not_kept(tmp_path, monkeypatch):
    kept = tmp_path / "cache" / "migrated-1.sqlite3"
    monkeypatch.setattr(migrated, "kept_database", lambda: kept)
    with pytest.raises(ValueError, match="was not migrated"):
        migrated.keep_database(str(tmp_path / "none.sqlite3"))
    assert not kept.exists()
    made = str(tmp_path / "made.sqlite3")
    with closing(sqlite3.connect(made)) as database:
        database.execute("CREATE TABLE django_migrations (id INTEGER)")
    migrated.keep_database(made)
    assert migrated.take_database(str(tmp_path / "taken.sqlite3"))
