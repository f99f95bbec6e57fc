"""A version as the texts of its editor: one text a field, lists with one entry a line.

Fields are named `source`, `c0-label` (a criterion's, by its place), `p-pass_count` (a parameter's) and
`l-patterns.accuse` (a list's; a part of a list of lists after the point).
"""

from collections.abc import Mapping
from typing import Any

from rubric.core.game_specs import choices_for
from rubric.core.records import Criterion, RubricRecord
from rubric.core.weights import decimal_text, exact

YES, NO = "yes", "no"
PARTS = ("key", "label", "description", "weight", "threshold", "is_mandatory", "question")
LINES = ("guiding_questions", "anchors", "advice")
CRITERION_FIELDS = (*PARTS, *LINES)
BETWEEN = " | "


def draft_texts(record: RubricRecord) -> dict[str, str]:
    """Field -> text, everything that the editor shows of the version."""
    texts = {"source": record.source}
    for index, criterion in enumerate(record.criteria):
        texts |= {f"c{index}-{name}": text for name, text in criterion_texts(criterion).items()}
    texts |= {f"p-{name}": value_text(value) for name, value in record.parameters.items()}
    return texts | {f"l-{name}": "\n".join(entries) for name, entries in list_entries(record.lists).items()}


def criterion_texts(criterion: Criterion) -> dict[str, str]:
    """Part of a criterion -> text."""
    return {
        "key": criterion.key,
        "label": criterion.label,
        "description": criterion.description,
        "weight": number_text(criterion.weight),
        "threshold": "" if criterion.threshold is None else number_text(criterion.threshold),
        "is_mandatory": YES if criterion.is_mandatory else "",
        "question": criterion.question,
        "guiding_questions": "\n".join(criterion.guiding_questions),
        "anchors": "\n".join(f"{point}: {says}" for point, says in criterion.anchors.items()),
        "advice": "\n".join(criterion.advice),
    }


def list_entries(lists: Mapping[str, Any]) -> dict[str, list[str]]:
    """Name of a list, or of a part of it ("role_map.mafia"), -> its entries as texts."""
    found: dict[str, list[str]] = {}
    for name, value in lists.items():
        if isinstance(value, dict):
            found |= {f"{name}.{part}": _entries(entries) for part, entries in value.items()}
        else:
            found[name] = _entries(value)
    return found


def value_text(value: Any) -> str:
    """A parameter's value as it stands in its field."""
    if isinstance(value, bool):
        return YES if value else NO
    return number_text(value) if isinstance(value, float) else str(value)


def number_text(number: float) -> str:
    """A number in decimals, without a point where it is whole."""
    return decimal_text(exact(number))


def choice_texts(name: str, value: Any) -> list[str]:
    """What a parameter can be, as texts; [] when it is a number."""
    if choices := choices_for(name):
        return [value_text(choice) for choice in choices]
    return [YES, NO] if isinstance(value, bool) else []


def _entries(value: Any) -> list[str]:
    rows = value if isinstance(value, list) else [value]
    return [BETWEEN.join(map(str, row.values())) if isinstance(row, dict) else str(row) for row in rows]
