"""Judges are added, run on games, called at a real server that misbehaves, and answered by hand."""

import json
from collections import Counter
from datetime import timedelta
from decimal import Decimal
from itertools import chain, count

import pytest

from discussions.core import judgement_kinds as kinds
from discussions.judges.actions import prompts
from discussions.judges.actions.prompts import (
    RunPlan,
    ask_judge,
    keep_reply,
    make_prompts,
    open_prompts,
    paste_answer,
    plan_run,
    start_calls,
    stop_calls,
    upload_answers,
)
from discussions.judges.actions.runs import end_judge, resume_judge, suspend_judge
from discussions.judges.core.prompts import AnswerText
from discussions.judges.queries import ALL, ANSWERED_BLIND, build_text, load_progress, prompts_to_build
from discussions.models import Evaluation, Judge, JudgeAnswer, Judgement, JudgePrompt, JudgeReply
from rubric.model_reviewers.core import LONGEST_WAIT, MOST_TRIES, Reply
from tests.factories.judges import KINDS, answer, answer_all, code_of, data_of, make_judge, run_all
from tests.factories.model_reviewers import Waits
from tests.factories.people import NOW, make_lead, make_member
from tests.factories.rating import make_game, make_rating_project, submitted
from tests.services.chat_server import Heard, cut_off, fails, replies, talking
from workspace.core.refusals import Conflict, NotAllowed, Refusal, Unacceptable
from workspace.jobs.actions import JobLost, fail, run_job, take_job
from workspace.models import Event, Job

pytestmark = pytest.mark.django_db


@pytest.fixture
def led():
    """A project with one unrated game of twelve messages, its lead, and a judge."""
    project = make_rating_project(slug="judged")
    make_game(project=project)
    lead = make_lead(project=project)
    return make_judge(project, lead), lead


def verbs():
    return list(Event.objects.filter(verb__startswith="judge:").order_by("pk").values_list("verb", flat=True))


def test_the_same_model_parameters_and_prompt_are_the_same_judge(led):
    judge, lead = led
    with pytest.raises(Conflict, match="Larch is the same model"):
        make_judge(judge.project, lead, name="Other")
    other = make_judge(judge.project, lead, parameters={"temperature": 0.5})
    assert (other.number, judge.number) == (2, 1) and other.identity != judge.identity
    with pytest.raises(Unacceptable):
        make_judge(judge.project, lead, parameters={"tools": "all"})
    with pytest.raises(NotAllowed):
        make_judge(judge.project, make_member(project=judge.project))
    assert verbs() == ["judge:added"] * 2


def test_a_run_asks_every_item_once_and_some_twice(led):
    judge, lead = led
    run_all(judge, lead, [1], repeat_percent=25)
    rows = list(JudgePrompt.objects.order_by("number"))
    assert [row.number for row in rows] == list(range(1, len(rows) + 1))
    by_kind = {kind: [row for row in rows if row.kind == kind] for kind in KINDS}
    first = [row.subjects for row in by_kind[kinds.STRATEGIC_DEPTH] if row.purpose == "rating"]
    assert sorted(chain.from_iterable(first)) == sorted(str(number) for number in range(1, 13))
    again = [row for row in by_kind[kinds.STRATEGIC_DEPTH] if row.purpose == "repeat"]
    assert [len(row.subjects) for row in again] == [3]
    assert [row.subjects for row in by_kind[kinds.RATING] if row.purpose == "rating"] == [[""]]
    assert "1" not in by_kind[kinds.COHERENCE][0].subjects
    assert len({row.seed for row in rows}) == len(rows)
    run_all(judge, lead, [1])
    assert JudgePrompt.objects.count() == len(rows)
    answer_all(judge, lead)
    with pytest.raises(Conflict, match="asked all of that"):
        run_all(judge, lead, [1])


def test_prompts_whose_worker_dies_are_made_once_by_the_next(led, monkeypatch):
    judge, lead = led
    make_game(project=judge.project)
    plan = RunPlan(games=[1, 2], kinds=[kinds.COHERENCE, kinds.RATING], which=ALL, repeat_percent=50)
    job = plan_run(judge=judge, plan=plan, by=lead, now=NOW)
    with monkeypatch.context() as patch:
        patch.setattr(prompts, "build_text", raise_at(5, prompts.build_text))
        with pytest.raises(ZeroDivisionError):
            make_prompts(job=take_job(job=job.pk, now=NOW), clock=lambda: NOW)
    job.refresh_from_db()
    assert (set(judge.prompts.values_list("game__number", flat=True)), job.done_count) == ({1}, 1)
    later = NOW + timedelta(minutes=5)
    assert run_job(job=job.pk, clock=lambda: later)
    asked = Counter(
        (row.game_id, row.kind, row.purpose, subject)
        for row in judge.prompts.all()
        for subject in row.subjects
    )
    assert set(asked.values()) == {1} and len(asked) == 2 * (11 + 6 + 2)
    assert sorted(judge.prompts.values_list("number", flat=True)) == list(range(1, judge.prompts.count() + 1))
    job.refresh_from_db()
    assert (job.state, job.done_count, job.total_count) == ("done", 2, 2)


def raise_at(number, act):
    """The act, which fails the so many-th time."""
    times = count(1)
    return lambda *given: act(*given) if next(times) != number else 1 // 0


def test_only_what_people_answered_blind_is_asked_where_that_is_chosen():
    evaluation = submitted()
    project = evaluation.game.project
    lead = make_lead(project=project)
    judge = make_judge(project, lead)
    run_all(judge, lead, [evaluation.game.number], which=ANSWERED_BLIND, repeat_percent=0)
    for kind in (kinds.STRATEGIC_DEPTH, kinds.COHERENCE, kinds.ROLE_CONSISTENCY, kinds.REFERENCE):
        answered = Judgement.objects.filter(evaluation=evaluation, kind=kind).exclude(blind_value="")
        asked = list(chain(*JudgePrompt.objects.filter(kind=kind).values_list("subjects", flat=True)))
        assert sorted(asked) == sorted(answered.values_list("subject", flat=True)) and asked


def test_games_that_are_not_there_and_kinds_that_judges_do_not_answer_are_refused(led):
    judge, lead = led
    for games, asked in (([2], KINDS), ([], KINDS), ([1], ()), ([1], ("question",))):
        with pytest.raises(Unacceptable):
            run_all(judge, lead, games, kinds=asked)
    assert not JudgePrompt.objects.exists()


def test_uploaded_answers_are_stored_by_item_and_nothing_enters_an_evaluation(led):
    judge, lead = led
    before = Judgement.objects.count(), Evaluation.objects.count()
    run_all(judge, lead, [1])
    answer_all(judge, lead)
    rows = JudgePrompt.objects.all()
    assert {row.state for row in rows} == {"answered"}
    assert JudgeAnswer.objects.count() == sum(len(row.subjects) for row in rows) > 40
    assert set(JudgeAnswer.objects.filter(prompt__kind="rating").values_list("value", flat=True)) == {"4.0"}
    assert (Judgement.objects.count(), Evaluation.objects.count()) == before
    assert verbs() == ["judge:added", "judge:run", "judge:answered"]
    progress = load_progress([judge.pk])[judge.pk]
    assert (progress.open, progress.unread, progress.remarks) == (0, 0, 0) and progress.cost is None


def test_a_file_is_taken_whole_or_not_at_all(led):
    judge, lead = led
    run_all(judge, lead, [1], kinds=[kinds.COHERENCE], repeat_percent=0)
    (prompt,) = open_prompts(judge=judge, by=lead)
    good = AnswerText(1, prompt["prompt"], answer(prompt["text"], kinds.COHERENCE))
    faults = upload_answers(judge=judge, lines=[good, AnswerText(2, 99, "x")], by=lead, now=NOW)
    assert [(fault.line, fault.code) for fault in faults] == [(2, "unknown")]
    assert not JudgeReply.objects.exists()
    assert not upload_answers(judge=judge, lines=[good], by=lead, now=NOW)
    (fault,) = upload_answers(judge=judge, lines=[good], by=lead, now=NOW)
    assert fault.code == "answered"


def test_what_an_answer_lacks_is_flagged_and_asked_for_in_the_next_run(led):
    judge, lead = led
    run_all(judge, lead, [1], kinds=[kinds.STRATEGIC_DEPTH], repeat_percent=0)
    prompt = prompts_to_build().get()
    text = json.dumps({"code": code_of(build_text(prompt)), "answers": {"1": "yes", "2": "perhaps"}})
    paste_answer(judge=judge, prompt=1, text=text, by=lead, now=NOW)
    reply = JudgeReply.objects.get()
    assert [flag["code"] for flag in reply.flags] == ["not_an_answer", *["missing"] * 10]
    assert JudgeAnswer.objects.get().subject == prompt.subjects[0]
    with pytest.raises(Conflict):
        paste_answer(judge=judge, prompt=1, text=text, by=lead, now=NOW)
    run_all(judge, lead, [1], kinds=[kinds.STRATEGIC_DEPTH], repeat_percent=0)
    assert sorted(JudgePrompt.objects.get(number=2).subjects) == sorted(prompt.subjects[1:])
    paste_answer(judge=judge, prompt=2, text="I would rather not.", by=lead, now=NOW)
    assert JudgePrompt.objects.get(number=2).state == "unreadable"
    run_all(judge, lead, [1], kinds=[kinds.STRATEGIC_DEPTH], repeat_percent=0)
    assert len(JudgePrompt.objects.get(number=3).subjects) == 11


def test_a_suspended_or_ended_judge_is_asked_nothing(led):
    judge, lead = led
    run_all(judge, lead, [1])
    suspend_judge(judge=judge, reason="It drifts", by=lead, now=NOW)
    for act in (
        lambda: run_all(judge, lead, [1]),
        lambda: open_prompts(judge=judge, by=lead),
        lambda: paste_answer(judge=judge, prompt=1, text="x", by=lead, now=NOW),
        lambda: start_calls(judge=judge, by=lead, now=NOW),
    ):
        with pytest.raises(NotAllowed, match="suspended"):
            act()
    resume_judge(judge=judge, by=lead, now=NOW)
    assert list(open_prompts(judge=judge, by=lead))
    end_judge(judge=judge, by=lead, now=NOW)
    with pytest.raises(NotAllowed, match="ended"):
        open_prompts(judge=judge, by=lead)
    with pytest.raises(Conflict):
        end_judge(judge=judge, by=lead, now=NOW)
    assert verbs()[-3:] == ["judge:suspended", "judge:resumed", "judge:ended"]


# Calls.


def judging(heard):
    """Answers as an obedient judge of any kind."""
    prompt = heard.body["messages"][-1]["content"]
    words = {'"accurate"': "accurate", '"consistent"': "consistent", "5.0 in steps": 3.5}
    value = next(
        (value for sign, value in words.items() if sign in prompt.split("The answers are")[1]), "yes"
    )
    given = {str(item["item"]): value for item in data_of(prompt)["items"]}
    return json.dumps({"code": code_of(prompt), "answers": given})


@pytest.fixture
def called(settings):
    """Opens a server with these acts, runs a judge that is called there, and works until its job is over."""
    waits, opened = Waits(), []

    def call(*acts, kinds=(kinds.RATING, kinds.COHERENCE), go=True, **given):
        server = talking(*acts)
        opened.append(server)
        settings.REVIEW_MODELS_URL, settings.REVIEW_MODELS_KEY = server.__enter__().url, "sk-very-secret"
        settings.REVIEW_MODELS, settings.REVIEW_TIMEOUT = ["larch-3"], 90
        project = make_rating_project(slug="judged")
        make_game(project=project)
        lead = make_lead(project=project)
        judge = make_judge(project, lead, is_called=True, **given)
        run_all(judge, lead, [1], kinds=kinds, repeat_percent=0)
        job = start_calls(judge=judge, by=lead, now=waits.now)
        return (judge, work(job, waits), waits) if go else (judge, job, waits)

    yield call
    for server in opened:
        server.__exit__(None, None, None)


def work(job, waits):
    while held := take_job(job=job.pk, now=waits.now):
        try:
            ask_judge(job=held, clock=waits.clock, wait=waits.wait, share=lambda: 1.0)
        except Refusal as refusal:
            fail(job=held, code=refusal.code, reason=refusal.sentence, now=waits.now)
    job.refresh_from_db()
    return job


def test_a_called_judge_answers_with_its_parameters_cost_and_time(called, settings):
    settings.REVIEW_PRICES = {"larch-3": (Decimal("2.50"), Decimal(10))}
    judge, job, _waits = called(
        replies(judging), parameters={"temperature": 0.2, "system_prompt": "Be brief."}
    )
    assert job.state == "done" and {row.state for row in judge.prompts.all()} == {"answered"}
    assert JudgeAnswer.objects.count() == 12
    progress = load_progress([judge.pk])[judge.pk]
    assert (progress.calls, progress.cost) == (2, Decimal("0.009"))


def test_failures_are_kept_and_tried_again_as_long_as_that_may_help(called):
    judge, job, waits = called(fails(429, **{"Retry-After": "7"}), cut_off, replies(judging))
    assert job.state == "done"
    codes = list(JudgeReply.objects.order_by("pk").values_list("attempt", "error_code"))
    assert codes == [(1, "rate_limited"), (2, "cut_off"), (3, ""), (1, "")]
    assert waits == [7.0, 4.0]
    assert not judge.prompts.exclude(state="answered").exists()


def test_what_fails_for_good_waits_for_the_next_run(called):
    judge, job, _waits = called(cut_off, cut_off, cut_off, replies(judging))
    assert job.state == "done"
    assert sorted(judge.prompts.values_list("state", flat=True)) == ["answered", "failed"]
    assert JudgeReply.objects.exclude(error_code="").count() == MOST_TRIES
    run_all(judge, judge.created_by, [1], kinds=(kinds.RATING, kinds.COHERENCE), repeat_percent=0)
    assert judge.prompts.filter(state="open").count() == 1


def test_too_long_a_wait_a_spent_budget_or_a_suspension_stops_the_job(called, settings):
    judge, job, waits = called(fails(429, **{"Retry-After": str(LONGEST_WAIT + 1)}))
    assert (job.state, judge.prompts.filter(state="open").count()) == ("failed", 2)
    settings.REVIEW_PRICES = {"larch-3": (Decimal(1), Decimal(1))}
    Judge.objects.filter(pk=judge.pk).update(budget_usd=Decimal("0.01"))
    prompt = judge.prompts.first()
    reply = Reply(error_code="refused", error="No.")
    keep_reply(prompt=prompt, reply=reply, tries=2, cost=Decimal("0.01"), by=judge.created_by, now=NOW)
    judge.refresh_from_db()
    job = work(start_calls(judge=judge, by=judge.created_by, now=waits.now), waits)
    assert (job.state, "0.01 US dollars is spent" in job.error) == ("failed", True)


def test_a_stopped_run_resumes_with_what_is_open(called):
    judge, job, waits = called(replies(judging), go=False)
    stop_calls(judge=judge, by=judge.created_by, now=NOW)
    with pytest.raises(Conflict):
        stop_calls(judge=judge, by=judge.created_by, now=NOW)
    assert not JudgeReply.objects.exists()
    job = work(start_calls(judge=judge, by=judge.created_by, now=waits.now), waits)
    assert job.state == "done" and JudgeReply.objects.count() == 2
    with pytest.raises(Conflict):
        start_calls(judge=judge, by=judge.created_by, now=NOW)


def test_a_worker_that_died_is_replaced_and_no_answer_is_asked_for_twice(called):
    judge, job, waits = called(replies(judging), go=False)
    held = take_job(job=job.pk, now=waits.now)
    first = iter(range(1))

    def dies(call):
        if next(first, None) is None:
            raise KeyboardInterrupt
        return Reply(text=judging(Heard("", {}, {"messages": [{"content": call.prompt}]})))

    with pytest.raises(KeyboardInterrupt):
        ask_judge(job=held, clock=waits.clock, ask=dies, wait=waits.wait)
    waits.now += timedelta(minutes=10)
    work(Job.objects.get(pk=job.pk), waits)
    assert JudgeReply.objects.count() == 2 and not judge.prompts.filter(state="open").exists()
    with pytest.raises(JobLost):
        ask_judge(job=held, clock=waits.clock, ask=dies, wait=waits.wait)


def test_a_model_that_nobody_allowed_and_a_budget_without_a_price_are_refused(led, settings):
    judge, lead = led
    with pytest.raises(NotAllowed, match="pasted"):
        start_calls(judge=judge, by=lead, now=NOW)
    other = make_judge(judge.project, lead, prompt="B", is_called=True, budget_usd=Decimal(1))
    with pytest.raises(NotAllowed, match="REVIEW_MODELS"):
        start_calls(judge=other, by=lead, now=NOW)
    settings.REVIEW_MODELS_URL, settings.REVIEW_MODELS = "http://127.0.0.1:9/v1", ["larch-3"]
    with pytest.raises(NotAllowed, match="REVIEW_PRICES"):
        start_calls(judge=other, by=lead, now=NOW)
