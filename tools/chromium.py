"""A real Chromium for browser tests: the machine's, else Debian's, installed by root or unpacked by other users."""

import ctypes.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
UNPACKED = ROOT / "var" / "chromium"
# The same engine as Chromium's, without windows, profiles and extensions: it starts faster, and is smaller.
SHELL = "chromium-headless-shell"
PACKAGES = (SHELL, "fonts-dejavu-core", "libatomic1")
NAMES = (SHELL, "chromium", "chromium-browser", "google-chrome-stable", "google-chrome")


class CannotBeHad(Exception):
    """There is no Chromium; the message says why."""


def find() -> str | None:
    """The browser to start: CHROMIUM, one on the PATH, or the one unpacked under var/."""
    named = os.environ.get("CHROMIUM", "")
    on_path = next((found for found in map(shutil.which, NAMES) if found), None)
    unpacked = UNPACKED / "chromium"
    return named or on_path or (str(unpacked) if unpacked.is_file() else None)


def node_libraries() -> str | None:
    """A folder for LD_LIBRARY_PATH when Playwright's node would not find libatomic.so.1 otherwise."""
    folder = UNPACKED / "for-node"
    return str(folder) if folder.is_dir() else None


def ensure() -> str:
    """Find or install one; raises CannotBeHad with the reason."""
    if find() is None or not (has_libatomic() or node_libraries()):
        if shutil.which("apt-get") is None:
            raise CannotBeHad(
                "there is none on the PATH and this machine has no apt-get; install Chromium by hand"
            )
        print("Getting Chromium from the system's packages (a minute, once) ...", flush=True)
        if os.getuid() == 0:
            install_as_root()
        else:
            unpack_as_user()
    found = find()
    if found is None:
        raise CannotBeHad("the packages came, but there is no chromium in them")
    return found


def has_libatomic() -> bool:
    """Whether the library that Playwright's node needs is in the system."""
    return any(Path(folder).glob("*/libatomic.so.1") for folder in ("/usr/lib", "/lib")) or bool(
        ctypes.util.find_library("atomic")
    )


def install_as_root() -> None:
    """apt-get install, asking for nothing."""
    env = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    install = ["apt-get", "install", "-y", "--no-install-recommends", *PACKAGES]
    if not _quietly(install, env):
        _quietly(["apt-get", "update"], env)
        _aloud(install, env, "apt-get could not install chromium")


def unpack_as_user() -> None:
    """Download the same packages with separate package lists and unpack them under var/, changing nothing else."""
    packages = UNPACKED / "packages"
    (packages / "partial").mkdir(parents=True, exist_ok=True)
    (UNPACKED / "lists" / "partial").mkdir(parents=True, exist_ok=True)
    options = {
        "Dir::State::lists": UNPACKED / "lists",
        "Dir::Cache": UNPACKED,
        "Dir::Cache::archives": packages,
        "Debug::NoLocking": "1",
        "APT::Sandbox::User": "",
    }
    apt = ["apt-get", "-y"]
    for name, value in options.items():
        apt += ["-o", f"{name}={value}"]
    env = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    _aloud([*apt, "update"], env, "apt-get could not read the package lists")
    wanted = ["--no-install-recommends", "--reinstall", "--download-only", "install", *PACKAGES]
    _aloud([*apt, *wanted], env, "apt-get could not download chromium")
    root = UNPACKED / "root"
    root.mkdir(exist_ok=True)
    for package in sorted(packages.glob("*.deb")):
        _aloud(["dpkg", "-x", str(package), str(root)], env, f"dpkg could not unpack {package.name}")
    shutil.rmtree(packages)
    _write_starter(root)


def _write_starter(root: Path) -> None:
    """A script that starts the unpacked browser with its own libraries and fonts, and a folder for node's library."""
    homes = (root / "lib", root / "usr" / "lib")
    libraries = sorted({str(path.parent) for home in homes for path in home.rglob("*.so*")})
    fonts = UNPACKED / "fonts.conf"
    fonts.write_text(
        f"<fontconfig><dir>{root}/usr/share/fonts</dir><dir>/usr/share/fonts</dir>"
        f"<cachedir>{UNPACKED}/fonts-cache</cachedir></fontconfig>"
    )
    starter = UNPACKED / "chromium"
    starter.write_text(
        "#!/bin/sh\n"
        f"export LD_LIBRARY_PATH='{':'.join(libraries)}'\n"
        f"export FONTCONFIG_FILE='{fonts}'\n"
        f"exec '{root}/usr/lib/chromium/{SHELL}' \"$@\"\n"
    )
    starter.chmod(0o755)
    for library in root.rglob("libatomic.so.1*"):
        (UNPACKED / "for-node").mkdir(exist_ok=True)
        shutil.copy(library, UNPACKED / "for-node" / library.name)


def _quietly(command: list[str], env: dict[str, str]) -> bool:
    return subprocess.run(command, env=env, capture_output=True, check=False).returncode == 0


def _aloud(command: list[str], env: dict[str, str], sentence: str) -> None:
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        last = "\n".join((done.stdout + done.stderr).strip().splitlines()[-5:])
        raise CannotBeHad(f"{sentence}:\n{last}")


if __name__ == "__main__":
    try:
        print(ensure())
    except CannotBeHad as reason:
        sys.exit(str(reason))
