"""Imports a project archive: all of it or nothing, and only if all checks hold afterwards."""

from collections.abc import Iterable
from datetime import datetime
from typing import IO

import msgspec
from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef, Q
from django.utils.translation import gettext as _
from msgspec import Struct

from discussions.archives.actions.loader import FAULTS_OF_DATA, KnownMember, Loader
from discussions.archives.core.members import ArchivedEvent
from discussions.archives.core.zip_reader import ArchiveLimits, OpenArchive, open_archive, refuse, reject
from discussions.archives.queries.tables import TABLES
from discussions.metrics.actions import ask_to_measure
from discussions.models import Game, Iteration, Measured, Transcript
from discussions.models.manual_figures import paid
from workspace.audit.actions import record_event
from workspace.audit.queries import hash_first_seals
from workspace.blob_store import BytesLost, drop_bytes, load_start, store_bytes
from workspace.checks.core import Check, run_check
from workspace.core.identifiers import is_slug
from workspace.core.refusals import Conflict, Unacceptable
from workspace.database.snapshot import allow_long_pauses
from workspace.models import Event, Job, Membership, Person, Project
from workspace.people.permissions import check_manage_people

MOST_BREACHES = 5
KINDS = frozenset({*(table.kind for table in TABLES.values()), str(ArchivedEvent.__struct_config__.tag)})


class ImportedArchive(Struct, frozen=True):
    """What an import made: the project, how many lines of each kind there were, and what it added for all projects.

    `new_people` and `new_versions` did not exist before. `known_members` had accounts before; their memberships ended
    with the import unless `keeps_roles`. `seals_hold` says that the audit log was first sealed with this installation's
    key, and that the seals hold.
    """

    project: Project
    counts: dict[str, int]
    upload_count: int
    new_people: list[str]
    new_versions: list[str]
    known_members: list[KnownMember]
    keeps_roles: bool
    seals_hold: bool


def import_archive(
    *,
    file: IO[bytes],
    slug: str = "",
    keeps_roles: bool = False,
    checks: Iterable[Check],
    by: Person,
    now: datetime,
) -> ImportedArchive:
    """Make the project of an archive, under another short name if `slug` is given.

    People who have an account here get no role from it, unless `keeps_roles`: their memberships are ended. `checks` run
    on the whole installation before anything is committed. Raises NotAllowed, Unacceptable if the file is no archive or
    has wrong lines, and Conflict if the project is here already or the short name is taken.
    """
    check_manage_people(by)
    archive = open_archive(file, KINDS, ArchiveLimits(**settings.ARCHIVE_LIMITS))
    _check_place(archive, slug)
    stored: list[str] = []
    try:
        with transaction.atomic():
            allow_long_pauses()
            loader = Loader(archive, slug, by, now, keeps_roles=keeps_roles)
            project = loader.load()
            _name_jobs(project)
            Game.objects.filter(project=project).update(paid_usd=paid())
            upload_count = _keep_uploads(archive, project, stored)
            _measure_missing(project, by, now)
            _record_ended(project, by, now)
            _record(project, loader, by, now)
            _run_checks(checks, now)
    except BaseException:
        for sha256 in stored:
            if not Transcript.objects.filter(sha256=sha256).exists():
                drop_bytes(sha256)
        raise
    return ImportedArchive(
        project=project,
        counts=loader.counts,
        upload_count=upload_count,
        new_people=loader.new_people,
        new_versions=loader.new_versions,
        known_members=loader.known_members,
        keeps_roles=keeps_roles,
        seals_hold=loader.seals_hold,
    )


def _check_new(archive: OpenArchive) -> None:
    """Refuse a project of this installation, or one that it imported: its audit log has the same first line."""
    first = next(archive.read_lines(str(ArchivedEvent.__struct_config__.tag)), b"")
    try:
        mac = msgspec.json.decode(first, type=ArchivedEvent).first.mac
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return  # the loader says what is wrong with the line, and where
    same = Event.objects.filter(Q(mac=mac) | Q(first_seal__mac=mac), seq=1, chain__project__isnull=False)
    slug = same.values_list("chain__project__slug", flat=True).first()
    if slug is not None:
        raise Conflict(
            _(
                "This installation has this project already. There is a project with the short name “%(slug)s” here, "
                "which is the same one, so nothing is imported, also not under another short name (--slug). Import "
                "the archive into another installation to see its state there."
            )
            % {"slug": slug},
            code="project_here",
        )


def _check_place(archive: OpenArchive, slug: str) -> None:
    """Whether the project can be added here under that short name, its own where it is empty."""
    if slug and not is_slug(slug):
        raise Unacceptable(
            _("Write a short name of small letters, digits and hyphens, such as mafia-2026; “new” is taken."),
            field="slug",
        )
    _check_new(archive)
    slug = slug or archive.manifest.project
    if Project.objects.filter(slug=slug).exists():
        raise Conflict(
            _(
                "There is a project with the short name “%(slug)s” here, and it is another one. Give the imported one "
                "a free short name with --slug."
            )
            % {"slug": slug},
            code="slug_taken",
        )


def _name_jobs(project: Project) -> None:
    """Name the jobs that read uploads by these, so that an upload is resumed under the same job."""
    for upload, job in Transcript.objects.filter(project=project).values_list("pk", "job"):
        Job.objects.filter(pk=job).update(subject=f"transcript:{upload}")


def _keep_uploads(archive: OpenArchive, project: Project, stored: list[str]) -> int:
    wanted = set(Transcript.objects.filter(project=project).values_list("sha256", flat=True))
    count = 0
    for sha256, data in archive.read_uploads():
        if sha256 not in wanted:
            raise reject(f"bytes/{sha256}", "no upload of the project has these bytes", "bytes")
        if not _is_kept(sha256):
            stored.append(sha256)
        store_bytes(data)
        wanted.discard(sha256)
        count += 1
    if wanted:
        raise refuse(
            f"bytes/{min(wanted)}", "an upload of the project has these bytes, and they are missing", "bytes"
        )
    return count


def _is_kept(sha256: str) -> bool:
    try:
        load_start(sha256, 1)
    except BytesLost:
        return False
    return True


def _measure_missing(project: Project, by: Person, now: datetime) -> None:
    done = Measured.objects.filter(game=OuterRef("pk"), rubric_version=OuterRef("iteration__rubric_version"))
    waiting = Game.objects.filter(~Exists(done), project=project).values("iteration")
    for iteration in Iteration.objects.filter(Q(pk__in=waiting)).select_related("project", "rubric_version"):
        ask_to_measure(iteration=iteration, by=by, now=now)


def _record_ended(project: Project, by: Person, now: datetime) -> None:
    ended = Membership.objects.filter(project=project, ended_at=now, ended_by=by)
    for key, person in ended.order_by("pk").values_list("pk", "person"):
        record_event(
            "membership:ended",
            ("membership", key),
            by=by,
            now=now,
            project=project,
            detail={"person": person, "by_import": True},
        )


def _record(project: Project, loader: Loader, by: Person, now: datetime) -> None:
    """Record it in the log of the installation: the project's log continues where the archive's ends."""
    manifest = loader.archive.manifest
    record_event(
        "project:imported",
        project,
        by=by,
        now=now,
        project=None,
        detail={
            "slug": project.slug,
            "archive": manifest.project,
            "product_version": manifest.product_version,
            "lines": manifest.audit_head.seq,
            "seal": manifest.audit_head.mac,
            "seals_hold": loader.seals_hold,
            "first_seals": hash_first_seals(project.pk),
            "roles": [f"{member.email}: {member.role}" for member in loader.known_members],
            "keeps_roles": loader.keeps_roles,
        },
    )


def _run_checks(checks: Iterable[Check], now: datetime) -> None:
    breaches: list[str] = []
    for check in checks:
        try:
            breaches += run_check(check, now).breaches
        except FAULTS_OF_DATA as fault:
            breaches.append(f"“{check.says}” could not be checked: {fault!r}.")
    if breaches:
        shown = " ".join(breaches[:MOST_BREACHES])
        raise Unacceptable(
            _(
                "What would be imported does not hold together, so nothing was: %(shown)s Run manage.py verify in both "
                "installations, repair what it names, and make the archive again."
            )
            % {"shown": shown},
            code="breaches",
            detail={"breaches": breaches},
        )
