"""How rating works in a project: its guideline, read, confirmed, written."""

from collections.abc import Callable

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone

from discussions.calibration.actions import confirm_guideline, write_guideline
from discussions.calibration.forms import ConfirmForm, GuidelineForm
from discussions.calibration.permissions import GUIDELINE_UNREAD, check_write_guideline
from discussions.calibration.queries import newest_guideline, unread_guideline
from discussions.models import Evaluation, Guideline, GuidelineReading
from discussions.slots.permissions import check_take_game
from workspace.access.permissions import may
from workspace.core.refusals import NotAllowed
from workspace.models import Membership, Project
from workspace.web.bind_form import bind_form, project_or_404
from workspace.web.form_page import form_page
from workspace.web.frame import frame
from workspace.web.require import SignedIn, require
from workspace.web.respond import respond


@require("see_project")
def guideline(request: SignedIn, slug: str) -> HttpResponse:
    project, person = project_or_404(request.user, slug), request.user
    request.session[seen_key(project)] = True
    may_write, current = may(check_write_guideline, person, project), newest_guideline(project)
    versions = Guideline.objects.filter(project=project).select_related("created_by").order_by("-number")
    context = {
        "guideline": current,
        "versions": list(versions[:20]) if may_write else [],
        "is_unread": not may_write and unread_guideline(person, project) is not None,
        "may_write": may_write,
        "may_rate": may(check_take_game, person, project),
        "is_new": not Evaluation.objects.filter(evaluator=person, game__project=project).exists(),
        **frame(person, project, "guideline"),
    }
    if may_write and current:
        evaluators = Membership.objects.filter(project=project, role="evaluator", ended_at=None).values(
            "person"
        )
        readings = GuidelineReading.objects.filter(guideline=current, person__in=evaluators)
        context |= {"evaluator_count": evaluators.count(), "read_count": readings.count()}
    return respond(request, page="discussions/guidelines/show.html", context=context)


def seen_key(project: Project) -> str:
    return f"seen_guideline_{project.pk}"


def _is_newcomer(request: SignedIn, project: Project) -> bool:
    started = Evaluation.objects.filter(evaluator=request.user, game__project=project)
    return not (request.session.get(seen_key(project)) or started.exists())


@require("see_project", methods=("POST",))
def confirm(request: SignedIn, slug: str) -> HttpResponse:
    project = project_or_404(request.user, slug)
    form = bind_form(request, ConfirmForm)
    if not form.is_valid():
        raise Http404
    version = get_object_or_404(Guideline, project=project, number=form.cleaned_data["number"])
    confirm_guideline(guideline=version, by=request.user, now=timezone.now())
    is_left = unread_guideline(request.user, project) is not None
    return respond(request, page="", redirect=reverse("guideline" if is_left else "queue", args=[slug]))


def take_after_guideline(
    request: SignedIn, project: Project, take: Callable[[], Evaluation | None]
) -> HttpResponse:
    """Take a game and open it, after a newcomer has seen how rating works; without one, redirect to the queue."""
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
    project = project_or_404(request.user, slug, check_write_guideline)

    def write(form: GuidelineForm) -> str:
        write_guideline(project=project, by=request.user, now=timezone.now(), **form.cleaned_data)
        return reverse("guideline", args=[slug])

    newest = Guideline.objects.filter(project=project).order_by("-number").first()
    return form_page(
        request,
        GuidelineForm,
        write,
        page="discussions/guidelines/edit.html",
        context=lambda: {"newest": newest, **frame(request.user, project, "guideline")},
        initial={"text": newest.text if newest else ""},
    )
