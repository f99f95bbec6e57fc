"""The summary of a stage, built once for the page, Markdown, JSON and CSV."""

from datetime import datetime
from typing import Any, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from discussions.comparison.core.comparison import MetricCompared
from discussions.comparison.core.decision_basis import compute_proposal
from discussions.comparison.core.difference import MOST_LOOKS
from discussions.comparison.queries import build_basis
from discussions.core.outcome import ENGAGEMENT
from discussions.history.core import stages
from discussions.iterations.core.averages import Average
from discussions.iterations.core.history import History, HistoryGame, HistoryIteration
from discussions.iterations.core.next_target import describe_target
from discussions.iterations.core.prompt_diff import ADDED, REMOVED, prompt_diff
from discussions.iterations.pages import (
    JudgedIteration,
    cache_words,
    cost_words,
    decision_words,
    describe_average,
    target_label,
)
from discussions.iterations.queries import counted_says, load_gate, load_rubric, propose_target
from discussions.models import Iteration, Stage
from rubric.models import RubricVersion

SIGNS = {ADDED: "+ ", REMOVED: "- "}


Record = TypeVar("Record", bound=Struct)


def build_stage_summary(
    stage: Stage, history: History, iterations: list[JudgedIteration], *, now: datetime
) -> stages.StageSummary:
    prompts = dict(Iteration.objects.filter(stage=stage).values_list("pk", "prompt"))
    keys = {iteration.rubric_version for iteration in history.iterations}
    rows = RubricVersion.objects.filter(pk__in=keys).select_related("rubric")
    versions = {row.pk: str(row) for row in rows}
    reference = history.reference
    return _copy(
        stages.StageSummary,
        stage,
        format=stages.FORMAT,
        project=stage.project.name,
        counted=counted_says(stage),
        made_at=now,
        opened_at=stage.created_at,
        opened_by=stage.created_by.name,
        gate=_gate(stage, history),
        iterations=[_iteration(iteration, history, prompts, versions) for iteration in iterations],
        next=describe_target(propose_target(history, reference)) if reference else None,
    )


def _copy(kind: type[Record], source: object, **values: Any) -> Record:
    """A record of these values; its other fields are the attributes of `source` that have their names."""
    copied = {name: getattr(source, name) for name in kind.__struct_fields__ if name not in values}
    return kind(**copied, **values)


def _gate(stage: Stage, history: History) -> stages.SummaryGate:
    gate = load_gate(stage, history)
    return _copy(
        stages.SummaryGate,
        gate,
        count=gate.streak.count,
        needed=gate.streak.needed,
        unit=gate.streak.unit,
        streak_says=gate.streak.says,
        cache_says=gate.cache.says,
        closed_at=stage.closed_at,
        closed_by=stage.closed_by.name if stage.closed_by else "",
        override_reason=stage.override_reason,
    )


def _iteration(
    judged: JudgedIteration, history: History, prompts: dict[int, str], versions: dict[int, str]
) -> stages.SummaryIteration:
    row, averages = judged.row, judged.averages
    reference, control = history.reference, history.find(row.compared_with)
    played = history.find(row.replay_of)
    cost, _state, cost_says = cost_words(averages.cost, len(row.games))
    is_compared = control and row.is_known and control.protocol == row.protocol
    return _copy(
        stages.SummaryIteration,
        row,
        stands=decision_words(row)[0],
        is_reference=reference is not None and reference.id == row.id,
        target=target_label(judged.rubric, row.target),
        diff=_diff(prompts[control.id], prompts[row.id]) if control else [],
        compared_with=control.number if control else None,
        rubric=versions[row.rubric_version],
        opened_by=row.opened_by or "",
        games=[_game(game) for game in row.games],
        withdrawn=[
            stages.SummaryWithdrawal(_game(game.game), game.reason, game.by, game.at) for game in row.left_out
        ],
        averages=[_average(line) for line in averages.lines],
        headline=averages.headline,
        passes=averages.passes,
        cost=f"{cost} ({cost_says})" if cost and cost_says else cost,
        cost_says=averages.cost.says,
        cache=cache_words(judged.cache),
        cache_says=judged.cache.says,
        decisions=[_copy(stages.SummaryDecision, line, at=line.created_at) for line in row.decisions],
        compared=_compared(row, control, history) if control and is_compared else None,
        replay_of=played.number if played else None,
    )


def _diff(before: str, after: str) -> list[str]:
    """The changed lines with their surroundings, hunks separated by an ellipsis."""
    lines: list[str] = []
    for shown, skipped in prompt_diff(before, after).hunks:
        if lines or skipped:
            lines.append("…")
        lines += [f"{SIGNS.get(line.kind, '  ')}{line.text}" for line in shown]
    return lines


def _game(game: HistoryGame) -> stages.SummaryGame:
    figures = game.figures
    scores = {**figures.scores, ENGAGEMENT: figures.rating}
    return _copy(stages.SummaryGame, figures, state=game.state, scores=scores, by_rule=figures.not_applicable)


def _average(line: Average) -> stages.SummaryAverage:
    cell = describe_average(line)
    own = {"text": cell.text, "state": cell.state, "word": cell.says, "game_count": line.of_count}
    return _copy(stages.SummaryAverage, line, **own)


def _compared(
    change: HistoryIteration, control: HistoryIteration, history: History
) -> stages.SummaryComparison:
    """The comparison by the present figures; a decision may rest on earlier ones, which are stored with it."""
    looks = history.looks(change.compared_with, change.prompt_sha256)
    basis = replace(build_basis(history, change, control), look=min(max(looks, 1), MOST_LOOKS))
    comparison = compute_proposal(basis, load_rubric(change))
    assert comparison is not None
    metrics = [_difference(metric) for metric in comparison.metrics]
    return _copy(
        stages.SummaryComparison, comparison, number=control.number, name=control.name, metrics=metrics
    )


def _difference(metric: MetricCompared) -> stages.SummaryDifference:
    difference = metric.difference
    return _copy(
        stages.SummaryDifference,
        metric,
        rule=metric.rule.says if metric.is_target else "",
        control_mean=difference.control_mean,
        change_mean=difference.change_mean,
        game_count=difference.control_count + difference.change_count,
        raw=difference.raw,
        interval=difference.interval,
        rebound=difference.rebound,
    )
