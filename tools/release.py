"""`make release VERSION=0.2.0`: a version, its commit and its tag, and what is published with it in var/release/.

The notes of a version are its section of CHANGELOG.md: "Unreleased" gets the version's number and date. The files are
the wheel, the bill of materials, the notes and the SHA-256 sums of them. Nothing is sent anywhere: the tag is pushed
by hand, and .github/workflows/release.yml publishes what it builds from the tag.
"""

import hashlib
import re
import shutil
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

from packaging.version import InvalidVersion, Version

from tools import sbom
from tools.lock import ROOT

UNRELEASED = "## Unreleased"
USAGE = "Name the version, such as make release VERSION=0.3.0; or build the files of this one: make release BUILD=1"


class GiveUp(SystemExit):
    """The sentence that says why there is no release."""


def main(arguments: list[str]) -> int:
    """Make the release, or with `--build` only its files, as the workflow does from the tag."""
    match arguments:
        case ["--build"]:
            print(f"Wrote {build(ROOT)}.")
        case [version] if not version.startswith("-"):
            tag = release(ROOT, version, datetime.now(UTC).date().isoformat())
            print(f"Tagged {tag}; its files are in {build(ROOT)}. Publish it: git push --follow-tags")
        case _:
            raise GiveUp(USAGE)
    return 0


def release(root: Path, version: str, date: str) -> str:
    """Write the version into its files, commit and tag it; return the tag. Raises GiveUp before anything changes."""
    texts = make_texts(root, version, date)
    tag = f"v{version}"
    if git(root, "status", "--porcelain"):
        raise GiveUp("There are changes that are not committed: commit or undo them, then release.")
    if git(root, "tag", "--list", tag):
        raise GiveUp(f"The tag {tag} exists: a version is released once. Name the next one.")
    for path, text in texts.items():
        (root / path).write_text(text, encoding="utf-8")
    git(root, "commit", "--quiet", "--all", "--message", f"Version {version}")
    git(root, "tag", "--annotate", "--cleanup=verbatim", "--message", read_notes(root, version), tag)
    return tag


def make_texts(root: Path, version: str, date: str) -> dict[str, str]:
    """The files that name the version, as they are after the release. Raises GiveUp."""
    texts = {
        path: (root / path).read_text(encoding="utf-8")
        for path in ("pyproject.toml", "CITATION.cff", "CHANGELOG.md")
    }
    try:
        new, old = Version(version), Version(sbom.read_version(root))
    except InvalidVersion:
        raise GiveUp(f"{version!r} is no version. {USAGE}") from None
    if str(new) != version or new <= old:
        raise GiveUp(f"The version is {old}; name a later one in its plain form, not {version}.")
    notes = texts["CHANGELOG.md"].partition(f"{UNRELEASED}\n")[2].partition("\n## ")[0]
    if not notes.strip():
        raise GiveUp(
            f"CHANGELOG.md has nothing under {UNRELEASED!r}: write there what changed and how to update."
        )
    replaced = {
        "pyproject.toml": (rf'^version = "{re.escape(str(old))}"$', f'version = "{version}"'),
        "CITATION.cff": (
            r"^version: .*\n(date-released: .*\n)?",
            f"version: {version}\ndate-released: {date}\n",
        ),
        "CHANGELOG.md": (rf"^{UNRELEASED}$", f"{UNRELEASED}\n\n## {version} ({date})"),
    }
    for path, (pattern, new_text) in replaced.items():
        texts[path], count = re.subn(pattern, new_text, texts[path], flags=re.MULTILINE)
        if count != 1:
            raise GiveUp(f"{path} does not name the version {old} once, as this command expects.")
    return texts


def build(root: Path) -> Path:
    """Write wheel, bill of materials, notes and sums of the present version; return their folder."""
    version = sbom.read_version(root)
    folder = root / "var" / "release" / version
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    uv = str(ROOT / ".venv" / "bin" / "uv")
    subprocess.run([uv, "build", "--wheel", "--quiet", "--out-dir", str(folder), str(root)], check=True)
    (folder / ".gitignore").unlink(missing_ok=True)
    sbom.main([str(folder / f"evalsite-{version}.cdx.json")])
    (folder / "notes.md").write_text(read_notes(root, version) + "\n", encoding="utf-8")
    sums = [
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in sorted(folder.iterdir())
    ]
    (folder / "SHA256SUMS").write_text("".join(sums), encoding="utf-8")
    return folder


def read_notes(root: Path, version: str) -> str:
    """What CHANGELOG.md says of the version. Raises GiveUp where it has no section of it."""
    changelog = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    found = re.search(
        rf"^## {re.escape(version)} .*\n(?P<notes>(?s:.*?))(?=^## |\Z)", changelog, re.MULTILINE
    )
    if found is None:
        raise GiveUp(f"CHANGELOG.md has no section of {version}.")
    return found["notes"].strip()


def git(root: Path, *words: str) -> str:
    """What git prints."""
    done = subprocess.run(["git", *words], cwd=root, check=True, capture_output=True, text=True)
    return done.stdout.strip()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
