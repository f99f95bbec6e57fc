"""In which order things are judged: why something cannot be judged yet, or not any more, as a sentence."""

from discussions.core import kinds
from discussions.core.sight import Standing, references_of, roles_seen, transcript_seen, unidentified


def why_not_in_test(standing: Standing, kind: str) -> str:
    """Why the test of who said it does not let this be judged now, as a sentence; "" when it does.

    Asked before anything about the game, so that no refusal tells of a transcript that is still closed.
    """
    is_open = transcript_seen(standing)
    if not is_open and kind != kinds.ATTRIBUTION:
        return "The transcript is still closed. Answer the test of who said it, then open the transcript."
    if is_open and kind == kinds.ATTRIBUTION and standing.ground.unseen_count:
        return "The transcript is open, so the answers of the test stand as they are."
    return ""


def why_not_yet(standing: Standing, kind: str, subject: str, value: str) -> str:
    """Why this cannot be judged yet, as a sentence; "" when it can."""
    if not value:
        return _why_not_cleared(standing, kind, subject)
    if kind in (kinds.ROLE_CONSISTENCY, kinds.DELIBERATE) and not roles_seen(standing):
        return "The roles are not revealed yet; this comes after them."
    if kind == kinds.DELIBERATE and standing.value(kinds.REFERENCE, subject) != kinds.INACCURATE:
        return "Only a reference that you labelled inaccurate can be marked as a deliberate lie."
    if kind == kinds.REFERENCE and subject not in references_of(standing):
        return "This sentence is not marked as a reference. Mark it first, then label it."
    if kind == kinds.MISSED and subject in standing.ground.counted:
        return "This sentence is already in the list of references."
    if kind == kinds.IDENTIFY_DECIDES and (open_agents := unidentified(standing)):
        return f"Agent {open_agents[0]} has no answer yet. Answer the manual check for every agent, then let it decide."
    return ""


def _why_not_cleared(standing: Standing, kind: str, subject: str) -> str:
    """A mark stays as long as its sentence is labelled, so that no label is left without its reference."""
    if (
        kind != kinds.MISSED
        or subject in standing.ground.possible
        or not standing.value(kinds.REFERENCE, subject)
    ):
        return ""
    return "This sentence has a label. Clear the label first, then take the mark back."
