"""The rules by which games enter a project's queue: their form with a preview, and single games put in or removed."""

from typing import Any

import msgspec
from django.http import HttpResponse
from django.urls import reverse
from django.utils import timezone

from discussions.core.intake import EVERYTHING, Filling, describe_rows
from discussions.games.views.game import game_or_404
from discussions.metrics.labels import LABELS
from discussions.models.queue_rules import load_fill_rules
from discussions.planning.actions import check_filling, place_game, save_filling
from discussions.planning.forms import WAITING, FillForm
from discussions.planning.queries import preview_filling
from discussions.queue.core import format_duration
from discussions.queue.views import SECTION
from discussions.slots.permissions import check_assign
from workspace.core.canonical import canonical_hash
from workspace.core.refusals import Unacceptable
from workspace.models import Project
from workspace.web.bind_form import add_refusal, bind_form, project_or_404
from workspace.web.form_page import press
from workspace.web.views import SignedIn, frame, require, respond


@require("assign", methods=("GET", "POST"))
def fill_rules(request: SignedIn, slug: str) -> HttpResponse:
    """The rules. What is sent is saved only if its preview was shown; else the preview comes first."""
    project = project_or_404(request.user, slug, check_assign)
    rules = load_fill_rules(project.pk)
    stored = rules.to_record() if rules else EVERYTHING
    if request.method == "GET":
        return _show_rules(request, project, FillForm(stored=stored))
    form = bind_form(request, FillForm, stored=stored)
    if not form.is_valid():
        return _show_rules(request, project, form, status=422)
    try:
        wanted = check_filling(form.to_filling())
    except Unacceptable as refusal:
        return _show_rules(request, project, form, status=add_refusal(form, refusal))
    if form.cleaned_data["confirmed"] != hash_filling(wanted):
        return _show_rules(request, project, form, wanted)
    is_applied = form.cleaned_data["games"] == WAITING
    save_filling(project=project, filling=wanted, is_applied=is_applied, by=request.user, now=timezone.now())
    return respond(request, page="", redirect=reverse("fill_rules", args=[slug]))


@require("assign", methods=("POST",))
def put_in_queue(request: SignedIn, slug: str, number: int) -> HttpResponse:
    return _place_from_page(request, slug, number, is_in=True)


@require("assign", methods=("POST",))
def take_out_of_queue(request: SignedIn, slug: str, number: int) -> HttpResponse:
    return _place_from_page(request, slug, number, is_in=False)


def _place_from_page(request: SignedIn, slug: str, number: int, *, is_in: bool) -> HttpResponse:
    project_or_404(request.user, slug, check_assign)
    game = game_or_404(request.user, slug, number)
    to = reverse("game", args=[slug, number]) + "#game-facts"
    return press(request, place_game, to, game=game, is_in=is_in)


def hash_filling(filling: Filling) -> str:
    return canonical_hash(msgspec.to_builtins(filling))


def name_rules(filling: Filling) -> list[str]:
    return describe_rows(filling, {key: str(label.title) for key, label in LABELS.items()})


def _show_rules(
    request: SignedIn,
    project: Project,
    form: FillForm,
    filling: Filling | None = None,
    *,
    status: int = 200,
) -> HttpResponse:
    """The page; with the preview of these rules, which are not saved yet."""
    preview = None if filling is None else preview_filling(project, filling)
    context: dict[str, Any] = {
        "form": form,
        "preview": preview,
        "named": [] if filling is None else name_rules(filling),
        "confirmed": "" if filling is None else hash_filling(filling),
        "rules": load_fill_rules(project.pk),
        "format_duration": format_duration,
        **frame(request.user, project, SECTION),
    }
    return respond(request, page="discussions/planning/intake.html", context=context, status=status)
