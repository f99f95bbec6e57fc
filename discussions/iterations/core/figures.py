"""One game as a set of figures, by which iterations are compared and judged; exact where a decision depends on them."""

from collections import Counter
from collections.abc import Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any

from msgspec import Struct

from discussions.core.outcome import ENGAGEMENT, Outcome, OutcomeLine, say_helped
from discussions.verdicts.core.people_estimate import find_label_budget
from rubric.core.records import Criterion
from workspace.statistics.means import exact_mean, weighted_mean

# A score is 100 n / d; its float gives back the exact fraction as long as d is not larger than this.
LARGEST_DENOMINATOR = 1_000_000


class GameFigures(Struct, frozen=True, omit_defaults=True):
    """The figures of one game in an iteration.

    `scores` are by measured metric: the highest score if a metric does not apply, None while it is pending. `passes`
    are by metric, as the game's verdict says (a manual check may have decided). `on_few_references` names metrics
    that apply and pass weakly, `open` those whose people's estimate is too near the threshold. `people` are people's
    estimates, in percent, of the metrics that have one, `helped` the number of people's answers and the judges of those
    that judges helped with; `asks` how many more answers make an open metric clear four times in five. `cost_usd` None
    is "not reported". `cache_hit_rate` is from 0 to 1. `is_pass` is the game's verdict, None without one. `word_count`
    counts the words of all its messages. `played_on` is an ISO date; games with one `pair` differ only in the prompt.
    `chance` is the probability with which it entered the queue, None for 1, 0 if a lead chose it.
    """

    number: int
    scores: dict[str, float | None]
    rating: float | None = None
    passes: dict[str, bool | None] = {}
    not_applicable: list[str] = []
    cost_usd: Decimal | None = None
    is_cost_by_hand: bool = False
    cache_hit_rate: float | None = None
    is_cache_by_hand: bool = False
    input_tokens: int | None = None
    is_pass: bool | None = None
    message_count: int | None = None
    word_count: int | None = None
    on_few_references: list[str] = []
    open: list[str] = []
    played_on: str = ""
    build: str = ""
    seed: str = ""
    people: dict[str, float] = {}
    asks: dict[str, int] = {}
    pair: str = ""
    helped: dict[str, tuple[int, list[str]]] = {}
    chance: float | None = None

    def score(self, key: str) -> float | None:
        return self.rating if key == ENGAGEMENT else self.scores.get(key)

    @property
    def is_unknown(self) -> bool:
        """Whether it has no figure yet."""
        return self.rating is None and all(score is None for score in self.scores.values())

    @property
    def entered(self) -> float:
        """The probability with which it entered the queue."""
        return 1.0 if self.chance is None else self.chance

    def applies(self, key: str) -> bool:
        return key not in self.not_applicable


def game_figures(number: int, outcome: Outcome, **facts: Any) -> GameFigures:
    """The figures of a game from its outcome; `facts` are the current costs, perhaps by hand, and sizes."""
    return GameFigures(
        number=number,
        scores={line.key: line.score for line in outcome.lines if line.key != ENGAGEMENT},
        rating=next((line.score for line in outcome.lines if line.key == ENGAGEMENT), None),
        passes={line.key: line.passes for line in outcome.lines},
        not_applicable=[line.key for line in outcome.lines if not line.is_applicable],
        is_pass=outcome.passes,
        on_few_references=[line.key for line in outcome.lines if line.is_weak_pass and line.is_applicable],
        open=[line.key for line in outcome.lines if line.is_open],
        asks={line.key: _count_answers(line) for line in outcome.lines if line.is_open},
        people={line.key: line.people.share for line in outcome.lines if line.people is not None},
        helped={
            line.key: (line.people.judged, [name for _number, name in line.people.helpers])
            for line in outcome.lines
            if line.people is not None and line.people.helpers
        },
        **facts,
    )


def name_helpers(games: Iterable[GameFigures], key: str) -> str:
    """The sentence on the judges that helped with estimates of these games; "" where none did."""
    helped = [game.helped[key] for game in games if key in game.helped]
    judges = sorted({name for _answers, names in helped for name in names})
    return say_helped(judges, sum(answers for answers, _names in helped))


def _count_answers(line: OutcomeLine) -> int:
    assert line.people is not None
    budget = find_label_budget(tuple(line.people.strata), line.threshold, line.people.batch)
    return budget[0] if budget else 0


def passes(game: GameFigures, criterion: Criterion) -> bool | None:
    """Whether the game passes that criterion: by its verdict, else by its score; None while not known."""
    recorded, score = game.passes.get(criterion.key), game.score(criterion.key)
    if recorded is not None or score is None:
        return recorded
    return exact(score) >= Fraction(str(criterion.threshold or 0))


def collect_scores(
    games: Iterable[GameFigures], key: str, *, with_by_rule: bool = True, by_people: bool = False
) -> list[Fraction]:
    """The known scores of a metric; `by_people` takes people's estimates, of the games that have one."""
    return [
        exact(score)
        for game in games
        if (score := game.people.get(key) if by_people else game.score(key)) is not None
        and (with_by_rule or game.applies(key))
    ]


def find_weights(
    games: Sequence[GameFigures], key: str = "", *, by_people: bool = False
) -> dict[float, Fraction]:
    """The weight of a game with a known score by its chance; empty where all games have one chance.

    That is 1 / chance, times the share of the games with this chance whose score is known: they stand for the others.
    """
    there = Counter(game.entered for game in games)
    known = Counter(
        game.entered for game in games if not key or collect_scores([game], key, by_people=by_people)
    )
    if len(there) < 2 or not any(known.keys() - {0}):
        return {}
    return {
        chance: Fraction(there[chance], count) / exact(chance) if chance else Fraction()
        for chance, count in known.items()
    }


def list_weights(
    games: Sequence[GameFigures], key: str, *, with_by_rule: bool = True, by_people: bool = False
) -> list[Fraction]:
    """The weights of what `collect_scores` gives; empty where all weigh the same."""
    weights = find_weights(games, key, by_people=by_people)
    given = {"with_by_rule": with_by_rule, "by_people": by_people}
    return (
        [weights[game.entered] for game in games if collect_scores([game], key, **given)] if weights else []
    )


def mean_score(games: Sequence[GameFigures], key: str, *, with_by_rule: bool = True) -> Fraction | None:
    """The mean of the known scores, weighted where games entered the queue with different chances."""
    scores = collect_scores(games, key, with_by_rule=with_by_rule)
    weights = list_weights(games, key, with_by_rule=with_by_rule)
    return weighted_mean(scores, weights) if weights else exact_mean(scores)


def find_pairs(
    control: Iterable[GameFigures], change: Iterable[GameFigures], key: str, *, by_people: bool = False
) -> list[tuple[GameFigures, GameFigures]]:
    """The games that were played in pairs, to both of which the metric applies, control first."""
    sides = []
    for games in (control, change):
        found: dict[str, GameFigures] = {}
        for game in games:
            if game.pair and collect_scores([game], key, with_by_rule=False, by_people=by_people):
                found.setdefault(game.pair, game)
        sides.append(found)
    first, second = sides
    return [(game, second[pair]) for pair, game in first.items() if pair in second]


@lru_cache(maxsize=10_000)
def exact(score: float) -> Fraction:
    """The fraction that a score was before it became a float, so that sums and means of scores are exact."""
    return Fraction(score).limit_denominator(LARGEST_DENOMINATOR)
