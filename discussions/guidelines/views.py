"""How rating works in a project: its guideline, read, confirmed, written; and the practice item."""

from collections.abc import Callable

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone

from discussions.guidelines.actions import confirm_guideline, write_guideline
from discussions.guidelines.core import QUESTIONS, keep_answers
from discussions.guidelines.forms import GuidelineForm, ReadForm
from discussions.guidelines.pages import guideline_page, practice_page
from discussions.guidelines.permissions import GUIDELINE_UNREAD, check_write_guideline
from discussions.guidelines.queries import unread_guideline
from discussions.models import Evaluation, Guideline
from workspace.core.refusals import NotAllowed
from workspace.database.prepared_queries import Prepared
from workspace.models import Project
from workspace.web.bind_form import bind_form, only_parameters, project_or_404
from workspace.web.form_page import form_page
from workspace.web.frame import frame
from workspace.web.require import SignedIn, require
from workspace.web.respond import respond


@require("see_project")
def guideline(request: SignedIn, slug: str) -> HttpResponse:
    """How rating works in this project, and its guideline."""
    only_parameters(request)
    project = project_or_404(request.user, slug)
    page = guideline_page(project=project, person=request.user)
    request.session[_seen(project)] = True
    context = {"page": page, **frame(request.user, project, "guideline")}
    return respond(request, page="discussions/guidelines/show.html", context=context)


@require("see_project")
def practice(request: SignedIn, slug: str) -> HttpResponse:
    """The practice item; the answers are in the address, and nothing of them is stored."""
    given = keep_answers(only_parameters(request, *(question.metric for question in QUESTIONS)))
    project = project_or_404(request.user, slug)
    page = practice_page(project=project, person=request.user, given=given)
    context = {"page": page, **frame(request.user, project, "guideline")}
    return respond(request, page="discussions/guidelines/practice.html", context=context)


def _seen(project: Project) -> str:
    """The session key that says that the person has seen how rating works in the project."""
    return f"seen_guideline_{project.pk}"


def _is_newcomer(request: SignedIn, project: Project) -> bool:
    """Whether the person has not started any game of the project, nor seen how rating works there."""
    return not request.session.get(_seen(project)) and not _STARTED.rows(request.user.pk, project.pk)


_STARTED = Prepared(
    lambda person, project: Evaluation.objects.filter(evaluator=person, game__project=project).values_list(
        "pk"
    )[:1],
    int,
    int,
)


@require("see_project", methods=("POST",))
def confirm(request: SignedIn, slug: str) -> HttpResponse:
    """Confirm that one has read the shown version; redirects to the queue, or to a still newer version."""
    project = project_or_404(request.user, slug)
    form = bind_form(request, ReadForm)
    if not form.is_valid():
        raise Http404
    found = get_object_or_404(Guideline, project=project, number=form.cleaned_data["number"])
    confirm_guideline(guideline=found, by=request.user, now=timezone.now())
    is_left = unread_guideline(request.user, project) is not None
    return respond(request, page="", redirect=reverse("guideline" if is_left else "queue", args=[slug]))


def take_after_guideline(
    request: SignedIn, project: Project, take: Callable[[], Evaluation | None]
) -> HttpResponse:
    """Take a game and open it. Without one, redirect to the queue.

    Redirect to how rating works instead, if a newcomer has not seen it or the guideline is not confirmed.
    """
    slug = project.slug
    if _is_newcomer(request, project):
        return respond(request, page="", redirect=reverse("guideline", args=[slug]))
    try:
        taken = take()
    except NotAllowed as refusal:
        if refusal.code != GUIDELINE_UNREAD:
            raise
        return respond(request, page="", redirect=reverse("guideline", args=[slug]))
    place = reverse("rate", args=[taken.pk]) if taken else reverse("queue", args=[slug])
    return respond(request, page="", redirect=place)


@require("write_guideline", methods=("GET", "POST"))
def edit_guideline(request: SignedIn, slug: str) -> HttpResponse:
    """Write the next version."""
    project = project_or_404(request.user, slug)
    check_write_guideline(request.user, project)

    def write(form: GuidelineForm) -> str:
        write_guideline(project=project, by=request.user, now=timezone.now(), **form.cleaned_data)
        return reverse("guideline", args=[slug])

    page = guideline_page(project=project, person=request.user)
    text = page.guideline.text if page.guideline else ""
    return form_page(
        request,
        GuidelineForm,
        write,
        page="discussions/guidelines/edit.html",
        context=lambda: {"page": page, **frame(request.user, project, "guideline")},
        initial={"text": text, "after": page.newest},
    )
