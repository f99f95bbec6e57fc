"""Preview of a file of rows: its beginning, and what columns may be by what they hold, which a person confirms."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from discussions.core.records import Fault, GameRecord, PrivateEntry
from discussions.transcripts.core.archives import gunzip_start
from discussions.transcripts.core.audience import (
    IGNORE,
    LEAST_SPACES,
    ROUND,
    SPEECH,
    THOUGHT,
    VOTE,
    is_hidden,
    is_measure,
    kind_of_type,
)
from discussions.transcripts.core.decoding import UTF_8, Decoded, decode_text, propose_encodings, recode
from discussions.transcripts.core.formats import FORMATS, read_converted, recognise
from discussions.transcripts.core.native_parts import RoleMap
from discussions.transcripts.core.notes import Limits, Notes
from discussions.transcripts.core.readers import chat_heads, chat_text, csv_rows, json_rows, json_turns
from discussions.transcripts.core.readers import column_guesses as guesses
from discussions.transcripts.core.readers import columns as recipes
from discussions.transcripts.core.readers.cast_lists import find_names
from discussions.transcripts.core.readers.column_guesses import Column
from discussions.transcripts.core.readers.inner_parts import list_inner_games, take_lines, unfold_lists
from discussions.transcripts.core.readers.json_cells import is_talk
from discussions.transcripts.core.readers.json_games import explain_pieces
from discussions.transcripts.core.readers.known_columns import suggest_by_phase, suggest_known
from discussions.transcripts.core.readers.line_templates import count_signs, find_fault, fits
from discussions.transcripts.core.readers.narration import ROLE, Rounds
from discussions.transcripts.core.readers.reshaped import reshape
from discussions.transcripts.core.readers.row_kinds import read_signs
from discussions.transcripts.core.readers.rows import VOTES_AGAIN, games_of_rows
from discussions.transcripts.core.readers.separated import find_separators, read_separated, table_of_lines
from discussions.transcripts.core.readers.stories import NAMED
from discussions.transcripts.core.readers.tables import Table, first_cells, places_of
from discussions.transcripts.core.readers.vote_columns import find_ballots, find_votes, is_vote
from workspace.core.words import mark, say

_KINDS = (
    (mark("yes or no"), re.compile(r"true|false|yes|no", re.IGNORECASE)),
    (mark("number"), re.compile(r"-?\d+(?:[.,]\d+)?")),
    (mark("time"), re.compile(r"\d{4}-\d\d-\d\d.*|\d{1,2}:\d\d(?::\d\d.*)?|\d{1,2}[./]\d{1,2}[./]\d{2,4}.*")),
    (mark("JSON"), re.compile(r"\s*[{\[].*", re.DOTALL)),
)


class PathProfile(Struct, frozen=True):
    """What a column holds in the first rows: `named` of its `distinct` values are players; `share` is a percentage."""

    path: str
    kind: str
    share: int
    distinct: int
    length: int
    longest: int
    named: int

    @property
    def says(self) -> str:
        return say(self.kind)


def profile_paths(table: Table, mapping: recipes.MappingRecord) -> list[PathProfile]:
    """What each column holds, in the order of the file; the players are those of the mapping."""
    at = read_signs(table, mapping).at
    rows = first_cells(table, at)
    names = {cells.get(recipes.PLAYER, "").strip().casefold() for cells in rows} - {""}
    found = []
    for column in guesses.columns_in(table):
        kinds = (kind for kind, shape in _KINDS if all(map(shape.fullmatch, column.different)))
        kind = next(kinds, mark("text"))
        lengths = [len(cell) for cell in column.cells]
        share, mean = round(100 * len(lengths) / len(column.all)), round(sum(lengths) / len(lengths))
        named = len(names & {cell.strip().casefold() for cell in column.different})
        found.append(PathProfile(column.name, kind, share, len(column.different), mean, max(lengths), named))
    return found


def propose_mapping(table: Table) -> recipes.MappingRecord:
    """The columns by their names; player, text and round also by what they hold: names, long texts, rising numbers."""
    fields = suggest_known(table)
    # Rows of several phases, as of several types, may each have columns of their own.
    fields = suggest_by_phase(table, fields) if "type" not in fields else fields
    if "audience" not in fields and guesses.explain_rooms(table, fields):
        fields["audience"] = fields.pop("game")
    columns = {column.name: column for column in guesses.columns_in(table)}
    free = guesses.find_free(table, fields)
    # An id that comes back is that of who speaks.
    ids = columns.get(fields.get("id", ""))
    if ids and recipes.PLAYER not in fields and 1 < len(ids.different) <= len(ids.cells) // 2:
        fields[recipes.PLAYER] = fields.pop("id")
    likely = guesses.find_likeliest(fields.get(recipes.PLAYER, ""), list(columns.values()))
    found = {field: name for field, name in (fields | {recipes.PLAYER: likely}).items() if name}
    texts = [columns[name] for name in recipes.split_columns(found.pop(recipes.TEXT, ""), columns)]
    if texts:
        # "Hi." comes before "Ann: Hi.".
        inner = sorted(texts, key=lambda one: -sum(guesses.is_within(one, other) for other in texts))
        found[recipes.TEXT] = recipes.OR.join(one.name for one in inner)
    listed = table.settings.get(recipes.LIST, "")
    if recipes.TEXT not in found and (
        text := guesses.find_longest([one for one in free if not guesses.is_told(one, listed)])
    ):
        found[recipes.TEXT] = text.name
        free.remove(text)
    else:
        guesses.add_bare_text(table, found, free)
    free = _propose_player(table, columns, free, found)
    _propose_signs(table, columns, free, found)
    # The types may be known only now.
    guesses.add_bare_text(table, found, guesses.find_free(table, found))
    mapping = recipes.MappingRecord(table.columns, found, settings=table.settings)
    marks = [value for value in find_marks(table, mapping) if kind_of_type(value) in ("", IGNORE, SPEECH)]
    # Where no column gives a round, a lone type may begin one.
    is_begun = len(marks) == 1 and found.keys().isdisjoint(("round", "phase"))
    return replace(mapping, kinds={marks[0].casefold(): ROUND} if is_begun else {})


def _propose_player(
    table: Table, columns: Mapping[str, Column], free: list[Column], found: dict[str, str]
) -> list[Column]:
    """Make an unknown column that of the players, if it is more likely so; the columns that are then free."""
    said = columns.get(found.get(recipes.TEXT, ""))
    own = [columns[name] for name in recipes.split_columns(found.get(recipes.PLAYER, ""), columns)]
    own = [one for one in own if said is None or any(map(all, zip(one.all, said.all, strict=True)))]
    # Programs that play roles call a player so ("role_name").
    roles = [columns[name] for name in [found.get("role", "")] if name in columns]
    is_called = any(not ROLE.fullmatch(value) for one in roles for value in one.different)
    named = [*roles, *free, *own] if is_called else [*free, *own, *roles]
    # What is around a list is of the whole game, unless it names a player.
    around, called = f"{json_rows.GAME}.", recipes.PLAYER
    named = [one for one in named if not one.name.startswith(around) or recipes.field_of(one.last) == called]
    named = [one for one in named if 2 * sum(", " in cell for cell in one.cells) <= len(one.cells)]
    player = guesses.in_message(named, said) or guesses.find_most_named(named, said)
    if not (player or own) and said:
        player = _find_seats(table, free, said) or guesses.find_turns(free, said)
    # Names that stood before texts, or in the names of columns, are sure.
    player = columns.get(NAMED, player)
    if player and not (own and guesses.is_as_named(own[0], player, said)):
        found[recipes.PLAYER] = player.name
        # What was no player may say what a row is.
        free = [one for one in (*free, *own) if one is not player]
        if found.get("role") == player.name:
            del found["role"]
    return free


def _find_seats(table: Table, free: list[Column], said: Column) -> Column | None:
    """The column of most ids, all of which what is around the rows gives names."""
    for one in sorted(free, key=lambda one: -len(one.different)):
        rows = [
            {recipes.PLAYER: own, recipes.TEXT: text} for own, text in zip(one.all, said.all, strict=True)
        ]
        if any(find_names(part, rows).keys() >= {*one.different} for part in table.around):
            return one
    return None


def _propose_signs(
    table: Table, columns: Mapping[str, Column], free: list[Column], found: dict[str, str]
) -> None:
    """Add to the columns that were found those of thoughts, rounds, games, types and targets of votes."""
    thoughts = [
        one.name
        for one in free
        if one.length >= guesses.LEAST_TEXT
        and not is_measure(one.last)
        and (kind_of_type(one.last) == THOUGHT or guesses.is_note(one))
    ]
    said = columns.get(found.get(recipes.TEXT, "").partition(recipes.OR)[0])
    numbers = [
        one.name
        for one in free + [own for name, own in columns.items() if name == found.get("turn")]
        if guesses.is_round(guesses.beside(said, one))
        and not one.name.endswith(json_rows.COUNTER)
        and not f"{one.name}.".startswith(f"{table.counted}.")
    ]
    if thoughts:
        found.setdefault("thought", recipes.OR.join(thoughts))
    found |= guesses.find_round(found, columns, numbers)
    free = [one for one in free if one.name not in (*thoughts, table.counted, found.get("round"))]
    rounds, players = (columns.get(found.get(field, "")) for field in ("round", recipes.PLAYER))
    if run := table.counted or (_run(free, rounds) if rounds else ""):
        found.setdefault("game", run)
        free = [one for one in free if one.name != run]
    typed = columns.get(found.get("type", ""))
    # What all texts are tells none apart.
    pairs = zip(typed.all, said.all, strict=True) if typed and said else ()
    types = {kind for kind, text in pairs if kind and text}
    is_same = len(types) == 1 and not any(map(kind_of_type, types))
    is_untyped = not ({"phase", "audience"} | ({"type"} if not is_same else set())) & found.keys()
    if kind := _kind(free, players if is_untyped else None, found, typed, said):
        is_more = typed is not None and is_same and len(typed.different) > 1 and typed.name not in kind
        found["type"] = recipes.OR.join([kind, *([typed.name] if typed and is_more else [])])
    rows = first_cells(table, places_of(found, table.columns))
    found |= find_votes(rows, free, found)
    votes = [one.name for one in free if players and is_vote(one, players)]
    found |= {"vote": votes[0]} if votes and not {"vote", "target"} & found.keys() else {}
    found |= find_ballots(rows, free, found)


def _kind(
    free: list[Column],
    players: Column | None,
    found: dict[str, str],
    typed: Column | None,
    said: Column | None,
) -> str:
    """The column of types by its words, or one that is asked, before one that is the same wherever it tells apart."""
    words = [one for one in free if not any(value.count(" ") >= LEAST_SPACES for value in one.different)]
    known = [one for one in words if _tells_votes(one, said)]
    both = zip(known[0].all, typed.all, strict=True) if known and typed else ()
    beside = {type_ for kind, type_ in both if kind}
    if known and ("type" not in found or (len(beside) == 1 and not any(map(kind_of_type, beside)))):
        return recipes.OR.join([known[0].name, *([typed.name] if typed else [])])
    return guesses.find_kind(free, players) if players else ""


def _tells_votes(column: Column, said: Column | None) -> bool:
    """Whether some words of a column say that rows are votes, and others speech, or no vote has a text."""
    kinds = {*map(kind_of_type, column.different)}
    pairs = zip(column.all, said.all if said else column.all, strict=True)
    is_silent = not any(text for kind, text in pairs if kind_of_type(kind) == VOTE)
    return VOTE in kinds and (SPEECH in kinds or is_silent)


def _run(free: list[Column], rounds: Column) -> str:
    """The column whose values follow one another and at each of which the rounds begin again; "" without one."""
    for column in free:
        cells = list(zip(column.all, rounds.all, strict=True))
        begins = [(one[1], other[1]) for one, other in pairwise(cells) if one[0] != other[0]]
        falls = all(one.isdecimal() and other.isdecimal() and int(other) < int(one) for one, other in begins)
        if begins and falls and not _tells_votes(column, None) and len(begins) + 1 == len(column.different):
            return column.name
    return ""


def with_rounds(table: Table, mapping: recipes.MappingRecord) -> recipes.MappingRecord:
    """The mapping, with rounds that begin after votes if nothing else says where they begin and votes come again."""
    notes = Notes("", "", Limits())
    next(games_of_rows(table, mapping, lambda: notes), None)
    is_again = any(fault.message == say(VOTES_AGAIN) for fault in notes.faults)
    settings = mapping.settings | ({recipes.ROUNDS: recipes.AFTER_VOTES} if is_again else {})
    return replace(mapping, settings=settings)


def find_aliases(table: Table, mapping: recipes.MappingRecord) -> dict[str, str]:
    """Other names that the texts of the first game may use for its players, as pairs."""
    at = read_signs(table, mapping).at
    names: dict[str, None] = {}
    texts, game = [], None
    for cells in first_cells(table, at):
        game = cells.get("game", "") if game is None else game
        if cells.get("game", "") == game and (name := cells.get(recipes.PLAYER, "").strip()):
            names[name] = None
            texts.append(cells.get(recipes.TEXT, ""))
    return recipes.propose_aliases(names, "\n".join(texts)) if len(names) <= Limits().players else {}


def find_marks(table: Table, mapping: recipes.MappingRecord) -> dict[str, int]:
    """The values of a type at which a round may begin, and how often: rows of a type that mostly say nothing."""
    signs = read_signs(table, mapping)
    rows = first_cells(table, signs.at)
    typed = [cells for cells in rows if "type" in cells]
    counts = Counter(cells["type"] for cells in typed)
    said = Counter(cells["type"] for cells in typed if cells.get(recipes.TEXT) and cells.get(recipes.PLAYER))
    told = [(cells["type"], Rounds(), cells.get(recipes.TEXT, "")) for cells in typed]
    # A round that begins at night is told by its rows.
    nights = {value for value, rounds, text in told if rounds.hear_unsaid(text) and rounds.is_night}
    often = (
        (one, count)
        for one, count in counts.items()
        if 1 < count <= guesses.MOST_ROUNDS and one not in nights
    )
    return {value: count for value, count in often if said[value] < count and kind_of_type(value) != VOTE}


_IS_JSON = re.compile(r"\s*(?:\{\s*[\"}]|\[\s*[\"{\[])")
HEAD_BYTES = 256 * 1024
# A game that is one JSON object is read whole.
MOST_BYTES = 4 * 1024 * 1024
JSONL, CSV = "jsonl", "csv"


class FirstGame(Struct, frozen=True):
    """The first game of the rows under a mapping. Without a `record`, the faults say why."""

    record: GameRecord | None = None
    faults: list[Fault] = []
    warnings: list[Fault] = []
    game_count: int = 0
    private: list[PrivateEntry] = []

    @property
    def spoken(self) -> dict[int, int]:
        return Counter(message.player for message in self.record.messages) if self.record else {}


def read_head(
    data: bytes,
    *,
    is_part: bool,
    format_name: str = "",
    settings: Mapping[str, str] = {},
    is_any_text: bool = False,
) -> Table | None:
    """The rows at the beginning of a file, which may be packed by gzip; None when it holds no rows with columns.

    `is_part` says that `data` is cut off; an incomplete row is left out. A file that was read as `format_name` may have
    rows that would not be recognised as such, since a person named the format. Bytes that are not UTF-8 are read in the
    encoding of the `settings`, else in the most plausible one; a value with several lists by theirs, else by the one
    that looks most like messages. The lines of `is_any_text` are rows, if nothing else is known of them. Never raises.
    """
    chosen = (recipes.ENCODING, recipes.LIST, recipes.SEPARATOR)
    encoding, path, separator = (settings.get(setting, "") for setting in chosen)
    text, is_whole = gunzip_start(data, HEAD_BYTES)
    is_part = is_part or not is_whole
    plain = _decode(text, "", is_part=is_part)
    encodings = [] if plain is not None and plain.encoding == UTF_8 else propose_encodings(text)
    if encodings and plain is None:
        encoding = encoding or encodings[0][0]
    decoded = _decode(text, encoding, is_part=is_part) if encoding else plain
    if decoded is None:
        return None
    are_lines = recipes.is_template(separator)
    are_rows = not (path or are_lines) and (format_name == JSONL or json_rows.recognises_text(decoded.text))
    rows = json_rows.read_first_rows(decoded.text) if are_rows else None
    if rows is None and not are_lines and (format_name == CSV or csv_rows.recognises_text(decoded.text)):
        rows = csv_rows.read_csv(decoded, is_part=is_part)
    # Rows may be events, of which some hold a list of messages.
    table = rows if rows and (is_part or not are_rows or _has_talk(rows)) else None
    if table is None:
        value = None if is_part else json_rows.read_values(decoded.data)
        brief = json_rows.cut_lists(value)
        table = _find_rows(value, brief, path) or _find_lines(decoded, separator, brief)
        is_open = table is not None and is_talk(table.settings.get(recipes.LIST, "").rpartition(".")[2])
        if rows and not (table and (is_open or not _has_talk(rows)) and _has_talk(table, 2)):
            table = rows
    if table is None:
        return table_of_lines(decoded) if is_any_text and not _IS_JSON.match(decoded.text) else None
    if encodings:
        settings = table.settings | ({recipes.ENCODING: encoding} if encoding else {})
        table = replace(table, settings=settings, choices=table.choices | {recipes.ENCODING: encodings})
    return replace(reshape(table), is_part=is_part) if table.columns else None


def _has_talk(table: Table, least: int = 0) -> bool:
    """Whether players and texts of several rows can be proposed, of so many players at least."""
    table = reshape(table)
    fields = propose_mapping(table).fields
    cells = first_cells(table, places_of(fields, table.columns))
    players = {own.get(recipes.PLAYER) for own in cells} - {None}
    return recipes.has_needed(fields) and len(cells) > 1 and len(players) >= least


def _find_lines(decoded: Decoded, separator: str, value: Any) -> Table | None:
    """The lines of a text that is neither JSON nor a chat, with this separator, else with the likeliest one."""
    if value is not None:
        return None
    if not recipes.is_template(separator) and chat_heads.recognises_text(decoded.text):
        return chat_text.table_of_text(decoded)
    separator = separator or next((sign for sign, _sample in find_separators(decoded.text)), "")
    return read_separated(decoded, separator) if separator else None


def _decode(text: bytes, encoding: str, *, is_part: bool) -> Decoded | None:
    recoded = recode(text, encoding, is_part=is_part) or b""
    recoded = (unfold_lists(recoded, is_part=True) or recoded) if is_part else take_lines(recoded)
    return decode_text(recoded[: recoded.rfind(b"\n") + 1] if is_part and b"\n" in recoded else recoded)


def _find_rows(value: Any, brief: Any, path: str) -> Table | None:
    """The rows of a game, else of the list at the path, else of that in `brief` with most rows like messages."""
    is_game = json_turns.recognises(brief)
    games = [value] if is_game else [game for _at, game in list_inner_games(value, FORMATS)]
    if games and json_turns.recognises(games[0]):
        table = json_turns.table_of_game(games[0])
        return replace(table, around=[games[0], *table.around]) if table else None
    is_asked = type(brief) is list and explain_pieces(brief)
    known = [brief, *brief[:1]] if type(brief) is list else [brief]
    if not (is_game or is_asked) and (any(map(recognise, known)) or list_inner_games(brief, FORMATS)):
        return None

    def rank(path: str) -> tuple[bool, bool, int]:
        table = json_rows.table_at(brief, path)
        is_open = not any(map(is_hidden, path.split(".")))
        return is_open, table is not None and _has_talk(table), json_rows.count_rows(value, path)

    path = path or max(json_rows.find_lists(value), key=rank, default="")
    # A lone row is no table.
    return json_rows.table_at(value, path) if path and json_rows.count_rows(value, path) > 1 else None


def find_template(data: bytes, templates: Iterable[str], encoding: str = "") -> str:
    """Of these templates that read the lines of a text, those with most words of their own; "" without any."""
    written = [one for one in templates if recipes.is_template(one) and not find_fault(one)]
    head, is_whole = gunzip_start(data[:HEAD_BYTES], HEAD_BYTES) if written else (b"", True)
    decoded = _decode(head, encoding, is_part=not is_whole or len(data) > HEAD_BYTES)
    fitting = [one for one in written if decoded and fits(decoded, one)]
    return max(fitting, key=count_signs, default="")


def find_encoding(data: bytes, columns: recipes.Columns) -> str:
    """The encoding of a recipe that fits bytes that are not UTF-8; "" without one."""
    named = [mapping for mapping in columns if recipes.ENCODING in mapping.settings]
    decoded = decode_text(data) if named else None
    for mapping in () if decoded and decoded.encoding == UTF_8 else named:
        settings = mapping.settings
        table = read_head(data[:HEAD_BYTES], is_part=len(data) > HEAD_BYTES, settings=settings)
        if table is not None and recipes.find_mapping(table.columns, [mapping]):
            return mapping.settings[recipes.ENCODING]
    return ""


def read_first_game(
    table: Table, mapping: recipes.MappingRecord, name: str, source: str, role_map: RoleMap
) -> FirstGame:
    """The first game of the rows by this mapping, and how many games begin in them. Never raises."""
    games = list(games_of_rows(table, mapping, lambda: Notes(name, "", Limits(), source=source)))
    faults = [Fault(place=name, code=code, message=says) for code, _place, says in table.faults.first]
    if not games:
        return FirstGame(faults=faults)
    value, notes = games[0]
    record = read_converted(value, notes, role_map)
    return FirstGame(record, [*faults, *notes.faults], notes.warnings(), len(games), notes.private)
