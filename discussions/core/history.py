"""The iterations of a stage with the figures of all their games, as records: what history, compare and gate read."""

from collections.abc import Callable
from datetime import datetime

from msgspec import Struct
from msgspec.structs import replace

from discussions.core.compared import REVERT
from discussions.core.game_figures import GameFigures
from discussions.core.iteration_moves import CHANGE
from discussions.core.references import Link, baseline_of, reference_of
from discussions.core.streak import IterationFigures
from rubric.core.records import RubricRecord

RECORDED, COMPLETE, OPEN = "recorded", "complete", "open"


class HistoryGame(Struct, frozen=True):
    """One game. `state` is "recorded" (its figures are the verdict's), "complete" (all evaluations are in, no verdict
    yet: what would be recorded now) or "open": then nothing of it is told."""

    id: int
    figures: GameFigures
    state: str
    verdict: int | None = None


class WithdrawnGame(Struct, frozen=True):
    """A game that was taken out of the averages, with who did it, when and why; it is shown and never counted."""

    game: HistoryGame
    reason: str
    by: str
    at: datetime


class DecisionLine(Struct, frozen=True):
    """One decision, with the name of who made it."""

    id: int
    number: int
    look: int
    choice: str
    reason: str
    created_at: datetime
    by: str


class HistoryIteration(Struct, frozen=True):
    """One iteration without its prompt. `games` count in its averages, in order of their numbers; `left_out` were taken
    out of them. `decisions` are all there were, the standing one last."""

    id: int
    number: int
    name: str
    kind: str
    state: str
    change_note: str
    target: str
    material: dict[str, float]
    hunk_count: int
    hunks_answer: str
    prompt_sha256: str
    rubric_version: int
    rubric_sha256: str
    evaluator_count: int
    reveal: str
    identification: str
    compared_with: int | None
    baseline: int | None
    least_games: int
    created_at: datetime
    created_by: str
    opened_at: datetime | None
    opened_by: str | None
    games: list[HistoryGame] = []
    left_out: list[WithdrawnGame] = []
    decisions: list[DecisionLine] = []

    @property
    def decision(self) -> DecisionLine | None:
        """The decision that stands."""
        return self.decisions[-1] if self.decisions else None

    @property
    def is_known(self) -> bool:
        """Whether anything is known of it: a game that counts is rated."""
        return any(game.state != OPEN for game in self.games)

    @property
    def figures(self) -> list[GameFigures]:
        """The figures of its games."""
        return [game.figures for game in self.games]

    @property
    def withdrawn(self) -> list[int]:
        """The numbers of the games that were taken out of its averages."""
        return [each.game.figures.number for each in self.left_out]

    @property
    def protocol(self) -> tuple[object, ...]:
        """How its games are judged; only iterations with one protocol can be compared."""
        return self.rubric_version, self.evaluator_count, self.reveal, self.identification

    @property
    def pair(self) -> tuple[int | None, str]:
        """What a decision is about: the reference and the prompt that is held against it."""
        return self.compared_with, self.prompt_sha256

    @property
    def link(self) -> Link:
        """Its place in the chain of references."""
        made = [(each.created_at, each.choice) for each in self.decisions]
        return Link(self.id, self.number, self.kind, self.created_at, self.compared_with, made)


class History(Struct, frozen=True):
    """The iterations of a stage in the order in which they were made."""

    stage: int
    iterations: list[HistoryIteration]

    @property
    def reference(self) -> HistoryIteration | None:
        """What the next change is compared with."""
        return self.find(reference_of(self._chain))

    @property
    def baseline(self) -> HistoryIteration | None:
        """The newest baseline."""
        return self.find(baseline_of(self._chain))

    @property
    def newest_change(self) -> int:
        """The number of the newest change; 0 while there is none."""
        return max((each.number for each in self.iterations if each.kind == CHANGE), default=0)

    def find(self, iteration: int | None) -> HistoryIteration | None:
        """The iteration with that key, if it is in this stage."""
        return next((each for each in self.iterations if each.id == iteration), None)

    def earlier(self, *pair: HistoryIteration) -> list[list[GameFigures]]:
        """The other batches of the pair's protocol: what the spread between games is pooled over beside the pair."""
        own = {each.id for each in pair}
        protocols = {each.protocol for each in pair}
        return [
            each.figures
            for each in self.iterations
            if each.id not in own and each.protocol in protocols and each.games
        ]

    def looks(self, compared_with: int | None, prompt_sha256: str) -> int:
        """How often this prompt was looked at against this reference so far, in whatever iteration."""
        alike = [each for each in self.iterations if each.pair == (compared_with, prompt_sha256)]
        return max((line.look for each in alike for line in each.decisions), default=0)

    def same_pair(self, change: HistoryIteration) -> list[HistoryIteration]:
        """The iterations that played this prompt against this reference up to this one, which is the last."""
        if change.compared_with is None:
            return [change]
        return [
            each
            for each in self.iterations
            if each.id == change.id
            or (each.pair == change.pair and each.protocol == change.protocol and each.number < change.number)
        ]

    def pooled(self, change: HistoryIteration) -> HistoryIteration:
        """The change with the games that its prompt was judged by before, against the same reference, before its own.

        Of those earlier iterations only games that are known count: nobody waits for the rating of the others.
        """
        *before, own = self.same_pair(change)
        known = [game for each in before for game in each.games if game.state != OPEN]
        return replace(own, games=[*known, *own.games])

    def for_gate(self, rubric_for: Callable[[HistoryIteration], RubricRecord]) -> list[IterationFigures]:
        """The iterations that were opened for rating, in the order of that, each under its own rubric version."""
        opened = [(each.opened_at, each.number, each) for each in self.iterations if each.opened_at]
        return [
            IterationFigures(
                number=each.number,
                name=each.name,
                games=each.figures,
                least=each.least_games,
                is_reverted=each.decision is not None and each.decision.choice == REVERT,
                rubric=rubric_for(each),
            )
            for _at, _number, each in sorted(opened, key=lambda row: row[:2])
        ]

    @property
    def _chain(self) -> list[Link]:
        return [each.link for each in self.iterations]
