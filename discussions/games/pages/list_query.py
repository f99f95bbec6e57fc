"""Which games a page of the list shows, in which order: an allow-list of orders and filters, walked by key."""

from datetime import datetime
from decimal import Decimal
from typing import Any, NamedTuple

from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils.translation import gettext_lazy as _
from msgspec import Struct

from discussions.core.evaluation_states import OPEN, SUBMITTED
from discussions.models import Evaluation, Game, Measured, Verdict
from discussions.models.games import NEEDED
from discussions.models.slots import RATING
from workspace.models import Project

GAMES_A_PAGE = 30


MEASURING, WAITING, RATED, COMPLETE, RECORDED = "measuring", "waiting", "rating", "submitted", "verdict"
WEAK = "weak"


STATES = {
    MEASURING: _("being measured"),
    WAITING: _("waiting for an evaluator"),
    RATED: _("being rated"),
    COMPLETE: _("submitted, no verdict yet"),
    RECORDED: _("verdict recorded"),
    "pass": _("verdict PASS"),
    "fail": _("verdict FAIL"),
    WEAK: _("verdict with a weak pass"),
}


# By a figure of the verdict only games that have one are listed, in an order that one index holds.
SORTS = {
    "newest": _("newest first"),
    "oldest": _("oldest first"),
    "best": _("highest composite"),
    "worst": _("lowest composite"),
    "closest": _("closest to turning"),
}


_FIELDS = {
    "newest": ("number", True),
    "oldest": ("number", False),
    "best": ("composite", True),
    "worst": ("composite", False),
    "closest": ("flip_distance", False),
}


class ListQuery(Struct, frozen=True):
    """What was asked for, from the allow-lists; "" and 0 for nothing. Cursors are keys of rows.

    `most` is how many games a page has.
    """

    sort: str = "newest"
    state: str = ""
    iteration: int = 0
    after: int = 0
    before: int = 0
    most: int = GAMES_A_PAGE

    @property
    def is_ordered_by_verdict(self) -> bool:
        """Whether `sort` is by a figure of the verdict."""
        return _FIELDS[self.sort][0] != "number"


class GameRow(NamedTuple):
    """What a line of the list takes from the game's own row."""

    pk: int
    number: int
    iteration_id: int
    message_count: int
    cost_usd: Decimal | None
    withdrawn_at: datetime | None
    needed_count: int | None


class ListWindow(Struct, frozen=True):
    """A page of games in order, and the cursors to go on from (0: nothing there)."""

    games: list[GameRow]
    after: int
    before: int


def load_list_window(project: Project, wanted: ListQuery) -> ListWindow:
    """The games of one page; two queries at most, whatever the size of the project."""
    field, falls = _FIELDS[wanted.sort]
    games = _filtered(Game.objects.filter(project=project), wanted.state)
    if wanted.iteration:
        games = games.filter(iteration=wanted.iteration)
    if not wanted.is_ordered_by_verdict:
        return _walk(games, field, falls, "", wanted)
    verdicts = Verdict.objects.filter(project=project).standing().exclude(**{field: None})
    if wanted.state or wanted.iteration:
        verdicts = verdicts.filter(game__in=games)
    return _walk(verdicts, field, falls, "game__", wanted)


def _walk(rows: "QuerySet[Any]", field: str, falls: bool, prefix: str, wanted: ListQuery) -> ListWindow:
    is_back = bool(wanted.before)
    falls = falls != is_back
    cursor = wanted.before or wanted.after
    here = rows.filter(pk=cursor).values_list(field, flat=True).first() if cursor else None
    if here is not None:
        side = "lt" if falls else "gt"
        beyond = Q(**{f"{field}__{side}": here}) | Q(**{f"pk__{side}": cursor})
        rows = rows.filter(Q(**{f"{field}__{side}e": here}) & beyond)
    sign = "-" if falls else ""
    columns = [prefix + name for name in GameRow._fields]
    ordered = rows.order_by(f"{sign}{field}", f"{sign}pk").values_list("pk", *columns)
    found = list(ordered[: wanted.most + 1])
    is_more, found = len(found) > wanted.most, found[: wanted.most]
    if is_back:
        found.reverse()
    is_later, is_earlier = (here is not None, is_more) if is_back else (is_more, here is not None)
    return ListWindow(
        games=[GameRow(*game) for _pk, *game in found],
        after=found[-1][0] if found and is_later else 0,
        before=found[0][0] if found and is_earlier else 0,
    )


def _filtered(games: "QuerySet[Game]", state: str) -> "QuerySet[Game]":
    if not state:
        return games
    verdicts = Verdict.objects.filter(game=OuterRef("pk"))
    if state == RECORDED:
        return games.filter(Exists(verdicts))
    if state in ("pass", "fail"):
        return games.filter(Exists(verdicts.standing().filter(passes=state == "pass")))
    if state == WEAK:
        return games.filter(Exists(verdicts.standing().filter(weak_pass_count__gt=0)))
    return _without_verdict(games.filter(~Exists(verdicts)), state)


def _without_verdict(games: "QuerySet[Game]", state: str) -> "QuerySet[Game]":
    version = OuterRef("iteration__rubric_version")
    measured = Exists(Measured.objects.filter(game=OuterRef("pk"), rubric_version=version))
    if state == MEASURING:
        return games.filter(~measured)
    evaluations = Evaluation.objects.filter(game=OuterRef("pk"), purpose=RATING)
    submitted = evaluations.filter(state=SUBMITTED).order_by().values("game")
    count = Coalesce(Subquery(submitted.annotate(number=Count("pk")).values("number")), 0)
    games = games.annotate(submitted_count=count)
    if state == COMPLETE:
        return games.filter(submitted_count__gte=NEEDED)
    games = games.filter(measured, submitted_count__lt=NEEDED)
    is_open = Exists(evaluations.filter(state__in=OPEN))
    return games.filter(is_open) if state == RATED else games.filter(~is_open)
