"""The page of a search: games that match by number, id, file or player, and messages, by game."""

from typing import Any

from django.http import HttpResponse
from django.utils.translation import gettext as _
from msgspec import ValidationError, convert

from discussions.adjudication.labels import answer_label
from discussions.games.queries.list_filters import LONGEST_SEARCH, GameRow
from discussions.games.queries.list_query import ListQuery, load_list_window
from discussions.models import Iteration
from discussions.search import pages
from discussions.search.core import LONGEST_QUERY
from discussions.search.pages import MOST_CHOICES, MessageSearch, SearchPage
from discussions.search.permissions import check_search_messages, keep_searchable
from discussions.search.queries import JUDGED, RULE
from workspace.core.refusals import Malformed, Unacceptable
from workspace.models import Project
from workspace.web.bind_form import parse_number, project_or_404
from workspace.web.views import SignedIn, frame, only_parameters, require, respond

EVERYWHERE = tuple(name for name in MessageSearch.__struct_fields__ if name not in ("iteration", "game"))
NAMES = tuple(name for name in MessageSearch.__struct_fields__ if name != "project")
# No index finds parts of a name that are shorter.
GAMES_SHOWN, SHORTEST_NAME = 5, 3


@require("search_messages", costs="searches")
def search(request: SignedIn, slug: str) -> HttpResponse:
    project = project_or_404(request.user, slug, check_search_messages)
    wanted = read_search(only_parameters(request, *NAMES))
    page = SearchPage(request.user, keep_searchable(request.user, [project], wanted.unblinding), wanted)
    others = Project.objects.visible_to(request.user).exclude(pk=project.pk)
    context = {
        "page": page,
        "matches": _find_games(project, wanted) if page.leads else [],
        "choices": list_choices(page),
        "has_others": others.exists(),
        "names": NAMES,
        **frame(request.user, project, "games"),
    }
    return respond(request, page="discussions/search/search.html", context=context)


@require("search_messages", costs="searches")
def search_everywhere(request: SignedIn) -> HttpResponse:
    """In all projects of the person, or in one of them; without what only makes sense within one."""
    wanted = read_search(only_parameters(request, *EVERYWHERE))
    page = pages.search_everywhere(request.user, wanted)
    known = dict(Project.objects.visible_to(request.user).order_by("name").values_list("slug", "name"))
    choices = {"project": (_("Project"), known)} | list_choices(page)
    context = {"page": page, "matches": [], "choices": choices, "has_others": False, **frame(request.user)}
    return respond(request, page="discussions/search/search.html", context=context)


def read_search(asked: dict[str, str]) -> MessageSearch:
    """What an address asks for. Raises Malformed for what no menu offers, Unacceptable for too long a text."""
    if len(asked["q"]) > LONGEST_QUERY:
        says = _("This search is %(count)s characters long. Shorten it to %(most)s.")
        raise Unacceptable(says % {"count": f"{len(asked['q']):,}", "most": f"{LONGEST_QUERY:,}"}, field="q")
    numbers = {name: parse_number(asked.get(name, "")) for name in ("game", "after")}
    parse_number(asked.get("iteration", ""))
    parse_number(asked["round"].removeprefix("-"))
    try:
        return convert({**asked, **numbers}, MessageSearch)
    except ValidationError:
        raise Malformed(_("This search cannot be filtered like that. Choose from its menus.")) from None


def _find_games(project: Project, wanted: MessageSearch) -> list[GameRow]:
    """The games that the list of games would find; none where something is asked for that only messages have."""
    text = wanted.q.replace("\0", " ").strip()
    if wanted.change(q="") or wanted.after or not (len(text) >= SHORTEST_NAME or text.isdigit()):
        return []
    if len(text) > LONGEST_SEARCH:
        return []
    return load_list_window(project, ListQuery(q=text, most=GAMES_SHOWN)).games


def list_choices(page: SearchPage) -> dict[str, tuple[str, dict[str, str]]]:
    """Filter -> its name, and what can be chosen: value -> words. What evaluators must not know is none of them."""
    chosen: dict[str, tuple[str, dict[str, str]]] = {"agent": (_("Agent"), _count(page, "agent"))}
    if page.scope.led:
        chosen["role"] = _("Role"), _count(page, "role")
        chosen["model"] = _("Model"), _count(page, "model")
    rounds = _count(page, "round")
    chosen["round"] = _("Round"), dict(sorted(rounds.items(), key=lambda row: (len(row[0]), row[0])))
    if page.leads and len(page.scope.projects) == 1:
        rows = Iteration.objects.filter(project__in=page.scope.projects).order_by("-number")[:MOST_CHOICES]
        chosen["iteration"] = _("Iteration"), {str(row.number): row.name for row in rows}
    if page.scope.led:
        chosen["judged"] = _("Judged"), _name_judged()
    return {name: choice for name, choice in chosen.items() if choice[1]}


def _count(page: SearchPage, name: str) -> dict[str, str]:
    counts = page.counts[name]
    known = {value: f"{value} ({count})" for value, count in counts.most_common(MOST_CHOICES) if value}
    asked: Any = getattr(page.wanted, name)
    return known | ({asked: asked} if asked and asked not in known else {})


def _name_judged() -> dict[str, str]:
    words = {}
    for name in JUDGED:
        who, kind, value = name.split("-")
        says = _("%(answer)s, by the rule") if who == RULE else _("%(answer)s, by people")
        words[name] = says % {"answer": answer_label(kind, value)}
    return words
