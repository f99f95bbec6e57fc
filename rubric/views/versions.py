"""The screens of rubric versions."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render

from rubric.models import RubricVersion
from rubric.pages.versions import build_version_page
from rubric.permissions import check_read_rubric, check_see_weights
from workspace.permissions import may
from workspace.views.gate import needs


@needs("read_rubric")
def rubric_version(request: HttpRequest, slug: str, number: str) -> HttpResponse:
    """One version, read only."""
    version = get_object_or_404(
        RubricVersion.objects.visible_to(request.user), rubric__key=slug, number=number
    )
    check_read_rubric(request.user, version)
    page = build_version_page(version, has_weights=may(check_see_weights, request.user))
    return render(request, "rubric/rubric_version.html", {"page": page})
