"""Why something cannot be judged now, as a sentence; "" when it can."""

from discussions.core import judgement_kinds
from discussions.rating.core.visibility import (
    Progress,
    list_references,
    list_unidentified,
    may_open_thoughts,
    roles_seen,
    thoughts_seen,
    transcript_seen,
)
from workspace.core.words import say


def why_not_in_test(progress: Progress, kind: str) -> str:
    """Why the blind test does not allow this judgement now, as a sentence; "" when it does.

    Call this check first, so that no other refusal reveals anything about a closed transcript.
    """
    is_open = transcript_seen(progress)
    if not is_open and kind != judgement_kinds.ATTRIBUTION:
        return say(
            "The transcript is still closed. Answer the test of who said it, then open the transcript."
        )
    if not is_open and progress.is_test_over and progress.may_skip_test:
        return say("The test is over, so its answers are final.")
    if is_open and kind == judgement_kinds.ATTRIBUTION and progress.judgeable.unseen_count:
        return say("The transcript is open, so the answers of the test are final.")
    return ""


def why_not_yet(progress: Progress, kind: str, subject: str, value: str) -> str:
    """Why this cannot be judged yet, as a sentence; "" when it can."""
    if kind == judgement_kinds.STATEMENT:
        return _why_no_statement(progress, subject)
    if not value:
        return _why_not_cleared(progress, kind, subject)
    if kind in (judgement_kinds.ROLE_CONSISTENCY, judgement_kinds.DELIBERATE) and not roles_seen(progress):
        return say("The roles are not revealed yet; this comes after them.")
    if (
        kind == judgement_kinds.DELIBERATE
        and progress.value(judgement_kinds.REFERENCE, subject) != judgement_kinds.INACCURATE
    ):
        return say("Only a reference that you labelled inaccurate can be marked as a deliberate lie.")
    if kind == judgement_kinds.REFERENCE and subject not in list_references(progress):
        return say("This sentence is not marked as a reference. Mark it first, then label it.")
    if kind == judgement_kinds.MISSED and subject in progress.judgeable.counted:
        return say("This sentence is already in the list of references.")
    if kind == judgement_kinds.IDENTIFY_DECIDES and (open_agents := list_unidentified(progress)):
        return say(
            "Agent {open_agents} has no answer yet. Answer the manual check for every agent, "
            "then let it decide.",
            open_agents=open_agents[0],
        )
    return ""


def say_thoughts_closed() -> str:
    """The refusal before the reveal; the same for a game without thoughts, so that it does not tell them apart."""
    return say("What agents thought is shown once you have stored every answer on their roles.")


def _why_no_statement(progress: Progress, subject: str) -> str:
    is_open = thoughts_seen(progress)
    if not is_open and not may_open_thoughts(progress):
        return say_thoughts_closed()
    is_asked = is_open and subject in progress.statements
    return "" if is_asked else say("Nothing is asked about this sentence.")


def _why_not_cleared(progress: Progress, kind: str, subject: str) -> str:
    """A mark cannot be cleared while its sentence has a label."""
    if (
        kind != judgement_kinds.MISSED
        or subject in progress.judgeable.possible
        or not progress.value(judgement_kinds.REFERENCE, subject)
    ):
        return ""
    return say("This sentence has a label. Clear the label first, then remove the mark.")
