"""Files whose columns are not known, and mappings of them."""

from datetime import datetime

from discussions.imports.actions.columns import map_columns
from discussions.models import ColumnMapping, Transcript
from discussions.transcripts.core.readers.columns import MappingRecord
from tests.factories.people import NOW
from tests.factories.text_formats import COLUMNS, FIELDS, TABLE
from tests.factories.transcripts import upload
from workspace.models import Person, Project


def upload_table(
    *, project: Project, by: Person, data: bytes = TABLE, name: str = "table.csv", now: datetime = NOW
) -> Transcript:
    """A CSV file that was uploaded; its columns are not known."""
    return upload(project=project, by=by, games=data, name=name, now=now)


def make_mapping(*, project: Project, by: Person, now: datetime = NOW) -> ColumnMapping:
    """The columns of such a file, mapped."""
    table = upload_table(project=project, by=by, now=now)
    mapping = MappingRecord(columns=COLUMNS, fields=FIELDS)
    return map_columns(transcript=table, mapping=mapping, by=by, now=now)
