"""M5, personality diversity: the share of players whose language is unlike that of every other player."""

from collections import Counter
from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import combinations, pairwise
from typing import TypeVar

import numpy as np
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
    """The most similar other player, and the similarity as parts of a whole."""

    player: int
    shared: int
    whole: int

    @property
    def percent(self) -> float:
        """Similarity from 0 to 100."""
        return compute_percent(self.shared, self.whole)


def measure(reading: Reading, parameters: Parameters) -> Measurement:
    """Unique players of those who spoke (or of all). `counted` lists the unique ones. Source: rubric, Metric 5.

    A player is unique when the similarity with every other player is below the limit, on whole numbers: a similarity
    of exactly 70 is not below 70. A player who has no other to be compared with is unique.
    """
    texts = collect_texts(reading, parameters)
    most = parameters.number("similarity_max_chars")
    nearest = nearest_players({player: text[:most] for player, text in texts.items()}, parameters)
    limit = Fraction(str(parameters.choice("similarity_unique_below")))
    findings = []
    for player in range(1, len(reading.game.players) + 1):
        near = nearest.get(player)
        findings.append(
            PlayerFinding(
                player,
                spoke=player in texts,
                is_unique=player in texts and _is_below(near, limit),
                nearest=near.player if near else None,
                similarity=near.percent if near else None,
                characters=len(texts.get(player, "")),
            )
        )
    unique = [finding.player for finding in findings if finding.is_unique]
    whole = len(texts) if parameters.choice("diversity_players") == "spoke" else len(findings)
    silent = [reading.game.players[finding.player - 1].name for finding in findings if not finding.spoke]
    cut = [reading.game.players[player - 1].name for player in texts if len(texts[player]) > most]
    notes = [f"silent: {', '.join(silent)}"] if silent else []
    if cut:
        notes.append(f"compared on the first {most} characters: {', '.join(cut)}")
    return Measurement(KEY, len(unique), whole, counted=unique, players=findings, notes=notes)


def _is_below(near: Nearest | None, limit: Fraction) -> bool:
    if near is None:
        return True
    return near.whole > 0 and Fraction(100 * near.shared, near.whole) < limit


def collect_texts(reading: Reading, parameters: Parameters) -> dict[int, str]:
    """For each player who spoke, the tokens of all their messages joined with single spaces."""
    left_out = ENDS if parameters.choice("similarity_names") else ENDS | NAME
    places = np.flatnonzero(reading.flags & left_out == 0)
    speakers = reading.speakers[reading.of_message[places]]
    order = np.argsort(speakers, kind="stable")
    tokens = [reading.masked[word] for word in reading.ids[places[order]].tolist()]
    players = sorted(set(reading.speakers.tolist()))
    ends = np.searchsorted(speakers[order], players, side="right").tolist()
    bounds = pairwise([0, *ends])
    return {player: " ".join(tokens[start:end]) for player, (start, end) in zip(players, bounds, strict=True)}


def nearest_players(texts: Mapping[int, str], parameters: Parameters) -> dict[int, Nearest]:
    """Each player's most similar other player, the lower number of equals; every pair is compared once."""
    if parameters.choice("similarity") == "dice_bigrams":
        return _nearest({player: bigrams(text) for player, text in texts.items()}, dice)
    return _nearest({player: " ".join(sorted(text.split())) for player, text in texts.items()}, token_sort)


def _nearest(
    prepared: Mapping[int, T], compare: Callable[[T, T, float], tuple[int, int]]
) -> dict[int, Nearest]:
    nearest: dict[int, Nearest] = {}
    highest = dict.fromkeys(prepared, -1.0)
    for first, other in combinations(sorted(prepared), 2):
        # What is less similar than the nearest so far of both need not be known exactly.
        least = min(highest[first], highest[other])
        shared, whole = compare(prepared[first], prepared[other], least)
        percent = compute_percent(shared, whole)
        if percent > highest[first]:
            highest[first], nearest[first] = percent, Nearest(other, shared, whole)
        if percent > highest[other]:
            highest[other], nearest[other] = percent, Nearest(first, shared, whole)
    return nearest


def compute_percent(shared: int, whole: int) -> float:
    """Similarity from 0 to 100; two empty texts are alike."""
    return 100 * shared / whole if whole else 100.0


def token_sort(first: str, other: str, least: float = 0.0) -> tuple[int, int]:
    """RapidFuzz's token_sort_ratio of two texts whose words are sorted already, as whole numbers (shared, whole).

    Exact from `least` percent on; below, `shared` is less than that and may be any such number, which takes a third of
    the time.
    """
    whole = len(first) + len(other)
    farthest = int(whole * (100 - max(least, 0.0)) / 100) + 1
    return whole - Indel.distance(first, other, score_cutoff=farthest), whole


def bigrams(text: str) -> Counter[str]:
    """The pairs of neighbouring characters of a text, white space left out."""
    plain = "".join(text.split())
    return Counter(first + second for first, second in pairwise(plain))


def dice(first: Counter[str], other: Counter[str], _least: float = 0.0) -> tuple[int, int]:
    """Dice's coefficient of two bags of bigrams, as whole numbers (shared, whole)."""
    return 2 * (first & other).total(), first.total() + other.total()


def companions(reading: Reading, measurement: Measurement, parameters: Parameters) -> Mapping[str, object]:
    """The nearest neighbours, and the score when every player's text is cut to the length of the shortest.

    The common length is at most 2,000 characters and is stated: comparing costs the square of it.
    """
    texts = {player: text for player, text in collect_texts(reading, parameters).items() if text}
    length = min(map(len, texts.values()), default=0)
    length = min(length, parameters.number("similarity_max_chars"), _MATCHED_AT_MOST)
    nearest = nearest_players({player: text[:length] for player, text in texts.items()}, parameters)
    limit = Fraction(str(parameters.choice("similarity_unique_below")))
    unique = sum(_is_below(nearest.get(player), limit) for player in texts)
    return {
        "nearest": [
            {"player": finding.player, "nearest": finding.nearest, "similarity": finding.similarity}
            for finding in measurement.players
            if finding.spoke
        ],
        "silent": [finding.player for finding in measurement.players if not finding.spoke],
        "length_matched": {
            "characters": length,
            "players": len(texts),
            "unique": unique,
            "score": 100 * unique / len(texts) if texts else None,
        },
    }


METRIC = Metric(
    KEY,
    measure,
    companions,
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
