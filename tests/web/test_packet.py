"""The packet for a guideline meeting: what is confused, the most telling differences, and nobody's name."""

import pytest
from django.urls import reverse

from discussions.models import Iteration
from discussions.pages.packet import MOST_DIFFERENCES
from tests.differing import HOSTILE, TIE, make_differing
from tests.factories import make_lead, make_member
from tests.rated import make_rating_project
from tests.team import submitted_game
from workspace.models import Person

pytestmark = pytest.mark.django_db


def address(project, name="packet"):
    return reverse(name, args=[project.slug])


def lead_of(client, project):
    client.force_login(make_lead(project=project))


def test_it_counts_confusions_and_quotes_differences_without_names(client):
    game = make_differing()
    Person.objects.filter(evaluations__game=game).update(name="Canary Bird")
    game.evaluations.first().judgements.filter(kind=TIE[0], subject=TIE[1]).update(
        reason="It <i>answers</i>."
    )
    lead_of(client, game.project)
    for name in ("packet", "packet_markdown"):
        said = client.get(address(game.project, name)).content.decode()
        assert "Canary" not in said, name
        assert "off topic / on topic" in said
        assert "Earlier Ann defended Finn" in said
        assert HOSTILE not in said
        assert "<i>" not in said
        assert "Decision:" in said
    page = client.get(address(game.project)).content.decode()
    assert "They differ on 5 of" in page
    assert reverse("adjudicate", args=[game.project.slug, game.number]) in page
    assert 'aria-current="page">Settle' in page


def test_a_project_without_shared_games_says_what_to_wait_for(client):
    project = make_rating_project()
    lead_of(client, project)
    assert "No game was rated by several" in client.get(address(project)).content.decode()
    assert client.get(address(project, "packet_markdown")).status_code == 200


def test_it_is_narrowed_to_games_and_iterations(client):
    project = make_rating_project(evaluator_count=2)
    first = submitted_game(2, differing={("coherence", "5"): ("yes", "no")}, project=project)
    second = submitted_game(2, differing={("strategic_depth", "4"): ("yes", "no")}, project=project)
    lead_of(client, project)
    said = client.get(address(project), {"games": f"{second.number}"}).content.decode()
    assert "Strategic depth" in said and "off topic / on topic" not in said
    assert f"packet.md?games={second.number}" in said
    iteration = Iteration.objects.get(project=project)
    said = client.get(address(project), {"iteration": iteration.number}).content.decode()
    assert "off topic / on topic" in said and "Strategic depth" in said
    said = client.get(address(project), {"iteration": "99"}).content.decode()
    assert "No game was rated by several" in said
    wrong = client.get(address(project), {"games": f"{first.number}, seven"})
    assert wrong.status_code == 422
    assert "“seven” is no number of a game" in wrong.content.decode()
    assert f'value="{first.number}, seven"' in wrong.content.decode()
    assert client.get(address(project, "packet_markdown"), {"games": "seven"}).status_code == 400
    assert client.get(address(project), {"other": "1"}).status_code == 400


def test_only_leads_open_it(client):
    project = make_rating_project()
    for name in ("packet", "packet_markdown"):
        client.force_login(make_member(project=project))
        assert client.get(address(project, name)).status_code == 403
        client.force_login(make_lead(project=make_rating_project()))
        assert client.get(address(project, name)).status_code == 404
        assert client.post(address(project, name)).status_code == 405


def test_queries_are_the_same_for_few_and_many_differences(client, django_assert_num_queries):
    many = {("coherence", str(number)): ("yes", "no") for number in range(1, 31)}
    few = {("coherence", str(number)): ("yes", "no") for number in range(1, 3)}
    for differing, shown in ((few, 2), (many, MOST_DIFFERENCES)):
        game = submitted_game(2, differing=differing, message_count=60)
        lead_of(client, game.project)
        client.get(address(game.project))
        with django_assert_num_queries(13):
            said = client.get(address(game.project)).content.decode()
        assert said.count('class="card tight telling"') == shown
