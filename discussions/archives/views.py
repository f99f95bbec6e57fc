"""The pages of erasures: what would go, with a reason and a confirmation, and what was erased. For admins."""

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from discussions.archives.actions.erasures import ask_to_erase
from discussions.archives.forms import EraseForm
from discussions.archives.permissions import check_erase, check_not_running
from discussions.archives.queries.erasures import Erasable, find_running, list_erasures, preview_erasure
from discussions.models import Game, Transcript
from workspace.access.permissions import get_refusal
from workspace.models import Person, Project
from workspace.web.bind_form import project_or_404
from workspace.web.form_page import form_page
from workspace.web.views import SignedIn, frame, require, respond


@require("erase", methods=("GET", "POST"))
def erase_game(request: SignedIn, slug: str, number: int) -> HttpResponse:
    check_erase(request.user)
    rows = Game.objects.select_related("project", "transcript")
    game = get_object_or_404(rows, project__slug=slug, number=number)
    name = _("game %(number)d") % {"number": number}
    return _answer_erasure(request, game, name, game.project, reverse("game", args=[slug, number]))


@require("erase", methods=("GET", "POST"))
def erase_upload(request: SignedIn, slug: str, transcript: int) -> HttpResponse:
    check_erase(request.user)
    rows = Transcript.objects.select_related("project")
    upload = get_object_or_404(rows, project__slug=slug, pk=transcript)
    name = _("upload %(number)d") % {"number": transcript}
    return _answer_erasure(
        request, upload, name, upload.project, reverse("import_show", args=[slug, transcript])
    )


@require("erase", methods=("GET", "POST"))
def erase_project(request: SignedIn, slug: str) -> HttpResponse:
    check_erase(request.user)
    project = project_or_404(request.user, slug)
    return _answer_erasure(request, project, slug, project, reverse("project_settings", args=[slug]))


@require("erase", methods=("GET", "POST"))
def erase_person(request: SignedIn, person: int) -> HttpResponse:
    check_erase(request.user)
    account = get_object_or_404(Person, pk=person, erased_at=None)
    check_erase(request.user, account)
    name = _("person %(number)d") % {"number": person}
    return _answer_erasure(request, account, name, None, reverse("people"))


def _answer_erasure(
    request: SignedIn, thing: Erasable, name: str, project: Project | None, back: str
) -> HttpResponse:
    """The page of one erasure; `name` is what the admin types."""

    def act(form: EraseForm) -> str:
        ask_to_erase(thing=thing, reason=form.cleaned_data["reason"], by=request.user, now=timezone.now())
        return reverse("erasures")

    context = {
        "name": name,
        "subject": _name_subject(thing),
        "preview": preview_erasure(thing),
        "refusal": get_refusal(check_not_running, find_running(project)) if project else "",
        "back": back,
        **frame(request.user, project),
    }
    page = "discussions/archives/erase.html"
    return form_page(request, EraseForm, act, page=page, context=lambda: context, word=name)


def _name_subject(thing: Erasable) -> str:
    if isinstance(thing, Person):
        return f"{thing.name} <{thing.email}>"
    return thing.source_id if isinstance(thing, Game) else thing.name


@require("erase")
def erasures(request: SignedIn) -> HttpResponse:
    check_erase(request.user)
    context = {"lines": list_erasures(), **frame(request.user, None, "overview")}
    return respond(request, page="discussions/archives/erasures.html", context=context)
