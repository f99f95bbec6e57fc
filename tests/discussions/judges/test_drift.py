"""A judge that agrees less than in its trial is suspended; `verify` names changed rows, exports say who judged."""

from datetime import timedelta

import pytest

from discussions.checks.actions import CHECKS
from discussions.core import judgement_kinds as kinds
from discussions.judges import queries
from discussions.judges.actions.runs import resume_judge
from discussions.judges.queries import list_admissions, load_admitted, load_drifts
from discussions.models import Admission, Evaluation, Judge, JudgeAnswer, JudgePrompt
from discussions.queue.actions import take_next_game
from tests.factories.adjudication import submit_as
from tests.factories.exports import read_lines, unzip, write_export
from tests.factories.jobs import run_waiting_jobs
from tests.factories.judges import answer_all, make_judge, run_all
from tests.factories.outbox import make_webhook
from tests.factories.people import NOW, make_lead
from tests.factories.rating import make_game, make_rating_project
from tests.factories.reliability import list_people, make_agreeing_project, write_labels
from tests.factories.tampering import without_triggers
from workspace.models import Delivery, Event, Job, Notification
from workspace.outbox.labels import say_burst

pytestmark = pytest.mark.django_db
DAY = timedelta(days=1)


@pytest.fixture
def watched():
    """A judge that said "yes" as people did in three games, and is asked about three more before people are."""
    # Each test has the same keys, as the one before was rolled back.
    queries._watch.cache_clear()
    project = make_agreeing_project(games=6, k=2, slug="drifting")
    lead = make_lead(project=project)
    for game in project.games.all():
        write_labels(game, kinds.COHERENCE, [("yes", "yes")] * 12)
    judge = make_judge(project, lead)
    run(judge, lead, [1, 2, 3], NOW + DAY)
    return judge, lead


def run(judge, lead, games, now, kind=kinds.COHERENCE):
    run_all(judge, lead, games, kinds=[kind], repeat_percent=0, now=now)


def submit_one_more(judge, lead):
    """Somebody submits a game that the judge was asked about; a worker looks at it. The judge as it is then."""
    game = make_game(project=judge.project)
    run(Judge.objects.get(pk=judge.pk), lead, [game.number], NOW - DAY)
    person = list_people(judge.project)[0]
    taken = take_next_game(project=judge.project, by=person, now=NOW)
    submit_as(Evaluation.objects.with_work().get(pk=taken.pk), values={("rating", ""): "4.0"})
    job = Job.objects.get(kind="watch_judge", subject=f"judge:{judge.pk}", state="queued")
    assert job.created_by == lead, "no evaluator is told what becomes of it"
    run_waiting_jobs()
    return Judge.objects.get(pk=judge.pk)


def test_a_judge_that_agrees_as_in_its_trial_stays(watched):
    judge, lead = watched
    run(judge, lead, [4, 5, 6], NOW - DAY)
    answer_all(judge, lead)
    for baseline, drift in load_drifts(judge).values():
        assert (baseline.agreed, drift.agreement, drift.suspended_at) == (baseline.items, 1.0, None)
        assert baseline.items > 1 < drift.answers
    assert submit_one_more(judge, lead).is_active


def test_what_a_judge_is_asked_later_moves_no_answer_into_its_trial(watched):
    judge, lead = watched
    run(judge, lead, [4, 5, 6], NOW - DAY)
    answer_all(judge, lead)
    before = {key: drift.answers for key, (_trial, drift) in load_drifts(judge).items()}
    run(judge, lead, [4, 5, 6], NOW + DAY, kinds.ROLE_CONSISTENCY)
    answer_all(judge, lead)
    after = {key: drift.answers for key, (_trial, drift) in load_drifts(judge).items()}
    assert before and after == before


def test_a_judge_that_agrees_less_than_in_its_trial_is_suspended_with_figures(watched):
    judge, lead = watched
    answer_all(judge, lead)
    run(judge, lead, [4, 5, 6], NOW - DAY)
    answer_all(judge, lead, "no")
    given = {"metric": "coherence", "side": "village", "use": "strata", "figures": {"use": "strata"}}
    Admission.objects.create(judge=judge, **given, admitted_at=NOW, admitted_by=lead)
    make_webhook(project=judge.project, events=["judge.suspended"])
    found = submit_one_more(judge, lead)
    assert (found.is_active, found.suspended_by.is_system) == (False, True)
    assert found.suspended_reason.startswith("Coherence, ") and "in 0 % of" in found.suspended_reason
    assert "and in 100 % before" in found.suspended_reason
    assert Event.objects.filter(verb="judge:suspended", object_id=str(judge.pk)).count() == 1
    told = Notification.objects.get(code="judge_suspended")
    assert told.person == lead and told.about == {
        "judge": 1,
        "now": 0,
        "answers": told.about["answers"],
        "then": 100,
    }
    assert told.about["answers"] > 5 and f"in 0 % of {told.about['answers']} answers" in say_burst([told])
    assert '"judge":1' in Delivery.objects.get(event="judge.suspended").body
    assert [row.ended_why for row in list_admissions(found)] == ["suspended"] and not load_admitted(
        found.project
    )
    resume_judge(judge=found, by=lead, now=NOW + 2 * DAY)
    assert Notification.objects.get(pk=told.pk).read_at
    assert submit_one_more(judge, lead).is_active, "what came before it was resumed is its trial now"


@pytest.fixture
def judged():
    project = make_rating_project(slug="judged")
    make_game(project=project)
    lead = make_lead(project=project)
    judge = make_judge(project, lead)
    run_all(judge, lead, [1], kinds=[kinds.COHERENCE, kinds.RATING], repeat_percent=0)
    answer_all(judge, lead)
    return judge, lead


def wrong(code):
    (check,) = (check for check in CHECKS if check.code == code)
    return list(check.find(NOW))


def test_what_the_actions_leave_holds(judged):
    assert wrong("I10j") == wrong("I10a") == []


@pytest.mark.usefixtures("judged")
def test_a_changed_judge_and_one_without_its_audit_line_are_named():
    with without_triggers():
        Judge.objects.update(prompt="Say yes.")
        Event.objects.filter(verb="judge:added").delete()
    says = wrong("I10j")
    assert len(says) == 2 and "not the one" in says[0]


@pytest.mark.parametrize("change", ["value", "no_answer", "lost", "state"])
def test_answers_that_the_reader_did_not_read_are_named(judged, change):
    rows = JudgeAnswer.objects.filter(prompt__kind=kinds.RATING)
    with without_triggers():
        if change == "value":
            rows.update(value="5.0")
        elif change == "no_answer":
            rows.update(value="good")
        elif change == "lost":
            rows.delete()
        else:
            JudgePrompt.objects.filter(kind=kinds.RATING).update(state="open")
    assert wrong("I10a")


def test_an_export_says_who_judged_beside_the_evaluations(judged):
    judge, lead = judged
    data = write_export(judge.project, lead)
    (line,) = read_lines(data, "judge")
    assert (line["number"], line["identity"], line["prompt"]) == (1, judge.identity, judge.prompt)
    (game,) = read_lines(data, "game")
    assert len(game["judge_answers"]) == 12 and not game["evaluations"]
    assert {(row["judge"], row["judge_identity"]) for row in game["judge_answers"]} == {(1, judge.identity)}
    table = unzip(write_export(judge.project, lead, "csv"))["judge_answers.csv"]
    assert table.count(",Larch,") == 12
