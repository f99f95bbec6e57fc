"""What the pages of iterations share: judged iterations, the figures that charts draw, and the rows of the history."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import msgspec
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _
from msgspec import Struct

from discussions.core.iteration_states import BASELINE, IMPORTING, INCONCLUSIVE, KEEP, REVERT
from discussions.core.outcome import ABOVE, AMBER
from discussions.iterations.core.averages import (
    Average,
    Averages,
    CacheRate,
    GamesCost,
    compute_averages,
    compute_cache_rate,
)
from discussions.iterations.core.figures import GameFigures
from discussions.iterations.core.history import OPEN, RECORDED, HistoryIteration
from discussions.metrics.core.metric import Metric
from discussions.metrics.core.registry import METRICS
from discussions.metrics.labels import limit_text, place_of_metric
from discussions.queries import rubric_record
from discussions.verdicts.core.rule import read_rules
from discussions.verdicts.pages.lines import FAIL, PASS, PENDING
from rubric.core.records import Criterion, RubricRecord
from workspace.core.text import figure, signed_figure, with_minus
from workspace.display.core.multiples import Axis, compute_scale
from workspace.display.core.number_lists import format_numbers

_FIGURES: Any = msgspec.json.Decoder(list[GameFigures])
COST, CACHE = "cost", "cache"
TONES = {KEEP: PASS, REVERT: FAIL, INCONCLUSIVE: PENDING}


class JudgedIteration(Struct, frozen=True):
    """One iteration, its rubric version, its averages, and the cache hit rate over its games.

    `content` holds the figures of its games in bytes, which are the cache key of what is computed from them. `aside`
    holds the figures of withdrawn games; nothing is computed from them.
    """

    row: HistoryIteration
    content: bytes
    aside: bytes
    rubric: RubricRecord
    averages: Averages
    cache: CacheRate


def judge_iteration(row: HistoryIteration) -> JudgedIteration:
    content = msgspec.json.encode(row.figures)
    averages, cache = compute_totals(content, row.rubric_version, row.rubric_sha256, get_language() or "")
    rubric = rubric_record(row.rubric_version, row.rubric_sha256)
    aside = msgspec.json.encode([game.game.figures for game in row.left_out])
    return JudgedIteration(row, content, aside, rubric, averages, cache)


def figures_in(content: bytes) -> list[GameFigures]:
    found: list[GameFigures] = _FIGURES.decode(content)
    return found


# Exact fractions are slow, and figures of rated games hardly ever change. The key is the whole input.
@lru_cache(maxsize=1024)
def compute_totals(content: bytes, version: int, sha256: str, _language: str) -> tuple[Averages, CacheRate]:
    """The averages and the cache hit rate of games with these figures, in the reader's words."""
    games, rubric = figures_in(content), rubric_record(version, sha256)
    return compute_averages(games, rubric), compute_cache_rate(games, rubric)


class Mean(NamedTuple):
    """The mean of one figure: number, text, state, the word for that, and what it is a mean of; `key` is a metric's."""

    value: float | None
    text: str
    state: str
    says: str
    title: str
    second: str = ""
    key: str = ""


class FigureKind(NamedTuple):
    """One figure of games, and how it is drawn. `value` takes a game; it gives None while the figure is not known.

    `weak` says why a game's figure rests on little evidence, "" when it does not. `mean` takes the averages of an
    iteration, its cache hit rate and the number of games. `missing` is the text for an unknown figure.
    """

    key: str
    label: str
    needs: str
    value: Callable[[GameFigures], float | None]
    is_hollow: Callable[[GameFigures], bool]
    weak: Callable[[GameFigures], str]
    text: Callable[[float], str]
    mean: Callable[[Averages, CacheRate, int], Mean]
    rules: tuple[tuple[float, str], ...]
    place: str = "game-facts"
    missing: str = ""


@lru_cache(maxsize=8192)
def format_figure(value: float, threshold: float, decimals: int = 1) -> str:
    return figure(value, threshold, decimals=decimals)


def is_given_up(row: HistoryIteration) -> bool:
    return row.decision is not None and row.decision.choice != KEEP


def find_rated(iterations: Sequence[JudgedIteration]) -> JudgedIteration | None:
    """The newest iteration that is rated in full and was not given up: where the prompt stands now."""
    rated = (each for each in reversed(iterations) if each.averages.passes is not None)
    return next((each for each in rated if not is_given_up(each.row)), None)


def compute_margins(iterations: Sequence[JudgedIteration]) -> list[tuple[Average, float]]:
    """How far each mean of `find_rated` lies above what it needs, in percent of it, the weakest metric first.

    Metrics that the newest iteration's rubric version lacks are left out. [] where no iteration is rated.
    """
    rated = find_rated(iterations)
    if rated is None:
        return []
    present = {line.key for line in iterations[-1].averages.lines}
    margins = [
        (line, 100 * (line.value - line.threshold) / line.threshold)
        for line in rated.averages.lines
        if line.key in present and line.value is not None and line.threshold
    ]
    return sorted(margins, key=lambda pair: pair[1])


def margin_text(margin: float) -> str:
    shown = signed_figure(margin) if abs(margin) < 1 else with_minus(f"{margin:+.0f}")
    return f"{shown}\u00a0%"


def describe_weak_score(game: GameFigures, key: str) -> str:
    """Why a score rests on little evidence: "not applicable", "open" or "on few references"; else ""."""
    if not game.applies(key):
        return _("not applicable")
    if key in game.open:
        return _("open")
    return _("on few references") if key in game.on_few_references else ""


def _metric_kind(criterion: Criterion) -> FigureKind:
    key, threshold = criterion.key, float(criterion.threshold or 0)
    is_rated, limit = METRICS[key].is_rated, limit_text(key, threshold)

    def mean(averages: Averages, _rate: CacheRate, _count: int) -> Mean:
        line = averages.line(key)
        second = "" if line.second is None or is_rated else format_figure(line.second, threshold)
        return describe_average(line)._replace(second=second)

    return FigureKind(
        key=key,
        label=criterion.label,
        needs=_("%(limit)s or more") % {"limit": limit},
        value=lambda game: game.score(key),
        is_hollow=lambda game: not game.applies(key),
        weak=lambda game: describe_weak_score(game, key),
        text=lambda value: format_figure(value, threshold),
        mean=mean,
        rules=((threshold, f"{threshold:g}"),),
        place=place_of_metric(key),
        missing=_("pending"),
    )


def _cost_kind(rubric: RubricRecord) -> FigureKind:
    rules = read_rules(rubric)
    amber, limit = float(rules.amber), float(rules.limit)
    needs = _("below %(amber)s to succeed, above %(limit)s fails")

    def mean(averages: Averages, _rate: CacheRate, count: int) -> Mean:
        cost = averages.cost
        value = None if cost.mean_usd is None else float(cost.mean_usd)
        return Mean(value, *cost_words(cost, count), cost.says)

    return FigureKind(
        key=COST,
        label=_("Cost of a game in dollars"),
        needs=needs % {"amber": figure(amber, decimals=2), "limit": figure(limit, decimals=2)},
        value=lambda game: None if game.cost_usd is None else float(game.cost_usd),
        is_hollow=lambda game: game.is_cost_by_hand,
        weak=lambda game: _("by hand") if game.is_cost_by_hand else "",
        text=lambda value: f"${format_figure(value, limit, 2)}",
        mean=mean,
        rules=((amber, f"{amber:g}"), (limit, f"{limit:g}")),
        missing=_("not reported"),
    )


def _cache_kind(rubric: RubricRecord) -> FigureKind:
    percent = float(rubric.parameters["cache_hit_percent"])
    states = {None: PENDING, True: PASS, False: FAIL}

    def mean(_averages: Averages, rate: CacheRate, count: int) -> Mean:
        value = None if rate.rate is None else 100 * rate.rate
        return Mean(value, cache_words(rate), states[rate.passes] if count else "", "", rate.says)

    return FigureKind(
        key=CACHE,
        label=_("Cache hit rate"),
        needs=_("above %(percent)s\u00a0%% for the next stage") % {"percent": f"{percent:g}"},
        value=lambda game: None if game.cache_hit_rate is None else 100 * game.cache_hit_rate,
        is_hollow=lambda game: game.is_cache_by_hand,
        weak=lambda game: _("by hand") if game.is_cache_by_hand else "",
        text=lambda value: f"{format_figure(value, percent)}\u00a0%",
        mean=mean,
        rules=((percent, f"{percent:g}"),),
        missing=_("not reported"),
    )


@lru_cache(maxsize=32)
def load_figure_kinds(version: int, sha256: str, _language: str) -> dict[str, FigureKind]:
    rubric = rubric_record(version, sha256)
    kinds = [*map(_metric_kind, rubric.criteria), _cost_kind(rubric), _cache_kind(rubric)]
    return {kind.key: kind for kind in kinds}


def history_row(judged: JudgedIteration, *, is_reference: bool) -> dict[str, Any]:
    """One iteration as a row. `cost` is the mean cost, its state, and a word on it; `tone` belongs to the decision."""
    row, averages = judged.row, judged.averages
    decision, tone = decision_words(row)
    is_pass = averages.passes
    return {
        "iteration": row,
        "cache": judged.cache,
        "is_reference": is_reference,
        "target": target_label(judged.rubric, row.target),
        "games_says": _describe_games(row),
        "cells": _cells(judged.content, row.rubric_version, row.rubric_sha256, get_language() or ""),
        "passes": Mean(
            None,
            f"{averages.passed_count}/{len(averages.lines)}",
            PENDING if is_pass is None else PASS if is_pass else FAIL,
            _("pending") if is_pass is None else _("PASS") if is_pass else _("FAIL"),
            averages.headline,
        ),
        "cost": cost_words(averages.cost, len(row.games)),
        "cache_text": cache_words(judged.cache),
        "decision": decision,
        "tone": tone,
    }


def target_label(rubric: RubricRecord, key: str) -> str:
    """The label of the target metric; "" if none was named, its key if the rubric no longer has it."""
    return next((criterion.label for criterion in rubric.criteria if criterion.key == key), key)


@lru_cache(maxsize=1024)
def _cells(content: bytes, version: int, sha256: str, language: str) -> tuple[Mean, ...]:
    averages, _cache = compute_totals(content, version, sha256, language)
    return tuple(describe_average(line) for line in averages.lines)


def describe_average(line: Average) -> Mean:
    """A mean of only some of the games is pending."""
    text = "" if line.value is None else figure(line.value, line.threshold)
    if line.passes is None:
        state, says = PENDING, _("pending")
    elif not line.passes:
        state, says = FAIL, _("fail")
    elif line.is_by_rule_only:
        state, says = PASS, _("not applicable (counts as pass)")
    else:
        state, says = PASS, _("pass on few references") if line.is_weak_only else _("pass")
    return Mean(line.value, text, state, says, line.says, key=line.key)


def _describe_games(row: HistoryIteration) -> str:
    parts = []
    recorded = sum(game.state == RECORDED for game in row.games)
    open_count = sum(game.state == OPEN for game in row.games)
    if open_count:
        done = len(row.games) - open_count
        parts.append(_("%(done)d of %(count)d rated") % {"done": done, "count": len(row.games)})
    elif recorded < len(row.games):
        parts.append(_("%(count)d without a verdict") % {"count": len(row.games) - recorded})
    if row.withdrawn:
        parts.append(_("%(count)d withdrawn") % {"count": len(row.withdrawn)})
    return ", ".join(parts)


def cost_words(cost: GamesCost, game_count: int) -> tuple[str, str, str]:
    """The mean cost, its state, and the worst that occurs: a mean below the target may hide a game above it."""
    text = "" if cost.mean_usd is None else f"${figure(cost.mean_usd, decimals=2)}"
    if not game_count:
        return text, "", ""
    notes = []
    if cost.state in (ABOVE, AMBER):
        notes.append(_describe_expensive(cost, game_count))
    if count := len(cost.unreported):
        is_all = count == game_count
        notes.append(_("not reported") if is_all else _("%(count)d not reported") % {"count": count})
    if cost.by_hand:
        notes.append(_("%(count)d by hand") % {"count": len(cost.by_hand)})
    state = FAIL if cost.state == ABOVE else PENDING if cost.state == AMBER or cost.unreported else ""
    return text, state, ", ".join(notes)


def _describe_expensive(cost: GamesCost, game_count: int) -> str:
    is_above = cost.state == ABOVE
    count = len(cost.above if is_above else cost.amber)
    if count == game_count:
        return _("too high") if is_above else _("over target")
    says = (
        ngettext("%(count)d game too high", "%(count)d games too high", count)
        if is_above
        else ngettext("%(count)d game over target", "%(count)d games over target", count)
    )
    return says % {"count": count}


def cache_words(cache: CacheRate) -> str:
    if cache.rate is None:
        return _("not reported") if cache.missing else ""
    return f"{figure(cache.rate * 100, cache.percent)}\u00a0%"


def decision_words(row: HistoryIteration) -> tuple[str, str]:
    if row.decision is not None:
        names = {KEEP: _("kept"), REVERT: _("reverted"), INCONCLUSIVE: _("inconclusive")}
        return names[row.decision.choice], TONES[row.decision.choice]
    if row.state == IMPORTING:
        return _("open for import"), ""
    if row.kind == BASELINE:
        return "", ""
    if any(game.state == OPEN for game in row.games):
        return _("open for rating"), ""
    return _("to be decided"), "own"


def chart_scale(known: Sequence[float], metric: Metric) -> Axis:
    """The scale for these figures of a metric: the full scale for ratings, as much as is needed for others."""
    low, high = metric.scale.low, metric.scale.high
    if metric.is_rated:
        return Axis(low, high, 1.0)
    step = metric.scale.span / 10
    return compute_scale(known, step=step, least=4 * step, lowest=low, highest=high)


def describe_undecided(row: HistoryIteration) -> tuple[str, int] | None:
    """What an iteration without a decision waits for, with its number where that is the decision, else 0."""
    open_count = sum(game.state == OPEN and not game.has_ties for game in row.games)
    values = {"number": row.number, "count": len(row.games), "least": row.least_games, "open": open_count}
    if row.state == IMPORTING:
        return _("Iteration %(number)d takes games: %(count)d of at least %(least)d are there.") % values, 0
    if open_count:
        says = ngettext(
            "Iteration %(number)d waits for evaluators: %(open)d of its %(count)d games is not rated.",
            "Iteration %(number)d waits for evaluators: %(open)d of its %(count)d games are not rated.",
            open_count,
        )
        return says % values, 0
    if row.tied:
        says = _("Iteration %(number)d waits until a lead resolves the ties of %(games)s.")
        return says % {**values, "games": format_numbers(row.tied)}, 0
    if row.kind == BASELINE:
        return None
    says = _("All games of iteration %(number)d are rated; it waits for a decision.")
    return says % values, row.number
