"""The screens of imports: upload, list, one import with live progress, and its buttons."""

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone

from discussions.actions.importing import (
    ALREADY,
    NEW,
    Imported,
    Upload,
    cancel_import,
    import_separately,
    import_transcripts,
    resume_import,
)
from discussions.forms.importing import UploadForm
from discussions.models import Iteration, Transcript
from discussions.pages.importing import import_page, import_targets, imports_page
from discussions.permissions import check_import_transcripts
from workspace.core.refusals import Refusal
from workspace.forms.people import NothingForm
from workspace.models import Person, Project
from workspace.pages.frame import frame
from workspace.permissions import may
from workspace.views.answers import answer
from workspace.views.bodies import fault_of, number_of, only_parameters, typed
from workspace.views.gate import SignedIn, needs
from workspace.views.projects import project_or_404

LIST, LIST_REGION = "discussions/import_list.html", "discussions/_import_lines.html"
SHOW, SHOW_REGION = "discussions/import_show.html", "discussions/_import_report.html"


@needs("import_transcripts")
def imports(request: SignedIn, slug: str) -> HttpResponse:
    """The imports of a project, newest first, and the form for another. While one runs its region asks again."""
    project = project_or_404(request.user, slug)
    check_import_transcripts(request.user, project)
    given = only_parameters(request, "before", "already", "iteration")
    before, already = number_of(given["before"]), number_of(given["already"])
    targets = import_targets(project=project)
    chosen = {"iteration": number_of(given["iteration"])}
    form = UploadForm(iterations=targets, initial=chosen)
    return _show_list(request, project, form, before=before, already=already)


def may_upload(person: Person, slug: str) -> bool:
    """Whether the person brings transcripts into the project with that name; asked before any file is read."""
    project = Project.objects.visible_to(person).filter(slug=slug).first()
    return project is not None and may(check_import_transcripts, person, project)


@needs("import_transcripts", methods=("POST",), files=may_upload)
def import_upload(request: SignedIn, slug: str) -> HttpResponse:
    """Take the files in; leads to the report of the one, or to the list when there are several."""
    project = project_or_404(request.user, slug)
    check_import_transcripts(request.user, project)
    form = typed(request, UploadForm, iterations=import_targets(project=project))
    if not form.is_valid():
        return _show_list(request, project, form, status=422)
    files = [Upload(file.name, file.read()) for file in form.cleaned_data["transcripts"]]
    to = _iteration(project, form.cleaned_data["iteration"])
    try:
        made = import_transcripts(
            project=project, files=files, by=request.user, now=timezone.now(), iteration=to
        )
    except Refusal as refusal:
        return _show_list(request, project, form, status=fault_of(form, refusal))
    return answer(request, page="", redirect=_address_of(slug, made))


@needs("import_transcripts")
def import_show(request: SignedIn, slug: str, transcript: int) -> HttpResponse:
    """One import: how far it is, what is wrong, what came in. While it runs its region asks again."""
    found = _transcript_or_404(request, slug, transcript)
    was = only_parameters(request, "was")["was"]
    page = import_page(transcript=found, now=timezone.now())
    context = {"page": page, "was": was, **frame(request.user, found.project, "imports")}
    return answer(request, page=SHOW, region=SHOW_REGION, context=context)


@needs("import_transcripts", methods=("POST",))
def import_cancel(request: SignedIn, slug: str, transcript: int) -> HttpResponse:
    """Stop an import; the games that are in stay."""
    found = _transcript_or_404(request, slug, transcript)
    typed(request, NothingForm)
    cancel_import(transcript=found, by=request.user, now=timezone.now())
    return answer(request, page="", redirect=reverse("import_show", args=[slug, found.pk]))


@needs("import_transcripts", methods=("POST",))
def import_resume(request: SignedIn, slug: str, transcript: int) -> HttpResponse:
    """Go on with an import that was cancelled or failed."""
    found = _transcript_or_404(request, slug, transcript)
    typed(request, NothingForm)
    resume_import(transcript=found, by=request.user, now=timezone.now())
    return answer(request, page="", redirect=reverse("import_show", args=[slug, found.pk]))


@needs("import_transcripts", methods=("POST",))
def import_separate(request: SignedIn, slug: str, transcript: int) -> HttpResponse:
    """Bring in the games whose ids were taken as games of their own."""
    found = _transcript_or_404(request, slug, transcript)
    typed(request, NothingForm)
    made = import_separately(transcript=found, by=request.user, now=timezone.now())
    return answer(request, page="", redirect=_address_of(slug, [made]))


def _transcript_or_404(request: SignedIn, slug: str, transcript: int) -> Transcript:
    project = project_or_404(request.user, slug)
    # Before the look: whoever may not see imports is not told either which numbers there are.
    check_import_transcripts(request.user, project)
    rows = Transcript.objects.select_related("project", "job", "created_by", "iteration")
    return get_object_or_404(rows, pk=transcript, project=project)


def _iteration(project: Project, number: int | None) -> Iteration | None:
    """The one that was chosen; None for the unsorted one."""
    return None if number is None else Iteration.objects.get(project=project, number=number)


def _address_of(slug: str, made: list[Imported]) -> str:
    already = sum(each.outcome == ALREADY for each in made)
    if len(made) > 1:
        return reverse("imports", args=[slug]) + (f"?already={already}" if already else "")
    was = "" if made[0].outcome == NEW else f"?was={made[0].outcome}"
    return reverse("import_show", args=[slug, made[0].transcript.pk]) + was


def _show_list(
    request: SignedIn,
    project: Project,
    form: UploadForm,
    *,
    before: int = 0,
    already: int = 0,
    status: int = 200,
) -> HttpResponse:
    page = imports_page(project=project, now=timezone.now(), before=before)
    context = {"page": page, "form": form, "already": already, **frame(request.user, project, "imports")}
    region = LIST_REGION if request.method == "GET" else None
    return answer(request, page=LIST, region=region, context=context, status=status)
