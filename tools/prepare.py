"""The Django work before the first page, as a program: migrations, static files when changed, the demo when empty."""

import contextlib
import gc
import hashlib
import io
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from django.core.management import call_command

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evalsite.settings")
# Files of libraries that no page names: compressing them took most of a second.
UNUSED = ["account", "mfa", "ext", "htmax-*", "htmx-4*", "htmx-2.js"]


def main() -> int:
    """Bring database and static files up to date; fast when they are already. 1 for a database that cannot be."""
    from evalsite.preload import set_up

    set_up()
    if status := prepare_database():
        return status
    collect_static()
    seed_demo()
    return 0


def prepare_database() -> int:
    """Make the data folder and apply missing migrations; 1 with a sentence for a database that cannot be."""
    from django.conf import settings
    from django.db import connection

    from workspace.database.damage import find_damage
    from workspace.database.startup_checks import describe_older

    Path(settings.VAR_DIR).mkdir(parents=True, exist_ok=True)
    if fault := find_damage(connection) or describe_older(connection):
        print(fault, flush=True)
        return 1
    with not_collecting():
        migrate()
    return 0


@contextlib.contextmanager
def not_collecting() -> Iterator[None]:
    """Leave reference cycles in memory: looking for them takes a tenth of the time that migrations or the demo take."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def migrate() -> None:
    """Apply the migrations that are missing, and say if newer code has applied more."""
    from django.db import connection

    from workspace.database.startup_checks import describe_newer, missing_migrations

    if missing := missing_migrations(connection):
        print(f"Bringing the database up to date ({missing} steps) ...", flush=True)
        call_command("migrate", verbosity=0, interactive=False)
    if newer := describe_newer(connection):
        print(newer, flush=True)


def collect_static() -> None:
    """Hash and compress the static files, unless the sources have not changed."""
    from django.conf import settings

    stamp, now = Path(settings.VAR_DIR) / "static.hash", static_hash()
    manifest = Path(settings.STATIC_ROOT) / "staticfiles.json"
    if manifest.is_file() and stamp.is_file() and stamp.read_text() == now:
        return
    print("Preparing the static files ...", flush=True)
    call_command("collectstatic", verbosity=0, interactive=False, clear=True, ignore_patterns=UNUSED)
    stamp.write_text(now)


def static_hash() -> str:
    """Hash of the names, sizes and modification times of everything that collectstatic would copy."""
    from django.contrib.staticfiles.finders import get_finders

    digest = hashlib.sha256()
    for finder in get_finders():
        for name, storage in finder.list(UNUSED):
            state = Path(storage.path(name)).stat()
            digest.update(f"{name} {state.st_size} {state.st_mtime_ns}\n".encode())
    return digest.hexdigest()


def seed_demo() -> None:
    """Fill an empty database with the demo, if DEMO asks for it: first its people, and the file of their sign-ins."""
    from django.conf import settings
    from django.utils import timezone

    from discussions.demo.actions.fill import PLAN, make_accounts
    from discussions.management.commands.seed_demo import SIGN_INS
    from workspace.models import Person, Project
    from workspace.people.actions.people import system_person

    emails = [account.email for account in PLAN.people]
    others = Person.objects.filter(is_system=False).exclude(email__in=emails)
    # If it was stopped while it was filled, its people are there alone.
    if not settings.DEMO or Project.objects.exists() or others.exists():
        return
    now = timezone.now()
    make_accounts(by=system_person(now=now), now=now)
    sign_ins = Path(settings.VAR_DIR) / "demo-sign-ins.txt"
    with open(os.open(sign_ins, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
        file.write(SIGN_INS + "\n")
    print("Filling the demo project ...", flush=True)
    said = io.StringIO()
    with not_collecting():
        call_command("seed_demo", stdout=said)
    print(said.getvalue().partition("\n")[0], flush=True)


if __name__ == "__main__":
    sys.exit(main())
