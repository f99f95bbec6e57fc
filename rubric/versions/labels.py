"""A sentence on what each parameter of a version decides; scores with the scale on which they were given."""

from collections.abc import Callable
from fractions import Fraction

from django.utils.functional import Promise
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _

from rubric.core.records import DISCUSSION, RubricRecord
from rubric.core.scales import COMMON, Scale, Scales, Value, write_number
from rubric.core.scores import round_half_up
from rubric.core.weights import exact

MOST_DECIMALS = 6
# The names of the parts of a criterion in the editor and in lists of differences.
LABELS = {
    "key": _("Key"),
    "label": _("Label"),
    "description": _("Description"),
    "weight": _("Weight, in percent"),
    "scale": _("Scale"),
    "threshold": _("Threshold"),
    "is_mandatory": _("Mandatory: without it nothing passes"),
    "question": _("Question for reviewers"),
    "guiding_questions": _("Questions to guide, one a line"),
    "good_examples": _("Good examples, one a line"),
    "bad_examples": _("Bad examples, one a line"),
    "anchors": _("What the scores mean, one a line: points, colon, meaning"),
    "advice": _("When it fails or scores low, one piece of advice a line"),
    "remove": _("Leave this criterion out"),
}
# Why a version was shipped, by rubric and number: its row was published by the site, which gave no reason.
SHIPPED_REASONS = {
    ("discussion", "1.0"): _("The rubric as its source states it. It came with the site."),
    ("discussion", "1.1"): _(
        "Reads texts more as a person does: more patterns, and rules that no list can express. It came with the site."
    ),
    ("discussion", "1.2"): _(
        "Measures as 1.1 does, with clearer texts and examples for evaluators. It came with the site."
    ),
    ("discussion", "1.3"): _(
        "No verdict rests on what nobody looked at: people's answers are the score of role consistency, suggested "
        "references are asked, and the manual check comes before the transcript. It came with the site."
    ),
    ("response", "1.0"): _("The rubric as its source states it. It came with the site."),
    ("response", "1.1"): _(
        "Adds advice to each criterion, for when its scores are low. It came with the site."
    ),
    ("response", "1.2"): _("Adds good and bad examples to each criterion. It came with the site."),
}
Readings = dict[str, tuple[Promise | str, Promise | str]]
ASKING = _("Asking reviewers")
_OF_RESPONSES: Readings = {
    "ask_overall": (
        ASKING,
        _("Whether a model is asked for the overall, too; ours is computed in any case and compared."),
    ),
    "shuffle_criteria": (ASKING, _("Whether the order of the criteria changes from prompt to prompt.")),
}
_SOURCES: list[Callable[[], Readings]] = []
# Metric, example, what the version makes of it, why.
Example = tuple[str, str, str, str]
_EXAMPLES: list[Callable[[RubricRecord], list[Example]]] = []


def register_readings(source: Callable[[], Readings]) -> None:
    """Register the function that returns the words for parameters of games."""
    _SOURCES[:] = [source]


def register_examples(source: Callable[[RubricRecord], list[Example]]) -> None:
    """Register the function that measures the rubric's own examples under a version for games."""
    _EXAMPLES[:] = [source]


def list_examples(record: RubricRecord) -> list[Example]:
    """The rubric's own examples under a version; none for a rubric for responses."""
    return [row for source in _EXAMPLES if record.kind == DISCUSSION for row in source(record)]


def readings() -> Readings:
    """Parameter -> heading, sentence."""
    found = dict(_OF_RESPONSES)
    for source in _SOURCES:
        found |= source()
    return found


def heading(name: str) -> str:
    """The heading of a word list or a group of patterns; its key if no heading is registered."""
    return str(readings().get(name, ("", name))[1])


def format_mark(score: str | Value | None, key: str, scales: Scales) -> str:
    """ "4 of 5": a score of the criterion with the end of its scale; the score alone if all have the common scale.

    A number is written with all its decimals up to six. A mean with more decimals is rounded to one more than the
    scale's steps have, at least two. `scales` are the version's scales; a key that is missing ("holistic") has the
    common scale. "" for no score.
    """
    scale = scales.get(key, COMMON)
    if score is None or score == "":
        return ""
    written = score if isinstance(score, str) else _write(exact(score), scale)
    if not scales:
        return written
    return _now("%(score)s of %(highest)s") % {"score": written, "highest": write_number(scale.highest)}


def _write(value: Fraction, scale: Scale) -> str:
    if (value * 10**MOST_DECIMALS).denominator == 1:
        return write_number(value)
    decimals = len(write_number(scale.step).partition(".")[2])
    return f"{round_half_up(value, max(2, decimals + 1)):f}"
