"""What was said, what its author thought at that moment, and the vote that followed, for whoever may see the game.

The page of a game opens to leads, who do not rate it, and after the verdict to those who did.
"""

from collections.abc import Sequence
from typing import Any

from discussions.core.records import GameRecord, Message, Vote
from discussions.models import PrivateTrack


def load_unsaid(game: int, record: GameRecord, shown: Sequence[Message]) -> dict[int, dict[str, Any]]:
    """Position -> what was not said at these messages; empty for a game without a private track.

    `thoughts` of the author since their last message, their `votes` of the round with reasons, and the `talk` that only
    some heard before the next message.
    """
    track = PrivateTrack.objects.filter(pk=game).first()
    if track is None:
        return {}
    entries = track.to_entries()
    reasons = {(entry.player, entry.round): entry.text for entry in entries if entry.kind == "vote"}
    votes: dict[tuple[int, int], list[tuple[Vote, str]]] = {}
    for vote in record.votes:
        reason = reasons.get((vote.voter, vote.round), "")
        votes.setdefault((vote.voter, vote.round), []).append((vote, reason))
    before: dict[int, int] = {}
    previous = {}
    for message in record.messages:
        previous[message.position] = before.get(message.player, 0)
        before[message.player] = message.position
    return {
        message.position: {
            "thoughts": [
                entry.text
                for entry in entries
                if entry.kind == "thought"
                and entry.player == message.player
                and previous[message.position] <= entry.after < message.position
            ],
            "votes": votes.get((message.player, message.round), []),
            "talk": [entry for entry in entries if entry.kind == "talk" and entry.after == message.position],
        }
        for message in shown
    }
