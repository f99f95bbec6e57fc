"""M5, personality diversity: the share of players whose language is unlike that of every other player."""

from collections import Counter
from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import combinations, pairwise
from typing import TypeVar

from msgspec import Struct
from rapidfuzz.distance import Indel

from discussions.core import judgement_kinds
from discussions.core.records import Measurement, PlayerFinding
from discussions.metrics.core.metric import Metric
from discussions.metrics.core.parameters import ENDS, NAME, Parameters
from discussions.metrics.core.prepared_game import Reading
from rubric.versions.core.game_specs import ParameterSpecs

KEY = "personality_diversity"
_MATCHED_AT_MOST = 2_000
T = TypeVar("T")


class Nearest(Struct, frozen=True):
    """The most similar other player, and the similarity as a fraction (shared, whole)."""

    player: int
    shared: int
    whole: int

    @property
    def percent(self) -> float:
        return compute_percent(self.shared, self.whole)


def measure(reading: Reading, parameters: Parameters) -> Measurement:
    """The unique players among those who spoke (or among all). `counted` lists the unique ones. Source: rubric,
    Metric 5.

    A player is unique when the similarity with every other player is below the limit, on whole numbers: a similarity
    of exactly 70 is not below 70. If there is no other player to compare with, a player is unique.
    """
    words = collect_words(reading, parameters)
    most = parameters.number("similarity_max_chars")
    characters = {player: len(" ".join(said)) for player, said in words.items()}
    nearest = nearest_players(
        {
            player: said if characters[player] <= most else _first_words(said, most)
            for player, said in words.items()
        },
        parameters,
    )
    limit = Fraction(str(parameters.choice("similarity_unique_below")))
    findings = []
    for player in range(1, len(reading.game.players) + 1):
        near = nearest.get(player)
        findings.append(
            PlayerFinding(
                player,
                spoke=player in words,
                is_unique=player in words and _is_below(near, limit),
                nearest=near.player if near else None,
                similarity=near.percent if near else None,
                characters=characters.get(player, 0),
            )
        )
    unique = [finding.player for finding in findings if finding.is_unique]
    whole = len(words) if parameters.choice("diversity_players") == "spoke" else len(findings)
    silent = [reading.game.players[finding.player - 1].name for finding in findings if not finding.spoke]
    cut = [reading.game.players[player - 1].name for player in words if characters[player] > most]
    notes = [f"silent: {', '.join(silent)}"] if silent else []
    if cut:
        notes.append(f"compared on the first {most} characters: {', '.join(cut)}")
    return Measurement(KEY, len(unique), whole, counted=unique, players=findings, notes=notes)


def _is_below(near: Nearest | None, limit: Fraction) -> bool:
    if near is None:
        return True
    return 100 * near.shared * limit.denominator < limit.numerator * near.whole


def collect_words(reading: Reading, parameters: Parameters) -> dict[int, list[str]]:
    left_out = ENDS if parameters.choice("similarity_names") else ENDS | NAME
    places = (reading.flags & left_out == 0).nonzero()[0]
    speakers = reading.speakers[reading.of_message[places]]
    order = speakers.argsort(kind="stable")
    tokens = list(map(reading.masked.__getitem__, reading.ids[places[order]].tolist()))
    players = sorted(set(reading.speakers.tolist()))
    ends = speakers[order].searchsorted(players, side="right").tolist()
    bounds = pairwise([0, *ends])
    return {player: tokens[start:end] for player, (start, end) in zip(players, bounds, strict=True)}


def _first_words(words: list[str], characters: int) -> list[str]:
    return " ".join(words)[:characters].split()


def nearest_players(words: Mapping[int, list[str]], parameters: Parameters) -> dict[int, Nearest]:
    """The most similar other player of each, by words; the lower number wins a tie. No pair is compared twice."""
    if parameters.choice("similarity") == "dice_bigrams":
        return _nearest(
            {player: bigrams("".join(said)) for player, said in words.items()}, dice, Counter.total
        )
    return _nearest({player: " ".join(sorted(said)) for player, said in words.items()}, token_sort, len)


def _nearest(
    prepared: Mapping[int, T], compare: Callable[[T, T], tuple[int, int]], measure_size: Callable[[T], int]
) -> dict[int, Nearest]:
    """Pairs of similar size come first: two share at most twice the smaller size, so later pairs can be skipped."""
    sizes = {player: measure_size(said) for player, said in prepared.items()}
    pairs = [
        (compute_percent(2 * min(sizes[first], sizes[other]), sizes[first] + sizes[other]), first, other)
        for first, other in combinations(prepared, 2)
    ]
    pairs.sort(reverse=True)
    nearest: dict[int, Nearest] = {}
    highest = dict.fromkeys(prepared, -1.0)
    for most, first, other in pairs:
        if most < highest[first] and most < highest[other]:
            continue
        shared, whole = compare(prepared[first], prepared[other])
        percent = compute_percent(shared, whole)
        for player, near in ((first, other), (other, first)):
            is_equal = percent == highest[player] and near < nearest[player].player
            if percent > highest[player] or is_equal:
                highest[player], nearest[player] = percent, Nearest(near, shared, whole)
    return nearest


def compute_percent(shared: int, whole: int) -> float:
    return 100 * shared / whole if whole else 100.0


def token_sort(first: str, other: str) -> tuple[int, int]:
    """RapidFuzz's token_sort_ratio of two texts with sorted words, as integers (shared, whole)."""
    whole = len(first) + len(other)
    return whole - Indel.distance(first, other), whole


def bigrams(text: str) -> Counter[str]:
    return Counter(first + second for first, second in pairwise(text))


def dice(first: Counter[str], other: Counter[str]) -> tuple[int, int]:
    return 2 * (first & other).total(), first.total() + other.total()


def diagnostics(reading: Reading, measurement: Measurement, parameters: Parameters) -> Mapping[str, object]:
    """The nearest neighbours, and the score when every player's text is cut to the length of the shortest.

    The common length is at most 2,000 characters and is stated: comparing takes time quadratic in it.
    """
    words = {player: said for player, said in collect_words(reading, parameters).items() if said}
    length = min((len(" ".join(said)) for said in words.values()), default=0)
    length = min(length, parameters.number("similarity_max_chars"), _MATCHED_AT_MOST)
    nearest = nearest_players(
        {player: _first_words(said, length) for player, said in words.items()}, parameters
    )
    limit = Fraction(str(parameters.choice("similarity_unique_below")))
    unique = sum(_is_below(nearest.get(player), limit) for player in words)
    return {
        "nearest": [
            {"player": finding.player, "nearest": finding.nearest, "similarity": finding.similarity}
            for finding in measurement.players
            if finding.spoke
        ],
        "silent": [finding.player for finding in measurement.players if not finding.spoke],
        "length_matched": {
            "characters": length,
            "players": len(words),
            "unique": unique,
            "score": 100 * unique / len(words) if words else None,
        },
    }


METRIC = Metric(
    KEY,
    measure,
    diagnostics,
    has_interval=False,
    parameters=ParameterSpecs(
        choices={
            "similarity": ("token_sort_ratio", "dice_bigrams"),
            "similarity_names": (True, False),
            "diversity_players": ("spoke", "all"),
            "identification_pass": ("five", "half"),
        },
        counts={
            "similarity_max_chars": (100, 1_000_000),
            "identification_pass_count": (1, 1000),
            "identification_min_messages": (1, 100),
            "identification_max_messages": (1, 100),
        },
        amounts={"similarity_unique_below": (0, 100)},
    ),
    judged=judgement_kinds.IDENTIFY,
    counted="players",
    is_required=True,
    has_manual_check=True,
)
