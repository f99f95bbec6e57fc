"""Long games are read page by page: nothing grows with the game, everything to judge is within reach."""

import html
import re

import pytest
from django.urls import reverse

from discussions.games.core import MESSAGES_A_PAGE
from discussions.rating.core.visibility import open_suggestions
from discussions.rating.pages import visible_evaluation as window
from discussions.rating.pages.transcript import MOST_SENTENCES
from discussions.rating.pages.visible_evaluation import MOST_MESSAGES, build_window
from discussions.rating.queries import load_state
from tests.factories.people import make_lead
from tests.factories.rating import game_of, make_rating_project, say, say_engagement, start

pytestmark = pytest.mark.django_db


HTMX = {"HX-Request": "true", "HX-Target": "answer"}


TURN = re.compile(r'data-turn="(prev|next|more)" href="([^"]+)"')


def get_page(client, evaluation, query=""):
    return client.get(reverse("rate", args=[evaluation.pk]) + query).content.decode()


def turns(content):
    return {way: html.unescape(address) for way, address in TURN.findall(content)}


def articles(content):
    return [int(n) for n in re.findall(r'<article class="msg" id="message-(\d+)"', content)]


@pytest.fixture
def evaluation(client):
    started = start(message_count=450)
    client.force_login(started.evaluator)
    return started


def test_a_usual_game_is_one_page_without_links_to_others(client):
    started = start(message_count=MOST_MESSAGES)
    client.force_login(started.evaluator)
    content = get_page(client, started)
    assert articles(content) == list(range(1, MOST_MESSAGES + 1))
    assert not turns(content)
    assert "page=" not in content
    assert 'name="page"' not in content


def test_links_lead_through_every_message_once(client, evaluation):
    address, seen = f"{reverse('rate', args=[evaluation.pk])}?page=1", []
    while address:
        content = client.get(address).content.decode()
        seen += articles(content)
        address = turns(content).get("next")
    assert seen == list(range(1, 451))
    assert set(turns(content)) == {"prev"} | ({"more"} & set(turns(content)))
    assert "Messages 401 to 450 of 450" in content


def test_everything_to_judge_stands_on_the_page_of_its_message(client, evaluation):
    counted = load_state(evaluation).judgeable.counted
    listed = set()
    for page in (1, 2, 3):
        content = get_page(client, evaluation, f"?page={page}")
        here = re.findall(r'data-kind="reference" aria-labelledby="[^"]+" data-message="(\d+)"', content)
        assert {int(n) for n in here} <= set(articles(content))
        listed |= {item for item in counted if f'value="reference~{item}~0~accurate"' in content}
    assert listed == set(counted)


def test_a_step_opens_where_it_still_wants_something_and_says_how_much_is_elsewhere(client, evaluation):
    counted = load_state(evaluation).judgeable.counted
    first = [text for text in counted if int(text.split(".")[0]) <= MOST_MESSAGES]
    for subject in first:
        say(evaluation, "reference", subject, "accurate")
    content = get_page(client, evaluation, "?step=references")
    assert articles(content)[0] == MOST_MESSAGES + 1
    content = get_page(client, evaluation, "?step=references&page=1")
    assert f"{len(counted) - len(first)} more on other pages of the transcript" in content
    assert turns(content)["more"].endswith("?step=references&page=2")


def test_links_to_messages_elsewhere_turn_the_page(client, evaluation):
    content = get_page(client, evaluation, "?page=2&step=depth")
    for position in load_state(evaluation).samples["strategic_depth"]:
        there = window.build_window(load_state(evaluation).seen.messages).find_page_number(position)
        link = f"#message-{position}" if there == 2 else f"page={there}#message-{position}"
        assert link in html.unescape(content)
    assert "Round 1, continued" in content or "Round 2, continued" in content


def test_only_suggestions_that_were_shown_count_as_looked_at(client):
    content = game_of(450)
    for at in (10, 20, 300, 440):
        content["messages"][at - 1]["message"] = "We talked about that before."
    evaluation = start(project=make_rating_project(number="1.2"), content=content)
    client.force_login(evaluation.evaluator)
    first, second, third = (get_page(client, evaluation, f"?step=references&page={at}") for at in (1, 2, 3))
    suggested = load_state(evaluation).judgeable.possible
    assert {"10.1", "20.1", "300.1", "440.1"} <= set(suggested)
    here = [subject for subject in suggested if int(subject.split(".")[0]) <= MOST_MESSAGES]
    assert f"{len(suggested) - len(here)} more suggested references. Show the next" in first
    for page in (first, second, third):
        (button,) = re.findall(r'value="(reveal~suggestions[^"]*)"', page)
        given = {"act": button, "nonce": "n", "step": "references"}
        answer = client.post(reverse("judge", args=[evaluation.pk]), given, headers=HTMX)
        assert answer.status_code == 200
        if page is first:
            left = open_suggestions(load_state(evaluation).progress)
            assert left == [subject for subject in suggested if subject not in here]
    assert not open_suggestions(load_state(evaluation).progress)


def test_an_act_stays_on_its_page_with_htmx_and_without(client, evaluation):
    address = reverse("judge", args=[evaluation.pk])
    given = {"act": "question~2~0~yes", "nonce": "n", "step": "engagement", "page": "3"}
    plain = client.post(address, given)
    assert plain["Location"].endswith("?step=engagement&page=3#item-question-2")
    say_engagement(evaluation)
    while asked := [it for it in load_state(evaluation).visibility.missing if it.kind == "coherence"]:
        act = {"act": f"coherence~{asked[0].subject}~0~yes", "nonce": "n", "step": "coherence", "page": "3"}
        answer = client.post(address, act, headers=HTMX)
    shown = articles(answer.content.decode())
    assert set(shown) <= set(range(401, 451))
    assert len(shown) == 50


def test_the_forms_of_a_message_and_what_is_missing_know_the_page(client, evaluation):
    content = get_page(client, evaluation, "?at=300")
    assert articles(content)[0] == 201
    assert "page=2#message-300" not in content
    other = get_page(client, evaluation, "?at=300&page=1")
    assert "page=2#message-300" in html.unescape(other)
    third = html.unescape(get_page(client, evaluation, "?page=3&step=review"))
    assert re.search(r"step=references&page=1#item-reference-", third)


@pytest.mark.parametrize("page", ["0", "4", "99999999"])
def test_pages_that_are_not_there_are_the_nearest(client, evaluation, page):
    assert articles(get_page(client, evaluation, f"?page={page}"))


def test_the_page_is_as_large_for_a_longer_game(client):
    sizes = []
    for count in (800, 1600):
        started = start(message_count=count)
        client.force_login(started.evaluator)
        sizes.append(len(get_page(client, started, "?page=1")))
    assert sizes[1] < sizes[0] * 1.1


def test_long_messages_make_shorter_pages(client):
    said = load_state(start(message_count=12)).seen.messages
    long = [type(said[0])(**{**as_dict(message), "text": "x" * 100_000}) for message in said]
    assert build_window(long).starts == (1, 3, 5, 7, 9, 11)


def as_dict(message):
    return {name: getattr(message, name) for name in message.__struct_fields__}


def test_a_message_of_very_many_sentences_draws_a_few_and_says_so(client):
    game = game_of(12)
    game["messages"][4]["message"] = "She voted for Ann. " * 4000
    started = start(content=game)
    client.force_login(started.evaluator)
    address = reverse("rate", args=[started.pk]) + "?at=5"
    forms = client.get(address, headers={"HX-Request": "true"}).content.decode()
    assert forms.count('data-field="missed"') + forms.count("is a reference") == MOST_SENTENCES
    assert "Only the first 200 sentences of this very long message can be marked" in forms
    assert forms.count("She voted for Ann.") >= 4000
    content = client.get(reverse("rate", args=[started.pk])).content.decode()
    assert content.count('data-kind="reference"') <= window.MOST_ITEMS
    assert re.search(r"[\d]{4} more. Show the next", content)
    assert len(content) < 1_500_000


def test_the_page_of_a_long_game_for_leads_is_bounded_and_leads_to_every_message(client):
    started = start(message_count=450)
    game = started.game
    client.force_login(make_lead(project=game.project))
    address, seen = reverse("game", args=[game.project.slug, game.number]), []
    query = ""
    while True:
        content = client.get(address + query).content.decode()
        here = [int(n) for n in re.findall(r'<li id="m(\d+)"', content)]
        assert len(here) <= MESSAGES_A_PAGE
        seen += here
        for link in re.findall(r'href="#m(\d+)"', content):
            assert int(link) in here
        later = re.search(rf'href="\?from=({here[-1] + 1})#game-transcript"', content)
        if later is None:
            break
        query = f"?from={later[1]}"
    assert seen == list(range(1, 451))
    assert "more are not listed here" in content
