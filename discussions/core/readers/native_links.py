"""Reply links of a native transcript: which earlier message a message answers."""

from msgspec import Struct, structs

from discussions.core.readers.notes import Notes
from discussions.core.records import Message


class Link(Struct, frozen=True):
    """A reply link as the file has it: the message that carries it, and the id it names."""

    position: int
    to: str
    pointer: str


def resolve(messages: list[Message], links: list[Link], positions: dict[str, int], notes: Notes) -> None:
    """Resolves the links in place. `positions` finds a message by its id or, in files without ids, by its turn.

    A link that resolves to the same or a later message is a warning and does not count; one that resolves to
    nothing is a warning and counts, since the file does say that this is a reply.
    """
    for link in links:
        target = positions.get(link.to)
        message = messages[link.position - 1]
        if target is None:
            notes.warn("unresolved_reply", link.pointer, link.to)
        elif target >= link.position:
            notes.warn("reply_not_earlier", link.pointer, link.to)
            messages[link.position - 1] = structs.replace(message, has_reply_link=False, reply_to=target)
        else:
            messages[link.position - 1] = structs.replace(message, reply_to=target)
