"""The sample of statements: sentences whose author was thinking something, drawn by lot from each agent."""

import re
from collections import defaultdict
from collections.abc import Collection

from discussions.adjudication.core.judgeable import SampleRule, stratified_sample
from discussions.core.judgement_kinds import STATEMENT
from discussions.core.records import GameRecord
from discussions.metrics.core.text import split

# Shorter sentences, such as "I agree.", hardly state anything that could be untrue.
LEAST_CHARACTERS = 12
_QUESTION = re.compile(r"[?？؟][\s\"'”’»)]*$")


def draw_statements(
    game: GameRecord, thinking: Collection[int], seed: str, rule: SampleRule
) -> tuple[str, ...]:
    """The statements to judge, as subjects ("19.2") in transcript order; from the messages at positions `thinking`."""
    by_player: dict[int, list[str]] = defaultdict(list)
    for message in game.messages:
        if message.position in thinking:
            for number, (start, end) in enumerate(split(message.text), start=1):
                sentence = message.text[start:end].strip()
                if len(sentence) >= LEAST_CHARACTERS and not _QUESTION.search(sentence):
                    by_player[message.player].append(f"{message.position}.{number}")
    return stratified_sample(seed, STATEMENT, by_player, rule)
