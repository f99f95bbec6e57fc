"""Costs and cache hit rates by hand: entered with a reason, marked wherever they count."""

from decimal import Decimal

import pytest
from django.urls import reverse

from discussions.models import ManualFigure
from tests.factories.iterations import figures, make_baseline, make_stage
from tests.factories.pages import get_text
from tests.factories.people import make_lead, make_member
from tests.factories.transcripts import make_games_project

pytestmark = pytest.mark.django_db


GIVEN = {"kind": "cost", "value": "1.35", "reason": "The invoice of May."}


@pytest.fixture
def lead(client):
    found = make_lead(project=make_games_project(slug="ours"))
    client.force_login(found)
    return found


@pytest.fixture
def iteration(lead):
    stage = make_stage(project=lead.memberships.get().project, by=lead)
    return make_baseline(stage=stage, games=[figures(cost=None, cache=None), figures(), figures()])


def place(name="enter_figure"):
    return reverse(name, args=["ours", 1])


def test_a_cost_by_hand_counts_and_is_marked_on_every_page(client, lead, iteration):
    assert "keeps the next stage's gate closed" in get_text(client.get(place()))
    answer = client.post(place(), GIVEN)
    assert (answer.status_code, answer["Location"]) == (303, place())
    text = get_text(client.get(place()))
    assert "$1.35" in text and "The invoice of May." in text and "the transcript reports nothing" in text
    client.cookies["games_columns"] = "cost"
    games = get_text(client.get(reverse("games", args=["ours"])))
    assert "$1.35 <small>by hand</small>" in games
    game = get_text(client.get(place("game")))
    assert "Cost, as iterations count it" in game and "The invoice of May." in game
    for name, number in (("iteration", iteration.number), ("stage_gate", 1)):
        text = get_text(client.get(reverse(name, args=["ours", number])))
        assert "$1.35" in text and "by hand" in text


def test_a_rate_is_entered_in_percent(client, iteration):
    assert '<option value="cache" selected>' in get_text(client.get(place() + "?kind=cache"))
    assert client.post(place(), GIVEN | {"kind": "cache", "value": "72.5"}).status_code == 303
    assert ManualFigure.objects.get().value == Decimal("0.725")
    assert "72.5 %" in get_text(client.get(place("game")))


def test_a_later_figure_supersedes_and_the_first_stays(client, iteration):
    for value in ("1.35", "1.4"):
        client.post(place(), GIVEN | {"value": value})
    text = get_text(client.get(place()))
    assert text.count("superseded") == 1 and "$1.40" in text and "$1.35" in text


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"value": "a lot"}, "Enter a number"),
        ({"value": "-1"}, "from 0 to 100,000"),
        ({"kind": "cache", "value": "101"}, "between 0 and 100 %"),
        ({"value": "NaN"}, "Enter a number"),
        ({"reason": "  "}, "Say where the figure comes from"),
        ({"value": ""}, "required"),
    ],
)
def test_what_cannot_be_is_said_and_everything_typed_stays(client, iteration, changes, says):
    text = get_text(client.post(place(), GIVEN | {"reason": "<i>Kept</i>"} | changes), 422)
    assert says in text and ("<i>Kept</i>" in text or "reason" in changes)
    assert not ManualFigure.objects.exists()


def test_only_leads_enter_figures(client, lead, iteration):
    assert client.get(place() + "?kind=weight").status_code == 400
    client.force_login(make_member(project=iteration.project))
    assert client.post(place(), GIVEN).status_code == 404
