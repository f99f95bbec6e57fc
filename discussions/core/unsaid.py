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
    """What only those in `to`, or in `channel`, could hear; nobody if it has neither.

    `by` is "" for no player, `round` 0 where the file names none.
    """

    by: str
    to: list[str]
    channel: str
    text: str
    round: int = 0


class Unsaid(Struct, frozen=True):
    """A message with what was not said at it.

    `thoughts` are those of its author since their last message, and right after the last of all; `ballots` their votes
    of its round, else of the next round in which they voted. Everything else that was private stands once: `whispers`
    after the message, and `before` it what precedes the first message, or begins the round of this one.
    """

    position: int
    round: int
    player: int
    name: str
    role: str
    text: str
    thoughts: list[str]
    ballots: list[Ballot]
    before: list[Whisper]
    whispers: list[Whisper]

    @property
    def is_any(self) -> bool:
        """Whether the message opens its columns: whether anything was not said at it."""
        has_reason = any(ballot.reason for ballot in self.ballots)
        return bool(self.thoughts or self.before or self.whispers or has_reason)


def list_unsaid(record: GameRecord, entries: Iterable[PrivateEntry]) -> dict[int, Unsaid]:
    """Position -> what was not said at each message; empty for a game without a private track."""
    entries = list(entries)
    if not entries:
        return {}
    names = ["", *(player.name for player in record.players)]
    said: dict[int, list[int]] = defaultdict(list)
    for message in record.messages:
        said[message.player].append(message.position)
    thoughts, before, talk = (defaultdict[int, list[Any]](list) for _kind in range(3))
    for entry in entries:
        if entry.kind == "thought" and (at := _find_message(entry, said.get(entry.player, []), record)):
            thoughts[at].append(entry.text)
        elif entry.kind != "vote":
            number, last = entry.round or 0, record.messages[entry.after - 1].round if entry.after else -1
            is_next = entry.after < len(record.messages) and number > last
            place = before[entry.after + 1] if is_next else talk[entry.after]
            to = [names[player] for player in entry.to]
            place.append(Whisper(names[entry.player], to, entry.channel, entry.text, number))
    ballots = _list_ballots(record, entries)
    return {
        message.position: Unsaid(
            position=message.position,
            round=message.round,
            player=message.player,
            name=names[message.player],
            role=record.players[message.player - 1].role or "",
            text=message.text,
            thoughts=thoughts[message.position],
            ballots=_find_next(ballots.get(message.player, {}), message),
            before=before[message.position],
            whispers=talk[message.position],
        )
        for message in record.messages
    }


def _find_message(entry: PrivateEntry, own: list[int], record: GameRecord) -> int:
    """Which of its author's `own` messages a thought belongs to; 0 for none."""
    later = bisect_right(own, entry.after)
    if later < len(own):
        return own[later]
    # What somebody thinks in the round of their last message, right after it, belongs to it.
    is_last = own[-1:] == [entry.after] and entry.round in (None, record.messages[own[-1] - 1].round)
    return own[-1] if is_last else 0


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
