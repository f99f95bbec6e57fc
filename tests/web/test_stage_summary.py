"""The summary of a stage: a page to print, and the same as Markdown, JSON and CSV under names of ours."""

import csv
import html
import io

import msgspec
import pytest
from django.urls import reverse

from discussions.actions.staging import StagePlan, open_next_stage, state_fascinating
from discussions.core.stage_summary import StageSummary
from discussions.models import Stage
from tests.factories import NOW, make_admin, make_games_project, make_lead, make_member
from tests.staged import decide_on, figures, make_baseline, make_change, make_stage
from workspace.models import Event
from workspace.pages.markdown import render_markdown

pytestmark = pytest.mark.django_db

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


def page_of(client, stage):
    answer = client.get(address(stage))
    assert answer.status_code == 200
    return " ".join(html.unescape(answer.content.decode()).split())


def summary_of(client, stage):
    return msgspec.json.decode(client.get(address(stage, "stage_summary_json")).content, type=StageSummary)


def rows_of(client, stage):
    body = client.get(address(stage, "stage_figures")).content
    assert body.endswith(b"\r\n")
    return list(csv.DictReader(io.StringIO(body.decode(), newline=""), strict=True))


@pytest.mark.usefixtures("lead")
def test_the_page_tells_of_the_gate_the_iterations_and_what_comes_next(client, stage):
    said = page_of(client, stage)
    for part in (
        "Gate: <span",
        "shut",
        "improved",
        "+ Be brief, in",
        "- Be brief.",
        "kept",
        "without a reported cost",
        "What to work on next",
        "Game by game",
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
    summary = summary_of(client, stage)
    assert [each.stands for each in summary.iterations] == ["", "kept"]
    change = summary.iterations[1]
    assert (change.compared.answer, change.decision.choice, change.is_reference) == ("improved", "keep", True)
    markdown = client.get(address(stage, "stage_summary_markdown")).content.decode()
    stamp = "As of "
    assert (
        markdown.partition(stamp)[0]
        == render_markdown("discussions/stage.md", summary=summary).partition(stamp)[0]
    )
    page = page_of(client, stage)
    rows = rows_of(client, stage)
    for line in change.averages:
        assert f"{line.text} <span" in page
        (row,) = [
            each
            for each in rows
            if (each["row"], each["metric"], each["iteration"]) == ("average", line.key, str(change.number))
        ]
        assert float(row["value"]) == line.value
    depths = [row["value"] for row in rows if (row["row"], row["metric"]) == ("game", "strategic_depth")]
    assert [float(value) for value in depths] == [30, 35, 40, 90, 85, 95]
    paid = [row for row in rows if row["metric"] == "cost" and row["iteration"] == str(change.number)]
    assert [(row["value"], row["source"]) for row in paid][0] == ("", "not reported")


@pytest.mark.usefixtures("lead")
def test_names_are_no_formulas_in_the_figures(client, stage):
    assert {row["iteration_name"] for row in rows_of(client, stage)} >= {"'=1+1"}


def test_a_stage_without_iterations_says_so(client):
    stage = make_stage()
    client.force_login(stage.created_by)
    assert "No iteration yet" in page_of(client, stage)
    assert rows_of(client, stage) == []
    assert summary_of(client, stage).next is None


@pytest.mark.usefixtures("lead")
def test_a_change_without_known_games_is_not_compared(client, stage):
    make_change(stage=stage, games=[None] * 3, minutes=5)
    last = summary_of(client, stage).iterations[-1]
    assert (last.compared, last.stands, last.compared_with) == (None, "open for rating", 3)
    assert [row["source"] for row in rows_of(client, stage) if row["iteration"] == "4"][:7] == [
        "not known yet"
    ] * 7


@pytest.mark.usefixtures("lead")
def test_a_closed_stage_keeps_how_its_gate_stood_and_an_admins_reason(client, stage):
    state_fascinating(stage=stage, text="People would pay.", by=stage.created_by, now=NOW)
    admin = make_admin()
    stage = Stage.objects.select_related("project").get(pk=stage.pk)
    open_next_stage(stage=stage, plan=StagePlan("Second"), reason="Out of time", by=admin, now=NOW)
    said = page_of(client, stage)
    for part in ("People would pay.", "Out of time", admin.name, "shut"):
        assert part in said
    assert summary_of(client, stage).gate.override_reason == "Out of time"


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
