"""The iteration history of a stage, and its summary as a page and as files."""

from typing import Any

from django.http import Http404, HttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from discussions.core.iteration_states import BASELINE, IMPORTING
from discussions.history.core.stages import StageSummary, figures_csv, summary_to_json
from discussions.history.views.charts import build_runs, is_given_up
from discussions.history.views.summary import build_stage_summary
from discussions.iterations.core.history import OPEN, History, HistoryIteration
from discussions.iterations.pages import JudgedIteration, history_row, judge_iteration
from discussions.iterations.queries import load_history
from discussions.iterations.views import HISTORY, SECTION, SUMMARY, build_stage_frame, stage_or_404
from discussions.models import Stage
from discussions.slots.permissions import check_see_iterations
from workspace.access.permissions import may_lead
from workspace.display.core.number_lists import format_numbers
from workspace.display.pages import render_markdown
from workspace.models import Person, Project
from workspace.web.bind_form import project_or_404
from workspace.web.frame import frame
from workspace.web.require import SignedIn, require
from workspace.web.respond import download, respond


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
    notes = [(row.number, _note(row)) for row in history.iterations if row.decision is None]
    rated = [each for each in iterations if each.averages.passes is not None and not is_given_up(each.row)]
    says = stage.name
    if rated:
        averages = rated[-1].averages
        counts = {"passed": averages.passed_count, "count": len(averages.lines)}
        says = _("Iteration %(number)d: %(passed)d of %(count)d metrics pass") % {
            "number": rated[-1].row.number,
            **counts,
        }
    undecided = [number for number, note in notes if note and note[1]]
    unrated = [number for number, note in notes if note and not note[1]]
    return {"says": says, "undecided": max(undecided, default=0), "open": max(unrated, default=0)}


def _notes(history: History, iterations: list[JudgedIteration], *, is_closed: bool) -> list[tuple[str, int]]:
    """Sentences on the state of the work, each with the number of an iteration that waits for a decision, or 0."""
    notes = []
    if history.reference is not None and not is_closed:
        says = _("The next change is compared with iteration %(number)d.")
        notes.append((says % {"number": history.reference.number}, 0))
    notes += [note for row in history.iterations if row.decision is None and (note := _note(row))]
    if len({iteration.row.rubric_version for iteration in iterations}) > 1:
        says = _(
            "The iterations were judged under several rubric versions: pass and fail are those of each one's own, "
            "the thresholds in the charts are the newest's."
        )
        notes.append((says, 0))
    return notes


def _note(row: HistoryIteration) -> tuple[str, int] | None:
    open_count = sum(game.state == OPEN and not game.has_ties for game in row.games)
    values = {"number": row.number, "count": len(row.games), "least": row.least_games, "open": open_count}
    if row.state == IMPORTING:
        return _("Iteration %(number)d takes games: %(count)d of at least %(least)d are there.") % values, 0
    if open_count:
        says = ngettext(
            "Iteration %(number)d waits for evaluators: %(open)d of %(count)d game is not rated.",
            "Iteration %(number)d waits for evaluators: %(open)d of %(count)d games are not rated.",
            len(row.games),
        )
        return says % values, 0
    if row.tied:
        says = _("Iteration %(number)d waits until a lead resolves the ties of %(games)s.")
        return says % {**values, "games": format_numbers(row.tied)}, 0
    if row.kind == BASELINE:
        return None
    says = _("All games of iteration %(number)d are rated; it waits for a decision.")
    return says % values, row.number
