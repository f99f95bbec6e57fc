"""Answers of models: stored raw first, then read and submitted."""

import hashlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime

from django.db import transaction
from django.db.models import Max, Q
from django.utils.translation import gettext as _

from rubric.core.call_parameters import select_parameters
from rubric.model_reviewers.actions.calls import end_turn
from rubric.model_reviewers.core import LONGEST_ANSWER, UNREAD, AnswerLine, Reply
from rubric.model_reviewers.queries import (
    MAIN_PART,
    get_model_name,
    has_answers,
    has_two_calls,
    list_readable,
    load_asked,
    model_reviewers,
    parse_answer,
    reads_otherwise,
    reviews_to_read,
    shows_criteria_first,
)
from rubric.models import Answer, Comparison, ComparisonSet, Review, Reviewer, WholePrompt
from rubric.models.comparisons import MODEL
from rubric.models.reviews import DRAFT, FETCHED, PASTED, SUBMITTED, SUPERSEDED, UPLOADED
from rubric.reviews.actions import begin_reading, record_submission
from rubric.reviews.core.corrections import Correction, apply_correction
from rubric.reviews.core.two_calls import WHOLE_PART
from rubric.reviews.permissions import check_change_set, check_see_results
from workspace.audit.actions import record_event
from workspace.core.canonical import canonical_hash
from workspace.core.json_faults import Problem
from workspace.core.refusals import Conflict, Unacceptable
from workspace.core.strict_json import normalise_text
from workspace.core.text import clean_text
from workspace.jobs.actions import Clock, enqueue, renew
from workspace.models import Job, Person

READ = "read_answers"
_ASKED = Q(prompt__isnull=False) | Q(read_from__prompt__isnull=False)


def keep_answer(
    *,
    review: Review,
    source: str,
    reply: Reply,
    part: str = MAIN_PART,
    by: Person,
    now: datetime,
    **call: object,
) -> Answer:
    """Store the raw answer; for a pasted or uploaded one, also queue the job that reads it. `call` holds other columns.

    If `parameters` is missing, the row has those of the reviewer. The answer of a live call is kept whatever happened
    in the meantime. Raises Conflict if there is an answer already.
    """
    with transaction.atomic():
        locked = Review.objects.select_for_update().get(pk=review.pk)
        answers = Answer.objects.filter(review=review)
        if source != FETCHED and (locked.state != DRAFT or answers.filter(error_code="", part=part).exists()):
            raise Conflict(
                _("This was answered already. Ask again first, then paste the new answer."), code="answered"
            )
        newest = answers.aggregate(newest=Max("attempt"))["newest"] or 0
        kept = Answer.objects.create(
            review=review,
            source=source,
            part=part,
            attempt=newest + 1,
            model=get_model_name(review.reviewer),
            **reply.columns,
            **{"parameters": select_parameters(review.reviewer.parameters), **call},
            created_at=now,
            created_by=by,
        )
        sha256 = hashlib.sha256(kept.text.encode()).hexdigest()
        detail = {"source": source, "attempt": kept.attempt, "error": kept.error_code, "sha256": sha256}
        project = review.reviewer.set.project
        record_event("answer:kept", review, by=by, now=now, project=project, detail=detail)
        if source != FETCHED:
            _enqueue_reading(review.reviewer.set, by, now)
    return kept


def read_answer(*, review: Review, by: Person, now: datetime) -> bool:
    """Read the first answers without an error and submit the review; False if another was faster or one is missing.

    A refusal becomes an abstention; an answer that cannot be read stays unreadable. Neither counts.
    """
    record = parse_answer(review)
    if record is None:
        return False
    try:
        criteria_first = shows_criteria_first(review)
        record_submission(review=review, record=record, criteria_first=criteria_first, by=by, now=now)
    except Conflict:
        return False
    return True


def paste_answer(
    *, comparison: Comparison, reviewer: Reviewer, text: str, part: str = MAIN_PART, by: Person, now: datetime
) -> Review:
    """Store it; read the review if all its parts are there. Raises NotAllowed, Unacceptable, Conflict when answered."""
    check_change_set(by, reviewer.set)
    text = normalise_text(text)[0]
    if not text.strip():
        raise Unacceptable(_("Paste the model's answer."), field="text")
    if len(text.encode()) > LONGEST_ANSWER:
        raise Unacceptable(
            _("The answer is larger than 2 MB, which no review needs. Shorten it."), field="text"
        )
    rows = reviews_to_read().filter(_ASKED, comparison=comparison, reviewer=reviewer, round=1)
    review = rows.exclude(state=SUPERSEDED).first()
    if review is None:
        raise Unacceptable(
            _("Create the prompt first: an answer speaks of the labels that the prompt gives."), field="text"
        )
    if part and not has_two_calls(review):
        raise Unacceptable(_("This model is asked in one call. Load the page again."), field="text")
    keep_answer(review=review, source=PASTED, reply=Reply(text=text), part=part, by=by, now=now)
    read_answer(review=review, by=by, now=now)
    return review


def set_parameters(
    *, reviewer: Reviewer, parameters: Mapping[str, object], by: Person, now: datetime
) -> None:
    """Set the parameters that every call to the model sends besides the prompt. They are part of who the reviewer is.

    Raises NotAllowed, Unacceptable for names or values that a call cannot carry, Conflict once there is an answer.
    """
    check_change_set(by, reviewer.set)
    if dict(parameters) != select_parameters(parameters):
        raise Unacceptable(_("These are no parameters of a call. Load the page again."))
    with transaction.atomic():
        locked = Reviewer.objects.select_for_update().get(pk=reviewer.pk)
        if has_answers(locked):
            says = _(
                "%(name)s has answered with these parameters, so they cannot be changed. Add the model again "
                "under another name, with other parameters."
            )
            raise Conflict(says % {"name": reviewer.name}, code="has_answered")
        Reviewer.objects.filter(pk=reviewer.pk).update(parameters=dict(parameters))
        detail = {"reviewer": reviewer.pk, "parameters": dict(parameters)}
        verb = "comparison_set:parameters_set"
        record_event(verb, reviewer.set, by=by, now=now, detail=detail)
    reviewer.parameters = dict(parameters)


def upload_answers(
    *, comparison_set: ComparisonSet, lines: Sequence[AnswerLine], by: Person, now: datetime
) -> list[Problem]:
    """Store all and queue their reading, or none and return the faults. Labels are the prompts'. Raises NotAllowed."""
    check_change_set(by, comparison_set)
    with transaction.atomic():
        ComparisonSet.objects.select_for_update().get(pk=comparison_set.pk)
        reviews, faults = _match_reviews(comparison_set, lines)
        if faults:
            return faults
        texts = [normalise_text(line.text)[0] for line in lines]
        stored = Answer.objects.filter(review__in=[review.pk for review in reviews]).order_by()
        attempts = defaultdict(int, stored.values_list("review").annotate(Max("attempt")))
        rows = []
        for review, line, text in zip(reviews, lines, texts, strict=True):
            attempts[review.pk] += 1
            rows.append(
                Answer(
                    review=review,
                    source=UPLOADED,
                    part=WHOLE_PART if line.part == WHOLE_PART else MAIN_PART,
                    attempt=attempts[review.pk],
                    model=get_model_name(review.reviewer),
                    parameters=select_parameters(review.reviewer.parameters),
                    text=text,
                    created_at=now,
                    created_by=by,
                )
            )
        Answer.objects.bulk_create(rows, batch_size=200)
        detail = {"answers": len(rows), "sha256": canonical_hash(texts)}
        record_event("comparison_set:answered", comparison_set, by=by, now=now, detail=detail)
        _enqueue_reading(comparison_set, by, now)
    return []


def read_answers(*, job: Job, clock: Clock) -> None:
    """Read every stored answer of the job's set that is not read yet, each in a fenced transaction of its own."""
    comparison_set = load_job_set(job)
    read_unread(job=job, comparison_set=comparison_set, clock=clock)
    end_turn(job=job, clock=clock, is_more=lambda: bool(_unread(comparison_set)))


def read_unread(*, job: Job, comparison_set: ComparisonSet, clock: Clock) -> None:
    for key in _unread(comparison_set):
        with transaction.atomic():
            renew(job=job, now=clock(), done_count=job.done_count + 1)
            read_answer(review=reviews_to_read().get(pk=key), by=job.created_by, now=clock())


def load_job_set(job: Job) -> ComparisonSet:
    key = int(job.subject.partition(":")[2])
    return ComparisonSet.objects.select_related("project", "rubric_version").get(pk=key)


def _enqueue_reading(comparison_set: ComparisonSet, by: Person, now: datetime) -> None:
    subject, project = f"comparison_set:{comparison_set.pk}", comparison_set.project
    enqueue(project=project, kind=READ, subject=subject, input_hash="", by=by, now=now)


def _unread(comparison_set: ComparisonSet) -> list[int]:
    asked = load_asked(comparison_set, model_reviewers(comparison_set))
    return [pair.review for pair in asked if pair.state == UNREAD and pair.review is not None]


def _match_reviews(
    comparison_set: ComparisonSet, lines: Sequence[AnswerLine]
) -> tuple[list[Review], list[Problem]]:
    names = {reviewer.name for reviewer in model_reviewers(comparison_set) if reviewer.ended_at is None}
    rows = reviews_to_read().filter(_ASKED, reviewer__set=comparison_set, round=1)
    rows = rows.filter(reviewer__name__in=names, reviewer__kind=MODEL).exclude(state=SUPERSEDED)
    waiting = {(review.comparison.key, review.reviewer.name): review for review in rows}
    answered = Answer.objects.filter(review__in=rows.values("pk"), error_code="")
    done = set(answered.values_list("review", "part"))
    in_two = set(WholePrompt.objects.filter(review__in=rows.values("pk")).values_list("review", flat=True))
    known = set(comparison_set.comparisons.values_list("key", flat=True))
    reviews, faults = [], []
    for line in lines:
        review = waiting.get((line.comparison, line.reviewer))
        part = WHOLE_PART if line.part == WHOLE_PART else MAIN_PART
        if review is not None and review.state == DRAFT and bool(line.part) != (review.pk in in_two):
            says = _('This model is asked in one call, so its answer has no "part". Remove it.')
            if not line.part:
                says = _(
                    'This model is asked in two calls. Say in "part" which prompt this answers: "whole" or "criteria".'
                )
            faults.append(Problem("wrong_part", says, line.line, pointer="/part"))
        elif review is not None and review.state == DRAFT and (review.pk, part) not in done:
            reviews.append(review)
        else:
            faults.append(_line_fault(line, known, names, review))
    return reviews, faults


def _line_fault(line: AnswerLine, known: set[str], names: set[str], review: Review | None) -> Problem:
    if line.comparison not in known:
        message = _('The set has no comparison with the id "%(id)s". Ids are in the file of prompts.')
        return Problem("unknown", message % {"id": line.comparison[:120]}, line.line, pointer="/comparison")
    if line.reviewer not in names:
        message = _('The set asks no model with the name "%(name)s". Add it to the set first.')
        return Problem("unknown", message % {"name": line.reviewer[:120]}, line.line, pointer="/reviewer")
    if review is None:
        message = _(
            "Nobody asked for this answer yet, so its labels mean nothing. Download the prompts first."
        )
        return Problem("not_asked", message, line.line)
    message = _("This was answered already. Ask again on its page first, then upload the new answer.")
    return Problem("answered", message, line.line)


LONGEST_CORRECTION = 500


def reread_answer(*, review: Review, by: Person, now: datetime) -> Review:
    """Make the current reader's reading count. Raises NotAllowed, Conflict when it is the same and not corrected."""
    _check(review, by)
    if not reads_otherwise(review) and not review.correction:
        says = _("The current parser gives the same result, so nothing would change.")
        raise Conflict(says, code="reads_the_same")
    with transaction.atomic():
        made = begin_reading(review=review, by=by, now=now)
        record = parse_answer(made)
        assert record is not None
        record_submission(review=made, record=record, criteria_first=review.criteria_first, by=by, now=now)
    return made


def reread_answers(*, comparison_set: ComparisonSet, by: Person, now: datetime) -> int:
    """Do the same for the whole set, without what a person corrected; return how many. Raises NotAllowed, Conflict."""
    check_change_set(by, comparison_set)
    check_see_results(by, comparison_set)
    with transaction.atomic():
        reviews = [review for review in list_readable(comparison_set) if reads_otherwise(review)]
        if not reviews:
            says = _("The current parser gives the same result for every answer.")
            raise Conflict(says, code="reads_the_same")
        for review in reviews:
            reread_answer(review=review, by=by, now=now)
    return len(reviews)


def correct_reading(*, review: Review, correction: Correction, by: Person, now: datetime) -> Review:
    """Make a person's correction of a reading count; the reading that it corrects is replayed with its reader's number.

    Raises NotAllowed, Conflict when it was superseded in the meantime, Unacceptable without a reason.
    """
    _check(review, by)
    reason = clean_text(
        correction.reason, field="reason", ask=_("Say what the parser got wrong."), most=LONGEST_CORRECTION
    )
    correction = Correction(correction.scores, reason, correction.ranking)
    rubric = review.reviewer.set.rubric_version.to_record()
    with transaction.atomic():
        made = begin_reading(review=review, correction=correction, by=by, now=now)
        made.correction = {}
        record = parse_answer(made)
        if record is None:
            raise Unacceptable(_("This review has no answer that could be corrected."))
        corrected = apply_correction(record, correction, rubric)
        record_submission(review=made, record=corrected, criteria_first=review.criteria_first, by=by, now=now)
    return made


def _check(review: Review, by: Person) -> None:
    check_change_set(by, review.reviewer.set)
    check_see_results(by, review.reviewer.set)
    if review.state != SUBMITTED:
        raise Conflict(_("This result was superseded. Open the newest one."), code="already_superseded")
