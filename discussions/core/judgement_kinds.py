"""The kinds of judgement, their subjects and their values: the table behind every act of an evaluator.

A judgement is keyed by its subject, never by a finding's row. Value "" always means unset.
"""

import re
from fractions import Fraction
from functools import lru_cache

from msgspec import Struct

from workspace.core.canonical import bytes_hash
from workspace.core.words import say

REFERENCE = "reference"
MISSED = "missed"
DELIBERATE = "deliberate"
STRATEGIC_DEPTH = "strategic_depth"
COHERENCE = "coherence"
ROLE_CONSISTENCY = "role_consistency"
PHRASE = "phrase"
IDENTIFY = "identify"
IDENTIFY_DECIDES = "identify_decides"
ATTRIBUTION = "attribution"
QUESTION = "question"
RATING = "rating"
STATEMENT = "statement"
ACCURATE, INACCURATE, VAGUE, NOT_A_REFERENCE = "accurate", "inaccurate", "vague", "not_a_reference"
CONSISTENT, INCONSISTENT, NOT_ASSESSABLE = "consistent", "inconsistent", "not_assessable"
YES, NO, ACCEPTABLE = "yes", "no", "acceptable"
CANNOT_TELL = "cannot_tell"
HONEST, BLUFF, MISTAKEN = "honest", "bluff", "mistaken"
RATINGS = tuple(f"{half / 2:.1f}" for half in range(2, 11))

VALUES: dict[str, tuple[str, ...]] = {
    REFERENCE: (ACCURATE, INACCURATE, VAGUE, NOT_A_REFERENCE),
    MISSED: (YES,),
    DELIBERATE: (YES,),
    STRATEGIC_DEPTH: (YES, NO),
    COHERENCE: (YES, NO),
    ROLE_CONSISTENCY: (CONSISTENT, INCONSISTENT, NOT_ASSESSABLE),
    PHRASE: (ACCEPTABLE,),
    IDENTIFY: (YES, NO),
    IDENTIFY_DECIDES: (YES,),
    ATTRIBUTION: (CANNOT_TELL,),
    QUESTION: (YES, NO),
    RATING: RATINGS,
    STATEMENT: (HONEST, BLUFF, MISTAKEN, CANNOT_TELL),
}

MESSAGE_KINDS = (STRATEGIC_DEPTH, COHERENCE, ROLE_CONSISTENCY)
SENTENCE_KINDS = (REFERENCE, MISSED, DELIBERATE)
# The subjects of these kinds begin with the position of a message.
PLACED_KINDS = (*MESSAGE_KINDS, *SENTENCE_KINDS, STATEMENT)
AUTHORSHIP_KINDS = (IDENTIFY, ATTRIBUTION)

# What a model judge may be used for: strata of people's estimate and the order of the queue, or strata alone.
HELPS, STRATA = "helps", "strata"


class JudgeableSubjects(Struct, frozen=True):
    """The subjects to judge in one game: enough to decide whether a subject exists.

    `sentences` counts them per message, in order (the unit is the whole message where `is_by_message`); `counted` and
    `possible` are subjects of references found automatically, in order; `speakers` are the players whom the manual
    check asks about; `phrases` are subjects ("3|i think that") of phrases that a player repeats. With
    `asks_suggestions` each of `possible` needs an answer, and a game without references needs one that there are none.
    If the evaluation begins with the blind test, `agents` are the players who take part, and `unseen_count` is the
    number of messages to match with them.
    """

    message_count: int
    sentences: tuple[int, ...]
    is_by_message: bool
    counted: tuple[str, ...]
    possible: tuple[str, ...]
    speakers: tuple[int, ...]
    phrases: frozenset[str]
    question_count: int
    asks_suggestions: bool = False
    agents: tuple[int, ...] = ()
    unseen_count: int = 0


def find_judgement_fault(kind: str, subject: str, value: str | None, judgeable: JudgeableSubjects) -> str:
    """Why this cannot be judged in this game, as a sentence; "" when it can. A value of None means unchanged."""
    if kind not in VALUES:
        return say("There is no judgement called “{kind}”. Load the page again.", kind=kind[:40])
    answers = list_answers(kind, judgeable)
    if value and value not in answers:
        return say(
            "“{value}” is not an answer here. The answers are: {answers}.",
            value=value[:40],
            answers=", ".join(answers),
        )
    return _subject_fault(kind, subject, judgeable)


def list_answers(kind: str, judgeable: JudgeableSubjects) -> tuple[str, ...]:
    """The possible answers on a subject of that kind in this game; for a message of the test, the agents' numbers."""
    agents = judgeable.agents if kind == ATTRIBUTION else ()
    return (*map(str, agents), *VALUES[kind])


def _subject_fault(kind: str, subject: str, judgeable: JudgeableSubjects) -> str:
    number, count, asked = _parse_number(subject), judgeable.message_count, subject[:20]
    if kind in MESSAGE_KINDS and number not in range(1, count + 1):
        return say(
            "There is no message {subject} in this game of {message_count} messages.",
            subject=asked,
            message_count=count,
        )
    if kind in SENTENCE_KINDS and not _has_sentence(subject, judgeable):
        return say("There is no sentence {subject} in this game.", subject=asked)
    if kind == PHRASE and subject not in judgeable.phrases:
        return say("No agent of this game repeats that phrase.")
    if kind in AUTHORSHIP_KINDS:
        return _who_said_it_fault(kind, number, asked, judgeable)
    if kind == QUESTION and number not in range(1, judgeable.question_count + 1):
        return say("The rubric has no question {subject}.", subject=asked)
    if kind in (IDENTIFY_DECIDES, RATING) and subject:
        return say("This judgement is about the whole game; it has no subject.")
    return ""


def _who_said_it_fault(kind: str, number: int | None, asked: str, judgeable: JudgeableSubjects) -> str:
    """The question asks about every speaker, the test about a number of messages; a game has one of the two."""
    if kind == ATTRIBUTION:
        is_there = number in range(1, judgeable.unseen_count + 1)
        return "" if is_there else say("The test has no message {subject}.", subject=asked)
    if judgeable.unseen_count:
        return say("Here a test asks who said it, before the transcript opens; the question is not asked.")
    if not judgeable.speakers:
        return say("Too few agents speak in this game, so the manual check does not apply.")
    if number not in judgeable.speakers:
        return say("No agent {subject} speaks in this game.", subject=asked)
    return ""


def _has_sentence(subject: str, judgeable: JudgeableSubjects) -> bool:
    message, _, sentence = subject.partition(".")
    position, number = _parse_number(message), _parse_number(sentence, least=0)
    if position is None or position > judgeable.message_count or number is None:
        return False
    return (
        number == 0 if judgeable.is_by_message else number in range(1, judgeable.sentences[position - 1] + 1)
    )


def _parse_number(text: str, least: int = 1) -> int | None:
    """The number of which this text is the canonical spelling, or None: "07", "+7" and "seven" are not subjects."""
    if not text.isascii() or not text.isdigit() or len(text) > 7 or str(int(text)) != text:
        return None
    return int(text) if int(text) >= least else None


@lru_cache(maxsize=4096)
def parse_subject(subject: str) -> tuple[int, int]:
    """(message, sentence) of "19.2", (message, 0) of "19"; a key that sorts judgements in transcript order."""
    message, _, sentence = subject.partition(".")
    return int(message), int(sentence or 0)


def parse_rating(value: str) -> Fraction | None:
    """The rating that "3.5" stands for; None when unset."""
    return Fraction(value) if value else None


_NOT_PLAIN = re.compile("[^A-Za-z0-9]")


def item_id(kind: str, subject: str) -> str:
    """The DOM id of an item. Phrases may be in any script, so a hash distinguishes them."""
    if kind == PHRASE:
        return f"item-phrase-{bytes_hash(subject.encode())[:12]}"
    return f"item-{kind}-{_NOT_PLAIN.sub('-', subject)}"
