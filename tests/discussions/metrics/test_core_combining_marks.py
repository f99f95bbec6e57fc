"""The parameter `combining_marks`: marks belong to their word, so a game measures alike in any Unicode form."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from discussions.core.records import GameRecord, Message, Player
from discussions.metrics.core.names import build_roster, find_names
from discussions.metrics.core.parameters import get_parameters
from discussions.metrics.core.prepared_game import read
from discussions.metrics.core.registry import measure_game
from discussions.metrics.core.text import compose, stored_place
from rubric.versions.queries import DISCUSSION_NUMBERS, discussion_version

BEFORE = discussion_version("1.2")
MARKED = structs.replace(BEFORE, parameters=BEFORE.parameters | {"combining_marks": True})
NAMES = ("Jos\u00e9", "Zo\u00eb", "H\u01b0\u01a1ng")
TEXTS = (
    "Caf\u00e9 d\u00e9j\u00e0 vu: Zo\u00eb's pr\u00e9tention m\u2019\u00e9tonne, Jos\u00e9.",
    "In round 1 Jos\u00e9 voted for Zo\u00eb. H\u01b0\u01a1ng, pr\u00e9tention \u00e9tonnante!",
    "Remember when Zo\u00eb accused Jos\u00e9 because of d\u00e9j\u00e0 vu? I trust H\u01b0\u01a1ng\u2026",
    "\ud55c\uad6d\uc5b4 \ud1a0\ub860 Jos\u00e9 said earlier that the pr\u00e9tention was a lie.",
)
WORDS = [
    # Hindi with vowel signs and virama, Thai with tones, Arabic and Hebrew with vowels, Tamil, Persian with a joiner.
    "\u0939\u093f\u0928\u094d\u0926\u0940",
    "\u0e17\u0e35\u0e48\u0e19\u0e35\u0e48",
    "\u0645\u064f\u062d\u064e\u0645\u0651\u064e\u062f",
    "\u05e9\u05b8\u05c1\u05dc\u05d5\u05b9\u05dd",
    "\u0ba4\u0bae\u0bbf\u0bb4\u0bcd",
    "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
    "x\u0302y",
]


def game_of(names, texts) -> GameRecord:
    players = [Player(name=name, role="SEER", personality=None, is_alive=None) for name in names]
    messages = [
        Message(at, (at - 1) % len(names) + 1, text, 1 + at // 3, at, None, False)
        for at, text in enumerate(texts, start=1)
    ]
    return GameRecord(game_id="g", players=players, messages=messages, votes=[], eliminations=[])


def in_form(form, *texts):
    return tuple(unicodedata.normalize(form, text) for text in texts)


def tokens(text, rubric=MARKED, names=("Ann", "Bea")):
    return read(game_of(names, [text]), get_parameters(rubric)).tokens[:-1]


def figures(game, rubric):
    """All that is measured, with words and names in one form."""
    found = measure_game(game, rubric)
    kept = {
        key: (
            one.numerator,
            one.denominator,
            one.counted,
            len(one.phrases),
            [row.rule for row in one.messages],
        )
        for key, one in found.items()
    }
    spans = [
        unicodedata.normalize("NFC", game.messages[row.message - 1].text[row.start : row.end])
        for row in found["memory_accuracy"].references
    ]
    return kept, spans


def test_a_game_measures_alike_in_every_unicode_form():
    composed, apart = (game_of(in_form(form, *NAMES), in_form(form, *TEXTS)) for form in ("NFC", "NFD"))
    assert figures(apart, MARKED) == figures(composed, MARKED)
    assert figures(composed, MARKED) == figures(composed, BEFORE)
    kept, spans = figures(apart, MARKED)
    assert kept["coherence"][0] == 3 and len(spans) == 3
    # Without the parameter marks are blanks, as in versions 1.0 to 1.2.
    assert figures(apart, BEFORE) != figures(composed, BEFORE)


@pytest.mark.parametrize("number", DISCUSSION_NUMBERS[:3])
def test_the_first_three_versions_measure_as_before(number):
    rubric = discussion_version(number)
    off = structs.replace(rubric, parameters=rubric.parameters | {"combining_marks": False})
    game = game_of(NAMES, [*TEXTS, *WORDS])
    assert "combining_marks" not in rubric.parameters
    assert measure_game(game, rubric) == measure_game(game, off)
    assert tokens(WORDS[0], rubric) == ["\u0939", "\u0928", "\u0926"]


def test_version_1_3_counts_marks_to_their_words():
    newest, game = discussion_version("1.3"), game_of(NAMES, [*TEXTS, *WORDS])
    assert measure_game(game, newest) == measure_game(game, MARKED)


@pytest.mark.parametrize("word", WORDS)
def test_no_word_is_cut_at_its_marks(word):
    assert tokens(f"- {word}, {word}!") == [*in_form("NFC", word)] * 2


@pytest.mark.parametrize(
    "text", ["\u2764\ufe0f a", "\u0301a", "1\ufe0f\u20e3 a", "\U0001f469\u200d\U0001f467 a"]
)
def test_marks_without_a_letter_are_no_words(text):
    assert [token for token in tokens(text) if not token.isalnum()] == []


def test_other_names_are_composed_too():
    game = game_of(NAMES, TEXTS[:2])
    game.players[0].aliases.append("Pe\u0301pe")
    assert [player.aliases for player in compose(game).players] == [["P\u00e9pe"], [], []]


def test_a_name_does_not_end_before_a_mark():
    names = ("\u0930\u093e\u092e", "Jose")
    texts = [
        "\u0930\u093e\u092e\u093e",
        "\u0915\u0940\u0930\u093e\u092e",
        "Jose\u0302",
        "\u0930\u093e\u092e, Jose",
    ]
    marked, plain = (build_roster(names, keeps_marks=is_on) for is_on in (True, False))
    assert [len(find_names(text, marked)) for text in texts] == [0, 0, 0, 2]
    assert [len(find_names(text, plain)) for text in texts] == [1, 1, 1, 2]


@given(st.text(alphabet="ae\u0301\u0302\u00e9\uac00\u1112\u1161 \u0915\u093c.", max_size=12))
def test_a_place_in_a_composed_text_is_found_in_the_stored_one(stored):
    composed = unicodedata.normalize("NFC", stored)
    for place in range(len(composed) + 1):
        at = stored_place(stored, composed, place)
        if place in (0, len(composed)) or composed[place] in "ae .":
            assert unicodedata.normalize("NFC", stored[:at]) == composed[:place]
