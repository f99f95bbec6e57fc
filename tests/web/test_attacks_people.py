"""Attacks by people who have, had or want an account: weak passwords, invitations of the dismissed, others' work."""

import pytest
from django.urls import reverse
from django.utils import timezone

from discussions.actions.finishing import reveal_roles, submit_evaluation
from discussions.actions.taking import take_next_game
from discussions.models import Evaluation
from tests.factories import NOW, make_admin, make_lead, make_member
from tests.rated import make_game, make_rating_project, say_what_is_missing, start
from workspace.actions.accounts import deactivate_person
from workspace.actions.invitations import invite
from workspace.models import Person

pytestmark = pytest.mark.django_db
PASSWORD = "correct horse battery 9"


@pytest.mark.parametrize(
    "weak", ["123456789012", "314159265358979", "aaaaaaaaaaaaaaaa", " " * 14, "abababababab"]
)
def test_passwords_that_are_guessed_first_are_refused(client, weak):
    invited = invite(
        email="chief@example.org", role="admin", project=None, by=make_admin(), now=timezone.now()
    )
    address = reverse("invitation", args=[invited.secret])
    assert client.post(address, {"name": "Chief", "password": weak}).status_code == 422
    assert not Person.objects.filter(email="chief@example.org").exists()
    assert client.post(address, {"name": "Chief", "password": PASSWORD}).status_code == 303


def test_the_invitations_of_somebody_switched_off_let_nobody_in(client):
    dismissed, admin, now = make_admin(), make_admin(), timezone.now()
    invited = invite(email="second@example.org", role="admin", project=None, by=dismissed, now=now)
    address = reverse("invitation", args=[invited.secret])
    assert client.get(address).status_code == 200
    deactivate_person(person=dismissed, by=admin, now=now)
    assert client.get(address).status_code == 404
    assert client.post(address, {"name": "Second", "password": PASSWORD}).status_code == 404
    assert not Person.objects.filter(email="second@example.org").exists()


def test_the_verdict_page_shows_nothing_of_other_evaluators_before_it_is_recorded(client):
    project = make_rating_project(evaluator_count=2)
    game = make_game(project=project)
    for number in range(2):
        evaluator = make_member(project=project)
        taken = take_next_game(project=project, by=evaluator, now=NOW)
        evaluation = Evaluation.objects.with_work().get(pk=taken.pk)
        say_what_is_missing(evaluation)
        reveal_roles(evaluation=evaluation, by=evaluator, now=NOW)
        say_what_is_missing(evaluation)
        submit_evaluation(evaluation=evaluation, by=evaluation.evaluator, now=NOW)
        client.force_login(evaluation.evaluator)
        page = client.get(reverse("verdict", args=[project.slug, game.number]))
        assert page.status_code == 200, number
        assert page.context["page"].outcome is None
        assert page.context["page"].basis == ""
    client.force_login(make_lead(project=project))
    page = client.get(reverse("verdict", args=[project.slug, game.number]))
    assert page.context["page"].outcome is not None
    assert page.context["page"].basis


def test_a_stranger_to_the_project_gets_no_verdict(client):
    evaluation = start()
    client.force_login(make_member(project=make_rating_project(slug="elsewhere")))
    game = evaluation.game
    assert client.get(reverse("verdict", args=[game.project.slug, game.number])).status_code == 404
