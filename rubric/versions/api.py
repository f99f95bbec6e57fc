"""Rubric versions, for programs."""

from typing import Any

import msgspec
from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.utils import timezone
from pydantic import Field

from rubric.models import Rubric, RubricVersion
from rubric.versions import actions
from rubric.versions.core.differences import differences
from rubric.versions.permissions import check_edit_rubrics, check_publish_version, check_see_weights
from rubric.versions.queries import write_file
from rubric.versions.views.version import difference_rows, find_published, version_or_404
from workspace.web.endpoints import Answer, Given, Listed, Operations
from workspace.web.views import SignedIn, download

router = Operations()
ONE = "/rubrics/{slug:slug}/{number}/"
BODY = {"required": True, "description": "The file.", "content": {"application/octet-stream": {"schema": {}}}}


class VersionAnswer(
    Answer, of=RubricVersion, fields="rubric:rubric.key kind:rubric.kind number state sha256 published_at"
):
    """A version of a rubric: `rubric` and `number` are its address, `sha256` is the hash of its content."""


class VersionContentAnswer(VersionAnswer):
    """A version with its content, as the import of rubrics reads it."""

    content: dict[str, Any]


@router.get("/rubrics/", "api_rubrics", "read_rubric")
def list_versions(request: SignedIn) -> Listed[VersionAnswer]:
    """List the rubric versions, the newest of each rubric first."""
    rows = RubricVersion.objects.visible_to(request.user).kept().defer("body").select_related("rubric")
    return Listed[VersionAnswer].read_all(rows.order_by("rubric", "-pk"))


@router.get(ONE, "api_rubric_version", "see_weights")
def show_version(request: SignedIn, slug: str, number: str) -> VersionContentAnswer:
    """Read a rubric version with its criteria, weights, thresholds, parameters and word lists.

    Only leads and admins read it, since weights must not guide what people rate.
    """
    row = version_or_404(request.user, slug, number)
    check_see_weights(request.user)
    return VersionContentAnswer.read(row, content=msgspec.to_builtins(row.to_record()))


class DifferenceAnswer(Answer):
    """What differs: the criterion or kind of thing, which of its values, and the value before and after."""

    part: str
    what: str
    before: str
    after: str


class PublishGiven(Given):
    """Why it is published, and the `sha256` of the draft that was read."""

    reason: str = Field(max_length=10_000)
    basis_sha256: str = Field(max_length=64)


@router.get(f"{ONE}file/", "api_rubric_file", "see_weights", gives_file=True)
def show_file(request: SignedIn, slug: str, number: str) -> HttpResponse:
    """Download a version as a file, for Git. A draft made from it has the same file."""
    row = version_or_404(request.user, slug, number)
    check_see_weights(request.user)
    return download(write_file(row.to_record()), f"{slug}-{number}.json", "application/json")


@router.get(f"{ONE}differences/", "api_rubric_differences", "see_weights")
def list_differences(request: SignedIn, slug: str, number: str, before: str = "") -> Listed[DifferenceAnswer]:
    """List what differs in a version from the version `before`, else from the one that was published last."""
    row = version_or_404(request.user, slug, number)
    check_see_weights(request.user)
    other = version_or_404(request.user, slug, before) if before else find_published(row)
    found = difference_rows(differences((other or row).to_record(), row.to_record()))
    names = ("part", "what", "before", "after")
    return Listed[DifferenceAnswer].read_all([dict(zip(names, row[:4], strict=True)) for row in found])


@router.post("/rubrics/", "api_rubrics", "edit_rubrics", "admin", status=201, body=BODY)
def start_rubric(request: SignedIn, key: str, note: str = "") -> VersionAnswer:
    """Start a response rubric of that key by a draft of its first version, from a file."""
    check_edit_rubrics(request.user)
    given: dict[str, Any] = {"rubric": None, "key": key, "note": note}
    made = actions.draft_file(data=request.body, **given, by=request.user, now=timezone.now())
    return VersionAnswer.read(made)


@router.post("/rubrics/{slug:slug}/", "api_rubric_drafts", "edit_rubrics", "admin", status=201, body=BODY)
def draft_file(request: SignedIn, slug: str, note: str = "", basis_sha256: str = "") -> VersionAnswer:
    """Make a draft from a file.

    The draft has the file's number if that is free, else the next one. A draft with that number gets the content of the
    file if `basis_sha256` is its hash. A file with faults is refused; `more` lists each with its place.
    """
    given: dict[str, Any] = {
        "rubric": get_object_or_404(Rubric, key=slug),
        "note": note,
        "basis": basis_sha256,
    }
    check_edit_rubrics(request.user)
    made = actions.draft_file(data=request.body, **given, by=request.user, now=timezone.now())
    return VersionAnswer.read(made)


@router.post(f"{ONE}publish/", "api_rubric_publish", "publish_version", "admin")
def publish(request: SignedIn, slug: str, number: str, given: PublishGiven) -> VersionAnswer:
    """Publish a draft. From then on it never changes, and new work uses it."""
    row = version_or_404(request.user, slug, number, check_publish_version)
    reason, basis = given.reason, given.basis_sha256
    actions.publish_version(version=row, basis=basis, reason=reason, by=request.user, now=timezone.now())
    return VersionAnswer.read(version_or_404(request.user, slug, number))
