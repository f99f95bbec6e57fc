"""A release numbers, dates and tags what was unreleased, once, and refuses before it changes anything."""

import shutil

import pytest

from tools.lock import ROOT
from tools.release import GiveUp, git, main, read_notes, release
from tools.sbom import read_version

NOTES = "**Updating.** Nothing to do.\n\n* A page is new.\n# not a heading of this file"
CHANGELOG = f"# Changelog\n\n## Unreleased\n\n{NOTES}\n\n## 0.0.1 (2026-11-01)\n\n* The first.\n"


@pytest.fixture
def root(tmp_path):
    for name in ("pyproject.toml", "CITATION.cff"):
        shutil.copy(ROOT / name, tmp_path)
    (tmp_path / "CHANGELOG.md").write_text(CHANGELOG)
    git(tmp_path, "init", "--quiet", "--initial-branch=main")
    for name, value in (("name", "A"), ("email", "a@example.org")):
        git(tmp_path, "config", f"user.{name}", value)
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "--message", "Before")
    return tmp_path


def test_what_was_unreleased_is_numbered_dated_and_tagged(root):
    assert release(root, "9.1.0", "2026-12-01") == "v9.1.0"
    assert read_version(root) == "9.1.0"
    assert "version: 9.1.0\ndate-released: 2026-12-01\n" in (root / "CITATION.cff").read_text()
    assert read_notes(root, "9.1.0") == NOTES
    assert git(root, "tag", "--list", "--format=%(contents)") == NOTES
    assert git(root, "log", "--format=%s") == "Version 9.1.0\nBefore"
    (root / "CHANGELOG.md").write_text(
        (root / "CHANGELOG.md").read_text().replace("Unreleased\n", "Unreleased\n\n* More.\n")
    )
    git(root, "commit", "--all", "--quiet", "--message", "More")
    release(root, "9.2.0", "2026-12-02")
    assert (root / "CITATION.cff").read_text().count("date-released") == 1
    assert read_notes(root, "9.2.0") == "* More."
    assert read_notes(root, "9.1.0") == NOTES


@pytest.mark.parametrize(
    ("version", "change", "says"),
    [
        ("0.0.9", None, "name a later one"),
        ("9.1", "tag", "exists"),
        ("v9.1.0", None, "not v9.1.0"),
        ("nine", None, "is no version"),
        ("9.1.0", "dirty", "not committed"),
        ("9.1.0", "nothing", "has nothing under"),
        ("9.1.0", "no version", "CITATION.cff does not name"),
    ],
)
def test_it_is_refused_in_a_sentence_and_nothing_changes(root, version, change, says):
    if change == "tag":
        git(root, "tag", f"v{version}")
    if change == "dirty":
        (root / "new.txt").write_text("")
    if change == "nothing":
        (root / "CHANGELOG.md").write_text(CHANGELOG.replace(NOTES, ""))
    if change == "no version":
        (root / "CITATION.cff").write_text("title: evalsite\n")
    before = {path.name: path.read_bytes() for path in root.iterdir() if path.is_file()}
    with pytest.raises(GiveUp, match=says):
        release(root, version, "2026-12-01")
    assert {path.name: path.read_bytes() for path in root.iterdir() if path.is_file()} == before
    assert git(root, "log", "--format=%s") == "Before"


@pytest.mark.parametrize("arguments", [[], ["--help"], ["1.0", "2.0"]])
def test_without_a_version_it_says_how_to_name_one(arguments):
    with pytest.raises(GiveUp, match="Name the version"):
        main(arguments)


def test_the_files_that_name_the_version_agree():
    assert f"\nversion: {read_version()}\n" in (ROOT / "CITATION.cff").read_text()
