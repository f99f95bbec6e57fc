"""Every act of the evaluator's page: judgements, reveals of transcript and roles, comments and flags."""

from datetime import datetime

from msgspec import Struct

from discussions.models import Evaluation
from discussions.rating.actions.finish import look_at_suggestions, open_transcript, reveal_roles
from discussions.rating.actions.judgements import judge
from discussions.rating.actions.remarks import COMMENT, FLAG, remark, take_flag_back
from discussions.rating.core.visibility import ROLES, TRANSCRIPT, is_dismissal
from discussions.rating.queries import EvaluationState
from workspace.audit.core import Act
from workspace.models import Person


class Acted(Struct, frozen=True):
    """The result of an act: when it was stored, what it revealed, and the state after it if known."""

    saved_at: datetime
    revealed: frozenset[str] = frozenset()
    work: EvaluationState | None = None


def act(*, evaluation: Evaluation, posted: Act, by: Person, now: datetime) -> Acted:
    """Perform the posted act; `reason` is the text of a comment or flag.

    Raises what `judge`, the reveals and `remark` raise; each writes its own transaction.
    """
    if posted.kind == "reveal":
        return _revealed(evaluation, posted.subject, by, now)
    if posted.kind in (FLAG, COMMENT):
        return _noted(evaluation, posted, by, now)
    saved = judge(evaluation=evaluation, act=posted, by=by, now=now)
    return Acted(saved.revision.created_at, saved.revealed, saved.work)


def _revealed(evaluation: Evaluation, subject: str, by: Person, now: datetime) -> Acted:
    if is_dismissal(subject):
        look_at_suggestions(evaluation=evaluation, what=subject, by=by, now=now)
        return Acted(now, frozenset({subject}))
    what = subject if subject in _REVEALS else ROLES
    _REVEALS[what](evaluation=evaluation, by=by, now=now)
    return Acted(now, frozenset({what}))


_REVEALS = {ROLES: reveal_roles, TRANSCRIPT: open_transcript}


def _noted(evaluation: Evaluation, posted: Act, by: Person, now: datetime) -> Acted:
    if posted.kind == FLAG and not posted.value:
        take_flag_back(evaluation=evaluation, target=posted.subject, by=by, now=now)
        return Acted(now)
    made = remark(
        evaluation=evaluation,
        kind=posted.kind,
        target=posted.subject,
        text=posted.reason or "",
        key=posted.key,
        by=by,
        now=now,
    )
    return Acted(made.created_at)
