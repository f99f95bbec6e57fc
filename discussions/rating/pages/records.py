"""The records of the evaluator's page.

Hides what an evaluator may not see: no record has a field for it.
Values that are shown only after a reveal have their own records (`Part`, `OpenRoles`, `ReviewStep`); before the reveal,
no such object exists. Texts are plain: the templates escape them.
"""

from datetime import datetime

from msgspec import Struct

from discussions.adjudication.pages import Quote, RoundVotes
from discussions.core.unsaid import Unsaid
from discussions.rating.core.concealed import Part, SeenPlayer
from discussions.rating.pages.lease import Lease
from discussions.rating.pages.visible_evaluation import WHOLE, More, RoundStart, Search, TranscriptWindow
from rubric.core.records import Criterion


class Chip(Struct, frozen=True):
    """A metric's value for a message, and the value that a change would store."""

    kind: str
    name: str
    key: str
    label: str
    was: str
    subject: str
    version: int
    flip: str
    flip_label: str
    is_own: bool


class MessageRow(Struct, frozen=True):
    """One message; `spans` are half-open code points to mark; `goes_on` if the one before is by the same author."""

    position: int
    round: int
    player: int
    name: str
    face: str
    is_confusable: bool
    goes_on: bool
    opens_round: str
    text: str
    spans: list[tuple[int, int]]
    reply_to: int | None
    reply_name: str
    chips: list[Chip]
    notes: int
    is_flagged: bool
    has_unsaid: bool = False


class Tick(Struct, frozen=True):
    """One message in the map: "", "asks", "judged", "changed" or "flag"."""

    position: int
    state: str


class RoundRow(Struct, frozen=True):
    number: int
    label: str
    messages: int
    ticks: list[Tick]
    says: str


class RatingStep(Struct, frozen=True):
    """One step of the work and its progress: `state` is "todo", "optional", "later" or "done"; `count` is the text."""

    key: str
    label: str
    state: str
    count: str


class LiveFigure(Struct, frozen=True):
    """A metric's figure and the threshold, as text."""

    key: str
    label: str
    text: str
    state: str
    limit: str


class MissingStep(Struct, frozen=True):
    item_id: str
    says: str
    step: str
    page: int = 0


class ReviewStep(Struct, frozen=True):
    """The summary before submitting; `unasked` says how many suggested references were not looked at, or "".

    `open` are the metrics, with a sentence each, that more answers would settle. `turns` says what would change the
    verdict, `turning` is an answer that alone would. `apart` are answers that differ from the rule, of `compared`.
    """

    cost: str
    rows: list[LiveFigure]
    verdict: str
    passes: bool | None
    because: list[str]
    notes: list[str]
    unasked: str = ""
    open: list[tuple[str, str]] = []
    turns: str = ""
    turning: MissingStep | None = None
    apart: list[MissingStep] = []
    compared: int = 0


class Sentence(Struct, frozen=True):
    """A sentence of one message, which can be marked as a reference."""

    number: int
    text: str
    subject: str
    version: int
    is_reference: bool


class StepReason(Struct, frozen=True):
    """A judgement on one message that may carry a reason."""

    kind: str
    label: str
    subject: str
    version: int
    value: str
    reason: str


class AtMessage(Struct, frozen=True):
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
    reasons: list[StepReason]


class BothVersions(Struct, frozen=True):
    """Both versions of a judgement that was changed in another tab or device; both are the evaluator's own."""

    item_id: str
    kind: str
    subject: str
    version: int
    yours: str
    theirs: str
    theirs_by: str
    theirs_at: datetime | None
    yours_value: str


class Item(Struct, frozen=True, kw_only=True):
    """A subject that can be judged: its DOM id and the evaluator's answer so far.

    `was` is the blind answer in words if it was changed after a reveal; with `needs`, it is required for submitting.
    """

    id: str
    kind: str
    subject: str
    version: int = 0
    value: str = ""
    needs: bool = False
    was: str = ""
    reason: str = ""


class Changed(Struct, frozen=True):
    """What an answer renders again: items, whole steps, messages, rows of the map; or why nothing was saved.

    `is_unchanged`: a returned evaluation can still be submitted as it was. `lesson` explains an answer in practice:
    whether it is right (None: nothing is), and why.
    """

    items: list[Item] = []
    steps: list[str] = []
    messages: list[MessageRow] = []
    rounds: list[RoundRow] = []
    is_map_changed: bool = False
    conflict: BothVersions | None = None
    refusal: str = ""
    is_unchanged: bool = False
    lesson: tuple[bool | None, str] | None = None


class ReferenceItem(Item, frozen=True, kw_only=True):
    """M1: a sentence about the past, and the evidence to check it against. `number` is 0 if it was not found as one.

    `is_possible` if it was only suggested, `is_suggested` while the evaluator has not looked at the suggestion.
    """

    number: int
    message: int
    player: int
    name: str
    text: str
    is_possible: bool = False
    is_suggested: bool = False
    is_missed: bool = False
    missed_version: int = 0
    votes: RoundVotes | None = None
    messages: list[Quote] = []
    check: str = ""
    check_says: str = ""
    has_rows: bool = False
    can_be_deliberate: bool = False
    deliberate: str = ""
    deliberate_version: int = 0


class SampleItem(Item, frozen=True, kw_only=True):
    """M2 and M3: a message of the accuracy sample; `machine` and `agrees` are set only once they are revealed."""

    message: int
    player: int
    name: str
    text: str
    machine: str = ""
    agrees: bool | None = None


class PhraseItem(Item, frozen=True, kw_only=True):
    """M6: a phrase that one agent repeats."""

    player: int
    name: str
    phrase: str
    count: int
    messages: list[int]
    is_robotic: bool


class IdentifyItem(Item, frozen=True, kw_only=True):
    """M5's manual check: can this agent be recognised by its language? It has no field for the agent's name."""

    player: int
    quotes: list[Quote]


class GivenMessage(Struct, frozen=True):
    """An unseen message of the test, the agent it was given to, and its author."""

    message: int
    given: str
    author: str
    is_hit: bool


class ManualCheckItem(Item, frozen=True, kw_only=True):
    """The result of the manual check, and whether it decides M5.

    For the blind test, it lists the messages in `given`; while its result is hidden there are no figures, only `says`.
    """

    yes: int
    of: int
    needed: int
    passes: bool
    says: str
    is_test: bool = False
    is_by_agent: bool = False
    is_shown: bool = True
    may_decide: bool = True
    given: list[GivenMessage] = []


class QuestionItem(Item, frozen=True, kw_only=True):
    number: int
    text: str


class Anchor(Struct, frozen=True):
    """The meaning of a whole point of the rating."""

    value: str
    label: str


class RatingItem(Item, frozen=True, kw_only=True):
    """M7: the rating; `bound` states the bound from the answers, `is_below` that the rating is below it."""

    anchors: list[Anchor]
    bound: str = ""
    is_below: bool = False

    @property
    def other_half(self) -> str:
        """For a whole rating, half a point more (less for 5); for a half one, the whole point; "" without a rating."""
        if not self.value:
            return ""
        whole, _dot, half = self.value.partition(".")
        if half == "5":
            return f"{whole}.0"
        return "4.5" if whole == "5" else f"{whole}.5"


class LockedRoles(Struct, frozen=True):
    """M4 before the reveal: the item that reveals the roles, once that is allowed.

    `offered` are the optional answers before it, by step, that are not given; `are_known` is false without any role.
    """

    reveal: Item | None
    offered: dict[str, int] = {}
    are_known: bool = True
    is_revealed: bool = False


class RoleItem(Item, frozen=True, kw_only=True):
    """M4: a message with its speaker's role; `rule` is set only once all of them are labelled."""

    message: int
    player: int
    name: str
    role: str
    side: str
    text: str
    rule: str = ""


class StatementItem(Item, frozen=True, kw_only=True):
    """The optional step: a sentence, its place in the message, and what was not said there."""

    message: int
    name: str
    span: tuple[int, int]
    unsaid: Unsaid

    @property
    def text(self) -> str:
        return self.unsaid.text[slice(*self.span)]


class OpenRoles(Struct, frozen=True):
    """M4 with the roles revealed."""

    items: list[RoleItem]
    is_revealed: bool = True


class SuggestedReferences(Struct, frozen=True):
    """The suggested references that were neither marked nor dismissed: `count` are on the page, `more` on others.

    `dismissal` is the subject of the act that dismisses those on the page, or says that the game has no reference.
    """

    count: int
    dismissal: str
    more: More | None


class ReturnedPlace(Struct, frozen=True):
    """A step with its label; the element to go to there, "" for its first item; its page of the transcript, or 0."""

    step: str
    label: str
    item_id: str = ""
    page: int = 0


class EvaluationPage(Struct, frozen=True, kw_only=True):
    """Fields of every page and every answer of one evaluation; those with defaults are set only on a full page.

    `game_number` is ours, never the file's. `has_later` says that more may be asked for after the reveal than `needed`
    says; the number would reveal what the rules say. `leads_to` is what may be
    looked at after submitting; `key` has the evaluator's key of each act, `guides` what the rubric version says at each
    step.
    `returned` is what the lead's comment on a returned evaluation is about.
    """

    evaluation_id: int
    here: str
    nonce: str
    is_open: bool
    saved_at: datetime | None
    judged: int
    needed: int
    missing: list[MissingStep]
    can_undo: bool
    undo_key: str
    step: str
    leads_to: str = ""
    key: dict[str, str] = {}
    has_later: bool = False
    player: int = 0
    game_number: int = 0
    lease: Lease | None = None
    closed_because: str = ""
    may_leave: bool = False
    may_return: bool = False
    returned_comment: str = ""
    returned: ReturnedPlace | None = None
    single_keys: bool = False
    place: str = ""
    guides: dict[str, Criterion] = {}
    project_slug: str = ""
    project_name: str = ""


class AnswerPage(EvaluationPage, frozen=True, kw_only=True):
    """What the answer to an act renders again, and the lists of the steps that changed as a whole.

    `why_more` says, by step, why more messages than the accuracy sample are asked for.
    """

    steps: list[RatingStep]
    figures: list[LiveFigure]
    more_missing: int
    has_chips: bool = False
    is_rated: bool = False
    window: TranscriptWindow = WHOLE
    references: list[ReferenceItem] = []
    suggested: SuggestedReferences | None = None
    more_references: More | None = None
    more_roles: More | None = None
    depth: list[SampleItem] = []
    coherence: list[SampleItem] = []
    phrases: list[PhraseItem] = []
    identify: list[IdentifyItem] = []
    identify_note: str = ""
    manual: ManualCheckItem | None = None
    questions: list[QuestionItem] = []
    rating: RatingItem | None = None
    roles: LockedRoles | OpenRoles | None = None
    statements: list[StatementItem] = []
    why_more: dict[str, str] = {}
    review: ReviewStep | None = None
    at: AtMessage | None = None
    rounds: list[RoundRow] = []
    players: list[SeenPlayer] = []
    parts: list[Part] | None = None


class RatingPage(AnswerPage, frozen=True, kw_only=True):
    """The whole page of one evaluator on one game; `is_new`: nothing is judged yet, so the game is to be read."""

    is_new: bool = False
    votes: list[RoundVotes] = []
    search: Search | None = None
    round_starts: list[RoundStart] = []
    messages: list[MessageRow]
