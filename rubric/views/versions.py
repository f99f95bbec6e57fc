"""The screens on which versions are read: one version, two beside each other, and the file of one."""

import msgspec
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404

from rubric.models import RubricVersion
from rubric.pages.differences import build_differences_page, comparable, name_of
from rubric.pages.rubrics import PEOPLE
from rubric.pages.versions import build_version_page
from rubric.permissions import check_read_rubric, check_see_weights
from workspace.models import Person
from workspace.pages.frame import frame
from workspace.views.answers import answer
from workspace.views.bodies import only_parameters
from workspace.views.gate import SignedIn, needs


def version_or_404(person: Person, slug: str, number: str) -> RubricVersion:
    """The version of that address, with its rubric and people, when the person may know of it."""
    rows = RubricVersion.objects.visible_to(person).select_related("rubric", *PEOPLE)
    return get_object_or_404(rows, rubric__key=slug, number=number)


@needs("read_rubric")
def rubric_version(request: SignedIn, slug: str, number: str) -> HttpResponse:
    """One version, read only, and what can be done with it."""
    only_parameters(request)
    version = version_or_404(request.user, slug, number)
    check_read_rubric(request.user, version)
    page = build_version_page(version, person=request.user)
    context = {"page": page, **frame(request.user, None, "rubrics")}
    return answer(request, page="rubric/rubric_version.html", context=context)


@needs("read_rubric")
def compare_versions(request: SignedIn, slug: str, number: str) -> HttpResponse:
    """What differs from another version of the same kind: the one chosen, or the one before."""
    chosen = only_parameters(request, "from")["from"]
    version = version_or_404(request.user, slug, number)
    check_read_rubric(request.user, version)
    others = comparable(version, request.user)
    earlier = [each for each in others if each.rubric_id == version.rubric_id and each.pk < version.pk]
    before = next(iter(earlier or others), None)
    if chosen:
        before = next((each for each in others if name_of(each) == chosen), None)
        if before is None:
            raise Http404
    page = build_differences_page(version=version, before=before, others=others, person=request.user)
    context = {"page": page, **frame(request.user, None, "rubrics")}
    return answer(request, page="rubric/version_compare.html", context=context)


@needs("see_weights")
def export_version(request: SignedIn, slug: str, number: str) -> HttpResponse:
    """The version as a file: the JSON that `measure_file --rubric` and the import read."""
    only_parameters(request)
    version = version_or_404(request.user, slug, number)
    check_see_weights(request.user)
    body = msgspec.json.format(msgspec.json.encode(version.to_record()), indent=1) + b"\n"
    response = HttpResponse(body, content_type="application/json")
    response["Content-Disposition"] = f'attachment; filename="{slug}-{version.number}.json"'
    return response
