"""Request the preview of a draft, cancel it, and publish the draft.

`evalsite/urls.py` passes in the hash of all games judged so far, and the function that counts the uses of a version.
"""

from collections.abc import Callable

from django.http import HttpResponse
from django.urls import reverse
from django.utils import timezone

from rubric.core.records import DISCUSSION
from rubric.models import RubricVersion
from rubric.preview import actions
from rubric.preview.pages import ImpactPage, build_impact
from rubric.preview.queries import reviews_hash
from rubric.versions import actions as versions_actions
from rubric.versions.permissions import check_publish_version
from rubric.versions.views.changes import change_version
from rubric.versions.views.rubrics import Uses
from rubric.versions.views.version import version_or_404
from workspace.web.bind_form import bind_form, only_parameters
from workspace.web.forms import NothingForm
from workspace.web.require import SignedIn, View, is_htmx, require
from workspace.web.respond import respond

IMPACT = "rubric/preview/_impact.html"
Hash = Callable[[], str]


def preview_with(games: Hash) -> View:
    """Return the view that requests a preview."""

    @require("publish_version", methods=("POST",), costs="computations")
    def preview_version(request: SignedIn, slug: str, number: str) -> HttpResponse:
        """Queue the preview of the draft in its current state, and show its progress."""
        version = _draft(request, slug, number)
        basis = scored(version, games)()
        actions.ask_for_preview(version=version, basis=basis, by=request.user, now=timezone.now())
        return _answer(request, version, games)

    return preview_version


def cancel_with(games: Hash) -> View:
    """The view that cancels a preview."""

    @require("publish_version", methods=("POST",))
    def cancel_preview(request: SignedIn, slug: str, number: str) -> HttpResponse:
        """Cancel the preview that is queued or running."""
        version = _draft(request, slug, number)
        actions.cancel_preview(version=version, by=request.user, now=timezone.now())
        return _answer(request, version, games)

    return cancel_preview


def load_impact_page(version: RubricVersion, games: Hash) -> ImpactPage:
    """The section "What would change" of a draft."""
    return build_impact(version=version, basis=scored(version, games), now=timezone.now())


def scored(version: RubricVersion, games: Hash) -> Hash:
    """The function that returns the hash of everything scored under the version's rubric."""
    return games if version.rubric.kind == DISCUSSION else lambda: reviews_hash(version.rubric_id)


def _draft(request: SignedIn, slug: str, number: str) -> RubricVersion:
    only_parameters(request)
    version = version_or_404(request.user, slug, number)
    check_publish_version(request.user, version)
    bind_form(request, NothingForm)
    return version


def _answer(request: SignedIn, version: RubricVersion, games: Hash) -> HttpResponse:
    """The section for htmx, else its page."""
    address = reverse("publish_version", args=[version.rubric.key, version.number])
    context = {"impact": load_impact_page(version, games)}
    return respond(request, page="", region=IMPACT, context=context, redirect=address)


PUBLISH, PUBLISH_REGION = "rubric/preview/publish.html", "rubric/preview/_impact.html"


def publish_with(uses: Uses, games: Hash) -> View:
    """The view that publishes a draft; `games` gives the hash of all games judged so far."""

    @require("publish_version", methods=("GET", "POST"))
    def publish_version(request: SignedIn, slug: str, number: str) -> HttpResponse:
        """Show what publishing changes, and a form for the reason. While a preview is computed, its section polls."""
        version = version_or_404(request.user, slug, number)
        check_publish_version(request.user, version)
        if request.method == "GET" and is_htmx(request):
            only_parameters(request)
            context = {"impact": load_impact_page(version, games)}
            return respond(request, page=PUBLISH, region=PUBLISH_REGION, context=context)
        act = versions_actions.publish_version
        return change_version(
            request, version, act, PUBLISH, uses, lambda: {"impact": load_impact_page(version, games)}
        )

    return publish_version
