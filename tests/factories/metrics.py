"""Games in one line each, for the tests of the core."""

from collections.abc import Mapping, Sequence
from typing import Any

from discussions.core.records import Elimination, GameRecord, Measurement, Message, Player, Vote
from discussions.metrics.core.registry import measure_game
from rubric.core.records import RubricRecord
from rubric.versions.queries import discussion_version

Said = tuple[str, str] | tuple[str, str, int]


def game(
    *,
    messages: Sequence[Said] = (),
    roles: Mapping[str, str | None] | None = None,
    votes: Sequence[tuple[int, str, str]] = (),
    eliminations: Sequence[tuple[int, str]] = (),
    links: Mapping[int, int | None] | None = None,
    times: Mapping[int, str] | None = None,
    vote_times: Sequence[str] = (),
    round_offset: int = 0,
) -> GameRecord:
    """A game of (name, text[, round]) messages; players are those of `roles`, then whoever else speaks or votes.

    `links` maps a message to the position it replies to (None: a link that does not resolve); `times` a message to its
    time; `vote_times` belong to the votes in order.
    """
    names = list(dict.fromkeys([*(roles or {}), *(said[0] for said in messages)]))
    names += [name for row in votes for name in row[1:] if name not in names]
    names = list(dict.fromkeys(names))
    number = {name: index for index, name in enumerate(names, start=1)}
    return GameRecord(
        game_id="game-1",
        players=[Player(name, role=(roles or {}).get(name)) for name in names],
        messages=[
            Message(
                position=position,
                player=number[said[0]],
                text=said[1],
                round=said[2] if len(said) > 2 else 1,
                has_reply_link=position in (links or {}),
                reply_to=(links or {}).get(position),
                time=(times or {}).get(position),
            )
            for position, said in enumerate(messages, start=1)
        ],
        votes=[
            Vote(
                row[0],
                number[row[1]],
                number[row[2]],
                time=vote_times[index] if index < len(vote_times) else None,
            )
            for index, row in enumerate(votes)
        ],
        eliminations=[Elimination(row[0], number[row[1]]) for row in eliminations],
        round_offset=round_offset,
    )


def rubric(*, number: str = "1.0", **parameters: Any) -> RubricRecord:
    """A shipped discussion version with some parameters changed."""
    shipped = discussion_version(number)
    if not parameters:
        return shipped
    return RubricRecord(
        shipped.name,
        "test",
        shipped.kind,
        shipped.criteria,
        {**shipped.parameters, **parameters},
        shipped.lists,
    )


def measured(metric: str, record: GameRecord, *, number: str = "1.0", **parameters: Any) -> Measurement:
    """What one metric gives for a game under a shipped version, with some parameters changed."""
    return measure_game(record, rubric(number=number, **parameters))[metric]


def native_like(data: Mapping[str, Any]) -> GameRecord:
    """A game from the native JSON's own keys, without any checking; for real files in tests of the core."""
    names = [player["name"] for player in data["players"]]
    return GameRecord(
        game_id=data["gameId"],
        players=[
            Player(p["name"], p.get("role"), p.get("personality"), p.get("isAlive")) for p in data["players"]
        ],
        messages=[
            Message(
                position, names.index(m["playerName"]) + 1, m["message"], m["roundNumber"], turn=m.get("turn")
            )
            for position, m in enumerate(data["messages"], start=1)
        ],
        votes=[
            Vote(v["roundNumber"], names.index(v["voterName"]) + 1, names.index(v["targetName"]) + 1)
            for v in data["votes"]
        ],
    )
