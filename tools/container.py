"""The entry of the image: `python -m tools.container COMMAND...` runs the command; `healthy` asks the web server.

With EVALSITE_MODE=local, secrets that nobody gave are made at the first start and stay in VAR_DIR. In production the
site refuses to start without them.
"""

import http.client
import os
import sys
from pathlib import Path

from tools.processes import read_dotenv
from tools.setup import write_dotenv

SECRETS = ("SECRET_KEY", "AUDIT_KEY")


def main(arguments: list[str]) -> int:
    """Become the command; or 0 if the web server of this container answers, else 1."""
    if arguments != ["healthy"]:
        add_secrets(os.environ)
        os.execvp(arguments[0], arguments)
    return 0 if is_healthy() else 1


def add_secrets(env: dict[str, str] | os._Environ[str]) -> None:
    """Set the secrets that are missing, in local mode: all containers of one volume have the same."""
    if env.get("EVALSITE_MODE") != "local" or all(env.get(name) for name in SECRETS):
        return
    path = Path(env["VAR_DIR"]) / "secrets.env"
    write_dotenv(path)
    kept = read_dotenv(path)
    for name in SECRETS:
        env[name] = env.get(name) or kept[name]


def is_healthy() -> bool:
    """Whether it says that it serves, by a name that it answers to."""
    connection = http.client.HTTPConnection("127.0.0.1", 8000, timeout=4)
    host = os.environ.get("ALLOWED_HOSTS", "").partition(",")[0] or "localhost"
    try:
        connection.request("GET", "/healthz", headers={"Host": host})
        return connection.getresponse().status == 200
    except OSError:
        return False


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
