"""The mappings of columns that a project keeps, as readers take them."""

import msgspec

from discussions.models import ColumnMapping
from discussions.transcripts.core.readers.columns import MappingRecord
from workspace.models import Project


def load_mappings(project: Project) -> list[MappingRecord]:
    """The mappings that count in the project, the newest first."""
    rows = ColumnMapping.objects.filter(project=project, removed_at=None).order_by("-pk")
    return [mapping_record(row) for row in rows]


def mapping_record(row: ColumnMapping) -> MappingRecord:
    """The mapping of a row."""
    return MappingRecord(
        columns=msgspec.json.decode(row.columns, type=list[str]),
        fields=msgspec.json.decode(row.fields, type=dict[str, str]),
    )
