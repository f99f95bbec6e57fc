"""The small multiples of the iteration history: a chart for each metric, one for cost, one for the cache hit rate."""

from collections.abc import Mapping, Sequence
from functools import lru_cache

from django.utils.translation import get_language
from django.utils.translation import gettext as _
from msgspec import Struct

from discussions.core.iteration_states import BASELINE, INCONCLUSIVE, KEEP, REVERT
from discussions.iterations.core.history import HistoryIteration
from discussions.iterations.pages import (
    CACHE,
    COST,
    FigureKind,
    JudgedIteration,
    Mean,
    chart_scale,
    compute_totals,
    figures_in,
    load_figure_kinds,
)
from discussions.metrics.core.registry import METRICS
from workspace.display.core.minimums import HISTORY_VALUES
from workspace.display.core.multiples import Axis, Column, Point, compute_scale, multiple

# What is the same in every chart: the number of the iteration, the index of its origin, whether it was only tried,
# and its mark.
ColumnHead = tuple[int, int | None, bool, str]


class DescribedFigure(Struct, frozen=True):
    """One figure of all games of an iteration: the known `values` with their `texts`, every game, and the mean.

    `games` are the number of each, the figure or why there is none, a word on it, and whether the game is withdrawn.
    """

    values: tuple[Point, ...]
    texts: tuple[str, ...]
    games: tuple[tuple[int, str, str, bool], ...]
    mean: Mean


class HistoryChart:
    """One small multiple with the table under it; `place` is the part of a game's page that its dots lead to.

    `texts` holds the figure of every dot, column by column. `table` holds the number of each iteration and its figures,
    `value_count` says how many values there are, and `least` how many a chart needs.
    """

    least = HISTORY_VALUES

    def __init__(
        self,
        kind: FigureKind,
        frame: tuple[ColumnHead, ...],
        described: tuple[DescribedFigure | None, ...],
        scale: Axis,
    ) -> None:
        self.key, self.label, self.needs, self.place = kind.key, kind.label, kind.needs, kind.place
        missing = DescribedFigure((), (), (), Mean(None, "", "", _("not in its rubric version"), ""))
        figures = [figure or missing for figure in described]
        columns = [
            Column(str(number), figure.values, figure.mean.value, origin, is_tried, mark)
            for (number, origin, is_tried, mark), figure in zip(frame, figures, strict=True)
        ]
        self.chart = multiple(columns, scale, rules=kind.rules)
        self.texts = [figure.texts for figure in figures]
        self.table = [(head[0], figure) for head, figure in zip(frame, figures, strict=True)]
        self.has_second = any(figure.mean.second for figure in figures)
        self.value_count = sum(len(figure.values) for figure in figures)


def history_charts(iterations: Sequence[JudgedIteration]) -> list[HistoryChart]:
    """The charts of these iterations, thresholds as the newest has them; none where no game is there."""
    if not any(iteration.row.games or iteration.row.left_out for iteration in iterations):
        return []
    contents = tuple(
        (iteration.content, iteration.aside, iteration.row.rubric_version, iteration.row.rubric_sha256)
        for iteration in iterations
    )
    indexes: dict[int | None, int] = {iteration.row.id: index for index, iteration in enumerate(iterations)}
    frame = tuple(
        (
            row.number,
            indexes.get(row.compared_with),
            row.decision is None or row.decision.choice != KEEP,
            get_mark(row),
        )
        for row in (iteration.row for iteration in iterations)
    )
    return list(_charts(contents, frame, get_language() or ""))


# Pages are read more often than figures change. The key is the whole input of the charts.
@lru_cache(maxsize=8)
def _charts(
    contents: tuple[tuple[bytes, bytes, int, str], ...], frame: tuple[ColumnHead, ...], language: str
) -> tuple[HistoryChart, ...]:
    described = [describe_figures(*content, language) for content in contents]
    kinds = load_figure_kinds(*contents[-1][2:], language)
    scales = _scales(kinds, described)
    return tuple(
        _chart(kind, frame, tuple(record.get(key) for record in described), scales[key])
        for key, kind in kinds.items()
        if key not in (COST, CACHE) or any(record[key].values for record in described)
    )


def get_mark(row: HistoryIteration) -> str:
    if row.replay_of is not None:
        return _("A")
    if row.kind == BASELINE:
        return _("B")
    letters = {KEEP: _("K"), REVERT: _("R"), INCONCLUSIVE: _("I")}
    return letters[row.decision.choice] if row.decision else "?"


@lru_cache(maxsize=1024)
def describe_figures(
    content: bytes, aside: bytes, version: int, sha256: str, language: str
) -> dict[str, DescribedFigure]:
    """Every figure of these games, under their own rubric version; those in `aside` were withdrawn."""
    counted, (averages, rate) = figures_in(content), compute_totals(content, version, sha256, language)
    out = figures_in(aside)
    games = [*((game, False) for game in counted), *((game, True) for game in out)]
    games.sort(key=lambda pair: pair[0].number)
    withdrawn = _("withdrawn")
    described = {}
    for key, kind in load_figure_kinds(version, sha256, language).items():
        values, texts, cells = [], [], []
        for game, is_out in games:
            value, text, says = kind.value(game), kind.missing, ""
            if value is not None:
                text, says = kind.text(value), kind.weak(game)
                values.append(Point(game.number, value, kind.is_hollow(game), is_out))
                texts.append(f"{text}, {withdrawn}" if is_out else text)
            cells.append((game.number, text, withdrawn if is_out else says, is_out))
        mean = kind.mean(averages, rate, len(counted))
        described[key] = DescribedFigure(tuple(values), tuple(texts), tuple(cells), mean)
    return described


def _scales(
    kinds: Mapping[str, FigureKind], described: Sequence[dict[str, DescribedFigure]]
) -> dict[str, Axis]:
    """The scale of each chart: metrics of one unit share one, so that they can be compared."""
    metrics: dict[str, list[str]] = {}
    for key in kinds.keys() - {COST, CACHE}:
        metrics.setdefault(METRICS[key].scale.key, []).append(key)
    scales = {
        COST: compute_scale(_values(kinds[COST], described), step=0.5, least=2.0, lowest=0.0),
        CACHE: compute_scale(_values(kinds[CACHE], described), step=10, least=40, lowest=0, highest=100),
    }
    for keys in metrics.values():
        known = [value for key in keys for value in _values(kinds[key], described)]
        scales |= dict.fromkeys(keys, chart_scale(known, METRICS[keys[0]]))
    return scales


def _values(kind: FigureKind, described: Sequence[dict[str, DescribedFigure]]) -> list[float]:
    values = [value.value for record in described if kind.key in record for value in record[kind.key].values]
    return values + [value for value, _text in kind.rules]


# If one figure changes, the charts of the other figures stay the same objects, so they need not be drawn again.
_chart = lru_cache(maxsize=64)(HistoryChart)
