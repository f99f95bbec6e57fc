"""M3, coherence: the share of messages that refer to one of the messages just before them."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from discussions.core import judgement_kinds
from discussions.core.records import Measurement, Message, MessageFinding, Score
from discussions.metrics.core.metric import (
    Judgements,
    Metric,
    flip_by_messages,
    message_values,
    share_of_messages,
)
from discussions.metrics.core.parameters import KEYWORD, Parameters
from discussions.metrics.core.patterns import Numbers
from discussions.metrics.core.prepared_game import Reading
from rubric.versions.core.game_specs import ParameterSpecs

KEY = "coherence"
# How many numbers are processed at once: for shuffled orders, and for the ties of a long game.
_AT_ONCE = 300_000
Flags = NDArray[np.bool_]


class Ties(Struct, frozen=True, eq=False):
    """What ties messages together, whatever their order: names, keywords and reply links.

    Indices of messages count from 0; `reply_targets` is -1 for a link that does not resolve. `names` marks the
    players (columns) that each message (row) names, so its size depends on messages and players, not on namings.
    """

    count: int
    speakers: Numbers
    names: Flags
    keywords: Numbers
    keyword_messages: Numbers
    replies: Numbers
    reply_targets: Numbers


def measure(reading: Reading, parameters: Parameters) -> Measurement:
    """The share of coherent messages among all (or all after the first). Source: rubric, Metric 3.

    A message counts by a reply link, by naming another player who wrote one of the messages in the window before it, or
    by sharing enough different keywords with those messages taken together. The finding names the first rule that
    holds.
    """
    window = parameters.number("coherence_window")
    enough = parameters.number("coherence_min_shared")
    names = _recent_names(reading, window)
    shared = _shared_words(reading, window)
    findings = []
    for index, message in enumerate(reading.game.messages):
        words = shared.get(index, [])
        if index and message.has_reply_link and _is_link(message):
            finding = MessageFinding(index + 1, True, "reply_link")
        elif index in names:
            finding = MessageFinding(index + 1, True, "names_recent_speaker", names[index])
        elif index and len(words) >= enough:
            finding = MessageFinding(index + 1, True, "shared_keywords", words)
        else:
            finding = MessageFinding(index + 1, False, "no_link" if index else "first", words)
        findings.append(finding)
    counted = [finding.message for finding in findings if finding.counts]
    return Measurement(
        KEY, len(counted), denominator(reading.count, parameters), counted=counted, messages=findings
    )


def denominator(count: int, parameters: Parameters) -> int:
    return count if parameters.choice("coherence_denominator") == "all" else max(0, count - 1)


def find_ties(reading: Reading) -> Ties:
    """The ties of a game; a keyword counts once for each message, and the speaker's own name makes no tie."""
    places = reading.places(KEYWORD)
    count = reading.count
    pairs = np.sort(reading.ids[places] * (count + 1) + reading.of_message[places])
    is_new = np.ones(len(pairs), np.bool_)
    np.not_equal(pairs[1:], pairs[:-1], out=is_new[1:])
    pairs = pairs[is_new]
    names = np.zeros((count, len(reading.game.players) + 1), np.bool_)
    names[reading.name_messages, reading.name_players] = True
    names[np.arange(count), reading.speakers] = False
    links = [
        (index, -1 if message.reply_to is None else message.reply_to - 1)
        for index, message in enumerate(reading.game.messages)
        if _is_link(message)
        for index, message in enumerate(reading.game.messages)
        if _is_link(message)
    ]
    return Ties(
        count=count,
        speakers=reading.speakers,
        names=names,
        keywords=pairs // (count + 1),
        keyword_messages=pairs % (count + 1),
        replies=np.array([index for index, _ in links], np.int64),
        reply_targets=np.array([target for _, target in links], np.int64),
    )


def _is_link(message: Message) -> bool:
    """Whether a reply link counts: set, and not known to point to this or a later message."""
    return message.has_reply_link and (message.reply_to is None or message.reply_to < message.position)


def signs(ties: Ties, order: Numbers, parameters: Parameters) -> tuple[Flags, Flags, Flags]:
    """Reply, name and keyword signs for each place of each order of messages (orders x places); place 0 has none.

    `order` holds indices of messages, one order a row.
    """
    rows, count = order.shape
    window = parameters.number("coherence_window")
    base = np.arange(rows)[:, np.newaxis] * count
    place = np.empty(rows * count, np.int64)
    place[base + order] = np.arange(count)
    replies = np.zeros(rows * count, np.bool_)
    if len(ties.replies):
        mine = place[base + ties.replies]
        targets = np.where(ties.reply_targets >= 0, place[base + np.maximum(ties.reply_targets, 0)], -1)
        replies[(base + mine)[(mine > 0) & (targets < mine)]] = True
    shared = _count_shared(ties, place.reshape(rows, count), window)
    enough = shared >= parameters.number("coherence_min_shared")
    return replies.reshape(rows, count), _names_speaker(ties, order, window), enough.reshape(rows, count)


def _names_speaker(ties: Ties, order: Numbers, window: int) -> Flags:
    """Whether the message at each place names the speaker of one of the `window` messages before it."""
    spoken = ties.speakers[order]
    # One index into the flattened table takes half the time of two.
    names, rows = ties.names.ravel(), order * ties.names.shape[1]
    hit = np.zeros(order.shape, np.bool_)
    for distance in range(1, min(window + 1, order.shape[1])):
        hit[:, distance:] |= names.take(rows[:, distance:] + spoken[:, :-distance])
    return hit


def _count_shared(ties: Ties, places: Numbers, window: int) -> Numbers:
    """How many keywords each place of each order shares with the `window` messages before it, order by order.

    `places` holds, for each order, the place of every message. The keywords come in portions; no keyword is split
    between two.
    """
    rows, count = places.shape
    shared = np.zeros(rows * count, np.int64)
    gap = count + window + 1
    for start, end in _portions(ties.keywords):
        keywords = ties.keywords[start:end] - ties.keywords[start]
        size = np.int32 if (int(keywords[-1]) + 1) * gap < 2**31 else np.int64
        keys = np.take(places.astype(size), ties.keyword_messages[start:end], axis=1)
        keys += (keywords * gap).astype(size)
        keys.sort(axis=1)
        hits = np.flatnonzero(keys[:, 1:] - keys[:, :-1] <= window)
        row = hits // max(1, keys.shape[1] - 1)
        found = row * count + keys.ravel()[hits + row + 1] % gap
        shared += np.bincount(found, minlength=rows * count)
    return shared


def _portions(keywords: Numbers) -> Iterator[tuple[int, int]]:
    """Slices of sorted keywords, each of at most `_AT_ONCE` entries plus the rest of its last keyword."""
    start = 0
    while start < len(keywords):
        last = min(start + _AT_ONCE, len(keywords)) - 1
        end = int(np.searchsorted(keywords, keywords[last], side="right"))
        yield start, end
        start = end


def _shared_words(reading: Reading, window: int) -> dict[int, list[str]]:
    places = reading.places(KEYWORD)
    gap = reading.count + window + 1
    keys = reading.ids[places] * gap + reading.of_message[places]
    keys.sort()
    steps = keys[1:] - keys[:-1]
    found = keys[1:][(steps > 0) & (steps <= window)]
    keywords = found // gap
    shared: dict[int, list[str]] = {}
    for message, keyword in zip((found - keywords * gap).tolist(), keywords.tolist(), strict=True):
        if message in shared:
            shared[message].append(reading.shown[keyword])
        else:
            shared[message] = [reading.shown[keyword]]
    return shared


def _recent_names(reading: Reading, window: int) -> dict[int, list[str]]:
    """Message -> the names of the other speakers of the window before it that it names."""
    names: dict[int, list[str]] = {}
    # Messages without a speaker are put in front, so the window before a message begins at the message's own index.
    turns = [0] * window + reading.speakers.tolist()
    players = reading.game.players
    for message, player in zip(reading.name_messages.tolist(), reading.name_players.tolist(), strict=True):
        if player in turns[message : message + window] and player != turns[message + window]:
            seen = names.setdefault(message, [])
            name = players[player - 1].name
            if name not in seen:
                seen.append(name)
    return names


def diagnostics(reading: Reading, measurement: Measurement, parameters: Parameters) -> Mapping[str, object]:
    count = reading.count
    ties = find_ties(reading)
    counts = [int(sign.sum()) for sign in signs(ties, np.arange(count)[np.newaxis, :], parameters)]
    below = denominator(count, parameters)
    baseline = shuffled_baseline(reading, ties, parameters) if below else None
    score = METRIC.value(measurement)
    limit = float(parameters.choice("shuffle_warning_percent"))
    found: dict[str, Any] = {
        "after_first": 100 * measurement.numerator / (count - 1) if count > 1 else None,
        "by_reply_link": 100 * counts[0] / below if below else None,
        "by_name": 100 * counts[1] / below if below else None,
        "by_keywords": 100 * counts[2] / below if below else None,
        "shuffled_baseline": baseline,
        "gain_over_shuffled": score - baseline if score is not None and baseline is not None else None,
        "would_pass_shuffled": baseline is not None and baseline > limit,
    }
    return found


def shuffled_baseline(reading: Reading, ties: Ties, parameters: Parameters) -> float:
    """Mean score in percent over seeded shuffles of the order of messages; always the same for the same content.

    A resolved reply link counts when its target comes earlier in the shuffled order.
    """
    shuffles = parameters.number("shuffle_count")
    count = ties.count
    often = np.bincount(ties.keywords)[ties.keywords] > 1 if len(ties.keywords) else np.zeros(0, np.bool_)
    kept = Ties(
        count, ties.speakers, ties.names, ties.keywords[often], ties.keyword_messages[often],
        ties.replies, ties.reply_targets,
    )  # fmt: skip
    source = np.random.PCG64(reading.seed("shuffle"))
    step = max(1, min(shuffles, _AT_ONCE // (len(kept.keywords) + count + 1)))
    coherent = 0
    for first in range(0, shuffles, step):
        rows = min(step, shuffles - first)
        draws = np.asarray(source.random_raw(rows * count)).reshape(rows, count)
        replies, namings, shares = signs(kept, np.argsort(draws, axis=1), parameters)
        coherent += int((replies | namings | shares).sum())
    return 100 * coherent / (shuffles * denominator(count, parameters))


def recount(measurement: Measurement, judgements: Judgements) -> Score:
    is_of_all = judgements.parameters["coherence_denominator"] == "all"
    findings = measurement.messages if is_of_all else measurement.messages[1:]
    return share_of_messages(measurement.metric, findings, judgements.values)


METRIC = Metric(
    KEY,
    measure,
    diagnostics,
    parameters=ParameterSpecs(
        choices={"coherence_denominator": ("all", "after_first"), "coherence_names": (True, False)},
        counts={
            "coherence_window": (1, 50),
            "coherence_min_shared": (1, 50),
            "coherence_min_characters": (1, 50),
            "shuffle_count": (1, 10_000),
        },
        amounts={"shuffle_warning_percent": (0, 100)},
    ),
    judged=judgement_kinds.COHERENCE,
    machine_values=message_values,
    recount=recount,
    flip=flip_by_messages,
    step="coherence",
    is_required=True,
)
