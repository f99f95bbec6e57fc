"""What publishing a draft of a rubric would change, for programs."""

from typing import Any

from django.utils import timezone
from msgspec import to_builtins

from discussions.preview.queries import scored_hash
from rubric.models import RubricVersion
from rubric.preview.actions import ask_for_preview
from rubric.preview.views import load_impact, scored
from rubric.versions.permissions import check_publish_version
from rubric.versions.views.version import version_or_404
from workspace.web.endpoints import Answer, Operations
from workspace.web.views import SignedIn

router = Operations()
PATH = "/rubrics/{slug:slug}/{number}/preview/"


class PreviewAnswer(Answer):
    """A preview. `state` is none, live, stopped, old (the draft or the scores changed since) or present.

    `headline` says in a sentence what would change, `impact` has the figures; `messages` say why there is none.
    """

    state: str
    messages: list[str]
    headline: str
    impact: dict[str, Any] | None


@router.get(PATH, "api_rubric_preview", "publish_version")
def show_preview(request: SignedIn, slug: str, number: str) -> PreviewAnswer:
    """Read what publishing a draft would change."""
    return read_preview(version_or_404(request.user, slug, number, check_publish_version))


@router.post(PATH, "api_rubric_preview", "publish_version", "admin", status=202, costs="computations")
def ask_preview(request: SignedIn, slug: str, number: str) -> PreviewAnswer:
    """Have a job find out what publishing a draft would change."""
    version = version_or_404(request.user, slug, number, check_publish_version)
    basis = scored(version, scored_hash)()
    ask_for_preview(version=version, basis=basis, by=request.user, now=timezone.now())
    return read_preview(version)


def read_preview(version: RubricVersion) -> PreviewAnswer:
    context = load_impact(version, scored_hash)
    found = context.get("found")
    return PreviewAnswer(
        state=context["state"],
        messages=context["messages"],
        headline=found.headline if found else "",
        impact=to_builtins(found.impact) if found else None,
    )
