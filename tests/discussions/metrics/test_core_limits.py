"""What metrics take of a long game: memory that the number of namings does not multiply, and no pair twice as exact."""

import random
import tracemalloc
from itertools import combinations

import numpy as np
import pytest
from msgspec import structs

from discussions.metrics.core import coherence
from discussions.metrics.core.coherence import find_ties, shuffled_baseline, signs
from discussions.metrics.core.parameters import KEYWORD, get_parameters
from discussions.metrics.core.personality_diversity import compute_percent, nearest_players, token_sort
from discussions.metrics.core.prepared_game import read
from tests.factories.metrics import game, rubric

PARAMETERS = get_parameters(rubric())
NAMES = ("Alpha", "Bravo", "Charlie", "Delta", "Echo", "Foxtrot")


def chatter(words, *, messages=300, seed=1):
    source = random.Random(seed)
    known = (*NAMES, "because", "village", "evidence", "trust")
    said = (" ".join(source.choice(known) for _ in range(words)) for _ in range(messages))
    return game(messages=[(source.choice(NAMES), text) for text in said])


def peak_mb(words):
    reading = read(chatter(words), PARAMETERS)
    ties = find_ties(reading)
    tracemalloc.start()
    shuffled_baseline(reading, ties, PARAMETERS)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 1e6


def test_shuffles_take_no_more_memory_when_players_are_named_a_hundred_times_as_often():
    assert peak_mb(400) < 2 * peak_mb(4) + 5


def rare_words_mb(messages):
    """Memory for what ties messages by 40,000 words, each of which two of the messages have."""
    words = [f"rareword{number}" for number in range(40_000)] * 2
    each = len(words) // messages
    said = (" ".join(words[at * each : (at + 1) * each]) for at in range(messages))
    reading = read(game(messages=[(NAMES[0], text) for text in said]), PARAMETERS)
    tracemalloc.start()
    find_ties(reading)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 1e6


def test_rare_words_take_no_more_memory_in_more_messages():
    assert rare_words_mb(4_000) < 2 * rare_words_mb(400)


def test_keywords_in_portions_give_the_same_signs(monkeypatch):
    ties = find_ties(read(chatter(12, messages=60), PARAMETERS))
    source = np.random.default_rng(3)
    orders = np.argsort(source.random((7, 60)), axis=1)
    whole = list(signs(ties, orders, PARAMETERS))
    assert whole
    for portion in (1, 5, 50):
        monkeypatch.setattr(coherence, "_AT_ONCE", portion)
        for some, every in zip(signs(ties, orders, PARAMETERS), whole, strict=True):
            assert (some == every).all()


@pytest.mark.parametrize("window", [1, 2, 3, 7, 24, 50])
def test_shared_keywords_are_those_found_one_by_one(window):
    reading = read(chatter(3, messages=25, seed=window), PARAMETERS)
    parameters = structs.replace(PARAMETERS, choices={**PARAMETERS.choices, "coherence_window": window})
    orders = np.argsort(np.random.default_rng(window).random((5, 25)), axis=1)
    places = reading.places(KEYWORD)
    keywords = [set() for _ in range(25)]
    for message, word in zip(reading.of_message[places].tolist(), reading.ids[places].tolist(), strict=True):
        keywords[message].add(word)
    expected = [
        [
            len(
                keywords[message]
                & set().union(*(keywords[at] for at in order[max(0, place - window) : place]))
            )
            >= parameters.number("coherence_min_shared")
            for place, message in enumerate(order)
        ]
        for order in orders.tolist()
    ]
    assert signs(find_ties(reading), orders, parameters)[2].tolist() == expected


@pytest.mark.parametrize("seed", range(20))
def test_names_of_recent_speakers_are_those_found_one_by_one(seed):
    reading = read(chatter(seed % 4 + 1, messages=25, seed=seed), PARAMETERS)
    window = PARAMETERS.number("coherence_window")
    order = np.array([random.Random(seed).sample(range(25), 25)])
    named = set(zip(reading.name_messages.tolist(), reading.name_players.tolist(), strict=True))
    speakers = reading.speakers.tolist()
    expected = [
        any(
            (message, speakers[earlier]) in named and speakers[earlier] != speakers[message]
            for earlier in order[0][max(0, place - window) : place]
        )
        for place, message in enumerate(order[0].tolist())
    ]
    assert signs(find_ties(reading), order, PARAMETERS)[1][0].tolist() == expected


@pytest.mark.parametrize("seed", range(20))
def test_the_nearest_players_are_those_of_comparing_every_pair_to_the_end(seed):
    source = random.Random(seed)
    words = "vote trust alpha village night wolf because so now then".split()
    texts = {
        player: " ".join(source.choice(words) for _ in range(source.randint(0, 12))) for player in range(1, 9)
    }
    plain = {player: " ".join(sorted(text.split())) for player, text in texts.items()}
    exact = {
        pair: compute_percent(*token_sort(plain[pair[0]], plain[pair[1]])) for pair in combinations(texts, 2)
    }
    nearest = nearest_players({player: text.split() for player, text in texts.items()}, PARAMETERS)
    assert nearest.keys() == texts.keys()
    for player, near in nearest.items():
        own = {sum(pair) - player: percent for pair, percent in exact.items() if player in pair}
        most = max(own.values())
        assert (near.player, near.percent) == (min(other for other in own if own[other] == most), most)
