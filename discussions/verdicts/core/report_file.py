"""The report on a game for programs, as JSON and CSV: numbers are numbers, keys are stable (docs/report.md)."""

from datetime import datetime
from typing import Literal

import msgspec
from msgspec import Struct, field

from discussions.core.outcome import Line
from discussions.metrics.core.registry import METRICS
from discussions.verdicts.core.report import Report
from workspace.display.core.csv_lines import Cell, csv_bytes

# 3: numbers are numbers, and all fields are grouped; files of formats 1 and 2 held the words of the page.
FORMAT = 3


class Range(Struct, frozen=True):
    """A 95 % interval in the unit of its score."""

    low: float
    high: float


class CheckFigures(Struct, frozen=True):
    """The manual check of who said it: `yes` answers out of those asked. With `agents`, it was the blind test."""

    yes: int
    asked: int
    needed: int
    agents: int
    p: float | None
    passes: bool = field(name="pass")
    decides: bool


class MetricFigures(Struct, frozen=True):
    """A line of the verdict. `judgements_to_flip` is null if no number of judgements would change it."""

    key: str
    label: str
    unit: str
    score: float | None
    numerator: int
    denominator: int
    interval: Range | None
    threshold: float
    passes: bool | None = field(name="pass")
    applicable: bool
    mandatory: bool
    judgements_to_flip: int | None
    manual_check: CheckFigures | None


class ReportedGame(Struct, frozen=True):
    """The identity of the game: its number in the project, its id in the file, and the file."""

    project: str
    number: int
    id: str
    file: str
    transcript_sha256: str
    cost_usd: float | None


class VerdictFacts(Struct, frozen=True):
    """The current verdict, with its reasons as code and sentence; `notes` are sentences on what it rests on."""

    number: int
    passes: bool = field(name="pass")
    headline: str
    composite: float | None
    reasons: list[dict[Literal["code", "text"], str]]
    notes: list[str]
    recorded_at: datetime
    recorded_by: str
    correction: str
    fewer_evaluators: str
    rubric: str
    code_version: str
    basis_sha256: str


class AnswerFacts(Struct, frozen=True):
    """A question of the rubric and an evaluator's answer; null if there is none."""

    question: str
    answer: bool | None


class CommentFacts(Struct, frozen=True):
    """A comment; `target` is "game", "message:19" or "reference:19.2"."""

    target: str
    text: str


class EvaluatorFacts(Struct, frozen=True):
    """An evaluator's judgements of the whole game."""

    name: str
    submitted_at: datetime | None
    rating: float | None
    answers: list[AnswerFacts]
    comments: list[CommentFacts]


class OverrideFacts(Struct, frozen=True):
    """A judgement that differs from the automatic value, or from the person's own answer `before` they saw it."""

    kind: str
    subject: str
    label: str
    automatic: str | None
    value: str
    before: str | None
    by: str
    reason: str


class AdjudicationFacts(Struct, frozen=True):
    """A lead's decision on a disagreement; `adopted` is the evaluator whose answer was adopted."""

    kind: str
    subject: str
    label: str
    value: str
    adopted: str | None
    by: str
    at: datetime
    reason: str


class AdviceFacts(Struct, frozen=True):
    """The rubric's advice for a metric that failed."""

    metric: str
    advice: list[str]


class ReportFile(Struct, frozen=True):
    """A report file of format 3."""

    format: int
    game: ReportedGame
    verdict: VerdictFacts
    metrics: list[MetricFigures]
    evaluators: list[EvaluatorFacts]
    overrides: list[OverrideFacts]
    adjudications: list[AdjudicationFacts]
    recommendations: list[AdviceFacts]


COLUMNS = (
    "project", "game", "game_id", "file", "verdict", "verdict_pass", "metric", "unit", "score", "numerator",
    "denominator", "low", "high", "threshold", "pass", "applicable", "judgements_to_flip",
)  # fmt: skip


def build_report_file(report: Report) -> ReportFile:
    """The report for programs."""
    return ReportFile(
        format=FORMAT,
        game=_game(report),
        verdict=_verdict(report),
        metrics=[_metric(line.figures) for line in report.lines],
        evaluators=_evaluators(report),
        overrides=[
            OverrideFacts(
                kind=override.kind,
                subject=override.subject,
                label=override.what,
                automatic=override.machine or None,
                value=override.value,
                before=override.before or None,
                by=override.by,
                reason=override.reason,
            )
            for override in report.overrides
        ],
        adjudications=_adjudications(report),
        recommendations=[
            AdviceFacts(advised.key, advised.advice) for advised in report.recommendations or []
        ],
    )


def report_to_json(report: Report) -> bytes:
    """The report as indented JSON, keys in the order of the record."""
    return msgspec.json.format(msgspec.json.encode(build_report_file(report)), indent=2) + b"\n"


def report_to_csv(report: Report) -> bytes:
    """The metrics of the report, one row each."""
    about: list[Cell] = [report.project, report.game, report.game_id, report.file_name]
    about += [report.number, report.passes]
    return csv_bytes(COLUMNS, [[*about, *_cells(_metric(line.figures))] for line in report.lines])


def _game(report: Report) -> ReportedGame:
    return ReportedGame(
        project=report.project,
        number=report.game,
        id=report.game_id,
        file=report.file_name,
        transcript_sha256=report.transcript_sha256,
        cost_usd=None if report.cost_usd is None else float(report.cost_usd),
    )


def _adjudications(report: Report) -> list[AdjudicationFacts]:
    return [
        AdjudicationFacts(
            kind=step.kind,
            subject=step.subject,
            label=step.what,
            value=step.value,
            adopted=step.adopted or None,
            by=step.by,
            at=step.at,
            reason=step.reason,
        )
        for step in report.resolved
    ]


def _verdict(report: Report) -> VerdictFacts:
    return VerdictFacts(
        number=report.number,
        passes=report.passes,
        headline=report.headline,
        composite=report.composite,
        reasons=[{"code": reason.code, "text": reason.says} for reason in report.reasons],
        notes=[report.unasked] if report.unasked else [],
        recorded_at=report.recorded_at,
        recorded_by=report.recorded_by,
        correction=report.reason,
        fewer_evaluators=report.fewer,
        rubric=report.rubric,
        code_version=report.code_version,
        basis_sha256=report.basis_sha256,
    )


def _metric(line: Line) -> MetricFigures:
    check = line.manual_check
    has_interval = line.interval is not None and METRICS[line.key].has_interval
    return MetricFigures(
        key=line.key,
        label=line.label,
        unit=METRICS[line.key].scale.unit,
        score=line.score,
        numerator=line.numerator,
        denominator=line.denominator,
        interval=Range(*line.interval) if line.interval and has_interval else None,
        threshold=line.threshold,
        passes=line.passes,
        applicable=line.is_applicable,
        mandatory=line.is_mandatory,
        judgements_to_flip=line.flip,
        manual_check=None
        if check is None
        else CheckFigures(
            yes=check.yes,
            asked=check.asked,
            needed=check.needed,
            agents=check.agents,
            p=check.p,
            passes=check.passes,
            decides=check.decides,
        ),
    )


def _evaluators(report: Report) -> list[EvaluatorFacts]:
    return [
        EvaluatorFacts(
            name=judge.name,
            submitted_at=judge.submitted_at,
            rating=float(judge.rating) if judge.rating else None,
            answers=[
                AnswerFacts(question, {"yes": True, "no": False}.get(answer))
                for question, answer in zip(report.questions, judge.answers, strict=True)
            ],
            comments=[CommentFacts(comment.target, comment.text) for comment in judge.comments],
        )
        for judge in report.judges
    ]


def _cells(found: MetricFigures) -> list[Cell]:
    interval = found.interval
    return [
        found.key,
        found.unit,
        found.score,
        found.numerator,
        found.denominator,
        None if interval is None else interval.low,
        None if interval is None else interval.high,
        found.threshold,
        found.passes,
        found.applicable,
        found.judgements_to_flip,
    ]
