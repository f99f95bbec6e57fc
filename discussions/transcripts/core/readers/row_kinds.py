"""What a row of a table is, and who could hear it: by its type, its audience, its flags and its phase."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from itertools import islice
from operator import itemgetter

from msgspec import Struct
from msgspec.structs import replace

from discussions.transcripts.core.audience import (
    IGNORE,
    NAMED,
    NARRATORS,
    OUT,
    PRIVATE,
    ROUND,
    SPEECH,
    THOUGHT,
    VOTE,
    distinct,
    is_half_known,
    is_hidden,
    kind_of_audience,
    kind_of_flag,
    kind_of_type,
    looks_like_audience,
    may_hide,
    say_hidden,
    split_names,
    tells_apart,
    words_of,
)
from discussions.transcripts.core.decoding import FAINT
from discussions.transcripts.core.notes import Limits
from discussions.transcripts.core.readers import chat_labels as labels
from discussions.transcripts.core.readers import column_guesses as guesses
from discussions.transcripts.core.readers import columns as recipes
from discussions.transcripts.core.readers.cast_lists import find_names
from discussions.transcripts.core.readers.tables import SAMPLED, Table, cells_of, first_cells, places_of
from discussions.transcripts.core.readers.vote_columns import is_target
from discussions.transcripts.core.thoughts import ASIDE, have_asides, split_aside
from workspace.core.words import mark, mark_many, say, say_many

# Before the name of a column that may say who could hear a row, as the field of that column.
UNCLEAR = "unclear "
# The fields that say what a row is, and who could hear it.
SIGNS = ("type", "audience", "private", "public", "phase")
# A column with more values beside different players is no audience.
MOST_VALUES = 500
FIRST_ROWS, EXAMPLE = 20, 120
# The roles of messages that nobody in the game said, and the types that do not say who could hear a message.
INSTRUCTIONS = frozenset(("system", "developer", "tool", "function"))
_OF_MESSAGES = INSTRUCTIONS | {"", "message", "ai", "human"}
_CHANNELS = frozenset("channel room group thread venue kind type".split())
_NIGHT = re.compile(r"\W{0,9}(?:night|n[ -]?\d)", re.IGNORECASE)
_SIDE = r"(?:mafia|wol(?:f|ves)|werewol(?:f|ves))\b"
# Of no game are the roles in a chat API; nobody is meant by "Gone since yesterday: none".
_NO_ROLES = ("", "assistant", "user", "system")
_NONE_LEFT = re.compile(r"[:：]\s{0,3}none\W{0,3}\Z", re.IGNORECASE)
_SIDES = re.compile(rf"\bnight\b|{_SIDE}", re.IGNORECASE)
# "(mafia game)" names the game, not who may read the row.
_HIDDEN = rf"(?:(?:night|private|secret|whisper(?:s|ed)?|dms?)\b|{_SIDE}(?!\W{{1,3}}games?\b))"
# After a public day, only what is of one side: "Day 2 (mafia)", "Round 2: wolves wake"; not "Day 2 (mafia wins)".
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


class RowSigns(Struct, frozen=True):
    """How rows are read: the places of fields, kinds of types, `names` of all players and roles `told`, case-folded."""

    at: dict[str, list[int]]
    kinds: Mapping[str, str]
    aliases: Mapping[str, str] = {}
    names: frozenset[str] = frozenset()
    reads_rounds: bool = True
    told: frozenset[str] = INSTRUCTIONS
    asked: Collection[str] = ()
    # Columns of numbers that are more than yes and no, "heard_by: 4", and fields that hide every text alike.
    unsure: Collection[str] = ()
    # The fields that say of some texts that all heard them, so that nobody can tell who heard those without one.
    told_all: Collection[str] = ()
    # What all types begin with, such as the module of their classes.
    module: str = ""
    # What stands after names, or for one, and may say who could hear a row: "Ann (aside)", "Wolves".
    modes: frozenset[str] = frozenset()
    # Some columns are not read: a row without a text may say something there.
    has_more: bool = False

    def name(self, cell: str) -> str:
        """The player of a cell, who may be called otherwise in it."""
        name, _mode = labels.split_mode(cell.strip(), self.modes)
        return self.aliases.get(name, name)

    def called(self, audience: str) -> str:
        """An audience with the names of players whom it calls otherwise, such as by their seats."""
        named = [self.aliases.get(part, part) for part in split_names(audience)] if self.aliases else []
        return ", ".join(named) or audience


_ASKED = mark_many(
    'What is "{value}"? One row has it, and who could hear it is not known.',
    'What is "{value}"? {count} rows have it, and who could hear them is not known.',
)
_NAMED = mark_many(
    "One message names a player it is for. Did everybody hear it?",
    "{count} messages name players they are for. Did everybody hear them?",
)
_ANSWER = mark("{sentence} Answer once, under “Is this the game?” of the import.")


class Question(Struct, frozen=True):
    """Who could hear the rows with this value of a type, an audience or a phase is not known; `example` is one."""

    value: str
    count: int
    example: str = ""

    @property
    def title(self) -> str:
        if self.value == NAMED:
            return say("A message that names a player it is for")
        return say("What is “{value}”?", value=self.value[:60])

    @property
    def sentence(self) -> str:
        asked = _NAMED if self.value == NAMED else _ASKED
        sentence = say_many(*asked, self.count, count=f"{self.count:,}", value=self.value[:60])
        return say(_ANSWER, sentence=sentence)


def find_questions(
    table: Table, mapping: recipes.MappingRecord, signs: RowSigns | None = None
) -> list[Question]:
    """What has to be asked about the rows before they are read, in order of appearance."""
    signs = signs or read_signs(table, mapping)
    read = first_cells(table, signs.at)
    open_rows = (cells for cells in read if kind_of_row(cells, signs)[0] not in (IGNORE, THOUGHT, PRIVATE))
    is_marked = any(split_aside(cells.get("text", "").strip())[1] for cells in read)
    first = [cells.get("text", "").strip() for cells in open_rows if cells] if is_marked else []
    asides = have_asides(first) or sum(FAINT in text for text in first)
    counts = table.asked | ({ASIDE: asides} if asides else {})
    asked = {value: count for value, count in counts.items() if value.casefold() not in mapping.kinds}
    examples = {ASIDE: next(text for text in first if split_aside(text)[1])} if asides else {}
    types: set[str] = set()
    for row in table.rows if signs.modes or any(map(_is_sign, signs.at)) else ():
        cells = cells_of(row, signs.at)
        types.add(cells.get("type", "").strip())
        who = cells.get("player") or ("" if cells.get("text") else cells.get("voter"))
        may_vote = "voter" in cells or cells.get("type") in table.asked
        said = cells.get("text") or (cells.get("target") if may_vote else "")
        unclear = _unclear(cells, signs) if who and said else []
        for value in unclear if cells.get("player") else {*unclear} & {cells.get("type", "")}:
            asked[value] = asked.get(value, 0) + (value not in table.asked)
            examples.setdefault(value, f"{who}: {said}")
    # Rows of a type that another sign hides are clear.
    asked = {value: count for value, count in asked.items() if value in examples or value not in types}
    return [Question(value, count, examples.get(value, "")[:EXAMPLE]) for value, count in asked.items()]


def read_signs(table: Table, mapping: recipes.MappingRecord) -> RowSigns:
    """How the rows are read, with the names of all players if somebody has to be told apart by them."""
    at = places_of(mapping.fields, table.columns)
    # Without types a target is no vote, unless somebody casts it; it may be who was spoken to.
    idle = () if "type" in at or ("voter" in at and {"target", "vote"} & {*at}) else recipes.OF_TYPED_ROWS
    used = {place for field, places in at.items() for place in places if field not in idle}
    # A row may have each of several columns for one sign, of which the first would hide what the others say, as a type
    # "ai" does; other types go together. And a phase called "channel" says who could hear a row: "2" is no round there.
    channels = (place for place in at.get("phase", ()) if looks_like_audience(table.columns[place]))
    first = first_cells(table, at)
    types = distinct(cells.get("type", "") for cells in first)
    fields = SIGNS[1:4] if any(kind_of_type(one) != SPEECH for one in {*types} - _OF_MESSAGES) else SIGNS[:4]
    further = {*channels, *(place for field in fields for place in at.get(field, ())[1:])}
    listed = {own: name for part in table.around for own, name in find_names(part, first).items()}
    ids = guesses.find_ids(table) | listed | mapping.ids
    further |= {*_naming_others(table, at.get(recipes.PLAYER, []), ids)}
    # Where types tell rows apart, what counts says nothing more: "subround".
    used |= {place for place, name in enumerate(table.columns) if len(types) > 1 and guesses.counts(name)}
    free = (place for place, name in enumerate(table.columns) if name != table.counted)
    places = [place for place in free if place not in used - further]
    called = frozenset(
        cells[recipes.PLAYER].strip().casefold() for cells in first if recipes.PLAYER in cells
    ) - {""}
    told = INSTRUCTIONS | ({"user", "human"} if _are_told(table, at) else set())
    signs = RowSigns(
        {field: own for field, own in at.items() if own},
        mapping.kinds,
        ids,
        reads_rounds=recipes.ROUNDS not in mapping.settings and ROUND not in mapping.kinds.values(),
        told=told,
        asked={*table.asked, *_unsaid(first)},
        module=guesses.module_of(types),
        names=called,
        modes=_modes(table, first),
        has_more=len(used) < len(table.columns),
    )
    unknown = {f"{UNCLEAR}{table.columns[place]}": [place] for place in _hiding(table, places, signs)}
    counts = [column for column, own in unknown.items() if guesses.is_count(table, own[0])]
    signs = replace(signs, at=signs.at | unknown, unsure=counts + _hiding_all(first))
    has_hearers = any(_is_sign(field) and field not in ("type", "phase") for field in signs.at)
    return _with_players(table, signs) if has_hearers or _is_guessed(table, signs) else signs


def _with_players(table: Table, signs: RowSigns) -> RowSigns:
    """The signs with the names of all players, who may be listed beside others and never speak."""
    at = {field: signs.at[field] for field in (recipes.PLAYER, "audience") if field in signs.at}
    names = (cells_of(row, at).get(recipes.PLAYER, "").strip() for row in table.rows)
    players = map(signs.name, distinct(filter(None, names), Limits().players))
    found = frozenset(name.casefold() for name in (*players, *signs.aliases.values()))
    columns = [field for field in signs.at if field.startswith(UNCLEAR)]
    rows = first_cells(table, signs.at)
    listed = distinct(own.get(column, "") for own in rows for column in columns)
    others = ({*map(str.casefold, split_names(signs.called(value)))} for value in listed)
    found = found.union(*(own for own in others if 2 * len(own & found) > len(own)))
    audiences = distinct(signs.called(cells_of(row, at).get("audience", "")) for row in table.rows)
    # Where somebody also speaks to all, speaking to anybody else is private. Otherwise a name may only be an address.
    is_told = any(kind_of_audience(value, found) == SPEECH for value in audiences if value)
    signs = replace(signs, names=found, kinds=({NAMED: PRIVATE} if is_told else {}) | dict(signs.kinds))
    said = [own for own in rows if {recipes.TEXT, recipes.PLAYER} <= own.keys()]
    guessed = ["type"] if _is_guessed(table, signs) else []
    return replace(
        signs, told_all=_telling_all(said, replace(signs, kinds={}), ("audience", "public", *guessed))
    )


def _is_guessed(table: Table, signs: RowSigns) -> bool:
    """Whether the column of types is none by its name: it may say who heard a row."""
    return any(recipes.field_of(table.columns[place]) is None for place in signs.at.get("type", ()))


def _telling_all(rows: list[dict[str, str]], signs: RowSigns, known: Collection[str]) -> list[str]:
    """The fields that say of some texts that all heard them; without what is called after the hidden, nothing is."""
    found = []
    for field in signs.at:
        column = field.removeprefix(UNCLEAR)
        is_unclear = column != field and recipes.field_of(column) != "type" and not is_hidden(column)
        own = rows if is_unclear or field in known else []
        cells = ({key: one[key] for key in (field, recipes.PLAYER)} for one in own if field in one)
        if any(kind == SPEECH for one in cells for kind, _value in _column_signs(one, signs)):
            found.append(field)
    return found


def _naming_others(table: Table, places: list[int], ids: Mapping[str, str]) -> list[int]:
    """The further columns of players that do not always name the player whom the first of them names."""
    sample = islice(table.rows, SAMPLED if len(places) > 1 else 0)
    rows = [row.cells for row in sample if row.cells[places[0]]]
    called = [[ids.get(cells[place], cells[place]) for place in places] for cells in rows]
    return [
        place
        for at, place in enumerate(places)
        if any(names[at] for names in called) and any(names[at] != names[0] for names in called)
    ]


def _hiding_all(rows: list[dict[str, str]]) -> list[str]:
    """The fields that say of all texts in the same words that not everybody could hear them."""
    said = [cells for cells in rows if cells.get(recipes.TEXT) and cells.get(recipes.PLAYER)]
    told = ((field, distinct(cells.get(field, "").strip() for cells in said)) for field in SIGNS[1:4])
    alike = ((field, values[0]) for field, values in told if len(values) == 1 < len(said))
    kinds = (
        (field, kind_of_flag(own, is_private=field == "private") or kind_of_type(own)) for field, own in alike
    )
    return [field for field, kind in kinds if kind == PRIVATE]


def _unsaid(rows: list[dict[str, str]]) -> set[str]:
    """The types of the rows in which somebody says something, where the words of each would leave its rows out."""
    types = {cells.get("type", "") for cells in rows if cells.get(recipes.TEXT) and cells.get(recipes.PLAYER)}
    return types if all(_of_type(value) == IGNORE for value in types) else set()


def _modes(table: Table, rows: list[dict[str, str]]) -> frozenset[str]:
    """What stands after names, or for one, and may say who could hear a row."""
    said = [(cells.get(recipes.PLAYER, "").strip(), cells.get("text", "")) for cells in rows]
    called = distinct((name for name, _text in said), SAMPLED)
    # What stands before a colon may be anything.
    is_chat = table.settings.get(recipes.SEPARATOR) == ":"
    others = (
        labels.doubtful_labels(said) if is_chat else {one for one in called if labels.may_be_none(one, said)}
    )
    return labels.find_modes(called) | others


def _are_told(table: Table, at: Mapping[str, list[int]]) -> bool:
    """Whether one player has messages of a user and of an assistant: the former are what a model was told."""
    first = [cells.get("role", "").casefold() for cells in first_cells(table, at, FIRST_ROWS)]
    if "role" not in at or not {*first} & {"assistant", "ai"}:
        return False
    cells = (cells_of(row, at) for row in table.rows)
    said = {(own.get(recipes.PLAYER, ""), own.get("role", "").casefold()) for own in cells}
    models = [name for name, role in said if role in ("assistant", "ai")]
    return any((name, "user") in said or (name, "human") in said for name in models)


def _is_sign(field: str) -> bool:
    return field in SIGNS or field.startswith(UNCLEAR)


def _hiding(table: Table, places: list[int], signs: RowSigns) -> list[int]:
    """The unknown columns that may say who heard a row, by name or, if they tell apart what one says, by values."""
    known = {field: signs.at.get(field, []) for field in (recipes.PLAYER, "round", recipes.TEXT)}
    names = signs.names
    places, named = guesses.find_telling(table, places, known["text"])
    every = {table.columns.index(one.name): one for one in guesses.columns_in(table)}
    sample = {place: every[place] for place in places if place in every}
    listed = guesses.find_listing({place: own for place, own in sample.items() if place not in named}, names)
    said: dict[int, set[tuple[str, str]]] = {place: set() for place in places}
    filled = dict.fromkeys(places, 0)
    for row in table.rows if places else ():
        own = cells_of(row, known)
        name = own.get(recipes.PLAYER, "").strip()
        for place, players in listed.items() if own.get("text") or not known["text"] else ():
            players.add(own, row.cells[place])
        for place in list(said):
            filled[place] += row.cells[place] != ""
            # Of a column that is known by its name it is enough that it has two values.
            if place not in named:
                said[place].add((name, row.cells[place]))
            elif len(said[place]) < 2:
                said[place].add(("", row.cells[place]))
            if len(said[place]) > MOST_VALUES:
                del said[place]
    hidden = [place for place, players in listed.items() if players.may_hide(names, table.columns[place])]
    hidden += [place for place, own in sample.items() if guesses.is_mask(own, len(names))]
    hidden += [place for place, own in sample.items() if guesses.is_answered(own, signs.kinds)]
    roles = [place for place in places if recipes.field_of(table.columns[place]) in (recipes.PLAYER, "role")]
    hidden += _telling_apart(table, {*places} - {*hidden, *listed, *roles}, signs)
    for place, pairs in said.items():
        column, cells = table.columns[place], {cell for _name, cell in pairs if cell}
        is_few = place in named or say_hidden(cells) or 2 * len(cells) <= max(4, filled[place])
        # Rows without a player's role say nothing of it.
        told = [pair for pair in pairs if pair[1] or place not in roles]
        tells = is_few and len(told) > len({name for name, _cell in told}) and may_hide(column, cells)
        if place not in hidden and tells and not guesses.are_texts(column, cells):
            hidden.append(place)
    return hidden


def _telling_apart(table: Table, places: Set[int], signs: RowSigns) -> list[int]:
    """The columns whose few codes tell apart what one player says in a round, where nothing else hides it."""
    read = ((cells_of(row, signs.at), row.cells) for row in islice(table.rows, SAMPLED if places else 0))
    rows = [
        (tuple(own.get(field, "") for field in (recipes.PLAYER, "round", "game", *SIGNS)), cells)
        for own, cells in read
        if {recipes.PLAYER, recipes.TEXT} <= own.keys() and kind_of_row(own, signs)[0] == SPEECH
    ]
    # Who speaks once in each round may whisper in one of them, as nobody else does.
    is_once = len({known for known, _cells in rows}) == len(rows)
    ways = (itemgetter(slice(1, None)), itemgetter(0, *range(2, 8))) if is_once else (tuple,)
    every = ((at, way) for at in sorted(places) for way in ways)
    other = {at for at, way in every if not tells_apart((way(known), cells[at]) for known, cells in rows)}
    return sorted(places - other)


def _signs(cells: Mapping[str, str], signs: RowSigns) -> Iterator[tuple[str, str]]:
    """What each of a row's signs says that it is, with the sign: words after its player's name, and its columns."""
    name, mode = labels.split_mode(cells.get(recipes.PLAYER, "").strip(), signs.modes)
    if mode:
        yield signs.kinds.get(mode.casefold()) or kind_of_type(mode), mode
    elif name in signs.modes:
        yield signs.kinds.get(name.casefold(), ""), name
    yield from _column_signs(cells, signs)
    if {recipes.PLAYER, recipes.TEXT} <= cells.keys() and kind_of_type(cells.get("type", "")) in ("", SPEECH):
        for field in (field for field in signs.told_all if field not in cells):
            unsaid = f"{field.removeprefix(UNCLEAR)}: (empty)"
            yield signs.kinds.get(unsaid.casefold(), ""), unsaid


def _column_signs(cells: Mapping[str, str], signs: RowSigns) -> Iterator[tuple[str, str]]:
    """The same of its type, audience, flags and phase."""
    kinds, author = signs.kinds, signs.name(cells.get(recipes.PLAYER, ""))
    columns = [field for field in cells if field.startswith(UNCLEAR)]
    for field in (*SIGNS, *columns):
        value = cells.get(field, "").strip()
        is_same = field == "phase" and any(cells[channel].strip() == value for channel in columns)
        if not value or is_same or (field == "audience" and is_target(cells, signs.name(value), signs.names)):
            continue
        column = field.removeprefix(UNCLEAR)
        is_flag = _is_flag(column, value, signs) if column != field else field in signs.unsure
        answer = kinds.get(value.casefold()) or kinds.get(f"{column}: {value}".casefold())
        if answer:
            yield answer, value
        elif is_flag:
            yield "" if field in signs.unsure else _of_flag(column, value), f"{column}: {value}"
        elif field == "type":
            yield "" if value in signs.asked else _of_type(value.removeprefix(signs.module)), value
        elif field == "audience" or column != field:
            kind = kind_of_audience(signs.called(value), signs.names, author)
            # That names are only addresses says nothing about other words.
            is_private = not kind and kinds.get(NAMED) == PRIVATE and field == "audience"
            yield kinds.get(NAMED, NAMED) if kind == NAMED else PRIVATE if is_private else kind, value
        elif field in ("private", "public"):
            kind = kind_of_flag(value, is_private=field == "private")
            named = kind_of_audience(signs.called(value), signs.names, author)
            # A whisper to somebody is one whoever that is.
            yield kind or (PRIVATE if field == "private" else named), f"{field}: {value}" if kind else value
        elif field == "phase":
            words = [word for word in value.split() if word.casefold() not in signs.names]
            # A part named after two players is theirs alone.
            kind = kind_of_phase(" ".join(words) if words and value.count(" ") < len(words) + 1 else value)
            # What is said while others vote is no vote, unless it is a name.
            is_said = kind in (VOTE, OUT) and kind_of_type(cells.get("type", "")) == SPEECH
            is_name = signs.name(cells.get(recipes.TEXT, "")).casefold() in {"", *signs.names}
            yield SPEECH if is_said and not is_name else kind, value


def _of_type(value: str) -> str:
    """What a type says; of a class in a module ("actions.Speak") the class, unless the module hides it."""
    kind = kind_of_type(value)
    # What is said by a "player" is speech, beside what is said by a "system".
    kind = kind or (SPEECH if recipes.field_of(value) == recipes.PLAYER else "")
    return kind if kind in (PRIVATE, THOUGHT) else kind_of_type(value.rpartition(".")[2]) or kind


def _is_flag(column: str, value: str, signs: RowSigns) -> bool:
    """Whether a value is a number, a flag or an empty list, and not the id of a player, as a channel has none."""
    is_known = value in signs.aliases or value.casefold() in signs.names
    is_player = is_known and _CHANNELS.isdisjoint(words_of(column))
    is_flag = value.isdecimal() or value == "[]" or kind_of_flag(value, is_private=True) != ""
    return is_flag and not is_player


def kind_of_phase(value: str) -> str:
    """What a phase says. Nights and sides of the game are `hidden_part`'s: "Mafia game, day 2" is public."""
    kind = kind_of_type(_SIDES.sub(" ", _NONE_LEFT.sub("", value)))
    if _OPEN.match(value):
        # Of "Day 1 notes" nobody can tell.
        return "" if kind == THOUGHT else SPEECH
    return SPEECH if not (kind or is_half_known(value)) and any(map(str.isdecimal, value)) else kind


def _of_flag(column: str, value: str) -> str:
    """What a flag says whose name does: "is_wolf_chat: true" hides a row. Of "only: true" nobody can tell."""
    hides = kind_of_type(column)
    said = kind_of_flag(value, is_private=hides != SPEECH)
    if said == PRIVATE and hides == THOUGHT:
        return THOUGHT
    return said if hides in (PRIVATE, THOUGHT, SPEECH) else ""


def kind_of_row(
    cells: Mapping[str, str], signs: RowSigns, own: Sequence[tuple[str, str]] = ()
) -> tuple[str, str]:
    """What a row is, and the sign of it: where a round begins, else the most hidden one of what its `own` signs say."""
    game = cells.get("game", "")
    answer = signs.kinds.get(game.casefold(), "") if game in signs.asked else ""
    said = [(answer, game), *(own or _signs(cells, signs))]
    if mark_of_round := next((value for kind, value in said if kind == ROUND), ""):
        return ROUND, mark_of_round
    if cells.get("role", "").strip().casefold() in signs.told:
        return IGNORE, cells["role"].strip()
    has_role = cells.get("role", "").strip().casefold() not in _NO_ROLES
    if (name := cells.get("player", "").strip()).casefold() in NARRATORS and not has_role:
        return IGNORE, name
    if hidden := hidden_part(cells):
        return PRIVATE, hidden
    order = (IGNORE, THOUGHT, PRIVATE, OUT, VOTE)
    found = ((kind, value) for kind in order for what, value in said if what == kind)
    return next(found, (SPEECH, ""))


def _unclear(cells: Mapping[str, str], signs: RowSigns) -> Iterator[str]:
    """The values of a row's signs that say nothing known, unless another sign hides the row anyway."""
    own = list(_signs(cells, signs))
    if kind_of_row(cells, signs, own)[0] in (IGNORE, THOUGHT, PRIVATE, ROUND):
        return
    unknown = ((kind, value) for kind, value in own if kind in ("", NAMED))
    yield from dict.fromkeys(kind or value for kind, value in unknown)


def hidden_part(cells: Mapping[str, str]) -> str:
    """The cell that says that the row is of a night or of a private channel; "" for public discussion."""
    said, phase = (cells.get(field, "").replace("_", " ").strip() for field in ("round", "phase"))
    if _NIGHT.match(said):
        return said
    if _OPEN.match(phase):
        return ""
    return phase if _NIGHT.match(phase) or _PRIVATE.search(phase) else ""
