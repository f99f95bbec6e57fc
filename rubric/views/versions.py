"""The screens of rubric versions."""

from django.http import HttpResponse
from django.shortcuts import get_object_or_404

from rubric.models import RubricVersion
from rubric.pages.versions import build_version_page
from rubric.permissions import check_read_rubric, check_see_weights
from workspace.pages.frame import frame
from workspace.permissions import may
from workspace.views.answers import answer
from workspace.views.bodies import only_parameters
from workspace.views.gate import SignedIn, needs


@needs("read_rubric")
def rubric_version(request: SignedIn, slug: str, number: str) -> HttpResponse:
    """One version, read only."""
    only_parameters(request)
    version = get_object_or_404(
        RubricVersion.objects.visible_to(request.user), rubric__key=slug, number=number
    )
    check_read_rubric(request.user, version)
    page = build_version_page(version, has_weights=may(check_see_weights, request.user))
    return answer(request, page="rubric/rubric_version.html", context={"page": page, **frame(request.user)})
