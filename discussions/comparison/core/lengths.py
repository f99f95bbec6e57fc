"""How much longer one side's messages or games are: personality diversity and anti-repetition depend on length.

More words hold more different words and more phrases to repeat, whatever the prompt does for either. Source: H. S.
Heaps, Information Retrieval (1978), chapter 7, on how vocabulary grows with the length of a text.
"""

from collections.abc import Sequence
from fractions import Fraction

from discussions.core.outcome import DIVERSITY, REPETITION
from discussions.iterations.core.figures import GameFigures
from workspace.core.text import figure
from workspace.core.words import say

FOLLOW_LENGTH = frozenset({DIVERSITY, REPETITION})


# A difference of a fifth, up or down, is reported.
NOTED = Fraction(1, 5)


def describe_lengths(key: str, control: Sequence[GameFigures], change: Sequence[GameFigures]) -> str:
    """A sentence on lengths that differ by more than a fifth, for a metric that depends on length; "" otherwise."""
    if key not in FOLLOW_LENGTH:
        return ""
    parts = [
        _describe(name, before, after)
        for name, before, after in (
            (say("words per message"), _words_per_message(control), _words_per_message(change)),
            (say("messages per game"), _messages_per_game(control), _messages_per_game(change)),
        )
        if before and after is not None and abs(after / before - 1) > NOTED
    ]
    return say("Follows the length of what is said: {parts}.", parts=" and ".join(parts)) if parts else ""


def _words_per_message(games: Sequence[GameFigures]) -> Fraction | None:
    known = [
        (game.word_count, game.message_count) for game in games if game.word_count and game.message_count
    ]
    messages = sum(count for _words, count in known)
    return Fraction(sum(words for words, _count in known), messages) if messages else None


def _messages_per_game(games: Sequence[GameFigures]) -> Fraction | None:
    known = [game.message_count for game in games if game.message_count is not None]
    return Fraction(sum(known), len(known)) if known else None


def _describe(name: str, before: Fraction, after: Fraction) -> str:
    share = figure(100 * abs(after / before - 1), decimals=0)
    return f"{share}\u00a0% {'more' if after > before else 'fewer'} {name} ({figure(after)} against {figure(before)})"
