"""Two metrics follow the length of messages: a comparison says so where the sides differ by more than a fifth."""

import pytest

from discussions.comparison.core.comparison import compare
from discussions.comparison.core.difference import describe_lengths
from tests.factories.iteration_figures import GATED, game


def play(messages, words, count=3, start=1):
    return [game(start + number, message_count=messages, word_count=words) for number in range(count)]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ((50, 600), ""),
        ((50, 500), ""),
        ((60, 600), ""),
        ((50, 601), "20\u00a0% more words per message (12.02 against 10.00)"),
        ((50, 300), "40\u00a0% fewer words per message (6.0 against 10.0)"),
        ((75, 750), "50\u00a0% more messages per game (75.0 against 50.0)"),
        (
            (30, 600),
            "100\u00a0% more words per message (20.0 against 10.0) and 40\u00a0% fewer messages per game",
        ),
    ],
)
def test_more_than_a_fifth_is_said(change, says):
    found = describe_lengths("anti_repetition", play(50, 500), play(*change, start=10))
    assert bool(found) == bool(says)
    assert says.split(" (")[0] in found


def test_only_of_the_two_metrics_that_follow_it():
    found = compare(play(50, 500), play(50, 800, start=10), GATED, target="coherence")
    told = {metric.key for metric in found.metrics if metric.length_says}
    assert told == {"personality_diversity", "anti_repetition"}
    assert found.metric("anti_repetition").length_says == (
        "Follows the length of what is said: 60\u00a0% more words per message (16.0 against 10.0)."
    )


def test_games_without_counts_say_nothing():
    assert describe_lengths("anti_repetition", [game(1)], play(50, 800)) == ""
    assert describe_lengths("anti_repetition", [], play(50, 800)) == ""
