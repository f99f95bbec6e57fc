"""What each agent, model and iteration does wrong, by role, against the others of the same role.

Judgements of people count; where nobody judged, the rule does. A seat is one player of one game. Intervals leave out
whole games, since messages of one game depend on each other.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from msgspec import Struct, structs
from numpy.typing import NDArray

from discussions.core.intake import say_weighted
from discussions.core.judgement_kinds import (
    ACCEPTABLE,
    ACCURATE,
    COHERENCE,
    CONSISTENT,
    NOT_A_REFERENCE,
    NOT_ASSESSABLE,
    PHRASE,
    REFERENCE,
    ROLE_CONSISTENCY,
    STRATEGIC_DEPTH,
    YES,
    parse_subject,
)
from discussions.core.outcome import DIVERSITY, MEMORY, REPETITION
from discussions.core.records import GameRecord
from discussions.history.core.weak_spots import (
    FIRST_MESSAGE,
    KINDS,
    UNDECIDED,
    ExaminedGame,
    Spot,
    find_spots,
    order_spots,
)
from discussions.metrics.core.parameters import parse_side
from discussions.metrics.core.registry import METRICS
from discussions.metrics.core.text import NAME
from discussions.reliability.core.crosstab import compute_interval_over_games
from workspace.statistics.means import subtract_shares, wilson

CODE_VERSION = "2"
AGENT, MODEL, ITERATION = "agent", "model", "iteration"
GROUPINGS = (AGENT, MODEL, ITERATION)
WON = "won"
MEASURES = (MEMORY, STRATEGIC_DEPTH, COHERENCE, ROLE_CONSISTENCY, DIVERSITY, REPETITION, WON)
METRIC_OF = {REFERENCE: MEMORY, PHRASE: REPETITION, COHERENCE: COHERENCE, ROLE_CONSISTENCY: ROLE_CONSISTENCY}
MOMENTS = 3
# Of each grouping, those with the most games.
MOST_FILES = 100
WORSE, BETTER, UNCLEAR, FEW = "worse", "better", "unclear", "few"
Interval = tuple[float, float]
Counts = NDArray[np.int64]
Weights = NDArray[np.float64]


class Seat(Struct, frozen=True):
    """One player of one game: `counts` is measure -> (right, of all, of these judged by people).

    `spots` is kind -> the first spot of that kind, with start and end as in `Moment`. `weight` is that of the game: 1 /
    the probability with which it entered the queue, where games differ in it.
    """

    game: int
    names: Mapping[str, str]
    role: str
    message_count: int
    counts: Mapping[str, tuple[int, int, int]]
    spots: Mapping[str, tuple[Spot, int, int]]
    weight: float = 1.0


class Moment(Struct, frozen=True):
    """Where a spot is; `start` and `end` are half-open code points of its message's text, equal for the whole of it."""

    kind: str
    role: str
    game: int
    message: int
    why: str
    is_by_people: bool
    count: int
    start: int
    end: int


class AgentShare(Struct, frozen=True):
    """How much of one measure is right: `right` of `of`, of which people judged `judged`, in `games` games.

    `interval` is that of the share, `difference` the share less that of the others of the same role and `apart` its
    interval, all in percent; None where there are fewer than three games on either side. Where games weigh differently,
    `weighted` is the share and `weighted_others` that of the others, in percent.
    """

    right: int
    of: int
    judged: int
    games: int
    interval: Interval | None
    other_right: int
    other_of: int
    apart: Interval | None
    weighted: float | None = None
    weighted_others: float | None = None

    @property
    def share(self) -> float:
        return 100 * self.right / self.of if self.weighted is None else self.weighted

    @property
    def others(self) -> float | None:
        if self.weighted is not None:
            return self.weighted_others
        return 100 * self.other_right / self.other_of if self.other_of else None

    @property
    def difference(self) -> float | None:
        return None if self.others is None else self.share - self.others

    @property
    def word(self) -> str:
        """Worse or better only if the interval of the difference lies on one side of 0."""
        if self.apart is None:
            return FEW
        return WORSE if self.apart[1] < 0 else BETTER if self.apart[0] > 0 else UNCLEAR


class RoleFigures(Struct, frozen=True):
    """The figures in one role, "" where the file names none; measures with nothing to count are left out."""

    role: str
    games: int
    figures: dict[str, AgentShare]


class AgentFile(Struct, frozen=True):
    """Everything about one agent, model or iteration; roles with the most games first."""

    name: str
    games: int
    messages: int
    roles: list[RoleFigures]
    moments: list[Moment]

    def figure(self, role: str, measure: str) -> AgentShare:
        return next(found.figures[measure] for found in self.roles if found.role == role)

    @property
    def is_weighted(self) -> bool:
        """Whether games entered the queue with different probabilities, and weigh by them."""
        return any(figure.weighted is not None for found in self.roles for figure in found.figures.values())

    @property
    def weighting(self) -> str:
        return say_weighted() if self.is_weighted else ""

    @property
    def comparisons(self) -> list[tuple[str, str, AgentShare]]:
        """The figures of metrics that are compared with the others': (role, measure, figure)."""
        return [
            (found.role, measure, figure)
            for found in self.roles
            for measure, figure in found.figures.items()
            if measure != WON and figure.word != FEW
        ]


class AgentFigures(Struct, frozen=True):
    """The files by grouping, each by name; `games` is how many games they rest on."""

    games: int
    files: dict[str, list[AgentFile]]

    def find(self, grouping: str, name: str) -> AgentFile | None:
        return next((file for file in self.files.get(grouping, []) if file.name == name), None)


def list_seats(
    game: ExaminedGame,
    model: str,
    iteration: str,
    role_map: Mapping[str, Collection[str]],
    weight: float = 1.0,
) -> list[Seat]:
    """The players of a game who spoke; `model` and `iteration` are "" where they are not known."""
    counts: dict[int, dict[str, list[int]]] = defaultdict(lambda: defaultdict(lambda: [0, 0, 0]))
    for speaker, measure, right, is_judged in _count(game):
        for at, more in enumerate((right, True, is_judged)):
            counts[speaker][measure][at] += more
    said = [message.player for message in game.record.messages]
    spots: dict[int, dict[str, Spot]] = defaultdict(dict)
    for spot in find_spots(game):
        own_spots = spots[_speaker(game.record, spot.message)]
        own_spots[spot.kind] = min(own_spots.get(spot.kind, spot), spot, key=order_spots)
    seats = []
    for number, player in enumerate(game.record.players, start=1):
        if number not in said:
            continue
        won = _has_won(game.record, player.role, role_map)
        own = {measure: (row[0], row[1], row[2]) for measure, row in counts[number].items()}
        seats.append(
            Seat(
                game=game.number,
                names={AGENT: player.name, MODEL: model, ITERATION: iteration},
                role=" ".join((player.role or "").split()),
                message_count=said.count(number),
                counts=own if won is None else own | {WON: (int(won), 1, 0)},
                spots={kind: (spot, *_find_span(game.record, spot)) for kind, spot in spots[number].items()},
                weight=weight,
            )
        )
    return seats


def compute_files(seats: Sequence[Seat]) -> AgentFigures:
    """The files; a role is written as most of its seats have it."""
    spelled = Counter(seat.role for seat in seats)
    most = {role.casefold(): role for role in sorted(spelled, key=lambda role: (spelled[role], role))}
    seats = [structs.replace(seat, role=most[seat.role.casefold()]) for seat in seats]
    files = {}
    for grouping in GROUPINGS:
        by_name: dict[str, list[Seat]] = defaultdict(list)
        for seat in seats:
            if seat.names[grouping]:
                by_name[seat.names[grouping]].append(seat)
        known = sorted(by_name, key=lambda name: (-len({seat.game for seat in by_name[name]}), name))
        figures = _compute_figures([seat for seat in seats if seat.names[grouping]], grouping)
        files[grouping] = [_build_file(name, by_name[name], figures[name]) for name in known[:MOST_FILES]]
        if grouping == ITERATION:
            files[grouping].sort(key=lambda file: int(file.name))
    return AgentFigures(len({seat.game for seat in seats}), files)


def _count(game: ExaminedGame) -> Iterator[tuple[int, str, bool, bool]]:
    """Each thing that a metric counts: player, metric, whether it is right, and whether people judged it."""
    yield from _count_references(game)
    yield from _count_messages(game)
    yield from _count_phrases(game)
    if DIVERSITY in game.measurements:
        for finding in game.measurements[DIVERSITY].players:
            if finding.spoke:
                yield finding.player, DIVERSITY, finding.is_unique, False


def _count_references(game: ExaminedGame) -> Iterator[tuple[int, str, bool, bool]]:
    """References with a label by people, and those that the vote record supports or contradicts."""
    if MEMORY not in game.measurements:
        return
    values = game.found.values.get(REFERENCE, {})
    checks = {row.subject: row.check for row in game.measurements[MEMORY].references if row.is_counted}
    for subject in {**checks, **values}:
        label, check = values.get(subject, ""), checks.get(subject, "")
        if label == NOT_A_REFERENCE or (not label and check == UNDECIDED[1]):
            continue
        right = label == ACCURATE if label else check == UNDECIDED[0]
        yield _speaker(game.record, parse_subject(subject)[0]), MEMORY, right, bool(label)


def _count_messages(game: ExaminedGame) -> Iterator[tuple[int, str, bool, bool]]:
    for kind in (STRATEGIC_DEPTH, COHERENCE, ROLE_CONSISTENCY):
        if kind not in game.measurements:
            continue
        values, measured = game.found.values.get(kind, {}), game.measurements[kind]
        first = {str(row.message) for row in measured.messages if row.rule == FIRST_MESSAGE}
        for subject, machine in METRICS[kind].machine_values(measured).items():
            value = values.get(subject, machine)
            if subject not in first and value != NOT_ASSESSABLE:
                is_right = value in (YES, CONSISTENT)
                yield _speaker(game.record, int(subject)), kind, is_right, subject in values


def _count_phrases(game: ExaminedGame) -> Iterator[tuple[int, str, bool, bool]]:
    """Messages without a phrase that their speaker repeats; none where phrases of all players are pooled."""
    phrases = game.measurements[REPETITION].phrases if REPETITION in game.measurements else []
    if REPETITION not in game.measurements or any(not phrase.player for phrase in phrases):
        return
    values = game.found.values.get(PHRASE, {})
    accepted = {at for row in phrases if values.get(row.subject) == ACCEPTABLE for at in row.messages}
    repeated = {at for row in phrases if values.get(row.subject) != ACCEPTABLE for at in row.messages}
    for message in game.record.messages:
        at = message.position
        yield message.player, REPETITION, at not in repeated, at in accepted


def _speaker(record: GameRecord, position: int) -> int:
    return record.messages[position - 1].player


def _has_won(record: GameRecord, role: str | None, role_map: Mapping[str, Collection[str]]) -> bool | None:
    """Whether the player's side won; None where the file does not say, or the side is not known."""
    winner = (record.winner or "").strip()
    # "Mafia", "Villagers" or "werewolves".
    spelled = (winner, winner.removesuffix("s"), f"{winner.removesuffix('ves')}f")
    side, won = parse_side(role, role_map), [parse_side(word, role_map) for word in spelled]
    known = next(filter(None, won), None)
    return None if side is None or known is None else known == side


def _compute_figures(seats: Sequence[Seat], grouping: str) -> dict[str, dict[str, RoleFigures]]:
    """Name -> role -> its figures."""
    found: dict[str, dict[str, RoleFigures]] = defaultdict(dict)
    by_role: dict[str, list[Seat]] = defaultdict(list)
    for seat in seats:
        by_role[seat.role].append(seat)
    for role, members in by_role.items():
        games = {number: at for at, number in enumerate(sorted({seat.game for seat in members}))}
        tables: dict[str, Counts] = {}
        weights = np.ones(len(games))
        for seat in members:
            weights[games[seat.game]] = seat.weight
            name = seat.names[grouping]
            if name not in tables:
                tables[name] = np.zeros((len(MEASURES), len(games), 3), dtype=np.int64)
            for measure, counted in seat.counts.items():
                tables[name][MEASURES.index(measure), games[seat.game]] += counted
        total = np.sum(list(tables.values()), axis=0)
        for name, table in tables.items():
            figures = {
                measure: build_figure(own, whole - own, weights)
                for measure, own, whole in zip(MEASURES, table, total, strict=True)
                if own[:, 1].any()
            }
            played = len({seat.game for seat in members if seat.names[grouping] == name})
            found[name][role] = RoleFigures(role, played, figures)
    return found


def build_figure(own: Counts, others: Counts, weights: Weights | None = None) -> AgentShare:
    """Both tables have a row a game: right, of, judged. Games without anything to count are left out.

    `weights` are those of the games, None where all weigh the same.
    """
    is_weighted = weights is not None and len(set(weights)) > 1
    given = weights if weights is not None and is_weighted else np.ones(len(own))
    heavy, other_heavy = (
        (table[:, :2] * given[:, None])[table[:, 1] > 0] if is_weighted else table[table[:, 1] > 0, :2]
        for table in (own, others)
    )
    right, of, judged = own.sum(axis=0).tolist()
    other_right, other_of = others[:, :2].sum(axis=0).tolist()
    shares = [_divide_sums(heavy), _divide_sums(other_heavy)]
    interval, other_interval = _interval(heavy, of), _interval(other_heavy, other_of)
    apart = None
    if interval and other_interval and shares[0] is not None and shares[1] is not None:
        low, high = subtract_shares(shares[0], interval, shares[1], other_interval)
        apart = (100 * low, 100 * high)
    found = AgentShare(right, of, judged, len(heavy), interval, other_right, other_of, apart)
    if not is_weighted:
        return found
    percent = [None if share is None else 100 * share for share in shares]
    return structs.replace(found, weighted=percent[0], weighted_others=percent[1])


def _divide_sums(table: Any) -> float | None:
    right, of = table.sum(axis=0).tolist()
    return right / of if of else None


def _interval(table: Any, count: int) -> Interval | None:
    """`count` is how many things the share is of, however they weigh."""
    share = _divide_sums(table)
    if share is None:
        return None
    right = round(share * count, 9)
    return compute_interval_over_games(table.tolist(), wilson(right, count))[0]


def _build_file(name: str, seats: Sequence[Seat], figures: Mapping[str, RoleFigures]) -> AgentFile:
    roles = sorted(figures.values(), key=lambda found: (-found.games, found.role))
    messages = sum(seat.message_count for seat in seats)
    games = len({seat.game for seat in seats})
    return AgentFile(name, games, messages, roles, _choose_moments(seats, figures))


def _choose_moments(seats: Sequence[Seat], figures: Mapping[str, RoleFigures]) -> list[Moment]:
    """Each kind of spot in the role where it is furthest above the others, the three furthest of these.

    Of the spots of a kind in a role, the first in the order of weak spots: judged by people, gravest, most repeated,
    oldest.
    """
    first: dict[tuple[str, str], tuple[Spot, int, int]] = {}
    for seat in seats:
        for kind, placed in seat.spots.items():
            key = (kind, seat.role)
            first[key] = min(first.get(key, placed), placed, key=lambda found: order_spots(found[0]))

    def far(key: tuple[str, str]) -> tuple[bool, float, float, str]:
        figure = figures[key[1]].figures.get(METRIC_OF[key[0]])
        if figure is None:
            return True, 0.0, 0.0, key[1]
        return figure.word != WORSE, figure.difference or 0.0, figure.share, key[1]

    roles = [min((key for key in first if key[0] == kind), key=far, default=None) for kind in KINDS]
    chosen = sorted(filter(None, roles), key=far)[:MOMENTS]
    return [_build_moment(key[1], *first[key]) for key in chosen]


def _build_moment(role: str, spot: Spot, start: int, end: int) -> Moment:
    return Moment(
        kind=spot.kind,
        role=role,
        game=spot.game,
        message=spot.message,
        why=spot.why,
        is_by_people=spot.is_by_people,
        count=spot.count,
        start=start,
        end=end,
    )


def _find_span(record: GameRecord, spot: Spot) -> tuple[int, int]:
    """Where the words of a spot are in its message; (0, 0) for the whole message, or if they are spelled otherwise."""
    text = record.messages[spot.message - 1].text
    words = [r"\w+" if word == NAME else re.escape(word) for word in spot.text.split()]
    if spot.text == text or spot.kind not in (REFERENCE, PHRASE):
        return 0, 0
    found = re.search(r"\W+".join(words), text, re.IGNORECASE)
    return found.span() if found else (0, 0)
