"""The source of the evaluator's page.

Hides everything of the evaluation but what its evaluator may see now.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

from msgspec import Struct

from discussions.adjudication.core.authorship_test import DrawnTest
from discussions.adjudication.labels import answer_label
from discussions.core.iteration_states import TEST
from discussions.core.judgement_kinds import COHERENCE, item_id
from discussions.core.records import Message
from discussions.core.unsaid import Unsaid
from discussions.rating.core.concealed import SeenGame, VisibleFindings, select_visible_findings
from discussions.rating.core.visibility import Progress, Visibility, get_phase
from discussions.rating.queries import AnswerRecord, EvaluationState, RatingNote
from rubric.core.records import RubricRecord

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
        return len(self.starts) > 1

    def holds(self, position: int) -> bool:
        return not self.is_paged or self.first <= position <= self.last

    def find_page_number(self, position: int) -> int:
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


def say_answer(kind: str, value: str) -> str:
    """An answer in the words of the item's buttons; coherence asks a question with yes and no."""
    return answer_label("" if kind == COHERENCE else kind, value)


@dataclass(frozen=True)
class VisibleEvaluation:
    """One evaluation as its evaluator may see it: no roles before the reveal, no justifications, no work of others.

    `drawn_test` is the test of who said it, once the transcript is open. `is_untestable` says that the evaluation
    should begin with a test, but the game allows none. `window` is the page of the transcript that is shown. `unsaid`
    is empty until thoughts may be shown.
    """

    seen: SeenGame
    shown: VisibleFindings
    visibility: Visibility
    progress: Progress
    rubric: RubricRecord
    judgements: dict[tuple[str, str], AnswerRecord]
    remarks: list[RatingNote]
    is_open: bool
    drawn_test: DrawnTest | None = None
    is_untestable: bool = False
    window: TranscriptWindow = WHOLE
    unsaid: Mapping[int, Unsaid] = field(default_factory=dict)

    @cached_property
    def asked(self) -> frozenset[tuple[str, str]]:
        """(kind, subject) of everything that is still missing for submitting."""
        return frozenset((missing.kind, missing.subject) for missing in self.visibility.missing)

    def value(self, kind: str, subject: str) -> str:
        return self._answer(kind, subject).value

    def version(self, kind: str, subject: str) -> int:
        return self._answer(kind, subject).version

    def item(self, kind: str, subject: str) -> dict[str, Any]:
        """The fields of an `Item`."""
        answer = self._answer(kind, subject)
        return {
            "id": item_id(kind, subject),
            "kind": kind,
            "subject": subject,
            "version": answer.version,
            "value": answer.value,
            "needs": (kind, subject) in self.asked,
            "was": self._was(answer),
            "reason": answer.reason,
        }

    def _answer(self, kind: str, subject: str) -> AnswerRecord:
        return self.judgements.get((kind, subject)) or AnswerRecord(0, kind, subject, "", "", 0)

    def _was(self, judgement: AnswerRecord) -> str:
        if not judgement.blind_value or judgement.value == judgement.blind_value:
            return ""
        if get_phase(self.progress, judgement.kind, judgement.subject) == "blind":
            return ""
        return say_answer(judgement.kind, judgement.blind_value)


def build_visible_evaluation(work: EvaluationState, *, is_barred: bool = False) -> VisibleEvaluation:
    """The visible part of an evaluation: only this function omits hidden data. A barred person can only read."""
    return VisibleEvaluation(
        seen=work.seen,
        shown=select_visible_findings(
            work.game, work.measurements, work.visibility, work.rubric.lists["role_map"]
        ),
        visibility=work.visibility,
        progress=work.progress,
        rubric=work.rubric,
        judgements=work.judgements,
        remarks=work.remarks,
        is_open=work.is_open and not is_barred,
        drawn_test=work.drawn_test if work.visibility.transcript else None,
        is_untestable=work.evaluation.identification == TEST and work.drawn_test is None,
        unsaid=work.unsaid,
    )


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
