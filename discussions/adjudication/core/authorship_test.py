"""M5's blind test of who said it: samples of every agent, then unseen messages without names to match with agents.

The draw depends on the evaluation's seed and the texts, never on roles or other hidden data. Before the
transcript opens, an evaluator sees only `ShownTest`, a record that cannot hold who wrote an unseen message.
"""

import hashlib
from collections.abc import Iterable, Mapping
from fractions import Fraction
from math import comb

from msgspec import Struct

from discussions.adjudication.core.hidden_names import hide_names, may_name
from discussions.adjudication.core.judgeable import is_drawn_without_near_names
from discussions.core.records import GameRecord, Message
from discussions.metrics.core.names import Roster, build_roster, fold, own_prefix
from discussions.metrics.core.parameters import BY_AGENTS, read_parameter
from discussions.metrics.core.text import NAME, tokenise
from rubric.core.records import RubricRecord

LEAST_AGENTS = 2
LEAST_WORDS = 3
UNSEEN_EACH, MOST_UNSEEN = 2, 24


# The usual level of a test: R. A. Fisher, Statistical Methods for Research Workers (1925), chapter III.
SIGNIFICANCE = Fraction(1, 20)


class DrawRule(Struct, frozen=True):
    """How a rubric version draws a test: `least` to `most` samples of each agent.

    `ambiguous_names` are names that are also words; they count as names only as the game spells them. With
    `is_by_agent` the test asks one message of each agent and passes when `passing` agents are identified, 0 for half.
    """

    least: int
    most: int
    ambiguous_names: frozenset[str] = frozenset()
    is_by_agent: bool = False
    passing: int = 0

    def count_needed(self, agents: int) -> int:
        """How many of so many agents must be identified; 0 if the test counts messages."""
        return (self.passing or -(-agents // 2)) if self.is_by_agent else 0


class AnswerKey(Struct, frozen=True):
    """The right answers of one evaluation's test: who wrote each unseen message. `agents` counts who took part.

    `needed` agents must be identified; 0 if the test counts messages.
    """

    authors: tuple[int, ...]
    agents: int
    needed: int = 0

    def is_over(self, answers: Mapping[str, str]) -> bool:
        """Whether `answers`, by the message's number, decide the test: nothing that is still open could turn it."""
        said = [answers.get(str(place), "") for place in range(1, len(self.authors) + 1)]
        hits = sum(value == str(author) for value, author in zip(said, self.authors, strict=True))
        if not self.needed:
            return "" not in said
        return hits >= self.needed or hits + said.count("") < self.needed


class DrawnTest(Struct, frozen=True):
    """What was drawn: positions of messages. `samples` follow the order of `agents`, `unseen` the order of questions.

    `authors` says who wrote each unseen message, `left_out` who spoke too little to take part.
    """

    agents: tuple[int, ...]
    samples: tuple[tuple[int, ...], ...]
    unseen: tuple[int, ...]
    authors: tuple[int, ...]
    left_out: tuple[int, ...]
    needed: int = 0

    @property
    def answer_key(self) -> AnswerKey:
        return AnswerKey(self.authors, len(self.agents), self.needed)


class ShownTest(Struct, frozen=True):
    """The test as it is shown to the evaluator: texts without names. Nothing here says who wrote `unseen`."""

    agents: tuple[int, ...]
    samples: tuple[tuple[str, ...], ...]
    unseen: tuple[str, ...]
    left_out: tuple[int, ...]


class AuthorshipResult(Struct, frozen=True):
    """`hits` of `asked` messages; where `identified` agents are needed, agents asked about one message each."""

    hits: int
    asked: int
    agents: int
    identified: int = 0

    @property
    def chance(self) -> Fraction:
        return Fraction(1, self.agents)

    @property
    def passes(self) -> bool:
        return self.hits >= self.identified if self.identified else self.p < SIGNIFICANCE

    @property
    def p(self) -> Fraction:
        """The probability of at least so many hits by guessing; by agents, that guessing passes the test.

        A test that stops once it is decided passes as often as one that asks about every agent.
        """
        if self.identified:
            return compute_probability(self.identified, self.agents, self.agents)
        return compute_probability(self.hits, self.asked, self.agents)

    @property
    def needed(self) -> int:
        """The fewest hits that pass; one more than the number of messages if no number does."""
        if self.identified:
            return self.identified
        enough = (
            n for n in range(self.asked + 1) if compute_probability(n, self.asked, self.agents) < SIGNIFICANCE
        )
        return next(enough, self.asked + 1)


def read_draw_rule(rubric: RubricRecord) -> DrawRule:
    parameters = rubric.parameters
    is_half = parameters["identification_pass"] == "half"
    return DrawRule(
        least=int(parameters["identification_min_messages"]),
        most=int(parameters["identification_max_messages"]),
        ambiguous_names=frozenset(rubric.lists["ambiguous_names"]),
        is_by_agent=read_parameter(parameters, "identification_test") == BY_AGENTS,
        passing=0 if is_half else int(parameters["identification_pass_count"]),
    )


def draw_test(game: GameRecord, seed: str, rule: DrawRule) -> DrawnTest | None:
    """Draw who takes part and which messages: the samples and one or two unseen messages of each agent.

    A message takes part if it has three words or more besides names. An agent with fewer than `rule.least` + 1 of them
    is left out. The result is None if fewer than two agents are left, or fewer than must be identified. The same seed
    always gives the same test. Samples are in the order of the transcript; the order of unseen messages reveals nothing
    about it. A message with a word that may be a name or another word takes no part; older seeds drew such messages, so
    they still do.
    """
    least, most = rule.least, rule.most
    names = game.names
    roster = build_roster(names, rule.ambiguous_names)
    unclear = (names, rule.ambiguous_names) if is_drawn_without_near_names(seed) else None
    said: dict[int, list[int]] = {}
    for message in game.messages:
        said.setdefault(message.player, []).append(message.position)
    drawn = {
        player: _drawn(
            game,
            roster,
            sorted(positions, key=lambda position: _rank(seed, "drawn", position)),
            most,
            unclear,
        )
        for player, positions in sorted(said.items())
    }
    agents = tuple(player for player, positions in drawn.items() if len(positions) > least)
    needed = rule.count_needed(len(agents))
    if len(agents) < max(LEAST_AGENTS, needed):
        return None
    has_two = not needed and UNSEEN_EACH * len(agents) <= MOST_UNSEEN
    per_agent = UNSEEN_EACH if has_two else 1
    authors: dict[int, int] = {}
    samples = []
    for player in agents:
        count = min(per_agent, len(drawn[player]) - least)
        authors |= dict.fromkeys(drawn[player][:count], player)
        samples.append(tuple(sorted(drawn[player][count : count + most])))
    unseen = tuple(sorted(authors, key=lambda author: _rank(seed, "asked", author)))
    return DrawnTest(
        agents=agents,
        samples=tuple(samples),
        unseen=unseen,
        authors=tuple(authors[position] for position in unseen),
        left_out=tuple(player for player in drawn if player not in agents),
        needed=needed,
    )


def _drawn(
    game: GameRecord,
    roster: Roster,
    ranked: list[int],
    most: int,
    unclear: tuple[tuple[str, ...], frozenset[str]] | None,
) -> list[int]:
    """The first of these messages with enough words, up to the number that can be used.

    `unclear` are the names and ambiguous names for `may_name`, None if such messages take part.
    """
    found: list[int] = []
    for position in ranked:
        message = game.messages[position - 1]
        text = _without_prefix(message.text, message.player, roster)
        words = tokenise(text, roster)
        is_long = len(words) - words.count(NAME) >= LEAST_WORDS
        if is_long and (unclear is None or not may_name(text, *unclear)):
            found.append(position)
        if len(found) == most + UNSEEN_EACH:
            break
    return found


def _rank(seed: str, purpose: str, position: int) -> bytes:
    return hashlib.sha256(f"{seed}:identification:{purpose}:{position}".encode()).digest()


def build_shown_test(game: GameRecord, drawn: DrawnTest, rule: DrawRule) -> ShownTest:
    def texts(positions: Iterable[int]) -> tuple[str, ...]:
        messages = (game.messages[position - 1] for position in positions)
        return tuple(without_names(message, game.names, rule.ambiguous_names) for message in messages)

    samples = tuple(texts(positions) for positions in drawn.samples)
    return ShownTest(drawn.agents, samples, texts(drawn.unseen), drawn.left_out)


def without_names(message: Message, names: tuple[str, ...], ambiguous: frozenset[str]) -> str:
    """The text of a message as it is shown where the reader is to tell who wrote it."""
    roster = build_roster(names, ambiguous)
    return hide_names(_without_prefix(message.text, message.player, roster), names, ambiguous)


def _without_prefix(text: str, player: int, roster: Roster) -> str:
    folded = fold(text)
    colon = folded.find(":")
    return text[own_prefix(folded, 0, colon, roster.own[player - 1]) :] if colon >= 0 else text


def compute_probability(hits: int, asked: int, agents: int) -> Fraction:
    """The exact one-sided binomial probability of `hits` or more of `asked` when each is guessed among `agents`.

    The sum over k from `hits` to n = `asked` of C(n, k) (1/c)^k (1 - 1/c)^(n - k) with c = `agents`, in whole numbers:
    exactly the same wherever a verdict is recomputed. Source: the binomial test, W. J. Conover,
    Practical Nonparametric Statistics, 3rd edition (1999), section 3.1.
    """
    ways = sum(comb(asked, k) * (agents - 1) ** (asked - k) for k in range(hits, asked + 1))
    return Fraction(ways, agents**asked)
