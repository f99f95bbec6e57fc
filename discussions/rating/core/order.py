"""The order of judgements: why one cannot be made yet or any more, as a sentence. Also when to propose a break.

Raters worked best in sittings of at most two hours with breaks between (Ling, Mollaun & Xi 2014: 72 raters, 14,000
responses). A break is only proposed, never forced.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta

from msgspec import Struct

from discussions.core import judgement_kinds
from discussions.rating.core.visibility import (
    Progress,
    list_references,
    list_unidentified,
    roles_seen,
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
    if is_open and kind == judgement_kinds.ATTRIBUTION and progress.judgeable.unseen_count:
        return say("The transcript is open, so the answers of the test are final.")
    return ""


def why_not_yet(progress: Progress, kind: str, subject: str, value: str) -> str:
    """Why this cannot be judged yet, as a sentence; "" when it can."""
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


def _why_not_cleared(progress: Progress, kind: str, subject: str) -> str:
    """A mark cannot be cleared while its sentence has a label."""
    if (
        kind != judgement_kinds.MISSED
        or subject in progress.judgeable.possible
        or not progress.value(judgement_kinds.REFERENCE, subject)
    ):
        return ""
    return say("This sentence has a label. Clear the label first, then remove the mark.")


BREAK = timedelta(minutes=10)


SITTING_MINUTES, SHOWN_MINUTES = 50, 5


# Older acts are not read: no sitting lasts that long.
LONGEST_SITTING = timedelta(hours=12)


class Sitting(Struct, frozen=True):
    """The acts of one person since their last break."""

    began_at: datetime
    last_at: datetime

    @property
    def minutes(self) -> int:
        """How long it has lasted, in whole minutes."""
        return int((self.last_at - self.began_at).total_seconds() // 60)


def find_sitting(times: Iterable[datetime], now: datetime) -> Sitting | None:
    """The current sitting at `now`, from the times of the person's acts in any order; None during a break."""
    newest_first = sorted((time for time in times if time <= now), reverse=True)
    if not newest_first or now - newest_first[0] >= BREAK:
        return None
    began = newest_first[0]
    for time in newest_first[1:]:
        if began - time >= BREAK:
            break
        began = time
    return Sitting(began, newest_first[0])


def break_due(sitting: Sitting | None) -> int:
    """The minutes after which a break is proposed now: 50, 100, ...; 0 for none.

    The proposal is shown for five minutes and returns after another fifty.
    """
    if sitting is None or sitting.minutes < SITTING_MINUTES:
        return 0
    over = sitting.minutes % SITTING_MINUTES
    return sitting.minutes - over if over < SHOWN_MINUTES else 0
