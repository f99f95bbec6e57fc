"""The agents, models and iterations with the file of each, and categories: pages for leads, and Markdown."""

from collections.abc import Mapping
from datetime import datetime
from functools import partial
from typing import Any
from urllib.parse import quote

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext_lazy

from discussions.agents import actions
from discussions.agents.actions import ask_for_agents
from discussions.agents.core.files import GROUPINGS, MODEL, AgentFigures
from discussions.agents.forms import CategoryForm, CodingForm, FoundForm
from discussions.agents.pages import (
    COLUMNS,
    GROUPED,
    WORDS,
    FilePage,
    list_of,
    list_parts,
    list_rows,
    name_file,
)
from discussions.agents.permissions import check_code_games, check_see_agents, check_undo_code
from discussions.agents.queries import (
    AGENT_STATISTICS,
    KIND,
    decode_figures,
    find_elsewhere,
    load_coded,
    load_texts,
)
from discussions.metrics.labels import LABELS
from discussions.models import Category, CategoryEnd, Coding, Game
from discussions.search.pages import SearchPage
from discussions.search.views import NAMES, read_search
from workspace.core.refusals import Unacceptable
from workspace.display.core.csv_lines import csv_bytes
from workspace.display.pages import render_markdown
from workspace.models import Person, Project
from workspace.stored_statistics.pages import read_state
from workspace.web.bind_form import bind_form, project_or_404
from workspace.web.form_page import press, send
from workspace.web.views import SignedIn, download, frame, only_parameters, require, respond

SECTION = "team"
MARKDOWN = "discussions/agents/file.md"
_PARTS = {KIND: gettext_lazy("Agents")}
_SINCE = (
    gettext_lazy("Judgements or games changed since the files were computed, so they are not shown."),
    ngettext_lazy(
        "%(n)d game was measured since the files were computed, so they are not shown.",
        "%(n)d games were measured since the files were computed, so they are not shown.",
        "n",
    ),
)


@require("see_agents")
def agents(request: SignedIn, slug: str) -> HttpResponse:
    project = project_or_404(request.user, slug, check_see_agents)
    state, figures = _load_files(project)
    context = {**_list(state, figures), **frame(request.user, project, SECTION)}
    return respond(
        request,
        page="discussions/agents/agents.html",
        region="discussions/agents/_agents.html",
        context=context,
    )


@require("see_agents")
def agent(request: SignedIn, slug: str) -> HttpResponse:
    """The file of one agent, model or iteration; without figures, the list that says how to get them."""
    chosen = only_parameters(request, *GROUPINGS)
    project = project_or_404(request.user, slug, check_see_agents)
    state, figures = _load_files(project)
    if figures is None:
        return redirect("agents", slug=slug)
    context = _build(request, project, figures, chosen)
    if not context:
        context = _list(state, figures, missing=" ".join(filter(None, chosen.values())))
        context |= frame(request.user, project, SECTION)
        return respond(request, page="discussions/agents/agents.html", context=context, status=404)
    context |= {"state": state, "markdown": render_markdown(MARKDOWN, **context), "words": WORDS}
    context |= frame(request.user, project, SECTION)
    return respond(request, page="discussions/agents/file.html", context=context)


@require("see_agents", methods=("POST",))
def figure_agents(request: SignedIn, slug: str) -> HttpResponse:
    """Queue the files."""
    project = project_or_404(request.user, slug, check_see_agents)
    ask_for_agents(project=project, by=request.user, now=timezone.now())
    return respond(request, page="", redirect=reverse("agents", args=[slug]))


@require("see_agents")
def agent_markdown(request: SignedIn, slug: str) -> HttpResponse:
    chosen = only_parameters(request, *GROUPINGS)
    project = project_or_404(request.user, slug, check_see_agents)
    _state, figures = _load_files(project)
    context = _build(request, project, figures, chosen) if figures else {}
    if not context:
        raise Http404
    text = render_markdown(MARKDOWN, **context)
    return download(text.encode(), f"{slug}-agent.md", "text/markdown; charset=utf-8")


@require("see_agents")
def agents_table(request: SignedIn, slug: str) -> HttpResponse:
    """All figures of all files as CSV, a row for each name, role and measure."""
    project = project_or_404(request.user, slug, check_see_agents)
    _state, figures = _load_files(project)
    if figures is None:
        raise Http404
    return download(csv_bytes(COLUMNS, list_rows(figures)), f"{slug}-agents.csv", "text/csv; charset=utf-8")


def _load_files(project: Project) -> tuple[dict[str, object], AgentFigures | None]:
    state, row = read_state(
        store=AGENT_STATISTICS, owner=project, kind=KIND, names=_PARTS, since=_SINCE, now=timezone.now()
    )
    return state, decode_figures(row) if row else None


def _list(state: dict[str, object], figures: AgentFigures | None, missing: str = "") -> dict[str, object]:
    return {
        "state": state,
        "figures": figures,
        "grouped": GROUPED,
        "name_file": name_file,
        "labels": LABELS,
        "missing": missing,
    }


def _build(
    request: SignedIn, project: Project, figures: AgentFigures, chosen: Mapping[str, str]
) -> dict[str, object]:
    """The file that one parameter names, with the texts of its moments; {} if there is none."""
    named = [(grouping, name) for grouping, name in chosen.items() if name]
    file = figures.find(*named[0]) if len(named) == 1 else None
    if file is None:
        return {}
    # With the host, so that addresses in copied Markdown lead back here.
    root = request.build_absolute_uri("/").removesuffix("/")
    texts = load_texts(project, file.moments)
    label = name_file(*named[0])

    def place(number: int) -> str:
        return root + reverse("game", args=[project.slug, number])

    page = FilePage(file, named[0][0], label, texts, place)
    others = len(figures.files[named[0][0]]) - 1
    elsewhere = find_elsewhere(request.user, project, *named[0])
    coded = list_of(load_coded(project), *named[0], place) if named[0][0] != MODEL else []
    return {
        "page": page,
        "others": others,
        "elsewhere": elsewhere,
        "coded": coded,
        "query": f"{named[0][0]}={quote(file.name)}",
    }


CATEGORIES = "discussions/agents/categories.md"


@require("code_games")
def categories(request: SignedIn, slug: str) -> HttpResponse:
    """The list; the address can name the game and message to put a category on."""
    about = only_parameters(request, "game", "message")
    project = project_or_404(request.user, slug, check_code_games)
    return _show_categories(request, project, CodingForm(initial=about))


@require("code_games")
def categories_markdown(request: SignedIn, slug: str) -> HttpResponse:
    project = project_or_404(request.user, slug, check_code_games)
    text = render_markdown(CATEGORIES, parts=_list_categories(request, project))
    return download(text.encode(), f"{slug}-categories.md", "text/markdown; charset=utf-8")


@require("code_games", methods=("POST",))
def give_code(request: SignedIn, slug: str) -> HttpResponse:
    project = project_or_404(request.user, slug, check_code_games)
    form = bind_form(request, CodingForm)

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

    show = partial(_show_categories, request, project, CodingForm(), refused=form)
    return send(request, form, act, _list_url(slug), show=show)


@require("code_games", methods=("POST",))
def change_category(request: SignedIn, slug: str, category: int) -> HttpResponse:
    """Rename, merge, remove or restore it."""
    project = project_or_404(request.user, slug, check_code_games)
    row = get_object_or_404(Category, project=project, pk=category)
    form = bind_form(request, CategoryForm, project=project)
    act = partial(actions.change_category, category=row)
    show = partial(_show_categories, request, project, CodingForm(), refused=form)
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
    form: CodingForm,
    *,
    refused: CategoryForm | FoundForm | None = None,
    status: int = 200,
) -> HttpResponse:
    parts = _list_categories(request, project)
    own = Coding.objects.filter(game__project=project, created_by=request.user, removed_at=None)
    ends = CategoryEnd.objects.filter(category__project=project).select_related("category", "merged_into")
    context = {
        "form": form,
        "ends": ends.order_by("-pk")[:20],
        "refused": refused,
        "parts": parts,
        "own": own.select_related("category", "game").order_by("-pk")[:20],
        "markdown": render_markdown(CATEGORIES, parts=parts),
        **frame(request.user, project, SECTION),
    }
    return respond(request, page="discussions/agents/categories.html", context=context, status=status)


def _list_categories(request: SignedIn, project: Project) -> list[Any]:
    root = request.build_absolute_uri("/").removesuffix("/")
    return list_parts(load_coded(project), lambda number: root + reverse("game", args=[project.slug, number]))


def _list_url(slug: str) -> str:
    return reverse("categories", args=[slug])
