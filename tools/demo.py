"""`make demo`: put the local database aside and fill a fresh one with the demo project."""

import os
import signal
import sys
import time
from pathlib import Path

from tools.launch import ROOT, GiveUp, Site, Stop, raise_stop
from tools.processes import read_dotenv

PUT_ASIDE = ("evalsite.sqlite3", "evalsite.sqlite3-wal", "evalsite.sqlite3-shm", "uploads", "redis")


def main() -> int:
    """Fill it and exit; 1 with a sentence when that fails."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, raise_stop)
    env = read_dotenv(ROOT / ".env") | os.environ | {"DEMO": "true"}
    site = Site(env)
    try:
        if env.get("DATABASE_URL", "").strip():
            raise GiveUp(
                "DATABASE_URL names a database of its own; make demo renews only the local one under var/."
            )
        site.take_lock()
        aside = put_aside(site.var)
        if aside:
            print(f"The data so far is in {aside}; delete it when you do not want it back.", flush=True)
        site.start_redis()
        site.load()
        with site.prepared():
            pass
    except Stop:
        return 1
    except GiveUp as reason:
        print(reason)
        return 1
    finally:
        site.stop()
    print("\n" + site.sign_ins.read_text(encoding="utf-8").strip() + "\n\nmake run starts the site.")
    return 0


def put_aside(var: Path) -> Path | None:
    """Move database, uploads and Redis data into a folder named after the moment; return it, if there was anything."""
    there = [var / name for name in PUT_ASIDE if (var / name).exists()]
    if not there:
        return None
    aside = var / time.strftime("before-demo-%Y%m%d-%H%M%S")
    aside.mkdir()
    for path in there:
        path.rename(aside / path.name)
    return aside


if __name__ == "__main__":
    sys.exit(main())
