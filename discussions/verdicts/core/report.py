"""The report on one game, as a record that the page, Markdown and JSON are made of.

What leads settled between evaluators, as a report tells it: with what each supersedes.
"""

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

FORMAT = 1


class ReportLine(Struct, frozen=True):
    """A line of the verdict in words.

    `text` is the score, never rounded across its threshold, and `count` the counts behind it. `says` is PASS or FAIL,
    `doubt` says that a re-run could change it, `turns` what would change it, `check` the result of the manual check.
    """

    key: str
    label: str
    text: str
    count: str
    threshold: str
    says: str
    interval: str
    doubt: str
    turns: str
    check: str


class Override(Struct, frozen=True):
    """One place where a person took another view than the machine, or than they had before a reveal."""

    kind: str
    subject: str
    machine: str
    value: str
    before: str
    by: str
    reason: str

    @property
    def what(self) -> str:
        """The thing judged, for reading: "strategic depth, message 19"."""
        return describe_judgement(self.kind, self.subject)


class Judge(Struct, frozen=True):
    """Who judged: the name, when it was handed in, the rating, the answers in order, and comments."""

    name: str
    submitted_at: datetime | None
    rating: str
    answers: list[str]
    comments: list[str]


class AdjudicationStep(Struct, frozen=True):
    """What a lead settled where evaluators differed: by adopting somebody's answer, or anew (`adopted` is "").

    `earlier` are what it supersedes, the oldest first, in sentences.
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
        """The thing settled, for reading."""
        return describe_judgement(self.kind, self.subject)

    @property
    def says(self) -> str:
        """What it was settled on, for reading."""
        return self.value.replace("_", " ") or "no"


class Report(Struct, frozen=True):
    """One game's report in the order of the rubric's appendix.

    `settled` is what leads settled between evaluators, `fewer` why fewer evaluators than asked for were enough.
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
    """Judgements that differ from the machine, add a reference, accept a phrase, or changed after a reveal.

    `names` are those of evaluations, `reasons` those given with judgements, both by id.
    """
    found = []
    for judgement in sorted(basis.judgements, key=_place):
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


def _place(judgement: BasisJudgement) -> tuple[str, tuple[int, ...], str]:
    return make_sort_key(judgement.kind, judgement.subject)


def describe_judgement(kind: str, subject: str) -> str:
    """A thing that is judged, for reading: "strategic depth, message 19"."""
    name = kind.replace("_", " ")
    joint = ", message " if kind in judgement_kinds.MESSAGE_KINDS else " "
    return f"{name}{joint}{subject}" if subject else name


def build_adjudication_trail(
    basis: Basis, ever: Iterable[AdjudicationRecord], names: Mapping[int, str]
) -> list[AdjudicationStep]:
    """What leads settled of what the basis rests on, as the transcript goes, with what each supersedes.

    `ever` is everything that was settled in the game, the oldest first; `names` are those of evaluations.
    """
    named = {adjudication.id for adjudication in basis.adjudications}
    chains: dict[Key, list[AdjudicationRecord]] = {}
    for adjudication in ever:
        chains.setdefault((adjudication.kind, adjudication.subject), []).append(adjudication)
    found = []
    for chain in chains.values():
        for place, adjudication in enumerate(chain):
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
                        earlier=[_superseded(before) for before in chain[:place]],
                    )
                )
    return sorted(found, key=lambda step: make_sort_key(step.kind, step.subject))


def _superseded(record: AdjudicationRecord) -> str:
    return f"{record.value.replace('_', ' ') or 'no'}, by {record.by_name} on {record.at:%Y-%m-%d}: {record.reason}"


def make_sort_key(kind: str, subject: str) -> tuple[str, tuple[int, ...], str]:
    """What sorts things of one kind as the transcript goes."""
    numbers = tuple(int(part) for part in re.findall(r"\d{1,9}", subject)[:2])
    return kind, numbers, subject
