"""The iteration history of a stage: a row for each iteration, and a small chart for each figure of its games."""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from msgspec import Struct

from discussions.core.iteration_states import BASELINE, IMPORTING
from discussions.history.pages.charts import HistoryChart, history_charts
from discussions.iterations.core.history import OPEN, History, HistoryIteration
from discussions.iterations.pages import HistoryRow, JudgedIteration, history_row, judged_iterations
from discussions.iterations.queries import load_history
from discussions.models import Stage
from workspace.display.core.multiples import MOST_NARROW
from workspace.display.core.number_lists import format_numbers


class HistoryPage(Struct, frozen=True):
    """A stage's iterations, newest first, and their charts, oldest at the left.

    `columns` are the labels of the metrics. `newest_change` is the number of the newest change, 0 without one.
    `notes` are sentences on the state of the work, each with the number of an iteration that waits for a decision, or
    0.
    """

    rows: list[HistoryRow]
    columns: list[str]
    charts: list[HistoryChart]
    is_wide: bool
    has_withdrawn: bool
    newest_change: int
    notes: list[tuple[str, int]]


def build_history_page(*, stage: Stage) -> HistoryPage:
    """The page of a stage."""
    history = load_history(stage)
    found = judged_iterations(history)
    reference = history.reference
    known = reference.id if reference else None
    return HistoryPage(
        rows=[
            history_row(iteration, is_reference=iteration.row.id == known) for iteration in reversed(found)
        ],
        columns=[criterion.label for criterion in found[-1].rubric.criteria] if found else [],
        charts=history_charts(found),
        is_wide=len(found) > MOST_NARROW,
        has_withdrawn=any(iteration.row.left_out for iteration in found),
        newest_change=history.newest_change,
        notes=_notes(history, found, is_closed=stage.closed_at is not None),
    )


def _notes(history: History, found: list[JudgedIteration], *, is_closed: bool) -> list[tuple[str, int]]:
    notes = []
    if history.reference is not None and not is_closed:
        says = _("The next change is compared with iteration %(number)d.")
        notes.append((says % {"number": history.reference.number}, 0))
    notes += [note for row in history.iterations if row.decision is None and (note := _note(row))]
    if len({iteration.row.rubric_version for iteration in found}) > 1:
        says = _(
            "The iterations were judged under several rubric versions: pass and fail are those of each one's own, "
            "the thresholds in the charts are the newest's."
        )
        notes.append((says, 0))
    return notes


def _note(row: HistoryIteration) -> tuple[str, int] | None:
    """What an iteration without a decision waits for; None for a baseline whose games are rated."""
    open_count = sum(game.state == OPEN and not game.has_ties for game in row.games)
    given = {"number": row.number, "count": len(row.games), "least": row.least_games, "open": open_count}
    if row.state == IMPORTING:
        return _("Iteration %(number)d takes games: %(count)d of at least %(least)d are there.") % given, 0
    if open_count:
        says = ngettext(
            "Iteration %(number)d waits for evaluators: %(open)d of %(count)d game is not rated.",
            "Iteration %(number)d waits for evaluators: %(open)d of %(count)d games are not rated.",
            len(row.games),
        )
        return says % given, 0
    if row.tied:
        says = _("Iteration %(number)d waits until a lead resolves the ties of %(games)s.")
        return says % {**given, "games": format_numbers(row.tied)}, 0
    if row.kind == BASELINE:
        return None
    says = _("All games of iteration %(number)d are rated; it waits for a decision.")
    return says % given, row.number
