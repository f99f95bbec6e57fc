"""What home says to who just handed a game in: that it is in, and how many are, and nothing of the others."""

import pytest
from django.urls import reverse

from tests.factories import make_lead, make_member
from tests.rated import ready_to_submit, submitted
from tests.repeated import finish, rated_once, until_repeated
from tests.team import evaluations_of, make_shared_game, submit_as
from workspace.models import Person

pytestmark = pytest.mark.django_db


def home(client, person, evaluation):
    client.force_login(person)
    answer = client.get(reverse("home"), {"handed_in": evaluation})
    assert answer.status_code == 200
    return answer.content.decode()


def test_handing_in_leads_to_a_sentence_with_how_many_are_in(client):
    game = make_shared_game(k=3)
    one, two, third = evaluations_of(game)
    Person.objects.filter(pk=one.evaluator_id).update(name="Canary Bird")
    submit_as(one, values={("coherence", "5"): "yes"})
    submit_as(two)
    client.force_login(two.evaluator)
    for headers, status, where in (({}, 303, "Location"), ({"HX-Request": "true"}, 200, "HX-Redirect")):
        answer = client.post(
            reverse("submit_evaluation", args=[two.pk]), {"key": "n:submit"}, headers=headers
        )
        assert (answer.status_code, answer[where]) == (status, f"/?handed_in={two.pk}")
    said = client.get(f"/?handed_in={two.pk}").content.decode()
    assert f"Game {game.number} is handed in: 2 of 3 are in." in said
    assert "Canary" not in said
    # Who has not handed in, who does not rate it and who leads are told nothing by another's address.
    lead, stranger = make_lead(project=game.project), make_member(project=game.project)
    for person in (third.evaluator, one.evaluator, lead, stranger):
        assert "handed in" not in home(client, person, two.pk)
    assert "handed in" not in home(client, third.evaluator, third.pk)
    assert "handed in" not in client.get("/").content.decode()
    assert client.get("/?handed_in=x").status_code == 400
    assert client.get("/?handed_in=1&handed_in=2").status_code == 400
    assert client.get("/?other=1").status_code == 400


def test_fewer_that_are_enough_are_not_exceeded(client):
    game = make_shared_game(k=2)
    one, two = evaluations_of(game)
    submit_as(one)
    submit_as(two)
    type(game).objects.filter(pk=game.pk).update(
        needed_count=1, needed_by=one.evaluator, needed_reason="x", needed_at=game.created_at
    )
    assert f"Game {game.number} is handed in." in home(client, two.evaluator, two.pk)


def test_who_rates_alone_goes_on_to_the_verdict_as_before(client):
    evaluation = ready_to_submit()
    client.force_login(evaluation.evaluator)
    answer = client.post(reverse("submit_evaluation", args=[evaluation.pk]), {"key": "n:submit"})
    assert answer["Location"].endswith("/verdict/")


def test_a_repeat_is_told_by_the_number_it_was_shown_under(client, monkeypatch):
    monkeypatch.setattr("discussions.core.repeats.APART", 0)
    repeat = finish(until_repeated(rated_once()))
    said = home(client, repeat.evaluator, repeat.pk)
    assert f"Game {repeat.shown_number} is handed in." in said
    assert f"Game {repeat.game.number} is handed in" not in said


def test_it_asks_one_query_more(client, django_assert_num_queries):
    evaluation = submitted()
    client.force_login(evaluation.evaluator)
    client.get("/")
    with django_assert_num_queries(11):
        client.get("/")
    with django_assert_num_queries(12):
        client.get(f"/?handed_in={evaluation.pk}")
