"""One game as figures: taken from an outcome, and exact again although its scores are floats."""

from decimal import Decimal
from fractions import Fraction

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from discussions.core.game_figures import GameFigures, exact, game_figures, numbered, passes
from discussions.core.outcome import ManualCheck
from tests.core.iteration_games import GATED, game, without_memory
from tests.core.verdict_examples import APPENDIX, share, verdict


@given(st.integers(1, 1_000_000).flatmap(lambda d: st.tuples(st.integers(0, d), st.just(d))))
def test_a_score_is_exact_again(share_of):
    numerator, denominator = share_of
    assert exact(100 * numerator / denominator) == Fraction(100 * numerator, denominator)


def test_figures_of_the_appendix():
    found = game_figures(4, verdict(APPENDIX), cost_usd=Decimal("1.20"), cache_hit_rate=0.8, input_tokens=900)
    assert found.scores == {
        "memory_accuracy": 85,
        "strategic_depth": 68,
        "coherence": 74,
        "role_consistency": 76,
        "personality_diversity": 60,
        "anti_repetition": 92,
    }
    assert (found.rating, found.score("engagement"), found.score("coherence")) == (3.5, 3.5, 74)
    assert [key for key, passed in found.passes.items() if not passed] == ["role_consistency"]
    assert (found.is_pass, found.not_applicable) == (True, [])


def test_what_does_not_apply_and_what_is_pending_is_kept():
    scores = APPENDIX | {
        "memory_accuracy": share(0, 0, is_applicable=False),
        "coherence": share(3, 50, is_pending=True),
    }
    found = game_figures(1, verdict(scores, rating=None), cost_usd=None)
    assert found.not_applicable == ["memory_accuracy"]
    assert not found.applies("memory_accuracy")
    assert (found.score("memory_accuracy"), found.score("coherence"), found.rating) == (100, None, None)
    assert found.is_pass is None


def test_a_manual_check_decides_whether_the_game_passes_and_leaves_the_score():
    check = ManualCheck(yes=6, asked=10, needed=5, passes=True, decides=True)
    low = APPENDIX | {"personality_diversity": share(2, 10)}
    found = game_figures(1, verdict(low, manual_check=check), cost_usd=None)
    assert found.scores["personality_diversity"] == 20
    assert passes(found, GATED.criterion("personality_diversity")) is True


def test_whether_a_game_passes_comes_from_its_score_where_no_verdict_says():
    criterion = GATED.criterion("memory_accuracy")
    assert passes(game(memory_accuracy=80.0), criterion) is True
    assert passes(game(memory_accuracy=79.96), criterion) is False
    assert passes(game(memory_accuracy=None), criterion) is None


def test_the_record_survives_json():
    whole = without_memory(3)
    assert msgspec.json.decode(msgspec.json.encode(whole), type=GameFigures) == whole


def test_numbers_as_a_sentence_names_them():
    assert numbered([4]) == "game 4"
    assert numbered([4, 6]) == "games 4 and 6"
    assert numbered([4, 6, 7]) == "games 4, 6 and 7"
    assert numbered([4, 5, 6, 9]) == "games 4 to 6 and 9"
    assert numbered([1, 2, 3]) == "games 1 to 3"
    assert numbered([3], "iteration") == "iteration 3"
