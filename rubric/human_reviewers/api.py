"""One's own reviews of comparisons, for programs: what waits, what there is to judge, marks, submitting.

An answer is built from the same parts as the reviewer's page, so it holds no authors, weights or lengths, and nothing
of others before a second round.
"""

from typing import Any

from django.utils import timezone
from pydantic import Field

from rubric.human_reviewers import actions
from rubric.human_reviewers.core import MissingMark
from rubric.human_reviewers.pages.review_page import CriterionScores, ScoreItem, ShownResponse, review_page
from rubric.human_reviewers.pages.submission import SubmittedResponse, build_submitted_page
from rubric.human_reviewers.queries.reviews import load_review_state
from rubric.human_reviewers.queries.waiting import (
    AFTER_CALIBRATION,
    SECOND,
    TO_CALIBRATE,
    TO_REVIEW,
    WaitingSet,
    waiting_sets,
)
from rubric.human_reviewers.views import review_or_404, reviewed_comparison_or_404, reviewed_set_or_404
from rubric.models import Review
from rubric.models.reviews import DRAFT, SUBMITTED
from rubric.reviews.queries import load_own_numbers
from workspace.audit.core import Act
from workspace.web.endpoints import Answer, Given, Listed, Operations
from workspace.web.views import SignedIn

router = Operations()
PATH = "/reviews/"
ONE = PATH + "{int:review}/"
SET = "/projects/{slug:slug}/comparison-sets/{int:number}/"
MOST_MARKS = 200


class WaitingAnswer(Answer):
    """A comparison of a set that you review, and how far you are: `started`, `second`, `second_started`, `submitted`,
    `to_calibrate`, `not_for_you`, `full` or `not_dealt`. `review` is your newest review of it, `number` your number
    for it once you have started. `comparison` starts a review if you may choose the comparison.
    """

    number: int | None
    comparison: int | None
    state: str
    review: int | None


class ReviewedSetAnswer(
    Answer,
    of=WaitingSet,
    fields="project:row.project.slug set:row.number name:row.name closed_at:row.closed_at to_review_count "
    "waiting_count why_not",
):
    """A set that you review, with the reviews you started, oldest first, and what is not yours to review.

    `to_review_count` comparisons are left for you; `waiting_count` wait in all. `why_not` says why you get none now.
    """

    comparisons: list[WaitingAnswer]


class ShortReviewAnswer(
    Answer,
    of=Review,
    fields="id project:reviewer.set.project.slug set:reviewer.set.number round submitted_at",
):
    """One of your reviews; `number` is your number for its comparison. `state` is draft or submitted."""

    number: int
    state: str


class NextReviewAnswer(Answer):
    """The review to work on next; null when nothing waits."""

    review: ShortReviewAnswer | None


class ShownAnswer(Answer, of=ShownResponse, fields="place label text notes notes_version:version others"):
    """A response by its place, with your notes on it; `others` are notes of others, in a second round only."""


class AskedScoreAnswer(
    Answer, of=ScoreItem, fields="kind subject what value reason version is_open values:points.0 others"
):
    """A score that is asked for; `version` counts how often you gave it and goes back with the next mark of it.

    `values` are what it can be, besides "cannot" with a reason. `others` are scores of others, in a second round only.
    """


class CriterionAnswer(
    Answer,
    of=CriterionScores,
    fields="key label description question guiding_questions good_examples bad_examples anchors scale",
):
    """A criterion with what it asks. Weights are not told."""


class MissingMarkAnswer(Answer, of=MissingMark, fields="kind subject says"):
    """Something to mark before the review can be submitted."""


class GivenReviewAnswer(
    Answer, of=SubmittedResponse, fields="label rank holistic scores overall notes cannot_judge text others"
):
    """What you gave a response in a submitted review, in words, with its place in your ranking ("" for none)."""


class ReviewAnswer(ShortReviewAnswer):
    """A review as you may see it now. Criteria and their scores come once every holistic score is given.

    `ranking` are the places of the responses, the best first and equal ones together (“2>1=3”); it opens when all
    scores are in, and is the one that the scores give until you change it. `submitted` is there after submitting,
    everything to mark before.
    """

    question: str
    why_closed: str
    responses: list[ShownAnswer]
    scores: list[AskedScoreAnswer]
    criteria: list[CriterionAnswer]
    ranking: str
    ranking_version: int
    missing: list[MissingMarkAnswer]
    submitted: list[GivenReviewAnswer]


class MarkGiven(Given):
    """A mark. `version` is how often you gave it before, 0 at first; "" as value clears it.

    Kinds: "holistic" (subject: place), "score" (subject "2.accuracy": place and criterion), "notes" (subject: place),
    "ranking" (no subject, value “2>1=3”). The value "cannot" needs a reason.
    """

    kind: str = Field(max_length=30)
    subject: str = Field(default="", max_length=100)
    value: str | None = Field(default=None, max_length=5000)
    reason: str | None = Field(default=None, max_length=5000)
    version: int = Field(default=0, ge=0, le=10**7)


class MarksGiven(Given):
    """Marks in the order in which they are made: all of them are stored, or none."""

    marks: list[MarkGiven] = Field(min_length=1, max_length=MOST_MARKS)


class UndoMarkGiven(Given):
    """Which thing's newest mark is undone; without a kind the newest of all."""

    kind: str = Field(default="", max_length=30)
    subject: str = Field(default="", max_length=100)


@router.get(PATH, "api_reviews", "sign_in")
def list_reviews(request: SignedIn) -> Listed[ReviewedSetAnswer]:
    """List the sets that you review, with what is to do."""
    items = [ReviewedSetAnswer.read(row, comparisons=_list_told(row)) for row in waiting_sets(request.user)]
    return Listed[ReviewedSetAnswer](items=items)


def _list_told(reviewed: WaitingSet) -> list[WaitingAnswer]:
    """The comparisons of a set that its reviewer knows of.

    The comparisons that you will still get are only a count, which includes hidden duplicates. Started ones are in
    the order of their start. Otherwise a row that stays, or comes last, would reveal a hidden duplicate.
    """
    known = [row for row in reviewed.comparisons if row.state not in (TO_REVIEW, AFTER_CALIBRATION)]
    return [
        WaitingAnswer(
            number=row.number or None,
            comparison=row.comparison if row.state in (TO_CALIBRATE, SECOND) else None,
            state=row.state,
            review=row.review or None,
        )
        for row in sorted(known, key=lambda row: (not row.number, row.number))
    ]


@router.post(SET + "next/", "api_next_review", "begin_review", "rate")
def next_review(request: SignedIn, slug: str, number: int) -> NextReviewAnswer:
    """Take the next review of a set. One that you have started comes first."""
    comparison_set = reviewed_set_or_404(request.user, project__slug=slug, number=number)
    taken = actions.take_next_review(comparison_set=comparison_set, by=request.user, now=timezone.now())
    review = review_or_404(request, taken.pk) if taken else None
    return NextReviewAnswer.read(None, review=review and ShortReviewAnswer.read(review, **_told(review)))


@router.post(PATH + "begin/{int:comparison}/", "api_begin_review", "begin_review", "rate")
def begin_review(request: SignedIn, comparison: int) -> ReviewAnswer:
    """Start your review of a comparison, or continue it. The list of reviews gives its number."""
    reviewed = reviewed_comparison_or_404(request, comparison)
    opened = actions.open_review(comparison=reviewed, by=request.user, now=timezone.now())
    return _review(request, opened.pk)


@router.get(ONE, "api_review", "review")
def show_review(request: SignedIn, review: int) -> ReviewAnswer:
    """Read one of your reviews: what there is to judge, and what you gave."""
    return _review(request, review)


@router.post(ONE + "marks/", "api_marks", "review", "rate")
def give_marks(request: SignedIn, review: int, given: MarksGiven) -> ReviewAnswer:
    """Give scores, notes and the ranking.

    A mark that was changed elsewhere since its version is a conflict (409), and none of them is stored.
    """
    own, key = review_or_404(request, review), request.headers["Idempotency-Key"]
    for place, one in enumerate(given.marks):
        act = Act(**one.model_dump(), key=f"api:{place}:{key}")
        actions.mark(review=own, act=act, by=request.user, now=timezone.now())
        own = review_or_404(request, review)
    return _review(request, review)


@router.post(ONE + "undo/", "api_undo_mark", "review", "rate")
def take_back(request: SignedIn, review: int, given: UndoMarkGiven) -> ReviewAnswer:
    """Take your newest mark back. Holistic scores stay once the criteria are open."""
    own, key = review_or_404(request, review), f"api:{request.headers['Idempotency-Key']}"
    actions.undo_mark(review=own, key=key, **given.model_dump(), by=request.user, now=timezone.now())
    return _review(request, review)


@router.post(ONE + "submit/", "api_submit_review", "review", "rate")
def submit(request: SignedIn, review: int) -> ReviewAnswer:
    """Submit a review. It is final."""
    actions.submit_marked_review(review=review_or_404(request, review), by=request.user, now=timezone.now())
    return _review(request, review)


def _told(review: Review) -> dict[str, Any]:
    return {
        "number": load_own_numbers(review.reviewer_id)[review.pk],
        # A hidden duplicate is left out when it is submitted; that is not said.
        "state": DRAFT if review.state == DRAFT else SUBMITTED,
    }


def _review(request: SignedIn, key: int) -> ReviewAnswer:
    work = load_review_state(review_or_404(request, key))
    facts: dict[str, Any] = {
        "question": work.review.comparison.question,
        "why_closed": "",
        "ranking": "",
        "ranking_version": 0,
    }
    facts |= {name: [] for name in ("responses", "scores", "criteria", "missing", "submitted")}
    if work.review.state == DRAFT:
        page = review_page(work=work, nonce="", step="", person=request.user)
        facts |= {name: page[name] for name in ("question", "responses", "criteria")}
        facts |= {"why_closed": page["closed_because"], "missing": work.missing}
        by_criterion = (item for criterion in page["criteria"] for item in criterion.items)
        facts["scores"] = [*page["whole"], *by_criterion]
        if ranking := page["ranking"]:
            facts |= {"ranking": ranking["value"], "ranking_version": ranking["version"]}
    else:
        facts["submitted"] = build_submitted_page(work=work, person=request.user)["responses"]
    return ReviewAnswer.read(work.review, **facts, **_told(work.review))
