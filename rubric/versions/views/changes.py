"""Changes of a version's state: retiring, discarding, offering; publishing is in `rubric.preview`.

`evalsite/urls.py` passes in the function that counts the uses of a version.
"""

from collections.abc import Callable, Mapping

from django.http import HttpResponse
from django.urls import reverse
from django.utils import timezone

from rubric.models import RubricVersion
from rubric.models.rubrics import DRAFT
from rubric.versions import actions
from rubric.versions.forms import VersionChangeForm
from rubric.versions.permissions import check_discard_version, check_offer_version, check_retire_version
from rubric.versions.views.rubrics import Uses
from rubric.versions.views.version import compare_with, find_published, rubrics_frame, version_or_404
from workspace.web.form_page import form_page
from workspace.web.require import SignedIn, View, require


def retire_with(uses: Uses) -> View:
    @require("retire_version", methods=("GET", "POST"))
    def retire_version(request: SignedIn, slug: str, number: str) -> HttpResponse:
        version = version_or_404(request.user, slug, number, check_retire_version)
        return change_version(request, version, actions.retire_version, "rubric/versions/retire.html", uses)

    return retire_version


@require("discard_version", methods=("GET", "POST"))
def discard_version(request: SignedIn, slug: str, number: str) -> HttpResponse:
    version = version_or_404(request.user, slug, number, check_discard_version)
    return change_version(request, version, actions.discard_draft, "rubric/versions/discard.html", dict)


@require("offer_version", methods=("GET", "POST"))
def offer_version(request: SignedIn, slug: str, number: str) -> HttpResponse:
    version = version_or_404(request.user, slug, number, check_offer_version)
    return change_version(request, version, actions.offer_version, "rubric/versions/offer.html", dict)


def change_version(
    request: SignedIn,
    version: RubricVersion,
    act: Callable[..., None],
    page: str,
    uses: Uses,
    more: Callable[[], Mapping[str, object]] = dict,
) -> HttpResponse:
    """Show the form with `more` context, or act and redirect to the version.

    The page compares with the other published version of the rubric, `before`. Only an act on a draft gets the hash
    that the page showed: every other version never changes.
    """

    def change(form: VersionChangeForm) -> str:
        given = form.cleaned_data if version.state == DRAFT else {"reason": form.cleaned_data["reason"]}
        act(version=version, **given, by=request.user, now=timezone.now())
        return reverse("rubric_version", args=[version.rubric.key, version.number])

    def context() -> Mapping[str, object]:
        shown = {"version": version, "uses": uses(), **compare_with(find_published(version), version)}
        return {**shown, **more(), **rubrics_frame(request)}

    basis: dict[str, object] = {"basis": version.sha256}
    return form_page(request, VersionChangeForm, change, page=page, context=context, initial=basis)
