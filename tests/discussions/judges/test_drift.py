"""A judge that agrees with people less than in its trial is suspended, by a job after each evaluation."""

from datetime import timedelta

import pytest

from discussions.core import judgement_kinds as kinds
from discussions.judges import queries
from discussions.judges.actions.runs import resume_judge
from discussions.judges.queries import list_admissions, load_admitted, load_drifts
from discussions.models import Admission, Evaluation, Judge
from discussions.queue.actions import take_next_game
from tests.factories.adjudication import submit_as
from tests.factories.jobs import run_waiting_jobs
from tests.factories.judges import answer_all, make_judge, run_all
from tests.factories.outbox import make_webhook
from tests.factories.people import NOW, make_lead
from tests.factories.rating import make_game
from tests.factories.reliability import list_people, make_agreeing_project, write_labels
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
    assert told.about["answers"] > 5 and f"in 0 % of {told.about['answers']} answers" in say_burst(
        told.code, [told.about]
    )
    assert '"judge":1' in Delivery.objects.get(event="judge.suspended").body
    assert [row.ended_why for row in list_admissions(found)] == ["suspended"] and not load_admitted(
        found.project
    )
    resume_judge(judge=found, by=lead, now=NOW + 2 * DAY)
    assert Notification.objects.get(pk=told.pk).read_at
    assert submit_one_more(judge, lead).is_active, "what came before it was resumed is its trial now"
