"""Installations without processes: a database and a data folder, between which one test can go to and fro."""

import os
import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest
from django.db import connection
from django.test import override_settings

from tests.services.live_stack import create_database, drop_database


class Installation(NamedTuple):
    """Where one is: its folder (VAR_DIR), and its database as Django names it and as DATABASE_URL does."""

    folder: Path
    name: str
    url: str


@contextmanager
def at(there: Installation) -> Iterator[Installation]:
    """Work with this installation: its database, kept files and heads. What is written is committed."""
    before = connection.settings_dict["NAME"]
    connection.close()
    connection.settings_dict["NAME"] = there.name
    try:
        with override_settings(VAR_DIR=there.folder, MEDIA_ROOT=there.folder / "uploads"):
            yield there
    finally:
        connection.close()
        connection.settings_dict["NAME"] = before


@pytest.fixture(scope="module")
def make_installation(tmp_path_factory, migrated_database, django_db_blocker):
    """`make_installation(is_migrated=...)`: a migrated one without people, or one whose database is empty.

    `make_installation(like=there)`: one that holds what another does.
    """
    server, made = os.environ.get("TEST_DATABASE_URL", ""), []

    def make(*, is_migrated: bool = False, like: Installation | None = None) -> Installation:
        folder = tmp_path_factory.mktemp("installation")
        if like is not None:
            shutil.copytree(like.folder, folder, dirs_exist_ok=True)
        if not server:
            path = folder / "evalsite.sqlite3"
            if is_migrated:
                shutil.copyfile(migrated_database, path)
            return Installation(folder, str(path), f"sqlite:///{path}")
        name = f"place_{uuid.uuid4().hex[:12]}"
        made.append(name)
        template = like.name if like is not None else migrated_database if is_migrated else "template0"
        url = create_database(server, name, template=template)
        return Installation(folder, name, url)

    with django_db_blocker.unblock():
        yield make
        connection.close()
    for name in made:
        drop_database(server, name)
