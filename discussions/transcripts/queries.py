"""What an import reads from its project: mappings of columns, and options for reading files."""

import msgspec
from django.conf import settings
from django.db.models import Sum

from discussions.models import ColumnMapping, Transcript
from discussions.transcripts.core.formats import find_format
from discussions.transcripts.core.layouts import ReadOptions
from discussions.transcripts.core.notes import Limits
from discussions.transcripts.core.readers.columns import MappingRecord
from workspace.core.canonical import bytes_hash
from workspace.models import Project


def load_mappings(project: Project) -> list[MappingRecord]:
    """The mappings in force in the project, newest first."""
    rows = ColumnMapping.objects.filter(project=project, removed_at=None).order_by("-pk")
    return [mapping_record(row) for row in rows]


def load_own_mappings(transcript: Transcript) -> list[MappingRecord]:
    """The mappings in force that were made for this very file."""
    rows = ColumnMapping.objects.filter(transcript=transcript, removed_at=None)
    return [msgspec.structs.replace(mapping_record(row), is_own=True) for row in rows]


def mapping_record(row: ColumnMapping) -> MappingRecord:
    fields = msgspec.json.decode(row.fields, type=dict[str, str])
    return MappingRecord.of_written(msgspec.json.decode(row.columns, type=list[str]), fields)


def load_read_options(transcript: Transcript) -> ReadOptions:
    """How the bytes of the transcript are read: its limits, its rubric's roles, its format, the project's columns."""
    rubric = transcript.iteration.rubric_version.to_record()
    return ReadOptions(
        limits=Limits(**settings.TRANSCRIPT_LIMITS),
        role_map=rubric.lists.get("role_map", {}),
        named=find_format(transcript.named_format.partition("@")[0]),
        encoding=transcript.named_encoding,
        columns=load_mappings(transcript.project),
        own=load_own_mappings(transcript),
    )


def count_file_bytes(project: Project) -> int:
    """The number of bytes of a project's uploaded files. A file that was also imported separately counts once."""
    rows = Transcript.objects.filter(project=project, is_separate=False)
    return int(rows.aggregate(bytes=Sum("byte_count"))["bytes"] or 0)


def count_new_bytes(project: Project, files: list[bytes]) -> int:
    """The total size of those files that the project does not hold yet."""
    sizes = {bytes_hash(data): len(data) for data in files}
    known = Transcript.objects.filter(project=project, sha256__in=sizes).values_list("sha256", flat=True)
    return sum(size for sha256, size in sizes.items() if sha256 not in set(known))
