"""Models that are asked in tests: what they answer, and a worker that waits for nobody."""

import json
from datetime import timedelta

from rubric.comparisons.actions import add_reviewer
from rubric.core.response_order import labels
from rubric.model_reviewers.actions.answers import paste_answer
from rubric.model_reviewers.actions.jobs import ask_models, start_asking
from rubric.model_reviewers.actions.prompts import ensure_prompt
from rubric.model_reviewers.queries import load_asked, model_reviewers
from rubric.models import Answer
from rubric.models.comparisons import MODEL
from tests.factories.comparisons import make_set
from tests.factories.people import NOW
from tests.factories.replays import replayed
from workspace.core.refusals import Refusal
from workspace.jobs.actions import fail, take_job

KEYS = ("accuracy", "completeness", "conciseness", "clarity")


TENS = dict.fromkeys(KEYS, 10)


ONES = dict.fromkeys(KEYS, 1)


SIXES = dict.fromkeys(KEYS, 6)


def answer_text(count=3, scores=SIXES, **others):
    given = {label: others.get(label[-1], scores) for label in labels(count)}
    return "My reasons.\n```json\n" + json.dumps({"evaluations": given}) + "\n```"


class Waits(list):
    """What was waited, in seconds, by nobody; a clock that goes along with it."""

    def __init__(self):
        super().__init__()
        self.now = NOW
        self.meanwhile = lambda: None

    def wait(self, seconds):
        self.append(seconds)
        self.meanwhile()
        self.now += timedelta(seconds=seconds)

    def clock(self):
        return self.now


def go(made, waits):
    """What a worker does with the set, until its job is over."""
    job = start_asking(comparison_set=made, by=made.created_by, now=waits.now)
    work(job, waits)
    return job


def work(job, waits, **given):
    """Turns of a worker until the job is over; a refusal ends it, as with `run_job`."""
    while held := take_job(job=job.pk, now=waits.now):
        try:
            ask_models(job=held, clock=waits.clock, wait=waits.wait, share=lambda: 1.0, **given)
        except Refusal as refusal:
            fail(job=held, code=refusal.code, reason=refusal.sentence, now=waits.now)
    job.refresh_from_db()


def states(made):
    return [comparison.state for comparison in load_asked(made, model_reviewers(made))]


def stored():
    return list(Answer.objects.order_by("pk").values_list("attempt", "error_code"))


@replayed
def make_asked(*, by, people=()):
    """A set with a model: comparison 1 has its answer, 2 a prompt, 3 nothing. Gives what addresses are made of."""
    made = make_set(by=by, questions=3, people=people, name="Asked of a model")
    model = add_reviewer(comparison_set=made, kind=MODEL, name="one-model", by=by, now=NOW)
    first, second, _third = made.comparisons.order_by("number")
    for row in (first, second):
        ensure_prompt(comparison=row, reviewer=model, by=by, now=NOW)
    review = paste_answer(comparison=first, reviewer=model, text=answer_text(), by=by, now=NOW)
    return {
        "asked_number": made.number,
        "asked_comparison": second.number,
        "answered_comparison": first.number,
        "unasked_comparison": 3,
        "model_reviewer": model.pk,
        "came": review.answers.get().pk,
        "read_review": review.pk,
    }
