"""M6, anti-repetition: the share of three-word phrases that their speaker uses only once."""

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from math import prod

import numpy as np
from msgspec import Struct

from discussions.core import judgement_kinds
from discussions.core.outcome import Facts
from discussions.core.records import Measurement, PhraseFinding, Score
from discussions.metrics.core.metric import Judgements, Metric, phrase_flip_distance
from discussions.metrics.core.parameters import ENDS, NAME, ORDINARY, Parameters
from discussions.metrics.core.patterns import Numbers
from discussions.metrics.core.prepared_game import Reading
from discussions.metrics.core.text import NAME as SHOWN_NAME
from discussions.metrics.core.text import tokenise
from rubric.versions.core.game_specs import ParameterSpecs

KEY = "anti_repetition"
_MOST_SHOWN = 100


class Phrases(Struct, frozen=True, eq=False):
    """The counted phrases of a game, grouped by kind and in transcript order within a kind.

    `places` says where each occurrence begins (index of its first token); kind k has those from `starts[k]`, and
    `counts[k]` of them. A kind is a phrase of one speaker, or of anybody when pooled.
    """

    places: Numbers
    starts: Numbers
    counts: Numbers

    def find_positions(self, kind: int) -> Numbers:
        return self.places[self.starts[kind] : self.starts[kind] + self.counts[kind]]


def find_phrases(reading: Reading, parameters: Parameters, *, per_speaker: bool) -> Phrases:
    """Every run of three tokens inside a message that has enough ordinary words; any player's name is one word."""
    flags = reading.flags
    size = len(reading.tokens) + 1
    words = np.where(flags & NAME, size - 1, reading.ids)
    # A run that contains the end of a message never counts, even with two ordinary words.
    weights = (flags & ORDINARY) - (flags & ENDS) * ORDINARY
    enough = ORDINARY * parameters.number("repetition_min_ordinary")
    places = (weights[:-2] + weights[1:-1] + weights[2:] >= enough).nonzero()[0]
    pairs = words[:-1] * size + words[1:]
    people = len(reading.game.players) + 1
    if size**3 * people >= 2**62:
        pairs = np.unique(pairs, return_inverse=True)[1]
    keys = (pairs[:-1] * size + words[2:])[places]
    if per_speaker:
        keys = keys * people + reading.speakers[reading.of_message[places]]
    keys, order = _sorted(keys, size**3 * people)
    is_first = np.ones(len(keys), np.bool_)
    np.not_equal(keys[1:], keys[:-1], out=is_first[1:])
    starts = is_first.nonzero()[0]
    counts = np.full(len(starts), len(keys)) - starts
    counts[:-1] = starts[1:] - starts[:-1]
    return Phrases(places[order], starts, counts)


def _sorted(keys: Numbers, limit: int) -> tuple[Numbers, Numbers]:
    bits = len(keys).bit_length()
    if limit >= 2 ** (62 - bits):
        order = np.argsort(keys, kind="stable")
        return keys[order], order
    # Sorting numbers that contain their position takes a third of the time of an argsort.
    carrying = (keys << bits) | np.arange(len(keys))
    carrying.sort()
    return carrying >> bits, carrying & ((1 << bits) - 1)


def measure(reading: Reading, parameters: Parameters) -> Measurement:
    """The share of counted occurrences whose phrase is used once; a finding for each phrase used more than once.

    No phrases: not applicable, and 100 by the rule. Source: rubric, Metric 6.
    """
    per_speaker = parameters.choice("repetition_scope") == "speaker"
    phrases = find_phrases(reading, parameters, per_speaker=per_speaker)
    is_repeated = phrases.counts > 1
    places = phrases.places[is_repeated.repeat(phrases.counts)]
    messages = (reading.of_message[places] + 1).tolist()
    first = phrases.places[phrases.starts[is_repeated]]
    players = reading.speakers[reading.of_message[first]].tolist() if per_speaker else [0] * len(first)
    counts = phrases.counts[is_repeated].tolist()
    findings = []
    begin = 0
    for player, phrase, count in zip(players, phrases_at(reading, first), counts, strict=True):
        said_in = dict.fromkeys(messages[begin : begin + count])
        findings.append(PhraseFinding(player, phrase, count, list(said_in)))
        begin += count
    findings.sort(key=lambda finding: (-finding.count, finding.player, finding.phrase))
    total = len(phrases.places)
    return Measurement(
        KEY,
        total - len(places),
        total,
        is_applicable=total > 0,
        counted=sorted(set(messages)),
        phrases=findings,
    )


def phrases_at(reading: Reading, places: Numbers) -> list[str]:
    words = reading.masked
    thirds = [reading.ids[places + further].tolist() for further in range(3)]
    return [
        f"{words[first]} {words[second]} {words[last]}" for first, second, last in zip(*thirds, strict=True)
    ]


def diagnostics(reading: Reading, measurement: Measurement, parameters: Parameters) -> Mapping[str, object]:
    per_speaker = parameters.choice("repetition_scope") == "speaker"
    own = find_phrases(reading, parameters, per_speaker=per_speaker)
    sample = parameters.number("variety_phrase_count")
    pooled = find_phrases(reading, parameters, per_speaker=False)
    limit = (
        parameters.number("robotic_use_count") * reading.count / parameters.number("robotic_message_count")
    )
    robotic = np.flatnonzero((pooled.counts >= limit) & (pooled.counts > 2))
    return {
        "phrase_variety": phrase_variety(own.counts.tolist(), sample),
        "phrase_count": len(own.places),
        "top_phrases": _top(reading, pooled, own)[: parameters.number("top_phrase_count")],
        "to_avoid": _uses(reading, parameters.phrases_to_avoid),
        "robotic": [_described(reading, pooled, kind) for kind in _by_use(pooled, robotic)],
    }


def phrase_variety(counts: list[int], sample: int) -> float | None:
    """Expected percentage of different phrases in `sample` phrases drawn at random; None when there are fewer.

    Closed form 1/N * sum over phrases of 1 - C(T - f, N) / C(T, N), with T occurrences and f those of a phrase
    (rarefaction: Hurlbert, Ecology 52 (1971), 577-586); the quotient is a product of f factors, which gives the same
    result on every machine.
    """
    total = sum(counts)
    if sample <= 0 or total < sample:
        return None
    expected = 0.0
    for uses, phrase_count in sorted(Counter(counts).items()):
        missed = prod(
            (total - sample - drawn) / (total - drawn) for drawn in range(min(uses, total - sample + 1))
        )
        expected += phrase_count * (1 - missed)
    return min(100.0, 100 * expected / sample)


def _by_use(phrases: Phrases, kinds: Numbers) -> list[int]:
    used = phrases.counts[kinds].tolist()
    first = phrases.places[phrases.starts[kinds]].tolist()
    ranked = sorted(zip(used, first, kinds.tolist(), strict=True), key=lambda kind: (-kind[0], kind[1]))
    return [kind for _, _, kind in ranked]


def _top(reading: Reading, pooled: Phrases, own: Phrases) -> list[dict[str, object]]:
    is_repeated = np.zeros(len(reading.tokens), np.bool_)
    is_repeated[own.places[np.repeat(own.counts, own.counts) > 1]] = True
    kinds = np.repeat(np.arange(len(pooled.starts)), pooled.counts)
    ranked = _by_use(pooled, np.unique(kinds[is_repeated[pooled.places]]))
    return [_described(reading, pooled, kind) for kind in ranked[:_MOST_SHOWN]]


def _described(reading: Reading, phrases: Phrases, kind: int) -> dict[str, object]:
    places = phrases.find_positions(kind)
    messages = reading.of_message[places]
    speakers = Counter(reading.speakers[messages].tolist())
    return {
        "phrase": phrases_at(reading, places[:1])[0],
        "count": len(places),
        "speakers": [{"player": player, "count": uses} for player, uses in sorted(speakers.items())],
        "messages": (np.unique(messages) + 1).tolist(),
    }


def _uses(reading: Reading, phrases: tuple[str, ...]) -> dict[str, int]:
    """How often each phrase, of any length, is said; `[name]` in it stands for any player."""
    whole = f" {'  '.join([reading.masked[word] for word in reading.ids.tolist()])} "
    uses = {}
    for phrase in phrases:
        sought = [token if token != "name" else SHOWN_NAME for token in tokenise(phrase)]
        uses[phrase] = whole.count(f" {'  '.join(sought)} ")
    return uses


def recount(measurement: Measurement, judgements: Judgements) -> Score:
    """A phrase marked acceptable counts as not repeated; the denominator stays."""
    values = judgements.values
    # A long game has thousands of findings, and most evaluations accept none: their subjects are not built then.
    findings = measurement.phrases if values else []
    accepted = sum(
        finding.count for finding in findings if values.get(finding.subject) == judgement_kinds.ACCEPTABLE
    )
    return Score(
        measurement.metric,
        measurement.numerator + accepted,
        measurement.denominator,
        is_applicable=measurement.is_applicable,
    )


def flip(score: Score, threshold: Fraction, facts: Facts) -> int | None:
    if not score.is_applicable:
        return None
    return phrase_flip_distance(score.denominator, facts.repeated, facts.accepted, threshold)


METRIC = Metric(
    KEY,
    measure,
    diagnostics,
    has_interval=False,
    parameters=ParameterSpecs(
        choices={"repetition_scope": ("speaker", "pooled")},
        counts={
            "repetition_min_ordinary": (0, 3),
            "variety_phrase_count": (1, 100_000),
            "top_phrase_count": (0, 100),
            "robotic_use_count": (1, 10_000),
            "robotic_message_count": (1, 10_000),
        },
    ),
    judged=judgement_kinds.PHRASE,
    recount=recount,
    flip=flip,
    is_required=True,
)
