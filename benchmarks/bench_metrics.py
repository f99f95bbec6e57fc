"""Prints what measuring costs: CPU time of this process, the best of several runs, on one core.

    python benchmarks/bench_metrics.py

A busy machine makes CPU time longer too (shared caches and cores), so the load is printed, and how much longer than at
best a fixed loop usually takes.

Five token metrics in microseconds a message (one reading included), personality diversity in milliseconds a game, and
the diagnostics in microseconds a message. Messages have 21 words on average, two of them names, and
about as many references, accusations and reasons as games of language models in English have.
"""

import os
import random
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from discussions.core.records import GameRecord, Message, Player, Vote
from discussions.metrics.core.parameters import get_parameters
from discussions.metrics.core.prepared_game import read
from discussions.metrics.core.registry import METRICS, build_diagnostics, game_specs, measure_game
from rubric.versions.core.game_specs import register_game_specs
from rubric.versions.queries import first_discussion_version

NAMES = "Alpha Bravo Charlie Delta Echo Foxtrot Golf Hotel India Juliet".split()
COMMON = (
    "the to i and you a of is that we it in not but this for are have be on what who they with our if so "
    "can about your was more do just like know think as need from their all people how at there make good "
).split()
TOPICS = (
    "accusation alliance argument behavior believe careful claim clear close concern consider consistent "
    "curious decision defend detail discussion doctor doubt evidence explain focus follow guess happen "
    "helpful honest innocent interesting investigate listen mafia moment nervous notice opinion pattern "
    "player pressure quiet question reaction reason remember seriously silence someone statement strategy "
    "strange suspicious target trust village villager vote voting wonder yesterday earlier before because "
    "werewolf wolf suspect lying "
).split()
RARE = [first + last for first in "bra cor den fal gri hul jan kel lim mor".split() for last in
        "dane fort gate hill land mark ness port ridge stead ton ville wick worth".split()]  # fmt: skip


def sentence(source: random.Random, words: int) -> str:
    """A sentence of that many words, mostly common ones."""
    chosen = []
    for _ in range(words):
        draw = source.random()
        pool = NAMES if draw < 0.09 else TOPICS if draw < 0.3 else RARE if draw < 0.4 else COMMON
        word = source.choice(pool)
        chosen.append(f"Agent-{word}" if pool is NAMES and source.random() < 0.5 else word)
    return " ".join(chosen).capitalize() + source.choice(".....?!")


def game(messages: int, players: int) -> GameRecord:
    """A made-up game, the same each time; 40 messages a round."""
    source = random.Random(f"{messages}x{players}")
    names = [f"Agent-{NAMES[index % 10]}{'' if index < 10 else index // 10}" for index in range(players)]
    texts = [" ".join(sentence(source, source.randint(5, 16)) for _ in range(2)) for _ in range(messages)]
    rounds = messages // 40 + 1
    return GameRecord(
        game_id="bench",
        players=[
            Player(name, role="Mafia" if index % 4 == 0 else "Villager") for index, name in enumerate(names)
        ],
        messages=[
            Message(position, source.randint(1, players), text, round=position // 40 + 1)
            for position, text in enumerate(texts, start=1)
        ],
        votes=[
            Vote(number, voter, source.randint(1, players))
            for number in range(1, rounds + 1)
            for voter in range(1, players + 1)
        ],
    )


def best(run: Callable[[], object], repeats: int) -> float:
    """The least CPU seconds of one run."""
    run()
    times = []
    for _ in range(repeats):
        start = time.process_time()
        run()
        times.append(time.process_time() - start)
    return min(times)


def fixed_loop() -> None:
    """A fixed amount of work."""
    total = 0
    for number in range(30_000):
        total += number & 7


def machine(runs: int = 200) -> str:
    """How busy the machine is, in a line."""
    times = []
    for _ in range(runs):
        start = time.process_time()
        fixed_loop()
        times.append(time.process_time() - start)
    least, usual = min(times), sorted(times)[runs // 2]
    load = ", ".join(f"{figure:.1f}" for figure in os.getloadavg())
    return f"load {load} on {os.cpu_count()} cores; fixed loop {least * 1000:.2f} ms, usually {usual / least:.2f}x\n"


def main() -> None:
    """Prints the table."""
    register_game_specs(game_specs)
    rubric = first_discussion_version()
    parameters = get_parameters(rubric)
    measures = {key: metric.measure for key, metric in METRICS.items() if metric.measure}
    diversity = measures.pop("personality_diversity")
    out = sys.stdout.write
    out(machine())
    out("messages x players   five token metrics   diagnostics   (microseconds a message)\n")
    for messages, players, repeats in ((50, 10, 300), (500, 10, 30), (5000, 10, 4), (5000, 100, 3)):
        record = game(messages, players)

        def five(record: GameRecord = record) -> None:
            reading = read(record, parameters)
            for measure in measures.values():
                measure(reading, parameters)

        seconds = best(five, repeats)
        second_look = 0.0
        if messages <= 500:
            measurements = measure_game(record, rubric)
            second_look = best(partial(build_diagnostics, record, rubric, measurements), max(3, repeats // 4))
        shown = f"{second_look / messages * 1e6:12.1f}" if second_look else f"{'-':>12}"
        out(f"{messages:8} x {players:<8} {seconds / messages * 1e6:20.1f} {shown}\n")
    reading = read(game(50, 10), parameters)
    out(
        f"personality diversity, 50 x 10: {best(lambda: diversity(reading, parameters), 200) * 1000:.2f} ms\n"
    )
    out(machine())


if __name__ == "__main__":
    main()
