"""The iteration history of a stage: a row for each iteration, and a small chart for each figure of its games."""

from django.utils.translation import gettext as _
from msgspec import Struct

from discussions.core.iteration_states import BASELINE, IMPORTING
from discussions.history.pages.charts import HistoryChart, history_charts
from discussions.iterations.core.history import OPEN, History
from discussions.iterations.pages import HistoryRow, JudgedIteration, history_row, judged_iterations
from discussions.iterations.queries import load_history
from discussions.models import Stage
from workspace.display.core.multiples import MOST_NARROW


class HistoryNote(Struct, frozen=True):
    """A sentence on where the work stands; `number` is the iteration that waits to be compared and decided, or 0."""

    says: str
    number: int = 0


class HistoryPage(Struct, frozen=True):
    """A stage's iterations, newest first, and their charts, oldest at the left.

    `columns` are the labels of the metrics. `newest_change` is the number of the newest change, 0 without one; `notes`
    are sentences on where the work stands.
    """

    rows: list[HistoryRow]
    columns: list[str]
    charts: list[HistoryChart]
    is_wide: bool
    has_withdrawn: bool
    newest_change: int
    notes: list[HistoryNote]


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
        newest_change=max(
            (iteration.row.number for iteration in found if iteration.row.compared_with), default=0
        ),
        notes=_notes(history, found),
    )


def _notes(history: History, found: list[JudgedIteration]) -> list[HistoryNote]:
    said = []
    if history.reference is not None:
        says = _("The next change is compared with iteration %(number)d.")
        said.append(HistoryNote(says % {"number": history.reference.number}))
    said += [
        note for iteration in found if iteration.row.decision is None and (note := _waits(iteration)).says
    ]
    if len({iteration.row.rubric_version for iteration in found}) > 1:
        says = _(
            "The iterations were judged under several rubric versions: pass and fail are those of each one's own, "
            "the thresholds in the charts are the newest's."
        )
        said.append(HistoryNote(says))
    return said


def _waits(found: JudgedIteration) -> HistoryNote:
    row = found.row
    if row.state == IMPORTING:
        says = _("Iteration %(number)d takes games: %(there)d of at least %(least)d are there.")
        return HistoryNote(says % {"number": row.number, "there": len(row.games), "least": row.least_games})
    open_count = sum(game.state == OPEN for game in row.games)
    if open_count:
        says = _("Iteration %(number)d waits for evaluators: %(open)d of %(count)d games are not rated.")
        return HistoryNote(says % {"number": row.number, "open": open_count, "count": len(row.games)})
    if row.kind == BASELINE:
        return HistoryNote("")
    says = _("All games of iteration %(number)d are rated; it waits for a decision.")
    return HistoryNote(says % {"number": row.number}, row.number)
