"""The figures of games that the history of a stage draws: the metrics, the cost, and the cache hit rate."""

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from django.utils.translation import gettext as _

from discussions.core.averages import Averages
from discussions.core.game_figures import GameFigures
from discussions.core.gates import CacheRate
from discussions.core.metrics import METRICS
from discussions.core.verdict import rules_of
from discussions.models.standings import rubric_record
from discussions.pages.figures import FAIL, PASS, PENDING
from discussions.pages.history_rows import average_cell, cache_words, cost_words
from discussions.pages.metric_labels import limit_text, place_of_metric
from rubric.core.records import Criterion, RubricRecord
from workspace.core.text_display import figure

COST, CACHE = "cost", "cache"


class Mean(NamedTuple):
    """What the games of an iteration come to in one figure: number, text, state, the word for that, of what."""

    value: float | None
    text: str
    state: str
    says: str
    basis: str
    second: str = ""


class Kind(NamedTuple):
    """One figure of games, and how it is drawn: `value` gives a game's (None while it is not known).

    `mean` takes the averages of an iteration, its cache hit rate and how many games it has. `hollow` says what a hollow
    dot is, `missing` what stands for a figure that is not known.
    """

    key: str
    label: str
    needs: str
    hollow: str
    place: str
    missing: str
    value: Callable[[GameFigures], float | None]
    is_hollow: Callable[[GameFigures], bool]
    text: Callable[[float], str]
    mean: Callable[[Averages, CacheRate, int], Mean]
    rules: list[tuple[float, str]]


@lru_cache(maxsize=8192)
def shown(value: float, threshold: float, decimals: int = 1) -> str:
    """A figure as every chart and table shows it."""
    return figure(value, threshold, decimals=decimals)


def metric_kind(criterion: Criterion) -> Kind:
    """A metric of the rubric."""
    key, threshold = criterion.key, float(criterion.threshold or 0)
    is_rated, limit = METRICS[key].is_rated, limit_text(key, threshold)
    by_rule = _("by rule")

    def mean(averages: Averages, _rate: CacheRate, _count: int) -> Mean:
        line = averages.line(key)
        cell = average_cell(line)
        second = "" if line.second is None or is_rated else shown(line.second, threshold)
        return Mean(line.value, cell.text, cell.state, cell.says, cell.title, second)

    return Kind(
        key=key,
        label=criterion.label,
        needs=_("%(limit)s or more") % {"limit": limit},
        hollow="" if is_rated else by_rule,
        place=place_of_metric(key),
        missing=_("open"),
        value=lambda game: game.score(key),
        is_hollow=lambda game: not game.applies(key),
        text=lambda value: shown(value, threshold),
        mean=mean,
        rules=[(threshold, f"{threshold:g}")],
    )


def cost_kind(rubric: RubricRecord) -> Kind:
    """What games cost."""
    rules = rules_of(rubric)
    amber, limit = float(rules.amber), float(rules.limit)
    needs = _("below %(amber)s to succeed, above %(limit)s fails")

    def mean(averages: Averages, _rate: CacheRate, count: int) -> Mean:
        cost = averages.cost
        value = None if cost.mean_usd is None else float(cost.mean_usd)
        return Mean(value, *cost_words(cost, count), cost.says)

    return Kind(
        key=COST,
        label=_("Cost of a game in dollars"),
        needs=needs % {"amber": figure(amber, decimals=2), "limit": figure(limit, decimals=2)},
        hollow=_("by hand"),
        place="game-facts",
        missing=_("not reported"),
        value=lambda game: None if game.cost_usd is None else float(game.cost_usd),
        is_hollow=lambda game: game.is_cost_by_hand,
        text=lambda value: f"${shown(value, limit, 2)}",
        mean=mean,
        rules=[(amber, f"{amber:g}"), (limit, f"{limit:g}")],
    )


def cache_kind(rubric: RubricRecord) -> Kind:
    """How much of the games' input came from the cache."""
    percent = float(rubric.parameters["cache_hit_percent"])
    states = {None: PENDING, True: PASS, False: FAIL}

    def mean(_averages: Averages, rate: CacheRate, count: int) -> Mean:
        value = None if rate.rate is None else 100 * rate.rate
        return Mean(value, cache_words(rate), states[rate.passes] if count else "", "", rate.says)

    return Kind(
        key=CACHE,
        label=_("Cache hit rate"),
        needs=_("above %(percent)s %% for the next stage") % {"percent": f"{percent:g}"},
        hollow=_("by hand"),
        place="game-facts",
        missing=_("not reported"),
        value=lambda game: None if game.cache_hit_rate is None else 100 * game.cache_hit_rate,
        is_hollow=lambda game: game.is_cache_by_hand,
        text=lambda value: f"{shown(value, percent)} %",
        mean=mean,
        rules=[(percent, f"{percent:g}")],
    )


@lru_cache(maxsize=32)
def kinds_of(version: int, sha256: str, _language: str) -> dict[str, Kind]:
    """All figures of games under a rubric version, by their keys, in the order in which they are drawn."""
    rubric = rubric_record(version, sha256)
    kinds = [*(metric_kind(each) for each in rubric.criteria), cost_kind(rubric), cache_kind(rubric)]
    return {kind.key: kind for kind in kinds}
