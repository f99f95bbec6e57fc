"""The part of a transcript that one page holds: a long game is read page by page, a normal one is a single page."""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import TypeVar

from msgspec import Struct

from discussions.core.records import Message

MOST_MESSAGES = 200


MOST_CHARACTERS = 250_000


MOST_ITEMS = 200


T = TypeVar("T")


class TranscriptWindow(Struct, frozen=True):
    """Page `page` of the transcript: the messages `first` to `last`; `starts` is the first message of every page."""

    starts: tuple[int, ...]
    page: int
    first: int
    last: int
    message_count: int

    @property
    def is_paged(self) -> bool:
        """Whether there is more than this page."""
        return len(self.starts) > 1

    def holds(self, position: int) -> bool:
        """Whether the message stands on this page."""
        return not self.is_paged or self.first <= position <= self.last

    def find_page_number(self, position: int) -> int:
        """The page on which a message stands."""
        return bisect_right(self.starts, position)

    def moved(self, page: int) -> "TranscriptWindow":
        """Another page of the same transcript, or the nearest that exists."""
        page = min(max(page, 1), len(self.starts))
        last = self.message_count if page == len(self.starts) else self.starts[page] - 1
        return TranscriptWindow(self.starts, page, self.starts[page - 1], last, self.message_count)


# The default before a page is requested, and where there is no transcript.
WHOLE = TranscriptWindow((1,), 1, 1, 0, 0)


class More(Struct, frozen=True):
    """The items of a list on other pages that still need the evaluator: how many, and the page where they continue."""

    count: int
    page: int


def build_window(messages: Sequence[Message]) -> TranscriptWindow:
    """The first page: at most 200 messages, fewer when they are very long, at least one."""
    starts, held, characters = [1], 0, 0
    for message in messages:
        if held and (held == MOST_MESSAGES or characters + len(message.text) > MOST_CHARACTERS):
            starts.append(message.position)
            held, characters = 0, 0
        held, characters = held + 1, characters + len(message.text)
    return TranscriptWindow(tuple(starts), 1, 1, 0, len(messages)).moved(1)


def fitting(
    window: TranscriptWindow, several: Sequence[T], place: Callable[[T], int], needs: Callable[[T], bool]
) -> list[T]:
    """What a list shows: the items on this page in order; if very many, those that need the evaluator first."""
    inside = [item for item in several if window.holds(place(item))]
    if len(inside) <= MOST_ITEMS:
        return inside
    wanted = {id(item) for item in sorted(inside, key=lambda item: not needs(item))[:MOST_ITEMS]}
    return [item for item in inside if id(item) in wanted]


def left_over(window: TranscriptWindow, wanted: Sequence[int], listed_count: int) -> More | None:
    """Where a list continues; `wanted` are the messages of all that still needs judging, `listed_count` are shown."""
    if len(wanted) <= listed_count:
        return None
    here = sum(window.holds(position) for position in wanted)
    if here > listed_count:
        return More(len(wanted) - listed_count, window.page)
    onward = [position for position in wanted if position > window.last] or list(wanted)
    return More(len(wanted) - listed_count, window.find_page_number(onward[0]))
