"""One iteration for its leads: its state, the next step, its plan, what changed, and its games."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import msgspec
from django.db.models import Exists, OuterRef, Prefetch
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from discussions.comparison.core.sentences import material_text
from discussions.comparison.views.compare import build_replay_button, choice_words
from discussions.core.evaluation_states import OPEN as UNDER_WAY
from discussions.core.evaluation_states import SUBMITTED
from discussions.core.iteration_states import CHANGE
from discussions.games.pages import ScoreCell, load_figure_cells
from discussions.iterations.actions import move_games as move
from discussions.iterations.actions import open_for_rating as freeze
from discussions.iterations.core.history import (
    COMPLETE,
    OPEN,
    RECORDED,
    History,
    HistoryGame,
    HistoryIteration,
)
from discussions.iterations.core.prompt_diff import prompt_diff
from discussions.iterations.pages import TONES, describe_weak_score
from discussions.iterations.permissions import check_change_iteration, check_freeze
from discussions.iterations.queries import cost_text, load_history, load_rubric, refuse_unready
from discussions.iterations.views import SECTION, build_stage_frame, iteration_or_404
from discussions.metrics.labels import place_of_metric
from discussions.models import Evaluation, Game, Iteration, Verdict
from discussions.models.iterations import IDENTIFICATIONS, REVEALS
from discussions.models.slots import RATING
from discussions.planning import actions
from discussions.planning.core import most_hunks
from discussions.planning.forms import HERE, MoveForm
from discussions.planning.permissions import check_open_iteration
from discussions.planning.queries import Play, list_plays, refuse_change, refuse_new_plan
from discussions.planning.views.plan import read_size
from discussions.queries import measured_for
from discussions.slots.permissions import check_see_iterations
from discussions.verdicts.pages.lines import FAIL, PASS, PENDING
from rubric.core.records import Criterion
from workspace.access.permissions import get_refusal
from workspace.core.refusals import Refusal
from workspace.core.text import figure
from workspace.display.core.csv_lines import csv_bytes
from workspace.models import Person
from workspace.web.bind_form import bind_form, kept_status
from workspace.web.form_page import send
from workspace.web.forms import NothingForm
from workspace.web.views import SignedIn, download, frame, only_parameters, require, respond

MOST_CANDIDATES = 200


@require("see_iterations")
def iteration(request: SignedIn, slug: str, iteration: int) -> HttpResponse:
    row = iteration_or_404(request.user, slug, iteration)
    check_see_iterations(request.user, row.project)
    if row.is_unsorted:
        return redirect("project_settings", slug=slug)
    return _show_iteration(request, row)


@require("see_iterations")
def play_list(request: SignedIn, slug: str, iteration: int, suffix: str) -> HttpResponse:
    """The games of a change and its reference in the order to play them; `games` of each side, else the least."""
    wanted = only_parameters(request, "games")["games"]
    row = iteration_or_404(request.user, slug, iteration)
    check_see_iterations(request.user, row.project)
    plays = list_plays(row, read_size(wanted or row.least_games))
    name = f"{slug}-iteration-{iteration}-play-list.{suffix}"
    if suffix == "csv":
        return download(csv_bytes(Play._fields, plays), name, "text/csv; charset=utf-8; header=present")
    return download(msgspec.json.encode([play._asdict() for play in plays]), name, "application/json")


@require("change_iteration", methods=("POST",))
def move_games(request: SignedIn, slug: str, iteration: int) -> HttpResponse:
    row = iteration_or_404(request.user, slug, iteration)
    check_change_iteration(request.user, row.project)
    form = bind_form(request, MoveForm)
    if not form.is_valid():
        return _again(request, row, move_form=form, status=422)
    is_in = form.cleaned_data["to"] == HERE
    to = row if is_in else Iteration.objects.get(project=row.project, stage=None)
    try:
        move(games=form.cleaned_data["games"], to=to, by=request.user, now=timezone.now())
    except Refusal as refusal:
        return _again(request, row, move_form=form, status=kept_status(form, refusal))
    return respond(request, page="", redirect=reverse("iteration", args=[slug, iteration]))


@require("freeze", methods=("POST",))
def open_for_rating(request: SignedIn, slug: str, iteration: int) -> HttpResponse:
    return _press(request, iteration_or_404(request.user, slug, iteration), freeze)


@require("open_iteration", methods=("POST",))
def replay_reference(request: SignedIn, slug: str, iteration: int) -> HttpResponse:
    return _press(request, iteration_or_404(request.user, slug, iteration), actions.replay_reference)


def _press(request: SignedIn, row: Iteration, act: Callable[..., Iteration | None]) -> HttpResponse:
    """Act on the iteration, and go to the one that was made, or else to itself."""
    form = bind_form(request, NothingForm)

    def find_address(made: Iteration | None) -> str:
        return reverse("iteration", args=[row.project.slug, (made or row).number])

    show = partial(_again, request, row, open_form=form)
    return send(request, form, act, find_address, show=show, refuse=kept_status, iteration=row)


def _again(request: SignedIn, row: Iteration, **forms: object) -> HttpResponse:
    if row.is_unsorted:
        return redirect("project_settings", slug=row.project.slug)
    fresh = iteration_or_404(request.user, row.project.slug, row.number)
    return _show_iteration(request, fresh, **forms)  # type: ignore[arg-type]


def _show_iteration(
    request: SignedIn,
    iteration: Iteration,
    *,
    move_form: MoveForm | None = None,
    open_form: NothingForm | None = None,
    status: int = 200,
) -> HttpResponse:
    stage = iteration.stage
    assert stage is not None  # unsorted games have another page
    history = load_history(stage)
    context = {
        **_iteration_context(iteration, history, request.user),
        "head": build_stage_frame(stage=stage, current="iteration", history=history),
        "move_form": move_form or MoveForm(),
        "chosen": set(move_form.data.getlist("games")) if move_form else set(),  # type: ignore[attr-defined]
        "open_form": open_form or NothingForm(),
        **frame(request.user, iteration.project, SECTION),
    }
    return respond(request, page="discussions/planning/iteration.html", context=context, status=status)


def _iteration_context(iteration: Iteration, history: History, person: Person) -> dict[str, object]:
    """What the page shows around its forms. Refusals disable their buttons.

    `places` are the parts of a game's page that show where the figures of `columns` come from, `tied` the numbers of
    games with a tie to resolve, `ready_count` how many games are complete and have no verdict yet.
    """
    row, stage, reference = history.find(iteration.pk), iteration.stage, iteration.compared_with
    assert row is not None and stage is not None
    rubric = load_rubric(row)
    closed = get_refusal(check_open_iteration, person, stage)
    open_refusal = get_refusal(check_freeze, person, iteration) or get_refusal(refuse_unready, iteration)
    choice = row.decision.choice if row.decision else ""
    diff = None
    if reference:
        diff = prompt_diff(reference.prompt, iteration.prompt, allowed=most_hunks(rubric))
    return {
        "iteration": iteration,
        "decision": choice_words().get(choice, ""),
        "decision_tone": TONES.get(choice, ""),
        "is_reference": history.reference is row,
        "columns": [criterion.label for criterion in rubric.criteria],
        "places": [place_of_metric(criterion.key) for criterion in rubric.criteria],
        "target": rubric.criterion(iteration.target).label if iteration.target else "",
        "materials": [
            (criterion.label, material_text(criterion.key, row.material[criterion.key]))
            for criterion in rubric.criteria
            if criterion.key in row.material
        ],
        "diff": diff,
        "reveal": dict(REVEALS)[iteration.reveal],
        "identification": dict(IDENTIFICATIONS)[iteration.identification],
        "steps": _steps(row, history, open_refusal),
        "games": iteration_games(iteration, row),
        **(_load_candidates(iteration) if iteration.takes_games else {}),
        "newest_change": history.newest_change,
        "edit_refusal": closed or get_refusal(refuse_new_plan, iteration),
        "open_refusal": open_refusal,
        "replay": build_replay_button(stage=stage, history=history, row=row),
        "ready_count": sum(game.state == COMPLETE for game in row.games),
        "tied": row.tied,
    }


def _load_candidates(iteration: Iteration) -> dict[str, object]:
    rows = Game.objects.filter(
        ~Exists(Evaluation.objects.filter(game=OuterRef("pk"))),
        ~Exists(Verdict.objects.filter(game=OuterRef("pk"))),
        project=iteration.project_id,
        iteration__stage=None,
        withdrawn_at=None,
    )
    newest = list(rows.order_by("-number").only("number", "source_id")[: MOST_CANDIDATES + 1])
    more = rows.count() - MOST_CANDIDATES if len(newest) > MOST_CANDIDATES else 0
    return {"candidates": newest[:MOST_CANDIDATES], "more_candidates": more}


def _steps(row: HistoryIteration, history: History, open_refusal: str) -> list[dict[str, str]]:
    """The steps from the plan to the decision: "done", "now" for the one that is due, or "later"."""
    count = len(row.games)
    rated = sum(game.state != OPEN for game in row.games)
    recorded = sum(game.state == RECORDED for game in row.games)
    is_open = row.opened_at is not None
    progress = ngettext("%(done)d of %(count)d game", "%(done)d of %(count)d games", count)
    done = [progress % {"done": number, "count": count} for number in (rated, recorded)]
    if asked := sum(sum(game.figures.asks.values()) for game in row.games):
        says = _("%(done)s; %(count)d more answers make open metrics clear, four times in five")
        done[1] = says % {"done": done[1], "count": asked}
    steps = [
        ("games", _("Import the games"), _describe_count(row), is_open or count >= row.least_games),
        ("open", _("Open it for rating"), "" if is_open else open_refusal, is_open),
        ("rate", _("Evaluators rate"), done[0], is_open and rated == count),
        ("verdicts", _("Record the verdicts"), done[1], is_open and recorded == count),
        _last_step(row, history),
    ]
    if row.decision is not None:
        steps = [(key, says, detail, is_done or key != "decide") for key, says, detail, is_done in steps]
    due = next((key for key, _says, _detail, is_done in steps if not is_done), "")
    states = {True: "done", False: "later"}
    return [
        {
            "key": key,
            "says": says,
            "detail": detail,
            "state": "now" if key == due else states[is_done],
        }
        for key, says, detail, is_done in steps
    ]


def _describe_count(row: HistoryIteration) -> str:
    counts = {"count": len(row.games), "least": row.least_games, "out": len(row.left_out)}
    says = ngettext(
        "%(count)d is here, %(least)d or more are needed",
        "%(count)d are here, %(least)d or more are needed",
        counts["count"],
    )
    if row.left_out:
        says = _("%(count)d count and %(out)d withdrawn, %(least)d or more are needed")
    return says % counts


def _last_step(row: HistoryIteration, history: History) -> tuple[str, str, str, bool]:
    if row.kind == CHANGE:
        return "decide", _("Compare and decide"), "", row.decision is not None
    if row.replay_of is not None:
        return "compare", _("See the comparison in which its games count"), "", not history.newest_change
    follows = any(iteration.compared_with == row.id for iteration in history.iterations)
    refusal = "" if follows else get_refusal(refuse_change, history)
    says = _("Change one thing: create the first change")
    if history.newest_change:
        says = _("Change one thing: create the next change")
    return "change", says, refusal, follows


def iteration_games(iteration: Iteration, row: HistoryIteration) -> list[dict[str, Any]]:
    """The rows in order of their numbers, withdrawn games last; three queries.

    `may_move` says that a game can go back to the unsorted ones, `withdrawn` why it does not count, "" if it does. What
    people have not judged yet is shown by its automatic value, as in the list of games.
    """
    evaluations = Evaluation.objects.filter(purpose=RATING).only("game", "state")
    stored = Game.with_erased.annotate(is_measured=Exists(measured_for(iteration))).only("needed_count")
    rows = stored.prefetch_related(Prefetch("evaluations", evaluations)).in_bulk(
        [game.id for game in row.games]
    )
    rubric = load_rubric(row)
    listed = [(game, "") for game in row.games]
    listed += [(out.game, f"{out.reason} ({out.by})") for out in row.left_out]
    scored = [criterion.key for criterion in rubric.criteria]
    open_keys = [game.id for game, _why in listed if None in [game.figures.score(key) for key in scored]]
    automatic = load_figure_cells(open_keys, row.rubric_version, rubric)
    games = []
    for game, why in listed:
        states = [] if why else [evaluation.state for evaluation in rows[game.id].evaluations.all()]
        state = (_("withdrawn"), "") if why else _describe_state(game, iteration, rows[game.id], states)
        cells = automatic.get(game.id, {})
        games.append(
            {
                "figures": game.figures,
                "state": state[0],
                "tone": state[1],
                "cells": [_cell(game, criterion, cells) for criterion in rubric.criteria],
                "cost": cost_text(game.figures, rubric),
                "may_move": iteration.takes_games and not states and not why,
                "withdrawn": why,
                "is_erased": game.is_erased,
            }
        )
    return games


def _describe_state(
    game: HistoryGame, iteration: Iteration, stored: Game, states: list[str]
) -> tuple[str, str]:
    if game.is_erased:
        return _("erased; its verdict counts"), ""
    if game.state == RECORDED:
        return (_("verdict: PASS"), PASS) if game.figures.is_pass else (_("verdict: FAIL"), FAIL)
    if game.state == COMPLETE:
        return _("rated, no verdict yet"), PENDING
    if not stored.is_measured:  # type: ignore[attr-defined]  # annotated
        return _("being measured"), PENDING
    if game.has_ties:
        return _("evaluators differ, a lead resolves the ties"), PENDING
    if done := states.count(SUBMITTED):
        needed = stored.needed_count or iteration.evaluator_count
        says = ngettext(
            "%(done)d of %(needed)d evaluation submitted",
            "%(done)d of %(needed)d evaluations submitted",
            needed,
        )
        return says % {"done": done, "needed": needed}, PENDING
    if any(state in UNDER_WAY for state in states):
        return _("being rated"), PENDING
    return (_("waiting for an evaluator") if iteration.has_slots else _("measured")), ""


def _cell(game: HistoryGame, criterion: Criterion, automatic: Mapping[str, ScoreCell]) -> ScoreCell:
    value = game.figures.score(criterion.key)
    passes = game.figures.passes.get(criterion.key)
    if value is None:
        return automatic.get(criterion.key) or ScoreCell("", PENDING, _("pending"))
    text = figure(value, criterion.threshold)
    if weak := describe_weak_score(game.figures, criterion.key):
        return ScoreCell(text, PASS, weak)
    return ScoreCell(text, PASS if passes else FAIL, _("pass") if passes else _("fail"))
