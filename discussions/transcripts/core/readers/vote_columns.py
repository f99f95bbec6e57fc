"""The columns of votes: who votes, and for whom."""

from collections.abc import Collection, Mapping, Set
from itertools import permutations

from msgspec.structs import replace

from discussions.transcripts.core.audience import LEAST_TABLE, VOTE, kind_of_type, words_of
from discussions.transcripts.core.readers import columns as recipes
from discussions.transcripts.core.readers.column_guesses import (
    Column,
    beside,
    column_of,
    columns_in,
    find_free,
    find_kind,
    find_round,
    is_round,
)
from discussions.transcripts.core.readers.draft import is_nobody
from discussions.transcripts.core.readers.tables import Table

# What a column of those who vote is called, and that of those who are voted for: words that come first in a vote.
VOTERS = (
    frozenset("voter voters".split()),
    frozenset(
        "by from caster elector who source actor agent player user speaker name seat de da von wer quien от кто".split()
    ),
)
TARGETS = (
    frozenset("target targets votee suspect nominee candidate accused victim whom against".split()),
    frozenset(
        "to for on voted vote votes ballot choice pick picked a para contra contre an für gegen за против".split()
    ),
)
# Where in a game, and who.
_Key = tuple[tuple[str, ...], str]
_POINTS = frozenset(("pointed", "points", "finger"))


def find_votes(rows: list[dict[str, str]], free: list[Column], fields: Mapping[str, str]) -> dict[str, str]:
    """The columns of who votes, in rows of votes without a known one, and for whom (`_find_target`)."""
    players = {own[recipes.PLAYER] for own in rows if recipes.PLAYER in own}
    cast = [number for number, own in enumerate(rows) if _is_cast(own)]
    is_named = any({recipes.PLAYER, "voter"} & rows[number].keys() for number in cast)
    open_columns = free if cast and "type" in fields and not is_named else []
    held = [(one, [one.all[number] for number in cast if one.all[number]]) for one in open_columns]
    named = [one for one, names in held if 2 * len(names) > len(cast) and players.issuperset(names)]
    called = [one for one in named if not VOTERS[0].union(VOTERS[1]).isdisjoint(words_of(one.last))]
    rest = [one for one in named if TARGETS[0].union(TARGETS[1]).isdisjoint(words_of(one.last))]
    voter = next(iter(called or (rest if len(rest) == 1 else ())), None)
    others = [one for one in free if one is not voter]
    found = ({"voter": voter.name} if voter else {}) | _find_target(rows, others, fields)
    return found or _find_pair(rows, free)


def _find_pair(rows: list[dict[str, str]], free: list[Column]) -> dict[str, str]:
    """The columns of who votes, and for whom, of rows that name two players and say nothing else, as most cast one."""
    players = {own[recipes.PLAYER] for own in rows if recipes.PLAYER in own}
    silent = [not own.keys() & {recipes.PLAYER, recipes.TEXT} for own in rows]
    columns = [
        column_of(field, [own.get(field, "") for own in rows]) for field in ("voter", "vote", "target")
    ]
    named = [
        one
        for one in (*columns, *free)
        if {name for name in one.different if not is_nobody(name)} <= players
        if one.cells and all(is_so or not cell for is_so, cell in zip(silent, one.all, strict=True))
    ]
    keys, spoke = _places_of(rows)
    for voter, target in permutations(named, 2):
        called = (VOTERS, voter), (TARGETS, target)
        are_called = not any(words[0].union(words[1]).isdisjoint(words_of(one.last)) for words, one in called)
        cast = [(place, name) for (place, _who), name in zip(keys, voter.all, strict=True) if name]
        is_once = len(cast) == len({*cast}) and _are_most({*cast}, spoke)
        is_full = all(who for who, whom in zip(voter.all, target.all, strict=True) if whom)
        if are_called and is_once and is_full:
            return {field: one.name for field, one in (("voter", voter), ("target", target)) if one in free}
    return {}


def _places_of(rows: list[dict[str, str]]) -> tuple[list[_Key], set[_Key]]:
    """For each row its game, round and phase, and its player; and those of the rows with texts."""
    places = (tuple(own.get(field, "") for field in ("game", "round", "phase")) for own in rows)
    keys = [(place, own.get(recipes.PLAYER, "")) for place, own in zip(places, rows, strict=True)]
    return keys, {key for key, own in zip(keys, rows, strict=True) if key[1] and recipes.TEXT in own}


def _are_most(cast: Set[_Key], spoke: Set[_Key]) -> bool:
    """Whether half of those who speak where votes are cast cast one."""
    places = {place for place, _name in cast}
    return max(LEAST_TABLE, sum(place in places for place, _name in spoke) / 2) <= len(cast & spoke)


def find_ballots(rows: list[dict[str, str]], free: list[Column], fields: Mapping[str, str]) -> dict[str, str]:
    """The column that holds votes by its shape, as the field "vote"; nothing where votes or targets are known.

    Beside no text it names players, and half of those who speak fill it once, in the rows of each type that have it.
    """
    keys, spoke = _places_of(rows)
    for column in free if not {"target", "vote"} & fields.keys() else ():
        filled = [(own, key) for own, key, cell in zip(rows, keys, column.all, strict=True) if cell]
        cast = [(own.get("type"), key) for own, key in filled if key[1]]
        of_types = [{key for kind, key in cast if kind == one} for one in {kind for kind, _key in cast}]
        are_most = all(_are_most(own, spoke) for own in of_types)
        is_beside = any(recipes.TEXT in own for own, _key in filled)
        named = {name for name in column.different if not is_nobody(name)}
        is_once = 0 < len(cast) == len({*cast})
        if are_most and is_once and not is_beside and named <= {name for _place, name in spoke}:
            return {"vote": column.name}
    return {}


def _find_target(rows: list[dict[str, str]], free: list[Column], fields: Mapping[str, str]) -> dict[str, str]:
    """The column of names in votes alone, or called so beside no text, as "target", where types need one; else {}."""
    players = {own[recipes.PLAYER] for own in rows if recipes.PLAYER in own}
    is_open = {"type", "phase"} & fields.keys() and not {"target", "vote"} & fields.keys()
    for column in sorted(free, key=lambda one: recipes.field_of(one.name) != "target") if is_open else ():
        filled = [own for own, cell in zip(rows, column.all, strict=True) if cell]
        are_votes = list(map(_is_cast, filled))
        is_called = recipes.field_of(column.name) == "target" and not any(
            recipes.TEXT in own for own in filled
        )
        named = {name for name in column.different if not is_nobody(name)}
        if (any(are_votes) and is_called) or (all(are_votes) and named and named <= players):
            return {"target" if "type" in fields else "vote": column.name}
    return {}


def _is_cast(cells: Mapping[str, str]) -> bool:
    """Whether a row is a vote by its type, else by its phase."""
    return kind_of_type(cells.get("type") or cells.get("phase", "")) == VOTE


def is_target(cells: Mapping[str, str], called: str, names: Collection[str]) -> bool:
    """Whether the audience of a row, a player `called` so, is for whom it votes: {"type": "vote", "to": "Bea"}."""
    is_bare = not {recipes.TEXT, "target", "vote"} & cells.keys()
    return is_bare and called.casefold() in names and kind_of_type(cells.get("type", "")) == VOTE


def with_kind(table: Table, mapping: recipes.MappingRecord) -> recipes.MappingRecord:
    """With the unknown columns of codes, which are asked, of votes for players, and of rounds, if there are some."""
    columns = {column.name: column for column in columns_in(table)}
    players = columns.get(mapping.fields.get(recipes.PLAYER, ""))
    free = find_free(table, mapping.fields)
    is_typed = not mapping.fields.keys().isdisjoint(("type", "phase", "audience", "private", "public"))
    kind = find_kind(free, players) if players and not is_typed else ""
    voted = [one.name for one in free if players and kind_of_type(one.name) == VOTE and is_vote(one, players)]
    found = {"vote": voted[0]} if voted and not {"vote", "target"} & mapping.fields.keys() else {}
    said = columns.get(mapping.fields.get(recipes.TEXT, ""))
    counted = (one for one in free if said and words_of(one.name)[-1:] == ["round"])
    rounds = [one.name for one in counted if is_round(beside(said, one))]
    fields = mapping.fields | find_round(mapping.fields, columns, rounds)
    return replace(mapping, fields=found | fields | ({"type": kind} if kind else {}))


def is_vote(column: Column, players: Column) -> bool:
    """Whether a column names the player for whom each votes, by its name and by what it holds."""
    names = {name.strip().casefold() for name in players.different}
    named = sum(cell.strip().casefold() in names for cell in column.cells)
    is_called = kind_of_type(column.name) == VOTE or not _POINTS.isdisjoint(words_of(column.name))
    return is_called and 2 * named > len(column.cells)
