"""Costs and cache hit rates of a game: what its transcript reports, what was entered by hand, and what counts."""

from collections.abc import Iterable
from decimal import Decimal

from django.utils.translation import gettext as _
from msgspec import Struct

from discussions.models import Game, ManualFigure
from discussions.models.manual_figures import CACHE, COST
from workspace.core.text import figure
from workspace.database.prepared_queries import Prepared


class PaidFigure(Struct, frozen=True):
    """Cost or cache hit rate: what the transcript reports ("" for nothing) and what was entered, newest first."""

    kind: str
    label: str
    reported: str
    entered: list[tuple[str, ManualFigure]]

    @property
    def text(self) -> str:
        """The figure that counts; "" when nothing is known."""
        return self.entered[0][0] if self.entered else self.reported


def paid_figures(game: Game) -> list[PaidFigure]:
    """Cost and cache hit rate of a game with everything that was entered; one query."""
    entered: list[ManualFigure] = _ENTERED.objects(game.pk)
    cache = None if game.cache_hit_rate is None else Decimal(str(game.cache_hit_rate))
    return [
        _figure(COST, game.cost_usd, (row for row in entered if row.kind == COST)),
        _figure(CACHE, cache, (row for row in entered if row.kind == CACHE)),
    ]


_ENTERED = Prepared(
    lambda game: (
        ManualFigure.objects.filter(game=game).select_related("created_by").order_by("kind", "-number")
    ),
    int,
)


def format_manual_figure(kind: str, value: Decimal) -> str:
    """A cost in dollars with two decimals or more, a rate in percent with one to four."""
    value = value if kind == COST else round(value * 100, 4)
    decimals = max(2 if kind == COST else 1, -int(value.normalize().as_tuple().exponent))
    text = figure(value, decimals=decimals)
    return f"${text}" if kind == COST else f"{text}\u00a0%"


def _figure(kind: str, reported: Decimal | None, rows: Iterable[ManualFigure]) -> PaidFigure:
    return PaidFigure(
        kind=kind,
        label=_("Cost") if kind == COST else _("Cache hit rate"),
        reported="" if reported is None else format_manual_figure(kind, reported),
        entered=[(format_manual_figure(kind, row.value), row) for row in rows],
    )
