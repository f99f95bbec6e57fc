"""What the evaluator's page is made of. No record here has a field for what an evaluator may not see.

What is shown only after a reveal has records of its own (`OpenPlayerRow`, `OpenRoles`, `ReviewStep`); before it there
is no such object. Texts are plain: the templates escape them.
"""

from datetime import datetime

from msgspec import Struct

from discussions.pages.rating_item_records import (
    IdentifyItem,
    Item,
    LockedRoles,
    ManualCheck,
    OpenRoles,
    PhraseItem,
    QuestionItem,
    RatingItem,
    ReferenceItem,
    RoundVotes,
    SampleItem,
)
from discussions.pages.rating_lease import Lease
from discussions.pages.rating_window import WHOLE, More, Window


class Chip(Struct, frozen=True):
    """What a metric says of a message, and the value a press would store."""

    kind: str
    key: str
    label: str
    was: str
    subject: str
    version: int
    flip: str
    is_own: bool


class MessageRow(Struct, frozen=True):
    """One message of the transcript; `spans` are half-open code points to mark."""

    position: int
    round: int
    player: int
    name: str
    is_confusable: bool
    opens_round: str
    text: str
    spans: list[tuple[int, int]]
    reply_to: int | None
    reply_name: str
    chips: list[Chip]
    notes: int
    is_flagged: bool


class Tick(Struct, frozen=True):
    """One message in the map: "", "asks", "judged", "changed" or "flag"."""

    position: int
    state: str


class RoundRow(Struct, frozen=True):
    """One round in the map."""

    number: int
    label: str
    messages: int
    ticks: list[Tick]
    says: str


class PlayerRow(Struct, frozen=True):
    """A player in the map; there is no place for a role here."""

    number: int
    name: str
    is_out: bool
    out: str
    is_confusable: bool
    messages: int


class OpenPlayerRow(PlayerRow, frozen=True):
    """A player in the map once the roles are revealed."""

    role: str
    personality: str


class Step(Struct, frozen=True):
    """One step of the work, and how far it is."""

    key: str
    label: str
    count: str
    needs: int
    is_locked: bool


class Figure(Struct, frozen=True):
    """A metric's figure: `share` and `threshold` are percent of the bar, `share` -1 for no bar."""

    key: str
    label: str
    text: str
    share: int
    threshold: int
    state: str


class ReviewStep(Struct, frozen=True):
    """The last look before submitting."""

    cost: str
    rows: list[Figure]
    verdict: str
    passes: bool | None
    because: list[str]
    notes: list[str]
    can_submit: bool


class Missing(Struct, frozen=True):
    """Something that submitting still wants."""

    item_id: str
    says: str
    step: str
    page: int = 0


class Sentence(Struct, frozen=True):
    """A sentence of one message, which can be marked as a reference."""

    number: int
    text: str
    subject: str
    version: int
    is_reference: bool


class Reason(Struct, frozen=True):
    """A judgement on one message that may carry a reason."""

    kind: str
    label: str
    subject: str
    version: int
    value: str
    reason: str


class AtMessage(Struct, frozen=True):
    """The forms for one message."""

    position: int
    target: str
    name: str
    player: int
    text: str
    sentences: list[Sentence]
    rest: str
    chips: list[Chip]
    comment_version: int
    comments: list[str]
    flag_version: int
    is_flagged: bool
    flag_text: str
    reasons: list[Reason]


class Conflict(Struct, frozen=True):
    """Both versions of what was changed elsewhere; always the evaluator's own."""

    item_id: str
    kind: str
    subject: str
    version: int
    yours: str
    theirs: str
    theirs_by: str
    theirs_at: datetime | None
    yours_value: str


class Changed(Struct, frozen=True):
    """What an answer draws anew: items in place, whole steps, messages, rows of the map; or why nothing was saved."""

    items: list[Item] = []
    steps: list[str] = []
    messages: list[MessageRow] = []
    rounds: list[RoundRow] = []
    is_map_changed: bool = False
    conflict: Conflict | None = None
    refusal: str = ""


class AnswerPage(Struct, frozen=True, kw_only=True):
    """What every answer draws anew, and the lists of the steps that changed whole."""

    evaluation_id: int
    nonce: str
    step: str
    is_open: bool
    saved_at: datetime | None
    judged: int
    needed: int
    steps: list[Step]
    figures: list[Figure]
    missing: list[Missing]
    more_missing: int
    can_undo: bool
    undo_key: str
    player: int = 0
    window: Window = WHOLE
    references: list[ReferenceItem] = []
    more_references: More | None = None
    more_roles: More | None = None
    depth: list[SampleItem] = []
    coherence: list[SampleItem] = []
    phrases: list[PhraseItem] = []
    phrases_note: str = ""
    identify: list[IdentifyItem] = []
    identify_note: str = ""
    manual: ManualCheck | None = None
    questions: list[QuestionItem] = []
    rating: RatingItem | None = None
    roles: LockedRoles | OpenRoles | None = None
    review: ReviewStep | None = None
    at: AtMessage | None = None
    rounds: list[RoundRow] = []
    players: list[PlayerRow] = []
    votes: list[RoundVotes] = []


class RatingPage(AnswerPage, frozen=True, kw_only=True):
    """The whole page of one evaluator on one game. `game_number` is ours, never the file's."""

    game_number: int
    place: str
    lease: Lease | None
    closed_because: str
    may_leave: bool
    may_return: bool
    returned_comment: str
    messages: list[MessageRow]
    single_keys: bool
