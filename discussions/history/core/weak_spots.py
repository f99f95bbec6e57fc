"""What the agents of some games do wrong: the findings behind metrics 1, 3, 4 and 6, and who speaks like whom.

Judgements of people count. If nobody judged, the rule counts; a spot says which of the two it is.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from discussions.adjudication.core.effective import Effective
from discussions.core.judgement_kinds import (
    ACCEPTABLE,
    BLUFF,
    COHERENCE,
    HONEST,
    INACCURATE,
    INCONSISTENT,
    MISTAKEN,
    NO,
    PHRASE,
    REFERENCE,
    ROLE_CONSISTENCY,
    VAGUE,
    parse_subject,
)
from discussions.core.outcome import DIVERSITY, MEMORY, REPETITION
from discussions.core.records import GameRecord, Measurement, PhraseFinding, Player
from discussions.metrics.core.registry import METRICS
from discussions.metrics.core.text import split
from workspace.statistics.means import wilson

KINDS = (REFERENCE, COHERENCE, PHRASE, ROLE_CONSISTENCY)
AGENT, ROLE, PERSONALITY = "agent", "role", "personality"
GROUPINGS = (AGENT, ROLE, PERSONALITY)
# The status of a reference that the vote record neither supports nor contradicts.
UNDECIDED = ("supported", "cannot_check")
FIRST_MESSAGE = "first"
# Worse spots come first: a label by people, then the rule; for metric 4, what betrays an agent's own side.
WEIGHTS = {INACCURATE: 3, VAGUE: 2, "confesses": 3, "accuses_fellow": 2, "votes_for_fellow": 2}


class ExaminedGame(Struct, frozen=True):
    number: int
    record: GameRecord
    measurements: Mapping[str, Measurement]
    found: Effective


class Speaker(Struct, frozen=True):
    """Who spoke, as the file spells it; "" for what the file does not say."""

    agent: str
    role: str
    personality: str

    def get(self, grouping: str) -> str:
        return str(getattr(self, grouping))


class Spot(Struct, frozen=True):
    """One thing that an agent did wrong, in one message of one game.

    `why` is the rule, the label, or "" for a judgement without either; `words` are evidence of it. A repeated phrase is
    said `count` times, in `messages`.
    """

    kind: str
    game: int
    message: int
    speaker: Speaker
    text: str
    why: str
    is_by_people: bool
    words: tuple[str, ...] = ()
    count: int = 1
    messages: tuple[int, ...] = ()


class Neighbour(Struct, frozen=True):
    """A player and the one with the most similar language in the same game; similarity from 0 to 100."""

    game: int
    speaker: Speaker
    nearest: Speaker
    similarity: float
    is_unique: bool


def find_spots(game: ExaminedGame) -> list[Spot]:
    return [
        *_wrong_references(game),
        *_wrong_messages(game, COHERENCE, NO),
        *_repeated_phrases(game),
        *_wrong_messages(game, ROLE_CONSISTENCY, INCONSISTENT),
    ]


def rank_spots(spots: Iterable[Spot], kind: str) -> list[Spot]:
    return sorted((spot for spot in spots if spot.kind == kind), key=order_spots)


def order_spots(spot: Spot) -> tuple[bool, int, int, int, int]:
    """What people judged first, then the gravest, the most repeated, the oldest."""
    return not spot.is_by_people, -WEIGHTS.get(spot.why, 0), -spot.count, spot.game, spot.message


def group_spots(games: Sequence[ExaminedGame], spots: Iterable[Spot], grouping: str) -> list[dict[str, Any]]:
    """How often agents, roles or personalities do each kind of thing; the most spots in 100 messages come first."""
    said: Counter[str] = Counter()
    for game in games:
        for message in game.record.messages:
            said[name_speaker(game.record.players[message.player - 1]).get(grouping)] += 1
    done: dict[str, Counter[str]] = {name: Counter() for name in said}
    for spot in spots:
        if (name := spot.speaker.get(grouping)) in done:
            done[name][spot.kind] += 1
    groups = [
        {
            "name": name,
            "message_count": count,
            "spot_counts": [done[name][kind] for kind in KINDS],
            "rate": 100 * done[name].total() / count,
        }
        for name, count in said.items()
    ]
    return sorted(groups, key=lambda group: (-group["rate"], group["name"]))


def list_neighbours(games: Iterable[ExaminedGame]) -> list[Neighbour]:
    found = [
        Neighbour(
            game=game.number,
            speaker=name_speaker(game.record.players[finding.player - 1]),
            nearest=name_speaker(game.record.players[finding.nearest - 1]),
            similarity=finding.similarity or 0.0,
            is_unique=finding.is_unique,
        )
        for game in games
        if DIVERSITY in game.measurements
        for finding in game.measurements[DIVERSITY].players
        if finding.spoke and finding.nearest is not None
    ]
    return sorted(
        found, key=lambda neighbour: (-neighbour.similarity, neighbour.game, neighbour.speaker.agent)
    )


def group_neighbours(neighbours: Iterable[Neighbour], known: Sequence[str]) -> list[dict[str, Any]]:
    """The personalities of the rubric version in its order, spelled as there, then other values as the files have them.

    Those that no player has are left out. `nearest` counts the personalities of their players' nearest
    neighbours.
    """
    spelling = {name.casefold(): name for name in known}

    def spell(name: str) -> str:
        return spelling.get(name.strip().casefold(), name)

    members: dict[str, list[Neighbour]] = {}
    for neighbour in neighbours:
        members.setdefault(spell(neighbour.speaker.personality), []).append(neighbour)
    order = [*known, *sorted(set(members) - set(known))]
    return [
        {
            "personality": name,
            "player_count": len(members[name]),
            "unique_count": sum(neighbour.is_unique for neighbour in members[name]),
            "mean_similarity": sum(neighbour.similarity for neighbour in members[name]) / len(members[name]),
            "nearest": Counter(
                spell(neighbour.nearest.personality) for neighbour in members[name]
            ).most_common(),
        }
        for name in order
        if name in members
    ]


def name_speaker(player: Player) -> Speaker:
    return Speaker(player.name, player.role or "", player.personality or "")


def _wrong_references(game: ExaminedGame) -> Iterator[Spot]:
    if MEMORY not in game.measurements:
        return
    values = game.found.values.get(REFERENCE, {})
    findings = {finding.subject: finding for finding in game.measurements[MEMORY].references}
    wrong = {subject: value for subject, value in values.items() if value in (INACCURATE, VAGUE)}
    for subject, finding in findings.items():
        if finding.is_counted and finding.check not in UNDECIDED and not values.get(subject):
            wrong[subject] = finding.check
    for subject in sorted(wrong, key=parse_subject):
        seen = findings.get(subject)
        words = (seen.evidence.says,) if seen and seen.evidence else ()
        spot = _spot(game, REFERENCE, parse_subject(subject)[0], wrong[subject], subject in values, words)
        yield spot if seen is None else replace(spot, text=seen.text)


def _wrong_messages(game: ExaminedGame, kind: str, wrong: str) -> Iterator[Spot]:
    if kind not in game.measurements:
        return
    values = game.found.values.get(kind, {})
    findings = {str(finding.message): finding for finding in game.measurements[kind].messages}
    for subject, machine in METRICS[kind].machine_values(game.measurements[kind]).items():
        finding = findings.get(subject)
        rule = finding.rule if finding and machine == wrong else ""
        is_judged = subject in values
        if values.get(subject, machine) != wrong or rule == FIRST_MESSAGE:
            continue
        words = tuple(finding.words) if finding and rule else ()
        yield _spot(game, kind, int(subject), rule, is_judged, words)


def _repeated_phrases(game: ExaminedGame) -> Iterator[Spot]:
    """The wordings that an agent repeats; overlapping phrases of the same messages are one wording."""
    if REPETITION not in game.measurements:
        return
    accepted = game.found.values.get(PHRASE, {})
    said: dict[tuple[int, tuple[int, ...]], list[PhraseFinding]] = {}
    for finding in game.measurements[REPETITION].phrases:
        if finding.messages and accepted.get(finding.subject) != ACCEPTABLE:
            said.setdefault((finding.player, tuple(finding.messages)), []).append(finding)
    players = game.record.players
    for (player, messages), findings in said.items():
        for text in join_phrases([finding.phrase for finding in findings]):
            yield Spot(
                kind=PHRASE,
                game=game.number,
                message=messages[0],
                speaker=name_speaker(players[player - 1]) if player else Speaker("", "", ""),
                text=text,
                why="",
                is_by_people=False,
                count=max(finding.count for finding in findings),
                messages=messages,
            )


def join_phrases(phrases: Sequence[str]) -> list[str]:
    """Join overlapping phrases into longer wordings: "a b c" and "b c d" become "a b c d"."""
    left = [phrase.split() for phrase in phrases]
    joined = []
    while left:
        words = left.pop(0)
        while found := next((other for other in left if _joins(words, other) or _joins(other, words)), None):
            left.remove(found)
            words = [*words, found[-1]] if _joins(words, found) else [found[0], *words]
        joined.append(" ".join(words))
    return joined


def _joins(first: Sequence[str], other: Sequence[str]) -> bool:
    """Whether the second phrase continues the first, with all words but one in common."""
    shared = min(len(first), len(other)) - 1
    return shared > 0 and list(first[-shared:]) == list(other[:shared])


def _spot(
    game: ExaminedGame, kind: str, position: int, why: str, is_by_people: bool, words: tuple[str, ...]
) -> Spot:
    message = game.record.messages[position - 1]
    speaker = name_speaker(game.record.players[message.player - 1])
    return Spot(kind, game.number, position, speaker, message.text, why, is_by_people, words)


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
