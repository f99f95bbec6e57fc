"""The packet of differences for a meeting about the guidelines, as a page to print and as Markdown."""

from django.http import HttpResponse
from django.utils import timezone

from discussions.forms.packet import PacketForm
from discussions.pages.packet import Scope, build_packet, build_packet_page
from discussions.permissions import check_see_games
from discussions.views.verdicts import download
from workspace.core.refusals import Malformed
from workspace.pages.frame import frame
from workspace.pages.markdown import render_markdown
from workspace.views.answers import answer
from workspace.views.bodies import only_parameters
from workspace.views.gate import SignedIn, needs
from workspace.views.projects import project_or_404


@needs("see_games")
def packet(request: SignedIn, slug: str) -> HttpResponse:
    """What evaluators of the project differ on, without a name; what cannot be read of the scope is said."""
    project = project_or_404(request.user, slug)
    check_see_games(request.user, project)
    form = PacketForm(only_parameters(request, "iteration", "games"))
    is_read = form.is_valid()
    page = build_packet_page(project=project, scope=scope_of(form), now=timezone.now())
    context = {"page": page, "form": form, **frame(request.user, project, "team")}
    return answer(
        request, page="discussions/packet_show.html", context=context, status=200 if is_read else 422
    )


@needs("see_games")
def packet_markdown(request: SignedIn, slug: str) -> HttpResponse:
    """The same as a Markdown file."""
    project = project_or_404(request.user, slug)
    check_see_games(request.user, project)
    form = PacketForm(only_parameters(request, "iteration", "games"))
    if not form.is_valid():
        raise Malformed(str(next(iter(next(iter(form.errors.values()))))))
    found, _games = build_packet(project=project, scope=scope_of(form), now=timezone.now())
    text = render_markdown("discussions/packet.md", packet=found)
    return download(text.encode(), f"{slug}-packet.md", "text/markdown; charset=utf-8")


def scope_of(form: PacketForm) -> Scope:
    """What was asked for, as far as it could be read."""
    given = getattr(form, "cleaned_data", {})
    return Scope(iteration=given.get("iteration"), games=given.get("games") or [])
