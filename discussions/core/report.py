"""The report on one game, as a record that the page, Markdown and JSON are made of."""

from datetime import datetime
from decimal import Decimal

import msgspec
from msgspec import Struct

from discussions.core import kinds
from discussions.core.basis import Basis, BasisJudgement
from discussions.core.effective import Key
from discussions.core.settlings import Settling, place_of, what_of

FORMAT = 1


class ReportLine(Struct, frozen=True):
    """A line of the verdict: the figure as shown, what it was counted from, and PASS or FAIL in words."""

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
        return what_of(self.kind, self.subject)


class Judge(Struct, frozen=True):
    """Who judged: the name, when it was handed in, the rating, the answers in order, and comments."""

    name: str
    submitted_at: datetime | None
    rating: str
    answers: list[str]
    comments: list[str]


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
    settled: list[Settling] = []
    fewer: str = ""


def overrides_of(
    basis: Basis, machine: dict[Key, str], names: dict[int, str], reasons: dict[int, str]
) -> list[Override]:
    """Judgements that differ from the machine, add a reference, accept a phrase, or changed after a reveal.

    `names` are those of evaluations, `reasons` those given with judgements, both by id.
    """
    found = []
    for one in sorted(basis.judgements, key=_place):
        found_by_machine = machine.get((one.kind, one.subject), "")
        if not _is_override(one, found_by_machine):
            continue
        found.append(
            Override(
                kind=one.kind,
                subject=one.subject,
                machine=found_by_machine,
                value=one.value,
                before=one.blind_value if one.blind_value != one.value else "",
                by=names.get(one.evaluation, ""),
                reason=reasons.get(one.id, ""),
            )
        )
    return found


def json_of(report: Report) -> bytes:
    """The report as indented JSON, keys in the order of the record."""
    return msgspec.json.format(msgspec.json.encode(report), indent=2) + b"\n"


def _is_override(one: BasisJudgement, machine: str) -> bool:
    if not one.value:
        return False
    if one.kind in (kinds.QUESTION, kinds.RATING, *kinds.OF_WHO_SAID_IT):
        return False
    if one.kind in kinds.OF_A_MESSAGE:
        return one.value != machine
    if one.kind == kinds.REFERENCE:
        return bool(one.blind_value) and one.blind_value != one.value
    return True


def _place(one: BasisJudgement) -> tuple[str, tuple[int, ...], str]:
    return place_of(one.kind, one.subject)
