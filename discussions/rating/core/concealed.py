"""The game as an evaluator sees it before the reveal: records without fields for what stays hidden.

Pages of evaluators are built from these, never from a `GameRecord` or a `Measurement`, so they cannot show what is
hidden.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

from msgspec import Struct

from discussions.core.outcome import MEMORY, REPETITION
from discussions.core.records import (
    GameRecord,
    Measurement,
    Message,
    MessageFinding,
    PhraseFinding,
    ReferenceFinding,
)
from discussions.metrics.core.parameters import parse_side
from discussions.metrics.core.references.vote_record import find_named_round
from discussions.metrics.core.text import confusable
from discussions.rating.core.visibility import Visibility


class SeenPlayer(Struct, frozen=True):
    """A player without role and personality. `out_round` is the round in which the player left; 0 if never."""

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
    """The public discussion: speakers, messages, votes, and who left when.

    `round_offset` is that of the game, as in `GameRecord`; `aliases` are other names of players, to be hidden, too.
    """

    players: list[SeenPlayer]
    messages: list[Message]
    votes: list[SeenVote]
    round_offset: int = 0
    aliases: list[str] = []

    def name(self, player: int) -> str:
        return self.players[player - 1].name


class SeenReference(Struct, frozen=True):
    """A reference that was found automatically; `check`, `says` and `hits` are empty until they are revealed.

    `round` is the round that it refers to (0: unknown). If it is not about votes, evaluators read the messages of
    `players`.
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
    """The role of a player, once the roles are revealed."""

    role: str
    side: str
    personality: str


class VisibleFindings(Struct, frozen=True):
    """The findings that may be seen now. `findings` holds only those of visible metrics, by message."""

    references: list[SeenReference]
    findings: Mapping[str, Mapping[int, MessageFinding]]
    phrases: list[PhraseFinding]
    parts: list[Part] | None


def conceal(game: GameRecord) -> SeenGame:
    """A copy of the game without what stays hidden."""
    spoke = Counter(message.player for message in game.messages)
    out = {elimination.player: elimination.round for elimination in game.eliminations}
    alike = confusable([player.name for player in game.players])
    players = [
        SeenPlayer(number, player.name, spoke[number], out.get(number, 0), alike[number - 1])
        for number, player in enumerate(game.players, start=1)
    ]
    votes = [SeenVote(vote.round, vote.voter, vote.target) for vote in game.votes]
    aliases = [alias for _player, alias in game.aliases]
    return SeenGame(players, game.messages, votes, game.round_offset, aliases)


def select_visible_findings(
    game: GameRecord,
    measurements: Mapping[str, Measurement],
    visibility: Visibility,
    role_map: Mapping[str, Sequence[str]],
) -> VisibleFindings:
    return VisibleFindings(
        references=[
            _reference(finding, game, is_checked=finding.subject in visibility.checks)
            for finding in measurements[MEMORY].references
        ],
        findings={
            metric: {finding.message: finding for finding in measurements[metric].messages}
            for metric in visibility.findings
        },
        phrases=measurements[REPETITION].phrases if visibility.rated else [],
        parts=[
            Part(player.role or "", parse_side(player.role, role_map) or "", player.personality or "")
            for player in game.players
        ]
        if visibility.roles
        else None,
    )


def _reference(finding: ReferenceFinding, game: GameRecord, *, is_checked: bool) -> SeenReference:
    message = game.messages[finding.message - 1]
    evidence = finding.evidence
    is_reading = evidence is not None and finding.check == "cannot_check"
    spoken = finding.round
    if spoken is None:
        spoken = find_named_round(finding.text, message.round)
    return SeenReference(
        subject=finding.subject,
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
