"""Search in the texts of a game's messages, and the pages of a message and of each round.

Hides what the evaluator may not see yet: only `VisibleEvaluation` is read.
"""

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from discussions.core.records import Message
from discussions.rating.pages.visible_evaluation import TranscriptWindow, VisibleEvaluation

MOST_FOUND, AROUND = 100, 60


class FoundMessage(Struct, frozen=True):
    """A message that contains the text; `spans` are the places in `excerpt`, which is cut at `starts` and `ends`."""

    position: int
    name: str
    excerpt: str
    spans: list[tuple[int, int]]
    is_cut_before: bool
    is_cut_after: bool


class Search(Struct, frozen=True):
    """The search text, the number of messages that contain it, and the first of them."""

    text: str
    count: int
    messages: list[FoundMessage]

    @property
    def more(self) -> int:
        return self.count - len(self.messages)


class RoundStart(Struct, frozen=True):
    round: int
    position: int


def search(visible: VisibleEvaluation, text: str) -> Search | None:
    """The messages that contain the text (case-insensitive) on all pages of the transcript; None without a text."""
    text = text.strip()
    if not text:
        return None
    wanted = re.compile(re.escape(text), re.IGNORECASE)
    holding = [message for message in visible.seen.messages if wanted.search(message.text)]
    return Search(text, len(holding), [_cut(visible, wanted, message) for message in holding[:MOST_FOUND]])


def _cut(visible: VisibleEvaluation, wanted: re.Pattern[str], message: Message) -> FoundMessage:
    first = next(wanted.finditer(message.text))
    begin, end = max(first.start() - AROUND, 0), min(first.end() + AROUND, len(message.text))
    excerpt = message.text[begin:end]
    return FoundMessage(
        position=message.position,
        name=visible.seen.name(message.player),
        excerpt=excerpt,
        spans=[found.span() for found in wanted.finditer(excerpt)],
        is_cut_before=begin > 0,
        is_cut_after=end < len(message.text),
    )


def list_round_starts(messages: Sequence[Message], window: TranscriptWindow) -> list[RoundStart]:
    """Where each round begins, for a transcript of several pages; the map covers only a single page."""
    return list(_starts(messages)) if window.is_paged else []


def _starts(messages: Sequence[Message]) -> Iterator[RoundStart]:
    before = None
    for message in messages:
        if message.round != before:
            before = message.round
            yield RoundStart(message.round, message.position)
