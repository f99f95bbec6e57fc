"""Long transcripts: a page at a time, and search in their messages."""

import html
import re

import pytest
from django.urls import reverse

from discussions.games.core import MESSAGES_A_PAGE
from discussions.rating.core.visibility import open_suggestions
from discussions.rating.pages import visible_evaluation as window
from discussions.rating.pages.transcript import MOST_SENTENCES
from discussions.rating.pages.visible_evaluation import MOST_FOUND, MOST_MESSAGES, build_window
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


FOUND = {"HX-Request": "true", "HX-Target": "found"}


def get_found(client, evaluation, query="", **more):
    return client.get(reverse("rate", args=[evaluation.pk]) + query, **more).content.decode()


def results(content):
    """(message, address) of every result."""
    links = re.findall(r'<a href="([^"]*)" data-found>Message (\d+)', content)
    return [(int(number), html.unescape(address)) for address, number in links]


@pytest.fixture
def long_game(client):
    content = game_of(450)
    for at in (3, 250, 449):
        content["messages"][at - 1]["message"] = (
            f"{'x' * 100} The STRANGE (word) and the strange (word) {'y' * 100}"
        )
    started = start(content=content)
    client.force_login(started.evaluator)
    return started


def test_a_search_finds_a_text_on_every_page_whatever_its_case(client, long_game):
    content = get_found(client, long_game, "?find=strange+(word)&step=depth&page=1", headers=FOUND)
    here = reverse("rate", args=[long_game.pk])
    assert results(content) == [
        (3, "#message-3"),
        (250, f"{here}?step=depth&page=2#message-250"),
        (449, f"{here}?step=depth&page=3#message-449"),
    ]
    assert "3 messages hold" in content
    assert content.count("<mark>") == 6
    assert content.count("…") == 6
    assert "<html" not in content


def test_a_search_works_by_its_form_without_script(client, long_game):
    content = get_found(client, long_game, "?step=depth&page=2&find=STRANGE")
    assert [number for number, _address in results(content)] == [3, 250, 449]
    assert 'id="message-250"' in content
    assert re.search(r'name="find"[^>]*value="STRANGE"', content)


def test_nothing_found_is_said_and_an_empty_search_finds_nothing(client, long_game):
    assert "0 messages hold" in get_found(client, long_game, "?find=%3Cscript%3E", headers=FOUND)
    assert "&lt;script&gt;" in get_found(client, long_game, "?find=%3Cscript%3E", headers=FOUND)
    assert not re.search(r"Message|hold", get_found(client, long_game, "?find=+", headers=FOUND))


def test_more_results_than_are_listed_are_counted(client, long_game):
    content = get_found(client, long_game, "?find=the", headers=FOUND)
    count = sum("the" in message.text.lower() for message in load_state(long_game).seen.messages)
    assert len(results(content)) == MOST_FOUND < count
    assert f"and {count - MOST_FOUND} more" in content


@pytest.mark.parametrize(
    ("asked", "place"),
    [("1", "page=1#m1"), ("201", "page=2#m201"), ("450", "page=3#m450"), ("9999", "page=3#m450")],
)
def test_a_message_is_gone_to_by_its_number(client, long_game, asked, place):
    answer = client.get(f"{reverse('rate', args=[long_game.pk])}?message={asked}&step=depth")
    assert answer["Location"].endswith(f"?step=depth&{place}")
    assert f'id="m{place.partition("#m")[2]}"' in client.get(answer["Location"]).content.decode()


def test_rounds_of_a_long_game_are_linked_on_their_pages(client, long_game):
    content = html.unescape(get_found(client, long_game, "?page=3"))
    starts = re.findall(r'page=(\d)#message-(\d+)"\s*>(\d)</a>', content.partition("start of round")[2])
    assert [(int(round_), int(page), int(at)) for page, at, round_ in starts[:3]] == [
        (1, 1, 1),
        (2, 1, 151),
        (3, 2, 301),
    ]


def test_a_message_has_an_address_of_its_own(client, long_game):
    content = get_found(client, long_game, "?at=250", headers={"HX-Request": "true", "HX-Target": "at"})
    assert f'href="{reverse("rate", args=[long_game.pk])}?page=2#m250"' in content


def test_one_agents_messages_are_shown_with_their_numbers(client):
    evaluation = start(message_count=12)
    client.force_login(evaluation.evaluator)
    content = get_found(client, evaluation, "?player=2")
    articles = re.findall(r'<article[^>]*id="message-(\d+)"[^>]*?(hidden)?\s*>', content)
    said = [message.player for message in load_state(evaluation).seen.messages]
    shown = [int(number) for number, hidden in articles if not hidden]
    assert shown == [at for at, player in enumerate(said, 1) if player == 2]
    assert "Only messages of" in content
    assert re.search(r'id="only"[^>]*hidden', get_found(client, evaluation))
