"""Recipes, by which files of rows are read, for programs."""

from typing import Any

import msgspec
from django.utils import timezone
from django.utils.translation import gettext as _
from msgspec.structs import replace
from pydantic import Field

from discussions.core.records import Fault
from discussions.imports.actions import columns as actions
from discussions.imports.labels import FIELD_LABELS
from discussions.imports.pages import ColumnsPage, Said, first_mapping
from discussions.imports.views import load_head, recipe_or_404
from discussions.models import ColumnMapping, Transcript
from discussions.transcripts.core.readers import columns as recipes
from discussions.transcripts.core.readers.heads import PathProfile
from discussions.transcripts.core.readers.row_kinds import Question, find_questions
from discussions.transcripts.core.readers.tables import Table
from discussions.transcripts.permissions import check_import_transcripts
from discussions.transcripts.queries import mapping_record
from discussions.transcripts.views import transcript_or_404
from workspace.core.refusals import Unacceptable
from workspace.models import Project
from workspace.web.bind_form import project_or_404
from workspace.web.endpoints import Answer, Given, Listed, Operations
from workspace.web.views import SignedIn

router = Operations()
RECIPES = "/projects/{slug:slug}/recipes/"
OF_FILE = "/projects/{slug:slug}/imports/{int:table}/columns/"


class MappingAnswer(Answer, of=ColumnMapping, fields="id name saved_by:created_by.name saved_at:created_at"):
    """A recipe that counts in the project. `columns` are those of the file that it was made with.

    `recipe` is its file, which another project takes.
    """

    columns: list[str]
    fields: dict[str, str]
    kinds: dict[str, str]
    aliases: dict[str, str]
    settings: dict[str, str]
    recipe: dict[str, Any]


class QuestionAnswer(Answer, of=Question, fields="value count sentence"):
    """Who could hear the rows with this value is not known: `kinds` answers it."""


class ReadMessageAnswer(Answer, of=Said, fields="number round name text"):
    """The beginning of a message of the first game: one of ten from its beginning, its middle and its end."""


class ReadFaultAnswer(Answer, of=Fault, fields="place code message is_warning"):
    """What the reader says of the first game."""


class PathAnswer(Answer, of=PathProfile, fields="path kind share distinct length longest named"):
    """What the first rows hold at one path. `kind` is number, time, yes or no, JSON or text, `share` the percentage of
    rows with a value; of the `distinct` values, so many are `named` like players. Lengths are in characters.
    """


class FileColumnsAnswer(
    Answer,
    of=ColumnsPage,
    fields="columns:table.columns rows is_part:table.is_part game_count:preview.game_count messages:said paths",
):
    """The columns of a file, and what its beginning becomes by these `fields`; nothing is stored of that.

    `fields` are those that were sent, else the kept recipe, else what the names of the columns suggest.
    `game_count` counts the games in the part of the file that was read; `is_part` says that the file is longer.
    """

    known_fields: list[str]
    fields: dict[str, str]
    kinds: dict[str, str]
    aliases: dict[str, str]
    settings: dict[str, str]
    questions: list[QuestionAnswer]
    is_kept: bool
    messages: list[ReadMessageAnswer]
    paths: list[PathAnswer]
    faults: list[ReadFaultAnswer]


class FieldsGiven(Given):
    """For each field its column, and for values of a type, an audience or a phase what such rows are.

    `aliases` are other names that texts use for players: "Mari" is "Marisol", "P*" is "Player*" (P1 is Player1).
    `settings` are an encoding, the list of an object that holds the rows, "none" where there are no rounds, "votes"
    where they begin after votes, "one" or "several" games where rounds begin again, and what stands between name and
    text of a line, or its templates.

    `is_preview` only shows what that gives, and stores nothing.
    """

    fields: dict[str, str] = Field(max_length=len(FIELD_LABELS))
    kinds: dict[str, recipes.Kind] = Field(default={}, max_length=100)
    aliases: dict[str, str] = Field(default={}, max_length=100)
    settings: dict[recipes.Setting, str] = {}
    is_preview: bool = False


class RecipeGiven(Given):
    """A recipe, as its file says it. One with the same name or for the same columns is replaced."""

    recipe: dict[str, Any]


class NameGiven(Given):
    """Another name of a recipe."""

    name: str = Field(min_length=1, max_length=100)


@router.get(RECIPES, "api_recipes", "import_transcripts")
def list_recipes(request: SignedIn, slug: str) -> Listed[MappingAnswer]:
    """List the recipes of a project, newest first."""
    project = project_or_404(request.user, slug, check_import_transcripts)
    rows = ColumnMapping.objects.filter(project=project, removed_at=None)
    rows = rows.select_related("created_by").order_by("-pk")
    return Listed[MappingAnswer](items=[_mapping(row) for row in rows])


@router.post(RECIPES, "api_recipes", "import_transcripts", "import")
def keep_recipe(request: SignedIn, slug: str, given: RecipeGiven) -> MappingAnswer:
    """Add a recipe. Files of the project that wait and fit it are read."""
    return _keep(request, project_or_404(request.user, slug, check_import_transcripts), given)


@router.get(RECIPES + "{int:mapping}/", "api_recipe", "import_transcripts")
def show_recipe(request: SignedIn, slug: str, mapping: int) -> MappingAnswer:
    """Read a recipe."""
    return _mapping(recipe_or_404(request, slug, mapping))


@router.put(RECIPES + "{int:mapping}/", "api_recipe", "import_transcripts", "import")
def replace_recipe(request: SignedIn, slug: str, mapping: int, given: RecipeGiven) -> MappingAnswer:
    """Replace a recipe. The new one has an id of its own; files of the project that wait and fit it are read."""
    row = recipe_or_404(request, slug, mapping)
    return _keep(request, row.project, given, row)


@router.delete(RECIPES + "{int:mapping}/", "api_recipe", "import_transcripts", "import")
def delete_recipe(request: SignedIn, slug: str, mapping: int) -> MappingAnswer:
    """Remove a recipe. The next file that needs it waits."""
    row = recipe_or_404(request, slug, mapping)
    actions.remove_mapping(mapping=row, by=request.user, now=timezone.now())
    return _mapping(row)


@router.post(RECIPES + "{int:mapping}/rename/", "api_recipe_rename", "import_transcripts", "import")
def rename(request: SignedIn, slug: str, mapping: int, given: NameGiven) -> MappingAnswer:
    """Give a recipe another name."""
    row = recipe_or_404(request, slug, mapping)
    actions.rename_recipe(mapping=row, name=given.name, by=request.user, now=timezone.now())
    return _mapping(row)


@router.get(OF_FILE, "api_file_columns", "import_transcripts")
def show_columns(request: SignedIn, slug: str, table: int) -> FileColumnsAnswer:
    """Read the columns of a file that was uploaded, and the recipe that would be used."""
    found = transcript_or_404(request, slug, table)
    rows = load_head(found)
    return _columns(found, rows, first_mapping(found, rows))


@router.post(OF_FILE, "api_file_columns", "import_transcripts", "import", costs="computations")
def map_columns(request: SignedIn, slug: str, table: int, given: FieldsGiven) -> FileColumnsAnswer:
    """Say what the columns of a file mean.

    The recipe is stored for the project, and every file of it that waits for these columns is read.
    """
    found = transcript_or_404(request, slug, table)
    settings: dict[str, str] = {setting: said for setting, said in given.settings.items() if said}
    rows = load_head(found, settings)
    kinds = {value.casefold(): kind for value, kind in given.kinds.items()}
    mapping = recipes.MappingRecord(
        rows.columns, _check_fields(given.fields, rows), dict(kinds), given.aliases, settings
    )
    if (given.aliases or settings) and (fault := recipes.find_fault(mapping)):
        raise Unacceptable(fault, code="no_recipe")
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
        if not recipes.split_columns(column, rows.columns):
            says = _("The file has no column “%(column)s”.")
            raise Unacceptable(says % {"column": column[:60]}, field=f"fields.{field}", code="no_column")
    if len(set(given.values())) < len(given):
        raise Unacceptable(_("A column is chosen twice."), field="fields", code="chosen_twice")
    return {field: given[field] for field in FIELD_LABELS if field in given}


def _keep(
    request: SignedIn, project: Project, given: RecipeGiven, replaces: ColumnMapping | None = None
) -> MappingAnswer:
    try:
        name, mapping = recipes.read_recipe(msgspec.json.encode(given.recipe))
    except ValueError as reason:
        raise Unacceptable(str(reason), field="recipe", code="no_recipe") from None
    now = timezone.now()
    kept = actions.keep_recipe(
        project=project, name=name, mapping=mapping, by=request.user, now=now, replaces=replaces
    )
    return _mapping(kept)


def _mapping(row: ColumnMapping) -> MappingAnswer:
    record = mapping_record(row)
    recipe = msgspec.json.decode(recipes.write_recipe(row.name, record))
    return MappingAnswer.read(row, recipe=recipe, columns=record.columns, **_said(record))


def _said(record: recipes.MappingRecord) -> dict[str, dict[str, str]]:
    return {name: getattr(record, name) for name in ("fields", "kinds", "aliases", "settings")}


def _columns(transcript: Transcript, rows: Table, mapping: recipes.MappingRecord) -> FileColumnsAnswer:
    page = ColumnsPage(transcript=transcript, table=rows, mapping=mapping)
    return FileColumnsAnswer.read(
        page,
        known_fields=list(FIELD_LABELS),
        **_said(mapping),
        questions=[QuestionAnswer.read(question) for question in find_questions(rows, mapping)],
        is_kept=page.kept is not None
        and replace(mapping_record(page.kept), columns=[]) == replace(mapping, columns=[]),
        faults=[*page.preview.faults, *page.preview.warnings],
    )
