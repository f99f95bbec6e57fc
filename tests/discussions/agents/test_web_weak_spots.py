"""Pages of weak spots and of categories, their Markdown, the operations of programs, and pages that show them."""

import html

import pytest
from django.urls import reverse

from discussions.agents.queries import load_coded
from discussions.checks.actions import CHECKS
from discussions.models import Category, CategoryEnd, Coding, Game
from discussions.rating.actions import submit_evaluation
from discussions.rating.queries import load_state
from tests.factories.categories import give, make_coded
from tests.factories.exports import read_lines, write_export
from tests.factories.iterations import make_baseline, make_stage
from tests.factories.people import NOW, make_lead, make_member
from tests.factories.rating import ready_to_submit, say, thinking_game
from tests.factories.reliability import figure_agents
from tests.factories.search import index_all, talk
from tests.factories.tampering import without_triggers
from tests.factories.tokens import program_of
from tests.factories.transcripts import import_game, make_games_project

pytestmark = pytest.mark.django_db

LINES = [
    ("Alpha", "Hello <b>all</b>, what a lovely evening in the village."),
    ("Bravo", "Turnips grow slowly, turnips grow slowly, turnips grow slowly."),
    ("Alpha", "I am the mafia and I killed Bravo."),
    ("Bravo", "As I said before, we voted for Alpha in round 1."),
]


def make_world(client):
    lead = make_lead(project=make_games_project(slug="ours"))
    client.force_login(lead)
    stage = make_stage(project=lead.memberships.get().project, by=lead)
    baseline = make_baseline(stage=stage)
    players = [
        {"name": "Alpha", "role": "MAFIA", "personality": "analytical"},
        {"name": "Bravo", "role": "VILLAGER", "personality": "odd *one*"},
    ]
    messages = [{"playerName": name, "message": text, "round": 1} for name, text in LINES]
    game = import_game(project=stage.project, by=lead, players=players, messages=messages, votes=[])
    Game.objects.filter(pk=game.pk).update(iteration=baseline)
    return baseline, game


def address(iteration, name="weak_spots"):
    return reverse(name, args=["ours", iteration.number])


def test_the_page_lists_findings_with_their_places_by_who_spoke(client, django_assert_num_queries):
    iteration, game = make_world(client)
    client.get(address(iteration))
    with django_assert_num_queries(17):
        answer = client.get(address(iteration))
    said = html.unescape(answer.content.decode())
    page = answer.context
    assert (page["game_count"], page["unread"]) == (1, 0)
    (line,) = [spot for spot in page["spots"]["role_consistency"] if "I am the mafia" in spot.text]
    assert line.who == "Alpha (MAFIA, analytical)"
    assert line.address == f"http://testserver/projects/ours/games/{game.number}/#m3"
    assert "gives the side away" in line.why and line.why.startswith("automatic")
    assert any("turnips grow slowly" in spot.text for spot in page["spots"]["phrase"])
    assert list(page["groups"]) == ["role", "personality", "agent"]
    assert [row["personality"] for row, _text in page["personalities"]] == ["Analytical", "odd *one*"]
    assert "Cites specific evidence" in said
    assert list(page["counts"].values()) == [1, 1, 1, 0] and ">3 weak spots</bdi></h1>" in said
    assert "<b>all</b>" not in answer.content.decode()
    assert f'href="{address(iteration)}"' in client.get(address(iteration, "iteration")).content.decode()


def test_the_lists_are_narrowed_to_an_agent_a_role_or_a_personality(client):
    iteration, _game = make_world(client)
    answer = client.get(address(iteration), {"agent": "Alpha"})
    assert ">Out of role most often: 1 of 1 weak spots</bdi></h1>" in answer.content.decode()
    page = client.get(address(iteration), {"agent": "Bravo"}).context
    assert page["chosen"] == "Bravo"
    spots = [spot for lines in page["spots"].values() for spot in lines]
    assert spots and all(spot.who.startswith("Bravo") for spot in spots)
    assert not any(client.get(address(iteration), {"role": "X"}).context["spots"].values())
    assert client.get(address(iteration), {"who": "Bravo"}).status_code == 400


def test_the_markdown_is_on_the_page_and_a_file_and_other_peoples_text_stays_text(client):
    iteration, game = make_world(client)
    answer = client.get(address(iteration, "weak_spots_markdown"))
    text = answer.content.decode()
    assert answer["Content-Disposition"] == 'attachment; filename="ours-iteration-1-weak-spots.md"'
    assert f"[game {game.number}, message 3](http://testserver/projects/ours/games/{game.number}/#m3)" in text
    assert "odd \\*one\\*" in text
    assert "\n- Analytical: " in text
    assert text == client.get(address(iteration)).context["markdown"]


def test_unsorted_games_have_no_such_page(client):
    make_world(client)
    assert client.get(reverse("weak_spots", args=["ours", 0])).status_code == 404


def test_an_iteration_without_games_has_an_empty_state_and_no_empty_tables(client):
    lead = make_lead(project=make_games_project(slug="ours"))
    client.force_login(lead)
    iteration = make_baseline(stage=make_stage(project=lead.memberships.get().project, by=lead))
    page = client.get(address(iteration)).content.decode()
    assert "No game of this iteration was measured yet" in page
    assert reverse("iteration", args=["ours", iteration.number]) in page
    assert "<table" not in page and "<textarea" not in page


def make_labelled(client, labels):
    """An iteration with a game of which so many statements were labelled, in order; the labels by who spoke."""
    evaluation = ready_to_submit(content=thinking_game(60, every=1))
    state = load_state(evaluation)
    by_name = {}
    for subject, label in zip(state.statements, labels, strict=False):
        say(evaluation, "statement", subject, label)
        message = state.game.messages[int(subject.partition(".")[0]) - 1]
        by_name.setdefault(state.seen.name(message.player), []).append((label, message.position))
    submit_evaluation(evaluation=evaluation, by=evaluation.evaluator, now=NOW)
    lead = make_lead(project=evaluation.game.project)
    client.force_login(lead)
    iteration = make_baseline(stage=make_stage(project=evaluation.game.project, by=lead))
    Game.objects.filter(pk=evaluation.game_id).update(iteration=iteration)
    return reverse("weak_spots", args=[lead.memberships.get().project.slug, iteration.number]), by_name


def test_rates_of_statements_are_counted_by_agent_and_role_and_open_their_lines(client):
    labels = ["honest", "bluff", "mistaken", "bluff", "cannot_tell"]
    page, by_name = make_labelled(client, labels)
    answer = client.get(page)
    context = answer.context
    for name, given in by_name.items():
        told = [label for label, _position in given if label != "cannot_tell"]
        rates = dict(context["beliefs"]["agent"]).get(name, [])
        assert [(rate["label"], rate["count"], rate["of"]) for rate in rates] == [
            (label, told.count(label), len(told)) for label in ("honest", "bluff", "mistaken") if told
        ]
    assert sum(rates[0]["of"] for _role, rates in context["beliefs"]["role"]) == 4
    assert sum(rates[1]["count"] for _role, rates in context["beliefs"]["role"]) == 2
    assert context["unsettled"] == 1
    assert "PONDER" not in answer.content.decode()
    name, position = next((n, p) for n, given in by_name.items() for label, p in given if label == "bluff")
    behind = client.get(page, {"agent": name, "label": "bluff"})
    assert f"{page}?agent={name}&amp;label=bluff#statements" in answer.content.decode().replace(
        "&label", "&amp;label"
    )
    lines = behind.context["lines"]
    assert [line.said.message for line in lines] == [p for label, p in by_name[name] if label == "bluff"]
    assert f"#m{position}" in behind.content.decode()


def test_an_iteration_without_labelled_statements_says_nothing_of_them(client):
    iteration, _game = make_world(client)
    assert "believe" not in client.get(address(iteration)).content.decode()


def test_categories_stand_beside_the_weak_spots_and_in_the_markdown(client):
    iteration, game = make_world(client)
    for message in (1, 4):
        give(game, make_lead(project=iteration.project), "Stalls <b>", message)
    for asked, coded in (({}, "2 / 4"), ({"agent": "Bravo"}, "1 / 2")):
        said = client.get(address(iteration), asked).content.decode()
        assert coded in said and "Stalls <b>" not in said and f"/games/{game.number}/#m4" in said
    markdown = client.get(address(iteration, "weak_spots_markdown")).content.decode()
    assert (
        "Stalls" in markdown
        and f"message 4](http://testserver/projects/ours/games/{game.number}/#m4)" in markdown
    )


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
