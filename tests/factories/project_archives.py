"""Project archives: made through the real actions, and changed as somebody would who means ill."""

import hashlib
import io
import json
import zipfile
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from typing import Any

from discussions.archives.actions.imports import import_archive
from discussions.archives.actions.loader import Loader
from discussions.archives.core import BYTES, MANIFEST
from discussions.core.intake import FillRow
from discussions.management.commands.import_archive import NOT_OF_DATA
from discussions.management.commands.verify import CHECKS
from discussions.models import QueueDraw
from discussions.slots.queries import draw_games
from rubric.models.comparisons import ELSEWHERE
from tests.factories.categories import make_coded
from tests.factories.comparisons import RECORD_SCORES, make_set, review_with
from tests.factories.exports import write_export
from tests.factories.human_reviewers import begin, submitted
from tests.factories.intake import fill_by
from tests.factories.iterations import make_baseline, make_change, make_stage
from tests.factories.judges import make_judged
from tests.factories.people import NOW, make_lead
from tests.factories.verdicts import record, recorded_verdict
from workspace.checks.core import Check
from workspace.models import Person, Project
from workspace.people.actions.people import system_person

Members = dict[str, bytes]


def make_judged_project() -> tuple[Project, Person]:
    """A project with a stage, a verdict that supersedes another, a set with two reviews, and a judge of the game."""
    verdict = recorded_verdict()
    project, evaluator = verdict.game.project, verdict.created_by
    lead = make_lead(project=project)
    record(verdict.game, by=lead, reason="Looked at again.")
    make_judged(project, lead, [verdict.game.number])
    make_coded(verdict.game, lead)
    rules = fill_by(project, lead, FillRow("agent", 50, value="Ann"), rest=100)
    QueueDraw.objects.bulk_create(draw_games(rules=rules, games=[verdict.game.pk], now=NOW))
    stage = make_stage(project=project, by=lead)
    make_baseline(stage=stage)
    make_change(stage=stage)
    made = make_set(by=lead, people=[evaluator], elsewhere=1, authors={2: "some-model"})
    submitted(begin(made, by=evaluator))
    outside = made.reviewers.get(kind=ELSEWHERE)
    review_with(comparison=made.comparisons.get(), reviewer=outside, scores=RECORD_SCORES)
    return project, lead


_CHECKS = tuple(check for check in CHECKS if check.code not in NOT_OF_DATA)


def bring_in(
    data: bytes,
    slug: str = "",
    checks: Iterable[Check] = _CHECKS,
    *,
    keeps_roles: bool = False,
    now: datetime = NOW + timedelta(days=1),
) -> Loader:
    """Import the archive as the command does, a day after it was made."""
    return import_archive(
        file=io.BytesIO(data),
        slug=slug,
        keeps_roles=keeps_roles,
        checks=checks,
        by=system_person(now=now),
        now=now,
    )


def write_archive(project: Project, by: Person) -> bytes:
    """The bytes of the project's archive."""
    return write_export(project, by, "archive")


def read_members(data: bytes) -> Members:
    """Name -> bytes of every member."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def write_zip(members: Iterable[tuple[str, bytes]]) -> bytes:
    """A zip of members in that order, whatever they are."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, body in members:
            archive.writestr(name, body)
    return out.getvalue()


def list_members(members: Members, **changed: Any) -> bytes:
    """The archive of these members, with a manifest that fits them; `changed` are parts of it that are to differ."""
    manifest = json.loads(members[MANIFEST])
    rest = [name for name in members if name != MANIFEST]
    manifest["members"] = [
        {
            "byte_count": len(members[name]),
            "line_count": 0 if name.startswith(BYTES) else members[name].count(b"\n"),
            "name": name,
            "sha256": hashlib.sha256(members[name]).hexdigest(),
        }
        for name in rest
    ]
    body = json.dumps(manifest | changed, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return write_zip([*((name, members[name]) for name in rest), (MANIFEST, body.encode() + b"\n")])


def change_line(data: bytes, member: str, change: Callable[[dict[str, Any]], Any], line: int = 0) -> bytes:
    """The archive with one line changed, and a manifest that fits."""
    members = read_members(data)
    lines = members[f"rows/{member}.jsonl"].splitlines(keepends=True)
    row = json.loads(lines[line])
    change(row)
    body = json.dumps(row, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    lines[line] = body.encode() + b"\n"
    members[f"rows/{member}.jsonl"] = b"".join(lines)
    return list_members(members)
