"""The list of games by the score of a metric, which is in texts and in no column: of the newest that match."""

import msgspec

from discussions.games.queries.game_facts import is_unknown, list_facts
from discussions.games.queries.list_filters import ListFilter, filter_games, read_values
from discussions.metrics.core.registry import METRICS

# More games than these are not sorted by a metric; the page says so.
MOST_SORTED = 500


def order_by_metric(project: int, wanted: ListFilter, key: str, *, falls: bool) -> list[tuple[int, int]]:
    """Key and number of the newest games of the list by their score as it is shown, those without one last.

    Two queries, whatever the size of the project.
    """
    games = filter_games(project, wanted, read_values(wanted)).order_by("-number")
    rows = list(games.values_list("pk", "number")[:MOST_SORTED])
    scores = _read_scores(key, [pk for pk, _number in rows])
    known = [(scores[pk], pk, number) for pk, number in rows if pk in scores]
    unknown = [(pk, number) for pk, number in rows if pk not in scores]
    return [(pk, number) for _score, pk, number in sorted(known, reverse=falls)] + unknown


def _read_scores(key: str, games: list[int]) -> dict[int, float]:
    scores: dict[int, float] = {}
    for game, recorded, figures, *_others in list_facts(games):
        if recorded is not None:
            lines = msgspec.json.decode(recorded)["lines"]
            score = next((line["score"] for line in lines if line["key"] == key), None)
            scores |= {} if score is None else {game: score}
            continue
        counted = msgspec.json.decode(figures or "{}").get(key)
        if not is_unknown(key, counted):
            scores[game] = _compute_score(key, *counted)
    return scores


def _compute_score(
    key: str, numerator: int, denominator: int, is_applicable: bool, _is_pending: bool
) -> float:
    scale = METRICS[key].scale
    return float(scale.value(numerator, denominator) if is_applicable else scale.high)
