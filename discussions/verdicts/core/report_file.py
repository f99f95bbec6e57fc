"""The report on a game for programs, as JSON and CSV: numbers are numbers, keys are stable (docs/report.md)."""

from typing import Any

import msgspec

from discussions.core.outcome import OutcomeLine, PeopleShare
from discussions.metrics.core.registry import METRICS
from discussions.verdicts.core.report import RatedBy, Report
from workspace.display.core.csv_lines import csv_bytes

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
            {
                "kind": override.kind,
                "subject": override.subject,
                "label": override.what,
                "automatic": override.machine or None,
                "value": override.value,
                "before": override.before or None,
                "by": override.by,
                "reason": override.reason,
            }
            for override in report.overrides
        ],
        "adjudications": [
            {
                "kind": step.kind,
                "subject": step.subject,
                "label": step.what,
                "value": step.value,
                "adopted": step.adopted or None,
                "by": step.by,
                "at": step.at,
                "reason": step.reason,
            }
            for step in report.resolved
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


def _game(report: Report) -> dict[str, Any]:
    return {
        "project": report.project,
        "number": report.game,
        "id": report.game_id,
        "file": report.file_name,
        "transcript_sha256": report.transcript_sha256,
        "cost_usd": None if report.cost_usd is None else float(report.cost_usd),
    }


def _verdict(report: Report) -> dict[str, Any]:
    return {
        "number": report.number,
        "pass": report.passes,
        "headline": report.headline,
        "composite": report.composite,
        "reasons": [{"code": reason.code, "text": reason.says} for reason in report.reasons],
        "notes": [report.unasked] if report.unasked else [],
        "recorded_at": report.recorded_at,
        "recorded_by": report.recorded_by,
        "correction": report.reason,
        "fewer_evaluators": report.fewer,
        "rubric": report.rubric,
        "code_version": report.code_version,
        "basis_sha256": report.basis_sha256,
    }


def _metric(line: OutcomeLine) -> dict[str, Any]:
    interval = line.interval if METRICS[line.key].has_interval else None
    check = line.manual_check
    return {
        "key": line.key,
        "label": line.label,
        "unit": METRICS[line.key].scale.unit,
        "score": line.score,
        "numerator": line.numerator,
        "denominator": line.denominator,
        "interval": interval and {"low": interval[0], "high": interval[1]},
        "threshold": line.threshold,
        "pass": line.passes,
        "applicable": line.is_applicable,
        "mandatory": line.is_mandatory,
        "judgements_to_flip": line.flip,
        "manual_check": check
        and {
            "yes": check.yes,
            "asked": check.asked,
            "needed": check.needed,
            "agents": check.agents,
            "p": check.p,
            "pass": check.passes,
            "decides": check.decides,
        },
        **_people(line.people),
    }


def _people(people: PeopleShare | None) -> dict[str, Any]:
    """People's estimate, where the version scores by it."""
    if people is None:
        return {}
    names = ("share", "low", "high", "judged", "total", "counted", "counts")
    helped = {"helped": people.helped} if people.helped else {}
    return {"people": {name: getattr(people, name) for name in names} | {"open": people.is_open} | helped}


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
