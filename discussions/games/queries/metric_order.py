"""The list of games by the score of a metric, which is in texts and in no column: of the newest that match."""

import msgspec

from discussions.games.queries.game_facts import FIGURES, OUTCOMES, is_unknown
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
        counted = msgspec.json.decode(figures or "{}").get(key)
        if versions[game] == version and not is_unknown(key, counted):
            scores[game] = _compute_score(key, *counted)
    return scores


def _compute_score(
    key: str, numerator: int, denominator: int, is_applicable: bool, _is_pending: bool
) -> float:
    scale = METRICS[key].scale
    return float(scale.value(numerator, denominator) if is_applicable else scale.high)
