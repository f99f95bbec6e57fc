"""Finding one's way in a transcript: search, a message by its number, rounds, links to messages, one agent alone."""

import html
import re

import pytest
from django.urls import reverse

from discussions.rating.pages.visible_evaluation import MOST_FOUND
from discussions.rating.queries import load_state
from tests.factories.rating import game_of, start

pytestmark = pytest.mark.django_db


FOUND = {"HX-Request": "true", "HX-Target": "found"}


def get_page(client, evaluation, query="", **more):
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
    content = get_page(client, long_game, "?find=strange+(word)&step=depth&page=1", headers=FOUND)
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
    content = get_page(client, long_game, "?step=depth&page=2&find=STRANGE")
    assert [number for number, _address in results(content)] == [3, 250, 449]
    assert 'id="message-250"' in content
    assert re.search(r'name="find"[^>]*value="STRANGE"', content)


def test_nothing_found_is_said_and_an_empty_search_finds_nothing(client, long_game):
    assert "0 messages hold" in get_page(client, long_game, "?find=%3Cscript%3E", headers=FOUND)
    assert "&lt;script&gt;" in get_page(client, long_game, "?find=%3Cscript%3E", headers=FOUND)
    assert not re.search(r"Message|hold", get_page(client, long_game, "?find=+", headers=FOUND))


def test_more_results_than_are_listed_are_counted(client, long_game):
    content = get_page(client, long_game, "?find=the", headers=FOUND)
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
    content = html.unescape(get_page(client, long_game, "?page=3"))
    starts = re.findall(r'page=(\d)#message-(\d+)"\s*>(\d)</a>', content.partition("start of round")[2])
    assert [(int(round_), int(page), int(at)) for page, at, round_ in starts[:3]] == [
        (1, 1, 1),
        (2, 1, 151),
        (3, 2, 301),
    ]


def test_a_message_has_an_address_of_its_own(client, long_game):
    content = get_page(client, long_game, "?at=250", headers={"HX-Request": "true", "HX-Target": "at"})
    assert f'href="{reverse("rate", args=[long_game.pk])}?page=2#m250"' in content


def test_one_agents_messages_are_shown_with_their_numbers(client):
    evaluation = start(message_count=12)
    client.force_login(evaluation.evaluator)
    content = get_page(client, evaluation, "?player=2")
    articles = re.findall(r'<article[^>]*id="message-(\d+)"[^>]*?(hidden)?\s*>', content)
    said = [message.player for message in load_state(evaluation).seen.messages]
    shown = [int(number) for number, hidden in articles if not hidden]
    assert shown == [at for at, player in enumerate(said, 1) if player == 2]
    assert "Only messages of" in content
    assert re.search(r'id="only"[^>]*hidden', get_page(client, evaluation))
