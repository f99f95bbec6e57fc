"""Words for the fields that a column can be mapped to."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from django.utils.translation import gettext_lazy as _

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise

# Fields for which most files have a column come first.
FIELD_LABELS: dict[str, "_StrPromise"] = {
    "player": _("Player"),
    "text": _("Text"),
    "game": _("Game"),
    "round": _("Round"),
    "phase": _("Phase or channel"),
    "time": _("Time"),
    "role": _("Role"),
    "vote": _("Vote for"),
    "personality": _("Personality"),
    "reply_to": _("Reply to"),
    "id": _("Message id"),
    "turn": _("Turn"),
    "winner": _("Winner"),
}
USUAL_COUNT = 8
FIELD_HELP: dict[str, "_StrPromise"] = {
    "player": _("Who said it. Required."),
    "text": _("What was said. Required."),
    "game": _("Tells the games of one file apart. Without it the file is one game."),
    "round": _("A number, or a text with one: 2, Day 2."),
    "phase": _(
        "Where it was said. Rows of a night or of a private channel are left out. Gives the round if no column does."
    ),
    "vote": _("Whom the player of the row votes for. A row without a text is only a vote."),
    "reply_to": _("The id of the message that is answered, else its turn, else its number in the game."),
}


def describe_fields(fields: Mapping[str, str]) -> list[tuple[object, str]]:
    """The label of each mapped field and its column, in the order of the page."""
    return [(label, fields[field]) for field, label in FIELD_LABELS.items() if field in fields]
