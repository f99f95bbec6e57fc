"""The cases behind a cell of a table of answers: each with its text and a link to its game."""

from collections import Counter
from collections.abc import Mapping
from urllib.parse import urlencode

from django.utils.translation import gettext as _
from msgspec import Struct

from discussions.core import judgement_kinds
from discussions.core.records import GameRecord
from discussions.games.pages.game import find_start
from discussions.metrics.core.text import split
from discussions.reliability.core.blind_answers import AnswerKind, Item
from discussions.reliability.core.pairs import find_pair_cases
from discussions.reliability.labels.agreement import answer_word
from discussions.reliability.queries import answers_in_cell, game_texts
from workspace.core.text import shorten
from workspace.models import Project

CASES_A_PAGE = 25
LONGEST_CASE = 400


class AgreementCasesQuery(Struct, frozen=True):
    """The subject, the pair of evaluators, the cell ("" for none), and the number of the first case."""

    thing: str
    row: str = ""
    column: str = ""
    pair: tuple[int, int] | None = None
    start: int = 1

    @property
    def has_cell(self) -> bool:
        return bool(self.row or self.column)

    @property
    def pair_key(self) -> dict[str, str]:
        """The parameter of the address that names the pair; empty without a pair."""
        return {"pair": "{}-{}".format(*self.pair)} if self.pair else {}


class AgreementCase(Struct, frozen=True):
    """A subject that two evaluators judged; `message` is 0 for a whole game or an agent.

    `start` is the first message of the game's page, 0 for its beginning. `names` are the evaluators of a pair, None
    when the cell counts all; `pair_count` pairs of evaluators gave these answers.
    """

    game: int
    message: int
    start: int
    speaker: str
    text: str
    spans: list[tuple[int, int]]
    values: tuple[str, str]
    names: tuple[str, str] | None
    pair_count: int


class CasesPart(Struct, frozen=True):
    """A page of the cases of a cell; `count` is the number of its pairs of answers."""

    row: str
    column: str
    count: int
    lines: list[AgreementCase]
    previous_url: str
    next_url: str
    says: str


def cases_part(
    project: Project, answer_kind: AnswerKind, wanted: AgreementCasesQuery, names: Mapping[int, str]
) -> CasesPart | None:
    """The cases of that cell, from `wanted.start`; None when there are none. Two queries."""
    answers = answers_in_cell(project, answer_kind, wanted.row, wanted.column)
    found = find_pair_cases(answers, answer_kind, wanted.row, wanted.column, wanted.pair)
    pairs = Counter((case.game, case.subject) for case in found)
    items = list(pairs)
    shown = items[wanted.start - 1 : wanted.start - 1 + CASES_A_PAGE]
    if not shown:
        return None
    games = {game for game, _subject in shown}
    texts = {game: (number, text) for game, number, text in game_texts(game__in=games)}
    last = wanted.start + len(shown) - 1
    values = (answer_word(answer_kind, wanted.row), answer_word(answer_kind, wanted.column))
    named = (names.get(wanted.pair[0], ""), names.get(wanted.pair[1], "")) if wanted.pair else None
    return CasesPart(
        row=values[0],
        column=values[1],
        count=len(found),
        lines=[
            AgreementCase(*_placed(answer_kind, item, *texts[item[0]]), values, named, pairs[item])
            for item in shown
        ],
        previous_url=_address(wanted, max(1, wanted.start - CASES_A_PAGE)) if wanted.start > 1 else "",
        next_url=_address(wanted, last + 1) if last < len(items) else "",
        says=_("%(first)d to %(last)d of %(count)d")
        % {"first": wanted.start, "last": last, "count": len(items)},
    )


def _address(wanted: AgreementCasesQuery, start: int) -> str:
    return (
        f"?{urlencode(wanted.pair_key | {'row': wanted.row, 'column': wanted.column, 'from': start})}#cases"
    )


def _placed(
    answer_kind: AnswerKind, item: Item, number: int, text: GameRecord
) -> tuple[int, int, int, str, str, list[tuple[int, int]]]:
    """The first six fields of the case."""
    subject = item[1]
    if answer_kind.kind == judgement_kinds.IDENTIFY:
        return number, 0, 0, text.players[int(subject) - 1].name, "", []
    if not answer_kind.has_parts:
        return number, 0, 0, "", "", []
    position, sentence = judgement_kinds.parse_subject(subject)
    message = text.messages[position - 1]
    start = find_start(position)
    return number, position, start, text.players[message.player - 1].name, *_excerpt(message.text, sentence)


def _excerpt(text: str, sentence: int) -> tuple[str, list[tuple[int, int]]]:
    """The message with its sentence marked; for a long message, only the sentence, or the beginning."""
    if not sentence:
        return shorten(text, LONGEST_CASE), []
    start, end = split(text)[sentence - 1]
    if len(text) <= LONGEST_CASE:
        return text, [(start, end)]
    return shorten(text[start:end], LONGEST_CASE), []
