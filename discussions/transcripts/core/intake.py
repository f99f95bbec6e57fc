"""Which games of a file are new to a project, and the faults of those that are not."""

from discussions.core.records import Fault
from workspace.core.words import mark, say

# The games of a project: id -> content hash -> (number, transcript).
KnownGames = dict[str, dict[str, tuple[int, int]]]

_TWICE = mark('The game "{id}" is in this file twice, word for word; it was taken once.')
_HERE = mark('The game "{id}" is already here as game {number}, word for word; it was not taken again.')
_TAKEN = mark(
    'The id "{id}" already belongs to {where}, whose content is another. Nothing was overwritten. Give this game an id '
    "of its own, or import it as a separate game."
)


class Intake:
    """Decides for each game of a transcript, in the order of the file, whether to store it.

    `faults` are those of refused games, `game_count` counts the stored ones. The same file gives the same result.
    """

    def __init__(self, *, transcript: int, is_separate: bool) -> None:
        self.transcript = transcript
        self.is_separate = is_separate
        self.faults: list[Fault] = []
        self.game_count = 0
        self._seen: dict[str, set[str]] = {}

    @property
    def refused_count(self) -> int:
        """The games that were refused because their ids are taken."""
        return sum(not fault.is_warning for fault in self.faults)

    def know(self, game_id: str, sha256: str) -> None:
        self._seen.setdefault(game_id, set()).add(sha256)

    def takes(self, game_id: str, sha256: str, place: str, known: KnownGames) -> bool:
        """Whether to store the game; if not, it is stored already, or `faults` says why."""
        seen = self._seen.setdefault(game_id, set())
        here = known.get(game_id, {})
        if sha256 in seen:
            self._fault(place, "already_imported", say(_TWICE, id=game_id), is_warning=True)
            return False
        if sha256 in here:
            seen.add(sha256)
            number, transcript = here[sha256]
            if transcript == self.transcript:
                self.game_count += 1
            else:
                sentence = say(_HERE, id=game_id, number=number)
                self._fault(place, "already_imported", sentence, is_warning=True)
            return False
        others = [number for number, transcript in here.values() if transcript != self.transcript]
        if (others or seen) and not self.is_separate:
            where = say("game {number}", number=min(others)) if others else say("another game of this file")
            self._fault(place, "game_exists", say(_TAKEN, id=game_id, where=where))
            return False
        seen.add(sha256)
        self.game_count += 1
        return True

    def _fault(self, place: str, code: str, message: str, *, is_warning: bool = False) -> None:
        self.faults.append(Fault(place=place, code=code, message=message, is_warning=is_warning))
