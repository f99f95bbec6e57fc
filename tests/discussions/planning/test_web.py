"""The page of an iteration: what is to do, its games that move and freeze, its plan; and deciding on a change."""

import re

import pytest
from django.urls import reverse

from discussions.games.pages import AUTOMATIC
from discussions.games.queries.list_query import ListQuery
from discussions.games.views.game_list import GamesPage
from discussions.iterations.queries import load_history
from discussions.models import Decision, Game, Iteration, Verdict
from discussions.planning.views.iteration import iteration_games
from discussions.queue.actions import take_next_game
from tests.factories.adjudication import submit_as
from tests.factories.iterations import (
    decide_on,
    figures,
    fresh,
    import_games,
    make_baseline,
    make_change,
    make_stage,
    preview,
    rate_games,
)
from tests.factories.pages import get_text
from tests.factories.people import NOW, make_lead, make_member
from tests.factories.transcripts import import_game, make_games_project
from tests.factories.verdicts import submit_next_game

pytestmark = pytest.mark.django_db


MARKUP = "<b>Kept</b> words"


HTMX = {"HX-Request": "true"}


@pytest.fixture
def lead(client):
    found = make_lead(project=make_games_project(slug="ours"))
    client.force_login(found)
    return found


@pytest.fixture
def project(lead):
    return lead.memberships.get().project


@pytest.fixture
def stage(project, lead):
    return make_stage(project=project, by=lead)


def address(name, iteration):
    return reverse(name, args=["ours", iteration.number])


def shown(client, iteration):
    return get_text(client.get(address("iteration", iteration)))


def test_a_new_iteration_waits_for_games_and_says_how_to_bring_them(client, stage):
    found = make_baseline(stage=stage)
    text = shown(client, found)
    assert '<li class="now"><div><span class="strong">Import the games' in text
    assert reverse("imports", args=["ours"]) + f"?iteration={found.number}" in text
    assert "No game is in this iteration yet" in text


def test_unsorted_games_have_another_page(client, stage):
    unsorted = Iteration.objects.get(stage=None)
    answer = client.get(address("iteration", unsorted))
    assert (answer.status_code, answer["Location"]) == (302, reverse("project_settings", args=["ours"]))
    make_baseline(stage=stage)
    assert client.get(reverse("iteration", args=["ours", 1])).status_code == 200


def test_unsorted_games_move_in_and_back(client, stage, project, lead):
    found = make_baseline(stage=stage)
    games = [import_game(project=project, by=lead) for _ in range(2)]
    text = shown(client, found)
    assert all(f'id="in-{game.number}"' in text for game in games)
    numbers = [str(game.number) for game in games]
    place = address("move_games", found)
    answer = client.post(place, {"to": "here", "games": numbers})
    assert (answer.status_code, answer["Location"]) == (303, address("iteration", found))
    assert Game.objects.filter(iteration=found).count() == 2
    assert f'id="out-{numbers[0]}"' in shown(client, found)
    assert client.post(place, {"to": "out", "games": numbers[:1]}).status_code == 303
    assert Game.objects.filter(iteration__stage=None).get().number == games[0].number


def test_moving_nothing_or_what_is_not_there_is_said(client, stage):
    found = make_baseline(stage=stage)
    place = address("move_games", found)
    assert client.post(place, {"to": "here"}).status_code == 422
    text = get_text(client.post(place, {"to": "here", "games": ["77"]}), 422)
    assert "The project has no game 77." in text
    assert "valid" in get_text(client.post(place, {"to": "here", "games": ["x"]}), 422)


def test_a_frozen_list_takes_no_game(client, stage, project, lead):
    found = make_baseline(stage=stage, games=[figures()] * 3)
    game = import_game(project=project, by=lead)
    text = get_text(client.post(address("move_games", found), {"to": "here", "games": [game.number]}), 403)
    assert "which froze its list of games" in text
    assert "iteration-candidates" not in text and "Import games" not in text


def test_open_for_rating_freezes_and_only_once(client, stage):
    found = make_baseline(stage=stage)
    place = address("open_for_rating", found)
    assert "needs at least 3" in get_text(client.post(place), 403)
    import_games(iteration=found, games=[None] * 3)
    text = shown(client, found)
    assert '<li class="now"><div><span class="strong">Open it for rating' in text
    assert "can no longer change after that" in text
    assert client.post(place).status_code == 303
    assert fresh(found).state == "rating"
    assert "Evaluators rate" in shown(client, found) and "waiting for an evaluator" in shown(client, found)
    assert "froze its list of games already" in get_text(client.post(place), 403)


def test_a_rated_change_shows_figures_and_leads_to_the_decision(client, stage):
    make_baseline(stage=stage, games=[figures()] * 3)
    found = make_change(
        stage=stage,
        games=[figures(coherence=20, memory_accuracy=score) for score in (None, None, (4, 4))],
        target="coherence",
    )
    text = shown(client, found)
    assert "verdict: PASS" in text and "not applicable" in text and "20.0" in text
    assert "on few references" in text
    assert '<li class="now"><div><span class="strong">Compare and decide' in text
    assert (
        "1 place differs from the prompt of iteration 1" in text and "Conversation coherence 5 points" in text
    )
    assert "its plan is final" in text


def test_every_score_opens_what_it_was_counted_from(client, stage):
    found = make_baseline(stage=stage, games=[figures()] * 3)
    text, game = shown(client, found), found.games.first()
    links = re.findall(rf'<a href="({reverse("game", args=["ours", game.number])}#[\w-]+)">', text)
    assert len(links) == 7
    parts = client.get(links[0]).content.decode()
    assert all(f'id="{link.partition("#")[2]}"' in parts for link in links)


def test_unrated_games_show_nothing_but_that(client, stage):
    found = make_baseline(stage=stage, games=[figures(), figures(), None])
    text = shown(client, found)
    assert "2 of 3 games" in text and "waiting for an evaluator" in text


def test_unrated_games_show_the_automatic_values_of_the_list_of_games(client, stage, project):
    found = make_baseline(stage=stage, games=[figures(), figures(), None])
    row = load_history(stage).iterations[0]
    games = iteration_games(found, row)
    listed = {line.number: line for line in GamesPage(project=project, wanted=ListQuery()).lines}
    assert len(games) == len(listed) == 3
    unrated = games[2]
    assert unrated["cells"] == listed[str(unrated["figures"].number)].cells
    automatic = [cell for cell in unrated["cells"] if cell.state == AUTOMATIC]
    assert automatic and {cell.says.partition(",")[0] for cell in automatic} <= {"automatic", "n/a"}
    assert not any(cell.state == AUTOMATIC for game in games[:2] for cell in game["cells"])
    assert unrated["cells"][6].says == "pending", "engagement is rated by people alone"
    text = shown(client, found)
    assert 'class="num quiet"' in text and "automatic, " in text


def test_the_next_change_is_offered_once_the_last_one_is_decided(client, stage):
    first = make_baseline(stage=stage, games=[figures()] * 3)
    offer = reverse("open_iteration", args=["ours", stage.number]) + "?kind=change"
    assert offer in shown(client, first) and "create the first change" in shown(client, first)
    change = make_change(stage=stage, games=[figures()] * 3)
    second = make_baseline(stage=stage, games=[figures()] * 3)
    text = shown(client, second)
    assert offer not in text and f"Iteration {change.number} is not decided yet." in text
    decide_on(iteration=change, choice="revert")
    assert offer in shown(client, second) and "create the next change" in shown(client, second)


def decide(client, iteration, basis, **given):
    body = {"choice": "revert", "reason": "It fell.", "basis_sha256": basis} | given
    return client.post(address("decide_iteration", iteration), body)


def test_a_decision_is_recorded_beside_the_proposal(client, stage, lead):
    make_baseline(stage=stage, games=[figures(coherence=70 + n) for n in range(3)])
    found = make_change(stage=stage, games=[figures(coherence=30 + n) for n in range(3)], target="coherence")
    text = get_text(client.get(address("decide_iteration", found)))
    revert = text[text.index('value="revert"') : text.index('value="inconclusive"')]
    assert "proposed" in revert and text.count("(proposed)") == 1
    assert "the rule says REVERT: 31.0 < 71.0" in text
    answer = decide(client, found, preview(found).basis_sha256, choice="keep", reason="Worth it.")
    assert (answer.status_code, answer["Location"]) == (303, address("compare_iterations", found))
    made = Decision.objects.get()
    assert (made.choice, made.reason, made.created_by) == ("keep", "Worth it.", lead)
    text = get_text(client.get(address("decide_iteration", found)))
    assert "is not what the figures propose now" in text and "Worth it." in text
    assert "the next change is compared with it" in shown(client, found)


def test_a_later_decision_takes_the_place_of_the_first(client, stage):
    make_baseline(stage=stage, games=[figures()] * 3)
    found = make_change(stage=stage, games=[figures()] * 3)
    decide_on(iteration=found, choice="keep")
    assert decide(client, found, preview(found).basis_sha256).status_code == 303
    text = get_text(client.get(address("decide_iteration", found)))
    assert "Decide again" in text and "superseded" in text and "It fell." in text


def test_what_is_missing_is_said_and_the_reason_kept(client, stage):
    make_baseline(stage=stage, games=[figures()] * 3)
    found = make_change(stage=stage, games=[figures()] * 3)
    basis = preview(found).basis_sha256
    text = get_text(decide(client, found, basis, choice="", reason=MARKUP), 422)
    assert "Choose keep, revert or inconclusive." in text and MARKUP in text
    assert "Say why" in get_text(decide(client, found, basis, reason=" "), 422)
    assert "sideways" in get_text(decide(client, found, basis, choice="sideways"), 422)
    assert not Decision.objects.exists()


def test_figures_that_moved_meanwhile_are_shown_and_nothing_is_lost(client, stage):
    make_baseline(stage=stage, games=[figures()] * 3)
    found = make_change(stage=stage, games=[figures()] * 3)
    old = preview(found).basis_sha256
    rate_games(iteration=found, games=[figures(coherence=10)] * 3, minutes=9)
    text = get_text(decide(client, found, old, reason=MARKUP), 409)
    assert MARKUP in text and old not in text and preview(found).basis_sha256 in text


def test_the_comparison_holds_the_form_for_its_own_pair_alone(client, stage):
    first = make_baseline(stage=stage, games=[figures()] * 3)
    second = make_baseline(stage=stage, games=[figures()] * 3, minutes=2)
    found = make_change(stage=stage, games=[figures()] * 3, minutes=3)
    place = address("compare_iterations", found)
    text = get_text(client.get(place))
    assert 'id="decision"' in text and preview(found).basis_sha256 in text
    assert f'action="{address("decide_iteration", found)}"' in text
    assert 'id="decision"' not in get_text(client.get(f"{place}?with={first.number}"))
    assert 'id="decision"' not in get_text(client.get(address("compare_iterations", second)))


def test_htmx_gets_the_region_alone(client, stage):
    make_baseline(stage=stage, games=[figures()] * 3)
    found = make_change(stage=stage, games=[figures()] * 3)
    body = {"choice": "", "reason": MARKUP, "basis_sha256": "0" * 64}
    answer = client.post(address("decide_iteration", found), body, headers=HTMX)
    text = answer.content.decode().strip()
    assert answer.status_code == 422 and text.startswith('<section class="decide" id="decision"')
    body |= {"choice": "keep", "basis_sha256": preview(found).basis_sha256}
    answer = client.post(address("decide_iteration", found), body, headers=HTMX)
    assert (answer.status_code, answer["HX-Redirect"]) == (200, address("compare_iterations", found))


def test_what_is_not_rated_is_dropped_and_never_kept(client, stage):
    made = make_baseline(stage=stage)
    found = make_change(stage=stage)
    text = get_text(client.get(address("decide_iteration", found)))
    assert text.count(" disabled") == 1 and "so it cannot be kept" in text
    basis = preview(found).basis_sha256
    assert "so it cannot be kept" in get_text(decide(client, found, basis, choice="keep"), 403)
    assert decide(client, found, basis, choice="inconclusive").status_code == 303
    assert client.get(address("decide_iteration", made)).status_code == 403


def test_a_fourth_look_is_refused_and_the_button_says_so(client, stage):
    make_baseline(stage=stage, games=[figures()] * 3)
    found = make_change(stage=stage, games=[figures()] * 3)
    for look in range(3):
        rate_games(iteration=found, games=[figures(coherence=20 + look)] * 3, minutes=10 + look)
        decide_on(iteration=found, choice="inconclusive", minutes=20 + look)
    rate_games(iteration=found, games=[figures(coherence=60)] * 3, minutes=30)
    text = get_text(client.get(address("decide_iteration", found)))
    assert text.count(" disabled") == 4 and "3 looks are the most" in text
    text = get_text(decide(client, found, preview(found).basis_sha256, reason=MARKUP), 403)
    assert "3 looks are the most" in text and MARKUP in text


def test_evaluators_know_of_no_iteration(client, stage, project):
    found = make_baseline(stage=stage)
    client.force_login(make_member(project=project))
    for name in ("iteration", "edit_iteration", "decide_iteration"):
        assert client.get(address(name, found)).status_code == 404


@pytest.mark.parametrize("count", [3, 9])
def test_the_pages_ask_as_often_however_many_games(client, stage, count, django_assert_num_queries):
    make_baseline(stage=stage, games=[figures()] * count)
    found = make_change(stage=stage, games=[figures()] * count)
    for name, queries in (("iteration", 14), ("decide_iteration", 13)):
        client.get(address(name, found))
        with django_assert_num_queries(queries):
            client.get(address(name, found))


def test_all_games_that_are_ready_are_recorded_from_the_iteration_by_a_preview(client, stage, project):
    found = make_baseline(stage=stage)
    import_games(iteration=found, games=[None] * 3)
    client.post(address("open_for_rating", found))
    assert "record-ready" not in shown(client, found)
    for _each in range(2):
        submit_next_game(project=project, by=make_member(project=project))
    place = reverse("record_games", args=["ours"]) + f"?iteration={found.number}"
    text = shown(client, found)
    assert "Record all 2 games that are ready" in text
    assert f'href="{place}"' in text
    page = client.get(place).content.decode()
    ready = re.findall(r'name="ready"\s+value="([^"]+)"', page)
    assert not Verdict.objects.exists()
    assert client.post(reverse("record_games", args=["ours"]), {"ready": ready}).status_code == 303
    assert Verdict.objects.filter(game__iteration=found).count() == 2
    assert "record-ready" not in shown(client, found)


def test_a_tie_is_named_as_what_a_lead_has_to_do(client, stage, project):
    """All evaluations are in, so neither evaluators nor "Record" can help: the page leads to the tie."""
    make_baseline(stage=stage, games=[figures()] * 3, evaluator_count=2)
    change = make_change(stage=stage, least_games=1)
    import_games(iteration=change, games=[None])
    client.post(address("open_for_rating", change))
    rated = change.games.get()
    for answer in ("yes", "no"):
        taken = take_next_game(project=project, by=make_member(project=project), now=NOW, iteration=change)
        submit_as(taken, values={("strategic_depth", "1"): answer})
    text = shown(client, change)
    assert "evaluators differ, a lead resolves the ties" in text
    assert f'href="{reverse("adjudicate", args=["ours", rated.number])}">game {rated.number}</a>' in text
    place = reverse("compare_iterations", args=["ours", change.number])
    stage_page = get_text(client.get(reverse("stage", args=["ours", stage.number])))
    waits = f"Iteration {change.number} waits until a lead resolves the ties of game {rated.number}."
    assert waits in stage_page and "waits for evaluators" not in stage_page
    says = f"Evaluators differ on game {rated.number} of iteration {change.number}."
    assert says in get_text(client.get(place))
