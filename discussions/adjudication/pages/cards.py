"""The disagreements of a game as cards: the subject, the answers in words, and what was posted for each."""

from collections.abc import Mapping, Sequence

from django.utils.translation import gettext as _
from msgspec import Struct

from discussions.adjudication.core.disagreements import CAN_BE_NO, Disagreement
from discussions.adjudication.pages.evidence import EvidenceSource, Subject, answer_word, build_subject
from discussions.core.judgement_kinds import VALUES, item_id

NEW_ANSWER = "anew:"


class PostedDecision(Struct, frozen=True):
    kind: str
    subject: str
    choice: str
    reason: str
    faults: list[str] = []
    conflict: str = ""


class CardNote(Struct, frozen=True):
    label: str
    text: str


class Card(Struct, frozen=True):
    """One disagreement with its form; `heading` names its part of the list.

    `words` are its answers in words, by value; `other_answers` the values that no side gave. `names` are by evaluation
    (none while names are hidden), `notes` too. `next` is the element that gets the focus after saving.
    """

    id: str
    heading: str
    disagreement: Disagreement
    subject: Subject
    words: Mapping[str, str]
    other_answers: Sequence[str]
    names: Mapping[int, str]
    notes: Mapping[int, list[CardNote]]
    key: str
    next: str
    posted: PostedDecision | None

    @property
    def choice(self) -> str:
        choice = self.posted.choice if self.posted else ""
        if choice.startswith(NEW_ANSWER):
            return answer_word(self.disagreement.kind, choice.removeprefix(NEW_ANSWER))
        return choice


class CardSource(Struct, frozen=True):
    """Data shared by a page's cards; `names` by evaluation, none while hidden; `notes` by evaluation and target."""

    source: EvidenceSource
    names: Mapping[int, str]
    notes: Mapping[tuple[int, str], list[CardNote]]
    nonce: str
    posted: PostedDecision | None = None


def card_id(disagreement: Disagreement) -> str:
    return f"disagreement-{item_id(disagreement.kind, disagreement.subject)}"


def build_card(cards: CardSource, disagreement: Disagreement, following: str) -> Card:
    """The card of one disagreement; `following` is the id of the next open one."""
    kind, sides = disagreement.kind, disagreement.sides
    posted = cards.posted
    if posted and (posted.kind, posted.subject) != disagreement.key:
        posted = None
    subject = build_subject(cards.source, kind, disagreement.subject)
    targets = (f"message:{subject.message}", f"{kind}:{disagreement.subject}")
    allowed = [*VALUES[kind], *([""] if kind in CAN_BE_NO else [])]
    given = {side.value for side in sides}
    values = {*allowed, *given, *(side.blind_value for side in sides), disagreement.machine}
    values |= {disagreement.majority or "", disagreement.resolved.value if disagreement.resolved else ""}
    return Card(
        id=card_id(disagreement),
        heading=choose_heading(disagreement),
        disagreement=disagreement,
        subject=subject,
        words={value: answer_word(kind, value) for value in values},
        other_answers=[value for value in allowed if value not in given],
        names=cards.names,
        notes={
            side.evaluation: [
                note for target in targets for note in cards.notes.get((side.evaluation, target), [])
            ]
            for side in sides
        },
        key=f"{cards.nonce}:{kind}:{disagreement.subject}",
        next=following,
        posted=posted,
    )


def choose_heading(disagreement: Disagreement) -> str:
    if disagreement.is_tie:
        return _("Ties: the verdict waits for these")
    if disagreement.is_changed_since:
        return _("Changed since they were resolved")
    if disagreement.resolved:
        return _("Resolved")
    if disagreement.can_be_adjudicated:
        return _("Decided by majority")
    return _("For information: these do not affect the verdict")
