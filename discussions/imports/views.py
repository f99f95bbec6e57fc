"""The page that maps the columns of a file, and the list of a project's mappings."""

from typing import Any

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from discussions.imports.actions import columns as actions
from discussions.imports.forms import PREVIEW, ColumnsForm
from discussions.imports.pages import build_columns_page, list_mappings
from discussions.imports.queries import first_mapping, kept_mapping
from discussions.models import ColumnMapping, Transcript
from discussions.transcripts.core.readers.columns import MappingRecord
from discussions.transcripts.core.readers.profiles import find_aliases
from discussions.transcripts.core.readers.row_kinds import find_questions
from discussions.transcripts.core.readers.tables import Table
from discussions.transcripts.permissions import check_import_transcripts
from discussions.transcripts.views import transcript_or_404
from workspace.core.refusals import NotAllowed, Refusal
from workspace.web.bind_form import add_refusal, bind_form, only_parameters, project_or_404
from workspace.web.forms import NothingForm
from workspace.web.frame import frame
from workspace.web.require import SignedIn, require
from workspace.web.respond import respond

PAGE, REGION = "discussions/columns/map.html", "discussions/columns/_proposal.html"


@require("import_transcripts", methods=("GET", "POST"), costs="computations")
def map_columns(request: SignedIn, slug: str, table: int) -> HttpResponse:
    """Say what the columns of a file mean. `do=preview` only shows the first game; saving leads to the import."""
    found = transcript_or_404(request, slug, table)
    only_parameters(request)
    rows = load_head(found)
    if request.method == "GET":
        mapping = first_mapping(kept_mapping(found, rows.columns), rows)
        form = ColumnsForm(columns=rows.columns, mapping=mapping, **_asked(rows, mapping))
        return _show(request, found, rows, form, mapping)
    # Which questions there are depends on the columns that are chosen.
    chosen = ColumnsForm(request.POST, columns=rows.columns).chosen_fields()
    asked = _asked(rows, MappingRecord(rows.columns, chosen))
    form = bind_form(request, ColumnsForm, columns=rows.columns, **asked)
    mapping = MappingRecord(rows.columns, chosen, form.chosen_kinds(), form.chosen_aliases())
    status = 200
    if form.cleaned_data.get("do") != PREVIEW:
        status = 422
        try:
            if form.is_valid():
                actions.map_columns(transcript=found, mapping=mapping, by=request.user, now=timezone.now())
                return respond(request, page="", redirect=reverse("import_show", args=[slug, found.pk]))
        except Refusal as refusal:
            status = add_refusal(form, refusal)
    return _show(request, found, rows, form, mapping, status=status)


@require("import_transcripts")
def column_mappings(request: SignedIn, slug: str) -> HttpResponse:
    """The mappings that people chose for the columns of files in this project."""
    project = project_or_404(request.user, slug, check_import_transcripts)
    only_parameters(request)
    context = {"mappings": list_mappings(project=project), **frame(request.user, project, "imports")}
    return respond(request, page="discussions/columns/list.html", context=context)


@require("import_transcripts", methods=("POST",))
def remove_mapping(request: SignedIn, slug: str, mapping: int) -> HttpResponse:
    """Forget a mapping; redirects to the list."""
    project = project_or_404(request.user, slug, check_import_transcripts)
    bind_form(request, NothingForm)
    row = get_object_or_404(ColumnMapping.objects.select_related("project"), pk=mapping, project=project)
    actions.remove_mapping(mapping=row, by=request.user, now=timezone.now())
    return respond(request, page="", redirect=reverse("column_mappings", args=[slug]))


def _asked(rows: Table, mapping: MappingRecord) -> dict[str, Any]:
    """What only a person can know: what rows are, and who is called otherwise."""
    return {"questions": find_questions(rows, mapping), "pairs": find_aliases(rows, mapping)}


def _show(
    request: SignedIn,
    found: Transcript,
    rows: Table,
    form: ColumnsForm,
    mapping: MappingRecord,
    *,
    status: int = 200,
) -> HttpResponse:
    page = build_columns_page(transcript=found, table=rows, mapping=mapping)
    context = {"page": page, "form": form, **frame(request.user, found.project, "imports")}
    return respond(request, page=PAGE, region=REGION, context=context, status=status)


def load_head(transcript: Transcript) -> Table:
    """The rows at the beginning of the file. Raises NotAllowed."""
    table = actions.load_head(transcript)
    if table is None:
        raise NotAllowed(_no_columns(), code="no_columns")
    return table


def _no_columns() -> str:
    return _(
        "This file has no rows with columns at its beginning, or its bytes are gone. For an archive, upload one of its "
        "files by itself and map its columns; the archive is then read by that."
    )
