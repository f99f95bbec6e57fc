"""The job that calls a judge: one call at a time, outside any transaction, until its budget is spent."""

from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext as _

from discussions.judges.actions.answers import keep_reply
from discussions.judges.permissions import check_call_judge, check_judges
from discussions.judges.queries import build_text, find_open, sum_cost
from discussions.models import Judge
from rubric.core.call_parameters import SYSTEM, select_sampling
from rubric.model_reviewers.actions.calls import Caller, is_last_try
from rubric.model_reviewers.core import Call, compute_cost
from workspace.access.permissions import get_refusal
from workspace.core.refusals import Conflict, Unavailable
from workspace.jobs.actions import Clock, cancel_job, enqueue, finish, hand_back, renew
from workspace.models import Job, Person
from workspace.models.jobs import QUEUED, RUNNING

ASK, MAKE = "ask_judge", "make_prompts"


def find_job(judge: Judge, kind: str = ASK) -> Job | None:
    """The newest of that kind."""
    return Job.objects.filter(kind=kind, subject=f"judge:{judge.pk}").order_by("-pk").first()


def is_live(job: Job | None) -> bool:
    return job is not None and job.state in (QUEUED, RUNNING)


def start_calls(*, judge: Judge, by: Person, now: datetime) -> Job:
    """Queue the calls for all open prompts. Raises NotAllowed, Conflict when there is none."""
    check_call_judge(by, judge)
    if not find_open(judge).exists():
        raise Conflict(_("No prompt is open. Run the judge on games first."), code="nothing_to_ask")
    with transaction.atomic():
        subject = f"judge:{judge.pk}"
        return enqueue(project=judge.project, kind=ASK, subject=subject, input_hash="", by=by, now=now)


def stop_calls(*, judge: Judge, by: Person, now: datetime) -> None:
    """Make no further call; one in progress is wasted. Raises NotAllowed, Conflict if no calls are being made."""
    check_judges(by, judge.project)
    job = find_job(judge)
    if job is None or not is_live(job):
        raise Conflict(_("The judge is not being asked, so there is nothing to stop."), code="not_asking")
    cancel_job(job=job, by=by, now=now)


def ask_judge(*, job: Job, clock: Clock, **given: Any) -> None:
    """Call the job's judge for every open prompt; one that fails does not affect the others. `given`: see Caller.

    Raises JobLost when the job was cancelled or taken over, Unavailable when the endpoint takes no more calls, when
    the budget is spent, and when the judge may not be called any more.
    """
    caller = Caller.begin(job, clock, **given)
    judge = Judge.objects.select_related("project").get(pk=int(job.subject.partition(":")[2]))
    for key in list(find_open(judge).values_list("pk", flat=True)):
        if not _ask(caller, judge, key):
            hand_back(job=job, now=clock())
            return
    with transaction.atomic():
        renew(job=job, now=clock())
        is_left = find_open(judge).exists()
        if not is_left:
            finish(job=job, now=clock())
    if is_left:
        hand_back(job=job, now=clock())


def _ask(caller: Caller, judge: Judge, key: int) -> bool:
    """Call until there is an answer or no try is left; False if the turn ended before that."""
    by = caller.job.created_by
    while True:
        if caller.is_turn_over:
            return False
        prompt = find_open(judge).filter(pk=key).first()
        if prompt is None:
            return True
        # A turn is long, and calls cost money.
        judge.refresh_from_db()
        if refusal := get_refusal(check_call_judge, by, judge):
            raise Unavailable(refusal, code="not_callable")
        if judge.budget_usd is not None and sum_cost(judge) >= judge.budget_usd:
            says = _("The budget of %(usd)s US dollars is spent. The rest was not asked for.")
            raise Unavailable(says % {"usd": judge.budget_usd}, code="budget_spent")
        system = str(judge.parameters.get(SYSTEM, ""))
        call = Call(judge.model, build_text(prompt), select_sampling(judge.parameters), system)
        reply = caller.call(call)
        tries = prompt.replies.exclude(error_code="").count() + 1
        cost = compute_cost(settings.REVIEW_PRICES.get(judge.model), reply.prompt_tokens, reply.answer_tokens)
        with transaction.atomic():
            is_over = is_last_try(reply, tries)
            renew(job=caller.job, now=caller.clock(), done_count=caller.job.done_count + is_over)
            keep_reply(prompt=prompt, reply=reply, tries=tries, cost=cost, by=by, now=caller.clock())
        caller.rest(reply, tries)
        if is_over:
            return True
