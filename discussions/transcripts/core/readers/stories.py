"""Tables with one row for each player, which holds all that the player was told: what all of them heard."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterator
from itertools import islice
from typing import Any

from msgspec import Struct

from discussions.transcripts.core.fields import as_object
from discussions.transcripts.core.readers.columns import PLAYER, TEXT, suggest_fields
from discussions.transcripts.core.readers.narration import votes_in
from discussions.transcripts.core.readers.tables import Table, TableRow, cells_of, places_of, with_rows
from workspace.core.strict_json import read_json

# The column of players whom no column names: no known name, so that a person is asked.
NAMED = "name in the column"
_LEAST_PLAYERS, _LEAST_LINES, _MOST_ROWS = 3, 3, 2_000
# "Ann: "Hello."", "[Ann] Hello."
_LINE = re.compile(
    r"(?:\[(?P<boxed>\w[\w .'’-]{0,40})\]|(?P<name>\w[\w .'’-]{0,40}):)[^\S\n]{1,3}(?P<text>\S.*)"
)
_BALLOT = re.compile(r"\[(?P<target>\w[\w .'’-]{0,40})\]")

# Who says what, or for whom somebody votes, and how often before.
_Line = tuple[str, str, str, int]


class Answer(Struct):
    """A text that a player answered: its message in the history, and where each hearer was told it."""

    owner: str
    at: int
    text: str
    heard: dict[str, int] = {}

    @property
    def hearers(self) -> set[str]:
        """Those who knew it: its author, and everybody who was told it."""
        return {self.owner, *self.heard}


def find_public(said: list[Answer]) -> list[Answer]:
    """The answers told to all who are told, or answer, something later; at the end half of them are enough."""
    later: set[str] = set()
    likely: list[Answer] = []
    hidden: list[Answer] = []
    for answer in reversed(said):
        (likely if answer.hearers >= later else hidden).append(answer)
        later |= answer.hearers
    small = [answer.hearers for answer in hidden]
    public: list[Answer] = []
    for answer in reversed(likely):
        is_shrunk = public and 2 * len(answer.hearers) <= len(public[-1].hearers)
        if answer.hearers not in small and not is_shrunk:
            public.append(answer)
    return public


def merge_stories(table: Table) -> Table:
    """The table with a row for each line told to all, where each row is what one player was told. Never raises."""
    fields = suggest_fields(table.columns)
    at = places_of({field: fields.get(field, "") for field in (PLAYER, "game")}, table.columns)
    rows = list(islice(table.rows, _MOST_ROWS + 1)) if PLAYER in fields and TEXT not in fields else []
    games: dict[str, dict[str, TableRow]] = defaultdict(dict)
    for row in rows:
        own = cells_of(row, at)
        games[own.get("game", "")][own.get(PLAYER, "").strip()] = row
    tables = sum(len(own) >= _LEAST_PLAYERS for own in games.values())
    # Each player has one row.
    if 2 * tables <= len(games) or not len(rows) == sum(map(len, games.values())) <= _MOST_ROWS:
        return table
    for place in range(len(table.columns)):
        told = {
            game: {name: list(_lines_told(row.cells[place], owners)) for name, row in owners.items()}
            for game, owners in games.items()
        }
        stories = [story for owners in told.values() for story in owners.values()]
        if 2 * sum(len(story) >= _LEAST_LINES for story in stories) > len(stories):
            is_named = [*games] != [""]
            merged = [[game] * is_named + cells for game, owners in told.items() for cells in _merge(owners)]
            columns = ["game"] * is_named + ["round", NAMED, TEXT, "vote"]
            return with_rows(table, columns, enumerate(merged, start=1))
    return table


def _lines_told(cell: str, names: Collection[str]) -> Iterator[_Line]:
    """The lines of a story that somebody says, and the votes in it."""
    parts = _texts_inside(read_json(cell.encode(), is_lenient=True).value) if cell[:1] in "{[" else [cell]
    counts: dict[tuple[str, str, str], int] = defaultdict(int)
    for line in (line.strip() for part in parts for line in part.split("\n")):
        label = _LINE.match(line)
        name, said = ((label["boxed"] or label["name"]), label["text"]) if label else ("", "")
        ballot = _BALLOT.fullmatch(said)
        voter, target = (name, ballot["target"]) if ballot else next(votes_in(line), ("", ""))
        is_quoted = len(said) > 1 and said[0] == said[-1] == '"'
        found = (voter, "", target) if voter in names else (name, said[1:-1] if is_quoted else said, "")
        if found[0] in names:
            yield *found, counts[found]
            counts[found] += 1


def _texts_inside(value: Any) -> Iterator[str]:
    if type(value) is str:
        yield value
    for part in as_object(value).values() if type(value) is dict else value if type(value) is list else ():
        yield from _texts_inside(part)


def _merge(told: dict[str, list[_Line]]) -> Iterator[list[str]]:
    """The round, speaker, text and target of each line that all heard who heard something later, in order."""
    longest = sorted(told.values(), key=len, reverse=True)
    known = {name: {*own} for name, own in told.items()}
    hearers = {line: [name for name in known if line in known[name]] for own in longest for line in own}
    # When others were told is not known.
    lines, known_order = list(hearers), {*longest[0]}
    said = [
        Answer(line[0], at, line[1], dict.fromkeys(hearers[line], 0))
        for at, line in enumerate(lines)
        if len(hearers[line]) > 1 and (line in known_order or len(hearers[line]) == len(known))
    ]
    number, has_voted = 1, False
    for name, text, target, _time in (lines[answer.at] for answer in find_public(said)):
        number, has_voted = number + (has_voted and text != ""), target != ""
        yield [str(number), name, text, target]
