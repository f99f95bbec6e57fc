"""Tables in other forms, as rows of messages: columns of players, messages repeated, objects in cells."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable
from itertools import islice

from msgspec.structs import replace

from discussions.transcripts.core.audience import (
    LEAST_TABLE,
    NARRATORS,
    SPEECH,
    VOTE,
    as_names,
    count_gaps,
    is_hidden,
    kind_of_flag,
    kind_of_type,
    looks_like_audience,
    split_names,
    words_of,
)
from discussions.transcripts.core.fields import as_object
from discussions.transcripts.core.readers.column_guesses import (
    beside,
    columns_in,
    find_likeliest,
    find_longest,
    is_round,
    is_told,
)
from discussions.transcripts.core.readers.columns import (
    LONGEST_NAME,
    MOST_COLUMNS,
    OR,
    PLAYER,
    TEXT,
    Columns,
    field_of,
    find_mapping,
    split_columns,
    suggest_fields,
)
from discussions.transcripts.core.readers.json_cells import as_text, flattened
from discussions.transcripts.core.readers.narration import votes_in
from discussions.transcripts.core.readers.stories import NAMED, merge_stories
from discussions.transcripts.core.readers.tables import (
    SAMPLED,
    Table,
    TableRow,
    cells_of,
    places_of,
    sample_rows,
    table_columns,
    with_rows,
)
from workspace.core.strict_json import read_json

# How many rows show that cells hold objects, and how few columns of players are a game.
SAMPLE, LEAST_PLAYERS = 50, 3
# What stands for a list of all players, and how many leave a game between two messages.
OPEN, MOST_LEAVING = "all", 2
_API_ROLES = frozenset(("user", "human", "assistant", "ai", "bot", "model"))
_LABELLED = re.compile(
    r"\W{0,6}(?P<name>[^\W\d_][\w.'’-]{0,30}(?: [\w.'’-]{1,20}){0,2})[*_\])]{0,4}[:：][*_]{0,3}\s{1,3}(?P<text>\S.*)",
    re.DOTALL,
)
# "SPEAK: Hello.", "COMPLETE TASK - Wiring".
_ACT = re.compile(r"(?P<verb>[A-Z]{2,20})(?: [A-Z]{2,20}){0,3}\b[\s:-]{0,3}(?P<said>.*)", re.DOTALL)
_SENSES = frozenset("see sees saw hear know knows".split())
_JOINT = re.compile(r"[._ :/-]+")
_NAMED_ROUND = re.compile(r"(?:day|night|round|phase|turn)[\W_]{0,3}\d{1,3}", re.IGNORECASE)


def reshape(table: Table, recipes: Columns = ()) -> Table:
    """The table with a row for each message and event; objects that a recipe names stay. Never raises."""
    table = table if find_mapping(table.columns, recipes) else _open_objects(merge_stories(table))
    table = _take_labels(_join_flags(_count_turns(_split_acts(table))))
    return _open_lists(_merge_observed(_split_players(table)))


def _open_objects(table: Table) -> Table:
    """The table with a column for each plain value of the objects in its cells: "inputs.player"."""
    held = [
        place
        for place, own in enumerate(zip(*sample_rows(table, SAMPLE), strict=True))
        if field_of(table.columns[place]) != TEXT
        and any(own)
        and all(not cell or (cell[:1] == "{" and cell[-1:] == "}") for cell in own)
    ]
    if not held or table.faults.count:
        return table
    flat = [
        {at: flattened(as_object(read_json(row.cells[at].encode(), is_lenient=True).value)) for at in held}
        for row in table.rows
    ]
    found = dict.fromkeys((place, name) for objects in flat for place, own in objects.items() for name in own)
    if not found or len(found) + len(table.columns) > MOST_COLUMNS:
        return table
    kept = [place for place in range(len(table.columns)) if place not in held]
    columns = [table.columns[place] for place in kept] + [f"{table.columns[at]}.{name}" for at, name in found]
    rows = (
        (row.number, [row.cells[at] for at in kept] + [as_text(own[at].get(name)) for at, name in found])
        for row, own in zip(table.rows, flat, strict=True)
    )
    return with_rows(table, table_columns(columns), rows)


def _split_acts(table: Table) -> Table:
    """The table with what each act is and what it says, where a column holds acts: "SPEAK: Hello.", "VOTE Bea"."""
    sample = () if TEXT in suggest_fields(table.columns) else zip(*sample_rows(table, SAMPLE), strict=True)
    for place, cells in enumerate(sample):
        acts = [_ACT.fullmatch(cell) for cell in cells if cell]
        kinds = {kind_of_type(act["verb"]) for act in acts if act and act["said"]}
        if {SPEECH, VOTE} <= kinds and None not in acts:
            rows = ((row.number, [*row.cells, *_act_of(row.cells[place])]) for row in table.rows)
            return with_rows(table, [*table.columns, "type", TEXT], rows)
    return table


def _act_of(cell: str) -> tuple[str, str]:
    """What an act is, and what it says; what is done without words is ignored."""
    act = _ACT.fullmatch(cell)
    kind = kind_of_type(act["verb"]) if act else ""
    return (kind, act["said"]) if act and kind in (SPEECH, VOTE) else ("action" if cell else "", cell)


def _count_turns(table: Table) -> Table:
    """The table with its turns as rounds, where there are none, and a turn has more than two texts, or is a day."""
    fields = suggest_fields(table.columns)
    columns = {column.name: column for column in columns_in(table)}
    texts = columns.get(fields.get(TEXT, "").partition(OR)[0]) or find_longest([*columns.values()])
    turns = [] if "round" in fields else split_columns(fields.get("turn", ""), columns)
    for turn in map(columns.__getitem__, turns):
        counted = beside(texts, turn)
        is_shared = is_round(counted) and 2 * len(counted.different) < len(counted.cells)
        if is_shared or all(map(_NAMED_ROUND.fullmatch, turn.different)):
            return replace(table, columns=["round" if name == turn.name else name for name in table.columns])
    return table


def _join_flags(table: Table) -> Table:
    """The table with who could hear each row as one list, where each player has a flag for it: "Ann_visible"."""
    heard: dict[tuple[str, str], dict[str, int]] = defaultdict(dict)
    every = columns_in(table)
    flags = [one for one in every if all(kind_of_flag(cell, is_private=False) for cell in one.different)]
    for column in flags:
        around, dot, last = column.name.rpartition(".")
        for joint in _JOINT.finditer(last):
            ends = last[: joint.start()], last[joint.end() :]
            for name, kind in (ends, ends[::-1]):
                # "Ann_can_see" is called after what she does.
                is_called = looks_like_audience(kind) or _SENSES.isdisjoint(words_of(kind))
                called = kind if is_called else f"{kind}.visible"
                if _may_be_player(name) and looks_like_audience(called) and not is_hidden(kind):
                    heard[around + dot, called][name] = table.columns.index(column.name)
    most = max(heard, key=lambda one: (len(heard[one]), len(one[1])), default=("", ""))
    (around, kind), own = most, heard[most]
    if len(own) < LEAST_PLAYERS or around + kind in table.columns:
        return table
    kept = [place for place in range(len(table.columns)) if place not in own.values()]
    # Where no flag is ever false, an empty one is.
    is_marked = all(
        _hears(cell) or not cell for row in table.rows for cell in map(row.cells.__getitem__, own.values())
    )
    rows = (
        (row.number, [*(row.cells[place] for place in kept), _hearers(row.cells, own, is_marked=is_marked)])
        for row in table.rows
    )
    return with_rows(table, [*(table.columns[place] for place in kept), around + kind], rows)


def _hearers(cells: list[str], flags: dict[str, int], *, is_marked: bool) -> str:
    """Whose flag is set, as a list; "" for a row without any flag, unless those who hear alone are marked."""
    heard = [name for name, place in flags.items() if _hears(cells[place])]
    return as_names(heard) if is_marked or any(cells[place] for place in flags.values()) else ""


def _hears(cell: str) -> bool:
    return kind_of_flag(cell, is_private=False) == SPEECH


def _take_labels(table: Table) -> Table:
    """The table with names that begin texts ("**Ann**: Hi.") as players, else those of other cells, or the narrator."""
    # Rows of several types may have several columns of a field.
    places = places_of(suggest_fields(table.columns), table.columns)
    text = -1 if PLAYER in places else places[TEXT][0] if TEXT in places else _longest(table)
    role = places["role"][0] if "role" in places else -1
    sample = [*sample_rows(table)] if text >= 0 else []
    if role >= 0 and not {cells[role] for cells in sample} <= _API_ROLES:
        return table
    texts = [cells[text] for cells in sample if cells[text]]
    counts = Counter(_label_of(said, ())[0] for said in texts)
    # What follows the name in "Ann whispers: Hi." is left out only where a column says who heard it.
    is_told = any(map(looks_like_audience, table.columns))
    often = [name for name, count in counts.items() if count > 1 and _may_be_player(name)]
    # "Ann messaged Bea" begins with a name.
    names = {name for name in often if not any(name.startswith(f"{other} ") for other in often)}
    has_more = any(label.startswith(f"{name} ") for label in counts for name in names)
    labelled = 0 if has_more and not is_told else sum(_label_of(said, names)[0] in names for said in texts)
    if len(names) < LEAST_PLAYERS or 3 * labelled < len(texts):
        return table
    rows = []
    for row in table.rows:
        label, said = _label_of(row.cells[text], names)
        others = [cell for place, cell in enumerate(row.cells) if place not in (role, text)]
        named = {own for own in names for cell in others if re.search(rf"\b{re.escape(own)}\b", cell)}
        # "Ann voted for Bea" is told by nobody.
        voter, target = next(votes_in("" if label else said), ("", ""))
        said = "" if voter in names else said
        name = label or (named.pop() if len(named) == 1 else "narrator")
        cells = [said if place == text else cell for place, cell in enumerate(row.cells) if place != role]
        rows.append(
            (row.number, [voter if voter in names else name, *cells, target if voter in names else ""])
        )
    kept = [column for place, column in enumerate(table.columns) if place != role]
    votes = ["vote"] if any(cells[-1] for _number, cells in rows) else []
    columns = [PLAYER if role >= 0 else NAMED, *kept, *votes]
    return with_rows(table, columns, ((number, cells[: len(columns)]) for number, cells in rows))


def _longest(table: Table) -> int:
    """The place of the column of texts, where none is called so; -1 without one."""
    longest = find_longest([column for column in columns_in(table) if not is_told(column)])
    return table.columns.index(longest.name) if longest else -1


def _label_of(cell: str, names: Collection[str]) -> tuple[str, str]:
    """Who a text says that it is from, and the text; a verb may stand after the name: "Ann said: 'Hi.'"."""
    label = _LABELLED.fullmatch(cell.strip())
    if label is None:
        return "", cell
    *words, verb = label["name"].split(" ")
    if words and kind_of_type(verb) == SPEECH:
        said = label["text"]
        is_quoted = len(said) > 1 and said[0] == said[-1] and said[0] in "'\""
        return " ".join(words), said[1:-1].replace(f"\\{said[0]}", said[0]) if is_quoted else said
    # "Ann messaged Bea: psst".
    known = (name for name in names if f"{label['name']} ".startswith(f"{name} "))
    return next(known, label["name"]), label["text"]


def _split_players(table: Table) -> Table:
    """The rows of a table with columns for each player, such as Ann_speech, Ann_vote, Bea_speech, Bea_vote."""
    grid = _grid(table.columns) or _wide(table)
    if PLAYER in suggest_fields(table.columns) and not all(any(map(str.isdigit, name)) for name in grid):
        return table
    # Of most players a text is more than a word.
    rows_read = list(sample_rows(table, SAMPLE)) if grid else []
    say_more = (any(count_gaps(row[at]) for row in rows_read for at in own.values()) for own in grid.values())
    if 2 * sum(say_more) <= len(grid):
        return table
    kinds: list[str] = list(dict.fromkeys(kind for own in grid.values() for kind in own))
    used = {place for own in grid.values() for place in own.values()}
    # Beside "p1_message" the column "p1" says who that is.
    called = {name: place for place, name in enumerate(table.columns) if name in grid and place not in used}
    used |= {*called.values()}
    beside = [place for place in range(len(table.columns)) if place not in used]
    rows = (
        (
            row.number,
            [
                *(row.cells[place] for place in beside),
                row.cells[called[name]] if name in called else name,
                *said,
            ],
        )
        for row in table.rows
        for name, own in grid.items()
        if any(said := [row.cells[own[kind]] for kind in kinds])
    )
    return with_rows(table, [*(table.columns[place] for place in beside), NAMED, *kinds], rows)


def _grid(columns: list[str]) -> dict[str, dict[str, int]]:
    """Player -> kind of column -> its place, where columns are a player and a kind, or a kind and a player."""
    for is_first in (True, False):
        found: dict[str, dict[str, int]] = defaultdict(dict)
        for place, column in enumerate(columns):
            joint = list(_JOINT.finditer(column))
            if joint:
                at = joint[0] if is_first else joint[-1]
                ends = column[: at.start()], column[at.end() :]
                found[ends[not is_first]][ends[is_first]] = place
        kinds: set[str] = max(map(set, found.values()), key=len, default=set())
        grid = {name: own for name, own in found.items() if {*own} == kinds and _may_be_player(name)}
        is_said = any(field_of(kind) == TEXT or kind_of_type(kind) == SPEECH for kind in kinds)
        if is_said and len(grid) > 1 and len(grid) * len(kinds) > 2:
            return grid
    return {}


def _wide(table: Table) -> dict[str, dict[str, int]]:
    """The same for columns that are players: what is written under a name is said by that player."""
    rows = list(sample_rows(table, SAMPLE if sum(map(_may_be_player, table.columns)) >= LEAST_PLAYERS else 0))
    texts = "\n".join(cell for row in rows for cell in row if count_gaps(cell)).casefold()
    found = {
        name: {TEXT: place}
        for place, name in enumerate(table.columns)
        if _may_be_player(name) and name.casefold() in texts and any(count_gaps(row[place]) for row in rows)
    }
    others = [name for name in table.columns if name not in found]
    is_said = any(field_of(name) == TEXT for name in others)
    return found if len(found) >= LEAST_PLAYERS and len(others) < len(found) and not is_said else {}


def _may_be_player(name: str) -> bool:
    return bool(name.strip()) and not kind_of_type(name) and not field_of(name)


def _merge_observed(table: Table) -> Table:
    """The table with one row for each id that differs in one column, as for observers, which lists all its cells."""
    fields = list(map(field_of, table.columns))
    at = [place for place, field in enumerate(fields) if field in ("id", "game")]
    events = _events(islice(table.rows, SAMPLED), at) if "id" in fields else {}
    repeated = [rows for rows in events.values() if len(rows) > 1]
    columns = (zip(*(row.cells for row in rows), strict=True) for rows in repeated)
    differ = {place for own in columns for place, cells in enumerate(own) if len({*cells}) > 1}
    if len(differ) != 1 or fields[place := differ.pop()] not in (None, "audience"):
        return table
    if any(len(row.cells[place]) > LONGEST_NAME for rows in repeated for row in rows):
        return table
    merged = []
    for rows in _events(table.rows, at).values():
        seen = dict.fromkeys(row.cells[place] for row in rows)
        cells = [*rows[0].cells[:place], ", ".join(seen), *rows[0].cells[place + 1 :]]
        merged.append((rows[0].number, cells))
    return with_rows(table, table.columns, merged)


def _events(rows: Iterable[TableRow], at: list[int]) -> dict[tuple[str, ...], list[TableRow]]:
    """The rows of each event in order; a row without an id is one."""
    found: dict[tuple[str, ...], list[TableRow]] = {}
    for row in rows:
        key = tuple(row.cells[place] for place in at)
        found.setdefault(key if all(key) else (*key, str(row.number)), []).append(row)
    return found


def _open_lists(table: Table) -> Table:
    """The table with "all" for the lists of players that name all who still play, as later rows show."""
    fields = suggest_fields(table.columns)
    columns = columns_in(table) if {"audience", PLAYER} <= fields.keys() else []
    lists = [
        table.columns.index(one.name)
        for one in columns
        if field_of(one.name) == "audience"
        and any(len(split_names(cell)) >= LEAST_TABLE - 1 for cell in one.different)
    ]
    if not lists:
        return table
    fields[PLAYER] = find_likeliest(fields[PLAYER], columns)
    at = places_of({name: fields.get(name, "") for name in (PLAYER, "game")}, table.columns)
    rows = [(row, cells_of(row, at)) for row in table.rows]
    authors = {cells.get(PLAYER, "").strip().casefold() for _row, cells in rows} - NARRATORS - {""}
    # For each row the game, the author, and who hears it.
    told: list[tuple[str, str, frozenset[str]]] = []
    for row, found in rows:
        author = found.get(PLAYER, "").strip().casefold()
        names = {name.casefold() for place in lists for name in split_names(row.cells[place])} - NARRATORS
        heard = {author, *(name for name in names if name in authors or not kind_of_type(name))}
        told.append((found.get("game", ""), author, frozenset(heard if author in authors else ())))
    spoken: dict[tuple[str, frozenset[str]], set[str]] = defaultdict(set)
    left: dict[str, frozenset[str]] = defaultdict(frozenset)
    playing = []
    for game, author, own in reversed(told):
        spoken[game, own].add(author)
        left[game] |= own
        playing.append(left[game])
    changed, apart = [], set[str]()
    for (row, _), (game, _, own), now in zip(rows, told, reversed(playing), strict=True):
        # At most two leave at once; then most of the others speak to one another, and half of them do not so before.
        is_left = len(left[game] - now) <= MOST_LEAVING and 2 * len(spoken[game, now]) >= len(now)
        left[game] = now if is_left and game not in apart else left[game]
        is_all = own >= left[game] and len(left[game]) >= LEAST_TABLE
        if is_all or 2 * len(own) >= len(left[game]):
            apart = apart - {game} if is_all else apart | {game}
        cells = [OPEN if is_all and place in lists and cell else cell for place, cell in enumerate(row.cells)]
        changed.append((row.number, cells))
    return with_rows(table, table.columns, changed)
