"""How much longer one side's messages or games are: personality diversity and anti-repetition depend on length.

More words hold more different words and more phrases to repeat, whatever the prompt does for either. Source: H. S.
Heaps, Information Retrieval (1978), chapter 7, on how vocabulary grows with the length of a text.
"""

from collections.abc import Sequence
from fractions import Fraction

from discussions.core.outcome import DIVERSITY, REPETITION
from discussions.iterations.core.figures import GameFigures
from workspace.core.text import figure
from workspace.core.words import mark, say

FOLLOW_LENGTH = frozenset({DIVERSITY, REPETITION})
_MORE = mark("{share}\u00a0% more {name} ({after} against {before})")
_FEWER = mark("{share}\u00a0% fewer {name} ({after} against {before})")
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
    if not parts:
        return ""
    both = say("{first} and {second}", first=parts[0], second=parts[1]) if len(parts) == 2 else parts[0]
    return say("Follows the length of what is said: {parts}.", parts=both)


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
    said = _MORE if after > before else _FEWER
    return say(said, share=share, name=name, after=figure(after), before=figure(before))
