"""A file that was imported before comes again: its games are kept with what not everybody could hear.

Versions before 2026-11 left that out. Games stay as they are, whoever rates them.
"""

import msgspec
from django.db import transaction
from django.utils.translation import gettext as _

from discussions.core.records import Fault
from discussions.imports.actions.reading import batches, look_through
from discussions.imports.actions.storing import PreparedGame, add_missing_tracks
from discussions.models import Transcript
from discussions.transcripts.actions import record_act
from discussions.transcripts.core.reader import ReadTally
from discussions.transcripts.queries import load_read_options
from workspace.blob_store import BytesLost, load_bytes
from workspace.core.words import for_storage
from workspace.jobs.actions import Clock, fail, finish, renew
from workspace.models import Job, Project


def keep_private(*, job: Job, clock: Clock) -> None:
    """Read the job's file, and keep what is private of stored games that have none of it. Raises JobLost."""
    key = int(job.subject.partition(":")[2])
    transcript = Transcript.objects.select_related("project", "iteration__rubric_version").get(pk=key)
    try:
        data = load_bytes(transcript.sha256)
    except BytesLost:
        reason = _("The uploaded file is damaged or gone from the server's disk. Upload it again.")
        fail(job=job, code="bytes_lost", reason=reason, now=clock())
        return
    plan, lease = look_through(job, transcript, data, load_read_options(transcript), clock)
    for batch in batches(plan, ReadTally(plan), transcript.name, None):
        with transaction.atomic():
            renew(job=job, now=clock(), lease=lease)
            _add_tracks(transcript, batch, job, clock, plan.options.limits.faults)
    finish(job=job, now=clock())


def _add_tracks(transcript: Transcript, games: list[PreparedGame], job: Job, clock: Clock, most: int) -> None:
    Project.objects.select_for_update(no_key=True).get(pk=transcript.project_id)
    with for_storage():
        added = add_missing_tracks(transcript.project_id, games)
    if not added:
        return
    row = Transcript.objects.select_for_update(no_key=True).get(pk=transcript.pk)
    known = msgspec.json.decode(row.faults, type=list[Fault])
    row.faults = msgspec.json.encode([*known, *added][:most]).decode()
    row.save(update_fields=["faults"])
    detail = {"games": len(added)}
    record_act(verb="transcript:private_added", transcript=row, by=job.created_by, now=clock(), detail=detail)
