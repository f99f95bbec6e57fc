"""The figures behind every chart of a stage, as one table: a line for each dot, each mean, each difference."""

from collections.abc import Iterator

from discussions.core.csv_lines import Cell, csv_bytes
from discussions.core.metrics import METRICS
from discussions.core.stage_summary import (
    AverageShown,
    DifferenceShown,
    GameShown,
    IterationShown,
    StageSummary,
)

COST, CACHE = "cost", "cache_hit_rate"
COLUMNS = (
    "row", "stage", "iteration", "iteration_name", "kind", "decision", "compared_with", "game", "metric", "unit",
    "value", "threshold", "passes", "applies", "source", "withdrawn", "games", "second_look", "difference", "low",
    "high", "shrunken", "shrunken_low", "shrunken_high", "p_higher", "p_immaterial", "permutation_p",
    "permutation_floor", "answer",
)  # fmt: skip


def figures_csv(summary: StageSummary) -> bytes:
    """The figures behind every chart of the stage, a line each: dots ("game"), means ("average"), differences."""
    rows = [
        tuple(row.get(column) for column in COLUMNS)
        for each in summary.iterations
        for row in _rows(summary, each)
    ]
    return csv_bytes(COLUMNS, rows)


def _rows(summary: StageSummary, each: IterationShown) -> Iterator[dict[str, Cell]]:
    about: dict[str, Cell] = {
        "stage": summary.number,
        "iteration": each.number,
        "iteration_name": each.name,
        "kind": each.kind,
        "decision": each.decision.choice if each.decision else None,
        "compared_with": each.compared_with,
    }
    for game in each.games:
        yield from (about | row for row in _game_rows(each, game))
    for out in each.withdrawn:
        yield from (about | row for row in _game_rows(each, out.game, is_withdrawn=True))
    yield from (about | _average_row(line) for line in each.averages)
    if each.compared:
        yield from (about | _difference_row(line) for line in each.compared.metrics)


def _game_rows(
    each: IterationShown, game: GameShown, *, is_withdrawn: bool = False
) -> Iterator[dict[str, Cell]]:
    sources = {"recorded": "verdict", "complete": "evaluations", "open": "not known yet"}
    about: dict[str, Cell] = {"row": "game", "game": game.number, "withdrawn": is_withdrawn}
    for line in each.averages:
        yield about | {
            "metric": line.key,
            "unit": METRICS[line.key].scale.unit,
            "value": game.scores.get(line.key),
            "threshold": line.threshold,
            "passes": game.passes.get(line.key),
            "applies": line.key not in game.by_rule,
            "source": sources[game.state],
        }
    paid = (
        (COST, "dollars", game.cost_usd, game.is_cost_by_hand),
        (CACHE, "share", game.cache_hit_rate, game.is_cache_by_hand),
    )
    for metric, unit, value, is_by_hand in paid:
        source = "not reported" if value is None else "by hand" if is_by_hand else "transcript"
        yield about | {"metric": metric, "unit": unit, "value": value, "source": source}


def _average_row(line: AverageShown) -> dict[str, Cell]:
    low, high = line.interval or (None, None)
    return {
        "row": "average",
        "metric": line.key,
        "unit": METRICS[line.key].scale.unit,
        "value": line.value,
        "threshold": line.threshold,
        "passes": {"pass": True, "fail": False}.get(line.state),
        "games": line.game_count,
        "second_look": line.second,
        "low": low,
        "high": high,
    }


def _difference_row(line: DifferenceShown) -> dict[str, Cell]:
    low, high = line.interval or (None, None)
    shrunken_low, shrunken_high = line.shrunken_interval or (None, None)
    return {
        "row": "difference",
        "metric": line.key,
        "unit": METRICS[line.key].scale.unit,
        "value": line.change_mean,
        "games": line.game_count,
        "difference": line.raw,
        "low": low,
        "high": high,
        "shrunken": line.shrunken,
        "shrunken_low": shrunken_low,
        "shrunken_high": shrunken_high,
        "p_higher": line.higher,
        "p_immaterial": line.within,
        "permutation_p": line.permutation_p,
        "permutation_floor": line.permutation_floor,
        "answer": line.answer,
    }
