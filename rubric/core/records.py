"""A version of a rubric as plain records: what a criterion asks, what it weighs, and the parameters of its metrics.

The JSON of a version has the keys `name version kind criteria parameters lists`; it is what `measure_file --rubric`
reads, what an admin exports and imports, and what a published row stores.
"""

from typing import Any

from msgspec import Struct

DISCUSSION = "discussion"
RESPONSE = "response"


class Criterion(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """One line of a rubric. `threshold` is in the unit of the score (percent, or 1 to 5); weights sum to 1."""

    key: str
    label: str
    description: str
    weight: float
    threshold: float | None = None
    is_mandatory: bool = False
    question: str = ""
    guiding_questions: list[str] = []
    anchors: dict[str, str] = {}
    advice: list[str] = []


class RubricRecord(Struct, frozen=True, forbid_unknown_fields=True):
    """One version of a rubric. `parameters` holds every choice and count by name, `lists` the word lists."""

    name: str
    version: str
    kind: str
    criteria: list[Criterion]
    parameters: dict[str, Any]
    lists: dict[str, Any]
    source: str = ""

    def criterion(self, key: str) -> Criterion:
        """The criterion with that key; raises KeyError when the rubric has none."""
        for criterion in self.criteria:
            if criterion.key == key:
                return criterion
        raise KeyError(key)
