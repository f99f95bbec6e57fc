"""The site's settings in a test environment: own data folder, fast passwords, plain static files.

TEST_DATABASE_URL and TEST_REDIS_URL (set by `make test` for the tests marked `services`) put real servers underneath;
without them the database is a SQLite file with the real pragmas, in memory-backed storage where there is any.
"""

import atexit
import os
import shutil
import tempfile
from pathlib import Path

_MEMORY = "/dev/shm"
_where = _MEMORY if os.access(_MEMORY, os.W_OK | os.X_OK) else None
_var = Path(tempfile.mkdtemp(prefix=f"evalsite-tests-{os.getpid()}-", dir=_where))
(_var / "static").mkdir()
atexit.register(shutil.rmtree, _var, ignore_errors=True)
for _old in _var.parent.glob("evalsite-tests-*-*"):  # left by runs that were killed; others' folders stay
    if not Path("/proc", _old.name.split("-")[2]).exists():
        shutil.rmtree(_old, ignore_errors=True)

os.environ.update(
    EVALSITE_MODE="local",
    DEMO="false",
    DEBUG="false",
    SECRET_KEY="only-for-tests-" + "s" * 50,
    AUDIT_KEY="only-for-tests-" + "a" * 50,
    ALLOWED_HOSTS="testserver,127.0.0.1",
    VAR_DIR=str(_var),
    DATABASE_URL=os.environ.get("TEST_DATABASE_URL", ""),
    REDIS_URL=os.environ.get("TEST_REDIS_URL", "redis://127.0.0.1:1/0"),
    OIDC_ISSUER="http://127.0.0.1:1/nobody-answers",
    OIDC_NAME="Acme",
    OIDC_CLIENT_ID="evalsite",
    OIDC_CLIENT_SECRET="only-for-tests",
    TIME_ZONE="UTC",
    LOG_LEVEL="WARNING",
)

from tests.site_settings import *  # noqa: E402,F403
from tests.site_settings import DATABASES, STORAGES  # noqa: E402

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
STORAGES = STORAGES | {"staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}}
if DATABASES["default"]["ENGINE"] == "workspace.database.sqlite":
    DATABASES["default"]["TEST"] = {"NAME": str(_var / "test.sqlite3")}
    # Tests of many pages run in one process: statements compiled once last. Each costs 70 microseconds, and 15 KB.
    DATABASES["default"]["OPTIONS"] = DATABASES["default"]["OPTIONS"] | {"cached_statements": 1000}
else:  # `make test` migrates the database that the address names, and tests begin with copies of it
    DATABASES["default"]["TEST"] = {"TEMPLATE": DATABASES["default"]["NAME"]}
