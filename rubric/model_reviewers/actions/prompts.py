"""Prompts for models: each comparison gets its prompt once, and its answer can be asked for again."""

import hashlib
import secrets
from collections.abc import Iterator, Sequence
from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from rubric.core.records import BOTH, HOLISTIC, RUBRIC
from rubric.core.response_order import map_labels
from rubric.model_reviewers import queries
from rubric.model_reviewers.core import CRITERIA_PART, FAILED, OPEN, build_prompt, criteria_order, prompt_line
from rubric.models import Comparison, ComparisonSet, Review, Reviewer, ReviewPrompt, WholePrompt
from rubric.models.reviews import DRAFT
from rubric.reviews.actions import begin_review, supersede_review
from rubric.reviews.core.two_calls import WHOLE_PART
from rubric.reviews.permissions import check_change_set
from workspace.core.refusals import Conflict
from workspace.models import Person


def ensure_prompt(*, comparison: Comparison, reviewer: Reviewer, by: Person, now: datetime) -> ReviewPrompt:
    """The prompt for a model and a comparison. If there is none, make one with shuffled responses and store it.

    If the holistic score comes first, a separate call asks for it: see `review.whole_prompt`. Raises NotAllowed if the
    reviewer was removed or the set is closed, and Conflict if the review came without a prompt.
    """
    with transaction.atomic():
        review = begin_review(comparison=comparison, reviewer=reviewer, by=by, now=now)
        prompt = ReviewPrompt.objects.filter(review=review).first()
        if prompt is not None:
            return prompt
        if review.state != DRAFT:
            raise Conflict(_("This review was imported from elsewhere, without a prompt."), code="no_prompt")
        mode = reviewer.set.mode
        if mode == BOTH:
            columns = _build_prompt(comparison, review, reviewer, HOLISTIC)
            WholePrompt.objects.create(review=review, **columns, created_at=now)
            mode = RUBRIC
        columns = _build_prompt(comparison, review, reviewer, mode)
        return ReviewPrompt.objects.create(review=review, **columns, created_at=now)


def _build_prompt(comparison: Comparison, review: Review, reviewer: Reviewer, mode: str) -> dict[str, str]:
    rubric = reviewer.set.rubric_version.to_record()
    text, nonce = build_prompt(
        rubric,
        comparison.question,
        queries.texts_by_label(review),
        nonces=iter(new_nonce, ""),
        mode=mode,
        criteria=criteria_order(rubric, review.seed),
    )
    return {"text": text, "nonce": nonce, "sha256": hashlib.sha256(text.encode()).hexdigest()}


def new_nonce() -> str:
    """A random seed that authors of responses cannot know."""
    return secrets.token_hex(16)


def open_prompts(*, comparison_set: ComparisonSet, by: Person, now: datetime) -> Iterator[str]:
    """Yield a line for each pending answer, one at a time, and make its prompt. Raises NotAllowed at once."""
    check_change_set(by, comparison_set)
    reviewers = {row.pk: row for row in queries.model_reviewers(comparison_set) if row.ended_at is None}
    asked = queries.load_asked(comparison_set, reviewers.values())
    pairs = [(pair.comparison, reviewers[pair.reviewer]) for pair in asked if pair.state in (OPEN, FAILED)]
    return _write_lines(comparison_set, pairs, by, now)


def ask_again(*, comparison: Comparison, reviewer: Reviewer, by: Person, now: datetime) -> ReviewPrompt:
    """Supersede answer or failed calls (of two, the first without all scores). Raises NotAllowed, Conflict."""
    check_change_set(by, reviewer.set)
    with transaction.atomic():
        Reviewer.objects.select_for_update().get(pk=reviewer.pk)
        (asked,) = queries.load_asked(reviewer.set, [reviewer], comparisons=[comparison.pk])
        is_lost = any(missing for _record, missing in queries.read_halves([asked]).values())
        if asked.review is None or (asked.is_waiting and not is_lost):
            raise Conflict(_("The answer is pending, so there is nothing to ask again."), code="waiting")
        supersede_review(review=queries.reviews_to_read().get(pk=asked.review), by=by, now=now)
        return ensure_prompt(comparison=comparison, reviewer=reviewer, by=by, now=now)


def ask_failed_again(*, comparison_set: ComparisonSet, by: Person, now: datetime) -> int:
    """Supersede every review with failed calls, to ask again; return how many. Raises NotAllowed, Conflict."""
    check_change_set(by, comparison_set)
    with transaction.atomic():
        reviewers = [
            reviewer for reviewer in queries.model_reviewers(comparison_set) if reviewer.ended_at is None
        ]
        asked = queries.load_asked(comparison_set, reviewers)
        failed = [pair.review for pair in asked if pair.state == FAILED and pair.review is not None]
        if not failed:
            raise Conflict(_("No call has failed, so there is nothing to ask again."), code="none_failed")
        for review in queries.reviews_to_read().filter(pk__in=failed):
            supersede_review(review=review, by=by, now=now)
    return len(failed)


def _write_lines(
    comparison_set: ComparisonSet, pairs: Sequence[tuple[int, Reviewer]], by: Person, now: datetime
) -> Iterator[str]:
    for key, reviewer in pairs:
        comparison = Comparison.objects.get(pk=key)
        reviewer.set = comparison_set
        prompt = ensure_prompt(comparison=comparison, reviewer=reviewer, by=by, now=now)
        # Use numbers: an id may name who wrote the response, and the file may go to the model unchanged.
        review = prompt.review
        labels = {label: f"r{number}" for label, number in map_labels(review.order).items()}
        done, whole = queries.load_answers(review), WholePrompt.objects.filter(review=review).first()
        if whole is not None and WHOLE_PART not in done:
            yield prompt_line(comparison.key, reviewer.name, labels, whole.text, part=WHOLE_PART)
        if queries.MAIN_PART not in done:
            part = CRITERIA_PART if whole is not None else ""
            yield prompt_line(comparison.key, reviewer.name, labels, prompt.text, part=part)
