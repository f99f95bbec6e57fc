"""What each parameter of a version decides, in a sentence; scores with the scale that they were given on."""

from collections.abc import Callable

from django.utils.functional import Promise
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _

from rubric.core.scales import COMMON, Scales, write_number

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


def register_readings(source: Callable[[], Readings]) -> None:
    """Take the words for parameters of games from this function from now on."""
    _SOURCES[:] = [source]


def readings() -> Readings:
    """Parameter -> heading, sentence."""
    found = dict(_OF_RESPONSES)
    for source in _SOURCES:
        found |= source()
    return found


def format_mark(score: str, key: str, scales: Scales) -> str:
    """ "4 of 5": a written score of the criterion with the end of its scale; alone where all have the common scale.

    `scales` are those of the version; a key that is not there ("holistic") is of the common scale. "" stays "".
    """
    if not score or not scales:
        return score
    highest = write_number(scales.get(key, COMMON).highest)
    return _now("%(score)s of %(highest)s") % {"score": score, "highest": highest}
