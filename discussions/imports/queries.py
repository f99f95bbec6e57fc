"""The mapping that counts for the columns of a file."""

from msgspec.structs import replace

from discussions.models import ColumnMapping, Transcript
from discussions.transcripts.core.readers.columns import MappingRecord, columns_hash
from discussions.transcripts.core.readers.heads import find_aliases, propose_mapping
from discussions.transcripts.core.readers.tables import Table
from discussions.transcripts.queries import mapping_record


def kept_mapping(transcript: Transcript, columns: list[str]) -> ColumnMapping | None:
    rows = ColumnMapping.objects.select_related("created_by")
    return rows.filter(
        project=transcript.project, columns_sha256=columns_hash(columns), removed_at=None
    ).first()


def first_mapping(kept: ColumnMapping | None, table: Table) -> MappingRecord:
    """What the page shows first: the kept mapping, else what the names of the columns and their cells suggest."""
    if kept is not None:
        return mapping_record(kept)
    proposed = propose_mapping(table)
    return replace(proposed, aliases=find_aliases(table, proposed))
