"""Asking for the preview of a draft and cancelling it. The roof hands in the hash of all games judged so far."""

from collections.abc import Callable

from django.http import HttpResponse
from django.urls import reverse
from django.utils import timezone

from rubric.actions import previewing
from rubric.core.records import DISCUSSION
from rubric.models import RubricVersion
from rubric.models.scored import reviews_hash
from rubric.pages.impact import ImpactPage, build_impact
from rubric.permissions import check_publish_version
from rubric.views.versions import version_or_404
from workspace.forms.people import NothingForm
from workspace.views.answers import answer
from workspace.views.bodies import only_parameters, typed
from workspace.views.gate import SignedIn, View, needs

IMPACT = "rubric/_impact.html"

Hash = Callable[[], str]


def preview_with(games: Hash) -> View:
    """The view that asks for a preview."""

    @needs("publish_version", methods=("POST",))
    def preview_version(request: SignedIn, slug: str, number: str) -> HttpResponse:
        """Queue the preview of the draft as it is now, and show how far it is."""
        version = _draft(request, slug, number)
        basis = scored(version, games)()
        previewing.ask_for_preview(version=version, basis=basis, by=request.user, now=timezone.now())
        return _answer(request, version, games)

    return preview_version


def cancel_with(games: Hash) -> View:
    """The view that cancels a preview."""

    @needs("publish_version", methods=("POST",))
    def cancel_preview(request: SignedIn, slug: str, number: str) -> HttpResponse:
        """Stop the preview that waits or runs."""
        version = _draft(request, slug, number)
        previewing.cancel_preview(version=version, by=request.user, now=timezone.now())
        return _answer(request, version, games)

    return cancel_preview


def impact_of(version: RubricVersion, games: Hash) -> ImpactPage:
    """The room "What would change" of a draft."""
    return build_impact(version=version, basis=scored(version, games), now=timezone.now())


def scored(version: RubricVersion, games: Hash) -> Hash:
    """What gives the hash of everything scored under the version's rubric."""
    return games if version.rubric.kind == DISCUSSION else lambda: reviews_hash(version.rubric_id)


def _draft(request: SignedIn, slug: str, number: str) -> RubricVersion:
    only_parameters(request)
    version = version_or_404(request.user, slug, number)
    check_publish_version(request.user, version)
    typed(request, NothingForm)
    return version


def _answer(request: SignedIn, version: RubricVersion, games: Hash) -> HttpResponse:
    """The room for htmx, else the page that it stands on."""
    address = reverse("publish_version", args=[version.rubric.key, version.number])
    context = {"impact": impact_of(version, games)}
    return answer(request, page="", region=IMPACT, context=context, redirect=address)
