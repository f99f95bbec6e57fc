"""The iterations of a stage with the figures of all their games, and the reference of the next change.

The reference is the newest baseline, or the change kept last. Source: the rubric's "Iteration Cycle" (the next change
builds on a kept change; a reverted one is undone).
"""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime

from msgspec import Struct
from msgspec.structs import replace

from discussions.core.iteration_states import BASELINE, CHANGE, KEEP, REVERT
from discussions.iterations.core.figures import GameFigures
from rubric.core.records import RubricRecord
from workspace.core.words import say

RECORDED, COMPLETE, OPEN = "recorded", "complete", "open"
# A kept prompt needs so many games besides those by which it was kept before a change of it is judged.
LEAST_FRESH = 3


class HistoryGame(Struct, frozen=True):
    """One game. `state` is "recorded" (the figures are the verdict's), "complete" (all evaluations are in; the figures
    are what would be recorded now) or "open" (the game has no figures yet). `has_ties` says that all evaluations are
    in, and a lead has to resolve a tie before there are figures. Only its verdict's figures are left of an erased game.
    """

    id: int
    figures: GameFigures
    state: str
    verdict: int | None = None
    has_ties: bool = False
    is_erased: bool = False


class WithdrawnGame(Struct, frozen=True):
    """A game that was withdrawn from the averages, with who did it, when and why; it is shown and never counted."""

    game: HistoryGame
    reason: str
    by: str
    at: datetime


class DecisionLine(Struct, frozen=True):
    id: int
    number: int
    look: int
    choice: str
    reason: str
    created_at: datetime
    by: str


class HistoryIteration(Struct, frozen=True):
    """One iteration without its prompt. `games` count in its averages, in order of their numbers; `left_out` were taken
    out of them. `decisions` are all of them, the current one last."""

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
    replay_of: int | None
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
        return self.decisions[-1] if self.decisions else None

    @property
    def is_known(self) -> bool:
        return any(game.state != OPEN for game in self.games)

    @property
    def tied(self) -> list[int]:
        return [game.figures.number for game in self.games if game.has_ties]

    @property
    def erased_count(self) -> int:
        return sum(game.is_erased for game in self.games)

    @property
    def figures(self) -> list[GameFigures]:
        return [game.figures for game in self.games]

    @property
    def withdrawn(self) -> list[int]:
        return [game.game.figures.number for game in self.left_out]

    @property
    def protocol(self) -> tuple[object, ...]:
        """How its games are judged; only iterations with one protocol can be compared."""
        return self.rubric_version, self.evaluator_count, self.reveal, self.identification

    @property
    def side(self) -> tuple[object, ...]:
        """What makes games comparable evidence of one prompt: the prompt, and how its games are judged."""
        return self.prompt_sha256, *self.protocol

    def since(self, at: datetime | None = None) -> datetime | None:
        """The moment from which it can be a reference, now or in the past: a baseline from its opening, a change
        while it is kept.

        A re-play never is a reference: its games count with those of the iteration that it plays again.
        """
        if self.replay_of is not None:
            return None
        if self.kind == BASELINE:
            return self.created_at
        kept = None
        for decision in self.decisions:
            if at is None or decision.created_at <= at:
                kept = (kept or decision.created_at) if decision.choice == KEEP else None
        return kept


class IterationFigures(Struct, frozen=True):
    """An opened iteration for the gate, with `games` in order of their numbers.

    `rubric` is its version, if it differs from the stage's. If it has fewer games than `least`, it does not succeed,
    but it can still break the row. `is_kept` is false for a change that was not kept.
    """

    number: int
    name: str
    games: list[GameFigures]
    is_reverted: bool = False
    rubric: RubricRecord | None = None
    least: int = 0
    is_kept: bool = True


class History(Struct, frozen=True):
    iterations: list[HistoryIteration]

    @property
    def reference(self) -> HistoryIteration | None:
        return self.find(find_reference_iteration(self.iterations))

    @property
    def baseline(self) -> HistoryIteration | None:
        return self.find(find_baseline(self.iterations))

    @property
    def newest_change(self) -> int:
        return max((iteration.number for iteration in self.iterations if iteration.kind == CHANGE), default=0)

    def find(self, iteration: int | None) -> HistoryIteration | None:
        return next((row for row in self.iterations if row.id == iteration), None)

    def earlier(self, *pair: HistoryIteration) -> list[list[GameFigures]]:
        """The other batches under the pair's protocol; the spread between games is pooled over them and the pair."""
        own = {iteration.id for iteration in pair}
        protocols = {iteration.protocol for iteration in pair}
        return [
            iteration.figures
            for iteration in self.iterations
            if iteration.id not in own and iteration.protocol in protocols and iteration.games
        ]

    def earlier_than(self, change: HistoryIteration, after: int = 0) -> tuple[list[list[GameFigures]], int]:
        """The batches under the protocol that are on neither side of a change, for the spread between games.

        Only iterations with a number above `after` count. The number is that of batches that were there when the target
        was named.
        """
        reference = self.find(change.compared_with)
        sides = [*(self.same_prompt(reference) if reference else []), *self.same_pair(change)]
        own, named_at = {row.id for row in sides}, self.named_at(change)
        rows = [
            row
            for row in self.iterations
            if row.id not in own and row.protocol == change.protocol and row.games and row.number > after
        ]
        return [row.figures for row in rows], sum(row.number < named_at for row in rows)

    def looks(self, compared_with: int | None, prompt_sha256: str) -> int:
        """How often this prompt was compared with the prompt of this reference so far, in any iteration."""
        alike = self.find_pair(compared_with, prompt_sha256)
        return max((line.look for iteration in alike for line in iteration.decisions), default=0)

    def find_pair(self, compared_with: int | None, prompt_sha256: str) -> list[HistoryIteration]:
        """The changes to this prompt from the prompt of that reference, judged in the same way, in order."""
        reference = self.find(compared_with)
        if reference is None:
            return []
        references = {iteration.id for iteration in self.same_prompt(reference)}
        return [
            iteration
            for iteration in self.iterations
            if iteration.compared_with in references
            and iteration.prompt_sha256 == prompt_sha256
            and iteration.protocol == reference.protocol
        ]

    def same_pair(self, change: HistoryIteration) -> list[HistoryIteration]:
        """The iterations that played this prompt against this reference's up to this one, which is the last."""
        alike = self.find_pair(change.compared_with, change.prompt_sha256)
        return [*(iteration for iteration in alike if iteration.number < change.number), change]

    def same_prompt(self, iteration: HistoryIteration) -> list[HistoryIteration]:
        """The iterations of this one's prompt, judged in the same way, in order; re-plays and fresh baselines too."""
        return [other for other in self.iterations if other.side == iteration.side]

    def pooled(self, change: HistoryIteration) -> HistoryIteration:
        """The change with the earlier games of its prompt against the same reference, followed by its own games.

        Games of earlier iterations count only if they have figures.
        """
        *before, own = self.same_pair(change)
        return replace(own, games=[*_known(before), *own.games])

    def pooled_control(self, reference: HistoryIteration) -> HistoryIteration:
        """A reference with all games of its prompt, judged in the same way; of other iterations, those with figures."""
        others = [iteration for iteration in self.same_prompt(reference) if iteration.id != reference.id]
        return replace(reference, games=[*reference.games, *_known(others)])

    def judged_control(
        self, change: HistoryIteration, reference: HistoryIteration
    ) -> tuple[HistoryIteration, list[HistoryGame], list[str]]:
        """What a change is judged against: the pooled control, the games of it that are left out, and metrics by which
        its prompt was kept because of games that count here.

        Such games lie above the prompt's mean by luck. They are left out if the change has the same target and there
        are at least `LEAST_FRESH` others.
        """
        pooled, kept = self.pooled_control(reference), self.kept_by(reference)
        flattered = {key for row in kept for key in ([row.target] if row.target else row.material)}
        lucky = {game.id for row in kept for game in self.pooled(row).games}
        fresh = [game for game in pooled.games if game.id not in lucky]
        is_fresh = sum(game.state != OPEN for game in fresh) >= LEAST_FRESH
        if not is_fresh or (change.target and change.target not in flattered):
            return pooled, [], sorted(flattered)
        return replace(pooled, games=fresh), [game for game in pooled.games if game.id in lucky], []

    def kept_by(self, reference: HistoryIteration) -> list[HistoryIteration]:
        """The changes to this prompt that were kept."""
        return [row for row in self.same_prompt(reference) if row.kind == CHANGE and row.since() is not None]

    def named_at(self, change: HistoryIteration) -> int:
        """The number of the first iteration of the pair that names this change's target."""
        return min(row.number for row in self.same_pair(change) if row.target == change.target)

    def picked_by(self, change: HistoryIteration) -> list[HistoryGame]:
        """The rated games of the reference's prompt by which the target of a change may have been picked.

        They belong to iterations that were opened before the first change of the pair that names this target. Without
        a target there are none.
        """
        reference = self.find(change.compared_with)
        if reference is None or not change.target:
            return []
        named_at = self.named_at(change)
        return _known(row for row in self.same_prompt(reference) if row.number < named_at)

    def withdrawn_from(self, change: HistoryIteration) -> tuple[list[WithdrawnGame], list[WithdrawnGame]]:
        """The games of the control and of the change that were withdrawn when their figures could be known.

        Games of the control count from the opening of the pair's first change: before that, nothing was compared.
        """
        pair = self.same_pair(change)
        reference = self.find(change.compared_with)
        control = [out for row in self.same_prompt(reference) for out in row.left_out] if reference else []
        known = [out for out in control if out.game.state != OPEN and out.at >= pair[0].created_at]
        return known, [out for row in pair for out in row.left_out if out.game.state != OPEN]

    def for_gate(self, rubric_for: Callable[[HistoryIteration], RubricRecord]) -> list[IterationFigures]:
        opened = [(row.opened_at, row.number, row) for row in self.iterations if row.opened_at]
        choices = {row.id: row.decision.choice if row.decision else "" for row in self.iterations}
        return [
            IterationFigures(
                number=row.number,
                name=row.name,
                games=row.figures,
                least=row.least_games,
                is_reverted=choices[row.id] == REVERT,
                rubric=rubric_for(row),
                is_kept=row.kind != CHANGE or choices[row.id] == KEEP,
            )
            for _at, _number, row in sorted(opened, key=lambda each: each[:2])
        ]


def _known(iterations: Iterable[HistoryIteration]) -> list[HistoryGame]:
    return [game for iteration in iterations for game in iteration.games if game.state != OPEN]


def find_reference_iteration(chain: Iterable[HistoryIteration], at: datetime | None = None) -> int | None:
    """The reference of a stage's iterations, given in order, now or at that moment; None before the first baseline.

    It is the baseline that was opened last or the change that was kept last, except those on which a kept change was
    built. A reverted, inconclusive or undecided change does not alter it.
    """
    found = [(since, row) for row in chain if (since := row.since(at)) is not None]
    built_on = {row.compared_with for _since, row in found}
    ends = [(since, row.number, row.id) for since, row in found if row.id not in built_on]
    return max(ends)[2] if ends else None


def find_baseline(chain: Iterable[HistoryIteration]) -> int | None:
    """The newest baseline of a stage's iterations, given in order; a re-play does not count."""
    baselines = [row.id for row in chain if row.kind == BASELINE and row.replay_of is None]
    return baselines[-1] if baselines else None


def chain_faults(chain: Sequence[HistoryIteration]) -> Iterable[str]:
    for index, row in enumerate(chain):
        if row.kind == BASELINE:
            continue
        expected = find_reference_iteration(chain[:index], at=row.created_at)
        if row.compared_with != expected:
            yield say(
                "Iteration {number} is compared with another iteration than the reference of its time.",
                number=row.number,
            )
