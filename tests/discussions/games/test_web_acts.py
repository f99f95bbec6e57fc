"""Acts on several games of the list: the preview says what the act then does, to these games and no others."""

import re

import pytest
from django.urls import reverse

from discussions.games.actions import withdraw_game
from discussions.models import Game, Slot, Verdict
from tests.factories.iterations import make_baseline, make_stage
from tests.factories.people import NOW, make_lead, make_member
from tests.factories.rating import make_game, make_rating_project, start, submitted
from tests.factories.verdicts import record
from workspace.models import Event

pytestmark = pytest.mark.django_db


def make_world(client):
    """Two games that nobody began, one that is started and one that is withdrawn, in this order."""
    project = make_rating_project()
    started = start(project=project)
    free = [make_game(project=project) for _at in range(2)]
    withdrawn = make_game(project=project)
    lead = make_lead(project=project)
    withdraw_game(game=withdrawn, reason="Cut short", by=lead, now=NOW)
    client.force_login(lead)
    return project, free, started, withdrawn


def numbers_of(games):
    return {game.number for game in games}


def all_of(project):
    return {"games": ",".join(str(game.number) for game in Game.objects.filter(project=project))}


def test_ticked_games_and_all_that_match_lead_to_the_page_of_the_act(client):
    project, free, started, _withdrawn = make_world(client)
    choose = reverse("choose_games", args=[project.slug])
    ticked = {"act": "withdraw", "game": [str(game.number) for game in free], "in": "sort=oldest"}
    answer = client.get(choose, ticked)
    page = reverse("withdraw_selected", args=[project.slug])
    assert answer["Location"] == f"{page}?games=2-3&in=sort%3Doldest"
    match = client.get(choose, {"act": "move", "which": "all", "in": "state=rating"})
    assert match["Location"].endswith(f"?games={started.game.number}&in=state%3Drating")
    export = client.get(choose, {"act": "export", "game": [str(game.number) for game in free]})
    assert "Export games 2 and 3" in client.get(export["Location"]).content.decode()
    none = client.get(client.get(choose, {"act": "move"})["Location"])
    assert "Go back to the list and select games" in none.content.decode()


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"act": "delete"},
        {"act": "move", "game": "x"},
        {"act": "move", "which": "some"},
        {"act": "move", "in": "sort=secret"},
        {"act": "move", "in": "next=1"},
        {"act": "move", "more": "1"},
    ],
)
def test_only_what_the_list_sends_is_understood(client, asked):
    project, *_rest = make_world(client)
    assert client.get(reverse("choose_games", args=[project.slug]), asked).status_code == 400


def test_games_are_assigned_to_one_evaluator_all_or_none(client):
    project, free, started, withdrawn = make_world(client)
    address = reverse("assign_selected", args=[project.slug])
    person = make_member(project=project)
    asked = all_of(project)
    assert "No slot is open" not in client.get(address, asked).content.decode(), "nobody is chosen yet"
    page = client.get(address, asked | {"person": person.pk}).content.decode()
    assert page.count("a slot is assigned to them") == 2
    assert "Withdrawn, so nobody is to rate it." in page and "No slot is open" in page
    mine = client.get(address, asked | {"person": started.evaluator_id}).content.decode()
    assert "They have started or rated it already." in mine
    given = {"games": "2,3", "person": person.pk}
    answer = client.post(f"{address}?games=1-4&in=sort%3Doldest", given)
    assert (answer.status_code, answer["Location"]) == (
        303,
        f"{reverse('games', args=[project.slug])}?sort=oldest",
    )
    assert set(Slot.objects.filter(assigned_to=person).values_list("game", flat=True)) == {
        game.pk for game in free
    }
    assert Event.objects.filter(verb="game:assigned").count() == 2
    late = client.post(f"{address}?games=1-4", {"games": f"2,{withdrawn.number}", "person": person.pk})
    assert late.status_code == 403 and "was withdrawn" in late.content.decode()


def test_games_move_to_an_iteration_that_takes_games(client):
    project, free, _started, _withdrawn = make_world(client)
    target = make_baseline(stage=make_stage(project=project))
    address = reverse("move_selected", args=[project.slug])
    asked = all_of(project) | {"iteration": target.number}
    page = client.get(address, asked).content.decode()
    assert page.count(f"moves to {target.name}") == 2
    assert "Somebody rates or rated it already." in page and "it stays where it is" in page
    answer = client.post(f"{address}?games=1-4", {"games": "2-3", "iteration": target.number})
    assert answer.status_code == 303
    assert numbers_of(Game.objects.filter(iteration=target)) == numbers_of(free)
    assert Event.objects.filter(verb="games:moved").count() == 1
    late = client.post(f"{address}?games=1-4", {"games": "1", "iteration": target.number})
    assert late.status_code == 403 and "rates or rated" in late.content.decode()
    unknown = client.post(f"{address}?games=1-4", {"games": "2", "iteration": "99"})
    assert unknown.status_code == 422


def test_games_are_withdrawn_with_one_reason_all_or_none(client):
    project, _free, _started, withdrawn = make_world(client)
    address = reverse("withdraw_selected", args=[project.slug])
    page = client.get(address, all_of(project)).content.decode()
    assert page.count("no average, comparison or gate counts it any more") == 3
    assert "It is withdrawn already." in page
    without = client.post(f"{address}?games=1-4", {"games": "1-3", "reason": ""})
    assert without.status_code == 422 and "Say why" in without.content.decode()
    late = client.post(f"{address}?games=1-4", {"games": "1-4", "reason": "A broken prompt"})
    assert late.status_code == 409
    assert Game.objects.filter(withdrawn_at=None).count() == 3, "all or none"
    assert (
        client.post(f"{address}?games=1-4", {"games": "1-3", "reason": "A broken prompt"}).status_code == 303
    )
    assert not Game.objects.filter(withdrawn_at=None).exists()
    reasons = Game.objects.exclude(pk=withdrawn.pk).values_list("withdrawn_reason", flat=True)
    assert set(reasons) == {"A broken prompt"}
    assert Event.objects.filter(verb="game:withdrawn").count() == 4


@pytest.mark.parametrize("page", ["record_games", "assign_selected", "move_selected", "withdraw_selected"])
def test_a_page_of_an_act_asks_as_often_for_many_games(client, page, django_assert_max_num_queries):
    project, *_rest = make_world(client)
    address = reverse(page, args=[project.slug])
    if page == "record_games":
        # Each verdict is computed by itself.
        assert client.get(address, {"games": "1-4"}).status_code == 200
        return
    with django_assert_max_num_queries(16):
        assert client.get(address, {"games": "1-4"}).status_code == 200


@pytest.mark.parametrize("name", ["assign_selected", "move_selected", "withdraw_selected"])
@pytest.mark.parametrize("games", ["abc", "2-1", "1-900"])
def test_games_that_are_no_numbers_are_refused_with_a_sentence(client, name, games):
    project, *_rest = make_world(client)
    answer = client.post(f"{reverse(name, args=[project.slug])}?games=2", {"games": games})
    assert answer.status_code == 400
    assert "names no games. Go back to the list and choose them again." in answer.content.decode()


def make_games_to_record(client):
    project = make_rating_project()
    games = [submitted(project=project).game for _at in range(2)]
    client.force_login(make_lead(project=project))
    return project, games, reverse("record_games", args=[project.slug])


def read_ready(answer):
    return re.findall(r'name="ready"\s+value="([^"]+)"', answer.content.decode())


def test_games_of_the_address_are_shown_with_their_verdicts_and_recorded(client):
    project, games, address = make_games_to_record(client)
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
    _project, _games, address = make_games_to_record(client)
    assert len(read_ready(client.get(address, {"iteration": "0"}))) == 2
    assert client.get(address, {"iteration": "9"}).status_code == 404
    for unreadable in ({"games": "all"}, {"iteration": "abc"}, {"iteration": "-1"}):
        assert client.get(address, unreadable).status_code == 400


def test_a_refused_game_is_named_and_the_others_are_recorded(client):
    _project, (first, second), address = make_games_to_record(client)
    ready = read_ready(client.get(address, {"games": "1,2"}))
    record(first)
    answer = client.post(address, {"ready": ready})
    assert answer.status_code == 409
    assert "1 game was refused" in " ".join(answer.content.decode().split())
    assert Verdict.objects.filter(game=second).count() == Verdict.objects.filter(game=first).count() == 1


@pytest.mark.parametrize("sent", [{}, {"ready": "1"}, {"ready": "9:" + "0" * 64}])
def test_what_cannot_be_recorded_says_so(client, sent):
    _project, _games, address = make_games_to_record(client)
    answer = client.post(f"{address}?games=1-2", sent)
    assert answer.status_code == 422
    assert len(read_ready(answer)) == 2
    assert 'role="alert"' in answer.content.decode()
