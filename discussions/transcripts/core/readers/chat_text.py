"""Plain text: `[time] Name: text` or `<Name> text` lines, rounds by heading lines or `[Day 1]` before each message.

Blocks of facts are at the beginning and the end. docs/transcripts.md describes it. A line that begins no message
continues the text before it. Nights, whispers and thoughts are private.
"""

import re
from collections import Counter
from collections.abc import Iterator
from functools import partial
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from discussions.transcripts.core.audience import THOUGHT_NAMES
from discussions.transcripts.core.decoding import Decoded
from discussions.transcripts.core.notes import Games, Limits, NewNotes, Notes
from discussions.transcripts.core.notices import split_notice
from discussions.transcripts.core.readers import cast_lists, lines_below, narration
from discussions.transcripts.core.readers import chat_forms as forms
from discussions.transcripts.core.readers import chat_labels as labels
from discussions.transcripts.core.readers import chat_lines as chat
from discussions.transcripts.core.readers import chat_parts as parts
from discussions.transcripts.core.readers import columns as recipes
from discussions.transcripts.core.readers.chat_heads import HEAD_CHARACTERS, SAMPLE_LINES
from discussions.transcripts.core.readers.draft import Draft, is_nobody
from discussions.transcripts.core.readers.json_rows import table_of_objects
from discussions.transcripts.core.readers.rows import AGAIN, DIFFERS, REPEATED
from discussions.transcripts.core.readers.tables import Table
from workspace.core.words import mark, say

_PLAYER = re.compile(
    r"[-*•]?\s{0,3}(?P<name>[^:=()\n]{1,200}?)\s{0,3}(?:(?:[:=]|(?<=\s)[-–—]>?(?=\s))\s{0,3}(?P<said>.*)"
    r"|\((?P<boxed>[^()]*)\))?"
)
_VOTE_OR_OUT = re.compile(r"[\W\d]{0,40}(?:vote|eliminated) ?[:：](.*)", re.IGNORECASE)
_NAME_ENDS = re.compile(r"->|→|=>|➜|➔|⇒|\(")
# Those of `table_of_text`.
_COLUMNS = frozenset(("round", "player", "text", "private"))

_NIGHT = mark("Lines under headings of nights are no part of the public discussion: {count}.")
_NAME_IN_TEXT = mark('Lines like messages continue texts: {count} (first of "{what}"). Correct the names.')
_HEADING_TEXT = mark('Texts after the headings of rounds were left out: {count} (first "{what}").')
_SECTION_LINE = mark('Headings without a round were left out: {count} (first "{what}").')
_MENDED = mark("Special spaces, brackets or marks before texts were read as plain ones: {count}.")
_FIGURES = mark('Lines with only a number or a list of players were left out: {count} (first of "{what}").')
_COMES_BACK = mark('Lines that come back were left out: {count} (first "{what}").')
_BEFORE_FIRST = mark('Lines before the first message were left out: {count} (first "{what}").')
_FACT_BELOW = mark('Lines at the end were read as facts: {count} (first "{what}"). If said, list players.')
_BALLOTS = mark('Messages of a sign and a name were read as votes: {count} (first "{what}").')
_SPEAKS_ONCE = mark('Players speak only once: {count} (first "{what}"). If they are none, list the players.')


class _Game(Struct):
    """A game while its lines are read, from line `begin` of the file on. Who only speaks at night is no player."""

    notes: Notes
    draft: Draft
    begin: int = 1
    facts: dict[str, str] = {}
    roster: dict[str, dict[str, Any]] = {}
    # Their names by the same in small letters.
    called: dict[str, str] = {}
    spoken: set[str] = set()
    is_listed: bool = False
    rounds: narration.Rounds = field(default_factory=narration.Rounds)
    latest: int = 0
    # Where it was said: "" by day. A line that begins no message continues the `open` one.
    channel: str = ""
    open: dict[str, Any] | None = None
    last_public: dict[str, Any] | None = None
    # What who leads the game says, and what continues it.
    told: dict[str, Any] = field(default_factory=lambda: {"message": "", "playerName": ""})
    gone: set[str] = set()
    cast: set[tuple[int, str, str]] = set()
    # The message of which only a notice was read.
    shown: chat.ChatLine | None = None

    @property
    def speaker(self) -> str:
        """Who has spoken last by day; "" before the first message."""
        return self.last_public["playerName"] if self.last_public else ""

    @property
    def round(self) -> int:
        return 1 if self.rounds.number is None else self.rounds.number

    def place(self, index: int) -> str:
        return f"line {self.begin + index}"

    def begins_again(self, line: chat.ChatLine) -> bool:
        """Whether a heading has the number of the first round, after talk of a later one."""
        if line.kind not in ("heading", "night") or self.channel not in ("", "night"):
            return False
        numbers = (said["roundNumber"] for said in self.draft.game["messages"])
        return line.round == next((one for one in numbers if one is not None), self.round) < self.round


def to_native_text(decoded: Decoded, new_notes: NewNotes, columns: recipes.Columns) -> Games:
    """The games of the text, in order. Never raises."""
    head = parts.split_lines(decoded.head(HEAD_CHARACTERS))[: 5 * SAMPLE_LINES]
    own = forms.find_forms(head)
    style = chat.find_style([line for line in labels.outside_tags(forms.as_chat(head, own)) if line.strip()])
    own_recipes = (one.settings for one in columns if _COLUMNS.issuperset(one.columns))
    said = next((settings[recipes.GAMES] for settings in own_recipes if recipes.GAMES in settings), "")
    for begin, end, number in parts.find_titled_games(decoded):
        lines = parts.without_inner(forms.as_chat(parts.split_lines(decoded.part(begin, end)), own))
        games = list(_read_games(lines, style, new_notes, number, is_split=said != recipes.ONE_GAME))
        if len(games) > 1 and not said:
            games[1].notes.begin_native()
            games[1].notes.fault(recipes.UNKNOWN_COLUMNS, "", say(AGAIN))
            yield None, games[1].notes
            continue
        yield from ((_value(game), game.notes) for game in games)


def table_of_text(decoded: Decoded) -> Table | None:
    """The messages of a text whose rounds begin again, for a person to say whether that is one game; else None."""
    one, new_notes = (
        recipes.MappingRecord([], {}, settings={recipes.GAMES: recipes.ONE_GAME}),
        partial(Notes, "", "", Limits()),
    )
    if all(game is not None for game, _notes in to_native_text(decoded, new_notes, ())):
        return None
    rows = [
        {"round": said["roundNumber"], "player": said["playerName"], "text": said["message"]}
        | ({"private": True} if said["audience"] else {})
        for game, _notes in to_native_text(decoded, new_notes, [one])
        for said in (game or {})["messages"]
    ]
    table = table_of_objects(list(enumerate(rows, start=1)), "message {}".format)
    return replace(table, choices={recipes.SEPARATOR: []})


def _read_games(
    lines: list[str], style: chat.ChatStyle, new_notes: NewNotes, number: int, *, is_split: bool
) -> Iterator[_Game]:
    """The game of the lines, the first of which has this number; `is_split`: one begins where rounds begin again."""
    game = _new_game(new_notes, number)
    facts, start = labels.facts_at(lines, 0, last := len(lines))
    _read_facts(game, facts)
    names = frozenset(map(str.casefold, game.roster)) if game.is_listed else None
    below, end = labels.facts_below(lines, start, last, names or frozenset())
    style = replace(style, listed=names, heading_names=_heading_names(game, lines[start:end]))
    numbered = parts.find_repeated(lines[start:end])
    for index in range(start, end):
        line = chat.read_chat_line(lines[index], style)
        if line.kind == "more" and numbered and chat.as_shape(lines[index]) in numbered:
            begun, part = narration.begun_by(line.text)
            if begun == 0:
                game.notes.warn("numbered_line", game.place(index), line.text.strip(), says=_COMES_BACK)
                continue
            line = chat.ChatLine(part, round=begun)
        if is_split and game.begins_again(line):
            yield game
            game = _new_game(new_notes, number)
            game.notes.translate("", game.place(index))
        _take(game, line, game.place(index))
    if names is None:
        _warn_of_lone_facts(game, lines, below, last)
    _read_facts(game, below)
    yield game


def _new_game(new_notes: NewNotes, number: int) -> _Game:
    game = _Game(notes := new_notes(), Draft(notes, notes.source), begin=number)
    notes.translate("", game.place(0))
    return game


def _warn_of_lone_facts(game: _Game, lines: list[str], below: list[labels.Fact], last: int) -> None:
    """A fact that is alone in its block may be a message of a player called "Date" or "Winner"."""
    for index in sorted({index for _key, _said, index in below}):
        is_last = index + 1 == last or not lines[index + 1].strip()
        if is_last and not lines[index - 1].strip():
            game.notes.warn("fact_below", game.place(index), lines[index].strip(), says=_FACT_BELOW)


def _read_facts(game: _Game, facts: list[labels.Fact]) -> None:
    """Read the facts. If one is given twice, the first counts. If `Players` are listed, nobody else speaks."""
    for key, said, index in facts:
        if key in ("players", "roles"):
            _read_player(game, key, said, game.place(index))
        else:
            game.facts.setdefault(key, said)


def _heading_names(game: _Game, lines: list[str]) -> frozenset[str]:
    """Names of players that look like headings: those that are listed, vote, are voted for or leave the game."""
    told = filter(None, map(_VOTE_OR_OUT.match, lines))
    names = [*game.roster, *(part.strip() for one in told for part in _NAME_ENDS.split(one[1]))]
    return frozenset(name.casefold() for name in names if chat.HEADING_NAME.fullmatch(name))


def _read_player(game: _Game, key: str, told: str, place: str) -> None:
    player = _PLAYER.fullmatch(told.strip())
    if player is None:
        return
    game.is_listed = game.is_listed or key == "players"
    said = [part.strip() for part in (player["said"] or player["boxed"] or "").split(",", 1)]
    name = player["name"].strip()
    found = game.roster[_add_player(game, game.called.get(name.casefold(), name), place)]
    found["role"] = found["role"] or said[0] or None
    found["personality"] = found["personality"] or (said[1] if len(said) > 1 else "") or None


def _add_player(game: _Game, name: str, place: str, *, speaks: bool = False) -> str:
    """The name as the game spells it, "Ann" also where a line has "ANN"; a new name becomes a player."""
    known = game.called.setdefault(name.casefold(), name)
    # "ann" may be somebody else, and so may two be who speak.
    is_same = known.isupper() != name.isupper() and not (speaks and known in game.spoken)
    known = known if game.is_listed or is_same else name
    if speaks:
        game.spoken.add(known)
    if known not in game.roster:
        game.notes.translate(f"/players/{len(game.roster)}", place)
        game.roster[known] = {"name": known, "role": None, "personality": None}
    return known


def _take(game: _Game, line: chat.ChatLine, place: str) -> None:
    if line.kind == "blank":
        if game.open is not None:
            game.open["message"] += "\n"
    elif line.kind == "section" and not (line.audience == "night" and game.channel):
        if line.name:
            game.rounds.hear("night falls" if line.name == "night" else "day breaks")
        _enter(game, line.text if line.round == 1 else "")
        game.notes.warn("section_line", place, line.text, says=_SECTION_LINE)
    elif line.kind == "notice":
        game.notes.warn("notice", place, line.text)
    elif game.channel and line.kind in ("message", "more", "vote", "out", "section"):
        game.notes.warn("night_line", place, says=_NIGHT)
        _take_at_night(game, line, place)
    else:
        _TAKE[line.kind](game, line, place)


def _take_heading(game: _Game, line: chat.ChatLine, place: str) -> None:
    # Rounds that begin again below a hidden title belong to that part.
    now = game.rounds.number
    begun = min(line.round, game.latest if now is None else now)
    is_again = game.channel not in ("", "night") and begun < game.latest >= line.round
    game.rounds.begin(line.round, is_night=line.kind == "night")
    game.latest = max(game.latest, line.round)
    if not is_again:
        _enter(game, "night" if line.kind == "night" else "")
    if line.after is not None:
        _take(game, line.after, place)
    elif line.text:
        game.notes.warn("heading_text", place, line.text, says=_HEADING_TEXT)


def _enter(game: _Game, channel: str) -> None:
    """Begin a part: nobody of the part before goes on speaking in it."""
    game.channel, game.open = channel, None if channel or not game.last_public else game.told


def _take_narrated(game: _Game, line: chat.ChatLine, place: str) -> None:
    """Take what who leads the game says: rounds and nights, votes, and who leaves."""
    for said in narration.sentences(line.text):
        if game.rounds.hear(said):
            game.latest = max(game.latest, game.rounds.number or 0)
            _enter(game, "night" if game.rounds.is_night else "")
        if not game.channel:
            _take_told(game, said, line.time, place)
    if line.kind == "narrated":
        game.notes.warn("narrated", place, line.name or line.text, says=narration.NARRATED)
    game.open = game.told


def _take_told(game: _Game, said: str, time: str | None, place: str) -> None:
    for voter, target in narration.votes_in(said):
        game.draft.add_vote(place, game.round, voter, target, time=time)
    for name, how in narration.leavers(said, game.roster):
        if name not in game.gone:
            game.gone.add(name)
            game.draft.add_elimination(place, game.round, _add_player(game, name, place), how)


def _take_at_night(game: _Game, line: chat.ChatLine, place: str) -> None:
    """Keep a line of a night: what was said, a vote by its voter, or what nobody said."""
    if line.kind == "more" and game.open is not None:
        game.open["message"] += "\n" + line.text
        return
    name, text = line.name if line.kind in ("message", "vote") else "", line.text
    if line.kind == "vote" and not name and (arrow := chat.ARROW.fullmatch(text)):
        name, text = arrow["voter"].strip(), f"→ {arrow['target'].strip()}"
    elif line.kind == "out":
        text = f"Eliminated: {text}"
    _add_message(game, name, text, line.time, place, line.audience or game.channel)


def _take_message(game: _Game, line: chat.ChatLine, place: str) -> None:
    if line.audience:
        _add_message(game, line.name, line.text, line.time, place, line.audience)
        return
    said, notice = split_notice(line.text, line.name)
    if notice:
        game.notes.warn("notice", place, notice)
        # A caption may follow on the next line.
        game.open, game.shown = None, None if said else line
        if not said:
            return
    line = replace(line, text=said)
    if line.name.casefold() in THOUGHT_NAMES and not game.called.get(line.name.casefold()):
        _add_message(game, game.speaker, line.text, line.time, place, "nobody")
        return
    game.rounds.talk()
    name = _add_player(game, line.name, place, speaks=True)
    if line.is_mended:
        game.notes.warn("signs_mended", place, says=_MENDED)
    player = game.roster[name]
    if line.role and player["role"] not in (None, line.role):
        game.notes.warn("role_differs", place, name, says=DIFFERS["role"])
    player["role"] = player["role"] or line.role or None
    _add_message(game, name, line.text, line.time, place, "")
    game.last_public = game.open


def _add_message(game: _Game, name: str, text: str, time: str | None, place: str, audience: str) -> None:
    """Add what "nobody" heard, a channel or all: ""."""
    heard = {"channel": audience} if audience not in ("", "nobody") else audience or None
    game.draft.add_message(place, game.rounds.number, name, text, time=time, audience=heard)
    game.open = game.draft.game["messages"][-1]


def _take_more(game: _Game, line: chat.ChatLine, place: str) -> None:
    if game.open is None and game.shown is not None:
        _take_message(game, replace(game.shown, text=line.text), place)
        return
    if game.open is None:
        game.notes.warn("line_before_first", place, line.text, says=_BEFORE_FIRST)
        return
    if game.open is game.told:
        _take_narrated(game, replace(line, name=""), place)
        return
    votes = narration.VOTES.fullmatch(line.text.strip())
    if votes and all(game.called.get(votes[part].casefold()) for part in ("name", "target")):
        _take_vote(game, replace(line, text=f"{votes['name']} -> {votes['target']}"), place)
        return
    name, deed = lines_below.read_deed(line.text, game.open)
    if deed:
        _add_message(game, name, deed, line.time, place, "nobody")
        return
    if line.name:
        game.notes.warn("name_in_text", place, line.name, says=_NAME_IN_TEXT)
    game.open["message"] += "\n" + line.text


def _take_out(game: _Game, line: chat.ChatLine, place: str) -> None:
    name, _sign, how = line.text.partition("(")
    name, game.open = _add_player(game, name.strip(), place), game.told
    game.draft.add_elimination(place, game.round, name, how.rstrip(") ").strip())


def _take_vote(game: _Game, line: chat.ChatLine, place: str) -> None:
    arrows = [] if line.name else [chat.ARROW.fullmatch(part.strip()) for part in re.split("[,;]", line.text)]
    for arrow in (arrows or (None,)) if all(arrows) else (chat.ARROW.fullmatch(line.text),):
        # A vote without a voter is that of who speaks: "VOTE: Bea" in a post of Ann.
        voter, target = (arrow["voter"], arrow["target"]) if arrow else (line.name or game.speaker, line.text)
        if not voter:
            game.notes.warn("line_before_first", place, line.text, says=_BEFORE_FIRST)
            return
        game.open = game.told if arrow else game.open
        voter, target = _add_player(game, voter.strip(), place), target.strip()
        target = target if is_nobody(target) else _add_player(game, target, place)
        # Below each message stands the vote of its author.
        if (vote := (game.round, voter, target)) in game.cast:
            game.notes.warn("vote_repeated", place, f"{voter[:25]} → {target[:25]}", says=REPEATED)
            continue
        game.cast.add(vote)
        game.draft.add_vote(place, game.round, voter, target, time=line.time)


def _value(game: _Game) -> dict[str, Any]:
    # Only after all lines are read is it known whether a player is called "Skip", and which names are players.
    votes, known = game.draft.game["votes"], {name.casefold(): name for name in reversed(game.roster)}
    for vote in votes:
        vote["voterName"] = known.get(vote["voterName"].casefold(), "")
        nobody = None if is_nobody(vote["targetName"]) else ""
        vote["targetName"] = known.get(vote["targetName"].casefold(), nobody)
    votes[:] = [vote for vote in votes if vote["voterName"] and vote["targetName"] != ""]
    if ballots := narration.take_ballots(game.draft.game, known):
        game.notes.warn("ballot", "", ballots[0], count=len(ballots), says=_BALLOTS)
    _take_cards(game)
    _leave_figures_out(game)
    messages = game.draft.game["messages"]
    for message in messages:
        message["message"] = message["message"].strip()
        name = message["playerName"]
        if message["audience"] is not None and name not in game.roster:
            # Who is no player is named in the text.
            message["playerName"] = game.called.get(name.casefold(), "")
            if name and not message["playerName"]:
                message["message"] = f"{name}: {message['message']}"
    spoken = Counter(message["playerName"] for message in messages if message["audience"] is None)
    once = [name for name, count in spoken.items() if count == 1]
    if not game.is_listed and once and len(spoken) > 2 and spoken.total() >= 2 * len(spoken):
        game.notes.warn("speaks_once", "", once[0], count=len(once), says=_SPEAKS_ONCE)
    facts = {"gameId": game.facts.get("game") or game.notes.source, "timestamp": game.facts.get("date")}
    return (
        game.draft.game | facts | {"winner": game.facts.get("winner"), "players": list(game.roster.values())}
    )


def _take_cards(game: _Game) -> None:
    """Lists of players above or below what is said are no messages; those above tell roles."""
    rows = game.draft.game["messages"]
    public = [row for row in rows if row["audience"] is None]
    for at in cast_lists.find_cards([(row["playerName"], row["message"]) for row in public]):
        role, player = narration.ROLE.match(public[at]["message"]), game.roster[public[at]["playerName"]]
        player["role"] = player["role"] or (role[0] if role and 2 * at < len(public) else None)
        game.notes.warn("figure", "", player["name"], says=_FIGURES)
        rows.remove(public[at])


def _leave_figures_out(game: _Game) -> None:
    """Names whose texts are only numbers or lists of players are no players: "Tokens: 120", "Alive: Ann, Bea"."""
    rows = game.draft.game["messages"]
    said: dict[str, list[str]] = {}
    for message in rows:
        said.setdefault(message["playerName"], []).append(message["message"].strip())
    voted = {vote[key] for vote in game.draft.game["votes"] for key in ("voterName", "targetName")}
    known = {name.casefold() for name in game.roster}
    free = [name for name in said if name in game.roster and name not in voted]
    for name in () if game.is_listed or len(game.roster) < 3 else free:
        is_fact = name.casefold() == "winner" == rows[-1]["playerName"].casefold() and len(said[name]) == 1
        figures = all(labels.is_figure(text, known) for text in said[name])
        if game.roster[name]["role"] or not (is_fact or figures):
            continue
        if is_fact:
            game.facts.setdefault("winner", said[name][0])
        del game.roster[name]
        rows[:] = [message for message in rows if message["playerName"] != name]
        game.notes.warn("figure", "", name, count=len(said[name]), says=_FIGURES)


_TAKE = dict.fromkeys(("heading", "night"), _take_heading) | {
    "narrated": _take_narrated,
    "message": _take_message,
    "more": _take_more,
    "vote": _take_vote,
    "out": _take_out,
}
