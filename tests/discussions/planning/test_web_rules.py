"""The page of rules: another number of evaluators shows what it does before it is saved."""

import pytest
from django.urls import reverse

from discussions.models import Iteration, RatingRule, Slot
from tests.factories.people import make_lead, make_member
from tests.factories.rating import make_game, make_rating_project
from workspace.models import Event

pytestmark = pytest.mark.django_db


@pytest.fixture
def project():
    return make_rating_project(evaluator_count=1, slug="ours")


@pytest.fixture
def address(project):
    return reverse("project_settings", args=[project.slug])


@pytest.fixture
def lead(project, client):
    """A lead, signed in."""
    person = make_lead(project=project)
    client.force_login(person)
    return person


def stored(project):
    """The number as it is stored."""
    return Iteration.objects.get(project=project).evaluator_count


def test_what_it_does_is_shown_and_nothing_saved_until_it_is_confirmed(client, lead, project, address):
    make_game(project=project)
    body = {"identification": "question", "evaluator_count": "3"}
    shown = client.post(address, body)
    page = shown.content.decode()
    assert (shown.status_code, stored(project)) == (200, 1)
    assert "From 1 to 3 evaluators per game. Nothing is saved yet." in page
    assert "2 further slots open on games without a verdict." in page
    assert "Games imported from now on are rated by 3 evaluators." in page
    assert '<input type="hidden" name="confirmed" value="3">' in page
    assert client.post(address, body | {"confirmed": "2"}).status_code == 200
    assert stored(project) == 1
    saved = client.post(address, body | {"confirmed": "3"})
    assert (saved.status_code, saved["Location"], stored(project)) == (303, address, 3)
    assert Slot.objects.filter(is_closed=False).count() == 3
    assert 'value="3"' in client.get(address).content.decode()


def test_the_form_alone_is_saved_at_once(client, lead, project, address):
    answer = client.post(address, {"identification": "test", "evaluator_count": "1"})
    assert answer.status_code == 303
    assert Iteration.objects.get(project=project).identification == "test"


@pytest.mark.parametrize("count", ["0", "11", "many", "2.5"])
def test_what_is_no_number_of_evaluators_is_refused_and_kept(client, lead, project, address, count):
    refused = client.post(address, {"identification": "test", "evaluator_count": count, "confirmed": count})
    assert refused.status_code == 422
    assert f'value="{count}"' in refused.content.decode()
    assert (stored(project), Iteration.objects.get(project=project).identification) == (1, "question")


def test_evaluators_and_strangers(client, project, address):
    for person, status in (
        (make_member(project=project), 403),
        (make_lead(project=make_rating_project()), 404),
    ):
        client.force_login(person)
        assert client.post(address, {"identification": "test", "evaluator_count": "2"}).status_code == status
    assert stored(project) == 1


def test_queries_are_the_same_for_few_and_many_games(
    client, lead, project, address, django_assert_num_queries
):
    counts = []
    for _size in range(2):
        make_game(project=project)
        client.post(address, {"identification": "question", "evaluator_count": "3"})
        with django_assert_num_queries(16):
            counts.append(client.post(address, {"identification": "question", "evaluator_count": "3"}))
    assert [answer.status_code for answer in counts] == [200, 200]


def test_what_holds_once_a_game_is_rated_is_saved_and_shown(client, lead, project, address):
    page = client.get(address).content.decode()
    assert "<h1>Settings</h1>" in page
    assert 'value="hold" selected' in page and 'value="30"' in page and 'value="no" selected' in page
    rules = reverse("project_rules", args=[project.slug])
    body = {"flags": "warn", "reopen_minutes": "0", "shows_differences": "yes", "records_at_submit": "yes"}
    answer = client.post(rules, body)
    assert (answer.status_code, answer["Location"]) == (303, address)
    rule = RatingRule.objects.get(project=project)
    assert (rule.flags, rule.reopen_minutes, rule.shows_differences, rule.records_at_submit) == (
        "warn",
        0,
        True,
        True,
    )
    client.post(rules, body)
    event = Event.objects.get(verb="rating_rules:changed")
    assert event.by == lead
    assert 'value="warn" selected' in client.get(address).content.decode()


@pytest.mark.parametrize(
    ("name", "value"), [("flags", "shout"), ("reopen_minutes", "-1"), ("reopen_minutes", "10081"),
                        ("reopen_minutes", ""), ("shows_differences", "maybe"), ("records_at_submit", "")]
)  # fmt: skip
def test_a_rule_that_is_none_is_said_beside_its_field(client, lead, project, name, value):
    body = {"flags": "warn", "reopen_minutes": "10", "shows_differences": "no", "records_at_submit": "no"} | {
        name: value
    }
    answer = client.post(reverse("project_rules", args=[project.slug]), body)
    assert answer.status_code == 422
    assert "aria-invalid" in answer.content.decode()
    assert not RatingRule.objects.exists()
