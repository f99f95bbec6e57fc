"""Lines of an export that are about stages, iterations and games, for leads; and an evaluator's own evaluations.

Texts that are stored as JSON are `msgspec.Raw`: they are passed through without decoding.
"""

from datetime import datetime
from decimal import Decimal

from msgspec import Raw, Struct

from discussions.core import judgement_kinds
from discussions.core.records import Message
from discussions.rating.core.concealed import SeenPlayer, SeenVote

# The name of each kind of judgement in exports.
JUDGEMENT_WORDS = {
    judgement_kinds.REFERENCE: "label",
    judgement_kinds.ROLE_CONSISTENCY: "label",
    judgement_kinds.MISSED: "override",
    judgement_kinds.DELIBERATE: "override",
    judgement_kinds.STRATEGIC_DEPTH: "override",
    judgement_kinds.COHERENCE: "override",
    judgement_kinds.PHRASE: "override",
    judgement_kinds.IDENTIFY: "answer",
    judgement_kinds.IDENTIFY_DECIDES: "answer",
    judgement_kinds.ATTRIBUTION: "answer",
    judgement_kinds.QUESTION: "answer",
    judgement_kinds.RATING: "rating",
}


class ExportedStage(Struct, frozen=True, tag_field="kind", tag="stage"):
    """A stage; `door` is its gate as it was when the next stage was opened, null before."""

    number: int
    name: str
    goal: str
    streak_unit: str
    engagement_rule: str
    created_at: datetime
    created_by: str | None
    stated_at: datetime | None
    stated_by: str | None
    statement: str
    closed_at: datetime | None
    closed_by: str | None
    door: Raw
    override_reason: str


class ExportedDecision(Struct, frozen=True):
    """A decision on a change, with the figures that it was made on. A later one supersedes; the last counts."""

    number: int
    compared_with: int
    look: int
    choice: str
    reason: str
    proposal: Raw
    basis: Raw
    basis_sha256: str
    at: datetime
    by: str | None


class ExportedIteration(Struct, frozen=True, tag_field="kind", tag="iteration"):
    """An iteration; `iteration_kind` is "unsorted", "baseline" or "change". Unsorted games are iteration 0."""

    number: int
    stage: int | None
    stage_name: str
    name: str
    iteration_kind: str
    state: str
    rubric_version: str
    evaluator_count: int
    reveal: str
    identification: str
    prompt: str
    prompt_sha256: str
    compared_with: int | None
    baseline: int | None
    replay_of: int | None
    target: str
    material: Raw
    change_note: str
    hunk_count: int
    hunks_answer: str
    least_games: int
    created_at: datetime
    created_by: str | None
    opened_at: datetime | None
    opened_by: str | None
    decisions: list[ExportedDecision]


class ExportedRevision(Struct, frozen=True):
    """One act on a judgement: what it said before and says after; `undoes` is the version that it takes back."""

    version: int
    before: str
    after: str
    reason: str
    phase: str
    took_ms: int | None
    undoes: int | None
    by: str | None
    at: datetime


class ExportedJudgement(Struct, frozen=True):
    """The newest value of one thing that was judged, and every act. `word` is label, override, answer or rating.

    `kind` and `subject` say what it is about, "" for `value` that nothing counts (any more); `blind_value` is what was
    said before anything was revealed.
    """

    word: str
    kind: str
    subject: str
    value: str
    blind_value: str
    reason: str
    history: list[ExportedRevision]


class ExportedReveal(Struct, frozen=True):
    """What was revealed to the evaluator, and when."""

    what: str
    at: datetime


class ExportedReply(Struct, frozen=True):
    """What was written below a flag."""

    text: str
    at: datetime
    by: str | None


class ExportedRemark(Struct, frozen=True):
    """A flag or a comment on a place of the game."""

    kind: str
    target: str
    text: str
    at: datetime
    by: str | None
    resolved_at: datetime | None
    resolved_by: str | None
    replies: list[ExportedReply]


class ExportedEvaluation(Struct, frozen=True):
    """One evaluator's work on a game. `purpose` is "rating", "repeat" (a hidden duplicate) or "calibration".

    `findings_sha256` names the measurement that it was shown beside, `seed` the draw of its accuracy samples.
    """

    id: int
    evaluator: str | None
    purpose: str
    state: str
    seed: str
    identification: str
    rubric_version: str
    findings_sha256: str
    created_at: datetime
    submitted_at: datetime | None
    skipped_reason: str
    returned_comment: str
    released_reason: str
    judgements: list[ExportedJudgement]
    reveals: list[ExportedReveal]
    remarks: list[ExportedRemark]


class ExportedMeasurement(Struct, frozen=True):
    """The output of the metrics. `figures` is metric -> [numerator, denominator, is applicable, is pending].

    `findings` is metric -> measurement with every message, reference, player and phrase that counted.
    """

    rubric_version: str
    code_version: str
    round_offset_number: int
    input_hash: str
    findings_sha256: str
    at: datetime
    figures: Raw
    findings: Raw


class ExportedAdjudication(Struct, frozen=True):
    """A lead's decision on a disagreement; `before` is the superseded decision's answer, null for the first."""

    kind: str
    subject: str
    number: int
    before: str | None
    after: str
    reason: str
    adopted_evaluation: int | None
    sides_sha256: str
    at: datetime
    by: str | None


class ExportedVerdict(Struct, frozen=True):
    """A recorded verdict with its basis and outcome. `supersedes` is the number of the one before it."""

    number: int
    passes: bool
    passed_count: int
    composite: float | None
    flip_distance: int | None
    weak_pass_count: int
    rubric_version: str
    basis: Raw
    basis_sha256: str
    outcome: Raw
    reason: str
    supersedes: int | None
    is_current: bool
    at: datetime
    by: str | None


class ExportedFigure(Struct, frozen=True):
    """A cost in dollars or a cache hit rate that a lead entered by hand."""

    kind: str
    number: int
    value: Decimal
    reason: str
    at: datetime
    by: str | None


class ExportedWithdrawal(Struct, frozen=True):
    """The game was withdrawn from the averages, or restored."""

    number: int
    is_withdrawn: bool
    reason: str
    at: datetime
    by: str | None


class ExportedOffset(Struct, frozen=True):
    """The round offset that a lead set for the texts."""

    number: int
    offset: int
    at: datetime
    by: str | None


class ExportedGame(Struct, frozen=True, tag_field="kind", tag="game"):
    """A complete game: `record` is the transcript with every message; then what was measured, judged and decided."""

    number: int
    game_id: str
    iteration: int
    stage: int | None
    file: str
    file_sha256: str
    content_sha256: str
    player_count: int
    message_count: int
    word_count: int | None
    round_count: int
    vote_count: int
    cost_usd: Decimal | None
    cache_hit_rate: float | None
    input_tokens: int | None
    warnings: Raw
    imported_at: datetime
    imported_by: str | None
    is_withdrawn: bool
    needed_count: int | None
    needed_reason: str
    record: Raw
    round_offsets: list[ExportedOffset]
    manual_figures: list[ExportedFigure]
    withdrawals: list[ExportedWithdrawal]
    measurements: list[ExportedMeasurement]
    evaluations: list[ExportedEvaluation]
    adjudications: list[ExportedAdjudication]
    verdicts: list[ExportedVerdict]

    @property
    def current_verdict(self) -> ExportedVerdict | None:
        """The current verdict."""
        return next((verdict for verdict in self.verdicts if verdict.is_current), None)


class OwnGame(Struct, frozen=True):
    """A game as its evaluator sees it blind: names, public messages, votes without reasons, who left when."""

    players: list[SeenPlayer]
    messages: list[Message]
    votes: list[SeenVote]


class OwnRemark(Struct, frozen=True):
    """A flag or a comment of the evaluator on a place of the game."""

    kind: str
    target: str
    text: str
    at: datetime


class OwnEvaluation(Struct, frozen=True, tag_field="kind", tag="own_evaluation"):
    """An evaluator's own evaluation, with only their answers and what they may see without a reveal.

    `game` is the number under which the evaluator knows it; `transcript` is null while it is closed to them.
    """

    id: int
    game: int
    evaluator: str | None
    state: str
    created_at: datetime
    submitted_at: datetime | None
    returned_comment: str
    judgements: list[ExportedJudgement]
    remarks: list[OwnRemark]
    transcript: OwnGame | None
