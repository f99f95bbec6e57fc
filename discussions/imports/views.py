"""The page that asks how a file is read, and the list of a project's recipes."""

import re
from collections.abc import Mapping
from typing import Any

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from msgspec.structs import replace

from discussions.imports.actions import columns as actions
from discussions.imports.forms import LINES, PREVIEW, ColumnsForm, NameForm, RecipeForm, settled
from discussions.imports.pages import ColumnsPage, first_mapping, list_mappings
from discussions.models import ColumnMapping, Transcript
from discussions.transcripts.core.decoding import ENCODINGS
from discussions.transcripts.core.readers.columns import (
    ENCODING,
    LIST,
    SEPARATOR,
    MappingRecord,
    write_recipe,
)
from discussions.transcripts.core.readers.heads import find_aliases, find_marks
from discussions.transcripts.core.readers.row_kinds import find_questions
from discussions.transcripts.core.readers.rows import find_restarts
from discussions.transcripts.core.readers.tables import Table
from discussions.transcripts.permissions import check_import_transcripts
from discussions.transcripts.queries import mapping_record
from discussions.transcripts.views import transcript_or_404
from workspace.core.refusals import NotAllowed, Refusal
from workspace.models import Project
from workspace.web.bind_form import add_refusal, bind_form, project_or_404
from workspace.web.form_page import form_page, press
from workspace.web.views import SignedIn, download, frame, require, respond

PAGE, REGION = "discussions/columns/map.html", "discussions/columns/_proposal.html"
RECIPES = "discussions/columns/list.html"


@require("import_transcripts", methods=("GET", "POST"), costs="computations")
def map_columns(request: SignedIn, slug: str, table: int) -> HttpResponse:
    """Say what the columns of a file mean. `do=preview` only shows the first game; saving leads to the import."""
    found = transcript_or_404(request, slug, table)
    posted = settled(request.POST)
    settings = {name: posted.get(name, "") for name in (ENCODING, LIST, SEPARATOR)}
    rows = load_head(found, settings | {SEPARATOR: settings[SEPARATOR] or posted.get(LINES, "")})
    before = first_mapping(found, rows)
    if request.method == "GET":
        form = ColumnsForm(table=rows, mapping=before, **_asked(rows, before))
        return _show(request, found, rows, form, before)
    # Which questions there are depends on the columns that are chosen.
    chosen = ColumnsForm(request.POST, table=rows, mapping=before).chosen()
    form = bind_form(request, ColumnsForm, table=rows, mapping=before, **_asked(rows, chosen))
    mapping, status = form.chosen(), 200
    if form.cleaned_data.get("do") != PREVIEW:
        status = 422
        try:
            if form.is_valid():
                actions.map_columns(transcript=found, mapping=mapping, by=request.user, now=timezone.now())
                return respond(request, page="", redirect=reverse("import_show", args=[slug, found.pk]))
        except Refusal as refusal:
            status = add_refusal(form, refusal)
    return _show(request, found, rows, form, mapping, status=status)


@require("import_transcripts", methods=("GET", "POST"))
def column_mappings(request: SignedIn, slug: str) -> HttpResponse:
    """The recipes of this project; a POST adds one that comes as a file."""
    project = project_or_404(request.user, slug, check_import_transcripts)

    def keep(form: Any) -> str:
        name, mapping = form.cleaned_data["recipe"]
        actions.keep_recipe(project=project, name=name, mapping=mapping, by=request.user, now=timezone.now())
        return reverse("column_mappings", args=[slug])

    return form_page(request, RecipeForm, keep, page=RECIPES, context=lambda: _listed(request, project))


@require("import_transcripts")
def download_recipe(request: SignedIn, slug: str, mapping: int) -> HttpResponse:
    """A recipe as a file."""
    row = recipe_or_404(request, slug, mapping)
    name = re.sub(r"[^\w.-]+", "-", row.name, flags=re.ASCII).strip("-.") or "recipe"
    return download(write_recipe(row.name, mapping_record(row)), f"{name}.recipe.json", "application/json")


@require("import_transcripts", methods=("POST",))
def rename_recipe(request: SignedIn, slug: str, mapping: int) -> HttpResponse:
    """Give a recipe another name; redirects to the list."""
    row = recipe_or_404(request, slug, mapping)

    def rename(form: Any) -> str:
        name = form.cleaned_data["name"]
        actions.rename_recipe(mapping=row, name=name, by=request.user, now=timezone.now())
        return reverse("column_mappings", args=[slug])

    return form_page(request, NameForm, rename, page=RECIPES, context=lambda: _listed(request, row.project))


@require("import_transcripts", methods=("POST",))
def remove_mapping(request: SignedIn, slug: str, mapping: int) -> HttpResponse:
    """Forget a recipe; redirects to the list."""
    row = recipe_or_404(request, slug, mapping)
    return press(request, actions.remove_mapping, reverse("column_mappings", args=[slug]), mapping=row)


def recipe_or_404(request: SignedIn, slug: str, mapping: int) -> ColumnMapping:
    """The recipe, for a person who may import into its project; else 404 or a refusal."""
    project = project_or_404(request.user, slug, check_import_transcripts)
    rows = ColumnMapping.objects.select_related("project", "created_by")
    return get_object_or_404(rows, pk=mapping, project=project)


def _listed(request: SignedIn, project: Project) -> dict[str, object]:
    return {"mappings": list_mappings(project=project), **frame(request.user, project, "imports")}


def _asked(rows: Table, mapping: MappingRecord) -> dict[str, Any]:
    """What only a person can know: what rows are, who is called otherwise, and where a round or a game begins."""
    plain = replace(mapping, kinds={})
    return {
        "questions": find_questions(rows, plain),
        "pairs": find_aliases(rows, mapping),
        "marks": find_marks(rows, plain),
        "begins_again": bool(find_restarts(rows, mapping)),
    }


def _show(
    request: SignedIn,
    found: Transcript,
    rows: Table,
    form: ColumnsForm,
    mapping: MappingRecord,
    *,
    status: int = 200,
) -> HttpResponse:
    page = ColumnsPage(transcript=found, table=rows, mapping=mapping)
    context = {"page": page, "form": form, **frame(request.user, found.project, "imports")}
    return respond(request, page=PAGE, region=REGION, context=context, status=status)


def load_head(transcript: Transcript, settings: Mapping[str, str] = {}) -> Table:
    """The rows at the beginning of the file, read by these settings. Raises NotAllowed."""
    is_known = settings.get(ENCODING, "") in ENCODINGS
    table = actions.load_head(transcript, settings if is_known else {**settings, ENCODING: ""})
    if table is None:
        says = _(
            "This file has no rows with columns at its beginning, or its bytes are gone. "
            "Upload it again as CSV or JSON lines."
        )
        raise NotAllowed(says, code="no_columns")
    return table
