"""A migrated, empty SQLite database, kept between runs: making one takes as long as a hundred tests."""

import hashlib
import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

ROOT = Path(__file__).parents[2]
# What is in a database that was only migrated: what migrations do, and what they read and call.
MADE_FROM = (
    "*/migrations/*.py",
    "*/apps.py",
    "workspace/database/append_only.py",
    "workspace/database/table_changes.py",
    "workspace/database/online_changes.py",
    "workspace/database/squashed.py",
    "rubric/versions/queries.py",
    "rubric/versions/first_versions/*",
    "requirements.lock",
)


def kept_database() -> Path:
    """Where the migrated database of this very state of the code is kept, or is to be."""
    digest = hashlib.sha256()
    for pattern in MADE_FROM:
        for path in sorted(ROOT.glob(pattern)):
            if path.is_file():
                digest.update(f"{path.relative_to(ROOT)}:".encode() + path.read_bytes())
    return ROOT / "var" / "cache" / f"migrated-{digest.hexdigest()[:20]}.sqlite3"


def keep_database(name: str) -> None:
    """Keep a copy of this migrated database, whole or not at all, in place of the one of an older state.

    Raises ValueError for a database without migrations: pytest-django makes none in a run in which no test is marked
    `django_db`, also where a fixture asks for `django_db_setup`.
    """
    with closing(sqlite3.connect(name)) as source:
        if not source.execute("SELECT 1 FROM sqlite_master WHERE name = 'django_migrations'").fetchall():
            raise ValueError(f"{name} was not migrated. Mark a test of this run with django_db.")
    kept = kept_database()
    kept.parent.mkdir(parents=True, exist_ok=True)
    part = kept.with_suffix(f".{os.getpid()}")
    with closing(sqlite3.connect(name)) as source, closing(sqlite3.connect(part)) as target:
        source.backup(target)
    for older in kept.parent.glob("migrated-*.sqlite3"):
        older.unlink(missing_ok=True)
    part.replace(kept)


def take_database(name: str) -> bool:
    """Put a copy of the kept database there; whether there is one."""
    try:
        shutil.copyfile(kept_database(), name)
    except FileNotFoundError:
        return False
    return True
