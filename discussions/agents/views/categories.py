"""Categories of one's own: the list with its counts for leads, codes, and Markdown for the prompt's author."""

from datetime import datetime
from functools import partial
from typing import Any

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.translation import gettext as _

from discussions.agents.actions import categories as actions
from discussions.agents.forms import CategoryForm, CodeForm, FoundForm
from discussions.agents.pages.categories import list_parts
from discussions.agents.permissions import check_code_games, check_undo_code
from discussions.agents.queries import load_coded
from discussions.agents.views.files import SECTION
from discussions.models import Category, CategoryEnd, Coding, Game
from discussions.search.pages import SearchPage
from discussions.search.views import NAMES, read_search
from workspace.core.refusals import Unacceptable
from workspace.display.pages import render_markdown
from workspace.models import Person, Project
from workspace.web.bind_form import bind_form, only_parameters, project_or_404
from workspace.web.form_page import press, send
from workspace.web.frame import frame
from workspace.web.require import SignedIn, require
from workspace.web.respond import download, respond

MARKDOWN = "discussions/agents/categories.md"


@require("code_games")
def categories(request: SignedIn, slug: str) -> HttpResponse:
    """The list; the address can name the game and message to put a category on."""
    about = only_parameters(request, "game", "message")
    project = project_or_404(request.user, slug, check_code_games)
    return _show_categories(request, project, CodeForm(initial=about))


@require("code_games")
def categories_markdown(request: SignedIn, slug: str) -> HttpResponse:
    project = project_or_404(request.user, slug, check_code_games)
    text = render_markdown(MARKDOWN, parts=_list(request, project))
    return download(text.encode(), f"{slug}-categories.md", "text/markdown; charset=utf-8")


@require("code_games", methods=("POST",))
def give_code(request: SignedIn, slug: str) -> HttpResponse:
    project = project_or_404(request.user, slug, check_code_games)
    form = bind_form(request, CodeForm)

    def act(*, game: int, message: int | None, name: str, **given: Any) -> None:
        found = Game.objects.filter(project=project, number=game).first()
        if found is None:
            raise Unacceptable(_("There is no game of this number."), field="game")
        actions.code(game=found, message=message or 0, name=name, **given)

    return send(request, form, act, _list_url(slug), show=partial(_show_categories, request, project, form))


@require("code_games", methods=("POST",))
def give_code_to_found(request: SignedIn, slug: str) -> HttpResponse:
    """Put a category on the messages that a search found, in the games that it looked into."""
    project = project_or_404(request.user, slug, check_code_games)
    form = bind_form(request, FoundForm, searched=NAMES)

    def act(*, name: str, by: Person, now: datetime, **searched: str) -> None:
        page = SearchPage(by, [project], read_search(searched))
        actions.code_found(project=project, places=page.kept, name=name, by=by, now=now)

    show = partial(_show_categories, request, project, CodeForm(), refused=form)
    return send(request, form, act, _list_url(slug), show=show)


@require("code_games", methods=("POST",))
def change_category(request: SignedIn, slug: str, category: int) -> HttpResponse:
    """Rename, merge, remove or restore it."""
    project = project_or_404(request.user, slug, check_code_games)
    row = get_object_or_404(Category, project=project, pk=category)
    form = bind_form(request, CategoryForm, project=project)
    act = partial(actions.change_category, category=row)
    show = partial(_show_categories, request, project, CodeForm(), refused=form)
    return send(request, form, act, _list_url(slug), show=show)


@require("undo_code", methods=("POST",))
def take_back(request: SignedIn, slug: str, coding: int) -> HttpResponse:
    project = project_or_404(request.user, slug, check_code_games)
    rows = Coding.objects.filter(game__project=project).select_related("category", "game__project")
    row = get_object_or_404(rows, pk=coding)
    check_undo_code(request.user, row)
    return press(request, actions.take_code_back, _list_url(slug), coding=row)


def _show_categories(
    request: SignedIn,
    project: Project,
    form: CodeForm,
    *,
    refused: CategoryForm | FoundForm | None = None,
    status: int = 200,
) -> HttpResponse:
    parts = _list(request, project)
    own = Coding.objects.filter(game__project=project, created_by=request.user, removed_at=None)
    ends = CategoryEnd.objects.filter(category__project=project).select_related("category", "merged_into")
    context = {
        "form": form,
        "ends": ends.order_by("-pk")[:20],
        "refused": refused,
        "parts": parts,
        "own": own.select_related("category", "game").order_by("-pk")[:20],
        "markdown": render_markdown(MARKDOWN, parts=parts),
        **frame(request.user, project, SECTION),
    }
    return respond(request, page="discussions/agents/categories.html", context=context, status=status)


def _list(request: SignedIn, project: Project) -> list[Any]:
    root = request.build_absolute_uri("/").removesuffix("/")
    return list_parts(load_coded(project), lambda number: root + reverse("game", args=[project.slug, number]))


def _list_url(slug: str) -> str:
    return reverse("categories", args=[slug])
