"""Logs as text in any mixture of the forms that programs print: none comes in wrongly, and nothing private leaks."""

from random import Random

import pytest

from discussions.core.records import GameRecord
from tests.factories.reading import read_transcripts
from tests.factories.sayings import PUBLIC, SECRET

CASTS = (
    ("Ann", "Bea", "Cid", "Dee"),
    ("Player_1", "Player_2", "Player_3"),
    ("Agent 1", "Agent 2", "Agent 3"),
)
# What stands before each message, how its author is written, and what follows the name.
BEFORE = (
    "",
    "",
    "[{time}] ",
    "{time} - ",
    "[INFO] ",
    "2026-03-01 {time},123 - INFO - ",
    "- ",
    "💬 ",
    "({count}) ",
)
NAMES = ("{}", "{}", "**{}**", "[{}]", "<{}>", "{} (Seer)", "@{}", "`{}`")
AFTER = (": ", ": ", " - ", " | ", " says: ", "> ", ":\n", " — ")
HEADS = (
    "=== Day {} ===",
    "## Round {}",
    "Day {}",
    "[Day {}]",
    "Day {} begins.",
    "DAY {} - DISCUSSION",
    "☀️ Day {}",
)
THOUGHTS = (
    "",
    "{name} (thinking): {}",
    "[PRIVATE] {name}: {}",
    "({plain} thinks: {})",
    "💭 {name}: {}",
    "{name} thinks: {}",
)
NIGHTS = ("", "Night {}", "=== Night {} ===", "[Wolf chat]")
VOTES = ("", "{} votes for {}", "{} -> {}", "[VOTE] {} -> {}", "[{}] votes {}", "- {}: {}")
ABOVE_VOTES = ("Votes:", "--- Voting ---", "Voting phase")
LEADERS = ("", "Moderator: {}", "[SYSTEM] {}", "*{}*")


class Log:
    """A random log: its lines, what is said, and for whom each votes."""

    def __init__(self, seed: int) -> None:
        self.random = pick = Random(seed)
        self.names = pick.choice(CASTS)
        forms = (BEFORE, NAMES, AFTER, HEADS, THOUGHTS, NIGHTS, VOTES, ABOVE_VOTES, LEADERS)
        self.before, self.name, self.after, head, thought, night, vote, title, leader = map(
            pick.choice, forms
        )
        self.after = " " if self.name == "<{}>" else self.after
        self.lines: list[str] = ["Game log", ""]
        self.said: list[tuple[int, str, str]] = []
        self.count = 0
        for number in (1, 2, 3):
            if night:
                self.lines += ["", night.format(number), self.message(self.names[0], self.words(SECRET, 0))]
            self.lines += [
                "",
                head.format(number),
                *([leader.format("Discuss whom you suspect.")] if leader else []),
            ]
            for at, name in enumerate(self.names):
                if thought:
                    facts = {"name": self.name.format(name), "plain": name}
                    self.lines.append(self.prefix() + thought.format(self.words(SECRET, at), **facts))
                self.said.append((number, name, self.words(PUBLIC, at)))
                self.lines.append(self.message(name, self.said[-1][2]))
            if vote:
                ballots = [vote.format(name, self.another(at)) for at, name in enumerate(self.names)]
                self.lines += ["", "Votes:" if vote == "- {}: {}" else title, *ballots]

    def another(self, at: int) -> str:
        return self.random.choice([name for name in self.names if name != self.names[at]])

    def words(self, texts: tuple[str, ...], at: int) -> str:
        self.count += 1
        return f"{self.random.choice(texts).format(self.another(at))} Note {self.count}."

    def prefix(self) -> str:
        return self.before.format(time=f"10:{self.count // 60:02}:{self.count % 60:02}", count=self.count)

    def message(self, name: str, text: str) -> str:
        return f"{self.prefix()}{self.name.format(name)}{self.after}{text}"


def told(record: GameRecord) -> list[tuple[int, str, str]]:
    names = [player.name for player in record.players]
    return [(row.round, names[row.player - 1], row.text) for row in record.messages]


@pytest.mark.parametrize("part", range(5))
def test_texts_in_any_form_come_in_as_they_are_or_wait(part):
    read = 0
    for seed in range(24 * part, 24 * part + 24):
        log = Log(seed)
        for game in read_transcripts("\n".join(log.lines).encode(), "log.txt").games:
            assert told(game.record) == log.said, seed
            read += 1
    assert read
