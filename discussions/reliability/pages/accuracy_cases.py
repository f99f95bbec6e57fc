"""The cases behind a cell of a table: messages with their text, and links to their games."""

from collections import Counter
from urllib.parse import urlencode

from django.utils.translation import gettext as _
from msgspec import Struct

from discussions.core.records import GameRecord, Message
from discussions.games.pages.game import find_start
from discussions.metrics.labels import LABELS
from discussions.models import TeamFigures
from discussions.reliability.core.accuracy import SHARES, VersionAccuracy
from discussions.reliability.core.crosstab import Crosstab, CrosstabCell
from discussions.reliability.labels.accuracy import CARDS, CELLS, HEADINGS, TITLES
from discussions.reliability.pages.accuracy import accuracy_body, find_version, version_names
from discussions.reliability.pages.anchoring import MOVED
from discussions.reliability.queries import game_texts
from workspace.core.limits import PAGE_SIZE
from workspace.models import Project


class AccuracyCasesQuery(Struct, frozen=True):
    """The cell, and the number of the first case."""

    version: str
    table: str
    row: str
    column: str
    start: int


class AccuracyCase(Struct, frozen=True):
    """A message, sentence, phrase or check, and how many evaluators judged it in this way; a check has no message.

    `start` is the first message of the game's page, 0 for its beginning.
    """

    game: int
    message: Message | None
    start: int
    speaker: str
    phrase: str
    evaluator_count: int


class CasesPage(Struct, frozen=True):
    """The page of a cell, which may count more judgements than there are cases listed."""

    version: str
    version_name: str
    title: str
    heading: str
    is_moved: bool
    row: str
    column: str
    cell: CrosstabCell
    lines: list[AccuracyCase]
    previous_url: str
    next_url: str
    says: str


def build_cases_page(*, project: Project, row: TeamFigures, wanted: AccuracyCasesQuery) -> CasesPage | None:
    """The cases of a cell of these figures; None if there is no such cell, or no case from that start on."""
    figures = accuracy_body(row)
    found = find_version(figures, wanted.version)
    table = _table(found, wanted.table) if found else None
    cell = _cell(table, wanted) if table else None
    if found is None or table is None or cell is None:
        return None
    counted = Counter((case.game, case.message, case.detail) for case in cell.cases)
    grouped = list(counted.items())
    shown = grouped[wanted.start - 1 : wanted.start - 1 + PAGE_SIZE]
    if not shown:
        return None
    games = {game for (game, _message, _detail), _count in shown}
    rows = game_texts(game__project=project, game__number__in=games)
    texts = {number: text for _game, number, text in rows}
    last = wanted.start + len(shown) - 1
    is_moved = wanted.table.startswith(MOVED)
    return CasesPage(
        version=found.key,
        version_name=version_names(figures)[found.key],
        title=_title(wanted.table),
        heading="" if is_moved else str(HEADINGS[table.part]),
        is_moved=is_moved,
        row=str(CELLS[cell.row]),
        column=str(CELLS[cell.column]),
        cell=cell,
        lines=[_line(game, message, detail, count, texts[game]) for (game, message, detail), count in shown],
        previous_url=_address(wanted, max(1, wanted.start - PAGE_SIZE)) if wanted.start > 1 else "",
        next_url=_address(wanted, last + 1) if last < len(grouped) else "",
        says=_("%(first)d to %(last)d of %(count)d")
        % {"first": wanted.start, "last": last, "count": len(grouped)},
    )


def _address(wanted: AccuracyCasesQuery, start: int) -> str:
    given = {"version": wanted.version, "table": wanted.table, "row": wanted.row, "column": wanted.column}
    return f"?{urlencode(given | {'from': start})}"


def _table(found: VersionAccuracy, name: str) -> Crosstab | None:
    if name.startswith(MOVED):
        metric = name.removeprefix(MOVED)
        return next((tally.table for tally in found.anchoring if tally.metric == metric), None)
    return found.table(name) if name in SHARES else None


def _cell(table: Crosstab, wanted: AccuracyCasesQuery) -> CrosstabCell | None:
    return next(
        (cell for cell in table.cells if (cell.row, cell.column) == (wanted.row, wanted.column)), None
    )


def _title(table: str) -> str:
    if table.startswith(MOVED):
        return str(TITLES[table.removeprefix(MOVED)])
    return next(str(LABELS[key].title) for key, parts in CARDS.items() if table in parts)


def _line(game: int, position: int, detail: str, evaluator_count: int, text: GameRecord) -> AccuracyCase:
    message = text.messages[position - 1] if position else None
    return AccuracyCase(
        game=game,
        message=message,
        start=find_start(position),
        speaker=text.players[message.player - 1].name if message else "",
        phrase=detail.partition("|")[2],
        evaluator_count=evaluator_count,
    )
