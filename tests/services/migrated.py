"""A migrated, empty SQLite database, kept between runs: making one takes as long as a hundred tests."""

import hashlib
import os
import shutil
import sqlite3
from pathlib import Path

ROOT = Path(__file__).parents[2]
# What is in a database that was only migrated: what migrations do, and what they read and call.
MADE_FROM = (
    "*/migrations/*.py",
    "*/apps.py",
    "workspace/database/append_only.py",
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
    """Keep a copy of this migrated database, whole or not at all, in place of the one of an older state."""
    kept = kept_database()
    kept.parent.mkdir(parents=True, exist_ok=True)
    part = kept.with_suffix(f".{os.getpid()}")
    with sqlite3.connect(name) as source, sqlite3.connect(part) as target:
        source.backup(target)
    target.close()
    source.close()
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
