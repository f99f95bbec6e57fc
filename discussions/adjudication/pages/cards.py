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
    can_be_settled: bool
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


def card_id(one: Disagreement) -> str:
    """The element of a thing."""
    return f"settle-{item_id(one.kind, one.subject)}"


def is_open(one: Disagreement) -> bool:
    """Whether a lead may still look at it: nobody settled it, or the sides changed since."""
    return one.can_be_settled and (one.settled is None or one.is_changed_since)


def build_card(table: QuoteTable, one: Disagreement, following: str) -> Card:
    """The card of one thing."""
    posted = table.posted if table.posted and (table.posted.kind, table.posted.subject) == one.key else None
    thing = build_subject(table.ground, one.kind, one.subject)
    chosen = posted.choice if posted else ""
    return Card(
        id=card_id(one),
        heading=choose_heading(one),
        kind=one.kind,
        subject=one.subject,
        thing=thing,
        is_tie=one.is_tie,
        is_open=is_open(one),
        can_be_settled=one.can_be_settled,
        is_changed_since=one.is_changed_since,
        stands="" if one.majority is None else answer_word(one.kind, one.majority),
        machine=answer_word(one.kind, one.machine) if one.machine else "",
        sides=[_side(table, one, side, thing, chosen) for side in one.sides],
        anew=[_choice(one, value, chosen) for value in other_answers(one)],
        page_sha256=one.page_sha256,
        key=f"{table.nonce}:{one.kind}:{one.subject}",
        next=following,
        settled=_adjudicated_line(one),
        reason=posted.reason if posted else "",
        chosen=_chosen(one, chosen),
        faults=posted.faults if posted else [],
        conflict=posted.conflict if posted else "",
    )


def choose_heading(one: Disagreement) -> str:
    """The part of the list in which the thing stands."""
    if one.is_tie:
        return _("Ties: the verdict waits for these")
    if one.is_changed_since:
        return _("Changed since they were settled")
    if one.settled:
        return _("Settled")
    return _("Decided by majority") if one.can_be_settled else _("For information: no verdict hangs on these")


def other_answers(one: Disagreement) -> list[str]:
    """The values that the kind allows and no side stands by."""
    said = {side.value for side in one.sides}
    allowed = [*VALUES[one.kind], *([""] if one.kind in CAN_BE_NO else [])]
    return [value for value in allowed if value not in said]


def _side(table: QuoteTable, one: Disagreement, side: Side, thing: Subject, chosen: str) -> SideLine:
    about = (f"message:{thing.message}", f"{one.kind}:{one.subject}")
    return SideLine(
        alias=side.alias,
        name=table.names.get(side.evaluation, ""),
        word=answer_word(one.kind, side.value),
        was=answer_word(one.kind, side.blind_value) if side.is_changed else "",
        reason=side.reason,
        is_silent=side.is_silent,
        is_chosen=chosen == side.alias,
        remarks=[note for target in about for note in table.remarks.get((side.evaluation, target), [])],
    )


def _choice(one: Disagreement, value: str, chosen: str) -> AnswerChoice:
    sent = f"{NEW_ANSWER}{value}"
    return AnswerChoice(sent, answer_word(one.kind, value), is_chosen=chosen == sent)


def _chosen(one: Disagreement, chosen: str) -> str:
    """What was chosen, in words; "" for nothing, or what is no choice."""
    if chosen.startswith(NEW_ANSWER):
        return answer_word(one.kind, chosen.removeprefix(NEW_ANSWER))
    return chosen


def _adjudicated_line(one: Disagreement) -> AdjudicatedLine | None:
    if one.settled is None:
        return None
    aliases = {side.evaluation: side.alias for side in one.sides}
    settled = one.settled
    return AdjudicatedLine(
        word=answer_word(one.kind, settled.value),
        adopted=aliases.get(settled.adopted, "") if settled.adopted else "",
        reason=settled.reason,
        by=settled.by_name,
        at=settled.at,
        number=settled.number,
    )
