"""The list of games by the score of a metric, which is in texts and in no column: of the newest that match."""

from typing import Any

import msgspec

from discussions.games.queries.game_facts import FIGURES, OUTCOMES
from discussions.games.queries.list_filters import ListFilter, filter_games, read_values
from discussions.metrics.core.registry import METRICS

# More games than these are not sorted by a metric; the page says so.
MOST_SORTED = 500


def order_by_metric(project: int, wanted: ListFilter, key: str, *, falls: bool) -> list[tuple[int, int]]:
    """Key and number of the newest games of the list by their score as it is shown, those without one last.

    Three queries, whatever the size of the project.
    """
    games = filter_games(project, wanted, read_values(wanted)).order_by("-number")
    rows = list(games.values_list("pk", "number", "iteration__rubric_version")[:MOST_SORTED])
    scores = _read_scores(key, {pk: version for pk, _number, version in rows})
    known = [(scores[pk], pk, number) for pk, number, _version in rows if pk in scores]
    unknown = [(pk, number) for pk, number, _version in rows if pk not in scores]
    return [(pk, number) for _score, pk, number in sorted(known, reverse=falls)] + unknown


def _read_scores(key: str, versions: dict[int, int]) -> dict[int, float]:
    scores: dict[int, float] = {}
    decided = {game: msgspec.json.decode(outcome)["lines"] for game, outcome in OUTCOMES([*versions])}
    for game, lines in decided.items():
        score = next((line["score"] for line in lines if line["key"] == key), None)
        scores |= {} if score is None else {game: score}
    for game, version, figures in FIGURES([game for game in versions if game not in decided]):
        score = _read_counted(key, msgspec.json.decode(figures).get(key))
        if versions[game] == version and score is not None:
            scores[game] = score
    return scores


def _read_counted(key: str, counted: Any) -> float | None:
    """The score before a verdict, None while people have to judge first."""
    metric = METRICS[key]
    if counted is None or metric.is_rated:
        return None
    numerator, denominator, is_applicable, is_pending = counted
    if not is_applicable:
        return float(metric.scale.high)
    if not denominator or (is_pending and not metric.has_estimate):
        return None
    return float(metric.scale.value(numerator, denominator))
