"""What a column of a file may be, judged by what it holds: texts, players, rounds, or what a row is."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from itertools import groupby, pairwise, permutations, takewhile
from operator import itemgetter

from msgspec import Struct

from discussions.transcripts.core.audience import (
    LEAST_SPACES,
    LEAST_TABLE,
    OUT,
    SPEECH,
    UNSPACED,
    VOTE,
    count_gaps,
    is_hidden,
    kind_of_audience,
    kind_of_flag,
    kind_of_type,
    looks_like_audience,
    may_hide,
    split_names,
    words_of,
)
from discussions.transcripts.core.notes import Limits
from discussions.transcripts.core.readers import columns as recipes
from discussions.transcripts.core.readers.tables import Table, sample_rows
from workspace.core.words import mark, say

# The shortest average text.
LEAST_TEXT = 12
MOST_ROUNDS = 60
_OF_COLUMNS = frozenset("field fields key keys column columns attribute attributes".split())
_FIGURE = re.compile(r"-?\d{1,12}(?:[.,]\d{1,12})?")
# How many different lists are looked at.
MOST_LISTS = 500
# A column of players who all speak once has at most so many rows.
MOST_ALONE = 12
# The most words that may say what a row is, for a column to be asked about.
MOST_KINDS = 5
# Names of what a model was told, and of what it said.
_TOLD = frozenset(
    "prompt prompts system instruction instructions observation observations obs input inputs request requests context "
    "memory memories state states history hidden secret private internal raw debug argument arguments tool".split()
)
# What one player says of others, and how they say it.
_OF_OTHERS = frozenset(
    "reaction reactions like likes mention mentions mentioned suspect suspects reply replies claim claims claimed "
    "guess guesses accused accuses role roles pointed points finger nominated nominates nominee order suspicion "
    "confidence certainty trust sentiment mood emotion emotions stance feeling feelings truncated cached".split()
)
# Lists of those who are still in the game, or stand for election, which are one in each round, or only shrink.
_OF_ROUNDS = frozenset(
    "alive living survivors survivor remaining candidate candidates voter voters withdrawn".split()
)
# Who leads a round, and what came of it, where nothing else is in the name.
_OF_LEADERS = frozenset(
    "leader president chancellor captain proposer mayor sheriff approved rejected success passed outcome result".split()
)
# With what a game is played, and what it pays, "target_card"; and why a model stopped.
_OF_PLAY = frozenset(
    "card cards suit suits hand deck dice payoff payoffs coins points score scores finish stop".split()
)
# What is around an answer of several texts, of which each has its own name.
_AROUND = frozenset(("raw", "argument", "arguments", "tool"))
_SPOKEN = frozenset(
    "said say says speech spoken statement utterance utter response responses completion output outputs answer reply "
    "text message content line talk".split()
)
_COUNTS = frozenset("round subround turn step iteration cycle rotation lap".split())
_SIGNS = re.compile(r"[\W_]+")
_CODE = re.compile(r"[01]|(?!\w{1,9}://)[^\s\d]\S{0,80}(?: \S{1,20}){0,2}")
_DIGIT = re.compile(r"\d")
_ROUND = re.compile(r"(?P<word>[^\W\d_]{0,12}) ?(?P<number>\d{1,3})")
_LABELS = re.compile(r"^[\W_]{0,9}([^\W_][^\n:]{0,30}): ", re.MULTILINE)
_LEAST_LABELS = 3
# What several rooms of one game may be, too.
_ROOMS = ("conversation", "session", "chat", "dialog")
_MAY_BE_ROOMS = mark(
    'The values of "{column}" may be rooms of one game, which not everybody heard. Say once what they are, under “Is '
    "this the game?” of the import."
)
_FLAGS = frozenset(("true", "false", "1", "0"))
_PLAYER_ID, _MOST_WILDCARDS = re.compile(r"[^\W\d]{0,12}-?\d{1,6}"), 2


class Column(Struct, frozen=True):
    """A column: its cell in each row, the cells that are not empty, and the different ones in order."""

    name: str
    all: list[str]
    cells: list[str]
    different: list[str]

    @property
    def last(self) -> str:
        return self.name.rpartition(".")[2]

    @property
    def is_speech(self) -> bool:
        return bool(_SPOKEN & {*words_of(self.last)})

    @property
    def length(self) -> float:
        # A sign of a script without spaces says as much as a few letters.
        return sum(len(one) + 2 * len(UNSPACED.findall(one)) for one in self.cells) / max(1, len(self.cells))


def columns_in(table: Table) -> list[Column]:
    """The columns that have cells in the first rows."""
    columns = zip(table.columns, zip(*sample_rows(table), strict=True), strict=False)
    return [column for name, cells in columns if (column := column_of(name, list(cells))).cells]


def find_free(table: Table, fields: Mapping[str, str]) -> list[Column]:
    """The columns with cells that no field names."""
    used = {part for name in fields.values() for part in recipes.split_columns(name, table.columns)}
    return [column for column in columns_in(table) if column.name not in (*used, table.counted)]


def column_of(name: str, every: list[str]) -> Column:
    cells = list(filter(None, every))
    return Column(name, every, cells, list(dict.fromkeys(cells)))


def find_likeliest(name: str, columns: list[Column]) -> str:
    """The column of players by its name, or another such one that more rows have; "" where no values are names."""
    own = next((column for column in columns if column.name == name), None)
    if own is None:
        return name
    others = [one for one in columns if recipes.field_of(one.name) == recipes.PLAYER and _is_small(one)]
    fullest = max(others, key=lambda one: (len(one.cells), one is own), default=None)
    is_id = len(own.different) == len(own.cells) > MOST_ALONE
    return fullest.name if fullest else "" if is_id else name


def is_of_others(column: str) -> bool:
    """Whether a column is about other players, such as votes and claims, or cards, and not who could hear a row."""
    return kind_of_type(column) in (VOTE, OUT) or not (_OF_OTHERS | _OF_PLAY).isdisjoint(words_of(column))


def find_telling(table: Table, places: Iterable[int], texts: Sequence[int]) -> tuple[list[int], set[int]]:
    """Those of these columns that may say who could hear a row, and which of them are called so; where `texts` are."""
    columns = table.columns
    own = [place for place in places if not _is_of_each(columns[place], columns)]
    said = {part for place in texts for part in columns[place].split(".")}
    own = [place for place in own if not _lists_columns(table, place, said)]
    named = {place for place in own if looks_like_audience(columns[place])}
    named -= {place for place in named if not _OF_PLAY.isdisjoint(words_of(columns[place]))}
    # Who leads a round, or what came of it, is no list.
    leading = {at for at in own if _is_of_leaders(columns[at].rpartition(".")[2])}
    leading -= {at for at in leading for cells in sample_rows(table) if "," in cells[at]}
    return [
        place for place in own if place in named or not (place in leading or is_of_others(columns[place]))
    ], named


def _is_of_leaders(name: str) -> bool:
    return set() < {*words_of(name)} <= _OF_LEADERS


def _lists_columns(table: Table, place: int, texts: Set[str]) -> bool:
    """Whether a column lists others ("private_fields": ["reasoning"]), which says nothing of who could hear a row."""
    if _OF_COLUMNS.isdisjoint(words_of(table.columns[place])):
        return False
    named = {part for column in table.columns for part in column.split(".")}
    cells = (row[place].strip("[]").split(",") for row in sample_rows(table))
    parts = {part.strip(" '\"") for own in cells for part in own} - {""}
    return bool(parts) and parts.isdisjoint(texts) and 2 * len(parts & named) >= len(parts)


def _is_of_each(column: str, columns: Sequence[str]) -> bool:
    """Whether a column is in each of several objects under ids, "votes.*.target", and not called an audience."""
    above, _star, last = column.partition(f".{recipes.ANY}.")
    is_map = all(one.startswith(f"{above}.{recipes.ANY}") for one in columns if one.startswith(f"{above}."))
    is_act = recipes.field_of(last) in recipes.OF_TYPED_ROWS
    return bool(last) and is_map and not looks_like_audience(f"{above}.{'' if is_act else last}")


def is_note(column: Column) -> bool:
    """Whether a column of sentences has a name that may say who reads them."""
    said = sum(count_gaps(cell.replace(", ", "")) > 0 for cell in column.different)
    may_be = looks_like_audience(column.name) and kind_of_type(column.last) != SPEECH
    return may_be and 2 * said > len(column.different)


def are_texts(column: str, cells: Collection[str]) -> bool:
    """Whether a column holds thoughts or texts of many lines themselves, and does not say what texts are."""
    is_named = is_hidden(column.rpartition(".")[2])
    have_lines = 2 * sum("\n" in cell for cell in cells) >= len(cells)
    return have_lines or (is_named and all(count_gaps(cell) >= LEAST_SPACES for cell in cells))


def is_told(column: Column, name_of_list: str = "") -> bool:
    """Whether a column holds what a model was told or thought, or its answer as JSON, of which texts are a part."""
    around, _dot, last = column.name.rpartition(".")
    outer = {*words_of(around)}
    # "output.raw" is what a model said.
    is_said = (outer | {*words_of(name_of_list)}) & _SPOKEN
    words = ({*words_of(last)} - (_AROUND if is_said else set())) | (outer - _AROUND)
    is_known = bool(words & _TOLD) or any(map(is_hidden, column.name.split(".")))
    # JSON, or lines of several speakers or keys, are a record; "[note 1] Hello." is a text.
    ends = [(cell.lstrip()[:1], cell.rstrip()[-1:]) for cell in column.cells]
    labelled = [len({*_LABELS.findall(cell)}) >= _LEAST_LABELS for cell in column.cells]
    records = sum(
        is_so or own[0] == "{" or own == ("[", "]") for is_so, own in zip(labelled, ends, strict=True)
    )
    return is_known or 2 * records > len(ends)


def find_kind(free: list[Column], players: Column) -> str:
    """A column of a few codes that tell apart what one player said, names in them aside: that is asked; or ""."""
    # Who is dead may speak where the others do not hear it.
    named = [one for one in free if kind_of_type(one.name) == OUT or not is_of_others(one.name)]
    for column in [one for one in named if not _is_of_leaders(one.last)]:
        pairs = list(zip(players.all, column.all, strict=True))
        names = {name for name, _cell in pairs}
        # Rows without a player's role say nothing of it.
        is_role = recipes.field_of(column.name) in (recipes.PLAYER, "role")
        told = ((who, cell) for who, cell in pairs if cell or not is_role)
        codes = {(who, cell.replace(who, recipes.ANY) if who else cell) for who, cell in told}
        different = {code for _name, code in codes} - {""}
        is_flag = all(kind_of_flag(cell, is_private=True) for cell in column.different)
        # Of some flags the name says what they mean.
        is_known = is_flag and may_hide(column.name, column.different)
        is_code = all(map(_CODE.fullmatch, column.different)) and not is_known
        is_few = 1 < len(different) <= MOST_KINDS and 2 * len(different) <= len(column.cells)
        if is_code and is_few and len(codes) > len(names) and names.isdisjoint(column.different):
            return column.name
    return ""


def find_longest(columns: list[Column]) -> Column | None:
    long = (one for one in columns if one.length >= LEAST_TEXT and 2 * len(one.different) > len(one.cells))
    varied = [one for one in long if any(" " in cell or UNSPACED.search(cell) for cell in one.cells)]
    longest = max(varied, key=lambda one: (one.is_speech, one.length * len(one.cells)), default=None)
    # Of "Speak: Hello." and "Hello." the latter is what was said.
    within = (one for one in varied if longest and one.is_speech and is_within(one, longest))
    return min(within, key=lambda one: one.length * len(one.cells), default=longest)


def is_within(column: Column, other: Column) -> bool:
    return all(cell in around for cell, around in zip(column.all, other.all, strict=True))


def find_most_named(columns: list[Column], said: Column | None) -> Column | None:
    """The column of a few short values that come back, beside most texts; of several, that whose values they name."""
    every = said.all if said else []
    texts = "\n".join(every).casefold()
    names = [
        column
        for column in columns
        if _is_small(column)
        and not all(_FIGURE.fullmatch(cell.strip()) or kind_of_type(cell) for cell in column.different)
        and 2 * sum(1 for both in zip(every, column.all, strict=False) if all(both)) >= sum(map(bool, every))
    ]
    return max(names, key=lambda one: (_share_named(one, texts), len(one.cells)), default=None)


def find_turns(columns: list[Column], said: Column | None) -> Column | None:
    """The column of two numbers that change with each text, as those of two who speak in turn."""
    pairs = (one for one in columns if len(one.different) == 2 and not may_hide(one.name, one.different))
    numbers = (one for one in pairs if all(map(str.isdecimal, one.different)))
    beside_text = ((one, beside(said, one).cells) for one in numbers if said)
    return next((one for one, own in beside_text if all(a != b for a, b in pairwise(own))), None)


def in_message(columns: list[Column], said: Column | None) -> Column | None:
    """The fullest one in the same object as the texts ("payload.reply.text") that is called a player there."""
    around = said.name.rpartition(".")[0] if said else ""
    called = [
        one
        for one in columns
        if around and one.name.rpartition(".")[0] == around and recipes.field_of(one.last) == recipes.PLAYER
        if said and any(map(all, zip(one.all, said.all, strict=True)))
    ]
    return max(called, key=lambda one: len(one.cells), default=None)


def add_bare_text(table: Table, fields: dict[str, str], free: list[Column]) -> None:
    if bare := find_bare_text(table, fields, free):
        fields[recipes.TEXT] += f"{recipes.OR}{bare.name}"
        free.remove(bare)


def find_bare_text(table: Table, fields: Mapping[str, str], free: list[Column]) -> Column | None:
    """The texts of rows whose type says that they are speech, and which have none in a known column."""
    at = {
        field: [
            table.columns.index(name) for name in recipes.split_columns(fields.get(field, ""), table.columns)
        ]
        for field in ("type", recipes.TEXT)
    }
    rows = [
        [next(filter(None, map(cells.__getitem__, own)), "") for own in at.values()]
        for cells in sample_rows(table)
    ]
    said = [number for number, (type_, _text) in enumerate(rows) if kind_of_type(type_) == SPEECH]
    bare = [number for number in said if not rows[number][1]]
    if not fields.get(recipes.TEXT) or 2 * len(bare) <= len(said):
        return None
    inner = [column_of(one.name, [one.all[number] for number in bare]) for one in free]
    longest = find_longest([one for one in inner if one.cells and not is_told(one)])
    return next((one for one in free if longest and one.name == longest.name), None)


def is_as_named(column: Column, other: Column, said: Column | None) -> bool:
    """Whether a column may rather be the players: it has more values, or texts do not name most of the other's."""
    if {SPEECH, VOTE} <= {*map(kind_of_type, column.different)}:
        return False
    if len(other.different) < len(column.different):
        return True
    texts = "\n".join(said.all if said else []).casefold()
    named = _share_named(other, texts)
    return 2 * named <= 1 or 2 * _share_named(column, texts) >= named


def _share_named(column: Column, texts: str) -> float:
    return sum(name.strip().casefold() in texts for name in column.different) / len(column.different)


def _is_small(column: Column) -> bool:
    is_short = max(map(len, column.different)) <= recipes.LONGEST_NAME and not column.name.endswith("[]")
    return is_short and 2 <= len(column.different) <= min(Limits().players, len(column.cells) - 1)


def beside(said: Column | None, column: Column) -> Column:
    """A column as it is in the rows that have a text."""
    cells = [cell for text, cell in zip(said.all, column.all, strict=True) if text] if said else []
    return column_of(column.name, cells) if any(cells) else column


def find_round(
    fields: Mapping[str, str], columns: Mapping[str, Column], numbers: list[str]
) -> dict[str, str]:
    """The columns of the round: the known one, and the first of these `numbers` where no text has another."""
    known, said, phases = (
        [columns[name] for name in recipes.split_columns(fields.get(field, ""), columns)]
        for field in ("round", recipes.TEXT, "phase")
    )
    is_known = any(all(two) for one in known for text in said for two in zip(one.all, text.all, strict=True))
    if not numbers or is_known or any(_DIGIT.search(cell) for one in phases for cell in one.different):
        return {}
    return {"round": recipes.OR.join([*(one.name for one in known), numbers[0]])}


def is_round(column: Column) -> bool:
    """Whether a column is a number ("Day 1", "R1") that never falls, in most rows or in the first of each round."""
    cells = [_ROUND.fullmatch(cell.strip()) for cell in column.cells]
    found = [cell for cell in cells if cell]
    is_counted = 1 < len(column.different) <= MOST_ROUNDS and None not in cells
    if not is_counted or len({one["word"] for one in found}) > 1:
        return False
    numbers = [int(one["number"]) for one in found]
    come_back = len(column.different) * 2 <= len(numbers) + 1 or len(numbers) * 2 < len(column.all)
    return come_back and numbers == sorted(numbers) and numbers[-1] <= MOST_ROUNDS


def counts(name: str) -> bool:
    """Whether a column is called so that it counts on, such as "subround", and hides nothing."""
    return not (_COUNTS.isdisjoint(words_of(name)[-1:]) or is_hidden(name) or looks_like_audience(name))


def is_mask(column: Column, count: int) -> bool:
    """Whether a column has a bit for each of so many players, all of which most rows set: 15, and 5 in others."""
    every = str(2**count - 1)
    is_usual = count >= LEAST_TABLE and 2 * column.cells.count(every) >= len(column.cells)
    is_usual = is_usual and len(column.different) > 1
    return is_usual and all(own.isdecimal() and len(own) <= len(every) for own in column.different)


def is_count(table: Table, place: int) -> bool:
    """Whether a column has numbers that are more than yes and no."""
    cells = (cells[place] for cells in sample_rows(table))
    return any(cell.isdecimal() and int(cell[:9]) > 1 for cell in cells)


def find_ids(table: Table) -> dict[str, str]:
    """The name of each player by the id beside it: {"player": 2, "name": "Bea"}. What texts call players is no id."""
    every = columns_in(table)
    fields = {column.name: recipes.field_of(column.name) for column in every}
    fields |= {one.name: recipes.PLAYER for one in every if _without_signs(one.last) == "displayname"}
    columns = [column for column in every if fields[column.name] in (recipes.PLAYER, *recipes.OF_TYPED_ROWS)]
    every_id: dict[str, str] = {}
    for ids, names in permutations(columns, 2):
        if fields[ids.name] != fields[names.name]:
            continue
        pairs = {both for both in zip(ids.all, names.all, strict=True) if all(both)}
        called = {(given, name) for given, name in pairs if _without_signs(given) != _without_signs(name)}
        found = dict(called)
        is_clear = len(called) == len(found) == len({*found.values()}) > 1
        if not is_clear or any(map(str.isdecimal, found.values())):
            continue
        texts = "\n".join(cell for column in every for cell in column.different if " " in cell).casefold()
        named, numbered = (sum(name.casefold() in texts for name in part) for part in (found.values(), found))
        if all(map(str.isdecimal, found)) or ("id" in words_of(ids.last) and named >= numbered):
            same = {name: found[given] for given, name in pairs - called if given in found}
            every_id = found | same | every_id
    return every_id


def _without_signs(name: str) -> str:
    return _SIGNS.sub("", name).casefold()


def module_of(types: list[str]) -> str:
    """What the types of rows begin with, up to a dot."""
    parts = zip(*(name.split(".") for name in types if name), strict=False)
    return "".join(f"{part[0]}." for part in takewhile(lambda part: len({*part}) == 1, parts))


class ListedPlayers:
    """Whether lists of players say who heard rows: they differ in a round, come back, and texts do not name them."""

    def __init__(self, said: Mapping[tuple[str, str], str] = {}) -> None:
        self.said = {**said}
        self.different: dict[str, list[str]] = {}
        self.differ, self.are_named = False, True
        # The first list in each round, and the last one of each player.
        self.of_rounds: dict[str, str] = {}
        self.before: dict[str, Set[str]] = {name: frozenset() for name, _round in said}
        self.varies = self.grows = False

    def add(self, row: Mapping[str, str], cell: str) -> None:
        """Count one row with its fields."""
        said = row.get(recipes.PLAYER, ""), row.get("round", "")
        self.differ = self.differ or self.said.setdefault(said, cell) != cell
        if cell not in self.different and len(self.different) <= MOST_LISTS:
            self.different[cell] = [name.casefold() for name in split_names(cell)]
        if cell or row.get(recipes.TEXT):
            own = {*self.different.get(cell, ())}
            self.varies = self.varies or self.of_rounds.setdefault(said[1], cell) != cell
            self.grows = self.grows or not own <= self.before.get(said[0], own)
            self.before[said[0]] = own
        text = row.get("text", "").casefold() if self.are_named else ""
        self.are_named = self.are_named and all(name in text for name in self.different.get(cell, ()))

    def may_hide(self, names: Set[str], column: str) -> bool:
        """Whether they may, among players of these names, case-folded; so may a list of flags, one for each player."""
        varies = self.varies and self.grows
        may_be = varies or (self.differ and _OF_ROUNDS.isdisjoint(words_of(column)))
        listed = [cell for cell, own in self.different.items() if own]
        are_said = "[]" in self.different and any(kind_of_audience(cell, ()) == SPEECH for cell in listed)
        return may_be and not self.are_named and (are_said or may_list_players(names, listed))


def may_list_players(names: Set[str], cells: Iterable[str]) -> bool:
    """Whether cells list some players, case-folded, one perhaps all ("*", "-1"), or a flag or an id of each."""
    lists = [[name.casefold() for name in split_names(cell)] for cell in cells]
    others = [own for own in lists if names.isdisjoint(own)]
    if len(others) < len(lists):
        is_any = len(others) <= _MOST_WILDCARDS and all(len(own) == 1 for own in others)
        are_open = all(_FIGURE.fullmatch(own[0]) or kind_of_audience(own[0], ()) == SPEECH for own in others)
        return not others or (is_any and (are_open or any(len(own) > 1 for own in lists)))
    named = [own for own in lists if own != ["-1"] and kind_of_audience(own[0], ()) != SPEECH]
    entries = {entry for own in named for entry in own}
    are_flags = entries <= _FLAGS and all(len(own) > 1 for own in lists)
    are_ids = all(map(_PLAYER_ID.fullmatch, entries))
    if len(named) < len(lists):
        return are_ids and (any(len(own) > 1 for own in named) or 0 < len(entries) <= len(names))
    # Everybody is in one of the lists, and only some in others.
    is_whole = any({*own} == entries for own in lists) and len(entries) >= max(LEAST_TABLE, len(names))
    return are_flags or (are_ids and len(lists) > 1 and is_whole)


def explain_rooms(table: Table, fields: Mapping[str, str]) -> str:
    """Why games that are called conversations may be rooms: one is hidden, or they take turns; else ""."""
    columns = {column.name: column for column in columns_in(table)}
    game, players = (columns.get(fields.get(field, "")) for field in ("game", recipes.PLAYER))
    if not (game and players) or not any(word.startswith(_ROOMS) for word in words_of(game.name)):
        return ""
    both = [pair for pair in zip(game.all, players.all, strict=True) if all(pair)]
    again = len(list(groupby(both, key=itemgetter(0)))) > len(game.different)
    shared = Counter(name for _room, name in {*both}).most_common(2)
    may_be = any(map(is_hidden, game.different)) or (again and shared[-1][1] > 1)
    return say(_MAY_BE_ROOMS, column=game.name) if may_be else ""


def is_answered(column: Column, kinds: Mapping[str, str]) -> bool:
    """Whether a recipe says what the values of a column mean, which need not tell apart anything in this file."""
    is_named = any(f"{column.name}: {cell}".casefold() in kinds for cell in column.different)
    return is_named or all(cell.casefold() in kinds for cell in column.different)


def find_listing(columns: Mapping[int, Column], names: Set[str]) -> dict[int, ListedPlayers]:
    """The columns that hold nothing but players, or flags of players, in the first rows; a number may count rounds."""
    found = {}
    for place, column in columns.items():
        cells = [cell for cell in column.different if cell != "[]"]
        if cells and not is_round(column) and may_list_players(names, cells):
            found[place] = ListedPlayers()
    return found
