"""One message with what was not said at it, and the messages around it, as a page of its own."""

from discussions.rating.pages.visible_evaluation import build_visible_evaluation
from discussions.rating.queries import EvaluationState

BEFORE, AFTER = 2, 1


def build_thoughts_page(work: EvaluationState, position: int) -> dict[str, object] | None:
    """The parts of the page; position 0 stands for the first message that opens. None if nothing opens there."""
    visible = build_visible_evaluation(work)
    opening = [number for number, unsaid in visible.unsaid.items() if unsaid.is_any]
    position = position or next(iter(opening), 0)
    if position not in opening:
        return None
    place, said = opening.index(position), visible.seen.messages
    return {
        "evaluation": work.evaluation.pk,
        "game_number": work.evaluation.game_number,
        "seen": visible.seen,
        "unsaid": visible.unsaid[position],
        "before": said[max(position - 1 - BEFORE, 0) : position - 1],
        "after": said[position : position + AFTER],
        "earlier": opening[place - 1] if place else 0,
        "later": opening[place + 1] if place + 1 < len(opening) else 0,
    }
