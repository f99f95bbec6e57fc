"""Settings of the tests: the real settings with a test environment, fast passwords and plain static files."""

import os
import tempfile

_VAR = os.environ.get("TEST_VAR_DIR") or tempfile.mkdtemp(prefix="evalsite-tests-")

os.environ.update(
    EVALSITE_MODE="local",
    SECRET_KEY="only-for-tests-" + "k" * 50,
    AUDIT_KEY="only-for-tests-" + "a" * 32,
    DEMO="false",
    ALLOWED_HOSTS="testserver,127.0.0.1",
)
