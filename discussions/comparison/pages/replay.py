"""The button that plays a reference again, so that both sides of a comparison grow."""

from msgspec import Struct

from discussions.core.iteration_states import IMPORTING
from discussions.iterations.core.history import History, HistoryIteration
from discussions.iterations.permissions import check_stage_open
from discussions.iterations.queries import get_sentence, why_no_replay
from discussions.models import Stage
from workspace.core.refusals import NotAllowed


class ReplayButton(Struct, frozen=True):
    """The number of the iteration that is played again; `refusal` disables the button, "" if nothing prevents it."""

    number: int
    refusal: str


def build_replay_button(*, stage: Stage, history: History, row: HistoryIteration) -> ReplayButton | None:
    """The button on the page of an iteration: for a change its reference, for a reference itself, else None.

    A re-play that still takes games has no button: its games are added on that page.
    """
    played = find_replayed(history, row)
    is_waiting = (
        row.replay_of is not None and row.state == IMPORTING
    )  # its games are imported on its own page
    if played is None or is_waiting:
        return None
    return build_reference_button(stage=stage, history=history, reference=played)


def build_reference_button(*, stage: Stage, history: History, reference: HistoryIteration) -> ReplayButton:
    """The button that plays this reference again, also when the next change is compared with another one."""
    try:
        check_stage_open(stage)
    except NotAllowed as refusal:
        return ReplayButton(reference.number, refusal.sentence)
    return ReplayButton(reference.number, get_sentence(why_no_replay(history, reference)))


def find_replayed(history: History, row: HistoryIteration) -> HistoryIteration | None:
    """The iteration that the button on this iteration's page plays again."""
    if row is history.reference:
        return row
    return history.find(row.replay_of or row.compared_with or row.id)
