"""The list of rubrics with their versions, and in which mode new comparison sets begin."""

from collections.abc import Callable, Mapping

from django.http import HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from rubric.models import Rubric, RubricVersion
from rubric.models.comparisons import is_scored_by_criterion
from rubric.versions import actions
from rubric.versions.forms import ScoringForm
from rubric.versions.permissions import check_edit_rubrics, check_see_weights
from rubric.versions.views.version import PEOPLE, list_acts, rubrics_frame
from workspace.access.permissions import get_refusal, may
from workspace.core.refusals import Malformed
from workspace.web.bind_form import bind_form
from workspace.web.require import SignedIn, View, require
from workspace.web.respond import respond

Uses = Callable[[], Mapping[int, int]]


def rubrics_with(uses: Uses) -> View:
    """The view that lists rubrics; `uses` gives how many iterations use each version."""

    @require("sign_in")
    def rubrics(request: SignedIn) -> HttpResponse:
        """Every rubric that the person may read, its versions newest first, without discarded drafts.

        Notes can mention weights, so only people who see weights get them. `uses` covers all projects, so only admins
        get it.
        """
        edit_refusal = get_refusal(check_edit_rubrics, request.user)
        has_notes = may(check_see_weights, request.user)
        rows = RubricVersion.objects.visible_to(request.user).kept().defer("body")
        current = [RubricVersion.objects.newest(kind) for kind in ("discussion", "response")]
        versions: dict[Rubric, list[tuple[RubricVersion, object]]] = {}
        for version in rows.select_related("rubric", *PEOPLE).order_by("rubric", "-pk"):
            acts = list_acts(version, has_notes=has_notes)
            versions.setdefault(version.rubric, []).append((version, acts))
        context = {
            "rubrics": versions,
            "current": current,
            "uses": {} if edit_refusal else uses(),
            "edit_refusal": edit_refusal,
            "is_scored_by_criterion": is_scored_by_criterion(),
            **rubrics_frame(request),
        }
        return respond(request, page="rubric/versions/list.html", context=context)

    return rubrics


@require("edit_rubrics", methods=("POST",))
def choose_scoring(request: SignedIn) -> HttpResponse:
    check_edit_rubrics(request.user)
    form = bind_form(request, ScoringForm)
    if not form.is_valid():
        raise Malformed(_("Say whether scoring by criterion is on or off. Reload the page and try again."))
    actions.choose_scoring(**form.cleaned_data, by=request.user, now=timezone.now())
    return respond(request, page="", redirect=reverse("rubrics"))
