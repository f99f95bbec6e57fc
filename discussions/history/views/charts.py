"""The history of iterations: a column for each, a row for each metric, one for cost, one for the cache hit rate."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from django.utils.translation import get_language
from django.utils.translation import gettext as _
from msgspec import Struct

from discussions.core.iteration_states import KEEP
from discussions.iterations.core.history import HistoryIteration
from discussions.iterations.pages import (
    CACHE,
    COST,
    FigureKind,
    JudgedIteration,
    Mean,
    chart_scale,
    compute_margin,
    compute_totals,
    decision_words,
    figures_in,
    load_figure_kinds,
    margin_text,
)
from discussions.metrics.core.registry import METRICS
from workspace.display.core.multiples import HISTORY_VALUES, Axis, Point, compute_scale

# A cell is so high; its scale runs from its foot to its top. Dots stand left of the mean, in percent.
FOOT, TOP = 74.0, 14.0
FIRST, LAST, APART = 10.0, 44.0, 6.0


class DescribedFigure(Struct, frozen=True):
    """One figure of all games of an iteration: the known `values` with their `texts`, every game, and the mean.

    `games` are the number of each, the figure or why there is none, a word on it, and whether the game is withdrawn.
    """

    values: tuple[Point, ...]
    texts: tuple[str, ...]
    games: tuple[tuple[int, str, str, bool], ...]
    mean: Mean


class Figure:
    """One figure of all iterations; `place` is the part of a game's page that its dots lead to."""

    def __init__(self, kind: FigureKind, described: Sequence[DescribedFigure], scale: Axis) -> None:
        self.key, self.label, self.needs, self.place = kind.key, kind.label, kind.needs, kind.place
        self.rules, self.described, self.scale = kind.rules, described, scale


def build_runs(iterations: Sequence[JudgedIteration]) -> dict[str, Any]:
    """`columns` are the iterations, `runs` a row for each figure: smallest margin first, figures without one last.

    `margin` is of the newest mean of a prompt that was kept or is not decided on, by the newest rubric version. No rows
    where no game is there.
    """
    columns = [_build_column(iteration.row) for iteration in iterations]
    has_games = any(iteration.row.games or iteration.row.left_out for iteration in iterations)
    rows = [_build_run(figure, columns) for figure in _read_figures(iterations)] if has_games else []
    rows.sort(key=lambda row: (row["margin"] is None, row["margin"] or 0.0))
    known = [sum(len(one.values) for one in row["part"].described) for row in rows]
    return {
        "columns": columns,
        "runs": rows,
        "dot_count": max(known, default=0),
        "least_dots": HISTORY_VALUES,
        "has_withdrawn": any(each.row.left_out for each in iterations),
    }


def is_given_up(row: HistoryIteration) -> bool:
    return row.decision is not None and row.decision.choice != KEEP


def _build_column(row: HistoryIteration) -> dict[str, Any]:
    fate = decision_words(row)[0]
    return {
        "number": row.number,
        "name": row.name,
        "fate": fate or _("start"),
        "is_back": is_given_up(row),
        "is_open": row.decision is None and bool(fate),
    }


def _read_figures(iterations: Sequence[JudgedIteration]) -> list[Figure]:
    language = get_language() or ""
    contents = [
        (iteration.content, iteration.aside, iteration.row.rubric_version, iteration.row.rubric_sha256)
        for iteration in iterations
    ]
    described = [describe_figures(*content, language) for content in contents]
    kinds = load_figure_kinds(*contents[-1][2:], language)
    scales = _scales(kinds, described)
    missing = DescribedFigure((), (), (), Mean(None, "", "", _("not in its rubric version"), ""))
    return [
        Figure(kind, [record.get(key, missing) for record in described], scales[key])
        for key, kind in kinds.items()
        if key not in (COST, CACHE) or any(record[key].values for record in described)
    ]


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
    """The scale of each chart, its own: one for all would squeeze what is near the end of it."""
    scales = {
        COST: compute_scale(_values(kinds[COST], described), step=0.5, least=2.0, lowest=0.0),
        CACHE: compute_scale(_values(kinds[CACHE], described), step=10, least=40, lowest=0, highest=100),
    }
    for key in kinds.keys() - {COST, CACHE}:
        scales[key] = chart_scale(_values(kinds[key], described), METRICS[key])
    return scales


def _values(kind: FigureKind, described: Sequence[dict[str, DescribedFigure]]) -> list[float]:
    values = [value.value for record in described if kind.key in record for value in record[kind.key].values]
    return values + [value for value, _text in kind.rules]


def _build_run(figure: Figure, columns: Sequence[dict[str, Any]]) -> dict[str, Any]:
    need, margin = figure.rules[-1][0], None
    pairs = list(zip(figure.described, columns, strict=True))
    known = [one.mean.value for one, column in pairs if one.mean.value is not None and not column["is_back"]]
    if known and need and figure.key not in (COST, CACHE):
        margin = compute_margin(known[-1], need)
    return {
        "part": figure,
        "cells": [{"is_back": column["is_back"], **_build_cell(figure, one)} for one, column in pairs],
        "needs": [find_level(figure, value) for value, _text in figure.rules],
        "ends": (f"{figure.scale.minimum:g}", f"{figure.scale.maximum:g}"),
        "margin": margin,
        "margin_text": "" if margin is None else margin_text(margin),
    }


def find_level(figure: Figure, value: float) -> float:
    share = (value - figure.scale.minimum) / (figure.scale.maximum - figure.scale.minimum)
    return round(FOOT - (FOOT - TOP) * min(1.0, max(0.0, share)), 1)


def _build_cell(figure: Figure, one: DescribedFigure) -> dict[str, Any]:
    """`dots` are place, level, kind, game and text of each: under what is needed, counting differently, withdrawn."""
    limit, mean = figure.rules[-1][0], one.mean
    step = min(APART, (LAST - FIRST) / max(1, len(one.values) - 1))
    dots = []
    for at, (point, text) in enumerate(zip(one.values, one.texts, strict=True)):
        is_under = point.value > limit if figure.key == COST else point.value < limit
        kind = "out" if point.is_out else "weak" if point.is_hollow else "under" if is_under else ""
        dots.append((round(FIRST + step * at, 1), find_level(figure, point.value), kind, point.number, text))
    level = None if mean.value is None else find_level(figure, mean.value)
    return {"dots": dots, "mean": mean, "mean_y": level, "says": _say_cell(one)}


def _say_cell(figure: DescribedFigure) -> str:
    """The figures of a cell for those who do not see it: the mean, and every game with what is special about it."""
    games = ", ".join(
        " ".join(filter(None, (str(number), text, says))) for number, text, says, _is_out in figure.games
    )
    mean = " ".join(filter(None, (figure.mean.text, figure.mean.says, figure.mean.title)))
    return _("Mean: %(mean)s. Games: %(games)s") % {"mean": mean or "–", "games": games or "–"}
