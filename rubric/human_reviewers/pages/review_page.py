"""The reviewer's page, and the part of it that the response to one act updates."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _
from msgspec import Struct

from rubric.core.records import HOLISTIC
from rubric.human_reviewers.core import NOTES, RANKING, SCORE, find_mark_fault, get_label
from rubric.human_reviewers.pages import visible_review as parts
from rubric.human_reviewers.pages.records import ChangedParts, ConflictNote, ReviewPage, ShownResponse
from rubric.human_reviewers.pages.visible_review import (
    CRITERIA_STEP,
    HOLISTIC_STEP,
    REVIEW_STEP,
    STEP_BY_KIND,
    VisibleReview,
    item_id,
)
from rubric.human_reviewers.permissions import check_review
from rubric.human_reviewers.queries.reviews import ReviewState, load_other_reviews
from rubric.models import MarkRevision, Response
from rubric.models.reviews import CALIBRATION
from rubric.reviews.queries import load_own_numbers
from workspace.access.permissions import get_refusal
from workspace.models import Person


class ReviewQuery(Struct, frozen=True):
    """What the URL asks for, and the page's own nonce: the part of every key that changes with every page load."""

    nonce: str
    step: str = ""


class ActOutcome(Struct, frozen=True):
    """The outcome of an act: saved, in conflict, or refused.

    `is_new` says that it was stored now and is not a repeated request, `is_undo` that it undid another act,
    `is_elsewhere` that the value was not typed into its own field, which the response then updates.
    """

    kind: str = ""
    subject: str = ""
    saved_at: datetime | None = None
    conflict: Mapping[str, Any] | None = None
    refusal: str = ""
    is_new: bool = False
    is_undo: bool = False
    is_elsewhere: bool = False


def review_page(*, work: ReviewState, wanted: ReviewQuery, person: Person) -> ReviewPage:
    """The whole page of a draft, in a fixed number of queries for any comparison."""
    review = work.review
    closed_because = get_refusal(check_review, person, review)
    visible = VisibleReview(work, is_open=not closed_because, others=load_other_reviews(review))
    newest = MarkRevision.objects.filter(mark__review=review).order_by("-pk").first()
    texts = dict(Response.objects.filter(comparison=review.comparison_id).values_list("number", "text"))
    return ReviewPage(
        **_shared(visible, wanted, newest.created_at if newest else None),
        number=load_own_numbers(review.reviewer_id)[review.pk],
        closed_because=closed_because,
        whole=parts.whole(visible),
        criteria=parts.criteria(visible),
        opened=parts.choose_opened(visible),
        question=review.comparison.question,
        responses=[
            _show_response(visible, place, texts[number])
            for place, number in enumerate(review.order, start=1)
        ],
        begins_with_responses=not (wanted.step or parts.progress(visible)[0]),
        single_keys=person.has_single_keys,
    )


def review_answer(
    *, work: ReviewState, wanted: ReviewQuery, done: ActOutcome, person: Person
) -> tuple[ReviewPage, ChangedParts]:
    """What one act changed, built from the rows after the act."""
    review = work.review
    closed_because = get_refusal(check_review, person, review)
    visible = VisibleReview(work, is_open=not closed_because, others=load_other_reviews(review))
    changed = _changed(visible, done)
    # The last act can be undone, unless it was the last score before the criteria opened.
    is_undoable = done.is_new and not done.is_undo and not (done.kind == HOLISTIC and work.is_locked)
    page = ReviewPage(
        **_shared(visible, wanted, done.saved_at, is_undoable=is_undoable and not closed_because),
        closed_because=closed_because,
        whole=parts.whole(visible) if HOLISTIC_STEP in changed.steps else [],
        criteria=parts.criteria(visible) if CRITERIA_STEP in changed.steps else [],
    )
    return page, changed


def _shared(
    visible: VisibleReview, wanted: ReviewQuery, saved_at: datetime | None, *, is_undoable: bool = False
) -> dict[str, Any]:
    work = visible.work
    done, needed = parts.progress(visible)
    return {
        "review_id": work.review.pk,
        "nonce": wanted.nonce,
        "is_calibration": work.review.purpose == CALIBRATION,
        "set_name": work.review.reviewer.set.name,
        "project_name": work.review.reviewer.set.project.name,
        "round": work.review.round,
        "step": parts.open_step(visible, wanted.step),
        "is_open": visible.is_open,
        "saved_at": saved_at,
        "done": done,
        "needed": needed,
        "steps": parts.steps(visible),
        "is_locked": work.is_locked,
        "has_criteria": bool(work.sheet.scores),
        "waiting_count": sum(step.kind == HOLISTIC for step in work.missing),
        "ranking": visible.ranking,
        "missing": parts.missing_links(visible),
        "more_missing": max(len(work.missing) - parts.MOST_MISSING, 0),
        "can_undo": is_undoable or (visible.is_open and work.undoable().exists()),
        "lines": parts.score_lines(visible),
        "undo_key": f"{wanted.nonce}:undo:{work.review.version}",
    }


def _show_response(visible: VisibleReview, place: int, text: str = "") -> ShownResponse:
    mark = visible.work.mark(NOTES, str(place))
    notes = [other.notes for other in visible.others_at[place] if other.notes] if visible.others else []
    return ShownResponse(place, get_label(place), text, mark.value, mark.version, notes)


def _changed(visible: VisibleReview, done: ActOutcome) -> ChangedParts:
    """The regions that an act of this kind changes. A refused act may name something that does not exist."""
    sheet = visible.work.sheet
    conflict = _conflict(visible, done.conflict) if done.conflict else None
    if not done.kind or find_mark_fault(sheet, done.kind, done.subject, None):
        return ChangedParts(refusal=done.refusal)
    if done.kind == NOTES:
        # A text that is being typed stays in its field; only its version is updated.
        responses = [_show_response(visible, int(done.subject))]
        is_whole = done.is_undo or done.is_elsewhere or conflict is not None
        notes, kept = (responses, []) if is_whole else ([], responses)
        return ChangedParts(notes=notes, kept_notes=kept, conflict=conflict, refusal=done.refusal)
    if done.kind == RANKING:
        return ChangedParts(conflict=conflict, refusal=done.refusal)
    if done.kind == HOLISTIC and sheet.scores and visible.work.is_locked:
        return ChangedParts(steps=[HOLISTIC_STEP, CRITERIA_STEP], conflict=conflict, refusal=done.refusal)
    is_drawn = done.kind == HOLISTIC or parts.are_criteria_open(visible)
    items = [visible.item(done.kind, done.subject)] if is_drawn else []
    return ChangedParts(items=items, conflict=conflict, refusal=done.refusal)


def _conflict(visible: VisibleReview, detail: Mapping[str, Any]) -> ConflictNote:
    kind, subject = detail["kind"], detail["subject"]
    yours = detail["stored"] if detail["yours"] is None else detail["yours"]
    is_text = kind == NOTES
    return ConflictNote(
        item_id=choose_anchor(kind, subject),
        step=STEP_BY_KIND.get(kind, ""),
        kind=kind,
        subject=subject,
        version=detail["version"],
        yours=_in_words(visible, kind, subject, yours),
        yours_value="" if is_text else yours,
        yours_text=yours if is_text else detail["yours_reason"],
        stored=_in_words(visible, kind, subject, detail["stored"]),
        stored_at=detail["stored_at"],
    )


def _in_words(visible: VisibleReview, kind: str, subject: str, value: str) -> str:
    if not value:
        return _("nothing")
    if kind == RANKING:  # such as "B, then A and C"
        groups = [
            _(" and ").join(get_label(place).rpartition(" ")[2] for place in group.split("="))
            for group in value.split(">")
        ]
        return _(", then ").join(groups)
    return visible.format_score(subject, value) if kind in (HOLISTIC, SCORE) else value


def choose_anchor(kind: str, subject: str) -> str:
    """The element that a redirect after an act goes to."""
    if kind == NOTES:
        return f"note-{subject}"
    if kind == RANKING:
        return f"step-{REVIEW_STEP}"
    return item_id(kind, subject)
