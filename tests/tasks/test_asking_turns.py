"""Turns of the worker that asks models: deaths, cancelling, leases, what others do; nothing is asked twice."""

from datetime import timedelta

import pytest

from rubric.actions.answering import paste_answer
from rubric.actions.asking import ask_again
from rubric.actions.calling import ask_models, start_asking, stop_asking
from rubric.actions.comparing import add_reviewer, close_set, end_reviewer
from rubric.actions.endpoint import ask_endpoint
from rubric.models import ComparisonSet, Review, Reviewer, ReviewPrompt
from rubric.models.comparisons import MODEL
from tests.asked import TENS, answer_text, go, states, stored, work
from tests.factories import NOW
from tests.talking import fails, says
from workspace.actions.jobs import JobLost, take_job
from workspace.core.refusals import Conflict, NotAllowed
from workspace.models import Event, Job

pytestmark = pytest.mark.django_db


def test_a_long_job_hands_itself_back_and_goes_on_where_it_was(asking, waits, settings):
    made, server = asking(fails(500, Retry_After="59"), run=False, questions=2)
    job = start_asking(comparison_set=made, by=made.created_by, now=NOW)
    turns = []
    server.acts[:] = [fails(500, Retry_After="59")] * 5 + [says(answer_text())]

    def clock():
        return waits.now

    for _turn in range(3):
        held = take_job(job=job.pk, now=waits.now)
        if held is None:
            break
        turns.append(held.fence)
        ask_models(job=held, clock=clock, wait=waits.wait, share=lambda: 1.0)
    assert len(turns) == 2
    assert states(made) == ["failed", "answered"]
    assert [attempt for attempt, _code in stored()] == [1, 2, 3, 1, 2, 3]


def test_a_worker_that_dies_after_the_commit_asks_for_nothing_twice(asking, waits, monkeypatch):
    made, server = asking(says(answer_text()), run=False, questions=2)
    job = start_asking(comparison_set=made, by=made.created_by, now=NOW)

    class Killed(BaseException):
        pass

    def killed(**_given):
        raise Killed

    held = take_job(job=job.pk, now=NOW)
    with monkeypatch.context() as patch:
        patch.setattr("rubric.actions.calling.read_answer", killed)
        with pytest.raises(Killed):
            ask_models(job=held, clock=waits.clock, wait=waits.wait)
    assert states(made) == ["unread", "open"]
    waits.now += timedelta(minutes=10)
    work(job, waits)
    assert states(made) == ["answered", "answered"]
    assert len(server.heard) == 2
    assert stored() == [(1, ""), (1, "")]


def test_tries_are_counted_across_deaths(asking, waits):
    made, _server = asking(fails(500), run=False)
    job = start_asking(comparison_set=made, by=made.created_by, now=NOW)

    class Killed(BaseException):
        pass

    def killed(_seconds):
        raise Killed

    for _death in range(2):
        held = take_job(job=job.pk, now=waits.now)
        with pytest.raises(Killed):
            ask_models(job=held, clock=waits.clock, wait=killed)
        waits.now += timedelta(minutes=10)
    work(job, waits)
    assert stored() == [(number, "server_error") for number in (1, 2, 3)]
    assert states(made) == ["failed"]


def test_cancelling_stops_before_the_next_call(asking, waits):
    made, server = asking(says(answer_text()), run=False, questions=3)
    job = start_asking(comparison_set=made, by=made.created_by, now=NOW)
    held = take_job(job=job.pk, now=NOW)
    lead = made.created_by

    def ask(call):
        reply = ask_endpoint(call)
        if len(server.heard) == 2:
            stop_asking(comparison_set=made, by=lead, now=waits.now)
        return reply

    with pytest.raises(JobLost):
        ask_models(job=held, clock=waits.clock, ask=ask)
    assert states(made) == ["answered", "open", "open"]
    assert len(server.heard) == 2
    with pytest.raises(Conflict, match="nothing to stop"):
        stop_asking(comparison_set=made, by=lead, now=NOW)


def test_the_lease_outlasts_a_call_and_its_wait(asking, waits, settings):
    made, _server = asking(fails(500, Retry_After="50"), says(answer_text()), run=False)
    settings.REVIEW_TIMEOUT = 100
    job = start_asking(comparison_set=made, by=made.created_by, now=NOW)
    held = take_job(job=job.pk, now=NOW)
    leases = []

    def lease():
        return (Job.objects.get(pk=job.pk).lease_until - waits.now).total_seconds()

    def ask(call):
        leases.append(lease())
        return ask_endpoint(call)

    def wait(seconds):
        leases.append(lease() - seconds)
        waits.wait(seconds)

    ask_models(job=held, clock=waits.clock, ask=ask, wait=wait, share=lambda: 1.0)
    assert leases[0] >= 200
    assert leases[1] >= 10
    assert leases[2] >= 200


def test_an_answer_that_was_pasted_meanwhile_counts_and_the_call_is_kept_beside_it(asking, waits):
    made, _server = asking(says(answer_text(scores=TENS)), run=False)
    job = start_asking(comparison_set=made, by=made.created_by, now=NOW)
    comparison, reviewer = made.comparisons.get(), made.reviewers.get()

    def ask(call):
        paste_answer(
            comparison=comparison, reviewer=reviewer, text=answer_text(), by=made.created_by, now=NOW
        )
        return ask_endpoint(call)

    work(job, waits, ask=ask)
    assert stored() == [(1, ""), (2, "")]
    review = Review.objects.get()
    assert {row.scores["clarity"] for row in review.reviewed.all()} == {6}
    assert Job.objects.get(kind="ask_models").state == "done"


def test_only_models_that_the_settings_name_are_asked(asking, waits, settings):
    made, server = asking(says(answer_text()), run=False, models=("one-model", "gone", "unknown"))
    settings.REVIEW_MODELS = ["one-model", "gone", "other"]
    end_reviewer(reviewer=made.reviewers.get(name="gone"), by=made.created_by, now=NOW)
    go(made, waits)
    assert [heard.body["model"] for heard in server.heard] == ["one-model"]
    Reviewer.objects.filter(name="unknown").update(parameters={})
    settings.REVIEW_MODELS_URL = ""
    with pytest.raises(NotAllowed, match="calls no models by itself"):
        start_asking(comparison_set=made, by=made.created_by, now=NOW)


def test_what_a_call_asks_for_can_have_another_name(asking, waits, settings):
    made, server = asking(says(answer_text()), run=False, models=())
    lead = made.created_by
    add_reviewer(comparison_set=made, kind=MODEL, name="The big one", model="big-1", by=lead, now=NOW)
    settings.REVIEW_MODELS = ["big-1"]
    go(made, waits)
    assert server.heard[0].body["model"] == "big-1"


def test_a_set_that_is_closed_meanwhile_is_asked_no_more(asking, waits):
    made, server = asking(says(answer_text()), run=False)
    job = start_asking(comparison_set=made, by=made.created_by, now=NOW)
    close_set(comparison_set=made, by=made.created_by, now=NOW)
    work(job, waits)
    assert (server.heard, job.state) == ([], "done")


@pytest.mark.parametrize("end", ["close", "take out"])
def test_a_set_that_is_closed_within_a_turn_is_asked_no_more(asking, waits, end):
    made, server = asking(says(answer_text()), run=False, questions=3)
    by = made.created_by
    job = start_asking(comparison_set=made, by=by, now=NOW)

    def ask(call):
        if end == "close":
            close_set(comparison_set=ComparisonSet.objects.get(pk=made.pk), by=by, now=NOW)
        else:
            end_reviewer(reviewer=made.reviewers.get(), by=by, now=NOW)
        return ask_endpoint(call)

    work(job, waits, ask=ask)
    assert (len(server.heard), job.state, Review.objects.count()) == (1, "done", 1)


def test_asking_again_supersedes_and_deals_anew(asking, waits):
    made, _server = asking(says(answer_text()))
    comparison, reviewer = made.comparisons.get(), made.reviewers.get()
    prompt = ask_again(comparison=comparison, reviewer=reviewer, by=made.created_by, now=NOW)
    assert prompt.text != ReviewPrompt.objects.order_by("pk").first().text
    assert prompt.nonce not in ReviewPrompt.objects.order_by("pk").first().text
    with pytest.raises(Conflict, match="still to come"):
        ask_again(comparison=comparison, reviewer=reviewer, by=made.created_by, now=NOW)
    go(made, waits)
    assert list(Review.objects.order_by("pk").values_list("state", flat=True)) == ["superseded", "submitted"]
    kept = Event.objects.filter(verb="answer:kept").order_by("pk").values_list("object_id", flat=True)
    assert [int(key) for key in kept] == list(Review.objects.order_by("pk").values_list("pk", flat=True))
