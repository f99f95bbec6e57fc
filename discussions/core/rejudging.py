"""Games that were judged, decided again under a draft: one record for each game, and what all of them come to."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from decimal import Decimal

from msgspec import Struct

from discussions.core import kinds
from discussions.core.basis import Basis
from discussions.core.effective import Effective
from discussions.core.impact import added, is_measured_alike, lost, reasons, turned
from discussions.core.metrics import CODE_VERSION, measure_game
from discussions.core.outcome import Line, Outcome
from discussions.core.records import GameRecord, Measurement
from discussions.core.settled import effective_of, outcome_of, scores_of
from rubric.core.impact import (
    GAMES,
    Flip,
    Impact,
    Item,
    Transition,
    Turned,
    Where,
    farthest,
    histogram,
    listed,
    moves_of,
)
from rubric.core.records import RubricRecord

PASS, FAIL, PENDING = "PASS", "FAIL", "pending"


class Judged(Struct, frozen=True):
    """A game with everything its outcome rests on: the basis of its verdict, or the one it would be recorded on now.

    `recorded` is the outcome of the standing verdict, None when there is none yet; `text` is the game itself where
    the draft measures otherwise than `rubric`, the version that the game is judged by.
    """

    where: Where
    basis: Basis
    measurements: Mapping[str, Measurement]
    rubric: RubricRecord
    cost: Decimal | None
    code_version: str
    recorded: Outcome | None = None
    text: GameRecord | None = None


class Rejudged(Struct, frozen=True):
    """What became of one game: outcomes in words, composites, criteria (by key) that pass or fail now, and reasons.

    `lost` counts judgements, by kind, whose finding the draft no longer makes.
    """

    where: Where
    is_recorded: bool
    before: str
    after: str
    composites: tuple[float | None, float | None]
    turned: list[tuple[str, bool]] = []
    reasons: list[str] = []
    is_measured: bool = False
    is_by_older_code: bool = False
    lost: Mapping[str, int] = {}


def rejudge(game: Judged, draft: RubricRecord) -> Rejudged:
    """The game under the draft: with the stored findings where the draft measures alike, else measured again."""
    measurements = game.measurements if game.text is None else measure_game(game.text, draft)
    found = effective_of(game.basis, measurements)
    after = outcome_of(found, measurements, game.cost, draft)
    before, was = _before(game, found)
    now = _word(after, found)
    is_other = was != now
    return Rejudged(
        where=game.where,
        is_recorded=game.recorded is not None,
        before=was,
        after=now,
        composites=(before.composite, after.composite),
        turned=[(line.key, line.passes) for line in _changed(before, after) if line.passes is not None],
        reasons=reasons(before, after, found, scores_of(found, measurements, draft)) if is_other else [],
        is_measured=game.text is not None,
        is_by_older_code=game.text is not None and game.code_version != CODE_VERSION,
        lost=lost(game.basis, game.measurements, measurements) if game.text is not None else {},
    )


def _changed(before: Outcome, after: Outcome) -> list[Line]:
    """The lines on another side than before, and those that were not there."""
    return [*(new for _old, new in turned(before, after)), *added(before, after)]


def _before(game: Judged, found: Effective) -> tuple[Outcome, str]:
    """The recorded outcome, or what would be recorded now, and its word."""
    if game.recorded is not None:
        return game.recorded, PASS if game.recorded.passes else FAIL
    if game.text is not None:
        found = effective_of(game.basis, game.measurements)
    outcome = outcome_of(found, game.measurements, game.cost, game.rubric)
    return outcome, _word(outcome, found)


def _word(outcome: Outcome, found: Effective) -> str:
    """A verdict waits for what is not judged, and for what evaluators differ on."""
    if outcome.passes is None or found.ties:
        return PENDING
    return PASS if outcome.passes else FAIL


def needs_text(rubric: RubricRecord, draft: RubricRecord) -> bool:
    """Whether games of that version are measured again under the draft."""
    return not is_measured_alike(rubric, draft)


def impact_of(games: Sequence[Rejudged], draft: RubricRecord, notes: Sequence[str] = ()) -> Impact:
    """What publishing the draft would change, over all games that were judged."""
    other = [game for game in games if game.before != game.after]
    flips = [_flip(game) for game in other]
    figures = _figures(games)
    moves = [move for ranking in figures.values() for move in moves_of(ranking)]
    changes = [after - before for ranking in figures.values() for before, after in ranking.values()]
    recorded = [game for game in games if game.is_recorded]
    return Impact(
        part=GAMES,
        looked_at=len(recorded),
        flip_count=sum(flip.is_recorded and flip.is_known for flip in flips),
        unknown_count=sum(flip.is_recorded and not flip.is_known for flip in flips),
        open_count=len(games) - len(recorded),
        open_flip_count=sum(not flip.is_recorded for flip in flips),
        flips=listed(flips),
        listed_of=len(flips),
        transitions=_transitions(games),
        turned=_turned(games, draft),
        ranked_count=len(changes),
        move_count=len(moves),
        moves=farthest(moves),
        distribution=histogram(changes),
        notes=[*_notes(games), *notes],
    )


def _flip(game: Rejudged) -> Flip:
    is_known = game.after != PENDING
    return Flip(game.where, game.before, game.after, game.reasons, is_known, game.is_recorded)


def _figures(games: Sequence[Rejudged]) -> dict[str, dict[Item, tuple[float, float]]]:
    """The composites of every project's games that have one before and after."""
    found: dict[str, dict[Item, tuple[float, float]]] = defaultdict(dict)
    for game in games:
        before, after = game.composites
        if before is not None and after is not None:
            found[game.where.project][game.where, ""] = before, after
    return found


def _transitions(games: Sequence[Rejudged]) -> list[Transition]:
    counts = Counter((game.is_recorded, game.before, game.after) for game in games)
    words = (PASS, FAIL, PENDING)
    return [
        Transition(before, after, counts[is_recorded, before, after], is_recorded)
        for is_recorded in (True, False)
        for before in words
        for after in words
        if counts[is_recorded, before, after]
    ]


def _turned(games: Sequence[Rejudged], draft: RubricRecord) -> list[Turned]:
    counts = Counter(pair for game in games for pair in game.turned)
    return [
        Turned(criterion.label, counts[criterion.key, True], counts[criterion.key, False])
        for criterion in draft.criteria
        if counts[criterion.key, True] or counts[criterion.key, False]
    ]


def _notes(games: Sequence[Rejudged]) -> list[str]:
    """How far to trust it, where games were measured again."""
    measured = sum(game.is_measured for game in games)
    if not measured:
        return []
    again = _many(measured, "game was", "games were")
    said = [f"The draft measures otherwise, so {again} measured again. Nothing of that is stored."]
    older = sum(game.is_by_older_code for game in games)
    if older:
        were = _many(older, "of them was", "of them were")
        said.append(f"{were} measured by older code before; what differs can come from that, too.")
    counts = Counter[str]()
    for game in games:
        counts.update(game.lost)
    labels, phrases = counts[kinds.REFERENCE], counts[kinds.PHRASE]
    if labels:
        said.append(
            f"{_many(labels, 'label is', 'labels are')} of references that the draft does not find; they count as "
            "references that people found."
        )
    if phrases:
        said.append(
            f"{_many(phrases, 'phrase', 'phrases')} marked as acceptable {'is' if phrases == 1 else 'are'} not among "
            "those that the draft finds; such marks count for nothing."
        )
    if labels or phrases:
        where = sum(any(game.lost.values()) for game in games)
        said.append(f"These judgements, whose finding is gone, are in {_many(where, 'game', 'games')}.")
    return said


def _many(count: int, one: str, several: str) -> str:
    return f"{count:,} {one if count == 1 else several}"
