"""Whether agents believed what they said: the statements that evaluators labelled, and rates with intervals."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from discussions.core.judgement_kinds import BLUFF, HONEST, MISTAKEN, parse_subject
from discussions.core.records import GameRecord
from discussions.history.core.weak_spots import Speaker, name_speaker
from discussions.metrics.core.text import split
from workspace.statistics.proportions import wilson

LABELS = (HONEST, BLUFF, MISTAKEN)


class Belief(Struct, frozen=True):
    """A labelled statement; `label` is that of most evaluators, "" if there is no such, or most cannot tell."""

    game: int
    message: int
    speaker: Speaker
    text: str
    label: str


def find_beliefs(games: Mapping[int, GameRecord], labels: Iterable[tuple[int, str, str]]) -> list[Belief]:
    """The labelled statements of games by number, in order; `labels` are (game, subject, label) of all evaluators."""
    said: dict[tuple[int, str], Counter[str]] = defaultdict(Counter)
    for game, subject, label in labels:
        if game in games:
            said[game, subject][label] += 1
    found = []
    for game, subject in sorted(said, key=lambda place: (place[0], parse_subject(place[1]))):
        position, number = parse_subject(subject)
        message = games[game].messages[position - 1]
        start, end = split(message.text)[number - 1]
        speaker = name_speaker(games[game].players[message.player - 1])
        text = message.text[start:end].strip()
        found.append(Belief(game, position, speaker, text, _settle(said[game, subject])))
    return found


def _settle(counts: Counter[str]) -> str:
    (first, most), *others = counts.most_common()
    is_tie = any(count == most for _label, count in others)
    return first if first in LABELS and not is_tie else ""


def group_beliefs(beliefs: Sequence[Belief], grouping: str) -> list[tuple[str, list[dict[str, Any]]]]:
    """Name -> its rates of the three labels, by name; statements without a label count for none.

    A rate is of an agent's or role's labelled statements; `low` and `high` are in percent, too.

    The intervals are Wilson's, for statements drawn from these games.
    """
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for belief in beliefs:
        if belief.label:
            counts[belief.speaker.get(grouping)][belief.label] += 1
    return [
        (name, [_rate(label, counts[name][label], counts[name].total()) for label in LABELS])
        for name in sorted(counts)
    ]


def _rate(label: str, count: int, of: int) -> dict[str, Any]:
    low, high = wilson(count, of) or (0.0, 100.0)
    return {"label": label, "count": count, "of": of, "percent": 100 * count / of, "low": low, "high": high}
