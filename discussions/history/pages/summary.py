"""The summary of a stage, built once for the page, Markdown, JSON and CSV; and its charts, for the page alone."""

from collections.abc import Sequence
from datetime import datetime

from msgspec import Struct

from discussions.comparison.core.comparison import MOST_LOOKS, MetricCompared, compare
from discussions.core.outcome import ENGAGEMENT
from discussions.gates.queries import counted_says, load_gate
from discussions.history.core import (
    FORMAT,
    StageSummary,
    SummaryAverage,
    SummaryComparison,
    SummaryDecision,
    SummaryDifference,
    SummaryGame,
    SummaryGate,
    SummaryIteration,
    SummaryWithdrawal,
)
from discussions.history.pages.charts import HistoryChart, history_charts
from discussions.iterations.core.averages import Average
from discussions.iterations.core.history import DecisionLine, History, HistoryGame, HistoryIteration
from discussions.iterations.core.next_target import describe_target
from discussions.iterations.core.prompt_diff import ADDED, REMOVED, prompt_diff
from discussions.iterations.pages import (
    JudgedIteration,
    average_cell,
    cache_words,
    cost_words,
    decision_words,
    judged_iterations,
    target_label,
)
from discussions.iterations.queries import load_history, load_rubric, propose_target
from discussions.models import Iteration, Stage
from rubric.models import RubricVersion
from workspace.display.core.multiples import MOST_NARROW

SIGNS = {ADDED: "+ ", REMOVED: "- "}


class Read(Struct, frozen=True):
    """A stage as it was read: its summary, and the charts of the same figures."""

    summary: StageSummary
    charts: Sequence[HistoryChart]
    is_wide: bool
    has_withdrawn: bool


def build_stage_summary(*, stage: Stage, now: datetime) -> Read:
    """The summary of a stage fetched with its project and the people of `stated_by`, `closed_by`, `created_by`."""
    history = load_history(stage)
    found = judged_iterations(history)
    prompts = dict(Iteration.objects.filter(stage=stage).values_list("pk", "prompt"))
    versions = _versions(history)
    reference = history.reference
    summary = StageSummary(
        format=FORMAT,
        project=stage.project.name,
        number=stage.number,
        name=stage.name,
        goal=stage.goal,
        counted=counted_says(stage),
        made_at=now,
        opened_at=stage.created_at,
        opened_by=stage.created_by.name,
        gate=_gate(stage, history),
        iterations=[_iteration(iteration, history, prompts, versions) for iteration in found],
        next=describe_target(propose_target(history, reference)) if reference else None,
    )
    has_withdrawn = any(iteration.row.left_out for iteration in found)
    return Read(summary, history_charts(found), len(found) > MOST_NARROW, has_withdrawn)


def _versions(history: History) -> dict[int, str]:
    keys = {iteration.rubric_version for iteration in history.iterations}
    rows = RubricVersion.objects.filter(pk__in=keys).select_related("rubric")
    return {row.pk: str(row) for row in rows}


def _gate(stage: Stage, history: History) -> SummaryGate:
    gate = load_gate(stage, history)
    return SummaryGate(
        is_open=gate.is_open,
        missing=gate.missing,
        count=gate.streak.count,
        needed=gate.streak.needed,
        unit=gate.streak.unit,
        streak_says=gate.streak.says,
        cache_says=gate.cache.says,
        statement=gate.statement,
        closed_at=stage.closed_at,
        closed_by=stage.closed_by.name if stage.closed_by else "",
        override_reason=stage.override_reason,
    )


def _iteration(
    found: JudgedIteration, history: History, prompts: dict[int, str], versions: dict[int, str]
) -> SummaryIteration:
    row, averages = found.row, found.averages
    reference, control = history.reference, history.find(row.compared_with)
    played = history.find(row.replay_of)
    cost, _state, cost_says = cost_words(averages.cost, len(row.games))
    return SummaryIteration(
        number=row.number,
        name=row.name,
        kind=row.kind,
        stands=decision_words(row)[0],
        is_reference=reference is not None and reference.id == row.id,
        change_note=row.change_note,
        target=target_label(found.rubric, row.target),
        hunks_answer=row.hunks_answer,
        diff=_diff(prompts[control.id], prompts[row.id]) if control else [],
        prompt_sha256=row.prompt_sha256,
        compared_with=control.number if control else None,
        rubric=versions[row.rubric_version],
        opened_at=row.opened_at,
        opened_by=row.opened_by or "",
        games=[_game(game) for game in row.games],
        withdrawn=[
            SummaryWithdrawal(_game(game.game), game.reason, game.by, game.at) for game in row.left_out
        ],
        averages=[_average(line) for line in averages.lines],
        headline=averages.headline,
        passes=averages.passes,
        cost=f"{cost} ({cost_says})" if cost and cost_says else cost,
        cost_says=averages.cost.says,
        cache=cache_words(found.cache),
        cache_says=found.cache.says,
        decisions=[_decision(decision) for decision in row.decisions],
        compared=_compared(row, control, history)
        if control and row.is_known and control.protocol == row.protocol
        else None,
        replay_of=played.number if played else None,
    )


def _decision(decision: DecisionLine) -> SummaryDecision:
    return SummaryDecision(
        number=decision.number,
        look=decision.look,
        choice=decision.choice,
        reason=decision.reason,
        by=decision.by,
        at=decision.created_at,
    )


def _diff(before: str, after: str) -> list[str]:
    """The changed lines with their surroundings, hunks separated by an ellipsis."""
    found: list[str] = []
    for hunk in prompt_diff(before, after).hunks:
        if found or hunk.skipped:
            found.append("…")
        found += [f"{SIGNS.get(line.kind, '  ')}{line.text}" for line in hunk.lines]
    return found


def _game(game: HistoryGame) -> SummaryGame:
    figures = game.figures
    return SummaryGame(
        number=figures.number,
        state=game.state,
        is_pass=figures.is_pass,
        scores={**figures.scores, ENGAGEMENT: figures.rating},
        passes=figures.passes,
        by_rule=figures.not_applicable,
        cost_usd=figures.cost_usd,
        is_cost_by_hand=figures.is_cost_by_hand,
        cache_hit_rate=figures.cache_hit_rate,
        is_cache_by_hand=figures.is_cache_by_hand,
        on_few_references=figures.on_few_references,
    )


def _average(line: Average) -> SummaryAverage:
    cell = average_cell(line)
    return SummaryAverage(
        key=line.key,
        label=line.label,
        text=cell.text,
        state=cell.state,
        word=cell.says,
        says=line.says,
        threshold=line.threshold,
        value=line.value,
        second=line.second,
        second_says=line.second_says,
        interval=line.interval,
        game_count=line.of_count,
    )


def _compared(change: HistoryIteration, control: HistoryIteration, history: History) -> SummaryComparison:
    """The comparison by the present figures; a decision may rest on earlier ones, which are stored with it."""
    found = compare(
        history.pooled_control(control).figures,
        history.pooled(change).figures,
        load_rubric(change),
        earlier=history.earlier_than(change),
        target=change.target or None,
        material=change.material,
        picked=[game.figures for game in history.picked_by(change)],
        look=min(max(history.looks(change.compared_with, change.prompt_sha256), 1), MOST_LOOKS),
    )
    return SummaryComparison(
        number=control.number,
        name=control.name,
        answer=found.answer,
        says=found.says,
        proposal=found.proposal,
        action=found.action,
        checks=found.checks,
        metrics=[_difference(metric) for metric in found.metrics],
    )


def _difference(metric: MetricCompared) -> SummaryDifference:
    found, posterior = metric.difference, metric.difference.posterior
    return SummaryDifference(
        key=metric.key,
        label=metric.label,
        is_target=metric.is_target,
        answer=metric.answer,
        rule=metric.rule.says if metric.is_target else "",
        control_mean=found.control_mean,
        change_mean=found.change_mean,
        game_count=found.control_count + found.change_count,
        raw=found.raw,
        interval=posterior.interval if posterior else None,
        shrunken=posterior.shrunken if posterior else None,
        shrunken_interval=posterior.shrunken_interval if posterior else None,
        higher=posterior.higher if posterior else None,
        within=posterior.within if posterior else None,
        permutation_p=found.permutation.either,
        permutation_floor=found.floor,
        rebound=found.rebound,
    )
