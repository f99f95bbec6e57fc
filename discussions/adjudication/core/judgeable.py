"""What can be judged in a measured game, and the accuracy samples that an evaluator judges blind, by a seed."""

import hashlib
from collections.abc import Container, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import chain, islice
from typing import Any

from msgspec import Struct

from discussions.core import judgement_kinds
from discussions.core.judgement_kinds import JudgeableSubjects, parse_subject
from discussions.core.records import GameRecord, Measurement
from discussions.metrics.core.parameters import ASKED, BY_AGENTS, read_parameter
from discussions.metrics.core.text import split


class SampleRule(Struct, frozen=True):
    """How large an accuracy sample is: a percentage of the messages, rounded up, within two bounds."""

    percent: int = 10
    at_least: int = 5
    at_most: int = 10

    def size(self, message_count: int) -> int:
        """How many of `message_count` messages are drawn; never more than there are."""
        share = -(-message_count * self.percent // 100)
        return min(message_count, self.at_most, max(self.at_least, share))


USUAL = SampleRule()


# The sign between the two parts of a seed names the rule that draws its samples, so samples never change afterwards.
SHARED_SEED = "-"
FROM_SECOND_SEED = "."
WITHOUT_NEAR_NAMES_SEED = ":"


def join_seeds(shared: str, own: str) -> str:
    """The seed of samples: all evaluators of a game share one half of each sample, the other half is their own."""
    return f"{shared}{WITHOUT_NEAR_NAMES_SEED}{own}"


def _split_seed(seed: str) -> tuple[str, str]:
    """The shared and the own part of a seed; the shared part of the oldest seeds is empty."""
    signs = (WITHOUT_NEAR_NAMES_SEED, FROM_SECOND_SEED)
    shared, _, own = seed.rpartition(next((sign for sign in signs if sign in seed), SHARED_SEED))
    return shared, own


def is_drawn_without_near_names(seed: str) -> bool:
    """Whether the test of who said it leaves out messages with a word that may be a player's name."""
    return WITHOUT_NEAR_NAMES_SEED in seed


def first_sampled(seed: str, metric: str) -> int:
    """The first message that the accuracy sample of a metric can hold: 2 for coherence under a seed of `join_seeds`.

    Nothing was said before the first message. Samples under older seeds include the first message.
    """
    is_from_second = FROM_SECOND_SEED in seed or WITHOUT_NEAR_NAMES_SEED in seed
    return 2 if metric == judgement_kinds.COHERENCE and is_from_second else 1


@lru_cache(maxsize=4096)
def audit_sample(seed: str, metric: str, message_count: int, rule: SampleRule = USUAL) -> tuple[int, ...]:
    """The positions (from 1, ascending) of one metric's accuracy sample in a game of `message_count` messages.

    The same seed and metric always give the same messages; other seeds and metrics give independent ones. If the seed
    has two parts, the shared part draws half of the sample, rounded up, and the own part draws the rest from the other
    messages: agreement needs messages that everyone judges, coverage needs different ones. A seed without parts draws
    the whole sample.
    """
    first = first_sampled(seed, metric)
    shared, own = _split_seed(seed)
    common = shared_sample(seed, metric, message_count, rule) if shared else frozenset()
    others = [position for position in range(first, message_count + 1) if position not in common]
    size = min(rule.size(message_count) - len(common), len(others))
    drawn = _draw_positions(f"{own}:{metric}", size, len(others))
    return tuple(sorted({*common, *(others[place - 1] for place in drawn)}))


@lru_cache(maxsize=1024)
def widen_sample(seed: str, metric: str, message_count: int, rule: SampleRule, extra: int) -> tuple[int, ...]:
    """The accuracy sample and up to `extra` more messages; a wider sample contains every narrower one.

    Under a seed of two parts, half of the added messages, rounded up, are the same for every evaluator of the game.
    """
    chosen = set(audit_sample(seed, metric, message_count, rule))
    first = first_sampled(seed, metric)
    wanted = min(message_count - first + 1, len(chosen) + extra)
    shared, own = _split_seed(seed)
    if shared:
        common = shared_sample(seed, metric, message_count, rule)
        order = (
            place
            for place in _order(f"{shared}:{metric}", message_count)
            if place >= first and place not in common
        )
        chosen.update(islice(order, (extra + 1) // 2))
    for position in _order(f"{own}:{metric}", message_count):
        if len(chosen) >= wanted:
            break
        if position >= first:
            chosen.add(position)
    return tuple(sorted(chosen))


def order_further(seed: str, metric: str, message_count: int) -> list[int]:
    """All positions that samples of a metric may have, in the drawn order in which further messages are taken.

    Under a seed of two parts every other one comes from the order that all evaluators of the game share.
    """
    shared, own = _split_seed(seed)
    orders = [_order(f"{part}:{metric}", message_count) for part in (shared, own) if part]
    order, first = dict.fromkeys(chain.from_iterable(zip(*orders, strict=True))), first_sampled(seed, metric)
    return [place for place in order if place >= first]


@lru_cache(maxsize=64)  # pages and samples of several batches ask for the same
def _order(seed: str, count: int) -> tuple[int, ...]:
    return tuple(sorted(range(1, count + 1), key=lambda number: _digest(f"{seed}:more:{number}")))


def shared_sample(seed: str, metric: str, message_count: int, rule: SampleRule = USUAL) -> frozenset[int]:
    shared = _split_seed(seed)[0]
    before = first_sampled(seed, metric) - 1
    count = max(message_count - before, 0)
    size = min((rule.size(message_count) + 1) // 2, count) if shared else 0
    return frozenset(before + place for place in _draw_positions(f"{shared}:{metric}", size, count))


def _draw_positions(seed: str, size: int, count: int) -> set[int]:
    """`size` of the numbers from 1 to `count`, without replacement, by Floyd's method."""
    chosen: set[int] = set()
    for last in range(count - size + 1, count + 1):
        drawn = _draw(f"{seed}:{last}", last)
        chosen.add(last if drawn in chosen else drawn)
    return chosen


def stratified_sample(
    seed: str, kind: str, strata: Mapping[int, Sequence[str]], rule: SampleRule = USUAL
) -> tuple[str, ...]:
    """A sample of subjects, in transcript order, to which each stratum gives one subject in turn.

    It is drawn as `audit_sample`: the shared part of the seed draws half, rounded up, the own part the rest.
    """
    shared, own = _split_seed(seed)
    size = rule.size(sum(map(len, strata.values())))
    chosen: list[str] = []
    for part, wanted in ((shared, (size + 1) // 2 if shared else 0), (own, size)):
        turns = []
        for stratum, subjects in strata.items():
            left = [subject for subject in subjects if subject not in chosen]
            ordered = sorted(left, key=lambda subject: _digest(f"{part}:{kind}:{subject}"))
            turns += [
                (turn, _digest(f"{part}:{kind}:{stratum}:{turn}"), subject)
                for turn, subject in enumerate(ordered, start=len(subjects) - len(left))
            ]
        chosen += [subject for _turn, _by_lot, subject in sorted(turns)[: wanted - len(chosen)]]
    return tuple(sorted(chosen, key=judgement_kinds.parse_subject))


def read_sample_rule(parameters: Mapping[str, Any]) -> SampleRule:
    return SampleRule(
        int(parameters["sample_percent"]), int(parameters["sample_min"]), int(parameters["sample_max"])
    )


def _draw(text: str, last: int) -> int:
    """A number from 1 to `last`; SHA-256 has so many values that the remainder is uniform to 1 in 10**60."""
    return int.from_bytes(_digest(text)) % last + 1


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()


LONGEST_SUBJECT = 200


def judgeable_subjects(
    game: GameRecord,
    measurements: Mapping[str, Measurement],
    parameters: Mapping[str, Any],
    question_count: int,
) -> JudgeableSubjects:
    """Everything in the game that an evaluator can judge, with the rubric version's `parameters`."""
    references = measurements["memory_accuracy"].references
    phrases = (finding.subject for finding in measurements["anti_repetition"].phrases)
    return JudgeableSubjects(
        message_count=len(game.messages),
        sentences=tuple(len(split(message.text)) for message in game.messages),
        is_by_message=parameters["reference_unit"] == "message",
        counted=tuple(found.subject for found in references if found.is_counted),
        possible=tuple(found.subject for found in references if not found.is_counted),
        speakers=_list_checked(game, parameters),
        phrases=frozenset(subject for subject in phrases if len(subject) <= LONGEST_SUBJECT),
        question_count=question_count,
        asks_suggestions=read_parameter(parameters, "suggested_references") == ASKED,
    )


def _list_checked(game: GameRecord, parameters: Mapping[str, Any]) -> tuple[int, ...]:
    """Who spoke; nobody if the manual check needs more agents than spoke, and the version leaves it out then."""
    spoke = sorted({message.player for message in game.messages})
    is_by_agent = read_parameter(parameters, "identification_test") == BY_AGENTS
    if is_by_agent and parameters["identification_pass"] != "half":
        return tuple(spoke) if len(spoke) >= int(parameters["identification_pass_count"]) else ()
    return tuple(spoke)


def inconsistent_messages(measurements: Mapping[str, Measurement]) -> tuple[int, ...]:
    findings = measurements["role_consistency"].messages
    return tuple(
        finding.message
        for finding in findings
        if finding.machine_value(judgement_kinds.ROLE_CONSISTENCY) == judgement_kinds.INCONSISTENT
    )


# What an evaluator has looked at is stored as "suggestions" (all of them) or "suggestions:12.1-40.2" (a range).
SUGGESTIONS = "suggestions"


def list_unasked(possible: Iterable[str], judged: Container[str], looked_at: Iterable[str]) -> list[str]:
    """The suggested references outside `judged` and outside what people looked at, in their order."""
    names = set(looked_at)
    if SUGGESTIONS in names:
        return []
    ranges = [ends for what in names if (ends := _read_range(what))]
    return [
        subject
        for subject in possible
        if subject not in judged
        and not any(first <= parse_subject(subject) <= last for first, last in ranges)
    ]


def _read_range(what: str) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    name, _, ends = what.partition(":")
    first, _, last = ends.partition("-")
    return (parse_subject(first), parse_subject(last)) if name == SUGGESTIONS and ends else None
