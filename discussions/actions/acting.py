"""One door for every act of the evaluator's page: judgements, reveals of transcript and roles, comments and flags."""

from datetime import datetime

from msgspec import Struct

from discussions.actions.finishing import open_transcript, reveal_roles
from discussions.actions.judging import Act, judge
from discussions.actions.remarking import COMMENT, FLAG, remark, take_flag_back
from discussions.core.sight import ROLES, TRANSCRIPT
from discussions.models import Evaluation
from discussions.models.standings import Work
from workspace.models import Person


class Posted(Struct, frozen=True, kw_only=True):
    """What one form of the page said. None for `value` or `text` means that the field was absent.

    `text` is the reason of a judgement, the words of a comment or flag.
    """

    kind: str
    subject: str
    version: int
    key: str
    value: str | None = None
    text: str | None = None
    took_ms: int | None = None


class Acted(Struct, frozen=True):
    """What an act left: what it revealed, when it was stored, and the work as it is after it, where that is known."""

    saved_at: datetime
    revealed: frozenset[str] = frozenset()
    work: Work | None = None


def act(*, evaluation: Evaluation, posted: Posted, by: Person, now: datetime) -> Acted:
    """Do what was posted. Raises what `judge`, the reveals and `remark` raise; each writes its own transaction."""
    if posted.kind == "reveal":
        is_transcript = posted.subject == TRANSCRIPT
        reveal = open_transcript if is_transcript else reveal_roles
        reveal(evaluation=evaluation, by=by, now=now)
        return Acted(now, frozenset({TRANSCRIPT if is_transcript else ROLES}))
    if posted.kind in (FLAG, COMMENT):
        return _noted(evaluation, posted, by, now)
    judgement = Act(
        kind=posted.kind,
        subject=posted.subject,
        version=posted.version,
        key=posted.key,
        value=posted.value,
        reason=posted.text,
        took_ms=posted.took_ms,
    )
    saved = judge(evaluation=evaluation, act=judgement, by=by, now=now)
    return Acted(saved.revision.created_at, saved.revealed, saved.work)


def _noted(evaluation: Evaluation, posted: Posted, by: Person, now: datetime) -> Acted:
    if posted.kind == FLAG and not posted.value:
        take_flag_back(evaluation=evaluation, target=posted.subject, by=by, now=now)
        return Acted(now)
    made = remark(
        evaluation=evaluation,
        kind=posted.kind,
        target=posted.subject,
        text=posted.text or "",
        key=posted.key,
        by=by,
        now=now,
    )
    return Acted(made.created_at)
