"""A page of the list of games: its order, and where it continues; keyset pagination for any number of games."""

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Literal

import msgspec
from django.db.models import Q, QuerySet
from django.db.models.functions import Coalesce
from msgspec import Struct, structs

from discussions.core.outcome import Outcome
from discussions.games.queries.game_facts import is_unknown, list_facts
from discussions.games.queries.list_filters import (
    VALUE_FIELDS,
    GameRow,
    Key,
    ListFilter,
    filter_games,
    read_values,
)
from discussions.iterations.queries import judge_rated
from discussions.metrics.core.registry import METRICS
from discussions.models import Game, Verdict
from workspace.database.prepared_queries import Prepared
from workspace.models import Project

GAMES_A_PAGE = 30
# The most games that one act takes; a list counts its games up to that number.
MOST_CHOSEN = 200


# Sort -> the field or metric, and whether it is descending. A list sorted by cost or by a figure of the verdict holds
# only games with that figure, in the order of one index. Iterations are numbered in the order in which they were made.
FIELDS = {
    "newest": ("number", True),
    "oldest": ("number", False),
    "best": ("composite", True),
    "worst": ("composite", False),
    "most_passed": ("passed_count", True),
    "fewest_passed": ("passed_count", False),
    "closest": ("flip_distance", False),
    "farthest": ("flip_distance", True),
    "a_to_z": ("source_id", False),
    "z_to_a": ("source_id", True),
    "shortest": ("message_count", False),
    "longest": ("message_count", True),
    "costliest": ("paid_usd", True),
    "cheapest": ("paid_usd", False),
    "last_iteration": ("iteration_id", True),
    "first_iteration": ("iteration_id", False),
    **{f"{way}_{key}": (key, way == "highest") for key in METRICS for way in ("lowest", "highest")},
}
Sort = Literal[(*FIELDS,)]  # type: ignore[valid-type]
FIGURES = ("composite", "passed_count", "flip_distance")


class ListQuery(ListFilter, frozen=True, kw_only=True):
    """The filter, the order and the start of the page. Cursors are keys of rows; a page has at most `most` games."""

    sort: Sort = "newest"
    after: Key = 0
    before: Key = 0
    most: int = GAMES_A_PAGE

    @property
    def is_ordered_by_verdict(self) -> bool:
        return FIELDS[self.sort][0] in FIGURES

    @property
    def is_ordered_by_metric(self) -> bool:
        return FIELDS[self.sort][0] in METRICS


class ListWindow(Struct, frozen=True):
    games: list[GameRow]
    after: int
    before: int


def load_list_window(project: Project, wanted: ListQuery) -> ListWindow:
    """The games of one page; four queries at most, whatever the size of the project."""
    if wanted.is_ordered_by_metric:
        return _load_metric_window(project, wanted)
    is_back, cursor = bool(wanted.before), wanted.before or wanted.after
    here = None
    if cursor:
        # None if the row is no longer in the list.
        rows, prefix = _ordered(project.pk, wanted, read_values(wanted))
        here = rows.filter(pk=cursor).values_list(FIELDS[wanted.sort][0], flat=True).first()
    if here is None and not is_back:
        games = _run(_query_window, project, wanted)
    else:
        rows, prefix = _ordered(project.pk, wanted, read_values(wanted))
        if here is not None:
            field, falls = FIELDS[wanted.sort]
            rows = _beyond(rows, field, here, cursor, falls=falls != is_back)
        games = list(_cut(rows, prefix, wanted, is_back=is_back))
    is_more, games = len(games) > wanted.most, games[: wanted.most]
    if is_back:
        games.reverse()
    is_later, is_earlier = (here is not None, is_more) if is_back else (is_more, here is not None)
    return ListWindow(
        games=[GameRow(*game) for _pk, *game in games],
        after=games[-1][0] if games and is_later else 0,
        before=games[0][0] if games and is_earlier else 0,
    )


def _list_by_metric(project: Project, wanted: ListQuery) -> list[tuple[int, int]]:
    key, falls = FIELDS[wanted.sort]
    return order_by_metric(project.pk, wanted, key, falls=falls)


def _load_metric_window(project: Project, wanted: ListQuery) -> ListWindow:
    keys = [pk for pk, _number in _list_by_metric(project, wanted)]
    end = keys.index(wanted.before) if wanted.before in keys else len(keys)
    start = keys.index(wanted.after) + 1 if wanted.after in keys else 0
    start = max(0, end - wanted.most) if wanted.before else start
    page, end = keys[start : start + wanted.most], start + wanted.most
    rows = {row[0]: GameRow(*row) for row in Game.objects.filter(pk__in=page).values_list(*GameRow._fields)}
    return ListWindow(
        games=[rows[pk] for pk in page],
        after=page[-1] if end < len(keys) else 0,
        before=page[0] if page and start else 0,
    )


def count_matches(project: Project, wanted: ListQuery, most: int) -> int:
    """How many games the whole list has, counted up to `most`; one query."""
    return len(_run(_query_matches, project, structs.replace(wanted, before=0, most=most)))


def list_numbers(project: Project, wanted: ListQuery, most: int) -> list[int]:
    if wanted.is_ordered_by_metric:
        return [number for _pk, number in _list_by_metric(project, wanted)[:most]]
    rows, prefix = _ordered(project.pk, wanted, read_values(wanted))
    field, falls = FIELDS[wanted.sort]
    return list(_sorted(rows, field, falls=falls).values_list(f"{prefix}number", flat=True)[:most])


def _run(
    query: "Callable[[int, ListQuery, Mapping[str, Any]], QuerySet[Any, Any]]",
    project: Project,
    wanted: ListQuery,
    **more: int | str,
) -> list[tuple[Any, ...]]:
    """The rows of a list. Lists that differ only in their values share a prepared query; `more` are values, too."""
    values = read_values(wanted) | more
    shape = structs.replace(wanted, q=wanted.q and "words", after=0, **dict.fromkeys(VALUE_FIELDS))
    kinds = tuple((name, type(value)) for name, value in values.items())
    return _prepare(query, shape, kinds)(project.pk, *values.values())


# Room for every order with the usual filters; other queries evict one of these for a while.
@lru_cache(maxsize=512)
def _prepare(
    query: "Callable[..., QuerySet[Any, Any]]", shape: ListQuery, named: tuple[tuple[str, Any], ...]
) -> Prepared:
    names, kinds = [name for name, _kind in named], [kind for _name, kind in named]
    return Prepared(
        lambda project, *values: query(project, shape, dict(zip(names, values, strict=True))), int, *kinds
    )


def _query_window(project: int, wanted: ListQuery, values: Mapping[str, Any]) -> "QuerySet[Any, Any]":
    return _cut(*_ordered(project, wanted, values), wanted)


def _query_matches(project: int, wanted: ListQuery, values: Mapping[str, Any]) -> "QuerySet[Any, Any]":
    return _ordered(project, wanted, values)[0].order_by().values_list("pk")[: wanted.most]


def _cut(
    rows: "QuerySet[Any]", prefix: str, wanted: ListQuery, *, is_back: bool = False
) -> "QuerySet[Any, Any]":
    field, falls = FIELDS[wanted.sort]
    falls = falls != is_back
    if wanted.q and field == "number":
        # SQLite has an index of numbers with texts: it finds the page there without reading rows of other games.
        matches = rows.order_by("-number" if falls else "number").values("pk")
        rows = Game.objects.filter(pk__in=matches[: wanted.most + 1])
    columns = [prefix + name for name in GameRow._fields]
    return _sorted(rows, field, falls=falls).values_list("pk", *columns)[: wanted.most + 1]


def load_neighbours(project: Project, wanted: ListQuery, game: Game) -> tuple[int, int]:
    """The numbers of the games before and after this one in the list, 0 at an end; three queries at most.

    The game may be in the list no longer. In a list by cost or by a figure of the verdict, a game without that figure
    has no neighbours.
    """
    if wanted.is_ordered_by_metric:
        games = [0, *(number for _pk, number in _list_by_metric(project, wanted)), 0]
        at = games.index(game.number) if game.number in games else 0
        return (games[at - 1], games[at + 1]) if at else (0, 0)
    field = FIELDS[wanted.sort][0]
    here: tuple[int, Any] | None = (game.pk, getattr(game, field, None))
    if wanted.is_ordered_by_verdict:
        here = Verdict.objects.not_superseded().filter(game=game).values_list("pk", field).first()
    if here is None or here[1] is None:
        return 0, 0
    before, after = (_find_neighbour(project, wanted, *here, is_back=is_back) for is_back in (True, False))
    return before, after


def _find_neighbour(project: Project, wanted: ListQuery, cursor: int, here: Any, *, is_back: bool) -> int:
    wanted = structs.replace(wanted, after=0, before=int(is_back))
    if isinstance(here, int | str) and not wanted.is_ordered_by_verdict:
        found = _run(_query_neighbour, project, wanted, here=here, cursor=cursor)
    else:  # a decimal, or a figure that PostgreSQL keeps in two bytes: too few for a stand-in of a prepared query
        values = read_values(wanted) | {"here": here, "cursor": cursor}
        found = list(_query_neighbour(project.pk, wanted, values))
    return found[0][0] if found else 0


def _query_neighbour(project: int, wanted: ListQuery, values: Mapping[str, Any]) -> "QuerySet[Any, Any]":
    rows, prefix = _ordered(project, wanted, values)
    field, falls = FIELDS[wanted.sort]
    falls = falls != bool(wanted.before)
    beyond = _sorted(_beyond(rows, field, values["here"], values["cursor"], falls=falls), field, falls=falls)
    return beyond.values_list(f"{prefix}number")[:1]


def _ordered(project: int, wanted: ListQuery, values: Mapping[str, Any]) -> "tuple[QuerySet[Any], str]":
    """The rows that the list iterates over (games or current verdicts), and the lookup from a row to its game."""
    field = FIELDS[wanted.sort][0]
    if not wanted.is_ordered_by_verdict:
        games = filter_games(project, wanted, values)
        return games.exclude(paid_usd=None) if field == "paid_usd" else games, ""
    verdicts = Verdict.objects.filter(project=project).not_superseded().exclude(**{field: None})
    if wanted.active or values.keys() & VALUE_FIELDS:
        verdicts = verdicts.filter(game__in=filter_games(project, wanted, values))
    return verdicts, "game__"


def _beyond(rows: "QuerySet[Any]", field: str, here: Any, cursor: int, *, falls: bool) -> "QuerySet[Any]":
    side = "lt" if falls else "gt"
    beyond = Q(**{f"{field}__{side}": here}) | Q(**{f"pk__{side}": cursor})
    return rows.filter(Q(**{f"{field}__{side}e": here}) & beyond)


def _sorted(rows: "QuerySet[Any]", field: str, *, falls: bool) -> "QuerySet[Any]":
    sign = "-" if falls else ""
    return rows.order_by(f"{sign}{field}", f"{sign}pk")


# More games than these are not sorted by a metric; the page says so.
MOST_SORTED = 500


def order_by_metric(project: int, wanted: ListFilter, key: str, *, falls: bool) -> list[tuple[int, int]]:
    """Key and number of the newest games of the list by their score as it is shown, those without one last.

    Two queries, whatever the size of the project, and those of games to record.
    """
    games = filter_games(project, wanted, read_values(wanted)).order_by("-number")
    needed = Coalesce("needed_count", "iteration__evaluator_count")
    rows = list(games.values_list("pk", "number", needed)[:MOST_SORTED])
    scores = _read_scores(key, {pk: (number, count) for pk, number, count in rows})
    known = [(scores[pk], pk, number) for pk, number, _count in rows if pk in scores]
    unknown = [(pk, number) for pk, number, _count in rows if pk not in scores]
    return [(pk, number) for _score, pk, number in sorted(known, reverse=falls)] + unknown


def _read_scores(key: str, games: dict[int, tuple[int, int]]) -> dict[int, float]:
    """Key of a game -> its score by the metric; `games` have their number and how many evaluations they need."""
    scores: dict[int, float] = {}
    facts = {row[0]: row for row in list_facts([*games])}
    rated = [pk for pk, row in facts.items() if row[1] is None and row[3] >= games[pk][1]]
    expected = judge_rated({games[pk][0]: pk for pk in rated})[0]
    for game, recorded, figures, *_others in facts.values():
        outcome = expected.get(game) if recorded is None else msgspec.json.decode(recorded, type=Outcome)
        if outcome is not None:
            score = next((line.score for line in outcome.lines if line.key == key), None)
            scores |= {} if score is None else {game: score}
            continue
        counted = msgspec.json.decode(figures or "{}").get(key)
        if not is_unknown(key, counted):
            numerator, denominator, is_applicable, _is_pending = counted
            scale = METRICS[key].scale
            scores[game] = float(scale.value(numerator, denominator) if is_applicable else scale.high)
    return scores
