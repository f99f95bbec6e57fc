"""What the answer to one act draws anew on the evaluator's page."""

from datetime import datetime

from msgspec import Struct

from discussions.core import kinds
from discussions.core.sight import ROLES, STEP_OF
from discussions.pages import rating_items, rating_steps, rating_transcript
from discussions.pages.rating_desk import Desk, item_id, word
from discussions.pages.rating_item_records import Item
from discussions.pages.rating_records import Changed, Conflict

REMARKS = ("comment", "flag")
ON_A_MESSAGE = (*kinds.OF_A_MESSAGE, kinds.MISSED, *REMARKS)


class Done(Struct, frozen=True):
    """What an act did, as far as its answer must know. `is_undoable` None means that it is to be looked up."""

    kind: str = ""
    subject: str = ""
    revealed: frozenset[str] = frozenset()
    saved_at: datetime | None = None
    refusal: str = ""
    conflict: Conflict | None = None
    is_undoable: bool | None = None


def changed_by(desk: Desk, done: Done) -> Changed:
    """What to draw anew: the judged thing in place, and whole steps where lists or sight changed."""
    if done.conflict:
        stored = _item(desk, done)
        return Changed(conflict=done.conflict, items=[stored] if stored else [])
    if done.refusal:
        return Changed(refusal=done.refusal)
    steps = _steps(desk, done)
    item = None if STEP_OF.get(done.kind) in steps else _item(desk, done)
    is_opened = any(name.startswith("metric:") for name in done.revealed)
    position = position_of(done.kind, done.subject)
    messages = []
    if is_opened:
        messages = rating_transcript.messages(desk)
    elif position and done.kind in ON_A_MESSAGE:
        messages = [rating_transcript.message_row(desk, position)]
    return Changed(
        items=[item] if item else [],
        steps=steps,
        messages=messages,
        rounds=rating_transcript.rounds(desk, None if is_opened else {position}) if position else [],
        is_map_changed=ROLES in done.revealed,
    )


def conflict_of(detail: dict[str, object]) -> Conflict:
    """Both versions of a judgement that was changed elsewhere, in words."""
    kind, subject = str(detail["kind"]), str(detail["subject"])
    yours, stored = str(detail["yours"] or ""), str(detail["stored"] or "")
    stored_at = detail["stored_at"]
    return Conflict(
        item_id=item_id(kind, subject),
        kind=kind,
        subject=subject,
        version=int(str(detail["version"])),
        yours=word(kind, yours),
        theirs=word(kind, stored),
        theirs_by=str(detail["stored_by"]),
        theirs_at=stored_at if isinstance(stored_at, datetime) else None,
        yours_value=yours,
    )


def _steps(desk: Desk, done: Done) -> list[str]:
    """The steps whose lists changed whole."""
    steps = [STEP_OF[kind] for kind in kinds.OF_A_MESSAGE if f"metric:{kind}" in done.revealed]
    if done.kind == kinds.MISSED:
        steps.append("references")
    if done.kind in (kinds.IDENTIFY, kinds.IDENTIFY_DECIDES):
        steps.append("identify")
    if ROLES in done.revealed:
        steps += ["references", "roles"]
    # Near the end of what comes before the roles, their step opens or closes with every act.
    elif not desk.sight.roles and len(desk.sight.missing) <= 2 and done.kind not in REMARKS:
        steps += ["identify", "roles"] if desk.deal else ["roles"]
    return steps if done.kind in REMARKS else [*steps, "review"]


def _item(desk: Desk, done: Done) -> Item | None:
    """The judged thing itself, if it stands on the page as an item."""
    kind, subject = done.kind, done.subject
    if kind in (kinds.REFERENCE, kinds.DELIBERATE):
        return rating_items.reference_of(desk, subject)
    if kind in (kinds.STRATEGIC_DEPTH, kinds.COHERENCE):
        return rating_items.sample_of(desk, kind, int(subject))
    if kind == kinds.ROLE_CONSISTENCY:
        return rating_steps.role_of(desk, int(subject))
    if kind == kinds.PHRASE:
        return rating_steps.phrase_of(desk, subject)
    if kind == kinds.QUESTION:
        return rating_steps.question(desk, int(subject))
    return rating_steps.rating(desk) if kind == kinds.RATING else None


def position_of(kind: str, subject: str) -> int:
    """The message that an act is about, 0 for none."""
    if kind in kinds.OF_A_MESSAGE + kinds.OF_A_SENTENCE:
        return kinds.place_of(subject)[0]
    if kind in REMARKS and subject.startswith("message:"):
        return int(subject.partition(":")[2])
    return 0
