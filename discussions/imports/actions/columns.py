"""Set what the columns of a project's files mean, and remove that again."""

from datetime import datetime

import msgspec
from django.db import transaction
from django.utils.translation import gettext as _

from discussions.models import ColumnMapping, Iteration, Transcript
from discussions.transcripts.actions import resume_import
from discussions.transcripts.core.readers.columns import MappingRecord, columns_hash, fits_columns, has_needed
from discussions.transcripts.core.readers.heads import HEAD_BYTES, MOST_BYTES, read_head
from discussions.transcripts.core.readers.tables import Table
from discussions.transcripts.permissions import check_import_transcripts
from discussions.transcripts.queries import mapping_record
from workspace.audit.actions import record_event
from workspace.blob_store import BytesLost, load_start
from workspace.core.refusals import Conflict, Unacceptable
from workspace.models import Person, Project


def load_head(transcript: Transcript) -> Table | None:
    """The rows at the beginning of the file, or of a whole game in one object. None if it has no rows or is lost."""
    for most in (HEAD_BYTES, MOST_BYTES):
        try:
            data = load_start(transcript.sha256, most)
        except BytesLost:
            return None
        is_part = transcript.byte_count > len(data)
        table = read_head(
            data, is_part=is_part, format_name=transcript.format, encoding=transcript.named_encoding
        )
        if table is not None or not is_part:
            return table
    return None


def map_columns(
    *, transcript: Transcript, mapping: MappingRecord, by: Person, now: datetime
) -> ColumnMapping:
    """Store a mapping for files with these columns; read again this file and the project's waiting files.

    It replaces an earlier mapping for these columns. Raises NotAllowed; Unacceptable without a player's or a text's
    column, or with a column that the file does not have.
    """
    check_import_transcripts(by, transcript.project)
    if not has_needed(mapping.fields):
        raise Unacceptable(_("Choose the columns of player and text."), code="columns_needed")
    if fits_columns(mapping.fields, mapping.columns):
        raise Unacceptable(_("A chosen column is not in this file. Choose another one."), code="no_column")
    with transaction.atomic():
        row = _keep(transcript, mapping, by, now)
        # Without a game, reading again cannot duplicate anything.
        Transcript.objects.filter(pk=transcript.pk, games=None).update(waits_for_columns=True)
        _read_waiting(transcript.project, by, now)
    return row


def remove_mapping(*, mapping: ColumnMapping, by: Person, now: datetime) -> None:
    """Forget a mapping: the next file with these columns waits. Raises NotAllowed; Conflict when it was removed."""
    check_import_transcripts(by, mapping.project)
    with transaction.atomic():
        found = ColumnMapping.objects.filter(pk=mapping.pk, removed_at=None)
        if not found.update(removed_at=now, removed_by=by):
            raise Conflict(_("This mapping was removed or changed meanwhile."), code="mapping_is_gone")
        record_event(
            "column_mapping:removed",
            mapping,
            by=by,
            now=now,
            detail={"fields": mapping_record(mapping).written},
        )


def _read_waiting(project: Project, by: Person, now: datetime) -> None:
    """Queue each file of the project that waits for columns, unless its iteration accepts no more games."""
    waiting = Transcript.objects.filter(project=project, waits_for_columns=True)
    waiting = waiting.filter(iteration__in=Iteration.objects.filter(project=project).taking_games())
    for transcript in waiting.select_related("project", "iteration").order_by("pk"):
        resume_import(transcript=transcript, by=by, now=now)


def _keep(transcript: Transcript, mapping: MappingRecord, by: Person, now: datetime) -> ColumnMapping:
    # Two people who map the same columns at once are serialised.
    Project.objects.select_for_update(no_key=True).get(pk=transcript.project_id)
    sha256 = columns_hash(mapping.columns)
    before = ColumnMapping.objects.filter(
        project=transcript.project, columns_sha256=sha256, removed_at=None
    ).first()
    detail: dict[str, object] = {"fields": mapping.written}
    if before is not None:
        detail["before"] = mapping_record(before).written
        if detail["before"] == detail["fields"]:
            return before
        ColumnMapping.objects.filter(pk=before.pk).update(removed_at=now, removed_by=by)
    row = ColumnMapping.objects.create(
        project=transcript.project,
        transcript=transcript,
        columns_sha256=sha256,
        columns=msgspec.json.encode(mapping.columns).decode(),
        fields=msgspec.json.encode(mapping.written).decode(),
        created_at=now,
        created_by=by,
    )
    record_event(
        "column_mapping:changed" if before else "column_mapping:saved", row, by=by, now=now, detail=detail
    )
    return row
