"""The report on a game as a record: the source of the page, the Markdown file and the JSON file."""

import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from decimal import Decimal

import msgspec
from msgspec import Struct

from discussions.adjudication.core.disagreements import AdjudicationRecord
from discussions.adjudication.core.effective import Key
from discussions.core import judgement_kinds
from discussions.verdicts.core.basis import Basis, BasisJudgement

# 2: `turns` says what the metric was counted on, and `next_game` takes the place of `doubt`.
FORMAT = 2


class ReportLine(Struct, frozen=True):
    """A line of the verdict in words.

    `text` is the score, never rounded across its threshold, and `count` the counts behind it. `says` is PASS or FAIL,
    `turns` says what this game was counted on and what would change it, `next_game` where another game under the same
    prompt would score, `check` the result of the manual check.
    """

    key: str
    label: str
    text: str
    count: str
    threshold: str
    says: str
    interval: str
    turns: str
    next_game: str
    check: str


class Override(Struct, frozen=True):
    """A judgement that differs from the automatic value, or from the blind value of the same person."""

    kind: str
    subject: str
    machine: str
    value: str
    before: str
    by: str
    reason: str

    @property
    def what(self) -> str:
        """The subject in words: "strategic depth, message 19"."""
        return describe_judgement(self.kind, self.subject)


class Judge(Struct, frozen=True):
    """An evaluator: the name, the time of submission, the rating, the answers in order, and comments."""

    name: str
    submitted_at: datetime | None
    rating: str
    answers: list[str]
    comments: list[str]


class AdjudicationStep(Struct, frozen=True):
    """An adjudication. `adopted` is the evaluator whose answer the lead adopted, "" for an answer of the lead.

    `earlier` are sentences on the adjudications that it supersedes, the oldest first.
    """

    kind: str
    subject: str
    value: str
    adopted: str
    by: str
    at: datetime
    reason: str
    earlier: list[str]

    @property
    def what(self) -> str:
        return describe_judgement(self.kind, self.subject)

    @property
    def says(self) -> str:
        """The value in words."""
        return self.value.replace("_", " ") or "no"


class Report(Struct, frozen=True):
    """The report in the order of the rubric's appendix.

    `resolved` are the adjudications; `fewer` says why fewer evaluators than planned were enough.
    """

    format: int
    project: str
    game: int
    transcript_sha256: str
    rubric: str
    code_version: str
    number: int
    recorded_at: datetime
    recorded_by: str
    reason: str
    lines: list[ReportLine]
    headline: str
    passes: bool
    reasons: list[str]
    cost_usd: Decimal | None
    cost_says: str
    turns: str
    composite: float | None
    recommendations: list[tuple[str, list[str]]]
    judges: list[Judge]
    overrides: list[Override]
    basis_sha256: str
    settled: list[AdjudicationStep] = []
    fewer: str = ""


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


def report_to_json(report: Report) -> bytes:
    """The report as indented JSON, keys in the order of the record."""
    return msgspec.json.format(msgspec.json.encode(report), indent=2) + b"\n"


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


def describe_judgement(kind: str, subject: str) -> str:
    """A judged subject in words: "strategic depth, message 19"."""
    name = kind.replace("_", " ")
    joint = ", message " if kind in judgement_kinds.MESSAGE_KINDS else " "
    return f"{name}{joint}{subject}" if subject else name


def build_adjudication_trail(
    basis: Basis, ever: Iterable[AdjudicationRecord], names: Mapping[int, str]
) -> list[AdjudicationStep]:
    """The adjudications of the basis in the order of the transcript, each with the earlier ones on its subject.

    `ever` are all adjudications of the game, the oldest first; `names` are the evaluators by evaluation id.
    """
    named = {adjudication.id for adjudication in basis.adjudications}
    chains: dict[Key, list[AdjudicationRecord]] = {}
    for adjudication in ever:
        chains.setdefault((adjudication.kind, adjudication.subject), []).append(adjudication)
    found = []
    for chain in chains.values():
        for number, adjudication in enumerate(chain):
            if adjudication.id in named:
                found.append(
                    AdjudicationStep(
                        kind=adjudication.kind,
                        subject=adjudication.subject,
                        value=adjudication.value,
                        adopted="" if adjudication.adopted is None else names.get(adjudication.adopted, ""),
                        by=adjudication.by_name,
                        at=adjudication.at,
                        reason=adjudication.reason,
                        earlier=[_superseded(before) for before in chain[:number]],
                    )
                )
    return sorted(found, key=lambda step: make_sort_key(step.kind, step.subject))


def _superseded(record: AdjudicationRecord) -> str:
    return f"{record.value.replace('_', ' ') or 'no'}, by {record.by_name} on {record.at:%Y-%m-%d}: {record.reason}"


def make_sort_key(kind: str, subject: str) -> tuple[str, tuple[int, ...], str]:
    """Sorts subjects of a kind by their position in the transcript."""
    numbers = tuple(int(part) for part in re.findall(r"\d{1,9}", subject)[:2])
    return kind, numbers, subject
