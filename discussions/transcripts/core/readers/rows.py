"""Converts rows with one message each, under named columns, to game objects that `native.read_game` reads."""

import re
from array import array
from bisect import bisect
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from discussions.transcripts.core.audience import (
    IGNORE,
    OUT,
    PRIVATE,
    ROUND,
    SPEECH,
    THOUGHT,
    VOTE,
    kind_of_type,
    words_of,
)
from discussions.transcripts.core.decoding import FAINT
from discussions.transcripts.core.fields import as_moment
from discussions.transcripts.core.native_parts import name_key
from discussions.transcripts.core.notes import Games, NativeGame, NewNotes, Notes
from discussions.transcripts.core.readers import columns as recipes
from discussions.transcripts.core.readers import json_rounds, row_kinds, row_votes, tables
from discussions.transcripts.core.readers.cast_lists import add_listed
from discussions.transcripts.core.readers.column_guesses import explain_rooms
from discussions.transcripts.core.readers.draft import Draft, is_nobody, leave_names_out
from discussions.transcripts.core.readers.named_lines import OTHER
from discussions.transcripts.core.readers.narration import CARDINALS, Rounds, find_narrators, leavers
from discussions.transcripts.core.readers.reshaped import reshape
from discussions.transcripts.core.readers.row_kinds import RowSigns
from discussions.transcripts.core.readers.tables import SAMPLED, Table, TableFaults, TableRow
from discussions.transcripts.core.thoughts import ASIDE, split_aside
from workspace.core.words import mark, say

MOST_QUESTIONS = 10
_API_ROLES = frozenset(("assistant", "user", "human", "ai"))
_ROUND = re.compile(r"(?P<before>[^\d]{0,40})(?P<number>\d{1,9})(?:\.0+)?(?:\D.{0,100})?", re.DOTALL)
# "Day two", "Tour IV".
_COUNTED = CARDINALS | {roman: at for at, roman in enumerate("i ii iii iv v vi vii viii ix x".split(), 1)}
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
_UNREAD = mark("Rows of which no text and no vote is read were left out: {count} (first {what}).")
_IGNORED = mark('Rows that are no speech, vote or elimination were left out: {count} (first "{what}").')
REPEATED = mark("Votes that repeat an earlier one of their round count once: {count} (first {what}).")
STOPPED = mark("The game ended by an error of an agent. What was said until then is read.")
_ENDS = re.compile(r"\b(?:terminated|aborted|crashed|game stopped|game ended)\b", re.IGNORECASE)
DIFFERS = {
    "role": mark("Players with several roles, of which the first is kept: {count} (first {what})."),
    "personality": mark("Players with several personalities; the first is kept: {count} (first {what})."),
}
_SILENT = mark('Names that only get votes and never speak were added as players: {count} (first "{what}").')
VOTES_AGAIN = mark(
    "Votes are cast again after more talk, and nothing says where rounds begin. Say once where, under “Is this the "
    "game?” of the import."
)
AGAIN = mark(
    "The rounds begin again here. Say once whether the file has one game or several, under “Is this the game?” of the "
    "import."
)
_NO_PLAYER = mark("The row names no player. Write who said it, or take the row out.")
_NO_TURN = mark('The turn "{turn}" is no whole number. Write a number, or map the column to the id.')
_DATED = mark('The round "{shown}" looks like a date or a time. Map its column to the time.')


_Cells = Mapping[str, str]
# The fields of which a row has one that says something.
_READ = frozenset((recipes.TEXT, *"thought vote voter target out type role personality winner".split()))
# Where the rows of a game begin and end, and the number of the first of each run.
_Spans = list[tuple[int, int, int]]


class _RowGame(Struct):
    """A game while its rows are read. `roster` is in the order of first appearance."""

    notes: Notes
    draft: Draft
    told: Rounds
    roster: dict[str, dict[str, Any]] = {}
    targets: dict[str, str] = {}
    winner: str | None = None
    round: int | None = None
    cast: set[tuple[int, str, str, str]] = set()
    aliases: dict[str, str] = {}
    # Who leads a game whose rows name no round, case-folded; `told` is where it is by what they say.
    leaders: frozenset[str] = frozenset()
    # Whether talk after votes begins a round; who voted, and who left, after how many messages.
    is_by_votes: bool = False
    ballots: list[tuple[str, int]] = []
    gone: list[int] = []

    @property
    def number(self) -> int:
        return 1 if self.round is None else self.round


def read_table(table: Table, new_notes: NewNotes, columns: recipes.Columns) -> Games:
    """The games of a file of rows, by a mapping or by known names of columns; else its fault."""
    table = reshape(table, columns)
    mapping = recipes.find_mapping(table.columns, columns)
    is_empty = True
    questions: list[row_kinds.Question] = []
    fields = {} if mapping is None else mapping.fields
    read = {column for name in fields.values() for column in recipes.split_columns(name, table.columns)}
    left_out = table.faults.judge_not_finite(read)
    if mapping is not None and not table.faults.count:
        signs = row_kinds.read_signs(table, mapping)
        questions = row_kinds.find_questions(table, mapping, signs)
        games = games_of_rows(table, mapping, new_notes, signs)
        again = [] if recipes.GAMES in mapping.settings else find_restarts(table, mapping)
        is_given = again or recipes.find_given(table.columns, columns) is not None
        if why := say(AGAIN) if again else "" if is_given else explain_rooms(table, fields):
            table.faults.add(recipes.UNKNOWN_COLUMNS, table.place(again[0]) if again else "", why)
            mapping = None
        for game, notes in () if questions or mapping is None else games:
            _warn_once(notes, left_out, table.faults)
            is_empty = False
            yield game, notes
    if not is_empty:
        return
    notes = new_notes()
    for code, place, sentence in table.faults.first:
        notes.fault(code, place, sentence)
    notes.fault_count = table.faults.count
    for question in questions[:MOST_QUESTIONS]:
        notes.fault(recipes.UNKNOWN_COLUMNS, "", question.sentence)
    if not table.faults.count and mapping is None:
        notes.fault(recipes.UNKNOWN_COLUMNS, "", recipes.describe_unknown(table.columns))
    elif not table.faults.count and not questions:
        notes.fault("no_games", "", say("The file has no row with a message. Export it again."))
    yield None, notes


def find_restarts(table: Table, mapping: recipes.MappingRecord) -> list[int]:
    """The rows with texts at which the rounds begin again, by their numbers, without a column for games."""
    own = {field: mapping.fields.get(field, "") for field in ("round", recipes.TEXT)}
    at = tables.places_of(own, table.columns)
    is_open = at["round"] and "game" not in mapping.fields and recipes.ROUNDS not in mapping.settings
    rows = table.rows if is_open else ()
    cells = ((tables.cells_of(row, at), row.number) for row in rows)
    # Votes may follow all messages.
    said = ((own.get("round", "").strip(), number) for own, number in cells if own.get(recipes.TEXT))
    return json_rounds.find_restarts((_round(text)[0], number) for text, number in said)


def _warn_once(notes: Notes, left_out: list[tuple[str, str, int]], faults: TableFaults) -> None:
    """What was left out of the whole file, or normalised in it, is said with its first game only."""
    while left_out:
        written, place, count = left_out.pop(0)
        notes.warn("not_finite", place, written, count=count)
    if faults.composed:
        notes.warn("normalised", count=faults.composed)
        faults.composed = 0


def games_of_rows(
    table: Table, mapping: recipes.MappingRecord, new_notes: NewNotes, signs: RowSigns | None = None
) -> Games:
    """The games of a table, in order of their first rows, read one after the other. Never raises."""
    signs = signs or row_kinds.read_signs(table, mapping)
    is_several = mapping.settings.get(recipes.GAMES) == recipes.SEVERAL_GAMES
    games = _runs(table, signs.at, find_restarts(table, mapping) if is_several else [])
    for number, (key, runs) in enumerate(games.items()):
        notes = new_notes()
        # A column that only numbers the games of a file is no id.
        is_named = "game" in signs.at and mapping.fields.get("game") != table.counted
        game = _RowGame(notes, Draft(notes, key if is_named else notes.source), Rounds())
        game.round = None if signs.reads_rounds else 1
        game.is_by_votes = mapping.settings.get(recipes.ROUNDS) == recipes.AFTER_VOTES
        notes.translate("", table.place(runs[2]))
        spans = list(zip(runs[::3], runs[1::3], runs[2::3], strict=True))
        own = signs
        if mapping.aliases:
            game.aliases = _aliases(table, spans, mapping, signs)
            own = replace(signs, aliases={**signs.aliases, **game.aliases})
        if signs.reads_rounds and signs.at.keys().isdisjoint(("round", "phase")):
            game.leaders = _leaders(table, spans, own)
        for cells, row in _cells_in(table, spans, signs):
            place = table.place(row.number)
            if _READ.isdisjoint(cells) and (unread := table.find_unread(row, signs.at)):
                notes.warn("row_unread", place, unread, says=_UNREAD)
            _read_row(game, cells, place, own)
        if signs.reads_rounds and game.round is None and row_votes.vote_again(game.ballots):
            notes.fault(recipes.UNKNOWN_COLUMNS, "", VOTES_AGAIN)
        around = table.of_games[number:][:1] if len(table.of_games) == len(games) else []
        add_listed(table.around if len(games) == 1 else around, game.roster, signs.aliases)
        yield _finish(game), notes


def _cells_in(table: Table, spans: _Spans, signs: RowSigns) -> Iterator[tuple[dict[str, str], TableRow]]:
    for span in spans:
        for row in table.read(*span):
            if any(row.cells):
                yield tables.cells_of(row, signs.at), row


def _aliases(table: Table, spans: _Spans, mapping: recipes.MappingRecord, signs: RowSigns) -> dict[str, str]:
    """The other names of the players of one game: of those who speak, vote or are voted for."""
    fields = (recipes.PLAYER, "vote", *recipes.OF_TYPED_ROWS)
    rows = (cells for cells, _row in _cells_in(table, spans, signs))
    called = (signs.name(cells.get(field, "")) for cells in rows for field in fields)
    return recipes.expand_aliases(mapping.aliases, dict.fromkeys(filter(None, called)))


def _leaders(table: Table, spans: _Spans, signs: RowSigns) -> frozenset[str]:
    """Who leads the game, if they say where its rounds begin."""
    rows = (cells for cells, _row in islice(_cells_in(table, spans, signs), SAMPLED))
    said = [(signs.name(cells.get(recipes.PLAYER, "")), cells.get(recipes.TEXT, "")) for cells in rows]
    # What nobody says is told, too.
    leaders = find_narrators(said) | {""}
    told = Rounds()
    begun = [told.hear_unsaid(text) for name, text in said if name.casefold() in leaders]
    return leaders if any(begun) else frozenset()


def _runs(table: Table, at: Mapping[str, list[int]], begins: list[int]) -> "dict[str, array[int]]":
    """Game -> start, end and first number of each run of its rows, in 12 bytes; one begins at each of `begins`, too."""
    found: dict[str, array[int]] = {}
    before = None
    first = tables.first_cells(table, at)
    # Only the row that opens a game may name it.
    is_opened = not any("game" in cells and recipes.TEXT in cells for cells in first)
    opening = next((at for at, cells in enumerate(first) if "game" in cells), 0)
    # Nobody may speak before the game has its name.
    is_silent = not any({recipes.PLAYER, recipes.TEXT} <= cells.keys() for cells in first[:opening])
    opened = first[opening].get("game", "").strip() if first and is_opened and is_silent else ""
    for row in table.rows:
        cells = tables.cells_of(row, at)
        if not any(row.cells):
            continue
        key = cells.get("game", "").strip() or ((before or opened) if is_opened else "")
        key = str(bisect(begins, row.number)) if begins else key
        runs = found.setdefault(key, array("I"))
        if key == before:
            runs[-2] = row.end
        else:
            runs.extend((row.start, row.end, row.number))
        before = key
    return found


def _read_row(game: _RowGame, cells: Mapping[str, str], place: str, signs: RowSigns) -> None:
    """One row: a message, a vote, or both; a row with only a player gives their role or personality."""
    phase, text = cells.get("phase", ""), cells.get(recipes.TEXT, "").strip()
    is_empty = is_nobody(text) or signs.name(text).casefold() in signs.names
    is_cast = "voter" in cells and {"target", "vote"} & cells.keys()
    if is_cast and not text and "type" not in cells:
        cells = {**cells, "type": VOTE}
    if is_empty and "type" not in cells and kind_of_type(phase) in (VOTE, OUT):
        # Its phase is a vote or an elimination, and its text at most a player.
        cells = {**cells, "type": phase}
    kind, sign = row_kinds.kind_of_row(cells, signs)
    if kind in (SPEECH, PRIVATE) and cells.get("thought") and not (text or cells.get("vote")):
        kind = THOUGHT
    if game.leaders:
        kind, sign = _hear(game, cells, signs, (kind, sign))
    if kind == ROUND:
        has_begun = game.draft.game["messages"] or game.draft.game["votes"]
        game.round = (game.round or 0) + 1 if has_begun else 1
    else:
        _read_kind(game, cells, place, signs, (kind, sign))


def _hear(game: _RowGame, cells: _Cells, signs: RowSigns, what: tuple[str, str]) -> tuple[str, str]:
    """What a row is in a game whose leaders say where it is: what they say is ignored, and nights are private."""
    name, text = signs.name(cells.get(recipes.PLAYER, "")).casefold(), cells.get(recipes.TEXT, "")
    if what[0] in (SPEECH, IGNORE, *((VOTE, OUT) if name else ())) and name in game.leaders:
        game.told.hear_unsaid(text)
        return IGNORE, name
    if what[0] in (SPEECH, VOTE) and game.told.is_night:
        return PRIVATE, "night"
    if what[0] == SPEECH and text:
        game.told.talk()
    game.round = game.told.number
    return what


def _read_kind(game: _RowGame, cells: _Cells, place: str, signs: RowSigns, what: tuple[str, str]) -> None:
    kind, sign = what
    # A person may say of a value of any column that its rows are votes.
    is_typed = "type" in cells or signs.kinds.get(sign.casefold()) == kind in (VOTE, OUT)
    cells = row_votes.of_kind(cells, kind, signs) if is_typed or kind == THOUGHT else cells
    kind, cells = row_votes.read_command(cells, signs) if kind == SPEECH else (kind, cells)
    name = signs.name(cells.get(recipes.PLAYER, ""))
    target = signs.name(row_votes.target_in(cells.get("vote", "")))
    is_vote = kind == VOTE and is_typed
    # "Vote intentions" without anybody in them are no vote.
    kind = IGNORE if is_vote and not target else kind
    target = "" if row_votes.is_poll(target, signs) else target
    text = cells.get(recipes.TEXT, "").strip()
    game.winner = game.winner or cells.get("winner")
    is_hidden = kind in (PRIVATE, THOUGHT)
    if kind == IGNORE or row_votes.says_nothing(cells, kind, name, target, signs, is_typed=is_typed):
        _ignore(game, cells, place, sign, name, reads_rounds=signs.reads_rounds)
        return
    if not is_hidden and signs.reads_rounds:
        _read_round(game, cells, place)
    if kind == OUT and is_typed:
        told = (who for who, _how in leavers(text) if who.casefold() in signs.names)
        _read_out(game, told if cells.get("type") == OTHER else [name], sign, place)
        return
    # "Wolves" who only say what is hidden are no player.
    if name and not (is_hidden and name in signs.modes):
        _note_player(game, name, cells, place)
    elif not name and (text or target):
        game.notes.fault("no_player", place, _NO_PLAYER)
    if target and not is_hidden:
        _read_vote(game, name, target, cells, place, is_typed=is_vote)
    if is_hidden:
        # A vote or an act at night has no text of its own.
        cells = cells if text or not target else dict(cells) | {recipes.TEXT: f"→ {target}"}
        _add_message(game, cells, place, signs, audience="nobody" if kind == THOUGHT else {"channel": sign})
    elif name and not is_vote and (text or not (target or (signs.has_more and not cells.get("thought")))):
        _add_message(game, cells, place, signs, audience=None)


def _ignore(game: _RowGame, cells: _Cells, place: str, sign: str, name: str, *, reads_rounds: bool) -> None:
    """Leave a row out that says no role; "Day 2 begins" says it for the rows below."""
    if name and cells.get("role") and not cells.get(recipes.TEXT):
        _note_player(game, name, cells, place)
        return
    what = sign or cells.get("type") or cells.get(recipes.TEXT, "")[:60]
    game.notes.warn("row_ignored", place, what, says=_IGNORED)
    if "error" in words_of(what) and _ENDS.search(cells.get(recipes.TEXT, "")):
        game.notes.warn("game_stopped", place, says=STOPPED)
    begun = _round(cells.get("round", "").strip())[0] if reads_rounds else None
    game.round = game.round if begun is None else begun


def _add_message(
    game: _RowGame, cells: _Cells, place: str, signs: RowSigns, *, audience: str | dict[str, str] | None
) -> None:
    said, aside = cells.get(recipes.TEXT, ""), ""
    if signs.kinds.get(ASIDE) == SPEECH:
        said = re.sub(f"</?{FAINT[1:]}", "", said)
    if audience is None and signs.kinds.get(ASIDE, SPEECH) != SPEECH:
        said, aside = split_aside(said.strip())
        if aside and not said:
            said, aside, audience = aside, "", "nobody"
    above = game.draft.game["messages"][-1:]
    if cells.get("type") == OTHER and not audience and [one["audience"] for one in above] == [None]:
        above[0]["message"] += f"\n\n{said}"
        return
    # Without turns or ids of its own, a message has the number of those that everybody could hear.
    own = "turn" in signs.at or "id" in signs.at
    turn: dict[str, Any] = {"turn": _turn(game, cells.get("turn", ""), place)} if own else {}
    reply = cells.get("reply_to", "").strip()
    number = _TURN.fullmatch(reply)
    game.draft.add_message(
        place,
        game.round,
        signs.name(cells.get(recipes.PLAYER, "")),
        said,
        time=as_moment(cells.get("time", "")) or None,
        id=cells.get("id", "").strip() or None,
        # A whole number that a spreadsheet wrote as 3.0 is 3.
        inReplyToId=str(int(number[1])) if number else reply or None,
        audience=audience,
        reasoning="\n".join(filter(None, (aside, cells.get("thought")))) or None,
        **turn,
    )


def _read_out(game: _RowGame, names: Iterable[str], sign: str, place: str) -> None:
    """Who leaves: the player of the row; in a line that nobody says, whom it names, not who has spoken last."""
    for name in names:
        if is_nobody(name):
            continue
        game.targets.setdefault(name, place)
        game.gone.append(len(game.draft.game["messages"]))
        game.draft.add_elimination(place, game.number, name, sign[:200])


def _read_vote(
    game: _RowGame, name: str, target: str, cells: Mapping[str, str], place: str, *, is_typed: bool
) -> None:
    # Only after all rows are read is it known whether a player is called "Skip".
    if not is_nobody(target):
        game.targets.setdefault(target, place)
    number, private = game.number, {}
    time = as_moment(cells.get("time", "")) or None
    # A column repeats an agent's vote in each of its rows, and a list the votes of another one.
    moment = len(game.draft.game["messages"]) if game.is_by_votes else time
    key = (number, name, target, str(moment) if is_typed or game.is_by_votes else "")
    if is_typed:
        private = {"justification": cells.get(recipes.TEXT) or None, "reasoning": cells.get("thought")}
    if key in game.cast and (time or not is_typed):
        game.notes.warn("vote_repeated", place, f"{name[:25]} → {target[:25]}", says=REPEATED)
        return
    game.cast.add(key)
    # What stands beside a text says nothing of rounds.
    voter = name if is_typed or not cells.get(recipes.TEXT) else ""
    game.ballots.append((voter, len(game.draft.game["messages"])))
    game.draft.add_vote(place, number, name or None, target, time=time, **private)


def _player(game: _RowGame, name: str, place: str) -> dict[str, Any]:
    if name not in game.roster:
        game.notes.translate(f"/players/{len(game.roster)}", place)
        game.roster[name] = {"name": name, "role": None, "personality": None}
    return game.roster[name]


def _note_player(game: _RowGame, name: str, cells: Mapping[str, str], place: str) -> None:
    player = _player(game, name, place)
    for field in ("role", "personality"):
        said = cells.get(field, "").strip()
        # The role in a chat API names the kind of sender. It is not a role of the game.
        if not said or (field == "role" and said.lower() in _API_ROLES):
            continue
        if player[field] is None:
            player[field] = said
        elif player[field] != said:
            game.notes.warn(f"{field}_differs", place, name, says=DIFFERS[field])


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
        return None, say(_DATED, shown=shown)
    if found is None and (counted := _COUNTED.get(" ".join(words_of(said)[1:]))):
        return counted, ""
    if found is None:
        return None, say('The round "{shown}" holds no number. Write 2, "Day 2" or "Round 2".', shown=shown)
    if _BELOW_ZERO.search(found["before"]):
        return None, say('The round "{shown}" is below 0. Count the rounds from 0 or from 1.', shown=shown)
    return int(found["number"]), ""


def _turn(game: _RowGame, given: str, place: str) -> int | None:
    number = _TURN.fullmatch(given.strip())
    if number is None and given.strip():
        game.notes.fault("wrong_type", place, _NO_TURN, turn=given.strip()[:60])
    return int(number[1]) if number else None


def _finish(game: _RowGame) -> NativeGame:
    """The game as an object. Someone who receives a vote but never speaks is a player, too."""
    if game.is_by_votes:
        row_votes.count_by_votes(game.draft.game, game.ballots, game.gone)
    leave_names_out(game.draft.game["messages"], game.notes)
    names = {name.casefold(): name for name in game.roster}
    for target, place in game.targets.items():
        if target.casefold() not in names:
            names[target.casefold()] = target
            _player(game, target, place)
            game.notes.warn("silent_target", place, target, says=_SILENT)
    for vote in game.draft.game["votes"]:
        vote["targetName"] = names.get(vote["targetName"].casefold())
    for gone in game.draft.game["eliminations"]:
        gone["playerName"] = names.get(gone["playerName"].casefold())
    known = set(map(name_key, game.roster))
    for alias, name in game.aliases.items():
        if (player := game.roster.get(name)) and name_key(alias) not in known:
            known.add(name_key(alias))
            player.setdefault("aliases", []).append(alias)
    return game.draft.game | {"players": list(game.roster.values()), "winner": game.winner}
