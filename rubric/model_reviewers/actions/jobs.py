"""The job that asks models: one call at a time, outside any transaction. It stores each answer before it reads it.

Whatever kills the worker, a committed answer is not asked for again. The stored rows count the tries.
"""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext as _

from rubric.core.call_parameters import SYSTEM, select_parameters, select_sampling
from rubric.model_reviewers import core
from rubric.model_reviewers.actions import answers
from rubric.model_reviewers.actions.calls import Caller, end_turn, is_last_try
from rubric.model_reviewers.actions.prompts import ensure_prompt
from rubric.model_reviewers.permissions import check_ask_models
from rubric.model_reviewers.queries import get_model_name, load_asked, may_call, model_reviewers
from rubric.models import Comparison, ComparisonSet, Reviewer, WholePrompt
from rubric.models.reviews import FETCHED
from rubric.reviews.permissions import check_open_set
from workspace.core.refusals import Conflict
from workspace.jobs.actions import Clock, cancel_job, enqueue, hand_back, renew
from workspace.models import Job, Person
from workspace.models.jobs import QUEUED, RUNNING

ASK = "ask_models"


def start_asking(*, comparison_set: ComparisonSet, by: Person, now: datetime) -> Job:
    """Queue the calls for all answers that are pending. Raises NotAllowed, Conflict when there is none."""
    check_ask_models(by, comparison_set)
    if not any(_open_pairs(comparison_set)):
        raise Conflict(_("No answer is to come that a call could bring."), code="nothing_to_ask")
    subject, project = _subject(comparison_set), comparison_set.project
    with transaction.atomic():
        return enqueue(project=project, kind=ASK, subject=subject, input_hash="", by=by, now=now)


def stop_asking(*, comparison_set: ComparisonSet, by: Person, now: datetime) -> None:
    """Make no further call; one in progress is wasted. Raises NotAllowed, Conflict if no calls are being made."""
    check_open_set(by, comparison_set.project)
    job = Job.objects.filter(kind=ASK, subject=_subject(comparison_set), state__in=(QUEUED, RUNNING)).first()
    if job is None:
        raise Conflict(_("No model is being asked, so there is nothing to stop."), code="not_asking")
    cancel_job(job=job, by=by, now=now)


def ask_models(*, job: Job, clock: Clock, **given: Any) -> None:
    """Ask for every pending answer of the job's set. A pair that fails does not affect the others. `given`: see Caller.

    Raises JobLost when the job was cancelled or taken over, Unavailable when the endpoint takes no more calls.
    """
    caller = Caller.begin(job, clock, **given)
    comparison_set = answers.load_job_set(job)
    answers.read_unread(job=job, comparison_set=comparison_set, clock=clock)
    for comparison, reviewer in _open_pairs(comparison_set):
        if not _ask_pair(caller, Comparison.objects.get(pk=comparison), reviewer):
            hand_back(job=job, now=clock())
            return
    end_turn(job=job, clock=clock, is_more=lambda: any(_open_pairs(answers.load_job_set(job))))


def _subject(comparison_set: ComparisonSet) -> str:
    return f"comparison_set:{comparison_set.pk}"


def _open_pairs(comparison_set: ComparisonSet) -> Iterator[tuple[int, Reviewer]]:
    """Comparison and model of every pending answer that may be asked for; none in a closed set."""
    rows = model_reviewers(comparison_set) if comparison_set.closed_at is None else []
    reviewers = {row.pk: row for row in rows if row.ended_at is None and may_call(row)}
    for reviewer in reviewers.values():
        reviewer.set = comparison_set
    for asked in load_asked(comparison_set, reviewers.values()):
        if asked.state == core.OPEN:
            yield asked.comparison, reviewers[asked.reviewer]


def _ask_pair(caller: Caller, comparison: Comparison, reviewer: Reviewer) -> bool:
    """Ask until there is an answer or no try is left; False if the turn ended before that."""
    by = caller.job.created_by
    while True:
        if caller.is_turn_over:
            return False
        # A turn is long, and calls cost money.
        if not Reviewer.objects.filter(pk=reviewer.pk, ended_at=None, set__closed_at=None).exists():
            return True
        prompt = ensure_prompt(comparison=comparison, reviewer=reviewer, by=by, now=caller.clock())
        (asked,) = load_asked(reviewer.set, [reviewer], comparisons=[comparison.pk])
        if asked.state != core.OPEN:
            return True
        text = WholePrompt.objects.get(review=prompt.review).text if asked.part else prompt.text
        parameters = select_parameters(reviewer.parameters)
        system = str(parameters.get(SYSTEM, ""))
        call = core.Call(get_model_name(reviewer), text, select_sampling(parameters), system)
        reply = caller.call(call)
        tries = asked.tries + 1
        is_over = is_last_try(reply, tries)
        with transaction.atomic():
            done = caller.job.done_count + (is_over and bool(reply.error_code or not asked.part))
            renew(job=caller.job, now=caller.clock(), done_count=done)
            price = settings.REVIEW_PRICES.get(call.model)
            cost = core.compute_cost(price, reply.prompt_tokens, reply.answer_tokens)
            columns: dict[str, Any] = {"part": asked.part, "parameters": parameters, "cost_usd": cost}
            answers.keep_answer(
                review=prompt.review, source=FETCHED, reply=reply, by=by, now=caller.clock(), **columns
            )
        if not reply.error_code:
            with transaction.atomic():
                renew(job=caller.job, now=caller.clock())
                answers.read_answer(review=prompt.review, by=by, now=caller.clock())
        caller.rest(reply, tries)
        # After the holistic score, ask for the criteria.
        if is_over and (reply.error_code or not asked.part):
            return True
