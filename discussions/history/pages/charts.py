"""The small multiples of the iteration history: a chart for each metric, one for cost, one for the cache hit rate."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from django.utils.translation import get_language
from django.utils.translation import gettext as _
from msgspec import Struct

from discussions.core.iteration_states import BASELINE, INCONCLUSIVE, KEEP, REVERT
from discussions.iterations.core.figures import GameFigures
from discussions.iterations.core.history import HistoryIteration
from discussions.iterations.pages import (
    CACHE,
    COST,
    JudgedIteration,
    Kind,
    Mean,
    chart_scale,
    compute_totals,
    figures_in,
    load_figure_kinds,
)
from discussions.metrics.core.registry import METRICS
from workspace.display.core.multiples import Column, Multiple, Scale, Value, compute_scale, multiple


class GameCell(Struct, frozen=True):
    """One game's figure: its number, the figure or why there is none, and what is to be said of it."""

    number: int
    text: str
    says: str
    is_out: bool = False


class DescribedFigure(Struct, frozen=True):
    """One figure of all games of an iteration: the known `values` with their `texts`, every game, and the mean.

    `is_hollow` says that one of the values is.
    """

    is_hollow: bool
    values: list[Value]
    texts: list[str]
    games: tuple[GameCell, ...]
    mean: Mean


class ChartTableRow(Struct, frozen=True):
    """The games of one iteration, and the mean of their figures: its state, the word for that, `basis` of what."""

    number: int
    games: tuple[GameCell, ...]
    mean: str
    state: str
    says: str
    second: str
    basis: str


class HistoryChart(Struct, frozen=True, eq=False):
    """One small multiple with the table under it; `place` is the part of a game's page that its dots lead to.

    Two are the same when they are one object, so that what was drawn of one can be kept.

    `texts` holds the figure of every dot, column by column. `hollow` says what a hollow dot is, "" where there is none.
    """

    key: str
    label: str
    needs: str
    hollow: str
    place: str
    chart: Multiple
    texts: list[list[str]]
    table: list[ChartTableRow]
    has_second: bool


def history_charts(found: Sequence[JudgedIteration]) -> list[HistoryChart]:
    """The charts of these iterations, thresholds as the newest has them; none where no game is there."""
    if not any(iteration.row.games or iteration.row.left_out for iteration in found):
        return []
    contents = tuple(
        (iteration.content, iteration.aside, iteration.row.rubric_version, iteration.row.rubric_sha256)
        for iteration in found
    )
    return list(_charts(contents, _frame(found), get_language() or ""))


class _Place(NamedTuple):
    """What a column is in every chart."""

    number: int
    origin: int | None
    is_tried: bool
    mark: str


def _frame(found: Sequence[JudgedIteration]) -> tuple[_Place, ...]:
    places = {iteration.row.id: at for at, iteration in enumerate(found)}
    return tuple(
        _Place(
            number=iteration.row.number,
            origin=None if iteration.row.compared_with is None else places.get(iteration.row.compared_with),
            is_tried=iteration.row.decision is None or iteration.row.decision.choice != KEEP,
            mark=get_mark(iteration.row),
        )
        for iteration in found
    )


# A stage is looked at far oftener than a figure of it changes; the key is everything that its charts are made of.
@lru_cache(maxsize=8)
def _charts(
    contents: tuple[tuple[bytes, bytes, int, str], ...], frame: tuple[_Place, ...], language: str
) -> tuple[HistoryChart, ...]:
    told = [describe_figures(*content, language) for content in contents]
    kinds = load_figure_kinds(*contents[-1][2:], language)
    scales = _scales(kinds, told)
    return tuple(
        _chart(kind, frame, [record.get(key) for record in told], scales[key])
        for key, kind in kinds.items()
        if key not in (COST, CACHE) or any(record[key].values for record in told)
    )


def get_mark(row: HistoryIteration) -> str:
    """The letter under an iteration: what it is, or what was decided on it."""
    if row.kind == BASELINE:
        return _("B")
    letters = {KEEP: _("K"), REVERT: _("R"), INCONCLUSIVE: _("I")}
    return letters[row.decision.choice] if row.decision else "?"


@lru_cache(maxsize=1024)
def describe_figures(
    content: bytes, aside: bytes, version: int, sha256: str, language: str
) -> dict[str, DescribedFigure]:
    """Every figure of these games, told under their own rubric version; those in `aside` were withdrawn."""
    counted, (averages, rate) = figures_in(content), compute_totals(content, version, sha256)
    out = figures_in(aside)
    games = sorted([*((game, False) for game in counted), *((game, True) for game in out)], key=_number)
    withdrawn = _("withdrawn")
    found = {}
    for key, kind in load_figure_kinds(version, sha256, language).items():
        values, texts, cells = [], [], []
        for game, is_out in games:
            value, text, says = kind.value(game), kind.missing, ""
            if value is not None:
                is_hollow, text = kind.is_hollow(game), kind.text(value)
                says = kind.hollow if is_hollow else ""
                values.append(Value(game.number, value, is_hollow, is_out))
                texts.append(f"{text}, {withdrawn}" if is_out else text)
            cells.append(GameCell(game.number, text, withdrawn if is_out else says, is_out))
        is_any_hollow = any(value.is_hollow and not value.is_out for value in values)
        mean = kind.mean(averages, rate, len(counted))
        found[key] = DescribedFigure(is_any_hollow, values, texts, tuple(cells), mean)
    return found


def _number(game: tuple[GameFigures, bool]) -> int:
    return game[0].number


def _scales(kinds: Mapping[str, Kind], told: Sequence[dict[str, DescribedFigure]]) -> dict[str, Scale]:
    """The scale of each chart: metrics of one unit share one, so that they can be held against each other."""
    metrics: dict[str, list[str]] = {}
    for key in kinds.keys() - {COST, CACHE}:
        metrics.setdefault(METRICS[key].scale.key, []).append(key)
    found = {
        COST: compute_scale(_values(kinds[COST], told), step=0.5, least=2.0, lowest=0.0),
        CACHE: compute_scale(_values(kinds[CACHE], told), step=10, least=40, lowest=0, highest=100),
    }
    for keys in metrics.values():
        known = [value for key in keys for value in _values(kinds[key], told)]
        found |= dict.fromkeys(keys, chart_scale(known, METRICS[keys[0]]))
    return found


def _values(kind: Kind, told: Sequence[dict[str, DescribedFigure]]) -> list[float]:
    """Every value that a chart shows, thresholds included."""
    found = [value.value for record in told if kind.key in record for value in record[kind.key].values]
    return found + [at for at, _text in kind.rules]


def _chart(
    kind: Kind, frame: Sequence[_Place], told: Sequence[DescribedFigure | None], scale: Scale
) -> HistoryChart:
    columns = [
        Column(
            label=str(place.number),
            values=figure.values if figure else [],
            mean=figure.mean.value if figure else None,
            origin=place.origin,
            is_tried=place.is_tried,
            mark=place.mark,
        )
        for place, figure in zip(frame, told, strict=True)
    ]
    return HistoryChart(
        key=kind.key,
        label=kind.label,
        needs=kind.needs,
        hollow=kind.hollow if any(figure.is_hollow for figure in told if figure) else "",
        place=kind.place,
        chart=multiple(columns, scale, rules=kind.rules),
        texts=[figure.texts if figure else [] for figure in told],
        table=[_table_row(place.number, figure) for place, figure in zip(frame, told, strict=True)],
        has_second=any(figure.mean.second for figure in told if figure),
    )


def _table_row(number: int, told: DescribedFigure | None) -> ChartTableRow:
    if told is None:
        return ChartTableRow(number, (), "", "", _("not in its rubric version"), "", "")
    mean = told.mean
    return ChartTableRow(number, told.games, mean.text, mean.state, mean.says, mean.second, mean.basis)
