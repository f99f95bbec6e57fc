"""Imports a project archive: all of it or nothing, and only if all checks hold afterwards."""

from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime
from typing import IO

import msgspec
from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef, Q
from django.utils.translation import gettext as _

from discussions.archives.actions.loader import FAULTS_OF_DATA, Loader
from discussions.archives.core import ArchivedEvent, ArchiveLimits, OpenArchive, open_archive, refuse, reject
from discussions.archives.queries.tables import TABLES
from discussions.metrics.actions import ask_to_measure
from discussions.models import Game, Iteration, Measured, Transcript, UnindexedGame
from discussions.models.manual_figures import paid
from workspace.audit.actions import record_event
from workspace.audit.queries import hash_first_seals
from workspace.blob_store import BytesLost, drop_bytes, load_start, store_bytes
from workspace.checks.actions import read_details
from workspace.checks.core import Check, run_check
from workspace.core.refusals import Conflict, Unacceptable
from workspace.database.transactions import allow_long_pauses
from workspace.display.core.number_lists import format_numbers
from workspace.models import Event, Job, Membership, Person, Project
from workspace.people.actions.projects import check_slug
from workspace.people.permissions import check_manage_people

MOST_BREACHES = 5
KINDS = frozenset({*(table.kind for table in TABLES.values()), str(ArchivedEvent.__struct_config__.tag)})


def import_archive(
    *,
    file: IO[bytes],
    slug: str = "",
    keeps_roles: bool = False,
    checks: Iterable[Check],
    by: Person,
    now: datetime,
) -> Loader:
    """Make the project of an archive, under another short name if `slug` is given; return what was loaded.

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
            loader.load()
            project = loader.project
            # Jobs that read uploads are named by these, so that an upload is resumed under the same job.
            for upload, job in Transcript.objects.filter(project=project).values_list("pk", "job"):
                Job.objects.filter(pk=job).update(subject=f"transcript:{upload}")
            Game.objects.filter(project=project).update(paid_usd=paid())
            loader.upload_count = _keep_uploads(archive, project, stored)
            _refuse_erased(project)
            _measure_missing(project, by, now)
            UnindexedGame.objects.queue(Game.objects.filter(project=project).values_list("pk", flat=True))
            _record_import(loader)
            _run_checks(checks, now)
    except BaseException:
        for sha256 in stored:
            if not Transcript.objects.filter(sha256=sha256).exists():
                drop_bytes(sha256)
        raise
    return loader


def _check_place(archive: OpenArchive, slug: str) -> None:
    """Refuse a bad or taken short name, and a project of this installation or one that it imported.

    Such a project has the same first line in its audit log.
    """
    if slug:
        check_slug(slug)
    first = next(archive.read_lines(str(ArchivedEvent.__struct_config__.tag)), b"")
    # What is wrong with a line that cannot be read, and where, says the loader.
    with suppress(msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        mac = msgspec.json.decode(first, type=ArchivedEvent).first.mac
        if any(mac in detail["first"] for _key, detail in read_details("project:erased")):
            raise Conflict(
                _("This project was erased here, so nothing is imported."),
                code="erased",
            )
        same = Event.objects.filter(Q(mac=mac) | Q(first_seal__mac=mac), seq=1, chain__project__isnull=False)
        if here := same.values_list("chain__project__slug", flat=True).first():
            raise Conflict(
                _(
                    "This installation has this project already. There is a project with the short name “%(slug)s” "
                    "here, which is the same one, so nothing is imported, also not under another short name (--slug). "
                    "Import the archive into another installation to see its state there."
                )
                % {"slug": here},
                code="project_here",
            )
    slug = slug or archive.manifest.project
    if Project.objects.filter(slug=slug).exists():
        says = _(
            "There is a project with the short name “%(slug)s” here, and it is another one. Give the imported one "
            "a free short name with --slug."
        )
        raise Conflict(says % {"slug": slug}, code="slug_taken")


def _keep_uploads(archive: OpenArchive, project: Project, stored: list[str]) -> int:
    wanted = set(Transcript.objects.filter(project=project).values_list("sha256", flat=True))
    count = 0
    for sha256, data in archive.read_uploads():
        if sha256 not in wanted:
            raise reject(f"bytes/{sha256}", "no upload of the project has these bytes", "bytes")
        try:
            load_start(sha256, 1)
        except BytesLost:
            stored.append(sha256)
        store_bytes(data)
        wanted.discard(sha256)
        count += 1
    if wanted:
        raise refuse(
            f"bytes/{min(wanted)}", "an upload of the project has these bytes, and they are missing", "bytes"
        )
    return count


def _refuse_erased(project: Project) -> None:
    """Refuse an archive with games that were erased here: an import would bring them back."""
    erased = Game.with_erased.exclude(erased_at=None).exclude(project=project).values("content_sha256")
    back = Game.objects.filter(project=project, content_sha256__in=erased).order_by("number")
    if numbers := list(back.values_list("number", flat=True)):
        says = _(
            "The archive holds games that were erased here: %(numbers)s. Erase them where the archive comes from, "
            "and make it again."
        )
        raise Conflict(says % {"numbers": format_numbers(numbers)}, code="erased")


def _measure_missing(project: Project, by: Person, now: datetime) -> None:
    done = Measured.objects.filter(game=OuterRef("pk"), rubric_version=OuterRef("iteration__rubric_version"))
    waiting = Game.objects.filter(~Exists(done), project=project).values("iteration")
    for iteration in Iteration.objects.filter(Q(pk__in=waiting)).select_related("project", "rubric_version"):
        ask_to_measure(iteration=iteration, by=by, now=now)


def _record_import(loader: Loader) -> None:
    """Record in the project's log which memberships the import ended, and in that of the installation the import.

    The project's log continues where the archive's ends.
    """
    project, by, now, manifest = loader.project, loader.by, loader.now, loader.archive.manifest
    ended = Membership.objects.filter(project=project, ended_at=now, ended_by=by)
    for key, person in ended.order_by("pk").values_list("pk", "person"):
        row, told = ("membership", key), {"person": person, "by_import": True}
        record_event("membership:ended", row, by=by, now=now, project=project, detail=told)
    detail = {
        "slug": project.slug,
        "archive": manifest.project,
        "product_version": manifest.product_version,
        "lines": manifest.audit_head.seq,
        "seal": manifest.audit_head.mac,
        "seals_hold": loader.seals_hold,
        "first_seals": hash_first_seals(project.pk),
        "roles": [f"{email}: {role}" for email, role in loader.known_members],
        "keeps_roles": loader.keeps_roles,
    }
    record_event("project:imported", project, by=by, now=now, project=None, detail=detail)


def _run_checks(checks: Iterable[Check], now: datetime) -> None:
    breaches: list[str] = []
    for check in checks:
        try:
            breaches += run_check(check, now).breaches
        except FAULTS_OF_DATA as fault:
            breaches.append(f"“{check.says}” could not be checked: {fault!r}.")
    if breaches:
        shown = " ".join(breaches[:MOST_BREACHES])
        says = _(
            "What would be imported does not hold together, so nothing was: %(shown)s Run manage.py verify in both "
            "installations, repair what it names, and make the archive again."
        )
        raise Unacceptable(says % {"shown": shown}, code="breaches", detail={"breaches": breaches})
