"""What the agents of an iteration do wrong: a page for leads, and a Markdown file for the author of the prompt."""

from django.http import Http404, HttpRequest, HttpResponse

from discussions.access.permissions import check_see_iterations
from discussions.gates.views import SECTION, build_stage_frame
from discussions.iterations.views import iteration_or_404
from discussions.weak_spots.core import GROUPINGS
from discussions.weak_spots.pages import WeakSpotsPage, build_weak_spots_page
from workspace.display.pages import render_markdown
from workspace.web.bind_form import only_parameters
from workspace.web.frame import frame
from workspace.web.require import SignedIn, require
from workspace.web.respond import download, respond

MARKDOWN = "discussions/weak_spots/weak_spots.md"


@require("see_iterations")
def weak_spots(request: SignedIn, slug: str, iteration: int) -> HttpResponse:
    """The worst findings across the games, by agent, role and personality, with the same as Markdown to copy."""
    page = _build(request, slug, iteration)
    stage = page.iteration.stage
    assert stage is not None  # unsorted games have no such page
    context = {
        "page": page,
        "markdown": render_markdown(MARKDOWN, page=page),
        "head": build_stage_frame(stage=stage, current="weak_spots"),
        **frame(request.user, page.iteration.project, SECTION),
    }
    return respond(request, page="discussions/weak_spots/weak_spots.html", context=context)


@require("see_iterations")
def weak_spots_markdown(request: SignedIn, slug: str, iteration: int) -> HttpResponse:
    """The page as a Markdown file."""
    text = render_markdown(MARKDOWN, page=_build(request, slug, iteration))
    return download(
        text.encode(), f"{slug}-iteration-{iteration}-weak-spots.md", "text/markdown; charset=utf-8"
    )


def _build(request: SignedIn, slug: str, number: int) -> WeakSpotsPage:
    chosen = only_parameters(request, *GROUPINGS)
    found = iteration_or_404(request.user, slug, number)
    check_see_iterations(request.user, found.project)
    if found.is_unsorted:
        raise Http404
    return build_weak_spots_page(iteration=found, chosen=chosen, root=_get_root(request))


def _get_root(request: HttpRequest) -> str:
    """Scheme and host, so that addresses in copied Markdown lead back here."""
    return request.build_absolute_uri("/").removesuffix("/")
