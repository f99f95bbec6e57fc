"""Scores for other programs: records of one shape, and log events as OpenTelemetry's conventions for GenAI name them.

The event `gen_ai.evaluation.result` is defined in open-telemetry/semantic-conventions-genai, model/gen-ai/events.yaml,
whose state is "development"; the JSON is that of OTLP 1 (requests of the logs service).
"""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

# A name, a value (None is unknown), a label and an explanation; texts are "" where there is nothing to say.
Score = dict[str, str | float | None]
PASS, FAIL, PENDING = "pass", "fail", "pending"


def write_events(
    scores: Iterable[Score], *, conversation: str, about: Mapping[str, object], at: datetime, version: str
) -> dict[str, Any]:
    """A request of OTLP logs with an event for each score. `conversation` is what the transcript calls itself."""
    moment = f"{int(at.timestamp())}{at.microsecond:06d}000"
    records = [
        {
            "timeUnixNano": moment,
            "observedTimeUnixNano": moment,
            "severityNumber": 9,
            "eventName": "gen_ai.evaluation.result",
            "attributes": _list_attributes(
                {
                    "gen_ai.evaluation.name": score["name"],
                    "gen_ai.evaluation.score.value": score["value"],
                    "gen_ai.evaluation.score.label": score["label"],
                    "gen_ai.evaluation.explanation": score["explanation"],
                    "gen_ai.conversation.id": conversation,
                    **about,
                }
            ),
        }
        for score in scores
    ]
    resource = {"attributes": _list_attributes({"service.name": "evalsite", "service.version": version})}
    logs = [{"scope": {"name": "evalsite", "version": version}, "logRecords": records}]
    return {"resourceLogs": [{"resource": resource, "scopeLogs": logs}]}


def _list_attributes(values: Mapping[str, object]) -> list[dict[str, Any]]:
    return [
        {"key": name, "value": _type_value(value)}
        for name, value in values.items()
        if value not in (None, "")
    ]


def _type_value(value: object) -> dict[str, object]:
    """OTLP writes whole numbers as texts."""
    if isinstance(value, int):
        return {"intValue": str(value)}
    return {"doubleValue": value} if isinstance(value, float) else {"stringValue": str(value)}
