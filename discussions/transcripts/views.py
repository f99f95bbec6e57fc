"""The pages of imports: upload, list, and one import with its progress and buttons."""

from urllib.parse import urlencode

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone

from discussions.models import Iteration, Transcript
from discussions.transcripts import actions
from discussions.transcripts.core.formats import FORMATS
from discussions.transcripts.forms import UploadForm
from discussions.transcripts.pages import SHOWN_WITH, ImportPage, ImportsPage, import_targets
from discussions.transcripts.permissions import check_import_transcripts
from workspace.access.permissions import may
from workspace.core.refusals import Refusal
from workspace.models import Person, Project
from workspace.web.bind_form import add_refusal, bind_form, parse_number, project_or_404
from workspace.web.form_page import press
from workspace.web.views import SignedIn, frame, is_htmx, only_parameters, require, respond

LIST, LIST_REGION = "discussions/transcripts/list.html", "discussions/transcripts/_lines.html"
ANSWER_REGION = "discussions/transcripts/_answer.html"
SHOW, SHOW_REGION = "discussions/transcripts/show.html", "discussions/transcripts/_report.html"


@require("import_transcripts")
def imports(request: SignedIn, slug: str) -> HttpResponse:
    """The imports of a project, newest first, and the form for another. While one runs, its region polls."""
    project = project_or_404(request.user, slug, check_import_transcripts)
    given = only_parameters(request, "before", "already", "iteration")
    before, already = parse_number(given["before"]), parse_number(given["already"])
    number = parse_number(given["iteration"])
    form = UploadForm(iterations=import_targets(project=project), initial={"iteration": number})
    return _show_list(request, project, form, before=before, already=already, number=number)


def may_upload(person: Person, slug: str) -> bool:
    """Whether the person may import into that project; asked before any file is read."""
    project = Project.objects.visible_to(person).filter(slug=slug).first()
    return project is not None and may(check_import_transcripts, person, project)


@require("import_transcripts", methods=("POST",), files=may_upload, costs="uploads")
def import_upload(request: SignedIn, slug: str) -> HttpResponse:
    """Import the files; redirects to the report of a single file, or to the list when there are several.

    A refused file does not affect the others; the page then says why, and the choice of files stays.
    """
    project = project_or_404(request.user, slug, check_import_transcripts)
    form = bind_form(request, UploadForm, iterations=import_targets(project=project))
    if not form.is_valid():
        return _show_list(request, project, form, status=422)
    number = form.cleaned_data["iteration"]
    try:
        received = actions.import_files(
            project=project,
            files=[actions.Upload(file.name, file.read()) for file in form.cleaned_data["transcripts"]],
            by=request.user,
            now=timezone.now(),
            iteration=Iteration.objects.get(project=project, number=number) if number is not None else None,
            format_name=form.cleaned_data["format"],
            encoding=form.cleaned_data["encoding"],
        )
    except Refusal as refusal:
        return _show_list(request, project, form, status=add_refusal(form, refusal))
    if received.refused:
        return _show_list(request, project, form, received=received, number=number or 0, status=422)
    return respond(request, page="", redirect=_choose_address(slug, received.imported, number))


@require("import_transcripts")
def import_show(request: SignedIn, slug: str, transcript: int) -> HttpResponse:
    """One import: its progress, its faults, its games. While it runs, its region polls."""
    found = transcript_or_404(request, slug, transcript)
    was = only_parameters(request, "was")["was"]
    page = ImportPage(transcript=found, now=timezone.now())
    context = {"page": page, "was": was, **frame(request.user, found.project, "imports")}
    return respond(request, page=SHOW, region=SHOW_REGION, context=context)


@require("import_transcripts", methods=("POST",))
def import_cancel(request: SignedIn, slug: str, transcript: int) -> HttpResponse:
    """Stop an import; the games imported so far stay."""
    found = transcript_or_404(request, slug, transcript)
    to = reverse("import_show", args=[slug, found.pk])
    return press(request, actions.cancel_import, to, transcript=found)


@require("import_transcripts", methods=("POST",), costs="computations")
def import_resume(request: SignedIn, slug: str, transcript: int) -> HttpResponse:
    found = transcript_or_404(request, slug, transcript)
    to = reverse("import_show", args=[slug, found.pk])
    return press(request, actions.resume_import, to, transcript=found)


@require("import_transcripts", methods=("POST",))
def import_seen(request: SignedIn, slug: str, transcript: int) -> HttpResponse:
    """Mark the faults of an import as seen, so that no notice shows them."""
    found = transcript_or_404(request, slug, transcript)
    to = reverse("imports", args=[slug]) + f"#import-{found.pk}"
    return press(request, actions.dismiss_faults, to, transcript=found)


@require("import_transcripts", methods=("POST",), costs="computations")
def import_separate(request: SignedIn, slug: str, transcript: int) -> HttpResponse:
    """Import games as separate games if other games have their ids."""
    found = transcript_or_404(request, slug, transcript)
    return press(
        request, actions.import_separately, lambda made: _choose_address(slug, [made], None), transcript=found
    )


def transcript_or_404(request: SignedIn, slug: str, transcript: int) -> Transcript:
    """The transcript, for a person who may import into its project; else 404 or a refusal."""
    project = project_or_404(request.user, slug)
    # Checked first: a person without permission must not learn which numbers exist.
    check_import_transcripts(request.user, project)
    rows = Transcript.objects.select_related(*SHOWN_WITH, "project")
    return get_object_or_404(rows, pk=transcript, project=project)


def _choose_address(slug: str, made: list[actions.Imported], number: int | None) -> str:
    already = sum(upload.outcome == actions.ALREADY for upload in made)
    if len(made) > 1:
        said = {"already": already, "iteration": number}
        query = urlencode({name: value for name, value in said.items() if value})
        return reverse("imports", args=[slug]) + (f"?{query}" if query else "")
    was = "" if made[0].outcome == actions.NEW else f"?was={made[0].outcome}"
    return reverse("import_show", args=[slug, made[0].transcript.pk]) + was


def _show_list(
    request: SignedIn,
    project: Project,
    form: UploadForm,
    *,
    before: int = 0,
    already: int = 0,
    number: int = 0,
    received: actions.Received | None = None,
    status: int = 200,
) -> HttpResponse:
    context = {
        "page": ImportsPage(project=project, now=timezone.now(), before=before),
        "form": form,
        "already": already,
        "received": received,
        "back": Iteration.objects.filter(project=project, number=number).exclude(stage=None).first(),
        "formats": FORMATS,
        "is_region": is_htmx(request),
        **frame(request.user, project, "imports"),
    }
    region = LIST_REGION if request.method == "GET" else ANSWER_REGION
    return respond(request, page=LIST, region=region, context=context, status=status)
