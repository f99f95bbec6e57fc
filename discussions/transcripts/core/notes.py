"""Input and output types of readers: the limits, the games read, and the notes (faults and warnings) made meanwhile."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from msgspec import Struct

from discussions.core.records import Fault, GameRecord, PrivateEntry
from workspace.core.strict_json import Replaced, sum_replaced
from workspace.core.words import mark, say

MIB = 1024 * 1024
# Marks a game that was made from another one by dropping its repeated messages.
REPEATS_DROPPED = "repeats_dropped"


class Limits(Struct, frozen=True):
    """How large an input may be. The fault for exceeding a limit states its number."""

    file_bytes: int = 64 * MIB
    unpacked_bytes: int = 256 * MIB
    archive_files: int = 10_000
    messages: int = 20_000
    message_characters: int = 100_000
    players: int = 200
    name_characters: int = 200
    votes: int = 100_000
    depth: int = 64
    digits: int = 18
    faults: int = 1_000


class ReadGame(Struct, frozen=True):
    """One game that may be imported, with its warnings and its place. `private` never becomes part of the record."""

    record: GameRecord
    warnings: list[Fault]
    place: str
    private: list[PrivateEntry] = []


class ReadOutcome(Struct, frozen=True):
    """The outcome of one game, or of a file in which no game was read (then `format` is empty)."""

    game: ReadGame | None = None
    faults: list[Fault] = []
    fault_count: int = 0
    format: str = ""


def refused(place: str, code: str, message: str) -> ReadOutcome:
    return ReadOutcome(faults=[Fault(place, code, message)], fault_count=1)


# Sentences of warnings. {count} is the number of occurrences, {what} the first thing concerned.
WARNINGS = {
    "byte_order_mark": mark("The file begins with a byte order mark, which was left out."),
    "windows_1252": mark("The file is no UTF-8; it was read as Windows-1252. Look at its accents."),
    "replaced_nul": mark("NUL characters were replaced by ␀, since no database stores them: {count}."),
    "replaced_surrogate": mark("Halves of characters (lone surrogates) were replaced by �: {count}."),
    "colours": mark("Codes for the colours of a terminal were left out: {count}."),
    "normalised": mark("Texts were normalised: their characters are composed (Unicode NFC): {count}."),
    "not_finite": mark("Values that are no numbers, and not needed, were left out: {count} (first {what})."),
    "invisible_characters": mark(
        "Texts hold invisible or direction-changing characters, shown as badges: {count}."
    ),
    "unknown_key": mark('Keys that are not known were left out: {count} (first "{what}").'),
    "empty_message": mark("Messages without a text were left out, so no metric counts them: {count}."),
    "no_time": mark("Messages without a time: {count}."),
    "time_without_date": mark(
        'Times with no date (such as "{what}") stay in the order of the file: {count}.'
    ),
    "no_round": mark("Messages that name no round count to the round before them: {count}."),
    "round_goes_back": mark("Messages with a lower round than the message before them: {count}."),
    "unresolved_reply": mark("Links to no message of this game (such as {what}) count as links: {count}."),
    "reply_not_earlier": mark(
        "Links that do not point to an earlier message ({what}) do not count: {count}."
    ),
    "no_votes": mark("The file has no votes: memory references cannot be checked against them."),
    "vote_without_target": mark("Votes for nobody were left out of the vote record: {count}."),
    "no_cost": mark("The cost was not reported."),
    "cost_all_zero": mark('The cost is zero; that is read as "not reported", not as free.'),
    "cache_rate_percent": mark("The cache hit rate {what} was read as percent."),
    "no_role": mark("Players without a role, for whom role consistency cannot be assessed: {count}."),
    "unknown_role": mark('Roles of no side, whose consistency cannot be assessed: {count} (first "{what}").'),
    "one_player": mark("The game has one player only."),
    REPEATS_DROPPED: mark("A lead dropped repeated messages of game {what}: {count}. This game replaces it."),
    "not_public": mark('Not for all to hear, so kept apart, not rated: {count} (first for "{what}").'),
    "notice": mark('Notices of the chat program were left out: {count} (first "{what}").'),
    "one_message": mark("The game has one message only."),
}


def many_times(sentence: str, count: int) -> str:
    """The sentence of a fault that has the same cause at so many places."""
    if count == 1:
        return sentence
    return say("{sentence} This is the first of {count:,} such places.", sentence=sentence, count=count)


class Notes:
    """Collects the faults of one game in order, and its warnings by kind with a count and the first place.

    `source` is the name of the game's file or folder without its ending: an id for a game that has none of its own.
    `columns` are what people said of the columns of files, for readers that ask: `readers.columns.Columns`.

    A converter of another format reports its own faults at pointers into that format. `translate` says where the
    parts of the native game come from. After `begin_native`, pointers belong to the native game.
    """

    def __init__(
        self, file: str, pointer: str, limits: Limits, *, source: str = "", columns: Sequence[Any] = ()
    ) -> None:
        self.file = file
        self.pointer = pointer
        self.limits = limits
        self.source = source
        self.faults: list[Fault] = []
        self.fault_count = 0
        self.private: list[PrivateEntry] = []
        self.columns = columns
        self._warned: dict[str, tuple[int, str, str, str]] = {}
        self._foreign: dict[str, str] = {}
        self._is_native = False

    def apart(self, pointer: str = "", source: str = "") -> "Notes":
        """New notes of a part of the game's place, of which these notes then say nothing."""
        place = self.pointer + pointer
        return Notes(self.file, place, self.limits, source=source, columns=self.columns)

    def fault(self, code: str, pointer: str, message: str, **values: object) -> None:
        """Add a fault, which refuses the game, at a pointer in it or a place ("line 12"); `values` as for `say`."""
        self.fault_count += 1
        if len(self.faults) < self.limits.faults:
            self.faults.append(Fault(place=self._place(pointer), code=code, message=say(message, **values)))

    def warn(self, code: str, pointer: str = "", what: object = "", count: int = 1, says: str = "") -> None:
        """Add a warning about a game that is imported anyway; `says` is the sentence of a code not in WARNINGS."""
        known = self._warned.get(code)
        new = (0, self._place(pointer), str(what)[:60], says or WARNINGS[code]) if known is None else known
        self._warned[code] = (new[0] + count, *new[1:])

    def warn_replaced(self, all_replaced: Iterable[Replaced], pointer: str = "") -> None:
        """Warn of what a strict reading replaced. A number that is none is a fault where it is read."""
        replaced = sum_replaced(all_replaced)
        codes = ("replaced_nul", "replaced_surrogate", "normalised", "not_finite")
        counts = (replaced.nul, replaced.surrogate, replaced.composed, replaced.not_finite)
        for code, count in zip(codes, counts, strict=True):
            if count:
                self.warn(code, pointer, replaced.first, count=count)

    def warnings(self) -> list[Fault]:
        """One warning of each kind, in the order of their first places."""
        return [
            Fault(place, code, say(sentence, count=f"{count:,}", what=what), is_warning=True)
            for code, (count, place, what, sentence) in self._warned.items()
        ]

    def translate(self, native: str, foreign: str) -> None:
        """Map a pointer of the native game, and all below it, to its place in the foreign file, such as "line 12"."""
        self._foreign[native] = foreign

    def begin_native(self) -> None:
        """Interpret pointers as relative to the native game from now on."""
        self._is_native = True

    def _place(self, pointer: str) -> str:
        if self._is_native:
            # The nearest translated part; "" is the whole game.
            while pointer and pointer not in self._foreign:
                pointer = pointer.rpartition("/")[0]
            pointer = self._foreign.get(pointer, "")
        if pointer.startswith("/") or not pointer:
            return f"{self.file} {self.pointer}{pointer}".rstrip()
        return " ".join(part for part in (self.file, self.pointer, pointer) if part)


# The object that `native.read_game` reads; None after a fault.
NativeGame = dict[str, Any] | None
# The notes of the next game of a text: one game, one Notes.
NewNotes = Callable[[], Notes]
Games = Iterator[tuple[NativeGame, Notes]]
