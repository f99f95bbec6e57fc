"""The page of categories, its Markdown, the operations of programs, and the other pages that show them."""

import pytest
from django.urls import reverse

from discussions.agents.queries import load_coded
from discussions.checks.actions import CHECKS
from discussions.models import Category, CategoryEnd, Coding
from tests.factories.categories import give, make_coded
from tests.factories.exports import read_lines, write_export
from tests.factories.people import NOW, make_lead, make_member
from tests.factories.reliability import figure_agents
from tests.factories.search import index_all, talk
from tests.factories.tampering import without_triggers
from tests.factories.tokens import program_of
from tests.factories.transcripts import import_game, make_games_project

pytestmark = pytest.mark.django_db
PAGE, API = "/projects/ours/team/categories/", "projects/ours/team/categories/"


@pytest.fixture
def world(client):
    project = make_games_project(slug="ours")
    lead = make_lead(project=project)
    client.force_login(lead)
    return project, lead, import_game(project=project, by=lead)


def test_a_code_is_given_from_the_game_counted_and_taken_back(client, world, django_assert_num_queries):
    _project, lead, game = world
    link = f"{PAGE}?game={game.number}&amp;message=2"
    assert link in client.get(reverse("game", args=["ours", game.number])).content.decode()
    assert 'value="2"' in client.get(PAGE, {"game": game.number, "message": 2}).content.decode()
    sent = {"game": game.number, "message": 2, "name": "Stalls <b>"}
    assert client.post(f"{PAGE}code/", sent).status_code == 303
    assert client.post(f"{PAGE}code/", {**sent, "message": "", "name": "Odd"}).status_code == 303
    assert client.post(f"{PAGE}code/", {**sent, "message": 99}).status_code == 422
    assert client.post(f"{PAGE}code/", {**sent, "game": 99}).status_code == 422
    client.get(PAGE)
    with django_assert_num_queries(11):
        answer = client.get(PAGE)
    said = answer.content.decode()
    odd, stalls = sorted(answer.context["parts"], key=lambda part: part.name)
    assert (stalls.messages, stalls.games, odd.messages, odd.games) == (1, 1, 0, 1)
    (share,) = stalls.shares["agent"]
    assert (share.name, share.coded, share.of, share.interval) == ("Bea", 1, 2, None)
    assert "Stalls <b>" not in said
    assert '<option value="Stalls &lt;b&gt;">' in said
    markdown = client.get("/projects/ours/team/categories.md").content.decode()
    assert f"message 2](http://testserver/projects/ours/games/{game.number}/#m2)" in markdown
    coding = Coding.objects.get(message=2)
    assert client.post(f"{PAGE}codes/{coding.pk}/take-back/").status_code == 303
    assert Coding.objects.get(pk=coding.pk).removed_by == lead


def test_categories_are_changed_on_their_page(client, world):
    _project, lead, game = world
    one, two = (give(game, lead, name, at).category for at, name in enumerate(("stalls", "waits"), start=1))
    assert client.post(f"{PAGE}{one.pk}/", {"do": "rename", "name": "Stalls"}).status_code == 303
    assert client.post(f"{PAGE}{one.pk}/", {"do": "rename", "name": "waits"}).status_code == 422
    assert client.post(f"{PAGE}{two.pk}/", {"do": "merge", "into": one.pk}).status_code == 303
    assert client.post(f"{PAGE}{two.pk}/", {"do": "merge", "into": one.pk}).status_code == 422
    (part,) = client.get(PAGE).context["parts"]
    assert (part.name, part.messages) == ("Stalls", 2)
    assert client.post(f"{PAGE}{one.pk}/", {"do": "remove"}).status_code == 303
    said = client.get(PAGE)
    assert said.context["parts"] == [] and b"merged into" in said.content
    assert client.post(f"{PAGE}{one.pk}/", {"do": "restore"}).status_code == 303
    assert [part.messages for part in client.get(PAGE).context["parts"]] == [2]


def test_all_that_a_search_finds_gets_one_category(client, world):
    project, lead, _game = world
    other = import_game(project=project, by=lead, **talk("so it is", "no", "so"))
    index_all()
    client.force_login(lead)
    said = client.get(reverse("search", args=["ours"]), {"q": "so"}).content.decode()
    assert f'action="{PAGE}found/"' in said and "Give it to all 2" in said
    give(other, lead, "Stalls", 3)
    for name, searched, status in (
        ("Stalls", {"q": "so"}, 303),
        ("Stalls", {"q": "so", "agent": "Ann"}, 303),
        ("Stalls", {"q": "xyzzy"}, 422),
        ("", {"q": "so"}, 422),
        ("Stalls", {"q": "so", "judged": "nobody"}, 400),
    ):
        assert client.post(f"{PAGE}found/", {"name": name, **searched}).status_code == status
    assert list(Coding.objects.order_by("message").values_list("game", "message")) == [
        (other.pk, 1),
        (other.pk, 3),
    ]


def test_an_agents_file_shows_its_categories(client, world):
    project, lead, game = world
    make_coded(game, lead)
    figure_agents(project, by=lead)
    said = client.get("/projects/ours/team/agents/file/", {"agent": "Ann"}).content.decode()
    assert "Stalls" in said and "1 / 2" in said and f"game {game.number}, message 1" in said
    markdown = client.get("/projects/ours/team/agents/file.md", {"agent": "Ann"}).content.decode()
    assert "- Stalls: 1 of 2 messages: [game" in markdown


def test_programs_read_and_give_codes(world):
    project, lead, game = world
    api = program_of(lead, "read", "admin")
    given = api.send("POST", API, {"game": game.number, "message": 2, "name": "Stalls"})
    assert given.status_code == 200 and given.json()["category"] == "Stalls"
    (found,) = api.get(API).json()
    assert (found["name"], found["messages"], found["alpha"]) == ("Stalls", 1, None)
    assert found["agents"] == [{"name": "Bea", "coded": 1, "of": 2, "games": 1, "interval": None}]
    assert program_of(make_member(project=project), "read").get(API).status_code == 403
    other = api.send("POST", API, {"game": game.number, "message": 1, "name": "Waits"}).json()["id"]
    stalls, waits = (Coding.objects.get(pk=key).category_id for key in (given.json()["id"], other))
    for body, name, is_ended, merged_into in (
        ({"do": "rename", "name": "Stalls for time"}, "Stalls for time", False, None),
        ({"do": "merge", "into": waits}, "Stalls for time", True, waits),
        ({"do": "restore"}, "Stalls for time", False, None),
        ({"do": "remove"}, "Stalls for time", True, None),
    ):
        changed = api.send("POST", f"{API}{stalls}/", body).json()
        assert changed == {"id": stalls, "name": name, "is_ended": is_ended, "merged_into": merged_into}
    assert api.send("POST", f"{API}{stalls}/", {"do": "remove"}).json()["code"] == "ended"
    assert api.send("POST", f"{API}{waits}/", {"do": "merge", "into": 99}).json()["field"] == "into"
    assert api.send("POST", f"{API}codes/{other}/take-back/", {}).status_code == 200
    assert not Coding.objects.filter(pk=other, removed_at=None).exists()


def test_two_leads_are_compared_and_exports_keep_the_origin(world):
    project, lead, game = world
    other = make_lead(project=project)
    for message in (1, 2, 3):
        give(game, lead, "Stalls", message)
    for message in (1, 2):
        give(game, other, "stalls", message)
    coded = load_coded(project)
    (category,) = coded.names
    found = coded.measure_agreement(category)
    assert (found.items, found.raters) == (6, 2) and 0 < found.value < 1
    make_coded(game, lead)
    (line,) = read_lines(write_export(project, lead), "game")
    assert {(row["category"], row["merged_into"]) for row in line["codes"]} >= {("Waits", "Stalls")}


def test_verify_names_codes_and_merges_that_lead_nowhere(world):
    _project, lead, game = world
    make_coded(game, lead)
    (check,) = (check for check in CHECKS if check.code == "I10c")
    assert list(check.find(NOW)) == []
    end = CategoryEnd.objects.get()
    with without_triggers():
        Coding.objects.filter(message=1).update(message=99)
        CategoryEnd.objects.create(
            category=end.merged_into, merged_into=end.category, created_at=NOW, created_by=lead
        )
    says = list(check.find(NOW))
    assert any("message 99" in line for line in says) and any("circle" in line for line in says)
    assert Category.objects.count() == 2
