"""Where benchmarks of single parts run: in this process, on a fresh SQLite file, or on a PostgreSQL of their own."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path


def prepare() -> None:
    """Set up the tests' settings without rate limits on a migrated database: that of TEST_DATABASE_URL, else a file."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    import django

    django.setup()
    from django.conf import settings
    from django.core.management import call_command
    from django.db import connections

    settings.COSTLY_LIMITS = {name: (10**9, span) for name, (_most, span) in settings.COSTLY_LIMITS.items()}
    if not os.environ.get("TEST_DATABASE_URL"):
        file = Path(tempfile.mkdtemp(prefix="evalsite-bench-")) / "bench.sqlite3"
        settings.DATABASES["default"]["NAME"] = connections["default"].settings_dict["NAME"] = str(file)
    call_command("migrate", verbosity=0)
    import evalsite.urls  # noqa: F401  loaded when the server starts
    from evalsite.memory import spare_the_collector

    spare_the_collector()


def run_here(module: str, arguments: list[str], **env: str) -> int:
    """Run the module with "here" and these arguments in a process of its own; its exit code."""
    command = [sys.executable, "-m", module, "here", *arguments]
    return subprocess.run(command, env=os.environ | env, check=False).returncode


def on_postgresql(module: str, arguments: list[str]) -> int | None:
    """The same on a PostgreSQL server of its own; None, with a sentence, where this machine can have none."""
    from tools.postgres_server import PostgresServer, why_not

    if reason := why_not():
        print(f"not on PostgreSQL: {reason}")
        return None
    with tempfile.TemporaryDirectory(prefix="evalsite-bench-") as folder:
        Path(folder).chmod(0o755)
        server = PostgresServer(Path(folder) / "postgres")
        server.folder.mkdir()
        server.start()
        try:
            return run_here(module, arguments, TEST_DATABASE_URL=server.create("evalsite"))
        finally:
            if server.child:
                server.child.stop(number=2)
