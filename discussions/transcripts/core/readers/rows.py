"""Rows with one message each, under named columns, to games as objects that `native.read_game` reads."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from discussions.transcripts.core.converted import Columns, NativeGame, NewNotes
from discussions.transcripts.core.notes import Notes
from discussions.transcripts.core.readers.columns import (
    UNKNOWN_COLUMNS,
    describe_unknown,
    find_fields,
)

MOST_CELLS = 4_000_000
NOBODY = frozenset(("", "nobody", "noone", "none", "abstain", "abstains", "skip", "novote", "pass", "null"))
_ROUND = re.compile(r"[^\d-]{0,40}(\d{1,9})(?:\.0+)?(?:\D.{0,100})?", re.DOTALL)
_TURN = re.compile(r"(\d{1,9})(?:\.0+)?", re.ASCII)

_DIFFERS = {
    "role": (
        "One row gives a player another role than an earlier row ({what}); the first one is kept.",
        "{count} rows give a player another role than an earlier row (first {what}); the first one is kept.",
    ),
    "personality": (
        "One row gives a player another personality than an earlier row ({what}); the first one is kept.",
        "{count} rows give a player another personality than an earlier row (first {what}); the first one is kept.",
    ),
}
_SILENT = (
    'One name only gets votes and never speaks ("{what}"); it was added as a player.',
    '{count} names only get votes and never speak (such as "{what}"); they were added as players.',
)


class Row(Struct, frozen=True, gc=False):
    """One row: where it is in the file, and its cells in the order of the columns; cells that lack are empty."""

    place: str
    cells: list[str]


class Table(Struct, frozen=True):
    """The rows of a file. Faults (code, place, sentence) are of the file as a whole: then no game comes in."""

    columns: list[str] = []
    rows: list[Row] = []
    faults: list[tuple[str, str, str]] = []


class _Game(Struct):
    """A game while its rows are read. `roster` is in the order of first appearance."""

    id: str
    notes: Notes
    messages: list[dict[str, Any]] = []
    votes: list[dict[str, Any]] = []
    roster: dict[str, dict[str, Any]] = {}
    targets: dict[str, str] = {}
    winner: str | None = None
    round: int | None = None


def is_nobody(target: str) -> bool:
    """Whether the target of a vote says that nobody was voted for."""
    return re.sub(r"[\W_]+", "", target).lower() in NOBODY


def table_columns(names: Sequence[str]) -> list[str]:
    """The names of columns so that each is told apart: an empty one gets its number, a repeated one, too."""
    found: list[str] = []
    taken = set(names)
    for number, given in enumerate(names, start=1):
        name = given.strip()[:200]
        while not name or name in found:
            name = f"{name or 'column'} ({number})"
            if name in taken:
                name = f"{name}_"
        found.append(name)
    return found


def read_table(table: Table, new_notes: NewNotes, columns: Columns) -> Iterator[tuple[NativeGame, Notes]]:
    """The games of a file of rows, by a mapping or by known names of columns; else its fault."""
    fields = find_fields(table.columns, columns)
    games = [] if table.faults or fields is None else list(games_of_rows(table, fields, new_notes))
    yield from games
    if games:
        return
    notes = new_notes()
    for code, place, sentence in table.faults:
        notes.fault(code, place, sentence)
    if not table.faults and fields is None:
        notes.fault(UNKNOWN_COLUMNS, "", describe_unknown(table.columns))
    elif not table.faults:
        notes.fault("no_games", "", "The file has no row with a message. Export it again.")
    yield None, notes


def games_of_rows(
    table: Table, fields: Mapping[str, str], new_notes: NewNotes
) -> Iterator[tuple[NativeGame, Notes]]:
    """The games of a table in order of their first rows; `fields` says which column is which. Never raises."""
    numbers = {name: index for index, name in enumerate(table.columns)}
    at = {field: numbers[column] for field, column in fields.items() if column in numbers}
    games: dict[str, _Game] = {}
    for row in table.rows:
        cells = {
            field: row.cells[index]
            for field, index in at.items()
            if index < len(row.cells) and row.cells[index]
        }
        if not cells:
            continue
        key = cells.get("game", "").strip() if "game" in at else ""
        game = games.get(key)
        if game is None:
            notes = new_notes()
            notes.translate("", row.place)
            game = games[key] = _Game(id=key if "game" in at else notes.source, notes=notes)
        _read_row(game, cells, row.place, has_turns="turn" in at or "id" in at)
    for game in games.values():
        yield _finish(game), game.notes


def _read_row(game: _Game, cells: Mapping[str, str], place: str, *, has_turns: bool) -> None:
    """One row: a message, a vote, or both; one that names a player alone says their role or personality."""
    name = cells.get("player", "").strip()
    text, target = cells.get("text", ""), cells.get("vote", "").strip()
    game.winner = game.winner or cells.get("winner")
    if "round" in cells:
        game.round = _round(game, cells["round"], place)
    if name:
        _note_player(game, name, cells, place)
    elif text or target:
        game.notes.fault(
            "no_player", place, "The row names no player. Write who said it, or take the row out."
        )
    if target:
        _read_vote(game, name, target, cells, place)
    if not name or not (text or not target):
        return
    message = {
        "id": cells.get("id", "").strip() or None,
        "turn": _turn(game, cells["turn"], place) if "turn" in cells else None,
        "roundNumber": game.round,
        "playerName": name,
        "message": text,
        "timestamp": cells.get("time"),
        "inReplyToId": _whole(cells.get("reply_to", "")),
    }
    if not has_turns:
        message["turn"] = len(game.messages) + 1
    game.notes.translate(f"/messages/{len(game.messages)}", place)
    game.messages.append(message)


def _read_vote(game: _Game, name: str, target: str, cells: Mapping[str, str], place: str) -> None:
    if not is_nobody(target):
        game.targets.setdefault(target, place)
    game.notes.translate(f"/votes/{len(game.votes)}", place)
    game.votes.append(
        {
            "roundNumber": 1 if game.round is None else game.round,
            "voterName": name or None,
            "targetName": None if is_nobody(target) else target,
            "timestamp": cells.get("time"),
        }
    )


def _note_player(game: _Game, name: str, cells: Mapping[str, str], place: str) -> None:
    player = game.roster.get(name)
    if player is None:
        game.notes.translate(f"/players/{len(game.roster)}", place)
        player = game.roster[name] = {"name": name, "role": None, "personality": None}
    for field in ("role", "personality"):
        said = cells.get(field, "").strip()
        if not said:
            continue
        if player[field] is None:
            player[field] = said
        elif player[field] != said:
            game.notes.warn(f"{field}_differs", place, name, says=_DIFFERS[field])


def _round(game: _Game, given: str, place: str) -> int | None:
    number = _ROUND.fullmatch(given.strip())
    if number is None and given.strip():
        sentence = f'The round "{given.strip()[:60]}" holds no number. Write 2, "Day 2" or "Round 2".'
        game.notes.fault("wrong_type", place, sentence)
    return int(number[1]) if number else game.round


def _turn(game: _Game, given: str, place: str) -> int | None:
    number = _TURN.fullmatch(given.strip())
    if number is None and given.strip():
        sentence = f'The turn "{given.strip()[:60]}" is no whole number. Write a number, or map the column to the id.'
        game.notes.fault("wrong_type", place, sentence)
    return int(number[1]) if number else None


def _whole(given: str) -> str | None:
    """A reply link; a whole number that a spreadsheet wrote as 3.0 is 3."""
    number = _TURN.fullmatch(given.strip())
    return str(int(number[1])) if number else given.strip() or None


def _finish(game: _Game) -> NativeGame:
    """The object of the game. Who is voted for and never speaks is a player, too."""
    names = {name.casefold(): name for name in game.roster}
    for target, place in game.targets.items():
        if target.casefold() not in names:
            names[target.casefold()] = target
            game.notes.translate(f"/players/{len(game.roster)}", place)
            game.roster[target] = {"name": target, "role": None, "personality": None}
            game.notes.warn("silent_target", place, target, says=_SILENT)
    for vote in game.votes:
        if vote["targetName"] is not None:
            vote["targetName"] = names[vote["targetName"].casefold()]
    return {
        "gameId": game.id,
        "players": list(game.roster.values()),
        "messages": game.messages,
        "votes": game.votes,
        "winner": game.winner,
    }


def sample_rows(table: Table, count: int) -> Iterator[list[str]]:
    """The first rows with a cell for each column."""
    for row in table.rows[:count]:
        yield [*row.cells, *[""] * (len(table.columns) - len(row.cells))][: len(table.columns)]
