"""The rows of the iteration history: what changed, what the games came to, and what was decided."""

from datetime import datetime
from functools import lru_cache

from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _
from msgspec import Struct

from discussions.core.averages import Average, CostOfGames
from discussions.core.compared import INCONCLUSIVE, KEEP, REVERT
from discussions.core.gates import CacheRate
from discussions.core.history import OPEN, RECORDED, HistoryIteration
from discussions.core.iteration_moves import BASELINE, IMPORTING
from discussions.core.outcome import ABOVE, AMBER
from discussions.pages.figures import FAIL, PASS, PENDING
from discussions.pages.history_judged import JudgedIteration, come_to
from rubric.core.records import RubricRecord
from workspace.core.text_display import figure

TONES = {KEEP: PASS, REVERT: FAIL, INCONCLUSIVE: PENDING}


class AverageCell(Struct, frozen=True):
    """One average: its figure, "pass", "fail" or "pending", the word for that, and what it is a mean of."""

    key: str
    text: str
    state: str
    says: str
    title: str


class HistoryRow(Struct, frozen=True):
    """One iteration as a row. `decision_tone` is that of a chip; `decided_by` and `decided_at` go with a decision."""

    id: int
    number: int
    name: str
    is_reference: bool
    change: str
    target: str
    games: str
    games_says: str
    cells: tuple[AverageCell, ...]
    passes: AverageCell
    cost: str
    cost_state: str
    cost_says: str
    cache: str
    cache_title: str
    decision: str
    decision_tone: str
    decided_by: str
    decided_at: datetime | None
    reason: str


def history_row(found: JudgedIteration, *, is_reference: bool) -> HistoryRow:
    """The row of an iteration."""
    row, averages = found.row, found.averages
    decision, tone = decision_words(row)
    by = row.decision
    cost, cost_state, cost_says = cost_words(averages.cost, len(row.games))
    return HistoryRow(
        id=row.id,
        number=row.number,
        name=row.name,
        is_reference=is_reference,
        change=_("baseline") if row.kind == BASELINE else row.change_note,
        target=target_label(found.rubric, row.target),
        games=str(len(row.games)),
        games_says=games_words(row),
        cells=_cells(found.content, row.rubric_version, row.rubric_sha256, get_language() or ""),
        passes=AverageCell(
            "",
            f"{averages.passed_count}/{len(averages.lines)}",
            PENDING if averages.passes is None else PASS if averages.passes else FAIL,
            _("open") if averages.passes is None else _("PASS") if averages.passes else _("FAIL"),
            averages.headline,
        ),
        cost=cost,
        cost_state=cost_state,
        cost_says=cost_says,
        cache=cache_words(found.cache),
        cache_title=found.cache.says,
        decision=decision,
        decision_tone=tone,
        decided_by=by.by if by else "",
        decided_at=by.created_at if by else None,
        reason=by.reason if by else "",
    )


def target_label(rubric: RubricRecord, key: str) -> str:
    """What the target metric is called; "" where none was named, its key where the rubric no longer has it."""
    return next((each.label for each in rubric.criteria if each.key == key), key)


@lru_cache(maxsize=1024)
def _cells(content: bytes, version: int, sha256: str, _language: str) -> tuple[AverageCell, ...]:
    averages, _cache = come_to(content, version, sha256)
    return tuple(average_cell(line) for line in averages.lines)


def average_cell(line: Average) -> AverageCell:
    """An average in a cell; a mean of some of the games alone is open."""
    text = "" if line.value is None else figure(line.value, line.threshold)
    if line.passes is None:
        return AverageCell(line.key, text, PENDING, _("open"), line.says)
    if line.is_by_rule_only:
        return AverageCell(line.key, text, PASS, _("pass by rule"), line.says)
    state = PASS if line.passes else FAIL
    return AverageCell(line.key, text, state, _("pass") if line.passes else _("fail"), line.says)


def games_words(row: HistoryIteration) -> str:
    """How far the games are, where they are not all done."""
    said = []
    recorded = sum(game.state == RECORDED for game in row.games)
    open_count = sum(game.state == OPEN for game in row.games)
    if open_count:
        done = len(row.games) - open_count
        said.append(_("%(done)d of %(count)d rated") % {"done": done, "count": len(row.games)})
    elif recorded < len(row.games):
        said.append(_("%(count)d without a verdict") % {"count": len(row.games) - recorded})
    if row.withdrawn:
        said.append(
            ngettext("%(count)d withdrawn", "%(count)d withdrawn", len(row.withdrawn))
            % {"count": len(row.withdrawn)}
        )
    return ", ".join(said)


def cost_words(cost: CostOfGames, game_count: int) -> tuple[str, str, str]:
    """The mean cost, its state, and a word on it."""
    text = "" if cost.mean_usd is None else f"${figure(cost.mean_usd, decimals=2)}"
    said = []
    if cost.unreported:
        said.append(
            _("not reported")
            if len(cost.unreported) == game_count
            else _("%(count)d not reported") % {"count": len(cost.unreported)}
        )
    if cost.by_hand:
        said.append(_("%(count)d by hand") % {"count": len(cost.by_hand)})
    if cost.state in (ABOVE, AMBER):
        said.insert(0, _("too high") if cost.state == ABOVE else _("amber"))
    state = FAIL if cost.state == ABOVE else PENDING if cost.state == AMBER or cost.unreported else ""
    return text, state if game_count else "", ", ".join(said) if game_count else ""


def cache_words(cache: CacheRate) -> str:
    """The cache hit rate over the games, as far as all of them report one."""
    if cache.rate is None:
        return _("not reported") if cache.missing else ""
    return f"{figure(cache.rate * 100, cache.percent)} %"


def decision_words(row: HistoryIteration) -> tuple[str, str]:
    """The decision and its tone, or where the iteration stands without one."""
    if row.decision is not None:
        names = {KEEP: _("kept"), REVERT: _("reverted"), INCONCLUSIVE: _("inconclusive")}
        return names[row.decision.choice], TONES[row.decision.choice]
    if row.state == IMPORTING:
        return _("open for import"), ""
    if row.kind == BASELINE:
        return "", ""
    if any(game.state == OPEN for game in row.games):
        return _("open for rating"), ""
    return _("to be decided"), "own"
