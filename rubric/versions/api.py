"""Rubric versions, for programs."""

from typing import Any

import msgspec

from rubric.models import RubricVersion
from rubric.versions.permissions import check_see_weights
from rubric.versions.views.version import version_or_404
from workspace.web.endpoints import Answer, Listed, Operations
from workspace.web.require import SignedIn

router = Operations()


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


@router.get("/rubrics/{slug:slug}/{number}/", "api_rubric_version", "see_weights")
def show_version(request: SignedIn, slug: str, number: str) -> VersionContentAnswer:
    """Read a rubric version with its criteria, weights, thresholds, parameters and word lists.

    Only leads and admins read it, since weights must not guide what people rate.
    """
    row = version_or_404(request.user, slug, number)
    check_see_weights(request.user)
    return VersionContentAnswer.read(row, content=msgspec.to_builtins(row.to_record()))
