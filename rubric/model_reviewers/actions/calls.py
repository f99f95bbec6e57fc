"""How a job calls models, for reviews and for judges of games: one call at a time, outside any transaction."""

import random
import threading
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext as _
from msgspec import Struct

from rubric.model_reviewers import core
from workspace.core.refusals import Unavailable
from workspace.jobs.actions import LEASE, Clock, finish, hand_back, renew
from workspace.models import Job

# A worker's turn ends before Celery's time limit, however long its last call and the wait after it take.
TURN = timedelta(seconds=200)

# After this many failed answers in a row, the endpoint is at fault; asking for the others would only cost money.
MOST_FAILED_IN_A_ROW = 5
NEVER_SET = threading.Event()
CHANCE = random.SystemRandom()


class Caller(Struct):
    """How to make calls, how to wait between them (tests do not wait), and how many failed in a row."""

    job: Job
    clock: Clock
    ask: Callable[[core.Call], core.Reply]
    wait: Callable[[float], Any]
    share: Callable[[], float]
    until: datetime
    failed_count: int = 0

    @classmethod
    def begin(
        cls,
        job: Job,
        clock: Clock,
        *,
        ask: Callable[[core.Call], core.Reply] | None = None,
        wait: Callable[[float], Any] = NEVER_SET.wait,
        share: Callable[[], float] = CHANCE.random,
    ) -> "Caller":
        return cls(job, clock, ask or _endpoint(), wait, share, until=clock() + TURN)

    @property
    def is_turn_over(self) -> bool:
        return self.clock() >= self.until

    def call(self, call: core.Call) -> core.Reply:
        # The longest time that a call and the wait after it can take, so that no other worker takes the job.
        self._hold(2 * settings.REVIEW_TIMEOUT)
        return core.limit_reply(self.ask(call))

    def rest(self, reply: core.Reply, tries: int) -> None:
        """Wait before the next call as long as the failure requires. Raises Unavailable if waiting does not help."""
        if not reply.error_code:
            self.failed_count = 0
            return
        is_over = is_last_try(reply, tries)
        self.failed_count += is_over
        if reply.error_code == core.UNAUTHORISED:
            says = _(
                "The endpoint refuses the key of this site. An admin looks at REVIEW_MODELS_KEY, then start again."
            )
            raise Unavailable(says, code=core.UNAUTHORISED)
        if self.failed_count >= MOST_FAILED_IN_A_ROW:
            sentence = _(
                "%(count)d answers in a row failed, the last so: %(error)s The rest was not asked for."
            )
            raise Unavailable(
                sentence % {"count": self.failed_count, "error": reply.error}, code="all_failed"
            )
        seconds = core.wait_before(tries, reply.retry_after, self.share())
        if seconds is None:
            sentence = _("The endpoint wants no calls for %(seconds)d seconds. Start again after that.")
            raise Unavailable(sentence % {"seconds": reply.retry_after}, code="too_busy")
        if not is_over or reply.retry_after:
            self._hold(seconds)
            self.wait(seconds)

    def _hold(self, seconds: float) -> None:
        renew(job=self.job, now=self.clock(), lease=LEASE + timedelta(seconds=seconds))


def is_last_try(reply: core.Reply, tries: int) -> bool:
    """Whether no further call is made for that answer: it is there, or another try would not bring it."""
    return not reply.error_code or reply.error_code not in core.PASSING or tries >= core.MOST_TRIES


def end_turn(*, job: Job, clock: Clock, is_more: Callable[[], bool]) -> None:
    """The job is over unless more is to be done; then it waits for its next turn."""
    with transaction.atomic():
        renew(job=job, now=clock())
        is_left = is_more()
        if not is_left:
            finish(job=job, now=clock())
    if is_left:
        hand_back(job=job, now=clock())


def _endpoint() -> Callable[[core.Call], core.Reply]:
    """The real endpoint; its client takes a second to import, so only a worker that makes calls imports it."""
    from rubric.model_reviewers.actions.client import ask_endpoint

    return ask_endpoint
