"""The iteration history of a stage with its charts, and its summary as a page and as files."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any, TypeVar

from django.http import Http404, HttpResponse
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from msgspec import Struct
from msgspec.structs import replace

from discussions.comparison.core.comparison import MetricCompared
from discussions.comparison.core.decision_basis import compute_proposal
from discussions.comparison.core.difference import MOST_LOOKS
from discussions.comparison.queries import build_basis
from discussions.core.outcome import ENGAGEMENT
from discussions.history.core import stages
from discussions.history.core.stages import StageSummary, figures_csv, summary_to_json
from discussions.iterations.core.averages import Average
from discussions.iterations.core.history import History, HistoryGame, HistoryIteration
from discussions.iterations.core.next_target import describe_target
from discussions.iterations.core.prompt_diff import ADDED, REMOVED, prompt_diff
from discussions.iterations.pages import (
    CACHE,
    COST,
    FigureKind,
    JudgedIteration,
    Mean,
    cache_words,
    chart_scale,
    compute_margins,
    compute_totals,
    cost_words,
    decision_words,
    describe_average,
    describe_undecided,
    figures_in,
    find_rated,
    history_row,
    is_given_up,
    judge_iteration,
    load_figure_kinds,
    margin_text,
    target_label,
)
from discussions.iterations.queries import counted_says, load_gate, load_history, load_rubric, propose_target
from discussions.iterations.views import HISTORY, SECTION, SUMMARY, build_stage_frame, stage_or_404
from discussions.metrics.core.registry import METRICS
from discussions.models import Iteration, Stage
from discussions.slots.permissions import check_see_iterations
from rubric.models import RubricVersion
from workspace.access.permissions import may_lead
from workspace.display.core.multiples import HISTORY_VALUES, Axis, Point, compute_scale
from workspace.display.pages import render_markdown
from workspace.models import Person, Project
from workspace.web.bind_form import project_or_404
from workspace.web.views import SignedIn, download, frame, require, respond


@require("see_iterations")
def stage(request: SignedIn, slug: str, stage: int) -> HttpResponse:
    row = stage_or_404(request.user, slug, stage)
    check_see_iterations(request.user, row.project)
    history = load_history(row)
    iterations = [judge_iteration(iteration) for iteration in history.iterations]
    reference = history.reference.id if history.reference else None
    context = {
        **build_runs(iterations),
        "answer": _answer(row, history, iterations),
        "rows": [
            history_row(iteration, is_reference=iteration.row.id == reference)
            for iteration in reversed(iterations)
        ],
        "labels": [criterion.label for criterion in iterations[-1].rubric.criteria] if iterations else [],
        "notes": _notes(history, iterations, is_closed=row.closed_at is not None),
        "head": build_stage_frame(stage=row, current=HISTORY, history=history),
        **frame(request.user, row.project, SECTION),
    }
    return respond(request, page="discussions/history/history.html", context=context)


@require("see_iterations")
def stage_summary(request: SignedIn, slug: str, stage: int) -> HttpResponse:
    row, summary, iterations = _load_summary(request, slug, stage)
    context = {
        "summary": summary,
        "head": build_stage_frame(stage=row, current=SUMMARY)
        | {"erased_count": sum(each.row.erased_count for each in iterations)},
        **build_runs(iterations),
        **frame(request.user, row.project, SECTION),
    }
    return respond(request, page="discussions/history/summary.html", context=context)


@require("see_iterations")
def stage_summary_markdown(request: SignedIn, slug: str, stage: int) -> HttpResponse:
    _row, summary, _iterations = _load_summary(request, slug, stage)
    text = render_markdown("discussions/history/summary.md", summary=summary)
    return download(text.encode(), f"{slug}-stage-{stage}.md", "text/markdown; charset=utf-8")


@require("see_iterations")
def stage_summary_json(request: SignedIn, slug: str, stage: int) -> HttpResponse:
    _row, summary, _iterations = _load_summary(request, slug, stage)
    return download(summary_to_json(summary), f"{slug}-stage-{stage}.json", "application/json")


@require("see_iterations")
def stage_figures(request: SignedIn, slug: str, stage: int) -> HttpResponse:
    _row, summary, _iterations = _load_summary(request, slug, stage)
    name = f"{slug}-stage-{stage}-figures.csv"
    return download(figures_csv(summary), name, "text/csv; charset=utf-8; header=present")


def led_project_or_404(person: Person, slug: str) -> Project:
    project = project_or_404(person, slug)
    if not may_lead(person, project):
        raise Http404
    return project


def _load_summary(
    request: SignedIn, slug: str, number: int
) -> tuple[Stage, StageSummary, list[JudgedIteration]]:
    row = stage_or_404(request.user, slug, number)
    check_see_iterations(request.user, row.project)
    history = load_history(row)
    iterations = [judge_iteration(iteration) for iteration in history.iterations]
    return row, build_stage_summary(row, history, iterations, now=timezone.now()), iterations


def _answer(stage: Stage, history: History, iterations: list[JudgedIteration]) -> dict[str, Any]:
    """How many metrics pass under the newest prompt that is rated and was not given up; the change that waits for a
    decision, and the newest iteration that is not rated yet, or 0.
    """
    notes = [(row.number, describe_undecided(row)) for row in history.iterations if row.decision is None]
    says = stage.name
    if rated := find_rated(iterations):
        passed, count = rated.averages.passed_count, len(rated.averages.lines)
        says = _("Iteration %(number)d: %(passed)d of %(count)d metrics pass")
        says %= {"number": rated.row.number, "passed": passed, "count": count}
    undecided = [number for number, note in notes if note and note[1]]
    unrated = [number for number, note in notes if note and not note[1]]
    return {"says": says, "undecided": max(undecided, default=0), "open": max(unrated, default=0)}


def _notes(history: History, iterations: list[JudgedIteration], *, is_closed: bool) -> list[tuple[str, int]]:
    """Sentences on the state of the work, each with the number of an iteration that waits for a decision, or 0."""
    notes = []
    if history.reference is not None and not is_closed:
        says = _("The next change is compared with iteration %(number)d.")
        notes.append((says % {"number": history.reference.number}, 0))
    notes += [
        note for row in history.iterations if row.decision is None and (note := describe_undecided(row))
    ]
    if len({iteration.row.rubric_version for iteration in iterations}) > 1:
        says = _(
            "The iterations were judged under several rubric versions: pass, fail and margin are by each one's own, "
            "the thresholds in the charts are the newest's."
        )
        notes.append((says, 0))
    return notes


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


class FigureRun:
    """One figure of all iterations; `place` is the part of a game's page that its dots lead to."""

    def __init__(self, kind: FigureKind, described: Sequence[DescribedFigure], scale: Axis) -> None:
        self.key, self.label, self.needs, self.place = kind.key, kind.label, kind.needs, kind.place
        self.rules, self.described, self.scale = kind.rules, described, scale


def build_runs(iterations: Sequence[JudgedIteration]) -> dict[str, Any]:
    """`columns` are the iterations, `runs` a row for each figure: smallest margin first, figures without one last.

    `margin` is of the newest iteration that is rated in full and was not given up. No rows where no game is there.
    """
    margins = {line.key: margin for line, margin in compute_margins(iterations)}
    columns = [_build_column(iteration.row) for iteration in iterations]
    has_games = any(iteration.row.games or iteration.row.left_out for iteration in iterations)
    rows = (
        [_build_run(figure, columns, margins.get(figure.key)) for figure in _read_figures(iterations)]
        if has_games
        else []
    )
    rows.sort(key=lambda row: (row["margin"] is None, row["margin"] or 0.0))
    known = [sum(len(one.values) for one in row["part"].described) for row in rows]
    return {
        "columns": columns,
        "runs": rows,
        "dot_count": max(known, default=0),
        "least_dots": HISTORY_VALUES,
        "has_withdrawn": any(each.row.left_out for each in iterations),
    }


def _build_column(row: HistoryIteration) -> dict[str, Any]:
    fate = decision_words(row)[0]
    return {
        "number": row.number,
        "name": row.name,
        "fate": fate or _("start"),
        "is_back": is_given_up(row),
        "is_open": row.decision is None and bool(fate),
    }


def _read_figures(iterations: Sequence[JudgedIteration]) -> list[FigureRun]:
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
        FigureRun(kind, [record.get(key, missing) for record in described], scales[key])
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


def _build_run(figure: FigureRun, columns: Sequence[dict[str, Any]], margin: float | None) -> dict[str, Any]:
    pairs = zip(figure.described, columns, strict=True)
    return {
        "part": figure,
        "cells": [{"is_back": column["is_back"], **_build_cell(figure, one)} for one, column in pairs],
        "needs": [find_level(figure, value) for value, _text in figure.rules],
        "ends": (f"{figure.scale.minimum:g}", f"{figure.scale.maximum:g}"),
        "margin": margin,
        "margin_text": "" if margin is None else margin_text(margin),
    }


def find_level(figure: FigureRun, value: float) -> float:
    share = (value - figure.scale.minimum) / (figure.scale.maximum - figure.scale.minimum)
    return round(FOOT - (FOOT - TOP) * min(1.0, max(0.0, share)), 1)


def _build_cell(figure: FigureRun, one: DescribedFigure) -> dict[str, Any]:
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
