"""M6, anti-repetition: how many of the three-word phrases their speaker uses only once."""

from collections import Counter
from collections.abc import Mapping
from math import exp, lgamma

import numpy as np
from msgspec import Struct

from discussions.core.metrics.parameters import ENDS, NAME, ORDINARY, Parameters
from discussions.core.metrics.reading import Numbers, Reading
from discussions.core.records import Measurement, PhraseFinding
from discussions.core.tokens import NAME as SHOWN_NAME
from discussions.core.tokens import player_of, tokenise

METRIC = "anti_repetition"


class Phrases(Struct, frozen=True, eq=False):
    """The counted phrases of a game: where each occurrence begins (index of its first token), and its kind.

    `kinds` numbers the different phrases (of one speaker each, unless pooled); `counts` says how often each occurs.
    """

    places: Numbers
    kinds: Numbers
    counts: Numbers


def phrases_of(reading: Reading, parameters: Parameters, *, per_speaker: bool) -> Phrases:
    """Every run of three tokens inside a message that has enough ordinary words; a name of anybody is one word."""
    flags = reading.flags
    words = np.where(flags & NAME, len(reading.vocabulary), reading.ids)
    ordinary = ((flags & ORDINARY) != 0).astype(np.int64)
    inside = (flags & ENDS) == 0
    enough = ordinary[:-2] + ordinary[1:-1] + ordinary[2:] >= parameters.number("repetition_min_ordinary")
    places = np.flatnonzero(inside[:-2] & inside[1:-1] & inside[2:] & enough)
    size = len(reading.vocabulary) + 1
    keys = words[places] * size + words[places + 1]
    if size * size * size * (len(reading.game.players) + 1) >= 2**62:
        keys = np.unique(keys, return_inverse=True)[1]
        words = np.unique(words, return_inverse=True)[1]
    keys = keys * size + words[places + 2]
    if per_speaker:
        keys = keys * (len(reading.game.players) + 1) + reading.speakers[reading.of_message[places]]
    _, kinds, counts = np.unique(keys, return_inverse=True, return_counts=True)
    return Phrases(places, kinds, counts)


def measure(reading: Reading, parameters: Parameters) -> Measurement:
    """Occurrences of phrases used once, of all counted occurrences; a finding for each phrase used more than once.

    No phrases: not applicable, and 100 by the rule. Source: rubric, Metric 6.
    """
    per_speaker = parameters.choice("repetition_scope") == "speaker"
    phrases = phrases_of(reading, parameters, per_speaker=per_speaker)
    repeated = phrases.counts[phrases.kinds] > 1
    places, kinds = phrases.places[repeated], phrases.kinds[repeated]
    findings = _findings(
        reading, places[np.argsort(kinds, kind="stable")], np.sort(kinds), per_speaker=per_speaker
    )
    total = len(phrases.places)
    return Measurement(
        METRIC,
        total - len(places),
        total,
        is_applicable=total > 0,
        counted=(np.unique(reading.of_message[places]) + 1).tolist(),
        phrases=findings,
    )


def _findings(reading: Reading, places: Numbers, kinds: Numbers, *, per_speaker: bool) -> list[PhraseFinding]:
    """One finding for each run of equal kinds, the most used first."""
    cuts = [0, *(np.flatnonzero(np.diff(kinds)) + 1).tolist(), len(kinds)]
    messages = (reading.of_message[places] + 1).tolist()
    speakers = reading.speakers[reading.of_message[places]].tolist() if per_speaker else [0] * len(messages)
    starts = places.tolist()
    findings = [
        PhraseFinding(
            speakers[begin],
            phrase_at(reading, starts[begin]),
            end - begin,
            list(dict.fromkeys(messages[begin:end])),
        )
        for begin, end in zip(cuts, cuts[1:], strict=False)
        if end > begin
    ]
    findings.sort(key=lambda finding: (-finding.count, finding.player, finding.phrase))
    return findings


def phrase_at(reading: Reading, place: int) -> str:
    """The phrase that begins at a token, as a person reads it."""
    first, second, third = reading.tokens[place : place + 3]
    phrase = f"{first} {second} {third}"
    if phrase.isascii():
        return phrase
    return " ".join(SHOWN_NAME if player_of(token) else token for token in (first, second, third))


def companions(reading: Reading, measurement: Measurement, parameters: Parameters) -> Mapping[str, object]:
    """Phrase variety, the most used phrases with their speakers, the phrases to avoid, and robotic phrases."""
    per_speaker = parameters.choice("repetition_scope") == "speaker"
    own = phrases_of(reading, parameters, per_speaker=per_speaker)
    sample = parameters.number("variety_phrase_count")
    pooled = phrases_of(reading, parameters, per_speaker=False)
    limit = (
        parameters.number("robotic_use_count") * len(reading.low) / parameters.number("robotic_message_count")
    )
    robotic = np.flatnonzero((pooled.counts >= limit) & (pooled.counts > 2))
    return {
        "phrase_variety": phrase_variety(own.counts.tolist(), sample),
        "phrase_count": len(own.places),
        "top_phrases": _top(reading, pooled, own, parameters.number("top_phrase_count")),
        "to_avoid": {phrase: _uses(reading, phrase) for phrase in parameters.phrases_to_avoid},
        "robotic": [_described(reading, pooled, kind) for kind in _by_use(pooled, robotic)],
    }


def phrase_variety(counts: list[int], sample: int) -> float | None:
    """Expected percentage of different phrases in `sample` phrases drawn at random; None when there are fewer.

    Closed form 1/N * sum over phrases of 1 - C(T - f, N) / C(T, N), with T occurrences and f those of a phrase
    (rarefaction: Hurlbert, Ecology 52 (1971), 577-586).
    """
    total = sum(counts)
    if sample <= 0 or total < sample:
        return None
    whole = _log_choose(total, sample)
    expected = 0.0
    for uses, kinds in sorted(Counter(counts).items()):
        missed = exp(_log_choose(total - uses, sample) - whole) if total - uses >= sample else 0.0
        expected += kinds * (1 - missed)
    return min(100.0, 100 * expected / sample)


def _log_choose(total: int, sample: int) -> float:
    return lgamma(total + 1) - lgamma(sample + 1) - lgamma(total - sample + 1)


def _by_use(phrases: Phrases, kinds: Numbers) -> list[int]:
    """The kinds, most used first, then by their first place."""
    first = np.full(len(phrases.counts), np.iinfo(np.int64).max)
    np.minimum.at(first, phrases.kinds, phrases.places)
    return sorted(kinds.tolist(), key=lambda kind: (-int(phrases.counts[kind]), int(first[kind])))


def _top(reading: Reading, pooled: Phrases, own: Phrases, count: int) -> list[dict[str, object]]:
    """The most used of the phrases that count as repeated, whoever says them."""
    repeated = np.unique(pooled.kinds[own.counts[own.kinds] > 1])
    return [_described(reading, pooled, kind) for kind in _by_use(pooled, repeated)[:count]]


def _described(reading: Reading, phrases: Phrases, kind: int) -> dict[str, object]:
    """A phrase with its uses, who says it how often (player numbers), and in which messages."""
    places = phrases.places[phrases.kinds == kind]
    messages = reading.of_message[places]
    speakers = Counter(reading.speakers[messages].tolist())
    return {
        "phrase": phrase_at(reading, int(places[0])),
        "count": len(places),
        "speakers": [{"player": player, "count": uses} for player, uses in sorted(speakers.items())],
        "messages": (np.unique(messages) + 1).tolist(),
    }


def _uses(reading: Reading, phrase: str) -> int:
    """How often a phrase of any length is said; `[name]` in it stands for any player."""
    sought = [token if token != "name" else SHOWN_NAME for token in tokenise(phrase)]
    masked = [SHOWN_NAME if player_of(token) else token for token in reading.tokens]
    return f" {'  '.join(masked)} ".count(f" {'  '.join(sought)} ")
