"""What the columns of CSV and JSONL files mean, for programs."""

from typing import Literal

from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.translation import gettext as _
from msgspec.structs import replace
from pydantic import Field

from discussions.core.records import Fault
from discussions.imports.actions import columns as actions
from discussions.imports.labels import FIELD_LABELS
from discussions.imports.pages import ColumnsPage, Said, build_columns_page
from discussions.imports.queries import first_mapping, kept_mapping
from discussions.imports.views import load_head
from discussions.models import ColumnMapping, Transcript
from discussions.transcripts.core.readers.aliases import is_pair
from discussions.transcripts.core.readers.columns import MappingRecord, split_columns
from discussions.transcripts.core.readers.row_kinds import Question, find_questions
from discussions.transcripts.core.readers.tables import Table
from discussions.transcripts.permissions import check_import_transcripts
from discussions.transcripts.queries import mapping_record
from discussions.transcripts.views import transcript_or_404
from workspace.core.refusals import Unacceptable
from workspace.web.bind_form import project_or_404
from workspace.web.endpoints import Answer, Given, Listed, Operations
from workspace.web.require import SignedIn

router = Operations()
PATH = "/projects/{slug:slug}/columns/"
OF_FILE = "/projects/{slug:slug}/imports/{int:table}/columns/"


class MappingAnswer(Answer, of=ColumnMapping, fields="id saved_by:created_by.name saved_at:created_at"):
    """A mapping that counts in the project: for files with exactly these columns, field by field the column."""

    columns: list[str]
    fields: dict[str, str]
    kinds: dict[str, str]
    aliases: dict[str, str]


class QuestionAnswer(Answer, of=Question, fields="value count sentence"):
    """Who could hear the rows with this value is not known: `kinds` answers it."""


class ReadMessageAnswer(Answer, of=Said, fields="number round name text"):
    """The beginning of a message of the first game: one of ten from its beginning, its middle and its end."""


class ReadFaultAnswer(Answer, of=Fault, fields="place code message is_warning"):
    """What the reader says of the first game."""


class FileColumnsAnswer(
    Answer, of=ColumnsPage, fields="columns rows is_part game_count:preview.game_count messages:preview.said"
):
    """The columns of a file, and what its beginning becomes by these `fields`; nothing is stored of that.

    `fields` are those that were sent, else the kept mapping, else what the names of the columns suggest.
    `game_count` counts the games in the part of the file that was read; `is_part` says that the file is longer.
    """

    known_fields: list[str]
    fields: dict[str, str]
    kinds: dict[str, str]
    aliases: dict[str, str]
    questions: list[QuestionAnswer]
    is_kept: bool
    messages: list[ReadMessageAnswer]
    faults: list[ReadFaultAnswer]


class FieldsGiven(Given):
    """For each field its column, and for values of a type, an audience or a phase what such rows are.

    `aliases` are other names that texts use for players: "Mari" is "Marisol", "P*" is "Player*" (P1 is Player1).

    `is_preview` only shows what that gives, and stores nothing.
    """

    fields: dict[str, str] = Field(max_length=len(FIELD_LABELS))
    kinds: dict[str, Literal["speech", "vote", "elimination", "private", "thought", "ignore"]] = Field(
        default={}, max_length=100
    )
    aliases: dict[str, str] = Field(default={}, max_length=100)
    is_preview: bool = False


@router.get(PATH, "api_mappings", "import_transcripts")
def list_mappings(request: SignedIn, slug: str) -> Listed[MappingAnswer]:
    """List the mappings of columns of a project, newest first."""
    project = project_or_404(request.user, slug, check_import_transcripts)
    rows = ColumnMapping.objects.filter(project=project, removed_at=None)
    rows = rows.select_related("created_by").order_by("-pk")
    return Listed[MappingAnswer](items=[_mapping(row) for row in rows])


@router.post(PATH + "{int:mapping}/remove/", "api_mapping_remove", "import_transcripts", "import")
def remove(request: SignedIn, slug: str, mapping: int) -> MappingAnswer:
    """Forget a mapping of columns. The next file with these columns waits."""
    project = project_or_404(request.user, slug, check_import_transcripts)
    rows = ColumnMapping.objects.select_related("project", "created_by")
    row = get_object_or_404(rows, pk=mapping, project=project)
    actions.remove_mapping(mapping=row, by=request.user, now=timezone.now())
    return _mapping(row)


@router.get(OF_FILE, "api_file_columns", "import_transcripts")
def show_columns(request: SignedIn, slug: str, table: int) -> FileColumnsAnswer:
    """Read the columns of a file that was uploaded, and the mapping that would be used."""
    found = transcript_or_404(request, slug, table)
    rows = load_head(found)
    return _columns(found, rows, first_mapping(kept_mapping(found, rows.columns), rows))


@router.post(OF_FILE, "api_file_columns", "import_transcripts", "import", costs="computations")
def map_columns(request: SignedIn, slug: str, table: int, given: FieldsGiven) -> FileColumnsAnswer:
    """Say what the columns of a file mean.

    The mapping is stored for the project, and every file of it that waits for these columns is read.
    """
    found = transcript_or_404(request, slug, table)
    rows = load_head(found)
    kinds = {value.casefold(): kind for value, kind in given.kinds.items()}
    wrong = next((pair for pair in given.aliases.items() if not is_pair(*pair)), None)
    if wrong:
        says = _("“%(alias)s” and “%(name)s” are no pair: both end with * or none does.")
        raise Unacceptable(
            says % dict(zip(("alias", "name"), wrong, strict=True)), field="aliases", code="no_pair"
        )
    mapping = MappingRecord(rows.columns, _check_fields(given.fields, rows), dict(kinds), given.aliases)
    if not given.is_preview:
        actions.map_columns(transcript=found, mapping=mapping, by=request.user, now=timezone.now())
    return _columns(found, rows, mapping)


def _check_fields(given: dict[str, str], rows: Table) -> dict[str, str]:
    """The fields in the order of the page, as its form checks them."""
    for field, column in given.items():
        if field not in FIELD_LABELS:
            says = _("There is no field “%(field)s”. Use one of: %(fields)s.")
            known = {"field": field[:60], "fields": ", ".join(FIELD_LABELS)}
            raise Unacceptable(says % known, field="fields", code="unknown_field")
        if not split_columns(column, rows.columns):
            says = _("The file has no column “%(column)s”.")
            raise Unacceptable(says % {"column": column[:60]}, field=f"fields.{field}", code="no_column")
    if len(set(given.values())) < len(given):
        raise Unacceptable(_("A column is chosen twice."), field="fields", code="chosen_twice")
    return {field: given[field] for field in FIELD_LABELS if field in given}


def _mapping(row: ColumnMapping) -> MappingAnswer:
    record = mapping_record(row)
    return MappingAnswer.read(
        row, columns=record.columns, fields=record.fields, kinds=record.kinds, aliases=record.aliases
    )


def _columns(transcript: Transcript, rows: Table, mapping: MappingRecord) -> FileColumnsAnswer:
    page = build_columns_page(transcript=transcript, table=rows, mapping=mapping)
    return FileColumnsAnswer.read(
        page,
        known_fields=list(FIELD_LABELS),
        fields=mapping.fields,
        kinds=mapping.kinds,
        aliases=mapping.aliases,
        questions=[QuestionAnswer.read(question) for question in find_questions(rows, mapping)],
        is_kept=page.kept is not None
        and replace(mapping_record(page.kept), columns=[]) == replace(mapping, columns=[]),
        faults=[*page.preview.faults, *page.preview.warnings],
    )
