"""The iterations of a stage with what their games come to, worked out once for the same figures."""

from functools import lru_cache
from typing import Any

import msgspec
from msgspec import Struct

from discussions.core.averages import Averages, averages_of
from discussions.core.game_figures import GameFigures
from discussions.core.gates import CacheRate, cache_rate_of
from discussions.core.history import History, HistoryIteration
from discussions.models.standings import rubric_record
from rubric.core.records import RubricRecord

_FIGURES: Any = msgspec.json.Decoder(list[GameFigures])


class JudgedIteration(Struct, frozen=True):
    """One iteration, the rubric version it is judged by, its averages, and the cache hit rate over its games.

    `content` is the figures of its games in bytes: what is worked out of them once is remembered by it. `aside` is the
    same of its withdrawn games, of which nothing is worked out.
    """

    row: HistoryIteration
    content: bytes
    aside: bytes
    rubric: RubricRecord
    averages: Averages
    cache: CacheRate


def judged_iterations(history: History) -> list[JudgedIteration]:
    """All of the stage, in order."""
    return [judged(each) for each in history.iterations]


def judged(row: HistoryIteration) -> JudgedIteration:
    """One iteration with what its games come to."""
    content = msgspec.json.encode(row.figures)
    averages, cache = come_to(content, row.rubric_version, row.rubric_sha256)
    rubric = rubric_record(row.rubric_version, row.rubric_sha256)
    aside = msgspec.json.encode([each.game.figures for each in row.left_out])
    return JudgedIteration(row, content, aside, rubric, averages, cache)


def figures_in(content: bytes) -> list[GameFigures]:
    """The figures that the bytes hold."""
    found: list[GameFigures] = _FIGURES.decode(content)
    return found


# Exact fractions take their time, and figures of rated games hardly ever change; the key is all that goes in.
@lru_cache(maxsize=1024)
def come_to(content: bytes, version: int, sha256: str) -> tuple[Averages, CacheRate]:
    """The averages and the cache hit rate of games with these figures."""
    games, rubric = figures_in(content), rubric_record(version, sha256)
    return averages_of(games, rubric), cache_rate_of(games, rubric)
