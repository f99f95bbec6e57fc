"""The page of an iteration that says what its agents do wrong, and the same as Markdown."""

import html

import pytest
from django.urls import reverse

from discussions.models import Game
from discussions.rating.actions import submit_evaluation
from discussions.rating.queries import load_state
from tests.factories.categories import give
from tests.factories.iterations import make_baseline, make_stage
from tests.factories.people import NOW, make_lead
from tests.factories.rating import ready_to_submit, say, thinking_game
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
