"""The game as an evaluator sees it before the reveal: records that have no place for what stays hidden.

Pages of evaluators are built from these and never from a `GameRecord` or a `Measurement`, so what is hidden cannot
slip onto them: there is no field it could be in.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from msgspec import Struct

from discussions.core.grounds import subject_of
from discussions.core.ledger import round_number
from discussions.core.lookalikes import confusable
from discussions.core.outcome import MEMORY, REPETITION
from discussions.core.records import (
    GameRecord,
    Measurement,
    Message,
    MessageFinding,
    PhraseFinding,
    ReferenceFinding,
)
from discussions.core.roles import side_of
from discussions.core.sight import Sight

_ROUND = re.compile(r"\b(?:round|day) (\w{1,6})\b")


class SeenPlayer(Struct, frozen=True):
    """A player without role and personality; `out_round` is the round in which the player left, 0 if never."""

    number: int
    name: str
    message_count: int
    out_round: int
    is_confusable: bool


class SeenVote(Struct, frozen=True):
    """A vote without its justification."""

    round: int
    voter: int
    target: int


class SeenGame(Struct, frozen=True):
    """The public discussion: who speaks, what is said, who voted for whom, who left when."""

    players: list[SeenPlayer]
    messages: list[Message]
    votes: list[SeenVote]

    def name(self, player: int) -> str:
        """The name of the player with that number."""
        return self.players[player - 1].name


class SeenReference(Struct, frozen=True):
    """A reference found by the machine; `check`, `says` and `hits` are empty until the evaluator has labelled it.

    `round` is the one it speaks of (0: none can be told), `players` whose messages to read when it is not about votes.
    """

    subject: str
    message: int
    start: int
    end: int
    text: str
    is_counted: bool
    round: int
    players: list[int]
    check: str = ""
    says: str = ""
    hits: list[tuple[int, int, int]] = []


class Part(Struct, frozen=True):
    """What a player is, once the roles are revealed."""

    role: str
    side: str
    personality: str


class Shown(Struct, frozen=True):
    """What of the machine's work may be seen now. `findings` holds only metrics that may be seen, by message."""

    references: list[SeenReference]
    findings: Mapping[str, Mapping[int, MessageFinding]]
    phrases: list[PhraseFinding]
    parts: list[Part] | None


def conceal(game: GameRecord) -> SeenGame:
    """The game without everything that stays hidden."""
    spoke = Counter(message.player for message in game.messages)
    out = {elimination.player: elimination.round for elimination in game.eliminations}
    alike = confusable([player.name for player in game.players])
    players = [
        SeenPlayer(number, player.name, spoke[number], out.get(number, 0), alike[number - 1])
        for number, player in enumerate(game.players, start=1)
    ]
    return SeenGame(
        players, game.messages, [SeenVote(vote.round, vote.voter, vote.target) for vote in game.votes]
    )


def shown(
    game: GameRecord,
    measurements: Mapping[str, Measurement],
    sight: Sight,
    role_map: Mapping[str, Sequence[str]],
) -> Shown:
    """What the machine found, cut down to what may be seen now."""
    return Shown(
        references=[
            _reference(finding, game, is_checked=subject_of(finding) in sight.checks)
            for finding in measurements[MEMORY].references
        ],
        findings={
            metric: {finding.message: finding for finding in measurements[metric].messages}
            for metric in sight.findings
        },
        phrases=measurements[REPETITION].phrases,
        parts=[
            Part(player.role or "", side_of(player.role, role_map) or "", player.personality or "")
            for player in game.players
        ]
        if sight.roles
        else None,
    )


def _reference(finding: ReferenceFinding, game: GameRecord, *, is_checked: bool) -> SeenReference:
    message = game.messages[finding.message - 1]
    evidence = finding.evidence
    is_reading = evidence is not None and finding.check == "cannot_check"
    spoken = spoken_round(finding.text, message.round)
    return SeenReference(
        subject=subject_of(finding),
        message=finding.message,
        start=finding.start,
        end=finding.end,
        text=finding.text,
        is_counted=finding.is_counted,
        round=spoken,
        players=list(evidence.players) if evidence is not None and is_reading else [],
        check=finding.check if is_checked else "",
        says=evidence.says if evidence is not None and is_checked else "",
        hits=list(evidence.rows) if evidence is not None and is_checked else [],
    )


def spoken_round(text: str, own_round: int) -> int:
    """The round that a sentence names, else the one before its own; 0 when there is none."""
    low = text.casefold()
    # Two cheap questions first: this is asked of every reference after every save.
    for found in _ROUND.finditer(low) if "round" in low or "day" in low else ():
        if number := round_number(found[1]):
            return number
    return max(own_round - 1, 0)
