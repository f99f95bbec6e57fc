"""How many games so many find, told where a baseline or a change is opened."""

import html
import re

import pytest
from django.urls import reverse

from discussions.iterations.actions import StagePlan, open_next_stage
from tests.factories.iterations import PROMPT, figures, get_lead, make_baseline, make_stage
from tests.factories.people import make_admin, moment

pytestmark = pytest.mark.django_db


def get_told(client, stage, kind, data=None):
    """The text of the region on the form of a new iteration."""
    client.force_login(get_lead(stage))
    address = reverse("open_iteration", args=[stage.project.slug, stage.number]) + f"?kind={kind}"
    answer = client.post(address, data) if data else client.get(address)
    body = answer.content.decode()
    region = re.search(r'id="plan-games".*?</details>', body, re.DOTALL)[0]
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", region)).split())


def test_a_first_baseline_takes_the_usual_spread(client):
    told = get_told(client, make_stage(), "baseline")
    assert (
        "3 against 3 finds a gain of 10 points in memory accuracy one time in twenty; 9 against 9 one in two."
        in told
    )
    assert "This project has too few games to know how much they differ" in told
    assert "Engagement 0.6 points one time in twenty one time in two as is usual" in told


def test_a_change_takes_the_projects_own_spread_of_the_target(client):
    stage = make_stage()
    scores = (56, 63, 70, 77, 84)
    make_baseline(stage=stage, games=[figures(strategic_depth=score) for score in scores])
    data = {"prompt": PROMPT, "target": "strategic_depth", "least_games": "3", "do": "check"}
    told = get_told(client, stage, "change", data)
    # Squares 490 with 4 df: an SD of 11.1. It is the lowest, and picked by these games: 3 % at 3, 23 % at 6.
    assert "3 against 3 finds a gain of 11 points in strategic depth one time in twenty; 9 against 9" in told
    assert "It was picked as the lowest: with the reference run again first it is one in twenty." in told
    assert "By so much, 11 points, games of this project under one prompt usually differ." in told
    assert "Memory accuracy 10 points" in told and "Strategic depth 11 points" in told
    again = get_told(client, stage, "change", data | {"least_games": "6"})
    assert "6 against 6 finds a gain of 11 points in strategic depth one time in four; 18 against 18" in again


def test_a_fresh_baseline_tells_the_metric_that_would_be_the_next_target(client):
    stage = make_stage()
    make_baseline(stage=stage, games=[figures(coherence=score) for score in (20, 30, 40, 50, 60)])
    told = get_told(client, stage, "baseline")
    assert (
        "finds a gain of 16 points in conversation coherence one time in twenty; 9 against 9 one in two"
        in told
    )


def test_games_of_an_earlier_stage_count_too(client):
    first = make_stage()
    make_baseline(stage=first, games=[figures(memory_accuracy=score) for score in (86, 88, 90, 92, 94)])
    second = open_next_stage(
        stage=first,
        plan=StagePlan(name="Stage 2"),
        by=make_admin(),
        now=moment(90),
        reason="The next step begins.",
    )
    told = get_told(client, second, "baseline")
    # Squares 40 with 4 df: an SD of 3.2.
    assert "3 against 3 finds a gain of 3 points in memory accuracy" in told


def test_what_is_no_number_is_refused_beside_the_usual_sentence(client):
    data = {"prompt": PROMPT, "least_games": "many", "do": "check"}
    assert "3 against 3 finds a gain of 10 points" in get_told(client, make_stage(), "baseline", data)
