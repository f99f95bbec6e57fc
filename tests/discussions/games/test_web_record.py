"""The page that records several verdicts: what it shows is what it does."""

import re

import pytest
from django.urls import reverse

from discussions.models import Verdict
from tests.factories.people import make_lead
from tests.factories.rating import make_rating_project, start, submitted
from tests.factories.verdicts import record

pytestmark = pytest.mark.django_db


def make_world(client):
    project = make_rating_project()
    games = [submitted(project=project).game for _at in range(2)]
    client.force_login(make_lead(project=project))
    return project, games, reverse("record_games", args=[project.slug])


def read_ready(answer):
    return re.findall(r'name="ready"\s+value="([^"]+)"', answer.content.decode())


def test_games_of_the_address_are_shown_with_their_verdicts_and_recorded(client):
    project, games, address = make_world(client)
    started = start(project=project).game
    page = client.get(address, {"games": "1-2,3"})
    ready = read_ready(page)
    assert [value.split(":")[0] for value in ready] == ["1", "2"]
    assert "0 of 1 evaluation is submitted" in page.content.decode()
    answer = client.post(address, {"ready": ready})
    assert (answer.status_code, answer["Location"]) == (303, f"{address}?games=1-2")
    assert set(Verdict.objects.values_list("game", flat=True)) == {game.pk for game in games}
    after = client.get(answer["Location"])
    assert read_ready(after) == []
    assert after.content.decode().count("A verdict is recorded already") == 2
    assert not Verdict.objects.filter(game=started).exists()


def test_an_iteration_gives_its_complete_games(client):
    _project, _games, address = make_world(client)
    assert len(read_ready(client.get(address, {"iteration": "0"}))) == 2
    assert client.get(address, {"iteration": "9"}).status_code == 404
    for unreadable in ({"games": "all"}, {"iteration": "abc"}, {"iteration": "-1"}):
        assert client.get(address, unreadable).status_code == 400


def test_a_refused_game_is_named_and_the_others_are_recorded(client):
    _project, (first, second), address = make_world(client)
    ready = read_ready(client.get(address, {"games": "1,2"}))
    record(first)
    answer = client.post(address, {"ready": ready})
    assert answer.status_code == 409
    assert "1 game was refused" in " ".join(answer.content.decode().split())
    assert Verdict.objects.filter(game=second).count() == Verdict.objects.filter(game=first).count() == 1


@pytest.mark.parametrize("sent", [{}, {"ready": "1"}, {"ready": "9:" + "0" * 64}])
def test_what_cannot_be_recorded_says_so(client, sent):
    _project, _games, address = make_world(client)
    answer = client.post(f"{address}?games=1-2", sent)
    assert answer.status_code == 422
    assert len(read_ready(answer)) == 2
    assert 'role="alert"' in answer.content.decode()
