"""Workload: a table for planning, by name, that evaluators do not see."""

import html
from datetime import timedelta

import pytest
from django.urls import reverse

from discussions.models import Evaluation, Revision
from discussions.queue import queries
from discussions.queue.actions import assign_game
from discussions.queue.core import Held
from discussions.queue.queries import load_workloads
from discussions.rating.actions import skip_game
from tests.factories.people import NOW, make_lead, make_member, make_person
from tests.factories.queue import make_repeat
from tests.factories.rating import make_game, make_rating_project, say, start, submitted
from tests.factories.transcripts import make_games_project

pytestmark = pytest.mark.django_db


@pytest.fixture
def project():
    return make_rating_project()


@pytest.fixture
def lead(client, project):
    found = make_lead(project=project)
    client.force_login(found)
    return found


def address(project):
    return reverse("team_pace", args=[project.slug])


def loads(project, now=NOW):
    return {load.person: load for load in load_workloads(project=project, now=now)[0]}


@pytest.mark.usefixtures("lead")
def test_a_project_without_evaluators_says_whom_to_invite(client, project):
    said = client.get(address(project)).content.decode()
    assert "No evaluator yet" in said
    assert reverse("members", args=[project.slug]) in said


def test_what_was_submitted_is_counted_and_timed_without_pauses(project):
    done = submitted(project=project, now=NOW - timedelta(minutes=3))
    # Everything was judged at one moment, three minutes after the game was taken.
    load = loads(project)[done.evaluator_id]
    assert (load.done_short, load.done_long) == (1, 1)
    assert load.minutes == pytest.approx(3)
    assert load.minutes_per_100 == pytest.approx(25)
    paused = submitted(project=project, now=NOW - timedelta(minutes=30))
    # Half an hour between taking the game and the first act is a pause.
    assert loads(project)[paused.evaluator_id].minutes == pytest.approx(0)
    later = loads(project, NOW + timedelta(days=8))[done.evaluator_id]
    assert (later.done_short, later.done_long) == (0, 1)
    assert loads(project, NOW + timedelta(days=29))[done.evaluator_id].done_long == 0


def test_what_is_before_somebody_is_open_sent_back_and_assigned(project, lead):
    started = start(project=project)
    person = started.evaluator
    skipped = start(project=project)
    skip_game(evaluation=skipped, reason="Ill", by=skipped.evaluator, now=NOW)
    assign_game(game=make_game(project=project), person=person, by=lead, now=NOW)
    found = loads(project)
    assert found[person.pk].held == Held(open=1, assigned=1)
    assert found[skipped.evaluator_id].held == Held(set_aside=1)
    assert (found[person.pk].ahead, found[skipped.evaluator_id].ahead) == (2, 0)
    Evaluation.objects.filter(pk=started.pk).update(state="returned")
    assert loads(project)[person.pk].held == Held(sent_back=1, assigned=1)
    make_repeat(started)
    assert loads(project)[person.pk].held == Held(sent_back=1, assigned=1)


@pytest.mark.usefixtures("lead")
def test_people_stand_by_name_and_the_page_says_what_it_is_for(client, project):
    for name in ("zoe", "Ann <b>", "Bea"):
        make_member(project=project, person=make_person(name=name))
    submitted(project=project, now=NOW)
    text = client.get(address(project)).content.decode()
    said = " ".join(html.unescape(text).split())
    assert said.index("Ann <b>") < said.index("Bea") < said.index("zoe")
    assert "Ann <b>" not in text
    for part in ("Speed is not a goal", "do not say how well somebody rates", "pauses"):
        assert part in said
    assert 'aria-current="page">Workload' in said


def test_of_very_many_only_the_newest_are_timed(monkeypatch, project):
    monkeypatch.setattr(queries, "MOST_TIMED", 1)
    first = submitted(project=project, now=NOW - timedelta(minutes=2))
    Evaluation.objects.filter(pk=first.pk).update(submitted_at=NOW - timedelta(hours=1))
    second = submitted(project=project, now=NOW - timedelta(minutes=2))
    workloads, timed = load_workloads(project=project, now=NOW)
    found = {load.person: load for load in workloads}
    assert timed == 1
    assert found[first.evaluator_id].done_long == 1
    assert found[first.evaluator_id].minutes is None
    assert found[second.evaluator_id].minutes == pytest.approx(2)


@pytest.mark.usefixtures("lead")
def test_evaluators_and_strangers_do_not_see_it(client, project):
    for person, status in (
        (make_member(project=project), 403),
        (make_lead(project=make_games_project()), 404),
    ):
        client.force_login(person)
        assert client.get(address(project)).status_code == status


@pytest.mark.parametrize("count", [1, 4])
@pytest.mark.usefixtures("lead")
def test_the_number_of_queries_does_not_grow(client, project, count, django_assert_num_queries):
    for _ in range(count):
        submitted(project=project, now=NOW)
        say(start(project=project), "question", "2", "yes")
    assert Revision.objects.count() > count
    client.get(address(project))
    with django_assert_num_queries(9):
        client.get(address(project))
    assert client.post(address(project)).status_code == 405
    assert client.get(address(project) + "?x=1").status_code == 400
