"""The transcript reader: games that hold together and come back the same, or faults, each with its place."""

from typing import Any
from zlib import crc32

import msgspec
from msgspec.structs import replace

from discussions.core.records import GameRecord, Message
from discussions.transcripts.core.formats import FORMATS
from discussions.transcripts.core.notes import Limits
from tests.factories.foreign_games import aiwolf_game, avalon_game, werewolf_arena_game, werewolf_arena_logs
from tests.factories.native_games import as_bytes, native_game
from tests.factories.public_formats import (
    a2a_task,
    agents_items,
    atif_trajectory,
    autogen_result,
    kaggle_replay,
    otlp_spans,
    session_lines,
)
from tests.factories.reading import read_transcripts
from tests.faults.odd_games import ACCEPTED, any_odd_game
from tests.fuzz.promises import check_sentences, check_storable, in_time, longer, numbers_in

LIMITS = (
    Limits(),
    Limits(messages=5, players=2, votes=1, faults=3, message_characters=50, name_characters=5),
)
ROLES = {"mafia": ["MAFIA"], "village": ["VILLAGER", "SEER"]}


def check(data: bytes, read: Any = read_transcripts) -> None:
    """Everything that holds of every file. Raises when it does not."""
    limits = LIMITS[crc32(data) % 4 == 0]
    found = in_time(lambda given: read(given, "game.json", limits, role_map=ROLES), data)
    check_storable(found)
    assert found == read(data, "game.json", limits, role_map=ROLES), "read twice, it says something else"
    assert found.games or found.faults, "neither a game nor a fault"
    assert len(found.faults) <= limits.faults and found.fault_count >= len(found.faults)
    assert bool(found.refused_count) == (found.format != "" and bool(found.faults))
    check_sentences(*(fault.message for fault in found.faults))
    assert all(not fault.is_warning and fault.place.startswith("game.json") for fault in found.faults)
    for game in found.games:
        check_sentences(*(warning.message for warning in game.warnings))
        check_game(game.record)
        if found.format == "native":
            _check_cost(game.record, data)
        again = read(as_bytes(_as_native(game.record)), "game.json", role_map=ROLES)
        assert [parsed.record for parsed in again.games] == [_without_links(game.record)], (
            "written out, it is another"
        )
    check_named(data)


def check_named(data: bytes) -> None:
    """Whatever format a person names for a file, it gives games that hold together, or faults."""
    for known in FORMATS:
        found = in_time(lambda given, known=known: read_transcripts(given, "game.json", named=known), data)
        check_storable(found)
        check_sentences(*(fault.message for fault in found.faults))
        assert found.games or found.faults, f"neither a game nor a fault as {known.name}"
        for game in found.games:
            check_game(game.record)


def check_long(data: bytes) -> None:
    """The same many times over is read in time."""
    for case in longer(data):
        in_time(lambda given: read_transcripts(given, "game.json"), case)


def seeds() -> list[bytes]:
    """Games as they should be, games as nobody expects them, and files of many."""
    games = [native_game(), *ACCEPTED.values(), *map(any_odd_game, range(6))]
    small = [as_bytes(game) for game in games]
    links = native_game()
    for message in links["messages"]:
        message |= {"id": f"m{message['turn']}", "inReplyToId": f"m{message['turn'] - 1}"}
    links["eliminations"] = [{"roundNumber": 1, "playerName": "Cid", "how": "vote"}]
    return [
        *(case for case in small if len(case) < 20_000),
        as_bytes([native_game(), native_game(gameId=""), 5]),
        as_bytes(links),
        as_bytes(native_game(metadata={"cost": {"totalUsd": 0, "totalTokens": 5}})),
        as_bytes(
            {
                "game_id": 7,
                "players": [{"player_name": "Ann"}],
                "messages": [{"player_name": "Ann", "message": "x"}],
            }
        ),
        b"\n".join(
            [as_bytes(native_game()), b'{"gameId": "cut', as_bytes(native_game(gameId="b", votes={})), b"5"]
        ),
        as_bytes([avalon_game(), aiwolf_game()]),
        as_bytes(werewolf_arena_game()),
        as_bytes(werewolf_arena_logs()),
        as_bytes(kaggle_replay()),
        *map(as_bytes, (agents_items(), autogen_result(), a2a_task(), atif_trajectory())),
        as_bytes(otlp_spans()),
        b"\n".join(map(as_bytes, session_lines())),
        b"PK\x03\x04",
        b"Ann: Good morning.\nBea: Who says so?\n",
        b"",
    ]


def check_game(game: GameRecord) -> None:
    """Positions, numbers of players and links point to what is there."""
    players = range(1, len(game.players) + 1)
    assert game.game_id and game.players and game.messages
    assert [message.position for message in game.messages] == list(range(1, len(game.messages) + 1))
    assert all(message.player in players and message.text.strip() for message in game.messages)
    assert all(
        message.reply_to is None or 1 <= message.reply_to <= len(game.messages) for message in game.messages
    )
    assert all(vote.voter in players and vote.target in players for vote in game.votes)
    assert all(elimination.player in players for elimination in game.eliminations)
    assert len({player.name for player in game.players}) == len(game.players)
    assert msgspec.json.decode(msgspec.json.encode(game), type=GameRecord) == game


def _check_cost(game: GameRecord, data: bytes) -> None:
    """Dollars, tokens and the hit rate are numbers of the file."""
    written = numbers_in(data.decode("utf-8", "replace"))
    cost = game.cost
    numbers = [cost.input_tokens, cost.output_tokens]
    assert {float(number) for number in numbers if number is not None} <= written, "tokens that nobody wrote"
    if cost.total_usd is not None:
        assert any(abs(number - float(cost.total_usd)) < 1e-6 for number in written), (
            "a cost that nobody wrote"
        )
    if cost.cache_hit_rate is not None:
        assert {cost.cache_hit_rate} & (written | {number / 100 for number in written}), (
            "a rate that nobody wrote"
        )


def _without_links(game: GameRecord) -> GameRecord:
    return replace(
        game, messages=[replace(message, has_reply_link=False, reply_to=None) for message in game.messages]
    )


def _as_native(game: GameRecord) -> dict[str, Any]:
    """The record as a native transcript, reply links left out."""
    names = {number: player.name for number, player in enumerate(game.players, start=1)}
    cost = game.cost
    block = {"totalUsd": cost.total_usd, "inputTokens": cost.input_tokens, "outputTokens": cost.output_tokens}
    return {
        "gameId": game.game_id,
        "timestamp": game.timestamp,
        "prompt": game.prompt,
        "winner": game.winner,
        "modelBuild": game.model_build,
        "seed": game.seed,
        "pair": game.pair,
        "cost": {name: None if figure is None else float(figure) for name, figure in block.items()}
        | {"cacheHitRate": cost.cache_hit_rate},
        "players": [
            {"name": player.name, "role": player.role, "personality": player.personality, "isAlive": player.is_alive}
            for player in game.players
        ],
        "messages": [_message(message, names) for message in game.messages],
        "votes": [
            {"roundNumber": vote.round, "voterName": names[vote.voter], "targetName": names[vote.target],
             "justification": vote.justification, "timestamp": vote.time}
            for vote in game.votes
        ],
        "eliminations": [
            {"roundNumber": elimination.round, "playerName": names[elimination.player], "how": elimination.how}
            for elimination in game.eliminations
        ],
    }  # fmt: skip


def _message(message: Message, names: dict[int, str]) -> dict[str, Any]:
    return {
        "turn": message.turn,
        "roundNumber": message.round,
        "playerName": names[message.player],
        "message": message.text,
        "timestamp": message.time,
    }
