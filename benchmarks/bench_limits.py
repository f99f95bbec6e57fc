"""Prints what the longest game takes: processor time and peak memory of reading it, each metric and its diagnostics.

    python benchmarks/bench_limits.py [CHARACTERS]

The game has as many messages and players as an import may have, and CHARACTERS millions of characters, half of its
words names; 5 unless they are given (60 is about what fits into an upload). Ends with 1 when a worker's memory
(WORKER_MEMORY_MB) or time for one game (MEASURE_SECONDS) does not suffice by default.
"""

import random
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.bench_metrics import COMMON, TOPICS, game, machine
from discussions.core.records import GameRecord, Message
from discussions.metrics.core.parameters import get_parameters
from discussions.metrics.core.prepared_game import read
from discussions.metrics.core.registry import METRICS, game_specs, measured_keys
from rubric.versions.core.game_specs import register_game_specs
from rubric.versions.queries import first_discussion_version

MESSAGES, PLAYERS = 20_000, 200
MOST_MB, MOST_SECONDS = 2048, 240


def longest_game(characters: int) -> GameRecord:
    """A game of the most messages and players, the same each time."""
    source = random.Random(characters)
    plain = game(1, PLAYERS)
    names = [player.name for player in plain.players]
    words = [*COMMON, *TOPICS]
    each = characters // MESSAGES // 9 + 1
    texts = (
        " ".join(source.choice(names if source.random() < 0.5 else words) for _word in range(each)) + "."
        for _message in range(MESSAGES)
    )
    return GameRecord(
        game_id="longest",
        players=plain.players,
        messages=[
            Message(position, source.randint(1, PLAYERS), text, round=position // 400 + 1)
            for position, text in enumerate(texts, start=1)
        ],
        votes=[],
    )


class Meter:
    """Prints time and peak memory since the last line."""

    def __init__(self) -> None:
        self.seconds, self.peak = 0.0, 0.0
        self.start()

    def start(self) -> None:
        """Start measuring."""
        Path("/proc/self/clear_refs").write_text("5")
        self.began = time.process_time()

    def stop(self, what: str) -> None:
        """Stop and print."""
        seconds = time.process_time() - self.began
        lines = Path("/proc/self/status").read_text().splitlines()
        peak = next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024
        print(f"{what:36} {seconds:8.2f} s {peak:8.0f} MB")
        self.seconds, self.peak = self.seconds + seconds, max(self.peak, peak)
        self.start()


def main(arguments: list[str]) -> int:
    """Prints the table; 1 when the defaults do not suffice."""
    register_game_specs(game_specs)
    rubric = first_discussion_version()
    record = longest_game(int(arguments[0] if arguments else "5") * 1_000_000)
    print(machine(), end="")
    print(f"{sum(len(message.text) for message in record.messages):,} characters")
    meter = Meter()
    parameters = get_parameters(rubric)
    reading = read(record, parameters)
    meter.stop("reading")
    found = {}
    for key in measured_keys(rubric):
        measure = METRICS[key].measure
        assert measure is not None
        found[key] = measure(reading, parameters)
        meter.stop(key)
    for key, measurement in found.items():
        METRICS[key].diagnostics(reading, measurement, parameters)
        meter.stop(f"{key}, diagnostics")
    print(f"together {meter.seconds:.0f} s, at most {meter.peak:.0f} MB")
    return int(meter.seconds > MOST_SECONDS or meter.peak > MOST_MB)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
