"""The things that a lead settles, as records: what each is about, what each side says, what was settled and typed."""

from collections.abc import Mapping
from datetime import datetime

from django.utils.translation import gettext as _
from msgspec import Struct

from discussions.adjudication.core.disagreements import CAN_BE_NO, Disagreement, Side
from discussions.adjudication.pages.evidence import EvidenceSource, Subject, answer_word, build_subject
from discussions.core.judgement_kinds import VALUES, item_id

NEW_ANSWER = "anew:"


class PostedDecision(Struct, frozen=True):
    """What was sent for one thing and not taken, and why: faults of the form, or that it stands otherwise by now."""

    kind: str
    subject: str
    choice: str
    reason: str
    faults: list[str] = []
    conflict: str = ""


class CardNote(Struct, frozen=True):
    """A flag or comment on the message."""

    label: str
    text: str


class SideLine(Struct, frozen=True):
    """What one evaluator says; `name` only where names are shown, `was` the answer before the reveal."""

    alias: str
    name: str
    word: str
    was: str
    reason: str
    is_silent: bool
    is_chosen: bool
    remarks: list[CardNote]


class AnswerChoice(Struct, frozen=True):
    """One answer that a lead can decide for anew."""

    value: str
    label: str
    is_chosen: bool


class AdjudicatedLine(Struct, frozen=True):
    """What a lead settled, the newest of its thing; `number` counts how often it was."""

    word: str
    adopted: str
    reason: str
    by: str
    at: datetime
    number: int


class Card(Struct, frozen=True):
    """One thing with all sides and its form; `heading` is that of the part of the list it stands in.

    `stands` is what counts while nobody settles it, `next` the element that the focus goes to once it is saved.
    """

    id: str
    heading: str
    kind: str
    subject: str
    thing: Subject
    is_tie: bool
    is_open: bool
    can_be_adjudicated: bool
    is_changed_since: bool
    stands: str
    machine: str
    sides: list[SideLine]
    anew: list[AnswerChoice]
    page_sha256: str
    key: str
    next: str
    settled: AdjudicatedLine | None
    reason: str = ""
    chosen: str = ""
    faults: list[str] = []
    conflict: str = ""

    @property
    def is_typed(self) -> bool:
        """Whether something typed waits in its form."""
        return bool(self.faults or self.conflict)


class QuoteTable(Struct, frozen=True):
    """What all cards of a page share: the game, names by evaluation (none while hidden), remarks, the form's nonce."""

    ground: EvidenceSource
    names: Mapping[int, str]
    remarks: Mapping[tuple[int, str], list[CardNote]]
    nonce: str
    posted: PostedDecision | None = None


def card_id(disagreement: Disagreement) -> str:
    """The element of a thing."""
    return f"settle-{item_id(disagreement.kind, disagreement.subject)}"


def is_open(disagreement: Disagreement) -> bool:
    """Whether a lead may still look at it: nobody settled it, or the sides changed since."""
    return disagreement.can_be_adjudicated and (disagreement.settled is None or disagreement.is_changed_since)


def build_card(table: QuoteTable, disagreement: Disagreement, following: str) -> Card:
    """The card of one thing."""
    posted = (
        table.posted
        if table.posted and (table.posted.kind, table.posted.subject) == disagreement.key
        else None
    )
    thing = build_subject(table.ground, disagreement.kind, disagreement.subject)
    chosen = posted.choice if posted else ""
    return Card(
        id=card_id(disagreement),
        heading=choose_heading(disagreement),
        kind=disagreement.kind,
        subject=disagreement.subject,
        thing=thing,
        is_tie=disagreement.is_tie,
        is_open=is_open(disagreement),
        can_be_adjudicated=disagreement.can_be_adjudicated,
        is_changed_since=disagreement.is_changed_since,
        stands="" if disagreement.majority is None else answer_word(disagreement.kind, disagreement.majority),
        machine=answer_word(disagreement.kind, disagreement.machine) if disagreement.machine else "",
        sides=[_side(table, disagreement, side, thing, chosen) for side in disagreement.sides],
        anew=[_choice(disagreement, value, chosen) for value in other_answers(disagreement)],
        page_sha256=disagreement.page_sha256,
        key=f"{table.nonce}:{disagreement.kind}:{disagreement.subject}",
        next=following,
        settled=_adjudicated_line(disagreement),
        reason=posted.reason if posted else "",
        chosen=_chosen(disagreement, chosen),
        faults=posted.faults if posted else [],
        conflict=posted.conflict if posted else "",
    )


def choose_heading(disagreement: Disagreement) -> str:
    """The part of the list in which the thing stands."""
    if disagreement.is_tie:
        return _("Ties: the verdict waits for these")
    if disagreement.is_changed_since:
        return _("Changed since they were settled")
    if disagreement.settled:
        return _("Settled")
    return (
        _("Decided by majority")
        if disagreement.can_be_adjudicated
        else _("For information: no verdict hangs on these")
    )


def other_answers(disagreement: Disagreement) -> list[str]:
    """The values that the kind allows and no side stands by."""
    said = {side.value for side in disagreement.sides}
    allowed = [*VALUES[disagreement.kind], *([""] if disagreement.kind in CAN_BE_NO else [])]
    return [value for value in allowed if value not in said]


def _side(table: QuoteTable, disagreement: Disagreement, side: Side, thing: Subject, chosen: str) -> SideLine:
    about = (f"message:{thing.message}", f"{disagreement.kind}:{disagreement.subject}")
    return SideLine(
        alias=side.alias,
        name=table.names.get(side.evaluation, ""),
        word=answer_word(disagreement.kind, side.value),
        was=answer_word(disagreement.kind, side.blind_value) if side.is_changed else "",
        reason=side.reason,
        is_silent=side.is_silent,
        is_chosen=chosen == side.alias,
        remarks=[note for target in about for note in table.remarks.get((side.evaluation, target), [])],
    )


def _choice(disagreement: Disagreement, value: str, chosen: str) -> AnswerChoice:
    sent = f"{NEW_ANSWER}{value}"
    return AnswerChoice(sent, answer_word(disagreement.kind, value), is_chosen=chosen == sent)


def _chosen(disagreement: Disagreement, chosen: str) -> str:
    """What was chosen, in words; "" for nothing, or what is no choice."""
    if chosen.startswith(NEW_ANSWER):
        return answer_word(disagreement.kind, chosen.removeprefix(NEW_ANSWER))
    return chosen


def _adjudicated_line(disagreement: Disagreement) -> AdjudicatedLine | None:
    if disagreement.settled is None:
        return None
    aliases = {side.evaluation: side.alias for side in disagreement.sides}
    settled = disagreement.settled
    return AdjudicatedLine(
        word=answer_word(disagreement.kind, settled.value),
        adopted=aliases.get(settled.adopted, "") if settled.adopted else "",
        reason=settled.reason,
        by=settled.by_name,
        at=settled.at,
        number=settled.number,
    )
