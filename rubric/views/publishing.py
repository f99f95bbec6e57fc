"""The list of rubrics, and publishing, retiring and discarding a version. The roof hands in who counts uses."""

from collections.abc import Callable, Mapping

from django.http import HttpResponse
from django.urls import reverse
from django.utils import timezone

from rubric.actions import drafting, publishing
from rubric.forms.rubrics import ReasonForm
from rubric.models import RubricVersion
from rubric.pages.rubrics import build_change_page, build_rubrics_page
from rubric.permissions import check_discard_version, check_publish_version, check_retire_version
from rubric.views.previewing import Hash, impact_of
from rubric.views.versions import version_or_404
from workspace.core.refusals import Refusal
from workspace.pages.frame import frame
from workspace.views.answers import answer
from workspace.views.bodies import fault_of, only_parameters, typed
from workspace.views.gate import SignedIn, View, is_htmx, needs

PUBLISH, IMPACT = "rubric/version_publish.html", "rubric/_impact.html"

Uses = Callable[[], Mapping[int, int]]


def rubrics_with(uses: Uses) -> View:
    """The view that lists rubrics; `uses` gives how many iterations use each version."""

    @needs("sign_in")
    def rubrics(request: SignedIn) -> HttpResponse:
        """All rubrics and their versions."""
        only_parameters(request)
        page = build_rubrics_page(person=request.user, uses=uses())
        context = {"page": page, **frame(request.user, None, "rubrics")}
        return answer(request, page="rubric/rubric_list.html", context=context)

    return rubrics


def publish_with(uses: Uses, games: Hash) -> View:
    """The view that publishes a draft; `games` gives the hash of all games judged so far."""

    @needs("publish_version", methods=("GET", "POST"))
    def publish_version(request: SignedIn, slug: str, number: str) -> HttpResponse:
        """What publishing changes, and a form for the reason. While a preview is made its room asks again."""
        version = version_or_404(request.user, slug, number)
        check_publish_version(request.user, version)
        if request.method == "GET" and is_htmx(request):
            only_parameters(request)
            context = {"impact": impact_of(version, games)}
            return answer(request, page=PUBLISH, region=IMPACT, context=context)
        act = publishing.publish_version
        return _change(request, version, act, PUBLISH, uses, lambda: {"impact": impact_of(version, games)})

    return publish_version


def retire_with(uses: Uses) -> View:
    """The view that retires a published version."""

    @needs("retire_version", methods=("GET", "POST"))
    def retire_version(request: SignedIn, slug: str, number: str) -> HttpResponse:
        """Who uses the version, and a form for the reason."""
        version = version_or_404(request.user, slug, number)
        check_retire_version(request.user, version)
        return _change(request, version, _retire, "rubric/version_retire.html", uses)

    return retire_version


@needs("discard_version", methods=("GET", "POST"))
def discard_version(request: SignedIn, slug: str, number: str) -> HttpResponse:
    """What becomes of a draft that is discarded, and a form for the reason."""
    version = version_or_404(request.user, slug, number)
    check_discard_version(request.user, version)
    return _change(request, version, drafting.discard_draft, "rubric/version_discard.html", dict)


def _retire(*, basis: str, **given: object) -> None:
    """Retiring needs no hash: what is published does not change."""
    publishing.retire_version(**given)  # type: ignore[arg-type]


def _change(
    request: SignedIn,
    version: RubricVersion,
    act: Callable[..., None],
    page: str,
    uses: Uses,
    more: Callable[[], Mapping[str, object]] = dict,
) -> HttpResponse:
    """Show the form and what `more` there is, or do it and lead to the version."""
    only_parameters(request)
    form, status = ReasonForm(initial={"basis": version.sha256}), 200
    if request.method == "POST":
        form, status = typed(request, ReasonForm), 422
        if form.is_valid():
            try:
                act(version=version, **form.cleaned_data, by=request.user, now=timezone.now())
                address = reverse("rubric_version", args=[version.rubric.key, version.number])
                return answer(request, page="", redirect=address)
            except Refusal as refusal:
                status = fault_of(form, refusal)
    change = build_change_page(version=version, uses=uses())
    context = {"page": change, "form": form, **more(), **frame(request.user, None, "rubrics")}
    return answer(request, page=page, context=context, status=status)
