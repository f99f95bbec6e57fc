"""Words for the fields that a column can be mapped to."""

from typing import TYPE_CHECKING

from django.utils.translation import gettext_lazy as _

from discussions.transcripts.core.readers.columns import OR, MappingRecord

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise

# Fields for which most files have a column come first.
FIELD_LABELS: dict[str, "_StrPromise"] = {
    "player": _("Player"),
    "text": _("Text"),
    "game": _("Game"),
    "round": _("Round"),
    "type": _("Type of row"),
    "audience": _("Who could hear it"),
    "phase": _("Phase or channel"),
    "time": _("Time"),
    "role": _("Role"),
    "vote": _("Vote for"),
    "personality": _("Personality"),
    "reply_to": _("Reply to"),
    "id": _("Message id"),
    "turn": _("Turn"),
    "winner": _("Winner"),
    "thought": _("Thought"),
    "private": _("Is private"),
    "public": _("Is public"),
    "voter": _("Voter"),
    "target": _("Target of a vote"),
    "out": _("Who left"),
}
USUAL_COUNT = 10
# What templates of lines are made of.
LINE_FIELDS: dict[str, "_StrPromise"] = {
    "{player}": _("Who says it. Without {text}, the text stands below."),
    "{text}": _("What everybody hears."),
    "{text...}": _("The same, continued in the lines below."),
    "{thought}": _("What nobody hears."),
    "{private}": _("What only some hear."),
    "{vote}": _("Whom the player votes for."),
    "{voter}, {target}": _("A vote of somebody."),
    "{out}": _("Who leaves the game."),
    "{round}": _("The round, or without a number: the next one begins."),
    "{phase}": _("A part of the game, such as a night."),
    "{time}": _("The time."),
    "{}": _("Anything, left out."),
}
# What a row of a type can be; the keys are `audience.KINDS`.
KIND_LABELS: dict[str, "_StrPromise"] = {
    "speech": _("Speech that everybody hears"),
    "thought": _("A thought that nobody hears"),
    "private": _("Talk that only some hear"),
    "vote": _("A vote"),
    "elimination": _("Somebody leaves the game"),
    "ignore": _("Nothing, leave it out"),
    "round": _("A round begins"),
}
SETTING_LABELS: dict[str, "_StrPromise"] = {
    "encoding": _("Encoding"),
    "list": _("Where the rows are"),
    "rounds": _("Rounds"),
    "separator": _("Between name and text"),
    "games": _("Games"),
}
FIELD_HELP: dict[str, "_StrPromise"] = {
    "player": _("Who said it. Required."),
    "text": _("What was said. Required."),
    "game": _("Tells the games of one file apart. Without it the file is one game."),
    "round": _("A number, or a text with one: 2, Day 2."),
    "type": _("Tells speech, votes, thoughts and other rows apart."),
    "audience": _("All, a player, a list of players or a channel. What not everybody heard is kept apart."),
    "phase": _(
        "Where it was said. Rows of a night or of a private channel are kept apart. Gives the round if no column does."
    ),
    "thought": _("What its author thought. Kept apart, hidden from whoever rates."),
    "vote": _("Whom the player of the row votes for. A row without a text is only a vote."),
    "reply_to": _("The id of the message that is answered, else its turn, else its number in the game."),
}


def describe_recipe(recipe: MappingRecord) -> list[tuple[object, str]]:
    """What a recipe says: the label of each field and its columns, what rows are, other names, and settings."""
    fields = recipe.fields
    return [
        *(
            (label, fields[field].replace(OR, ", "))
            for field, label in FIELD_LABELS.items()
            if field in fields
        ),
        *((f"“{value}”", str(KIND_LABELS[kind])) for value, kind in recipe.kinds.items()),
        *((f"“{alias}”", name) for alias, name in recipe.aliases.items()),
        *((SETTING_LABELS[setting], said) for setting, said in recipe.settings.items()),
    ]
