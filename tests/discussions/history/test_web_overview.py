"""The overview of a project: stages with their rows, games on their way, and the pace of evaluations."""

import html
from datetime import timedelta

import pytest
from django.urls import reverse

from discussions.home.pages.overview import build_overview
from discussions.models import Evaluation
from discussions.queue.actions import take_next_game
from discussions.rating.actions import reveal_roles, submit_evaluation
from tests.factories.iterations import figures, make_iteration, make_stage
from tests.factories.pages import as_seen
from tests.factories.people import NOW, make_lead, make_member
from tests.factories.rating import (
    ANSWERS,
    make_game,
    make_rating_project,
    say_what_is_missing,
    start,
    submitted,
)
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
    return reverse("stages", args=[project.slug])


def get_page(project, lead, now=NOW):
    return as_seen(build_overview(project=project, person=lead, now=now))


def get_text(client, project):
    answer = client.get(address(project))
    assert answer.status_code == 200
    return " ".join(html.unescape(answer.content.decode()).split())


@pytest.mark.usefixtures("lead")
def test_a_project_without_stages_offers_the_first(client, project):
    said = get_text(client, project)
    for part in (
        "No stage yet",
        "Create the first stage",
        "No game in an iteration that is open for rating lacks its verdict.",
        "Nobody has rated",
    ):
        assert part in said


def test_a_stage_shows_its_row_its_gate_and_what_is_newest(client, project, lead):
    stage = make_stage(project=project, by=lead, name="Watch <me>", goal="Reasons.")
    make_iteration(stage=stage, games=[figures()] * 3)
    make_iteration(stage=stage, games=[figures()] * 3, decision="keep", minutes=5, name="Shorter")
    (line,) = get_page(project, lead).stages
    assert (line.gate.streak.count, line.gate.streak.needed, line.gate.is_open) == (2, 3, False)
    assert (len(line.iterations), line.stage.game_count, line.iterations[-1].name) == (2, 6, "Shorter")
    assert get_text(client, project).count('<i class="is-there">') == 2
    said = get_text(client, project)
    for part in ("Stage 1: 2 of 3 iterations in a row", "The gate is closed: 2 blockers.", "Reasons."):
        assert part in said
    assert "<me>" not in client.get(address(project)).content.decode()


def test_games_on_their_way_are_counted_where_they_are(project, lead):
    for _ in range(2):
        make_game(project=project)
    start(project=project)
    stage = make_stage(project=project, by=lead)
    make_iteration(stage=stage, games=[None, None, figures()])
    page = get_page(project, lead)
    unsorted, baseline = page.waiting
    assert (unsorted.free, unsorted.started, unsorted.complete) == (2, 1, 0)
    assert (baseline.iteration.stage.number, baseline.free, baseline.started) == (1, 3, 0)


def test_a_game_with_everything_in_waits_for_its_verdict(project, lead):
    submitted(project=project)
    page = get_page(project, lead)
    assert [(line.free, line.started, line.complete) for line in page.waiting] == [(0, 0, 1)]


def test_the_pace_is_counted_by_week_and_people_stand_by_name(project, lead):
    for minutes in (10, 30):
        submitted(project=project, now=NOW - timedelta(minutes=minutes))
    page = get_page(project, lead)
    assert (page.pace.count, page.pace.minutes) == (2, 20)
    assert [count for _monday, count, _minutes in page.pace.weeks] == [0] * 7 + [2]
    names = [line.name for line in page.people]
    assert names == sorted(names, key=str.casefold)
    assert [(line.submitted, line.started, line.skipped) for line in page.people] == [(1, 0, 0)] * 2
    assert page.agreement == ""


def test_what_was_submitted_long_ago_is_not_in_the_pace(project, lead):
    submitted(project=project)
    page = get_page(project, lead, NOW + timedelta(weeks=9))
    assert (page.pace.count, page.pace.minutes, page.people) == (0, None, [])


def test_agreement_is_told_where_games_have_several_evaluators():
    """Ordinal distances of 3, 3.5, 5, 5: 1, 6.25 and 2.25, so D_o = 2 / 4 and D_e = 2 * 18 / 12."""
    project = make_rating_project(evaluator_count=2)
    lead = make_lead(project=project)
    assert get_page(project, lead).agreement == ""
    people = [make_member(project=project) for _ in range(2)]
    for ratings in (("3.0", "3.5"), ("5.0", "5.0")):
        make_game(project=project)
        for person, rating in zip(people, ratings, strict=True):
            hand_in(project, person, rating)
    assert get_page(project, lead).agreement.startswith("Agreement on the rating: Krippendorff's alpha 0.83")
    assert get_page(project, lead).agreement.endswith("over 2 games.")


def hand_in(project, person, rating):
    taken = take_next_game(project=project, by=person, now=NOW)
    evaluation = Evaluation.objects.with_work().get(pk=taken.pk)
    answers = ANSWERS | {"rating": rating}
    say_what_is_missing(evaluation, answers=answers)
    reveal_roles(evaluation=evaluation, by=person, now=NOW)
    say_what_is_missing(evaluation, answers=answers)
    submit_evaluation(evaluation=evaluation, by=person, now=NOW)


@pytest.mark.usefixtures("lead")
def test_evaluators_and_strangers_find_no_such_page(client, project):
    for person in (make_member(project=project), make_lead(project=make_games_project())):
        client.force_login(person)
        assert client.get(address(project)).status_code == 404


@pytest.mark.usefixtures("lead")
def test_it_is_reached_from_the_top_bar_by_leads_alone(client, project):
    shown = reverse("project", args=[project.slug])
    assert client.get(shown).content.decode().count(f'href="{address(project)}"') == 1
    assert client.get(address(project) + "?x=1").status_code == 400
    assert client.post(address(project)).status_code == 405
    client.force_login(make_member(project=project))
    assert address(project) not in client.get(shown).content.decode()


@pytest.mark.parametrize("iterations", [1, 3])
def test_the_number_of_queries_does_not_grow(client, project, lead, iterations, django_assert_num_queries):
    stage = make_stage(project=project, by=lead)
    for number in range(iterations):
        decision = "keep" if number else ""
        make_iteration(stage=stage, games=[figures()] * 3, minutes=3 * number + 1, decision=decision)
        make_game(project=project)
    client.get(address(project))
    with django_assert_num_queries(17):
        client.get(address(project))
