"""The iteration history of a stage: its columns of dots, its table, and who sees it.

The summary of a stage: a page to print, and the same as Markdown, JSON and CSV under names of ours.
"""

import csv
import html
import io
import re
from decimal import Decimal
from urllib.parse import urljoin

import msgspec
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from discussions.games.actions import enter_figure
from discussions.history.core.stages import StageSummary
from discussions.iterations.actions import StagePlan, open_next_stage, sign_stage
from discussions.models import Game, Stage
from discussions.models.manual_figures import COST
from tests.factories.iterations import (
    decide_on,
    figures,
    get_lead,
    import_games,
    make_baseline,
    make_change,
    make_iteration,
    make_stage,
)
from tests.factories.people import NOW, make_admin, make_lead, make_member, moment
from tests.factories.transcripts import make_games_project
from workspace.display.pages import render_markdown
from workspace.models import Event

pytestmark = pytest.mark.django_db


def get_body(client, stage, *, person=None):
    client.force_login(person or get_lead(stage))
    answer = client.get(reverse("stage", args=[stage.project.slug, stage.number]))
    assert answer.status_code == 200, answer.content[:300]
    return answer.content.decode()


def get_text(markup):
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", markup)).split())


def get_row(body, iteration):
    """The row of an iteration in the table, as text."""
    return get_text(re.search(rf'<tr id="iteration-{iteration.number}">.*?</tr>', body, re.DOTALL)[0])


def get_chart(body, key):
    """The row of a figure, a cell for each iteration, as markup."""
    return re.search(rf'<tr id="run-{key}".*?</tr>', body, re.DOTALL)[0]


def get_cells(body, key):
    """What each cell says to those who do not see it."""
    return [
        html.unescape(says) for says in re.findall(r'role="group" aria-label="([^"]*)"', get_chart(body, key))
    ]


def get_fates(body):
    """What became of each iteration, in words above its column."""
    return re.findall(r'<span class="fate">([^<]*)</span>', body)


def get_dots(body, key):
    """The dots of a row: game, whether it counts differently, figure."""
    found = re.findall(
        r'<a href="../../games/(\d+)/#[\w-]+" tabindex="-1">\s*<circle\s+class="dot(?: under)?( weak)?"[^>]*/>\s*'
        r"<title>Game \d+: ([^<]*)</title>",
        get_chart(body, key),
    )
    return [(int(number), bool(hollow), text) for number, hollow, text in found]


def three(**changes):
    return [figures(**changes) for _ in range(3)]


def test_an_empty_stage_says_how_to_begin(client):
    body = get_body(client, make_stage(goal="Games worth watching"))
    assert "No iteration yet" in body and "Start with a baseline" in body
    assert "<figure" not in body and ">Compare<" not in body.replace("\n", "").replace(" ", "")
    assert "Games worth watching" in get_text(body)


def test_a_baseline_stands_in_a_row_and_is_a_column_of_nine_figures(client):
    stage = make_stage()
    games = [figures(coherence=value) for value in (66, 72, 81)]
    baseline = make_iteration(stage=stage, games=games, name="As it is")
    body = get_body(client, stage)
    row = get_row(body, baseline)
    assert row.startswith(f"{baseline.number} As it is reference baseline 3 90.0 pass 70.0 pass 73.0 pass")
    assert row.endswith("4.0 pass 7/7 PASS $1.25 cache 80.0 %")
    assert body.count('<tr id="run-') == 9
    first, second, third = Game.objects.filter(iteration=baseline).values_list("number", flat=True)
    assert get_dots(body, "coherence") == [
        (first, False, "66.0"),
        (second, False, "72.0"),
        (third, False, "81.0"),
    ]
    assert get_fates(body) == ["start"]
    assert f"The next change is compared with iteration {baseline.number}." in body


def test_every_dot_leads_to_its_game_and_to_the_figure_there(client):
    stage = make_stage()
    make_iteration(stage=stage, games=three())
    body = get_body(client, stage)
    address = reverse("stage", args=[stage.project.slug, stage.number])
    for key, place in (("coherence", "coherence"), ("engagement", "game-people"), ("cost", "game-facts")):
        (link, *_rest) = re.findall(r'<a href="([^"]+)" tabindex="-1">', get_chart(body, key))
        assert link.endswith(f"#{place}")
        assert client.get(urljoin(address, link)).status_code == 200


def test_one_change_that_waits_for_its_decision(client):
    stage = make_stage()
    make_iteration(stage=stage, games=three())
    change = make_iteration(
        stage=stage, games=three(coherence=60), target="coherence", change_note="Names first."
    )
    body = get_body(client, stage)
    row = get_row(body, change)
    assert "Names first. target: Conversation coherence" in row and row.endswith("to be decided")
    assert "60.0 fail" in row
    waits = f"All games of iteration {change.number} are rated; it waits for a decision."
    assert waits in get_text(body)
    place = reverse("compare_iterations", args=[stage.project.slug, change.number])
    assert f'<a class="button primary big" href="{place}">Decide iteration {change.number}</a>' in body
    assert get_fates(body) == ["start", "to be decided"]
    assert body.count("button primary") == 1 and "node open" in body


@pytest.mark.parametrize(
    ("choice", "says"), [("keep", "kept"), ("revert", "reverted"), ("inconclusive", "inconclusive")]
)
def test_a_decided_change_is_marked(client, choice, says):
    stage = make_stage()
    baseline = make_iteration(stage=stage, games=three())
    change = make_iteration(stage=stage, games=three(coherence=85), decision=choice)
    body = get_body(client, stage)
    assert f"{says} {get_lead(stage).name} 2 Mar 2026" in get_row(body, change)
    assert get_fates(body) == ["start", says]
    given_up = re.findall(r'<td class="(?:pass|fail|pending)( back)?">', get_chart(body, "coherence"))
    assert given_up == ["", "" if choice == "keep" else " back"]
    assert "reference" in get_row(body, change if choice == "keep" else baseline)


def test_a_game_to_which_a_metric_does_not_apply_is_hollow_and_left_out_at_second_look(client):
    stage = make_stage()
    games = [figures(memory_accuracy=60), figures(memory_accuracy=70), figures(memory_accuracy=None)]
    baseline = make_iteration(stage=stage, games=games)
    body = get_body(client, stage)
    assert [dot[1:] for dot in get_dots(body, "memory_accuracy")] == [
        (False, "60.0"),
        (False, "70.0"),
        (True, "100.0"),
    ]
    (says,) = get_cells(body, "memory_accuracy")
    assert says.startswith("Mean: 76.7 fail mean of 3 games; 1 not applicable, counted as 100")
    assert says.endswith("100.0 not applicable")
    assert "76.7 fail" in get_row(body, baseline)


def test_a_pass_on_few_references_is_marked_in_every_table_of_the_stage(client):
    stage = make_stage()
    make_iteration(stage=stage, games=[figures(memory_accuracy=(3, 3))] * 3)
    body = get_body(client, stage)
    assert "100.0 on few references" in get_cells(body, "memory_accuracy")[0]
    assert "100.0 pass on few references" in get_text(body)
    for part in ("stage_summary", "stage_summary_markdown"):
        page = client.get(reverse(part, args=[stage.project.slug, stage.number]))
        assert "100.0 pass on few references" in get_text(page.content.decode())
        assert "3 of 3 pass, 3 of them on fewer than 5 references" in page.content.decode()


def test_a_game_that_is_not_rated_is_open_and_has_no_dot(client):
    stage = make_stage()
    baseline = make_iteration(
        stage=stage, games=[None, figures(coherence=80), figures(coherence=70), figures(coherence=75)]
    )
    body = get_body(client, stage)
    row = get_row(body, baseline)
    assert "4 3 of 4 rated" in row and "75.0 pending" in row and "0/7 pending" in row
    assert len(get_dots(body, "coherence")) == 3
    assert "pending" in get_cells(body, "coherence")[0] and "75.0 ?" in get_text(get_chart(body, "coherence"))
    assert "waits for evaluators: 1 of its 4 games is not rated." in body


def test_an_iteration_that_takes_games_says_how_many_are_missing(client):
    stage = make_stage()
    make_iteration(stage=stage, games=three())
    coming = make_iteration(stage=stage)
    import_games(iteration=coming, games=[figures()])
    body = get_body(client, stage)
    assert f"Iteration {coming.number} takes games: 1 of at least 3 are there." in body
    assert get_row(body, coming).endswith("open for import")


def test_a_mean_cost_below_the_target_names_how_many_games_are_above_it(client):
    stage = make_stage()
    mixed = make_iteration(stage=stage, games=[figures(cost=cost) for cost in (1.2, 1.9, 2.1)])
    assert "$1.73 1 game over target" in get_row(get_body(client, stage), mixed)


def test_costs_that_are_not_reported_are_named_and_those_by_hand_are_hollow(client):
    stage = make_stage()
    games = [figures(cost=None)] * 2 + [figures(cost=2.4, cache=None)] * 3
    baseline = make_iteration(stage=stage, games=games)
    silent = Game.objects.filter(iteration=baseline).order_by("number").first()
    body = get_body(client, stage)
    assert "$2.40 3 games over target, 2 not reported cache not reported" in get_row(body, baseline)
    assert [dot[1:] for dot in get_dots(body, "cost")] == [(False, "$2.40")] * 3
    enter_figure(
        game=silent,
        kind=COST,
        value=Decimal("1.10"),
        reason="From the bill",
        by=get_lead(stage),
        now=moment(9),
    )
    body = get_body(client, stage)
    assert "3 games over target, 1 not reported, 1 by hand" in get_row(body, baseline)
    assert [dot[1:] for dot in get_dots(body, "cost")] == [(True, "$1.10"), *[(False, "$2.40")] * 3]


def test_what_no_game_reports_has_no_chart(client):
    stage = make_stage()
    make_iteration(stage=stage, games=three(cost=None, cache=None))
    body = get_body(client, stage)
    assert not re.search(r"<a [^>]*></a>", body), "a link without words"
    assert 'id="run-cost"' not in body and 'id="run-cache"' not in body


def test_a_decision_that_was_superseded_shows_the_one_that_stands(client):
    stage = make_stage()
    make_iteration(stage=stage, games=three())
    change = make_iteration(stage=stage, games=three(coherence=90), decision="keep")
    decide_on(iteration=change, choice="revert", reason="The games grew dull.", minutes=90)
    body = get_body(client, stage)
    assert "reverted" in get_row(body, change) and "kept" not in get_row(body, change)
    assert 'title="The games grew dull."' in body
    assert get_fates(body) == ["start", "reverted"]


def test_names_and_notes_from_people_are_escaped(client):
    stage = make_stage(name="<b>Stage</b>")
    make_iteration(stage=stage, games=three(), name="<i>As it is</i>")
    make_iteration(stage=stage, name="x", change_note="<script>alert(1)</script>\u202e")
    body = get_body(client, stage)
    assert "<script>alert" not in body and "<i>As" not in body and "<b>Stage" not in body
    assert "&lt;script&gt;" in body and "⟨U+202E⟩" in body


def test_the_row_with_the_smallest_margin_comes_first_each_on_a_scale_of_its_own(client):
    """Margins are in percent of what is needed, of the newest prompt that was not given up."""
    stage = make_stage()
    make_iteration(stage=stage, games=three(coherence=71, engagement=4))
    make_iteration(stage=stage, games=three(coherence=99, engagement=1), decision="revert")
    make_iteration(stage=stage, games=[figures(role_consistency=60), None, None], minutes=5)  # rated in part
    body = get_body(client, stage)
    assert "Iteration 1: 7 of 7 metrics pass Conversation coherence has the smallest margin: +1" in get_text(
        body
    )
    keys = re.findall(r'<tr id="run-(\w+)"', body)
    assert keys[0] == "coherence" and keys[-2:] == ["cost", "cache"] and len(keys) == 9
    assert get_text(get_chart(body, "coherence")).endswith("+1 %")
    ends = {key: re.findall(r'<text class="scale"[^>]*>([^<]*)<', get_chart(body, key)) for key in keys}
    assert ends["coherence"] == ["100", "60"] and ends["engagement"] == ["5", "1"]


def test_more_than_two_dozen_iterations_are_as_many_columns(client):
    stage = make_stage()
    make_iteration(stage=stage, games=three())
    for at in range(24):
        make_iteration(stage=stage, decision="revert", minutes=10 + at)
    body = get_body(client, stage)
    assert len(get_fates(body)) == 25 == get_chart(body, "coherence").count("<svg")
    assert 'class="table-box tall" id="history-table"' in body


def count_queries(client, stage):
    get_body(client, stage)  # rubric versions are kept decoded
    with CaptureQueriesContext(connection) as found:
        assert client.get(reverse("stage", args=[stage.project.slug, stage.number])).status_code == 200
    return len(found)


def test_queries_do_not_grow_with_iterations(client):
    small, large = make_stage(), make_stage()
    make_iteration(stage=small, games=three())
    for at in range(4):
        make_iteration(stage=large, games=three(), decision="keep" if at else "", minutes=1 + 10 * at)
    assert count_queries(client, small) == count_queries(client, large) == 10


def test_who_does_not_lead_the_project_knows_of_no_stage(client):
    stage = make_stage()
    address = reverse("stage", args=[stage.project.slug, stage.number])
    for person in (make_member(project=stage.project), make_lead(project=make_games_project())):
        client.force_login(person)
        assert client.get(address).status_code == 404
    client.force_login(get_lead(stage))
    assert client.get(address + "?page=2").status_code == 400
    assert client.get(reverse("stage", args=[stage.project.slug, 7])).status_code == 404


FORMS = ("stage_summary", "stage_summary_markdown", "stage_summary_json", "stage_figures")


FILES = {
    "stage_summary_markdown": ("stage-1.md", "text/markdown; charset=utf-8"),
    "stage_summary_json": ("stage-1.json", "application/json"),
    "stage_figures": ("stage-1-figures.csv", "text/csv; charset=utf-8; header=present"),
}


@pytest.fixture
def stage():
    """A baseline that fails and a change that was kept."""
    stage = make_stage(name="First <b>try</b>", goal="Reasons.")
    make_baseline(stage=stage, games=[figures(strategic_depth=depth) for depth in (30, 35, 40)])
    change = make_change(
        stage=stage,
        games=[
            figures(strategic_depth=90, cost=None),
            figures(strategic_depth=85),
            figures(strategic_depth=95),
        ],
        name="=1+1",
        target="strategic_depth",
    )
    decide_on(iteration=change, choice="keep", minutes=3, reason="Deeper | by *far*")
    return Stage.objects.get(pk=stage.pk)


@pytest.fixture
def lead(client, stage):
    client.force_login(stage.created_by)
    return stage.created_by


def address(stage, name="stage_summary"):
    return reverse(name, args=[stage.project.slug, stage.number])


def get_page(client, stage):
    answer = client.get(address(stage))
    assert answer.status_code == 200
    return " ".join(html.unescape(answer.content.decode()).split())


def get_summary(client, stage):
    return msgspec.json.decode(client.get(address(stage, "stage_summary_json")).content, type=StageSummary)


def get_rows(client, stage):
    body = client.get(address(stage, "stage_figures")).content
    assert body.endswith(b"\r\n")
    return list(csv.DictReader(io.StringIO(body.decode(), newline=""), strict=True))


@pytest.mark.usefixtures("lead")
def test_the_page_tells_of_the_gate_the_iterations_and_what_comes_next(client, stage):
    said = get_page(client, stage)
    for part in (
        "Gate: <span",
        "closed",
        "Keep the change.",
        " points better: ",
        "+ Be brief, in",
        "- Be brief.",
        "kept",
        "without a reported cost",
        "What to work on next",
        "Smallest margin first",
    ):
        assert part in said
    assert "<b>try" not in client.get(address(stage)).content.decode()
    assert "Deeper | by *far*" in said


@pytest.mark.parametrize("name", FILES)
@pytest.mark.usefixtures("lead")
def test_files_are_attachments_under_our_names(client, stage, name):
    answer = client.get(address(stage, name))
    ending, kind = FILES[name]
    assert answer["Content-Disposition"] == f'attachment; filename="{stage.project.slug}-{ending}"'
    assert (answer["Content-Type"], answer["Cache-Control"]) == (kind, "no-store")


@pytest.mark.usefixtures("lead")
def test_all_forms_say_the_same(client, stage):
    summary = get_summary(client, stage)
    assert [iteration.stands for iteration in summary.iterations] == ["", "kept"]
    change = summary.iterations[1]
    assert (change.compared.answer, change.decision.choice, change.is_reference) == ("improved", "keep", True)
    markdown = client.get(address(stage, "stage_summary_markdown")).content.decode()
    stamp = "As of "
    assert (
        markdown.partition(stamp)[0]
        == render_markdown("discussions/history/summary.md", summary=summary).partition(stamp)[0]
    )
    page = get_page(client, stage)
    rows = get_rows(client, stage)
    for line in change.averages:
        assert f"{line.text} <span" in page
        (row,) = [
            row
            for row in rows
            if (row["row"], row["metric"], row["iteration"]) == ("average", line.key, str(change.number))
        ]
        assert float(row["value"]) == line.value
    depths = [row["value"] for row in rows if (row["row"], row["metric"]) == ("game", "strategic_depth")]
    assert [float(value) for value in depths] == [30, 35, 40, 90, 85, 95]
    paid = [row for row in rows if row["metric"] == "cost" and row["iteration"] == str(change.number)]
    assert [(row["value"], row["source"]) for row in paid][0] == ("", "not reported")


@pytest.mark.usefixtures("lead")
def test_names_are_no_formulas_in_the_figures(client, stage):
    assert {row["iteration_name"] for row in get_rows(client, stage)} >= {"'=1+1"}


def test_a_stage_without_iterations_says_so(client):
    stage = make_stage()
    client.force_login(stage.created_by)
    assert "No iteration yet" in get_page(client, stage)
    assert get_rows(client, stage) == []
    assert get_summary(client, stage).next is None


@pytest.mark.usefixtures("lead")
def test_a_change_without_known_games_is_not_compared(client, stage):
    make_change(stage=stage, games=[None] * 3, minutes=5)
    last = get_summary(client, stage).iterations[-1]
    assert (last.compared, last.stands, last.compared_with) == (None, "open for rating", 2)
    assert [row["source"] for row in get_rows(client, stage) if row["iteration"] == "3"][:7] == [
        "not known yet"
    ] * 7


@pytest.mark.usefixtures("lead")
def test_a_closed_stage_keeps_how_its_gate_stood_and_an_admins_reason(client, stage):
    sign_stage(stage=stage, text="People would pay.", by=stage.created_by, now=NOW)
    admin = make_admin()
    stage = Stage.objects.select_related("project").get(pk=stage.pk)
    open_next_stage(stage=stage, plan=StagePlan("Second"), reason="Out of time", by=admin, now=NOW)
    said = get_page(client, stage)
    for part in ("People would pay.", "Out of time", admin.name, "The gate was closed"):
        assert part in said
    assert get_summary(client, stage).gate.override_reason == "Out of time"
    assert "The next change is compared with" not in get_body(client, stage), (
        "there is none in a closed stage"
    )


@pytest.mark.parametrize("name", FORMS)
def test_evaluators_and_strangers_find_no_such_page(client, stage, name):
    for person in (make_member(project=stage.project), make_lead(project=make_games_project())):
        client.force_login(person)
        assert client.get(address(stage, name)).status_code == 404
    client.force_login(stage.created_by)
    assert client.get(address(stage, name) + "?x=1").status_code == 400
    assert client.post(address(stage, name)).status_code == 405


@pytest.mark.parametrize("games", [3, 6])
def test_the_number_of_queries_does_not_grow_with_the_games(client, games, django_assert_num_queries):
    stage = make_stage()
    make_baseline(stage=stage, games=[figures()] * games)
    make_change(stage=stage, games=[figures()] * games)
    client.force_login(stage.created_by)
    client.get(address(stage))
    with django_assert_num_queries(13):
        client.get(address(stage))


@pytest.mark.usefixtures("lead")
def test_reading_writes_nothing(client, stage):
    before = Event.objects.count()
    for name in FORMS:
        client.get(address(stage, name))
    assert Event.objects.count() == before
