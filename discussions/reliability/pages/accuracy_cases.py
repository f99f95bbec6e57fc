"""The cases behind one cell of a table: messages with their text, and the way to each game."""

from collections import Counter
from typing import Any
from urllib.parse import urlencode

import msgspec
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from msgspec import Struct

from discussions.core.records import GameRecord
from discussions.games.pages.game import MESSAGES_A_PAGE
from discussions.metrics.labels import LABELS
from discussions.models import GameText, TeamFigures
from discussions.reliability.core.accuracy import SHARES, VersionAccuracy
from discussions.reliability.core.crosstab import MOST_CASES, Crosstab, CrosstabCase, CrosstabCell
from discussions.reliability.labels.accuracy import CARDS, CELLS, HEADINGS, TITLES
from discussions.reliability.pages.accuracy import (
    accuracy_body,
    find_version,
    make_version_key,
    version_names,
)
from discussions.reliability.pages.anchoring import MOVED
from workspace.core.limits import PAGE_SIZE
from workspace.models import Project

# So many messages stand before the one that a link leads to.
BEFORE = 10


class AccuracyCasesQuery(Struct, frozen=True):
    """Which cell is asked for, and from which case on."""

    version: str
    table: str
    row: str
    column: str
    start: int


class AccuracyCase(Struct, frozen=True):
    """One message, sentence, phrase or check. `start` is where the game's page is to begin, 0 at its beginning.

    `message` is 0 where a whole game is meant; `people` says how many judged it so.
    """

    game: int
    message: int
    start: int
    speaker: str
    text: str
    phrase: str
    people: str


class CasesPage(Struct, frozen=True):
    """The page; `left_out` counts judgements that are in the cell and not listed."""

    slug: str
    version: str
    version_name: str
    title: str
    heading: str
    is_moved: bool
    row: str
    column: str
    count: int
    left_out: int
    lines: list[AccuracyCase]
    previous_url: str
    next_url: str
    says: str


def build_cases_page(*, project: Project, row: TeamFigures, wanted: AccuracyCasesQuery) -> CasesPage | None:
    """The cases of a cell of these figures; None when there is no such cell, or nothing from there on."""
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
    texts = _texts(project, {game for (game, _message, _detail), _count in shown})
    last = wanted.start + len(shown) - 1
    is_moved = wanted.table.startswith(MOVED)
    return CasesPage(
        slug=project.slug,
        version=make_version_key(found),
        version_name=version_names(figures)[make_version_key(found)],
        title=_title(wanted.table),
        heading="" if is_moved else str(HEADINGS[table.part]),
        is_moved=is_moved,
        row=str(CELLS[cell.row]),
        column=str(CELLS[cell.column]),
        count=cell.count,
        left_out=cell.count - min(len(cell.cases), MOST_CASES),
        lines=[
            _line(CrosstabCase(game, message, 0, detail), n, texts[game])
            for (game, message, detail), n in shown
        ],
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


def _line(case: CrosstabCase, people: int, text: GameRecord) -> AccuracyCase:
    message = text.messages[case.message - 1] if case.message else None
    is_far = case.message > MESSAGES_A_PAGE
    return AccuracyCase(
        game=case.game,
        message=case.message,
        start=max(1, case.message - BEFORE) if is_far else 0,
        speaker=text.players[message.player - 1].name if message else "",
        text=message.text if message else "",
        phrase=case.detail.partition("|")[2],
        people=ngettext("%(n)d evaluator", "%(n)d evaluators", people) % {"n": people} if people > 1 else "",
    )


def _texts(project: Project, games: set[int]) -> dict[int, GameRecord]:
    """The texts by the games' numbers; one query for a page."""
    rows = GameText.objects.filter(game__project=project, game__number__in=games)
    return {number: _GAME.decode(body) for number, body in rows.values_list("game__number", "body")}


_GAME: Any = msgspec.json.Decoder(GameRecord)
