"""What a transcript does not report of a game, entered by hand: its cost, its cache hit rate."""

from datetime import datetime
from decimal import Decimal

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from discussions.models import Game, ManualFigure
from discussions.models.manual_figures import CACHE, COST, KINDS
from discussions.permissions import check_enter_figure
from workspace.actions.events import record_event
from workspace.actions.texts import clean_text
from workspace.core.refusals import Conflict, Unacceptable
from workspace.models import Person

HIGHEST_COST = Decimal(100_000)
SMALLEST = Decimal("0.000001")


def enter_figure(
    *, game: Game, kind: str, value: Decimal, reason: str, by: Person, now: datetime
) -> ManualFigure:
    """Enter the cost of a game in dollars, or its cache hit rate from 0 to 1; it counts from now on, marked as such.

    What was entered before stays beside it. Raises NotAllowed, Unacceptable for a value that cannot be or no reason,
    Conflict when somebody entered one at the same moment.
    """
    check_enter_figure(by, game)
    _check(kind, value)
    reason = clean_text(reason, ask=_("Say where the figure comes from: the reason stays beside it."))
    with transaction.atomic():
        rows = ManualFigure.objects.filter(game=game, kind=kind)
        last = rows.order_by("-number").first()
        figure = ManualFigure(
            game=game,
            kind=kind,
            number=last.number + 1 if last else 1,
            value=value.quantize(SMALLEST),
            reason=reason,
            supersedes=last,
            created_at=now,
            created_by=by,
        )
        try:
            with transaction.atomic():
                figure.save(force_insert=True)
        except IntegrityError:
            raise Conflict(
                _("Somebody entered this figure first. Look at it, then enter yours."), code="entered_first"
            ) from None
        record_event(
            by=by,
            now=now,
            project=game.project,
            verb="figure:entered",
            object_kind="manual_figure",
            object_id=figure.pk,
            detail={"game": game.number, "kind": kind, "value": str(figure.value), "number": figure.number},
        )
    return figure


def _check(kind: str, value: Decimal) -> None:
    if kind not in dict(KINDS):
        raise Unacceptable(_("Choose the cost or the cache hit rate."), field="kind")
    most = HIGHEST_COST if kind == COST else Decimal(1)
    if not value.is_finite() or not 0 <= value <= most:
        sentences = {
            COST: _("A cost is a number of dollars from 0 to 100,000."),
            CACHE: _("A cache hit rate lies between 0 and 100 %."),
        }
        raise Unacceptable(sentences[kind], field="value", code="range")
