"""The iteration history of a stage: its table, its small charts with the tables under them, and who sees it."""

import html
import re
from decimal import Decimal
from urllib.parse import urljoin

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from discussions.actions.figuring_games import enter_figure
from discussions.models import Game
from discussions.models.manual_figures import COST
from tests.factories import make_games_project, make_lead, make_member, moment
from tests.staged import decide_on, figures, import_games, lead_of, make_iteration, make_stage

pytestmark = pytest.mark.django_db


def body_of(client, stage, *, person=None):
    client.force_login(person or lead_of(stage))
    answer = client.get(reverse("stage", args=[stage.project.slug, stage.number]))
    assert answer.status_code == 200, answer.content[:300]
    return answer.content.decode()


def text_of(markup):
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", markup)).split())


def row_of(body, iteration):
    """The row of an iteration in the table, as text."""
    return text_of(re.search(rf'<tr id="iteration-{iteration.number}">.*?</tr>', body, re.DOTALL)[0])


def chart_of(body, key):
    """One chart with its table, as markup."""
    return re.search(rf'<figure class="multiple[^>]*id="chart-{key}".*?</figure>', body, re.DOTALL)[0]


def marks_of(body, key="coherence"):
    return re.search(r'<text class="mark"[^>]*>([^<]*)<', chart_of(body, key))[1]


def dots_of(body, key):
    """The dots of a chart: game, whether it is hollow, figure."""
    found = re.findall(
        r'<a href="../../games/(\d+)/#[\w-]+" tabindex="-1"><circle( class=hollow)?[^>]*/>'
        r"<title>Game \d+: ([^<]*)</title>",
        chart_of(body, key),
    )
    return [(int(number), bool(hollow), text) for number, hollow, text in found]


def three(**changes):
    return [figures(**changes) for _ in range(3)]


def test_an_empty_stage_says_how_to_begin(client):
    body = body_of(client, make_stage(goal="Games worth watching"))
    assert "No iteration yet" in body and "Begin with a baseline" in body
    assert "<figure" not in body and "Compare newest" not in body
    assert "Games worth watching" in text_of(body)


def test_a_baseline_stands_in_a_row_and_in_nine_charts(client):
    stage = make_stage()
    games = [figures(coherence=value) for value in (66, 72, 81)]
    baseline = make_iteration(stage=stage, games=games, name="As it is")
    body = body_of(client, stage)
    row = row_of(body, baseline)
    assert row.startswith(f"{baseline.number} As it is reference baseline 3 90.0 pass 70.0 pass 73.0 pass")
    assert row.endswith("4.0 pass 7/7 PASS $1.25 cache 80.0 %")
    assert body.count('<figure class="multiple') == 9
    first, second, third = Game.objects.filter(iteration=baseline).values_list("number", flat=True)
    assert dots_of(body, "coherence") == [
        (first, False, "66.0"),
        (second, False, "72.0"),
        (third, False, "81.0"),
    ]
    assert marks_of(body) == "B"
    assert f"The next change is compared with iteration {baseline.number}." in body


def test_every_dot_leads_to_its_game_and_to_the_figure_there(client):
    stage = make_stage()
    make_iteration(stage=stage, games=three())
    body = body_of(client, stage)
    address = reverse("stage", args=[stage.project.slug, stage.number])
    for key, place in (("coherence", "coherence"), ("engagement", "game-people"), ("cost", "game-facts")):
        (link, *_rest) = re.findall(r'<a href="([^"]+)" tabindex="-1">', chart_of(body, key))
        assert link.endswith(f"#{place}")
        assert client.get(urljoin(address, link)).status_code == 200


def test_one_change_that_waits_for_its_decision(client):
    stage = make_stage()
    make_iteration(stage=stage, games=three())
    change = make_iteration(
        stage=stage, games=three(coherence=60), target="coherence", change_note="Names first."
    )
    body = body_of(client, stage)
    row = row_of(body, change)
    assert "Names first. target: Conversation coherence" in row and row.endswith("to be decided")
    assert "60.0 fail" in row
    waits = f"All games of iteration {change.number} are rated; it waits for a decision. Compare and decide"
    assert waits in text_of(body)
    assert marks_of(body) == "B?"
    chart = chart_of(body, "coherence")
    assert re.search(r'<path class="tried" d="M', chart) and '<path class="line" d=""/>' in chart


@pytest.mark.parametrize(
    ("choice", "says", "mark", "line"),
    [
        ("keep", "kept", "K", "line"),
        ("revert", "reverted", "R", "tried"),
        ("inconclusive", "inconclusive", "I", "tried"),
    ],
)
def test_a_decided_change_is_marked(client, choice, says, mark, line):
    stage = make_stage()
    baseline = make_iteration(stage=stage, games=three())
    change = make_iteration(stage=stage, games=three(coherence=85), decision=choice)
    body = body_of(client, stage)
    assert f"{says} {lead_of(stage).name} 2 Mar 2026" in row_of(body, change)
    assert marks_of(body) == f"B{mark}"
    drawn = dict(re.findall(r'<path class="(line|tried)" d="([^"]*)"', chart_of(body, "coherence")))
    assert [name for name, path in drawn.items() if path] == [line]
    assert "reference" in row_of(body, change if choice == "keep" else baseline)


def test_a_game_to_which_a_metric_does_not_apply_is_hollow_and_left_out_at_second_look(client):
    stage = make_stage()
    games = [figures(memory_accuracy=60), figures(memory_accuracy=70), figures(memory_accuracy=None)]
    baseline = make_iteration(stage=stage, games=games)
    body = body_of(client, stage)
    assert [dot[1:] for dot in dots_of(body, "memory_accuracy")] == [
        (False, "60.0"),
        (False, "70.0"),
        (True, "100.0"),
    ]
    table = text_of(chart_of(body, "memory_accuracy"))
    assert "100.0 by rule 76.7 fail 65.0 mean of 3 games; 1 by rule as 100" in table
    assert "76.7 fail" in row_of(body, baseline)


def test_a_game_that_is_not_rated_is_open_and_has_no_dot(client):
    stage = make_stage()
    baseline = make_iteration(stage=stage, games=[None, figures(coherence=80), figures(coherence=70)])
    body = body_of(client, stage)
    row = row_of(body, baseline)
    assert "3 2 of 3 rated" in row and "75.0 open" in row and "0/7 open" in row
    assert len(dots_of(body, "coherence")) == 2
    assert "open" in text_of(chart_of(body, "coherence"))
    assert "waits for evaluators: 1 of 3 games are not rated." in body


def test_an_iteration_that_takes_games_says_how_many_are_missing(client):
    stage = make_stage()
    make_iteration(stage=stage, games=three())
    coming = make_iteration(stage=stage)
    import_games(iteration=coming, games=[figures()])
    body = body_of(client, stage)
    assert f"Iteration {coming.number} takes games: 1 of at least 3 are there." in body
    assert row_of(body, coming).endswith("open for import")


def test_costs_that_are_not_reported_are_named_and_those_by_hand_are_hollow(client):
    stage = make_stage()
    games = [figures(cost=None), figures(cost=None), figures(cost=2.4, cache=None)]
    baseline = make_iteration(stage=stage, games=games)
    silent = Game.objects.filter(iteration=baseline).order_by("number").first()
    body = body_of(client, stage)
    assert "$2.40 amber, 2 not reported cache not reported" in row_of(body, baseline)
    assert [dot[1:] for dot in dots_of(body, "cost")] == [(False, "$2.40")]
    enter_figure(
        game=silent,
        kind=COST,
        value=Decimal("1.10"),
        reason="From the bill",
        by=lead_of(stage),
        now=moment(9),
    )
    body = body_of(client, stage)
    assert "amber, 1 not reported, 1 by hand" in row_of(body, baseline)
    assert [dot[1:] for dot in dots_of(body, "cost")] == [(True, "$1.10"), (False, "$2.40")]


def test_what_no_game_reports_has_no_chart(client):
    stage = make_stage()
    make_iteration(stage=stage, games=three(cost=None, cache=None))
    body = body_of(client, stage)
    assert not re.search(r"<a [^>]*></a>", body), "a link without words"
    assert 'id="chart-cost"' not in body and 'id="chart-cache"' not in body


def test_a_decision_that_was_superseded_shows_the_one_that_stands(client):
    stage = make_stage()
    make_iteration(stage=stage, games=three())
    change = make_iteration(stage=stage, games=three(coherence=90), decision="keep")
    decide_on(iteration=change, choice="revert", reason="The games grew dull.", minutes=90)
    body = body_of(client, stage)
    assert "reverted" in row_of(body, change) and "kept" not in row_of(body, change)
    assert 'title="The games grew dull."' in body
    assert marks_of(body) == "BR"


def test_names_and_notes_from_people_are_escaped(client):
    stage = make_stage(name="<b>Stage</b>")
    make_iteration(stage=stage, games=three(), name="<i>As it is</i>")
    make_iteration(stage=stage, name="x", change_note="<script>alert(1)</script>\u202e")
    body = body_of(client, stage)
    assert "<script>alert" not in body and "<i>As" not in body and "<b>Stage" not in body
    assert "&lt;script&gt;" in body and "⟨U+202E⟩" in body


def test_more_than_two_dozen_iterations_get_wide_charts(client):
    stage = make_stage()
    make_iteration(stage=stage, games=three())
    for at in range(24):
        make_iteration(stage=stage, decision="revert", minutes=10 + at)
    body = body_of(client, stage)
    assert body.count('<figure class="multiple wide"') == 9
    assert 'class="table-box tall" id="history-table"' in body


def queries_of(client, stage):
    body_of(client, stage)  # rubric versions are kept decoded
    with CaptureQueriesContext(connection) as found:
        assert client.get(reverse("stage", args=[stage.project.slug, stage.number])).status_code == 200
    return len(found)


def test_queries_do_not_grow_with_iterations(client):
    small, large = make_stage(), make_stage()
    make_iteration(stage=small, games=three())
    for at in range(4):
        make_iteration(stage=large, games=three(), decision="keep" if at else "", minutes=1 + 10 * at)
    assert queries_of(client, small) == queries_of(client, large) == 10


def test_who_does_not_lead_the_project_knows_of_no_stage(client):
    stage = make_stage()
    address = reverse("stage", args=[stage.project.slug, stage.number])
    for person in (make_member(project=stage.project), make_lead(project=make_games_project())):
        client.force_login(person)
        assert client.get(address).status_code == 404
    client.force_login(lead_of(stage))
    assert client.get(address + "?page=2").status_code == 400
    assert client.get(reverse("stage", args=[stage.project.slug, 7])).status_code == 404
