"""What was not said at a message: what its author thought, how they voted then, and what only some heard."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct

from discussions.core.records import GameRecord, Message, PrivateEntry, Vote


class Ballot(Struct, frozen=True):
    """A vote of the author; `reason` only they knew. `count` of the `total` votes of the round are for the target.

    `role` is that of the target if the game lost them in this round, whoever decided it.
    """

    round: int
    target: str
    reason: str
    count: int
    total: int
    has_left: bool
    role: str


class Whisper(Struct, frozen=True):
    """What only those in `to`, or in `channel`, could hear; nobody if it has neither. `by` is "" for no player."""

    by: str
    to: list[str]
    channel: str
    text: str


class Unsaid(Struct, frozen=True):
    """A message with what was not said at it.

    `thoughts` are those of its author since their last message, `ballots` their votes of its round, else of the next
    round in which they voted, and `acts` what they did and said in private until their next message. `whispers` is
    everything else that was private before the message that follows; before the first one, it stands at that.
    """

    position: int
    round: int
    player: int
    name: str
    role: str
    text: str
    thoughts: list[str]
    ballots: list[Ballot]
    acts: list[Whisper]
    whispers: list[Whisper]

    @property
    def is_any(self) -> bool:
        """Whether the message opens its columns: whether anything was not said at it."""
        reasons = [ballot.reason for ballot in self.ballots]
        return bool(self.thoughts or self.acts or self.whispers or any(reasons))


def list_unsaid(record: GameRecord, entries: Iterable[PrivateEntry]) -> dict[int, Unsaid]:
    """Position -> what was not said at each message; empty for a game without a private track."""
    entries = list(entries)
    if not entries:
        return {}
    said: dict[int, list[int]] = defaultdict(list)
    for message in record.messages:
        said[message.player].append(message.position)
    found: dict[str, dict[int, list[Any]]] = {name: defaultdict(list) for name in ("thought", "act", "talk")}
    for entry in entries:
        own = said.get(entry.player, [])
        later = bisect_right(own, entry.after)
        if entry.kind == "thought" and later < len(own):
            found["thought"][own[later]].append(entry.text)
        elif entry.kind != "vote":
            whisper, place = _read_whisper(record, entry), max(entry.after, 1)
            if later:
                found["act"][own[later - 1]].append(whisper)
            if not later or own[later - 1] != place:
                found["talk"][place].append(whisper)
    ballots = _list_ballots(record, entries)
    return {
        message.position: Unsaid(
            position=message.position,
            round=message.round,
            player=message.player,
            name=record.players[message.player - 1].name,
            role=record.players[message.player - 1].role or "",
            text=message.text,
            thoughts=found["thought"][message.position],
            ballots=_find_next(ballots.get(message.player, {}), message),
            acts=found["act"][message.position],
            whispers=found["talk"][message.position],
        )
        for message in record.messages
    }


def _read_whisper(record: GameRecord, entry: PrivateEntry) -> Whisper:
    names = [player.name for player in record.players]
    by = names[entry.player - 1] if entry.player else ""
    return Whisper(by, [names[number - 1] for number in entry.to], entry.channel, entry.text)


def _list_ballots(record: GameRecord, entries: Iterable[PrivateEntry]) -> dict[int, dict[int, list[Ballot]]]:
    """Voter -> round -> their votes."""
    reasons = {(entry.player, entry.round): entry.text for entry in entries if entry.kind == "vote"}
    in_round: dict[int, list[Vote]] = defaultdict(list)
    for vote in record.votes:
        in_round[vote.round].append(vote)
    gone = {(elimination.player, elimination.round) for elimination in record.eliminations}
    ballots: dict[int, dict[int, list[Ballot]]] = defaultdict(lambda: defaultdict(list))
    for vote in record.votes:
        target, cast = record.players[vote.target - 1], in_round[vote.round]
        has_left = (vote.target, vote.round) in gone
        ballots[vote.voter][vote.round].append(
            Ballot(
                round=vote.round,
                target=target.name,
                reason=reasons.get((vote.voter, vote.round), ""),
                count=sum(other.target == vote.target for other in cast),
                total=len(cast),
                has_left=has_left,
                role=(target.role or "") if has_left else "",
            )
        )
    return ballots


def _find_next(by_round: Mapping[int, list[Ballot]], message: Message) -> list[Ballot]:
    later = [number for number in by_round if number >= message.round]
    return by_round[min(later)] if later else []
