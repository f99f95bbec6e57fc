"""A world of one game, one evaluator and one review: pages say that data is missing, and speak of one thing as one."""

import html
import re

import pytest
from django.urls import reverse

from discussions.models import Game
from tests.factories.comparisons import make_set, review_with
from tests.factories.iterations import import_games, make_baseline, make_stage
from tests.factories.people import make_lead, make_member
from tests.factories.rating import make_rating_project
from tests.factories.reliability import figure_team
from tests.factories.reviewer_statistics import figure
from tests.factories.verdicts import record, submit_next_game

pytestmark = pytest.mark.django_db

PROJECT_PAGES = ("imports", "agreement", "accuracy", "stages", "project_settings")
GAME_PAGES = ("verdict", "report", "report_markdown")
STAGE_PAGES = ("stage", "stage_summary", "stage_summary_markdown", "stage_gate")
ITERATION_PAGES = ("iteration", "weak_spots", "weak_spots_markdown")
SET_PAGES = ("set_results", "set_reviewers", "set_agreement", "set_success", "set_weights")
SCORES = {
    1: {"accuracy": 9, "completeness": 8, "conciseness": 7, "clarity": 9},
    2: {"accuracy": 7, "completeness": 7, "conciseness": 8, "clarity": 6},
    3: {"accuracy": 5, "completeness": 6, "conciseness": 6, "clarity": 5},
}
# Nouns that pages count, in the plural: "1 games" is no English.
NOUNS = (
    "agents answers averages checks comparisons criteria evaluations evaluators faults files games iterations "
    "judgements looks messages pairs people phrases places points questions ratings references responses reviewers "
    "reviews rounds sentences slots stages tests uploads verdicts warnings words"
)
MANY = re.compile(rf"(?<![\d.,:/–-])\b1 (?:{'|'.join(NOUNS.split())})\b")
CHARTS = ("multiple-box", 'class="plot"', '<figure class="chart"', 'class="share-rows"')
# The bars of one game's verdict are figures of that game and need no more than it.
OF_ONE_GAME = ("early verdict", "verdict", "report")


def make_tiny_world():
    """A project with one game in one iteration, rated by one person, and a set with one review."""
    project = make_rating_project(slug="tiny")
    lead = make_lead(project=project)
    iteration = make_baseline(stage=make_stage(project=project, by=lead))
    import_games(iteration=iteration, games=[None])
    return project, lead, iteration


def open_and_rate(client, project, iteration):
    type(iteration).objects.filter(pk=iteration.pk).update(least_games=1)
    assert client.post(reverse("open_for_rating", args=["tiny", iteration.number])).status_code == 303
    game = submit_next_game(project=project, by=make_member(project=project))
    record(game)


def make_reviewed(lead):
    made = make_set(by=lead, elsewhere=1, questions=1)
    review_with(comparison=made.comparisons.get(), reviewer=made.reviewers.get(person=None), scores=SCORES)
    figure(made)
    return made


def read_pages(client):
    """Every page of the tiny world: name -> its HTML, before the game is rated and after."""
    project, lead, iteration = make_tiny_world()
    client.force_login(lead)
    game = Game.objects.get(project=project).number
    early = {"early iteration": get(client, "iteration", iteration.number)}
    early["early verdict"] = get(client, "verdict", game)
    early |= {f"early {name}": get(client, name, 1) for name in STAGE_PAGES}
    open_and_rate(client, project, iteration)
    figure_team(project)
    made = make_reviewed(lead)
    return early | {
        **{name: get(client, name) for name in PROJECT_PAGES},
        **{name: get(client, name, game) for name in GAME_PAGES},
        **{name: get(client, name, 1) for name in STAGE_PAGES},
        **{name: get(client, name, iteration.number) for name in ITERATION_PAGES},
        **{name: get(client, name, made.number) for name in SET_PAGES},
        "comparison_result": get(client, "comparison_result", made.number, 1),
    }


def get(client, name, *args):
    answer = client.get(reverse(name, args=["tiny", *args]))
    assert answer.status_code == 200, name
    return answer.content.decode()


def words(page):
    """The words of a page, without what is only for programs."""
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", page)).split())


def test_no_page_speaks_of_one_thing_as_many_draws_little_data_or_finds_a_leader(client):
    pages = read_pages(client)
    many = {name: found for name, page in pages.items() if (found := MANY.findall(words(page)))}
    assert many == {}
    statistics = {name: page for name, page in pages.items() if name not in OF_ONE_GAME}
    drawn = {name: [chart for chart in CHARTS if chart in page] for name, page in statistics.items()}
    assert {name: charts for name, charts in drawn.items() if charts} == {}
    leaders = [
        name
        for name, page in pages.items()
        if re.search(r"(?<!team )\bleads\b(?! is said)|answers best, by", words(page))
    ]
    assert leaders == []
    for name, least in (
        ("stage", "1 of at least 3 games"),
        ("stage_summary", "1 of at least 3 games"),
        ("set_results", "1 of at least 3 comparisons"),
        ("set_results", "3 of at least 10 responses"),
        ("comparison_result", "1 of at least 2 reviewers"),
    ):
        assert f"Too little data for this chart: {least}." in words(pages[name]), name
    assert re.search(r"Too little data: \d+ of at least \d+ answers\.", words(pages["accuracy"]))


def test_the_pattern_finds_what_it_is_for():
    assert MANY.findall("1 reviewers, 11 games, 0.1 points, 1 of 2 games, 1 game") == ["1 reviewers"]
    assert MANY.findall("0 of 1 games are rated") == ["1 games"]
