"""What each parameter of a version decides, in a sentence."""

from collections.abc import Callable

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

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
