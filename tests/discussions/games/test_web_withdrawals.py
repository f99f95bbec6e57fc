"""Games that do not count, struck through wherever they stood; costs and cache rates by hand, marked everywhere."""

import csv
import html
import io
from decimal import Decimal

import pytest
from django.urls import reverse

from discussions.models import Game, ManualFigure, Withdrawal
from tests.factories.iterations import figures, make_baseline, make_change, make_stage, withdraw
from tests.factories.pages import get_text
from tests.factories.people import make_lead, make_member
from tests.factories.transcripts import make_games_project

pytestmark = pytest.mark.django_db


GIVEN = {"do": "withdraw", "reason": "The model <i>stopped</i> halfway."}


SAID = "The model &lt;i&gt;stopped&lt;/i&gt; halfway."


@pytest.fixture
def lead(client):
    found = make_lead(project=make_games_project(slug="ours"))
    client.force_login(found)
    return found


@pytest.fixture
def change(lead):
    stage = make_stage(project=lead.memberships.get().project, by=lead)
    make_baseline(stage=stage, games=[figures(coherence=value) for value in (60, 80, 91)])
    return make_change(stage=stage, games=[figures(coherence=75)] * 3)


def place(name="withdraw_game", *args):
    return reverse(name, args=["ours", *(args or (1,))])


def get_raw(answer, status=200):
    assert answer.status_code == status
    return " ".join(answer.content.decode().split())


def read_page(answer, status=200):
    return html.unescape(get_raw(answer, status))


def test_a_game_is_withdrawn_on_its_page_and_taken_back(client, change):
    assert "Withdraw the game" in read_page(client.get(place("game")))
    answer = client.post(place(), GIVEN)
    assert (answer.status_code, answer["Location"]) == (303, place("game"))
    page = get_raw(client.get(place("game")))
    assert SAID in page and "Withdrawn: it is in no average" in page and "Let it count again" in page
    client.post(place(), {"do": "restore", "reason": "It is whole."})
    assert "Withdraw the game" in get_raw(client.get(place("game")))
    page = get_raw(client.get(place()))
    assert "counts again" in page and SAID in page and "It is whole." in page
    assert Game.objects.get(number=1).withdrawn_at is None


def test_it_is_shown_struck_through_and_in_no_mean(client, change):
    assert '>77.0</a> <span class="tiny">pass</span>' in get_raw(client.get(place("stage", 1)))
    client.post(place(), GIVEN)
    history = get_raw(client.get(place("stage", 1)))
    assert "1 withdrawn" in history and ">85.5</a>" in history
    assert "withdrawn, in no mean" in history
    assert "Games: 1 60.0 withdrawn, 2 80.0, 3 91.0" in history and 'class="dot out"' in history
    assert "<title>Game 1: 60.0, withdrawn</title>" in history
    compared = get_raw(client.get(place("compare_iterations", change.number)))
    assert 'class="dot out"' in compared and '<tr class="withdrawn">' in compared
    baseline = get_raw(client.get(place("iteration", change.compared_with.number)))
    assert SAID in baseline and '<tr class="withdrawn">' in baseline
    gate = read_page(client.get(place("stage_gate", 1)))
    assert "only 2 games count, 3 are needed" in gate


def test_the_summary_says_it_in_every_form(client, change):
    client.post(place(), GIVEN)
    assert SAID in get_raw(client.get(place("stage_summary", 1)))
    assert "Game 1 was withdrawn" in client.get(place("stage_summary_markdown", 1)).content.decode()
    (first,) = [
        iteration
        for iteration in client.get(place("stage_summary_json", 1)).json()["iterations"]
        if iteration["withdrawn"]
    ]
    assert first["withdrawn"][0]["game"]["scores"]["coherence"] == 60
    rows = list(csv.DictReader(io.StringIO(client.get(place("stage_figures", 1)).content.decode())))
    (mine,) = [row for row in rows if (row["game"], row["metric"]) == ("1", "coherence")]
    assert (mine["value"], mine["withdrawn"]) == ("60.0", "yes")
    (mean,) = [
        row for row in rows if (row["row"], row["iteration"], row["metric"]) == ("average", "1", "coherence")
    ]
    assert (mean["value"], mean["games"]) == ("85.5", "2")


@pytest.mark.parametrize(
    ("given", "status", "says"),
    [
        ({"reason": " "}, 422, "Say why"),
        ({"do": "delete"}, 422, "Reason"),
        ({"do": "restore"}, 409, "counts again already"),
    ],
)
def test_what_cannot_be_is_said_and_everything_typed_stays(client, change, given, status, says):
    page = get_raw(client.post(place(), GIVEN | given), status)
    assert says in page and ("&lt;i&gt;stopped" in page or "reason" in given)
    assert not Withdrawal.objects.exists()
    assert client.post(place(), GIVEN | {"other": "x"}).status_code == 400


def test_of_two_at_once_the_second_finds_it_done_and_keeps_its_words(client, change):
    withdraw(game=Game.objects.get(number=1), reason="First.")
    page = get_raw(client.post(place(), GIVEN), 409)
    assert "withdrew game 1 first" in page and "First." in page and SAID in page


def test_whoever_rated_sees_that_it_is_out_and_turns_nothing(client, change):
    withdraw(game=Game.objects.get(number=1))
    client.force_login(make_member(project=change.project))
    assert client.get(place()).status_code == 404
    assert client.post(place(), GIVEN).status_code == 404
    assert Withdrawal.objects.count() == 1


def test_queries_do_not_grow_with_withdrawals(client, change, django_assert_num_queries):
    client.get(place("game"))
    with django_assert_num_queries(6):
        client.get(place())
    withdraw(game=Game.objects.get(number=1))
    with django_assert_num_queries(6):
        client.get(place())


FIGURE = {"kind": "cost", "value": "1.35", "reason": "The invoice of May."}


@pytest.fixture
def iteration(lead):
    stage = make_stage(project=lead.memberships.get().project, by=lead)
    return make_baseline(stage=stage, games=[figures(cost=None, cache=None), figures(), figures()])


def figure_place(name="enter_figure"):
    return reverse(name, args=["ours", 1])


def test_a_cost_by_hand_counts_and_is_marked_on_every_page(client, lead, iteration):
    assert "keeps the next stage's gate closed" in get_text(client.get(figure_place()))
    answer = client.post(figure_place(), FIGURE)
    assert (answer.status_code, answer["Location"]) == (303, figure_place())
    text = get_text(client.get(figure_place()))
    assert "$1.35" in text and "The invoice of May." in text and "the transcript reports nothing" in text
    client.cookies["games_columns"] = "cost"
    games = get_text(client.get(reverse("games", args=["ours"])))
    assert "$1.35 <small>by hand</small>" in games
    game = get_text(client.get(figure_place("game")))
    assert "Cost, as iterations count it" in game and "The invoice of May." in game
    for name, number in (("iteration", iteration.number), ("stage_gate", 1)):
        text = get_text(client.get(reverse(name, args=["ours", number])))
        assert "$1.35" in text and "by hand" in text


def test_a_rate_is_entered_in_percent(client, iteration):
    assert '<option value="cache" selected>' in get_text(client.get(figure_place() + "?kind=cache"))
    assert client.post(figure_place(), FIGURE | {"kind": "cache", "value": "72.5"}).status_code == 303
    assert ManualFigure.objects.get().value == Decimal("0.725")
    assert "72.5 %" in get_text(client.get(figure_place("game")))


def test_a_later_figure_supersedes_and_the_first_stays(client, iteration):
    for value in ("1.35", "1.4"):
        client.post(figure_place(), FIGURE | {"value": value})
    text = get_text(client.get(figure_place()))
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
def test_what_no_figure_can_be_is_said_and_everything_typed_stays(client, iteration, changes, says):
    text = get_text(client.post(figure_place(), FIGURE | {"reason": "<i>Kept</i>"} | changes), 422)
    assert says in text and ("<i>Kept</i>" in text or "reason" in changes)
    assert not ManualFigure.objects.exists()


def test_only_leads_enter_figures(client, lead, iteration):
    assert client.get(figure_place() + "?kind=weight").status_code == 400
    client.force_login(make_member(project=iteration.project))
    assert client.post(figure_place(), FIGURE).status_code == 404
