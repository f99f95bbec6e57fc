"""Converts rows with one message each, under named columns, to game objects that `native.read_game` reads."""

import re
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from discussions.transcripts.core.audience import (
    IGNORE,
    KINDS,
    NAMED,
    OUT,
    PRIVATE,
    SPEECH,
    THOUGHT,
    VOTE,
    distinct,
    kind_of_audience,
    kind_of_flag,
    kind_of_type,
)
from discussions.transcripts.core.converted import Columns, NativeGame, NewNotes
from discussions.transcripts.core.notes import Limits, Notes
from discussions.transcripts.core.readers.columns import (
    PLAYER,
    TEXT,
    UNKNOWN_COLUMNS,
    MappingRecord,
    describe_unknown,
    find_mapping,
    split_columns,
)
from workspace.core.words import mark_many, say, say_many

MOST_QUESTIONS = 10
# The fields that say what a row is, and who could hear it.
SIGNS = ("type", "audience", "private", "public", "phase")
MOST_CELLS = 4_000_000
MOST_FAULTS = Limits().faults
_API_ROLES = frozenset(("assistant", "user", "human", "ai"))
NOBODY = frozenset(("", "nobody", "noone", "none", "abstain", "abstains", "skip", "novote", "pass", "null"))
_ROUND = re.compile(r"(?P<before>[^\d]{0,40})(?P<number>\d{1,9})(?:\.0+)?(?:\D.{0,100})?", re.DOTALL)
_BELOW_ZERO = re.compile(r"(?:^|\s)[-−]$")
_TURN = re.compile(r"(\d{1,9})(?:\.0+)?", re.ASCII)
_MONTH = (
    r"(?<![a-z])(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)(?![a-z])"
)
_WEEKDAY = r"(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?"
_DAY = r"\d{1,2}(?:st|nd|rd|th)?(?: of)?"
_YEAR = r"(?:19|20)\d\d"
_GAP = r"[\W_]{0,3}"
# Names of months are ordinary words, too ("Day 2 may be long"): they need a year, or a day and nothing else.
_MOMENT = re.compile(
    r"\d{1,4}[-./]\d{1,2}[-./]\d{1,4}|\d{1,2}:\d\d|\d{10}|(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:[0-2]\d|3[01])"
    rf"|{_MONTH}{_GAP}(?:{_DAY}{_GAP})?{_YEAR}|{_YEAR}{_GAP}{_MONTH}"
    rf"|\A(?:{_WEEKDAY}{_GAP})?(?:{_MONTH}{_GAP}{_DAY}|{_DAY}{_GAP}{_MONTH}(?:{_GAP}\d\d)?)\Z",
    re.IGNORECASE,
)
_HAS_NUMBER = re.compile(r"\d")
_NIGHT = re.compile(r"\W{0,9}(?:night|n[ -]?\d)", re.IGNORECASE)
_SIDE = r"(?:mafia|wol(?:f|ves)|werewol(?:f|ves))\b"
_SIDES = re.compile(rf"\bnight\b|{_SIDE}", re.IGNORECASE)
# "(mafia game)" names the game, not who may read the row.
_HIDDEN = rf"(?:(?:night|private|secret|whisper(?:s|ed)?|dms?)\b|{_SIDE}(?!\W{{1,3}}games?\b))"
# After a public day, only what belongs to one side alone is hidden: "Day 2 (mafia)", "Round 2: wolves wake"; not "Day 2
# (mafia wins)".
_FOR_SIDE = (
    r"(?:\W{0,9}\Z|(?:\W{1,3}\w{1,20})?\W{1,3}(?:chat|channel|talks?|discussions?|meetings?|rooms?|only|team|night"
    r"|phase|turn|kills?|picks?|choos\w{1,5}|wakes?|awake|whispers?|private|secret|dms?)\b)"
)
_PART = rf"(?:(?:night|private|secret|whisper(?:s|ed)?|dms?)\b|{_SIDE}(?!\W{{1,3}}games?\b){_FOR_SIDE})"
_PRIVATE = re.compile(rf"(?<!non[ -])(?<!not )\b{_HIDDEN}", re.IGNORECASE)
# "Day 2 (after night 1)" is public. "Day 2 night" and "Round 2: wolves" name a part of the round.
_OPEN = re.compile(
    rf"\W{{0,9}}(?:public|(?:day|round)(?![a-z])(?!\W{{0,3}}\d{{0,9}}\W{{0,3}}{_PART}))", re.IGNORECASE
)

_IGNORED = mark_many(
    'One row is no speech, vote or elimination ("{what}"); it was left out.',
    '{count} rows are no speech, vote or elimination (the first "{what}"); they were left out.',
)
_REPEATED = mark_many(
    "One vote repeats an earlier one of its round ({what}); it counts once.",
    "{count} votes repeat earlier ones of their rounds (the first {what}); each counts once.",
)
_DIFFERS = {
    "role": mark_many(
        "One row gives a player another role than an earlier row ({what}); the first one is kept.",
        "{count} rows give a player another role than an earlier row (first {what}); the first one is kept.",
    ),
    "personality": mark_many(
        "One row gives a player another personality than an earlier row ({what}); the first one is kept.",
        "{count} rows give a player another personality than an earlier row (first {what}); the first one is kept.",
    ),
}
_SILENT = mark_many(
    'One name only gets votes and never speaks ("{what}"); it was added as a player.',
    '{count} names only get votes and never speak (such as "{what}"); they were added as players.',
)


class TableRow(Struct, frozen=True, gc=False):
    """One row: its number in the file, where it begins and ends there, and its cells in the order of the columns.

    Cells at the end may be missing.
    """

    number: int
    start: int
    end: int
    cells: list[str]


# The rows between two offsets; the first row has this number.
ReadRows = Callable[[int, int, int], Iterator[TableRow]]


class TableFaults(Struct):
    """What is wrong with a file of rows: the first faults as code, place and sentence, and how many there are."""

    first: list[tuple[str, str, str]] = []
    count: int = 0

    def add(self, code: str, place: str, sentence: str) -> None:
        """Count a fault; the list is capped as for any other format."""
        self.count += 1
        if len(self.first) < MOST_FAULTS:
            self.first.append((code, place, sentence))


class Table(Struct, frozen=True):
    """The rows of a file, read again on each access: `read` of the `span` gives all of them.

    `place` says where a row is, by its number. Faults concern the file as a whole: with one, no game is imported.
    `left_out` names the keys of JSON whose values are lists, where they were looked for. `is_part` says that these are
    only the rows at the beginning of the file.
    """

    columns: list[str]
    read: ReadRows
    span: tuple[int, int, int]
    faults: TableFaults = msgspec.field(default_factory=TableFaults)
    place: str = "line {}"
    left_out: list[str] = []
    is_part: bool = False

    @property
    def rows(self) -> Iterator[TableRow]:
        return self.read(*self.span)


class _RowGame(Struct):
    """A game while its rows are read. `roster` is in the order of first appearance."""

    id: str
    notes: Notes
    messages: list[dict[str, Any]] = []
    votes: list[dict[str, Any]] = []
    roster: dict[str, dict[str, Any]] = {}
    eliminations: list[dict[str, Any]] = []
    targets: dict[str, str] = {}
    winner: str | None = None
    round: int | None = None
    public: int = 0
    cast: set[tuple[int, str, str]] = set()


def is_nobody(target: str) -> bool:
    """Whether the target of a vote says that nobody was voted for."""
    return re.sub(r"[\W_]+", "", target).lower() in NOBODY


def table_columns(names: Sequence[str]) -> list[str]:
    """Unique names of the columns: an empty or a repeated name gets its number."""
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


class Reading(Struct, frozen=True):
    """How the rows of a table are read: the positions of the columns of each field, and what rows of a type are.

    `names` are the players of all rows, case-folded.
    """

    at: dict[str, list[int]]
    kinds: Mapping[str, str]
    names: frozenset[str] = frozenset()


def read_table(table: Table, new_notes: NewNotes, columns: Columns) -> Iterator[tuple[NativeGame, Notes]]:
    """The games of a file of rows, by a mapping or by known names of columns; else its fault."""
    mapping = find_mapping(table.columns, columns)
    is_empty = True
    questions: list[Question] = []
    if mapping is not None and not table.faults.count:
        questions = find_questions(table, mapping)
        for game in () if questions else games_of_rows(table, mapping, new_notes):
            is_empty = False
            yield game
    if not is_empty:
        return
    notes = new_notes()
    for code, place, sentence in table.faults.first:
        notes.fault(code, place, sentence)
    notes.fault_count = table.faults.count
    for question in questions[:MOST_QUESTIONS]:
        notes.fault(UNKNOWN_COLUMNS, "", question.sentence)
    if not table.faults.count and mapping is None:
        notes.fault(UNKNOWN_COLUMNS, "", describe_unknown(table.columns))
    elif questions:
        pass
    elif not table.faults.count:
        notes.fault("no_games", "", say("The file has no row with a message. Export it again."))
    yield None, notes


class Question(Struct, frozen=True):
    """Who could hear the rows with this value of a type, an audience or a phase is not known."""

    value: str
    count: int

    @property
    def sentence(self) -> str:
        if self.value == NAMED:
            return say_many(
                "One message names a player it is for. Did everybody hear it? Answer once on the page of the import, "
                "or with --map is.{named}=private (or speech).",
                "{count} messages name players they are for. Did everybody hear them? Answer once on the page of the "
                "import, or with --map is.{named}=private (or speech).",
                self.count,
                count=f"{self.count:,}",
                named=NAMED,
            )
        return say_many(
            'What is "{value}"? One row has it, and who could hear it is not known. Answer once on the page of the '
            "import, or with --map is.{value}=speech (or {others}).",
            'What is "{value}"? {count} rows have it, and who could hear them is not known. Answer once on the page of '
            "the import, or with --map is.{value}=speech (or {others}).",
            self.count,
            count=f"{self.count:,}",
            value=self.value[:60],
            others=", ".join(KINDS[1:]),
        )


def find_questions(table: Table, mapping: MappingRecord) -> list[Question]:
    """What has to be asked about the rows before they are read, in order of appearance."""
    reading = _reading(table, mapping)
    asked: dict[str, int] = {}
    if not any(field in reading.at for field in SIGNS):
        return []
    for row in table.rows:
        cells = _cells(row, reading.at)
        if cells.get("text") and cells.get("player"):
            for value in _unclear(cells, reading):
                asked[value] = asked.get(value, 0) + 1
    return [Question(value, count) for value, count in asked.items()]


def _reading(table: Table, mapping: MappingRecord) -> Reading:
    """How the rows are read, with the names of all players if somebody has to be told apart by them."""
    numbers = {name: index for index, name in enumerate(table.columns)}
    at = {
        field: [numbers[column] for column in split_columns(name, numbers)]
        for field, name in mapping.fields.items()
    }
    reading = Reading({field: places for field, places in at.items() if places}, mapping.kinds)
    if "audience" not in reading.at:
        return reading
    names = (_cells(row, reading.at).get("player", "").strip().casefold() for row in table.rows)
    found = frozenset(distinct((name for name in names if name), Limits().players))
    reading = replace(reading, names=found)
    audiences = distinct(_cells(row, reading.at).get("audience", "") for row in table.rows)
    # Where somebody also speaks to all, speaking to anybody else is private. Otherwise a name may only be an address.
    if any(kind_of_audience(value, found) == SPEECH for value in audiences if value):
        reading = replace(reading, kinds={NAMED: PRIVATE} | dict(mapping.kinds))
    return reading


def games_of_rows(
    table: Table, mapping: MappingRecord, new_notes: NewNotes
) -> Iterator[tuple[NativeGame, Notes]]:
    """The games of a table in order of their first rows. Never raises.

    One game is in memory at a time: a first pass finds where the rows of each game are, a second reads them.
    """
    reading = _reading(table, mapping)
    for key, runs in _runs(table, reading.at).items():
        notes = new_notes()
        game = _RowGame(id=key if "game" in reading.at else notes.source, notes=notes)
        notes.translate("", table.place.format(runs[2]))
        for run in zip(runs[::3], runs[1::3], runs[2::3], strict=True):
            for row in table.read(*run):
                if cells := _cells(row, reading.at):
                    _read_row(game, cells, table.place.format(row.number), reading)
        yield _finish(game), notes


def _runs(table: Table, at: Mapping[str, list[int]]) -> "dict[str, array[int]]":
    """Game -> start, end and first number of each run of its rows, packed in 12 bytes per run."""
    found: dict[str, array[int]] = {}
    before = None
    for row in table.rows:
        cells = _cells(row, at)
        if not cells:
            continue
        key = cells.get("game", "").strip()
        runs = found.setdefault(key, array("I"))
        if key == before:
            runs[-2] = row.end
        else:
            runs.extend((row.start, row.end, row.number))
        before = key
    return found


def _cells(row: TableRow, at: Mapping[str, list[int]]) -> dict[str, str]:
    """Field -> the first cell of its columns that is not empty."""
    cells = row.cells
    found = {}
    for field, places in at.items():
        for index in places:
            if index < len(cells) and cells[index]:
                found[field] = cells[index]
                break
    return found


def _signs(cells: Mapping[str, str], reading: Reading) -> Iterator[tuple[str, str]]:
    """What each of a row's signs says that it is, with the sign: of its type, audience, flags and phase."""
    kinds, author = reading.kinds, cells.get("player", "")
    for field in SIGNS:
        value = cells.get(field, "").strip()
        if not value:
            continue
        answer = kinds.get(value.casefold())
        if answer:
            yield answer, value
        elif field == "type":
            yield kind_of_type(value), value
        elif field == "audience":
            kind = kind_of_audience(value, reading.names, author)
            yield kinds.get(NAMED, kind) if kind in (NAMED, "") else kind, value
        elif field in ("private", "public"):
            kind = kind_of_flag(value, is_private=field == "private")
            yield (
                kind or kind_of_audience(value, reading.names, author),
                f"{field}: {value}" if kind else value,
            )
        elif field == "phase" and not _OPEN.match(value):
            # Nights and sides of the game are `_hidden_part`'s: "Mafia game, day 2" is public.
            kind = kind_of_type(_SIDES.sub(" ", value))
            yield (
                kind if kind in (THOUGHT, PRIVATE) else kind or (SPEECH if _HAS_NUMBER.search(value) else ""),
                value,
            )


def _kind(cells: Mapping[str, str], reading: Reading) -> tuple[str, str]:
    """What a row is, and the sign of it: the most hidden one of what its signs say."""
    if hidden := _hidden_part(cells):
        return PRIVATE, hidden
    signs = list(_signs(cells, reading))
    for kind in (IGNORE, THOUGHT, PRIVATE, OUT, VOTE):
        for found, value in signs:
            if found == kind:
                return kind, value
    return SPEECH, ""


def _unclear(cells: Mapping[str, str], reading: Reading) -> Iterator[str]:
    """The values of a row's signs that say nothing known, unless another sign hides the row anyway."""
    if _kind(cells, reading)[0] in (IGNORE, THOUGHT, PRIVATE):
        return
    for kind, value in _signs(cells, reading):
        if kind == NAMED:
            yield NAMED
        elif not kind:
            yield value


def _read_row(game: _RowGame, cells: Mapping[str, str], place: str, reading: Reading) -> None:
    """One row: a message, a vote, or both; a row with only a player gives their role or personality."""
    kind, sign = _kind(cells, reading)
    is_typed = "type" in cells
    cells = _of_kind(cells, kind) if is_typed else cells
    name, text, target = (cells.get(field, "").strip() for field in (PLAYER, TEXT, "vote"))
    game.winner = game.winner or cells.get("winner")
    is_hidden = kind in (PRIVATE, THOUGHT)
    if kind == IGNORE or (is_typed and not (name if is_hidden else text or target or kind == OUT)):
        game.notes.warn("row_ignored", place, sign or cells.get("type", ""), says=_IGNORED)
        return
    if not is_hidden:
        _read_round(game, cells, place)
    if kind == OUT and is_typed:
        _read_out(game, name, sign, place)
        return
    if name:
        _note_player(game, name, cells, place)
    elif text or target:
        game.notes.fault(
            "no_player", place, say("The row names no player. Write who said it, or take the row out.")
        )
    is_vote = kind == VOTE and is_typed
    if target and not is_hidden:
        _read_vote(game, name, target, cells, place, is_typed=is_vote)
    if is_hidden:
        _add_message(game, cells, place, reading, audience="nobody" if kind == THOUGHT else {"channel": sign})
    elif name and not is_vote and (text or not target):
        _add_message(game, cells, place, reading, audience=None)


def _of_kind(cells: Mapping[str, str], kind: str) -> Mapping[str, str]:
    """The cells of a row of some type, with what only rows of this type hold under the fields of all rows."""
    voter, target, thought = (cells.get(field, "") for field in ("voter", "target", "thought"))
    if kind == VOTE:
        return {PLAYER: voter, "vote": target} | {key: value for key, value in cells.items() if value}
    if kind == OUT:
        return dict(cells) | {PLAYER: cells.get("out") or target or cells.get(PLAYER, "")}
    if kind == THOUGHT and not cells.get(TEXT):
        return dict(cells) | {TEXT: thought, "thought": ""}
    return cells


def _add_message(
    game: _RowGame,
    cells: Mapping[str, str],
    place: str,
    reading: Reading,
    *,
    audience: str | dict[str, str] | None,
) -> None:
    message: dict[str, Any] = {
        "id": cells.get("id", "").strip() or None,
        "turn": _turn(game, cells["turn"], place) if "turn" in cells else None,
        "roundNumber": game.round,
        "playerName": cells.get("player", "").strip(),
        "message": cells.get("text", ""),
        "timestamp": cells.get("time"),
        "inReplyToId": _whole(cells.get("reply_to", "")),
    }
    if audience is not None:
        message["audience"] = audience
    if cells.get("thought"):
        message["reasoning"] = cells["thought"]
    if not ("turn" in reading.at or "id" in reading.at) and audience is None:
        game.public += 1
        message["turn"] = game.public
    game.notes.translate(f"/messages/{len(game.messages)}", place)
    game.messages.append(message)


def _read_out(game: _RowGame, name: str, sign: str, place: str) -> None:
    """A row that says who left the game."""
    if not is_nobody(name):
        game.targets.setdefault(name, place)
        game.notes.translate(f"/eliminations/{len(game.eliminations)}", place)
        number = 1 if game.round is None else game.round
        game.eliminations.append({"roundNumber": number, "playerName": name, "how": sign[:200]})


def _read_vote(
    game: _RowGame, name: str, target: str, cells: Mapping[str, str], place: str, *, is_typed: bool
) -> None:
    # Only after all rows are read is it known whether a player is called "Skip".
    if not is_nobody(target):
        game.targets.setdefault(target, place)
    number = 1 if game.round is None else game.round
    vote: dict[str, Any] = {
        "roundNumber": number,
        "voterName": name or None,
        "targetName": target,
        "timestamp": cells.get("time"),
    }
    if is_typed:
        vote |= {"justification": cells.get("text") or None, "reasoning": cells.get("thought")}
    elif (number, name, target) in game.cast:
        # A column that repeats an agent's vote in each of its rows.
        game.notes.warn("vote_repeated", place, f"{name[:25]} → {target[:25]}", says=_REPEATED)
        return
    game.cast.add((number, name, target))
    game.notes.translate(f"/votes/{len(game.votes)}", place)
    game.votes.append(vote)


def _note_player(game: _RowGame, name: str, cells: Mapping[str, str], place: str) -> None:
    player = game.roster.get(name)
    if player is None:
        game.notes.translate(f"/players/{len(game.roster)}", place)
        player = game.roster[name] = {"name": name, "role": None, "personality": None}
    for field in ("role", "personality"):
        said = cells.get(field, "").strip()
        # The role in a chat API names the kind of sender. It is not a role of the game.
        if not said or (field == "role" and said.lower() in _API_ROLES):
            continue
        if player[field] is None:
            player[field] = said
        elif player[field] != said:
            game.notes.warn(f"{field}_differs", place, name, says=_DIFFERS[field])


def _hidden_part(cells: Mapping[str, str]) -> str:
    """The cell that says that the row is of a night or of a private channel; "" for public discussion."""
    said, phase = (cells.get(field, "").replace("_", " ").strip() for field in ("round", "phase"))
    if _NIGHT.match(said):
        return said
    if _OPEN.match(phase):
        return ""
    return phase if _NIGHT.match(phase) or _PRIVATE.search(phase) else ""


def _read_round(game: _RowGame, cells: Mapping[str, str], place: str) -> None:
    """The round of the row, else that of the game's previous row. A phase counts where there is no round."""
    if "round" in cells:
        number, fault = _round(cells["round"].strip())
        if fault:
            game.notes.fault("wrong_type", place, fault)
    else:
        number, _fault = _round(cells.get("phase", "").strip())
    game.round = game.round if number is None else number


def _round(said: str) -> tuple[int | None, str]:
    """The number of a round, or its fault; an empty text has neither."""
    shown = said[:60]
    found = _ROUND.fullmatch(said)
    if not said:
        return None, ""
    if _MOMENT.search(said):
        return (
            None,
            say(
                'The round "{shown}" looks like a date or a time. Map its column to the time, not to '
                "the round.",
                shown=shown,
            ),
        )
    if found is None:
        return None, say('The round "{shown}" holds no number. Write 2, "Day 2" or "Round 2".', shown=shown)
    if _BELOW_ZERO.search(found["before"]):
        return None, say('The round "{shown}" is below 0. Count the rounds from 0 or from 1.', shown=shown)
    return int(found["number"]), ""


def _turn(game: _RowGame, given: str, place: str) -> int | None:
    number = _TURN.fullmatch(given.strip())
    if number is None and given.strip():
        sentence = say(
            'The turn "{turn}" is no whole number. Write a number, or map the column to the id.',
            turn=given.strip()[:60],
        )
        game.notes.fault("wrong_type", place, sentence)
    return int(number[1]) if number else None


def _whole(given: str) -> str | None:
    """A reply link; a whole number that a spreadsheet wrote as 3.0 is 3."""
    number = _TURN.fullmatch(given.strip())
    return str(int(number[1])) if number else given.strip() or None


def _finish(game: _RowGame) -> NativeGame:
    """The game as an object. Someone who receives a vote but never speaks is a player, too."""
    names = {name.casefold(): name for name in game.roster}
    for target, place in game.targets.items():
        if target.casefold() not in names:
            names[target.casefold()] = target
            game.notes.translate(f"/players/{len(game.roster)}", place)
            game.roster[target] = {"name": target, "role": None, "personality": None}
            game.notes.warn("silent_target", place, target, says=_SILENT)
    for vote in game.votes:
        vote["targetName"] = names.get(vote["targetName"].casefold())
    for gone in game.eliminations:
        gone["playerName"] = names.get(gone["playerName"].casefold())
    return {
        "gameId": game.id,
        "players": list(game.roster.values()),
        "messages": game.messages,
        "votes": game.votes,
        "eliminations": game.eliminations,
        "winner": game.winner,
    }


def sample_rows(table: Table, count: int) -> Iterator[list[str]]:
    """The first rows with a cell for each column."""
    for row in islice(table.rows, count):
        yield [*row.cells, *[""] * (len(table.columns) - len(row.cells))][: len(table.columns)]
