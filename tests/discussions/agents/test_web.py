"""The files of agents: asked for, computed by a job, shown to leads alone, by page, Markdown, CSV and API."""

import csv
import html

import pytest
from django.urls import reverse

from discussions.agents.actions import ask_for_agents, compute_agents
from discussions.agents.core.files import WORSE, AgentShare
from discussions.agents.queries import KIND, find_figures
from discussions.metrics.labels import LABELS
from discussions.models import TeamFigures
from tests.factories.erasures import erase
from tests.factories.people import NOW, make_admin, make_lead, make_member
from tests.factories.rating import submitted
from tests.factories.reliability import figure_agents
from tests.factories.tokens import program_of
from tests.factories.transcripts import import_game, make_games_project
from workspace.core.refusals import NotAllowed
from workspace.models import Job

pytestmark = pytest.mark.django_db

PATH = "projects/ours/team/agents/"
STOCK = "Let us not rush this, my dear friends of the harbour."
SAID = [
    "I vote Bo, because the vote of Cy was odd.",
    "Bo, why did you vote for Cy?",
    "I suspect Ada by that vote.",
]


def add_game(project, lead, number):
    names = ["Ada", "Bo", "Cy"]
    players = [
        {"name": name, "role": "MAFIA" if name == names[number % 3] else "VILLAGER", "personality": "bold"}
        for name in names
    ]
    mafia = names[number % 3]
    lines = [
        {
            "playerName": name,
            "message": STOCK if name == mafia else f"{SAID[at % 3]} {number} {at}",
            "round": 1,
        }
        for at, name in enumerate(names * 3)
    ]
    metadata = {"winner": "village", "modelBuild": f"model-{number % 2}"}
    return import_game(project=project, by=lead, players=players, messages=lines, votes=[], metadata=metadata)


@pytest.fixture
def world(client):
    lead = make_lead(project=make_games_project(slug="ours"))
    project = lead.memberships.get().project
    games = [add_game(project, lead, number) for number in range(9)]
    client.force_login(lead)
    return project, lead, games


def address(name="agents"):
    return reverse(name, args=["ours"])


def test_files_are_asked_for_computed_by_a_job_and_listed_by_name(client, world):
    project, lead, _games = world
    assert "9 games were measured." in client.get(address()).content.decode()
    assert client.get(address("agent"), {"agent": "Ada"}).url == address()
    assert client.get(address("agents_table")).status_code == 404
    answer = client.post(address("figure_agents"))
    assert (answer.status_code, answer.url) == (303, address())
    assert "The figures are being computed" in client.get(address()).content.decode()
    figure_agents(project, by=lead)
    files = client.get(address()).context["figures"].files
    assert [file.name for file in files["agent"]] == ["Ada", "Bo", "Cy"]
    assert [(file.name, file.games) for file in files["model"]] == [("model-0", 5), ("model-1", 4)]
    assert ask_for_agents(project=project, by=lead, now=NOW) is None
    add_game(project, lead, 9)
    assert "1 game was measured since" in client.get(address()).content.decode()


def test_the_list_says_who_is_worse_at_what(client, world, monkeypatch):
    project, lead, _games = world
    figure_agents(project, by=lead)
    says = [f"MAFIA</bdi>: {LABELS['coherence'].column}", f"VILLAGER</bdi>: {LABELS['coherence'].column}"]
    assert not any(text in " ".join(client.get(address()).content.decode().split()) for text in says)
    monkeypatch.setattr(AgentShare, "word", WORSE)
    listed = " ".join(client.get(address()).content.decode().split())
    assert [text in listed for text in says] == [True, True]


def test_a_file_says_what_is_worse_in_which_role_with_moments_that_lead_to_their_messages(
    client, world, django_assert_num_queries
):
    project, lead, games = world
    figure_agents(project, by=lead)
    client.get(address("agent"), {"agent": "Ada"})
    with django_assert_num_queries(16):
        answer = client.get(address("agent"), {"agent": "Ada"})
    page, said = answer.context["page"], html.unescape(answer.content.decode())
    assert page.file.games == 9 and page.games == {"VILLAGER": 6, "MAFIA": 3}
    moment = next(line for line in page.moments if line.moment.kind == "phrase")
    assert moment.moment.role == "MAFIA" and moment.share == "100"
    assert moment.address == f"http://testserver/projects/ours/games/{games[0].number}/#m1"
    assert f'href="{moment.address}"' in said and "<mark>" in said
    assert "Said 3 times in this game." in said
    assert [role for role, _figure in page.won] == ["VILLAGER", "MAFIA"]
    assert dict(page.won)["MAFIA"].share == 0 and dict(page.won)["MAFIA"].games == 3
    assert "No table" not in said and "of these judged" not in said
    markdown = client.get(address("agent_markdown"), {"agent": "Ada"})
    assert f"message 1]({moment.address})" in markdown.content.decode()
    assert markdown.content.decode() == html.unescape(answer.context["markdown"])


def test_a_name_without_a_file_is_said_to_have_none(client, world):
    project, lead, _games = world
    figure_agents(project, by=lead)
    answer = client.get(address("agent"), {"agent": "<b>Zoe"})
    assert answer.status_code == 404 and "There is no file of" in answer.content.decode()
    assert "<b>Zoe" not in answer.content.decode()
    assert client.get(address("agent_markdown"), {"agent": "Zoe"}).status_code == 404
    assert client.get(address("agent"), {"agent": "Ada", "model": "model-1"}).status_code == 404
    assert client.get(address("agent"), {"seat": "1"}).status_code == 400


def test_names_lead_to_their_files(client, world):
    _project, _lead, games = world
    said = client.get(reverse("game", args=["ours", games[0].number])).content.decode()
    assert f'href="{address("agent")}?agent=Ada"' in said


def test_the_table_and_the_api_have_the_figures_of_the_page(client, world):
    project, lead, _games = world
    api = program_of(lead, "read")
    assert api.get(PATH).status_code == 409
    figure_agents(project, by=lead)
    rows = list(csv.DictReader(client.get(address("agents_table")).content.decode("utf-8-sig").splitlines()))
    (row,) = [
        row
        for row in rows
        if (row["of"], row["name"], row["role"], row["measure"])
        == ("agent", "Ada", "MAFIA", "anti_repetition")
    ]
    file = api.get(f"{PATH}file/?agent=Ada").json()
    figure = next(found for found in file["roles"] if found["role"] == "MAFIA")["figures"]["anti_repetition"]
    assert (row["right"], row["of_all"]) == (str(figure["right"]), str(figure["of"])) == ("0", "9")
    assert (row["word"], figure["word"], figure["others"]) == ("unclear", "unclear", 0)
    assert file["moments"][0]["message"] and not file["moments"][0]["is_by_people"]
    listed = api.get(PATH).json()
    assert [one["name"] for one in listed["agents"]] == ["Ada", "Bo", "Cy"]
    assert api.get(f"{PATH}file/?agent=Zoe").status_code == 404


def test_a_file_names_the_other_projects_that_one_leads_and_no_others(client, world):
    project, lead, _games = world
    figure_agents(project, by=lead)
    for slug, role in (("led", "lead"), ("rated", "evaluator")):
        other = make_games_project(slug=slug)
        add_game(other, make_lead(project=other), 1)
        figure_agents(other, by=make_admin())
        make_member(project=other, role=role, person=lead)
    said = client.get(address("agent"), {"agent": "Ada"}).content.decode()
    assert f'href="{reverse("agent", args=["led"])}?agent=Ada"' in said and "(1 game)" in said
    assert "/projects/rated/" not in said


def test_only_leads_and_admins_ask_for_files(world):
    project, _lead, _games = world
    with pytest.raises(NotAllowed):
        ask_for_agents(project=project, by=make_member(project=project), now=NOW)
    assert ask_for_agents(project=project, by=make_admin(), now=NOW).state == "queued"


def test_judgements_of_people_count_and_change_the_input(world):
    project, lead, _games = world
    figure_agents(project, by=lead)
    before = find_figures(project)
    game = submitted(project=project).game
    assert find_figures(project) is None
    figure_agents(project, by=lead)
    now = find_figures(project)
    assert now.games == before.games + 1
    names = {player.name for player in game.text.to_record().players}
    judged = [
        figure.judged
        for file in now.files["agent"]
        if file.name in names
        for found in file.roles
        for figure in found.figures.values()
    ]
    assert sum(judged) > 0


def test_doing_the_job_twice_stores_one_row_and_an_erasure_takes_it_away(world):
    project, lead, games = world
    figure_agents(project, by=lead)
    job = Job.objects.get(kind="figure_agents")
    assert TeamFigures.objects.filter(kind=KIND).count() == 1
    assert STOCK not in TeamFigures.objects.get(kind=KIND).body
    job.state = "running"
    job.save()
    compute_agents(job=job, clock=lambda: NOW)
    assert TeamFigures.objects.filter(kind=KIND).count() == 1
    erase(games[0], by=make_admin())
    assert not TeamFigures.objects.filter(kind=KIND).exists()
