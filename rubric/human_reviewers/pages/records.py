"""Records of the reviewer's page.

Hides authors, keys, lengths and weights, and in round 1 other reviews: no record has a field for them.
"""

from datetime import datetime

from msgspec import Struct


class ScoreItem(Struct, frozen=True):
    """One score that is asked for: of the response at `place`, as a whole or by a criterion.

    `word` is the value as it is shown. `is_open` says whether it can be changed now; `others` are what others gave.
    `may_correct` says that only a slip can be corrected; `first` is the first round's value if the second round changed
    it. `points` are the scores to choose from, each with its key; `is_row` says that they are a row of buttons.
    """

    id: str
    kind: str
    subject: str
    place: int
    label: str
    what: str
    version: int
    value: str
    word: str
    reason: str
    needs: bool
    is_open: bool
    others: list[str]
    may_correct: bool = False
    first: str = ""
    points: list[tuple[str, str]] = []
    is_row: bool = True


class CriterionScores(Struct, frozen=True):
    """One criterion with what it asks and a score for every response; `scale` is its own in words, "" for 1 to 10."""

    key: str
    label: str
    description: str
    question: str
    guiding_questions: list[str]
    good_examples: list[str]
    bad_examples: list[str]
    anchors: list[tuple[str, str]]
    items: list[ScoreItem]
    scale: str = ""


class RankRow(Struct, frozen=True):
    """One response in the ranking, with the values of the buttons that move it; "" if it cannot move there."""

    id: str
    place: int
    label: str
    rank: str
    higher: str
    lower: str
    equal: str


class Ranking(Struct, frozen=True):
    """The current ranking: computed from the scores until the person changes it; `value` is the value of its mark."""

    rows: list[RankRow]
    value: str
    version: int
    is_changed: bool
    contradicts: bool


class ShownResponse(Struct, frozen=True):
    """One response as its reviewer sees it, with the notes on it and, in round 2, those of others."""

    place: int
    label: str
    text: str
    notes: str
    version: int
    others: list[str]


class ScoreLine(Struct, frozen=True):
    """The scores of one response so far, next to its letter.

    `whole` is "" without a score. `scores` are by criterion, "-" where one is missing, and empty until the criteria are
    open. `left` counts the missing scores among those asked for now.
    """

    place: int
    whole: str
    scores: list[str]
    left: int


class StepTab(Struct, frozen=True):
    key: str
    label: str
    count: str
    needs: bool
    go: str = ""


class MissingLink(Struct, frozen=True):
    says: str
    step: str
    item_id: str


class ConflictNote(Struct, frozen=True):
    """A conflict over one mark: what was sent, what is stored, and what posting one's own version again would send."""

    item_id: str
    step: str
    kind: str
    subject: str
    version: int
    yours: str
    yours_value: str
    yours_text: str | None
    stored: str
    stored_at: datetime | None


class ReviewPage(Struct, frozen=True):
    """The reviewer's page while the review is a draft.

    `lines` is filled if there are too many responses to show side by side: then only the text at `opened` is shown, and
    the others are lines with their letters and scores. A small screen shows the responses first if the page
    `begins_with_responses`.
    """

    review_id: int
    nonce: str
    set_name: str
    project_name: str
    round: int
    step: str
    is_open: bool
    closed_because: str
    saved_at: datetime | None
    done: int
    needed: int
    steps: list[StepTab]
    whole: list[ScoreItem]
    is_locked: bool
    has_criteria: bool
    criteria: list[CriterionScores]
    waiting_count: int
    ranking: Ranking | None
    missing: list[MissingLink]
    more_missing: int
    can_undo: bool
    undo_key: str
    lines: list[ScoreLine]
    number: int = 0
    opened: int = 1
    question: str = ""
    responses: list[ShownResponse] = []
    begins_with_responses: bool = False
    single_keys: bool = True
    is_calibration: bool = False


class ChangedParts(Struct, frozen=True):
    """What the response to an act updates besides status, steps and ranking."""

    items: list[ScoreItem] = []
    steps: list[str] = []
    notes: list[ShownResponse] = []
    kept_notes: list[ShownResponse] = []
    conflict: ConflictNote | None = None
    refusal: str = ""
