"""The basis of a decision on a change: hashed when the page is shown, stored with the decision."""

import math
from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from discussions.comparison.core.comparison import IterationComparison, compare, look_refusal
from discussions.iterations.core.figures import GameFigures
from rubric.core.records import RubricRecord
from workspace.core.canonical import canonical_hash

# 1 to 3 were judged by rules that the site no longer has: their proposals are kept as they were recorded.
FORMAT = 4
# Floats of another machine or library may differ in their last digits.
TOLERANCE = 1e-6


class DecidedGame(Struct, frozen=True):
    """One game of a decision: its row, and the verdict that its figures come from (None: none recorded yet)."""

    id: int
    verdict: int | None
    figures: GameFigures


class DecisionBasis(Struct, frozen=True):
    """Everything that a decision is based on: the pair, the rubric version, what was named beforehand, and the games.

    `control` holds all games of the reference's prompt, `change` those of all iterations that played the prompt against
    it, this one's last; `earlier` the other batches of the same protocol, for the spread between games. `picked` are
    the rows of the control's games by which the target may have been picked, `control_out` and `change_out` games that
    were withdrawn after their figures were known; none before format 3. The first `earlier_count` of `earlier` were
    there when the target was named. `flattered` are metrics by which the control's prompt was kept because of its
    games; `is_switched` says that games of the change were seen before they got this target. `look` counts the looks at
    the pair, including this one; the same figures again are not a further look. `supersedes` is the earlier decision.
    """

    format: int
    iteration: int
    compared_with: int
    rubric_version: int
    rubric_sha256: str
    target: str
    material: dict[str, float]
    look: int
    control: list[DecidedGame]
    change: list[DecidedGame]
    earlier: list[list[GameFigures]]
    supersedes: int | None = None
    picked: list[int] = []
    control_out: list[DecidedGame] = []
    change_out: list[DecidedGame] = []
    earlier_count: int = 0
    flattered: list[str] = []
    is_switched: bool = False

    @property
    def is_unseen(self) -> bool:
        return all(game.figures.is_unknown for game in self.change)

    @property
    def pending(self) -> list[int]:
        return [
            game.figures.number
            for game in self.change
            if game.figures.rating is None or None in game.figures.scores.values()
        ]


def keep_scores_only(figures: GameFigures) -> GameFigures:
    """Only the scores, the rating and the pair of a game: all that a comparison reads from games outside the pair."""
    return GameFigures(
        figures.number,
        figures.scores,
        rating=figures.rating,
        not_applicable=figures.not_applicable,
        people=figures.people,
        pair=figures.pair,
        chance=figures.chance,
    )


# The parts of a stored comparison that are sentences.
WORDS = frozenset(
    {"says", "says_with", "length_says", "action", "checks", "gains", "batches", "reason", "warning", "label"}
)


def figures_hash(basis: DecisionBasis, *, with_people: bool = True) -> str:
    """The hash of the pair's known scores only: while it is the same, there is no new look.

    Bases before format 4 have no people's estimates.
    """
    return canonical_hash(
        [
            [
                replace(keep_scores_only(game.figures), **({} if with_people else {"people": {}}))
                for game in sorted(games, key=_game_number)
                if not game.figures.is_unknown
            ]
            for games in (basis.control, basis.change)
        ]
    )


def _game_number(game: DecidedGame) -> int:
    return game.figures.number


def compute_proposal(basis: DecisionBasis, rubric: RubricRecord) -> IterationComparison | None:
    if look_refusal(basis.look):
        return None
    found = _compare(basis, basis.control, basis.change, rubric)
    before = compute_with_withdrawn(basis, rubric)
    if before is None:
        return found
    withdrawn = sorted(_game_number(game) for game in (*basis.control_out, *basis.change_out))
    return replace(found, withdrawn=withdrawn, answer_with=before.answer, says_with=before.says)


def compute_with_withdrawn(basis: DecisionBasis, rubric: RubricRecord) -> IterationComparison | None:
    """The comparison with the games that were withdrawn after their figures were known; None without any."""
    if look_refusal(basis.look) or not (basis.control_out or basis.change_out):
        return None
    control, change = [*basis.control, *basis.control_out], [*basis.change, *basis.change_out]
    return _compare(basis, control, change, rubric)


def _compare(
    basis: DecisionBasis, control: list[DecidedGame], change: list[DecidedGame], rubric: RubricRecord
) -> IterationComparison:
    return compare(
        [game.figures for game in control],
        [game.figures for game in change],
        rubric,
        earlier=basis.earlier,
        target=basis.target or None,
        material=basis.material,
        look=basis.look,
        picked=[game.figures for game in control if game.id in basis.picked],
        earlier_count=basis.earlier_count,
        flattered=basis.flattered,
        is_switched=basis.is_switched,
    )


def other_proposal(stored: str, found: IterationComparison | None) -> Iterator[str]:
    """The differences between a stored proposal and the one that its basis gives now, in sentences.

    Sentences are not compared: other words for the same figures are the same proposal. Figures that were added later,
    and that the stored proposal lacks, are not compared either.
    """
    for path in _differences(msgspec.json.decode(stored), msgspec.to_builtins(found), ""):
        yield f"its basis gives another proposal than was stored, at {path or 'its top'}."
        return


def _differences(first: Any, other: Any, path: str) -> Iterator[str]:
    if isinstance(first, dict) and isinstance(other, dict) and first.keys() <= other.keys():
        for key in first.keys() - WORDS:
            yield from _differences(first[key], other[key], f"{path}/{key}")
    elif isinstance(first, list | tuple) and isinstance(other, list | tuple) and len(first) == len(other):
        for number, pair in enumerate(zip(first, other, strict=True)):
            yield from _differences(*pair, f"{path}/{number}")
    elif isinstance(first, float) and isinstance(other, float | int):
        if not math.isclose(first, other, rel_tol=TOLERANCE, abs_tol=TOLERANCE):
            yield path
    elif first != other:
        yield path
