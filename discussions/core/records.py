"""The plain records of a game and its measurement; all code above the core uses them.

A record is frozen, holds no database row and encodes to JSON and back without loss (msgspec).
Positions of messages and numbers of players count from 1, in the order of the transcript.
"""

from contextlib import suppress
from datetime import date
from decimal import Decimal

from msgspec import Struct

from discussions.core import judgement_kinds

MAFIA = "mafia"
VILLAGE = "village"
MOST_SEARCHED = 2000


class Player(Struct, frozen=True, omit_defaults=True):
    """`aliases` are other names by which texts call the player."""

    name: str
    role: str | None = None
    personality: str | None = None
    is_alive: bool | None = None
    aliases: list[str] = []


class Message(Struct, frozen=True, gc=False, omit_defaults=True):
    """One utterance. `player` is the player's number (from 1), `text` is what the transcript says, normalised.

    `has_reply_link` says that the file sets a reply link that counts for coherence; `reply_to` is the position
    it resolves to, when it resolves. A link that resolves to this or a later message does not count.
    """

    position: int
    player: int
    text: str
    round: int
    turn: int | None = None
    time: str | None = None
    has_reply_link: bool = False
    reply_to: int | None = None


class Vote(Struct, frozen=True, omit_defaults=True):
    round: int
    voter: int
    target: int
    justification: str = ""
    time: str | None = None


class Elimination(Struct, frozen=True, omit_defaults=True):
    """A player who left the game in a round, by vote or otherwise (`how` as the file says)."""

    round: int
    player: int
    how: str = ""


class PrivateEntry(Struct, frozen=True, omit_defaults=True):
    """What not everybody could hear; no part of the game that is rated.

    `kind` is "talk" (only the players in `to`, or those of `channel`, could hear it), "thought" (nobody but its author)
    or "vote" (the reason of a vote that only its voter knew). `after` is the position of the message before it (0:
    none), so that a thought belongs to its author's next message. `player` is 0 for somebody who is no player.
    """

    after: int
    player: int
    text: str
    kind: str
    to: list[int] = []
    channel: str = ""
    round: int | None = None
    time: str | None = None


class Cost(Struct, frozen=True, omit_defaults=True):
    """The cost of a game. None means "not reported", never zero. `cache_hit_rate` is a fraction from 0 to 1."""

    total_usd: Decimal | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_hit_rate: float | None = None


class GameRecord(Struct, frozen=True, omit_defaults=True):
    """One imported transcript; only the public discussion is in `messages`.

    `round_offset` is not part of the file: a lead sets it, to be added to a round number in a text to get the file's.
    `model_build` names the build of every model that played. Games with the same `pair` were played with the same
    roles, names, order and seed, one under each of two prompts.
    """

    game_id: str
    players: list[Player]
    messages: list[Message]
    votes: list[Vote] = []
    eliminations: list[Elimination] = []
    cost: Cost = Cost()
    timestamp: str | None = None
    prompt: str | None = None
    winner: str | None = None
    model_build: str | None = None
    seed: str | None = None
    pair: str | None = None
    round_offset: int = 0

    @property
    def aliases(self) -> tuple[tuple[int, str], ...]:
        """The other names of players, each with the player's number."""
        return tuple((n, alias) for n, player in enumerate(self.players, start=1) for alias in player.aliases)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all players in order, then their other names."""
        return (*(player.name for player in self.players), *(alias for _player, alias in self.aliases))

    def build_search_text(self, file_name: str) -> str:
        """The text that a search of games looks in: the game's id, file and players, one per line, case-folded."""
        names = [player.name for player in self.players]
        return "\n".join((self.game_id, file_name, *names)).casefold()[:MOST_SEARCHED]

    @property
    def played_on(self) -> date | None:
        """The day of the game's time as it is written; without one, that of the first message with a date."""
        for said in (self.timestamp, *[message.time for message in self.messages]):
            with suppress(ValueError):
                return date.fromisoformat((said or "")[:10].replace("/", "-"))
        return None

    @property
    def word_count(self) -> int:
        return len(" ".join([message.text for message in self.messages]).split())

    @property
    def rounds(self) -> int:
        return len({message.round for message in self.messages})


class Fault(Struct, frozen=True, omit_defaults=True):
    """One thing wrong with one place of an input.

    `place` is a file name, a line or a JSON pointer, outermost first ("games.json /messages/3/text");
    `message` is a sentence that says what was expected, what was found and what to do.
    A warning is kept with the game; any other fault refuses the whole game.
    """

    place: str
    code: str
    message: str
    is_warning: bool = False


class MessageFinding(Struct, frozen=True, omit_defaults=True, gc=False):
    """A metric's finding on one message: whether it counts, the rule that decided, and the words that it matched."""

    message: int
    counts: bool
    rule: str
    words: list[str] = []

    def machine_value(self, kind: str) -> str:
        """The automatic answer on the message, in the values of that kind of judgement."""
        if kind != judgement_kinds.ROLE_CONSISTENCY:
            return judgement_kinds.YES if self.counts else judgement_kinds.NO
        if self.counts:
            return judgement_kinds.CONSISTENT
        is_unknown = self.rule == "unknown_side"
        return judgement_kinds.NOT_ASSESSABLE if is_unknown else judgement_kinds.INCONSISTENT


class Evidence(Struct, frozen=True, omit_defaults=True):
    """The vote record's rows behind a reference check: a sentence, and the rows as (round, voter, target) numbers."""

    says: str
    rows: list[tuple[int, int, int]] = []
    round: int | None = None
    players: list[int] = []


class ReferenceFinding(Struct, frozen=True, omit_defaults=True, gc=False):
    """A sentence about the past of the game. `start`/`end` are half-open code points of the message's stored text.

    `sentence` counts the sentences of the message from 1 (0 stands for the whole message). `is_counted` is true for the
    rubric's own patterns, false for the wider list (a possible reference, counted once a person accepts it). `check` is
    "supported", "close" or "cannot_check". `round` is the file's number of the round that the sentence refers to (0:
    none), None under the rules 1.0.
    """

    message: int
    sentence: int
    start: int
    end: int
    text: str
    is_counted: bool
    pattern: str
    check: str = "cannot_check"
    evidence: Evidence | None = None
    round: int | None = None

    @property
    def subject(self) -> str:
        """The subject of its judgements: "19.2" is the second sentence of message 19."""
        return f"{self.message}.{self.sentence}"


class PlayerFinding(Struct, frozen=True, omit_defaults=True):
    """M5's finding on one player; `similarity` (0 to 100) is that with the nearest other player."""

    player: int
    spoke: bool
    is_unique: bool
    nearest: int | None = None
    similarity: float | None = None
    characters: int = 0


class PhraseFinding(Struct, frozen=True, omit_defaults=True, gc=False):
    """A phrase that one player uses `count` times (pooled: player 0), and the messages that contain it."""

    player: int
    phrase: str
    count: int
    messages: list[int]

    @property
    def subject(self) -> str:
        """The subject of its judgements: "3|i think that" is that phrase of player 3."""
        return f"{self.player}|{self.phrase}"


class Measurement(Struct, frozen=True, omit_defaults=True):
    """The output of one metric for one game, before any person judged.

    `is_applicable` is false when there was nothing to count and the rubric's rule gives 100.
    `counted` is what the interface lists: messages that counted (M5: unique players).
    """

    metric: str
    numerator: int
    denominator: int
    is_applicable: bool = True
    is_pending: bool = False
    counted: list[int] = []
    messages: list[MessageFinding] = []
    references: list[ReferenceFinding] = []
    players: list[PlayerFinding] = []
    phrases: list[PhraseFinding] = []
    notes: list[str] = []


class Score(Struct, frozen=True, omit_defaults=True):
    """A metric's figure once people's judgements are counted in.

    `missing` lists the subjects that still need a label; `counts` (memory accuracy) says how many references have each
    label.
    """

    metric: str
    numerator: int
    denominator: int
    is_applicable: bool = True
    is_pending: bool = False
    missing: list[str] = []
    counts: dict[str, int] = {}
