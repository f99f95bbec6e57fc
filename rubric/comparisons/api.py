"""Comparison sets and their comparisons, for programs."""

from collections.abc import Callable
from typing import Literal

from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.translation import gettext as _
from pydantic import Field

from rubric.comparisons import actions, queries
from rubric.comparisons.views import may_upload, read_upload
from rubric.models import Comparison, ComparisonSet, Reviewer, RubricVersion
from rubric.models.comparisons import MODEL, MODES, PERSON, REVIEWER_KINDS
from rubric.models.reviews import SUBMITTED
from rubric.reviews.permissions import check_change_set, check_open_set, check_see_set
from rubric.reviews.queries import load_calibrated
from rubric.reviews.views import set_or_404
from workspace.access.permissions import may_lead
from workspace.core.refusals import Unacceptable
from workspace.models import Person
from workspace.web.bind_form import project_or_404
from workspace.web.endpoints import After, Answer, Given, Listed, Operations, next_part
from workspace.web.views import SignedIn

router = Operations()
PATH = "/projects/{slug:slug}/comparison-sets/"
ONE = PATH + "{int:number}/"
MOST_FAULTS = 200


class SetAnswer(
    Answer,
    of=queries.SetLine,
    fields="number:comparison_set.number name:comparison_set.name rubric:comparison_set.rubric_version "
    "mode:comparison_set.mode has_second_round:comparison_set.has_second_round comparison_count own_count own_total "
    "closed_at:comparison_set.closed_at",
):
    """A comparison set. `rubric` is its rubric version, `mode` how responses are scored.

    `own_count` of `own_total` are your own reviews, null when you do not review. How many reviewers and reviews there
    are only leads and admins know; for others these are null.
    """

    reviewer_count: int | None
    review_count: int | None


class ReviewerAnswer(Answer, of=Reviewer, fields="id kind name review_count:done_count"):
    """A reviewer of a set. `kind` is person, model or elsewhere."""

    review_count: int


class ComparisonAnswer(
    Answer,
    of=tuple[Comparison, dict[str, int]],
    fields="number:0.number key:0.key question:0.question response_count:0.response_count review_counts:1",
):
    """A comparison: `key` is what whoever brought it calls it; reviews are counted by kind of reviewer."""

    response_count: int


class SingleSetAnswer(Answer):
    """A part of the comparisons of a set, and all its reviewers."""

    reviewers: list[ReviewerAnswer]
    comparisons: list[ComparisonAnswer]
    next: str | None


class BroughtAnswer(Answer, of=actions.ImportSummary, fields="comparisons reviews known"):
    """How many comparisons and reviews were added, and how many lines were known already."""


class OpenedAnswer(Answer, of=ComparisonSet, fields="number name"):
    """A set that was opened."""


class SetGiven(Given):
    """A new set under a published version of a response rubric; `people_needed` is null when all people review all."""

    name: str = Field(max_length=200)
    rubric: str
    version: str
    mode: Literal[tuple(mode for mode, _name in MODES)]  # type: ignore[valid-type]
    has_second_round: bool = False
    people_needed: int | None = Field(default=None, ge=1, le=100)


class ReviewerGiven(Given):
    """A reviewer. `person` is the address of somebody in the project, `model` what the model's endpoint calls it."""

    kind: Literal[tuple(kind for kind, _name in REVIEWER_KINDS)]  # type: ignore[valid-type]
    person: str = Field(default="", max_length=254)
    name: str = Field(default="", max_length=200)
    model: str = Field(default="", max_length=200)


@router.get(PATH, "api_sets", "sign_in")
def list_sets(request: SignedIn, slug: str) -> Listed[SetAnswer]:
    """List the comparison sets of a project.

    Leads and admins see all of them, others those in which they review.
    """
    project = project_or_404(request.user, slug)
    is_lead = may_lead(request.user, project)
    lines = queries.list_set_lines(project, request.user)
    hidden = {} if is_lead else {"reviewer_count": None, "review_count": None}
    return Listed[SetAnswer](items=[SetAnswer.read(line, **hidden) for line in lines])


@router.post(PATH, "api_sets", "open_set", "import", status=201)
def create_set(request: SignedIn, slug: str, given: SetGiven) -> OpenedAnswer:
    """Create a comparison set."""
    project = project_or_404(request.user, slug, check_open_set)
    versions = RubricVersion.objects.visible_to(request.user).select_related("rubric")
    version = versions.filter(rubric__key=given.rubric, number=given.version).first()
    if version is None:
        raise Unacceptable(_("There is no such rubric version."), field="version")
    values = given.model_dump(exclude={"rubric", "version"})
    made = actions.open_set(project=project, version=version, **values, by=request.user, now=timezone.now())
    return OpenedAnswer.read(made)


@router.get(ONE, "api_set", "see_set")
def show_set(request: SignedIn, slug: str, number: int, after: After = 0) -> SingleSetAnswer:
    """Read what a comparison set holds, and who reviews it; 100 comparisons at a time."""
    found = set_or_404(request.user, slug, number, check_see_set)
    count, _under_way = queries.count_comparisons(found)
    lines = queries.list_comparisons(found, after + 1)
    reviewers, _more = queries.list_reviewers(found, count, load_calibrated([found]))
    last = lines[-1][0].number if lines else 0
    return SingleSetAnswer.read(
        None,
        reviewers=[reviewer for reviewer, _total, _own_count in reviewers],
        comparisons=lines,
        next=next_part(request, last if last < count else 0),
    )


BODY = {
    "required": True,
    "description": "Lines of JSON: comparisons with their responses, and reviews, as docs/comparisons.md has them.",
    "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
}


@router.post(
    ONE + "lines/", "api_set_lines", "change_set", "import", files=may_upload, body=BODY, costs="uploads"
)
def bring_lines(request: SignedIn, slug: str, number: int) -> BroughtAnswer:
    """Bring comparisons with their responses, and reviews, into a set.

    Either all lines are imported, or every fault is listed under “more” and none is (422). Lines that are
    known already do no harm.
    """
    found = set_or_404(request.user, slug, number, check_see_set)
    check_change_set(request.user, found)
    return _bring(request, found)


@router.post(ONE + "reviewers/", "api_set_reviewers", "change_set", "import", status=201)
def let_review(request: SignedIn, slug: str, number: int, given: ReviewerGiven) -> ReviewerAnswer:
    """Let a person, a model or an external reviewer review a set."""
    found = set_or_404(request.user, slug, number, check_change_set)
    made = actions.add_reviewer(
        comparison_set=found,
        kind=given.kind,
        person=_member(found, given.person) if given.kind == PERSON else None,
        name=given.name,
        model=given.model if given.kind == MODEL else "",
        by=request.user,
        now=timezone.now(),
    )
    return ReviewerAnswer.read(made, review_count=0)


@router.post(ONE + "reviewers/{int:reviewer}/end/", "api_set_reviewer_end", "change_set", "import")
def ask_no_more(request: SignedIn, slug: str, number: int, reviewer: int) -> ReviewerAnswer:
    """Ask a reviewer for no more reviews. What was submitted counts on."""
    found = set_or_404(request.user, slug, number, check_change_set)
    row = get_object_or_404(Reviewer.objects.select_related("set__project"), pk=reviewer, set=found)
    actions.end_reviewer(reviewer=row, by=request.user, now=timezone.now())
    return ReviewerAnswer.read(row, review_count=row.reviews.filter(state=SUBMITTED).count())


@router.post(ONE + "close/", "api_set_close", "open_set", "import")
def close(request: SignedIn, slug: str, number: int) -> OpenedAnswer:
    """Close a set. It takes no more reviews, and its reviewers see the results."""
    return _turn(request, slug, number, actions.close_set)


@router.post(ONE + "reopen/", "api_set_reopen", "open_set", "import")
def reopen(request: SignedIn, slug: str, number: int) -> OpenedAnswer:
    """Open a closed set again. It takes reviews again."""
    return _turn(request, slug, number, actions.reopen_set)


def _turn(request: SignedIn, slug: str, number: int, act: Callable[..., None]) -> OpenedAnswer:
    found = set_or_404(request.user, slug, number)
    check_open_set(request.user, found.project)
    act(comparison_set=found, by=request.user, now=timezone.now())
    return OpenedAnswer.read(found)


def _member(comparison_set: ComparisonSet, email: str) -> Person | None:
    """Somebody of the project, by address."""
    rows = Person.objects.filter(memberships__project=comparison_set.project_id, memberships__ended_at=None)
    return rows.filter(email__iexact=email.strip()).first()


def _bring(request: SignedIn, comparison_set: ComparisonSet) -> BroughtAnswer:
    lines = read_upload(getattr(request, "sent", b""))
    brought = actions.import_lines(
        comparison_set=comparison_set, lines=lines, by=request.user, now=timezone.now()
    )
    if brought.faults:
        first, count = brought.faults[0], len(brought.faults)
        detail = {"faults": brought.faults[:MOST_FAULTS], "count": count}
        says = _("Line %(line)d: %(says)s") % {"line": first.line, "says": first.message}
        raise Unacceptable(says, field=first.pointer, code=first.code, detail=detail)
    return BroughtAnswer.read(brought)
