"""Costs and cache hit rates of a game: what its transcript reports, what was entered by hand, and what counts."""

from collections.abc import Iterable
from datetime import datetime
from decimal import Decimal

from django.utils.translation import gettext as _
from msgspec import Struct

from discussions.models import Game, ManualFigure
from discussions.models.manual_figures import CACHE, COST
from workspace.core.text import figure


class EnteredLine(Struct, frozen=True):
    """One figure that somebody entered. `counts` marks the one that no later one supersedes."""

    kind: str
    label: str
    text: str
    reason: str
    by: str
    at: datetime
    counts: bool


class PaidFigure(Struct, frozen=True):
    """One of the two figures: what the transcript reports ("" for nothing) and what was entered, newest first."""

    kind: str
    label: str
    reported: str
    entered: list[EnteredLine]

    @property
    def text(self) -> str:
        """What counts; "" when nothing is known."""
        return self.entered[0].text if self.entered else self.reported

    @property
    def is_by_hand(self) -> bool:
        """Whether what counts was entered by hand."""
        return bool(self.entered)


class FiguresPage(Struct, frozen=True):
    """The two figures of a game, above the form for another."""

    slug: str
    number: int
    source_id: str
    figures: list[PaidFigure]


def build_figures_page(*, game: Game) -> FiguresPage:
    """The page of a game that was fetched with its project; one query."""
    return FiguresPage(game.project.slug, game.number, game.source_id, paid_figures(game))


def paid_figures(game: Game) -> list[PaidFigure]:
    """Cost and cache hit rate of a game with everything that was entered; one query."""
    rows = ManualFigure.objects.filter(game=game).select_related("created_by").order_by("kind", "-number")
    entered = list(rows)
    cache = None if game.cache_hit_rate is None else Decimal(str(game.cache_hit_rate))
    return [
        _figure(COST, game.cost_usd, (row for row in entered if row.kind == COST)),
        _figure(CACHE, cache, (row for row in entered if row.kind == CACHE)),
    ]


def format_manual_figure(kind: str, value: Decimal) -> str:
    """A cost in dollars with at least two decimals, a rate in percent with at least one; four more say the rest."""
    value = value if kind == COST else round(value * 100, 4)
    decimals = max(2 if kind == COST else 1, -int(value.normalize().as_tuple().exponent))
    text = figure(value, decimals=decimals)
    return f"${text}" if kind == COST else f"{text} %"


def _figure(kind: str, reported: Decimal | None, rows: Iterable[ManualFigure]) -> PaidFigure:
    label = _("Cost") if kind == COST else _("Cache hit rate")
    return PaidFigure(
        kind=kind,
        label=label,
        reported="" if reported is None else format_manual_figure(kind, reported),
        entered=[
            EnteredLine(
                kind=kind,
                label=label,
                text=format_manual_figure(kind, row.value),
                reason=row.reason,
                by=row.created_by.name,
                at=row.created_at,
                counts=not place,
            )
            for place, row in enumerate(rows)
        ],
    )
