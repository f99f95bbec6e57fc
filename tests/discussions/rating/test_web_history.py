"""One's own answers: what was submitted, nobody else's, under the numbers one knows."""

import pytest
from django.urls import reverse

import workspace.core.hidden_duplicates
from discussions.models import Evaluation
from discussions.queue.actions import take_next_game
from tests.factories.adjudication import make_shared_game, submit_as
from tests.factories.people import NOW, make_member
from tests.factories.queue import finish, rated_once, until_repeated
from tests.factories.rating import make_game, say, submitted

pytestmark = pytest.mark.django_db


ADDRESS = reverse("own_history")


@pytest.fixture
def page(client):
    def get(person, **asked):
        client.force_login(person)
        return client.get(ADDRESS, asked)

    return get


def test_answers_and_ratings_of_what_was_submitted(page):
    evaluation = submitted()
    answer = page(evaluation.evaluator)
    shown = answer.context["page"]
    assert [(row["evaluation"].game_number, row["answers"], row["rating"]) for row in shown["rows"]] == [
        (evaluation.game.number, ["yes"] * 5, "3.5")
    ]
    assert [(question["yes"], question["no"]) for question in shown["questions"]] == [(1, 0)] * 5
    assert f'href="{reverse("rate", args=[evaluation.pk])}"' in answer.content.decode()


def test_drafts_and_other_people_are_not_there(page):
    game = make_shared_game(k=2)
    first, second = Evaluation.objects.with_work().filter(game=game).order_by("pk")
    submit_as(first, values={("question", "1"): "no", ("rating", ""): "4.5"})
    say(second, "question", "1", "yes")
    assert [row["rating"] for row in page(first.evaluator).context["page"]["rows"]] == ["4.5"]
    assert page(second.evaluator).context["page"]["rows"] == []
    assert b"Nothing submitted yet" in page(second.evaluator).content


def test_a_repeat_is_listed_under_its_own_number(page, monkeypatch):
    monkeypatch.setattr(workspace.core.hidden_duplicates, "APART", 0)
    again = finish(until_repeated(rated_once()))
    shown = page(again.evaluator).context["page"]["rows"][0]
    assert (shown["evaluation"].pk, shown["evaluation"].game_number) == (again.pk, again.shown_number)


@pytest.mark.parametrize("count", [1, 4])
def test_queries_do_not_grow(page, count, django_assert_max_num_queries):
    evaluation = submitted()
    by = evaluation.evaluator
    for _turn in range(count - 1):
        make_game(project=evaluation.game.project)
        finish(take_next_game(project=evaluation.game.project, by=by, now=NOW))
    page(by)
    with django_assert_max_num_queries(9):
        assert len(page(by).context["page"]["rows"]) == count


def test_unknown_parameters_are_refused(page):
    person = make_member(project=submitted().game.project)
    assert page(person, other="1").status_code == 400
