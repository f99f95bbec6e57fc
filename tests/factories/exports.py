"""Exports, asked for and written through the real actions."""

import io
import json
import zipfile
from typing import Any

from discussions.exports.actions import request_project_export, write_export_at_once
from tests.factories.people import NOW
from workspace.jobs.actions import run_job
from workspace.models import Export, Person, Project


def write_export(
    project: Project, by: Person, format_name: str = "jsonl", of: str = "", **given: Any
) -> bytes:
    """The bytes of an export that is written at once."""
    out = io.BytesIO()
    write_export_at_once(out=out, project=project, of=of, format=format_name, by=by, now=NOW, **given)
    return out.getvalue()


def read_lines(data: bytes, kind: str = "") -> list[dict[str, Any]]:
    """The lines of a JSONL export, those of one kind if it is named."""
    rows = [json.loads(line) for line in data.splitlines()]
    return [row for row in rows if kind in ("", row["kind"])]


def unzip(data: bytes) -> dict[str, str]:
    """The files of a zip by name, as texts."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist()}


def ask_export(project: Project, by: Person, *, format_name: str = "jsonl", of: str = "", now=NOW) -> Export:
    """An export that waits for a worker."""
    return request_project_export(project=project, of=of, format=format_name, by=by, now=now)


def make_export(project: Project, by: Person, *, now=NOW, **given: Any) -> Export:
    """An export whose file is ready."""
    asked = ask_export(project, by, now=now, **given)
    run_job(job=asked.job_id, clock=lambda: now)
    return Export.objects.select_related("project", "job").get(pk=asked.pk)
