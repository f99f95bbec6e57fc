"""The report on one game: what is in it, and how it is written as Markdown and JSON. Text of others is never markup."""

import re
from datetime import datetime
from decimal import Decimal

import msgspec
from msgspec import Struct

from discussions.core import kinds
from discussions.core.basis import Basis, BasisJudgement
from discussions.core.effective import Key
from discussions.core.settlings import Settling, place_of, what_of
from workspace.core.text_display import pieces

FORMAT = 1
# Everything that Markdown or HTML could read as more than a character.
_INLINE = re.compile(r"([\\`*_\[\]<>|~&])")
_MARKUP = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~&\"'$:@^=])")


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


def markdown_of(report: Report) -> str:
    """The report as Markdown. Names, reasons and comments are escaped or fenced, hidden characters shown by code."""
    parts = [
        f"# {plain(report.project)}, game {report.game}",
        "",
        *_figures(report),
        "",
        f"**Result:** {said(report.headline)}",
        "",
        *[f"- {said(reason)}" for reason in report.reasons],
        *([f"- Cost: {said(report.cost_says)}"] if report.cost_says else []),
        *([f"- {said(report.turns)}"] if report.turns else []),
        "",
        *_advice(report),
        "## Who judged",
        "",
        *[line for judge in report.judges for line in _judge(judge)],
        *(
            ["", f"Fewer evaluators than asked for were enough: {plain(report.fewer)}"]
            if report.fewer
            else []
        ),
        "",
        *_settled(report),
        "## What was overridden",
        "",
        *([_override(one) for one in report.overrides] or ["Nothing: the machine's findings were accepted."]),
        "",
        *_foot(report),
    ]
    return "\n".join(parts) + "\n"


def plain(text: str) -> str:
    """Text that stays text in Markdown: on one line, hidden characters named, every sign of markup escaped."""
    shown = "".join(piece.text for piece in pieces(" ".join(text.split())))
    return _MARKUP.sub(r"\\\1", shown)


def said(text: str) -> str:
    """A sentence of the rubric or of ours: what could open markup inside a line is escaped, the rest stays readable."""
    return _INLINE.sub(r"\\\1", " ".join(text.split()))


def fenced(text: str) -> str:
    """Longer text in a fence that it cannot close."""
    shown = "".join(piece.text for piece in pieces(text.replace("\r", "\n")))
    longest = max((len(run) for run in re.findall(r"`+", shown)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{shown}\n{fence}"


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


def _figures(report: Report) -> list[str]:
    found = []
    for line in report.lines:
        notes = [note for note in (line.interval, line.doubt, line.check, line.turns) if note]
        more = f" ({said('; '.join(notes))})" if notes else ""
        found.append(
            f"- {said(line.label)}: **{said(line.text)}**, {said(line.count)}, threshold {said(line.threshold)}: "
            f"**{said(line.says)}**{more}"
        )
    return found


def _advice(report: Report) -> list[str]:
    if not report.recommendations:
        return ["**Recommendation:** none, every metric passes.", ""]
    found = []
    for label, advice in report.recommendations:
        found += [f"**Recommendation:** work on {said(label.lower())}.", ""]
        found += [*[f"- {said(line)}" for line in advice], ""]
    return found


def _judge(judge: Judge) -> list[str]:
    when = f", submitted {judge.submitted_at:%Y-%m-%d %H:%M} UTC" if judge.submitted_at else ""
    answers = ", ".join(answer or "no answer" for answer in judge.answers)
    found = [f"- {plain(judge.name)}{when}: rating {judge.rating or 'none'}; answers {said(answers)}"]
    for comment in judge.comments:
        found += ["", fenced(comment), ""]
    return found


def _settled(report: Report) -> list[str]:
    if not report.settled:
        return []
    found = ["## What a lead settled between evaluators", ""]
    for one in report.settled:
        how = f"as {plain(one.adopted)} said" if one.adopted else "decided anew"
        found.append(
            f"- {plain(one.what)}: **{one.says}**, {how}, {plain(one.by)} on {one.at:%Y-%m-%d}: {plain(one.reason)}"
        )
        found += [f"  - before: {plain(before)}" for before in one.earlier]
    return [*found, ""]


def _override(one: Override) -> str:
    was = f" (machine: {one.machine.replace('_', ' ')})" if one.machine else ""
    before = f", {one.before.replace('_', ' ')} before the reveal" if one.before else ""
    reason = f": {plain(one.reason)}" if one.reason else ""
    return f"- {plain(one.what)}: **{one.value.replace('_', ' ')}**{was}{before}, {plain(one.by)}{reason}"


def _foot(report: Report) -> list[str]:
    when = f"{report.recorded_at:%Y-%m-%d %H:%M} UTC by {plain(report.recorded_by)}."
    correction = f" Correction: {plain(report.reason)}" if report.reason else ""
    versions = f"Rubric {said(report.rubric)}; measured by code {report.code_version}; "
    hashes = f"transcript SHA-256 {report.transcript_sha256}; basis SHA-256 {report.basis_sha256}"
    return [f"Verdict {report.number}, recorded {when}{correction}", "", versions + hashes]
