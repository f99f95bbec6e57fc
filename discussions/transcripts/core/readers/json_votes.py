"""The votes in a JSON value: a list of them, an object by player or by round, or texts."""

from collections.abc import Iterator
from typing import Any

from discussions.transcripts.core.audience import VOTE, kind_of_type
from discussions.transcripts.core.fields import as_list
from discussions.transcripts.core.readers import json_rounds as rounds
from discussions.transcripts.core.readers.chat_lines import ARROW
from discussions.transcripts.core.readers.json_cells import as_text
from discussions.transcripts.core.readers.json_cells import names_both as is_message


def are_objects(part: Any) -> bool:
    return type(part) is list and bool(part) and all(type(item) is dict for item in part)


def holds_lists(value: dict[str, Any]) -> bool:
    """Whether an object is a round of votes: with a list of them, or of messages."""
    return is_message(value) or any(
        are_objects(part) for key, part in value.items() if kind_of_type(key) == VOTE
    )


def votes_of(part: Any, place: str, around: dict[str, Any]) -> Iterator[rounds.Row]:
    """The votes of a round, or those of several under their keys; nothing where they are no votes of players."""
    if cast := casts_of(part):
        for voter, target in cast:
            yield place, around | {"type": VOTE, "voter": voter, "target": target}
    elif are_objects(part) and not holds_lists(part[0]):
        hidden = {"phase": around["phase"]} if rounds.hides(around) else {}
        for index, item in enumerate(part):
            yield f"{place}/{index}", around | {"type": VOTE} | item | hidden
    elif type(part) is dict:
        shapes = rounds.count_shapes(part)
        for key, own in part.items():
            if numbered := rounds.of_key(key, "rounds", shapes, around):
                yield from votes_of(own, f"{place}/{key}", around | numbered)


def casts_of(part: Any) -> list[tuple[str, str]]:
    """The voter and the target of each vote, where they are an object by player, or texts such as "Ann -> Bea"."""
    if type(part) is dict and any(map(as_list, part.values())):
        # Who voted for each: nobody does twice, and somebody is voted for who votes.
        found = {str(voter): target for target, voters in part.items() for voter in as_list(voters)}
        are_votes = len(found) == sum(len(as_list(voters)) for voters in part.values()) > len(part)
        return list(found.items()) if are_votes and not part.keys().isdisjoint(found) else []
    if type(part) is dict:
        # Other numbers are how many votes each got.
        are_seats = len(part) > 1 and {*map(as_text, part.values())} <= {*part}
        are_names = are_seats or all(type(target) is str for target in part.values())
        return [(voter, as_text(target)) for voter, target in part.items()] if are_names else []
    arrows = [ARROW.fullmatch(said) for said in part if type(said) is str] if type(part) is list else []
    return [(arrow["voter"], arrow["target"]) for arrow in arrows if arrow]
