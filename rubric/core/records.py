"""Plain records: a rubric version (what is asked, with which weights), and a review as it was read.

The JSON of a version has the keys `name version kind criteria parameters lists`; it is what `measure_file --rubric`
reads, what an admin exports and imports, and what a published row stores."""

from fractions import Fraction
from typing import Any

from msgspec import Struct

from rubric.core.scales import COMMON, Scale

DISCUSSION = "discussion"
RESPONSE = "response"

# How a review was given: with every score, with some, with only a holistic score or a ranking, not at all.
RUBRIC = "rubric"
PARTIAL = "partial"
HOLISTIC = "holistic"
BOTH = "both"
ABSTAINED = "abstained"
UNREADABLE = "unreadable"

MOST_RESPONSES = 26  # of a comparison: one for each letter of the alphabet
FEWEST_SHOWN = 2  # responses, or there is nothing to compare

# One uploaded file.
UPLOAD_BYTES = 32 * 1024 * 1024
UPLOAD_LINES = 10_000

# At most this percentage of a person's comparisons are hidden duplicates.
MOST_REPEATS = 50


class Criterion(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """One line of a rubric. `threshold` is in the unit of the score (percent, or 1 to 5); weights sum to 1.

    `scale` is what a response can score; None is the common scale, 1 to 10. Criteria of games have none.
    `good_examples` and `bad_examples` show evaluators what the criterion means.
    """

    key: str
    label: str
    description: str
    weight: float
    threshold: float | None = None
    is_mandatory: bool = False
    question: str = ""
    guiding_questions: list[str] = []
    good_examples: list[str] = []
    bad_examples: list[str] = []
    anchors: dict[str, str] = {}
    advice: list[str] = []
    scale: Scale | None = None


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
        for criterion in self.criteria:
            if criterion.key == key:
                return criterion
        raise KeyError(key)

    @property
    def scales(self) -> dict[str, Scale]:
        """The scale of every criterion by its key; {} if no criterion has a scale of its own."""
        has_own = any(criterion.scale is not None for criterion in self.criteria)
        return {criterion.key: criterion.scale or COMMON for criterion in self.criteria} if has_own else {}


class Flag(Struct, frozen=True):
    """One thing to know about a review: a code, a sentence, and the response and the criterion it is about."""

    code: str
    message: str
    response: str | None = None
    criterion: str = ""


class ResponseReview(Struct, frozen=True):
    """What one review gives one response, under the label that its reviewer saw.

    `scores` holds the criteria that were scored, as given on their own scales, and no others. `overall` is computed
    exactly, on the common scale; None without any score. `reported_overall` is the overall that the reviewer wrote.
    """

    label: str
    scores: dict[str, int | float] = {}
    overall: Fraction | None = None
    holistic: int | float | None = None
    reported_overall: int | float | None = None
    is_incomplete: bool = False
    notes: str | None = None


class ReviewRecord(Struct, frozen=True):
    """One review as it was read. Rankings list places, the best first, each with the labels that are tied there."""

    mode: str
    responses: list[ResponseReview]
    ranking: list[list[str]] = []
    reported_ranking: list[list[str]] | None = None
    flags: list[Flag] = []

    def response(self, label: str) -> ResponseReview:
        for response in self.responses:
            if response.label == label:
                return response
        raise KeyError(label)
