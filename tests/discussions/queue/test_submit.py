"""Submitting opens the next game in the same request; its page says in a line what became of the last one."""

import re

import pytest
from django.urls import reverse

from discussions.models import Evaluation
from tests.factories.calibration import make_round, make_trainee, take
from tests.factories.rating import make_game, make_rating_project, ready_to_submit, start

pytestmark = pytest.mark.django_db


def press(client, evaluation, **given):
    """Where the button leads."""
    client.force_login(evaluation.evaluator)
    answer = client.post(reverse("submit_evaluation", args=[evaluation.pk]), {"key": "n:submit", **given})
    assert answer.status_code == 303
    return answer["Location"]


def told(client, address):
    """The line on the game that was submitted, and its link."""
    page = " ".join(client.get(address).content.decode().split())
    found = re.search(r'<p class="told" role="status"><a href="([^"]+)">([^<]+)</a></p>', page)
    return found.groups() if found else None


def test_the_next_game_opens_at_once_and_says_what_became_of_the_last(client):
    evaluation = ready_to_submit()
    project = evaluation.game.project
    make_game(project=project)
    address = press(client, evaluation, then="next")
    taken = Evaluation.objects.get(state="draft")
    assert address == f"/rate/{taken.pk}/?submitted={evaluation.pk}"
    page = client.get(address).content.decode()
    assert "phase-read" in page
    link, says = told(client, address)
    number = evaluation.game.number
    assert re.fullmatch(rf"Game {number} submitted: \d of 7 pass", says)
    assert link == reverse("verdict", args=[project.slug, number])
    assert press(client, evaluation, then="next") == address, "the same press again changes nothing"
    assert Evaluation.objects.count() == 2
    theirs = start()
    client.force_login(theirs.evaluator)
    assert told(client, f"/rate/{theirs.pk}/?submitted={evaluation.pk}") is None


def test_the_line_has_no_outcome_where_its_evaluator_saw_none(client):
    project = make_rating_project(evaluator_count=2, reveal="never")
    evaluation = ready_to_submit(project=project)
    make_game(project=project)
    address = press(client, evaluation, then="next")
    assert told(client, address) == (
        f"/?submitted={evaluation.pk}",
        f"Game {evaluation.game.number} submitted",
    )


def test_without_a_next_game_home_says_so(client):
    evaluation = ready_to_submit()
    address = press(client, evaluation, then="next")
    assert address == f"/?submitted={evaluation.pk}"
    assert "No more games for you today." in client.get(address).content.decode()


def test_the_second_button_stays_with_this_game(client):
    evaluation = ready_to_submit()
    make_game(project=evaluation.game.project)
    client.force_login(evaluation.evaluator)
    page = " ".join(client.get(reverse("rate", args=[evaluation.pk])).content.decode().split())
    assert page.index("Submit and next game") < page.index("Submit and see the verdict")
    assert press(client, evaluation).endswith("/verdict/")
    assert Evaluation.objects.count() == 1


def test_a_training_game_leads_to_its_feedback_alone(client):
    opened = make_round()
    evaluation = take(opened, make_trainee(opened))
    client.force_login(evaluation.evaluator)
    page = client.get(f"/rate/{evaluation.pk}/?step=review").content.decode()
    assert 'id="submit"' in page and "Submit and" not in page
