"""Erasing a project: every row and file of it, with its audit log; a line in the log of accounts stays."""

from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Q

from discussions import models as games
from discussions.archives.queries.erasures import find_running, is_shared
from discussions.archives.queries.tables import OWN
from discussions.models import Transcript
from discussions.search.actions import delete_words
from rubric.models import ImpactPreview, SetFigures
from workspace import models
from workspace.audit.actions import delete_rows, end_passes, erase_details, record_event
from workspace.blob_store import drop_bytes
from workspace.exports.actions import drop_files
from workspace.jobs.actions import Clock, renew
from workspace.outbox.core import PASSWORD_RESET

BATCH = 1000
# Rows of a project that its archive leaves out, and the path from each to it; they go before the others.
LEFT_OUT: dict[Any, str] = {
    games.UnindexedGame: "game__project",
    games.ImportRun: "transcript__project",
    games.ImportDismissal: "transcript__project",
    games.TeamFigures: "project",
    SetFigures: "set__project",
    models.Export: "project",
    models.Delivery: "webhook__project",
    models.Webhook: "project",
    models.Notification: "project",
    models.StorageLimit: "project",
}


def erase_project(erasure: models.Erasure, job: models.Job, clock: Clock) -> bool:
    """Whether everything is gone; False while another job works on the project. What was done before stays done."""
    project = models.Project.with_erased.get(pk=erasure.row)
    if find_running(project):
        return False
    models.Project.with_erased.filter(pk=project.pk, erased_at=None).update(erased_at=clock())
    drop_files(exports=models.Export.objects.filter(project=project), now=clock())
    for upload in Transcript.with_erased.filter(project=project).order_by("pk"):
        if not is_shared(upload, outside=project):
            drop_bytes(upload.sha256)
    with transaction.atomic():
        renew(job=job, now=clock())
        _forget_told(project)
    for model, path in LEFT_OUT.items():
        _delete(erasure, model._base_manager.filter(**{path: project}), job, clock)
    _delete_words(project, job, clock)
    for table in reversed(OWN):
        if table.model not in (models.Project, models.Job):
            _delete(erasure, table.model._base_manager.filter(**{table.path: project}), job, clock)
    for model in (models.Invitation, models.Job):
        _delete(erasure, model._base_manager.filter(project=project), job, clock)
    with transaction.atomic():
        renew(job=job, now=clock())
        _leave_tombstone(erasure, project, clock())
    return True


def _delete(erasure: models.Erasure, rows: Any, job: models.Job, clock: Clock) -> None:
    """Delete the newest rows first: they name older ones of their table."""
    while True:
        with transaction.atomic():
            keys = list(rows.order_by("-pk").values_list("pk", flat=True)[:BATCH])
            if not keys:
                return
            renew(job=job, now=clock(), done_count=job.done_count + len(keys))
            delete_rows(erasure, rows.model._base_manager.filter(pk__in=keys))
            end_passes(erasure)


def _delete_words(project: models.Project, job: models.Job, clock: Clock) -> None:
    keys = list(games.Game.with_erased.filter(project=project).values_list("pk", flat=True))
    for start in range(0, len(keys), BATCH):
        with transaction.atomic():
            renew(job=job, now=clock())
            delete_words(keys[start : start + BATCH])


def _forget_told(project: models.Project) -> None:
    """Delete e-mails to people of the project, except for new passwords, and what may quote anything of it."""
    people = models.Person.objects.filter(memberships__project=project)
    invited = models.Invitation.objects.filter(project=project).values("email")
    to_them = Q(person__in=people) | Q(address__in=invited) | Q(subject__icontains=project.name)
    models.Email.objects.filter(to_them).exclude(purpose=PASSWORD_RESET).delete()
    models.KeptAnswer.objects.all().delete()


def _leave_tombstone(erasure: models.Erasure, project: models.Project, now: datetime) -> None:
    """Replace the project's audit log by one line, with its head and first seals, in that of the installation."""
    chain = models.Chain.objects.filter(project=project).first()
    if chain is None:
        return
    delete_rows(erasure, ImpactPreview.objects.all())
    first = models.Event.objects.filter(chain=chain, seq=1).select_related("first_seal").first()
    known = [first.mac, getattr(first, "first_seal", first).mac] if first else []
    delete_rows(erasure, models.FirstSeal.objects.filter(event__chain=chain))
    delete_rows(erasure, models.Event.objects.filter(chain=chain))
    head = chain.to_head()
    chain.delete()
    lines = models.Event.objects.filter(
        chain__project=None, object_kind="project", object_id=str(project.pk)
    ).exclude(detail="{}")
    changed = erase_details(erasure, lines.order_by("seq"), lambda _line: "{}")
    models.Project.with_erased.filter(pk=project.pk).update(
        name=f"erased-{project.pk}", slug=f"erased-{project.pk}"
    )
    detail = {
        "reason": erasure.reason,
        "chain": head.chain,
        "line_count": head.seq,
        "head": head.mac,
        "first": sorted(set(known)),
        "lines": changed,
    }
    record_event("project:erased", project, by=erasure.created_by, now=now, project=None, detail=detail)
    end_passes(erasure)
