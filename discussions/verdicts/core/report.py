"""The report on a game as a record: the source of the page and of its files in Markdown, JSON and CSV."""

import re
from datetime import datetime
from decimal import Decimal

from msgspec import Struct

from discussions.adjudication.core.disagreements import AdjudicationRecord
from discussions.adjudication.core.effective import Key
from discussions.core import judgement_kinds
from discussions.core.outcome import OutcomeLine, Reason, Recommendation
from discussions.metrics.core.registry import METRICS
from discussions.verdicts.core.basis import Basis, BasisJudgement
from workspace.display.core.charts import compute_track_position


class FigureRow(Struct, frozen=True):
    """A line of a verdict in words, with its `figures`; its `interval` is the bounds alone.

    `text` is the score, never rounded across its threshold, and `count` the counts behind it. `state` is "pass", "fail"
    "open" or "pending". `flips` says what would change it, `next_game` where another game under the same prompt would
    score, `check` the result of the manual check.
    """

    label: str
    text: str
    count: str
    threshold: str
    state: str
    says: str
    interval: str
    flips: str
    next_game: str
    check: str
    figures: OutcomeLine

    @property
    def key(self) -> str:
        return self.figures.key

    def place(self, value: float) -> float:
        """Where a score stands between the ends of the metric's scale, in percent."""
        scale = METRICS[self.key].scale
        return compute_track_position(value, scale.low, scale.high)


class Override(Struct, frozen=True):
    """A judgement that differs from the automatic value, or from the blind value of the same person.

    `what` is the subject in words ("Strategic depth, message 19"), `says`, `machine_says` and `before_says` are the
    values in words; all four are "" until a page fills them in.
    """

    kind: str
    subject: str
    machine: str
    value: str
    before: str
    by: str
    reason: str
    what: str = ""
    says: str = ""
    machine_says: str = ""
    before_says: str = ""


class RatedBy(Struct, frozen=True):
    """An evaluator: the name, the time of submission, the rating, the answers to the report's questions, comments.

    A comment is its target, that in words, and its text.
    """

    name: str
    submitted_at: datetime | None
    rating: str
    answers: list[str]
    comments: list[tuple[str, str, str]]


class AdjudicationStep(Struct, frozen=True):
    """An adjudication. `adopted` is the evaluator whose answer the lead adopted, "" for the lead's own answer.

    `earlier` are the adjudications that it supersedes, the oldest first, each with its value in words. `what` and
    `says` are its own subject and value in words.
    """

    kind: str
    subject: str
    value: str
    what: str
    says: str
    adopted: str
    by: str
    at: datetime
    reason: str
    earlier: list[tuple[str, AdjudicationRecord]]


class Report(Struct, frozen=True):
    """The report in the order of the rubric's appendix.

    `game_id` is the id in the file and `file_name` the name of the file. `questions` are those that the evaluators
    answered, `recommendations` is None for evaluators, who do not write prompts. `bases` says which games the ranges of
    the next game are predicted from. `resolved` are the adjudications; `fewer` says why fewer evaluators than planned
    were enough; `unasked` says how many suggested references nobody looked at.
    """

    project: str
    game: int
    game_id: str
    file_name: str
    transcript_sha256: str
    rubric: str
    code_version: str
    number: int
    recorded_at: datetime
    recorded_by: str
    reason: str
    lines: list[FigureRow]
    headline: str
    passes: bool
    reasons: list[Reason]
    cost_usd: Decimal | None
    cost_says: str
    turns: str
    composite: float | None
    recommendations: list[Recommendation] | None
    questions: list[str]
    judges: list[RatedBy]
    overrides: list[Override]
    basis_sha256: str
    bases: list[str] = []
    resolved: list[AdjudicationStep] = []
    fewer: str = ""
    unasked: str = ""


def list_overrides(
    basis: Basis, machine: dict[Key, str], names: dict[int, str], reasons: dict[int, str]
) -> list[Override]:
    """Judgements that differ from the automatic value, add a reference, accept a phrase, or changed after a reveal.

    `names` are the evaluators by evaluation id, `reasons` the reasons by judgement id.
    """
    found = []
    for judgement in sorted(
        basis.judgements, key=lambda judgement: make_sort_key(judgement.kind, judgement.subject)
    ):
        found_by_machine = machine.get((judgement.kind, judgement.subject), "")
        if not _is_override(judgement, found_by_machine):
            continue
        found.append(
            Override(
                kind=judgement.kind,
                subject=judgement.subject,
                machine=found_by_machine,
                value=judgement.value,
                before=judgement.blind_value if judgement.blind_value != judgement.value else "",
                by=names.get(judgement.evaluation, ""),
                reason=reasons.get(judgement.id, ""),
            )
        )
    return found


def _is_override(judgement: BasisJudgement, machine: str) -> bool:
    if not judgement.value:
        return False
    if judgement.kind in (
        judgement_kinds.QUESTION,
        judgement_kinds.RATING,
        *judgement_kinds.AUTHORSHIP_KINDS,
    ):
        return False
    if judgement.kind in judgement_kinds.MESSAGE_KINDS:
        return judgement.value != machine
    if judgement.kind == judgement_kinds.REFERENCE:
        return bool(judgement.blind_value) and judgement.blind_value != judgement.value
    return True


def make_sort_key(kind: str, subject: str) -> tuple[str, tuple[int, ...], str]:
    numbers = tuple(int(part) for part in re.findall(r"\d{1,9}", subject)[:2])
    return kind, numbers, subject
