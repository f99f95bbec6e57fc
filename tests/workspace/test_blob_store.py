"""Kept bytes are on disk, with the name that finds them, before anything names them."""

import os
from pathlib import Path

import pytest
from django.core.files.storage import default_storage

from workspace.blob_store import keep_file, new_file, store_bytes


@pytest.fixture
def synced(monkeypatch):
    """The files and folders that were written to disk, in order, and where each rename stands among them."""
    found, sync, replace = [], os.fsync, Path.replace

    def note_sync(handle):
        found.append(Path(f"/proc/self/fd/{handle}").readlink())
        sync(handle)

    def note_replace(part, where):
        found.append("renamed")
        return replace(part, where)

    monkeypatch.setattr(os, "fsync", note_sync)
    monkeypatch.setattr(Path, "replace", note_replace)
    return found


def test_file_then_its_name_then_its_new_folders_go_to_disk(synced, settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path
    sha256 = store_bytes(b"on disk")
    place = Path(default_storage.path(f"transcripts/{sha256[:2]}/{sha256}"))
    written = synced.index("renamed")
    assert synced[0].parent == Path(default_storage.path("incoming")) and written == 1
    assert {place.parent, place.parent.parent} <= set(synced[written + 1 :])


def test_folder_of_a_named_file_goes_to_disk(synced):
    with new_file() as part:
        part.write(b"table")
        keep_file(part, "exports/1.csv")
    folder = Path(default_storage.path("exports"))
    assert folder in synced[synced.index("renamed") + 1 :]
    assert (folder / "1.csv").read_bytes() == b"table"
