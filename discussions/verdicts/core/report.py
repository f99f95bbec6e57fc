"""The report on a game as a record: the source of its page and of its files, and its scores for other programs."""

import re
from datetime import datetime
from decimal import Decimal
from operator import attrgetter
from typing import Any

import msgspec
from msgspec import Struct

from discussions.adjudication.core.disagreements import AdjudicationRecord
from discussions.adjudication.core.effective import Key
from discussions.core import judgement_kinds
from discussions.core.outcome import Outcome, OutcomeLine, PeopleShare, Reason, Recommendation
from discussions.metrics.core.metric import FigureScale
from discussions.metrics.core.registry import METRICS
from discussions.verdicts.core.basis import Basis, BasisJudgement
from workspace.core.words import say
from workspace.display.core.csv_lines import csv_bytes
from workspace.exports.core.score_events import FAIL, PASS, PENDING, Score


class FigureRow(Struct, frozen=True):
    """A line of a verdict in words, with its `figures` on their `scale`; its `interval` is the bounds alone.

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
    scale: FigureScale


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


# 3: numbers are numbers, and all fields are grouped; files of formats 1 and 2 held the words of the page.
FORMAT = 3
COLUMNS = (
    "project", "game", "game_id", "file", "verdict", "verdict_pass", "metric", "unit", "score", "numerator",
    "denominator", "low", "high", "threshold", "pass", "applicable", "judgements_to_flip", "helped",
)  # fmt: skip


def report_to_json(report: Report) -> bytes:
    facts = {
        "format": FORMAT,
        "game": _game(report),
        "verdict": _verdict(report),
        "metrics": [_metric(line.figures) for line in report.lines],
        "evaluators": [_evaluator(judge, report.questions) for judge in report.judges],
        "overrides": [
            _pick(override, "kind subject label:what automatic:machine? value before? by reason")
            for override in report.overrides
        ],
        "adjudications": [
            _pick(step, "kind subject label:what value adopted? by at reason") for step in report.resolved
        ],
        "recommendations": [
            {"metric": advised.key, "advice": advised.advice} for advised in report.recommendations or []
        ],
    }
    return msgspec.json.format(msgspec.json.encode(facts), indent=2) + b"\n"


def report_to_csv(report: Report) -> bytes:
    facts = (report.project, report.game, report.game_id, report.file_name, report.number, report.passes)
    about = dict(zip(COLUMNS, facts, strict=False))
    rows = []
    for line in report.lines:
        metric = _metric(line.figures)
        cells = about | metric | {"metric": metric["key"]} | (metric["interval"] or {})
        cells["helped"] = metric.get("people", {}).get("helped")
        rows.append([cells.get(column) for column in COLUMNS])
    return csv_bytes(COLUMNS, rows)


def _pick(record: object, names: str) -> dict[str, Any]:
    """What the record has under these names; "label:what" is its `what`, of "before?" an empty one becomes null."""
    found = {}
    for name, _sign, path in (part.partition(":") for part in names.split()):
        value = attrgetter((path or name).rstrip("?"))(record)
        found[name.rstrip("?")] = (value or None) if (path or name).endswith("?") else value
    return found


def _game(report: Report) -> dict[str, Any]:
    cost = None if report.cost_usd is None else float(report.cost_usd)
    return _pick(report, "project number:game id:game_id file:file_name transcript_sha256") | {
        "cost_usd": cost
    }


def _verdict(report: Report) -> dict[str, Any]:
    return {
        **_pick(report, "number pass:passes headline composite"),
        "reasons": [{"code": reason.code, "text": reason.says} for reason in report.reasons],
        "notes": [report.unasked] if report.unasked else [],
        **_pick(
            report, "recorded_at recorded_by correction:reason fewer_evaluators:fewer rubric code_version"
        ),
        "basis_sha256": report.basis_sha256,
    }


def _metric(line: OutcomeLine) -> dict[str, Any]:
    interval = line.interval if METRICS[line.key].has_interval else None
    check = line.manual_check
    said = "threshold pass:passes applicable:is_applicable mandatory:is_mandatory judgements_to_flip:flip"
    return {
        **_pick(line, "key label"),
        "unit": METRICS[line.key].scale.unit,
        **_pick(line, "score numerator denominator"),
        "interval": interval and {"low": interval[0], "high": interval[1]},
        **_pick(line, said),
        "manual_check": check and _pick(check, "yes asked needed agents p pass:passes decides"),
        **_people(line.people),
    }


def _people(people: PeopleShare | None) -> dict[str, Any]:
    """People's estimate, where the version scores by it."""
    if people is None:
        return {}
    said = _pick(people, "share low high judged total counted counts open:is_open")
    return {"people": said | ({"helped": people.helped} if people.helped else {})}


def _evaluator(judge: RatedBy, questions: list[str]) -> dict[str, Any]:
    answers = zip(questions, judge.answers, strict=True)
    return {
        "name": judge.name,
        "submitted_at": judge.submitted_at,
        "rating": float(judge.rating) if judge.rating else None,
        "answers": [
            {"question": question, "answer": {"yes": True, "no": False}.get(answer)}
            for question, answer in answers
        ],
        "comments": [{"target": target, "text": text} for target, _about, text in judge.comments],
    }


def list_scores(outcome: Outcome) -> list[Score]:
    """A score for each metric of a verdict, then the verdict itself: 1 for PASS, 0 for FAIL, None if pending."""
    scores: list[Score] = [
        {
            "name": line.key,
            "value": line.score,
            "label": _label(None if line.is_open else line.passes),
            "explanation": _explain(line),
        }
        for line in outcome.lines
    ]
    says = " ".join([outcome.headline, *(reason.says for reason in outcome.reasons)])
    passes = None if outcome.passes is None else float(outcome.passes)
    return [
        *scores,
        {"name": "verdict", "value": passes, "label": _label(outcome.passes), "explanation": says},
    ]


def _explain(line: OutcomeLine) -> str:
    says = say(
        "{numerator} of {denominator}; the threshold is {threshold:g}.",
        numerator=line.numerator,
        denominator=line.denominator,
        threshold=line.threshold,
    )
    return f"{says} {line.people.helped}." if line.people and line.people.helped else says


def _label(passes: bool | None) -> str:
    return PENDING if passes is None else PASS if passes else FAIL
