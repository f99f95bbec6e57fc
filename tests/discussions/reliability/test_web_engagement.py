"""What goes with being worth watching, by page and by API: who sees it, which games count, dots, words, tables."""

import re

import pytest
from django.urls import reverse

from discussions.reliability.queries import engagement_figures
from tests.factories.iterations import figures, make_iteration, make_stage, record_figures, withdraw
from tests.factories.people import make_lead, make_member
from tests.factories.reliability import make_agreeing_project
from tests.factories.tokens import program_of
from tests.factories.transcripts import import_game, make_games_project

pytestmark = pytest.mark.django_db
CHART = r'<figure class="multiple".*?aria-labelledby="{key}-title">(.*?)</figure>'


def figured(count, *, first=60):
    """Games whose memory rises with the rating; coherence is the same in all of them."""
    return [
        figures(memory_accuracy=first + n, engagement=2.5 + n / 10, anti_repetition=None)
        for n in range(count)
    ]


def page(client, project, person=None):
    client.force_login(person or make_lead(project=project))
    return client.get(reverse("worth_watching", args=[project.slug]))


def chart(body, key):
    return re.search(CHART.format(key=key), body, re.DOTALL)[1]


def test_a_project_without_verdicts_says_what_is_missing(client):
    said = page(client, make_games_project()).content.decode()
    assert "No two games of one prompt have a verdict yet" in said
    assert "<figure" not in said


def test_each_metric_has_a_sentence_dots_that_lead_to_games_and_a_table(client):
    stage = make_stage()
    make_iteration(stage=stage, games=figured(10))
    make_iteration(stage=stage, games=figured(10, first=20))
    said = page(client, stage.project).content.decode()
    assert "20 games with a verdict, 2 prompts." in said
    memory = chart(said, "memory_accuracy")
    assert "Goes with the rating." in memory
    links = re.findall(r'<a href="([^"]+)" tabindex="-1">', memory)
    assert sorted(links) == sorted(
        f"/projects/{stage.project.slug}/games/{n}/#memory_accuracy" for n in range(1, 21)
    )
    assert memory.count('<tr><th scope="row">') == 20
    assert re.search(r"τ-b 1\.00\s+<span class=\"quiet\">\(1\.00 to 1\.00\)", memory)
    assert "Too few games differ." in chart(said, "coherence")
    nothing = chart(said, "anti_repetition")
    assert ("<svg" in nothing, "0 of at least 20 games" in nothing) == (False, True)
    program = program_of(make_lead(project=stage.project))
    found = program.get(f"projects/{stage.project.slug}/team/worth-watching/").json()
    by_key = {metric["key"]: metric for metric in found["metrics"]}
    assert (found["games"], found["prompts"], found["alone"], found["reliability"]) == (20, 2, 0, None)
    assert by_key["memory_accuracy"]["word"] == "goes_with"
    assert by_key["memory_accuracy"]["tau_b"] == {"value": 1.0, "interval": [1.0, 1.0]}
    assert by_key["memory_accuracy"]["rho_corrected"] is None
    assert sorted(by_key["memory_accuracy"]["games"]) == list(range(1, 21))
    assert (by_key["anti_repetition"]["word"], by_key["anti_repetition"]["games"]) == ("too_few", [])


def test_few_games_have_dots_without_a_sentence(client):
    stage = make_stage()
    make_iteration(stage=stage, games=figured(3))
    memory = chart(page(client, stage.project).content.decode(), "memory_accuracy")
    assert memory.count("<circle") == 3
    assert "3 of at least 20 games" in memory
    assert "Goes with" not in memory


def test_withdrawn_games_do_not_count_and_the_share_is_that_of_passing_games():
    stage = make_stage()
    games = [figures(memory_accuracy=90, engagement=rating) for rating in (4, 3, 2.5)]
    iteration = make_iteration(stage=stage, games=[*games, figures(memory_accuracy=10), figures()])
    withdraw(game=iteration.games.order_by("number").last())
    found = engagement_figures(stage.project)
    assert (found.games, found.passing, found.watchable, found.threshold) == (4, 3, 2, 3.0)


def test_games_of_no_iteration_are_compared_where_their_files_name_one_prompt():
    project = make_games_project()
    lead = make_lead(project=project)
    for number, prompt in enumerate(("Be brief.", "Be brief.", "Be long.", None)):
        game = import_game(project=project, by=lead, gameId=f"g{number}", prompt=prompt)
        record_figures(game=game, given=figures(memory_accuracy=60 + number))
    found = engagement_figures(project)
    assert (found.games, found.prompts, found.alone) == (2, 1, 2)
    assert [game.number for game in found.metrics[0].games] == [2, 1]


def test_the_reliability_is_that_of_the_agreement_page(client):
    project = make_agreeing_project()
    assert engagement_figures(project).reliability == pytest.approx(0.9, abs=0.1)


def test_evaluators_do_not_see_it(client):
    project = make_games_project()
    assert page(client, project, make_member(project=project)).status_code == 403
    program = program_of(make_member(project=project))
    assert program.get(f"projects/{project.slug}/team/worth-watching/").status_code == 403
