"""Golden hashes: what fixed games give under every shipped rubric version, by metric, for one version of the code.

Measurements are compared byte for byte for ever, so their bytes may change only with CODE_VERSION: on every Python, and
on the Python of the next release. `golden.json` keeps the hashes of the present version.

    .venv/bin/python -m tests.discussions.metrics.golden

writes it again: after CODE_VERSION was raised, or when a game or a rubric version was added. With --check it only
compares, as the test does and `make pythons` on every Python; that needs no database.
"""

import hashlib
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import django
import msgspec

from discussions.core.records import GameRecord
from discussions.metrics.core.registry import CODE_VERSION, build_diagnostics, measure_game
from rubric.core.records import HOLISTIC, ReviewRecord, RubricRecord
from rubric.reviews.core.answer_record import READER, read_review
from rubric.reviews.core.claims import claimed_flags
from rubric.reviews.core.corrections import Correction, apply_correction
from rubric.reviews.core.two_calls import merge_calls
from rubric.versions.queries import DISCUSSION_NUMBERS, RESPONSE_NUMBERS, response_version
from tests.factories.metrics import game, rubric
from tests.factories.reading import read_transcripts

ROOT = Path(__file__).parents[3]
FILE = Path(__file__).with_name("golden.json")
RENEW = ".venv/bin/python -m tests.discussions.metrics.golden"
Hashes = dict[str, dict[str, str]]


class Golden(msgspec.Struct):
    """The hashes that a version of the code gave: rubric version and game -> metric -> hash.

    `readings` are those of fixed answers of models, by the number of the reader: what a number gave once, it gives for
    ever, since reviews are read again by the reader that they name.
    """

    code_version: str
    hashes: Hashes
    readings: dict[str, str]


def made_games() -> list[GameRecord]:
    """Two games in which every rule has something to do, and one of claims about votes."""
    roles = {"Agent-Alpha": "Mafia", "Agent-Bravo": "Mafia", "Agent-Charlie": "Seer", "Agent-Delta": None}
    lines = [
        "Good morning everyone, let's not be too hasty.",
        "Agent-Alpha is definitely a werewolf, because he voted for Charlie!",
        "Bravo's accusation is strange\u2026 In round 1 Alpha voted for Charlie.",
        "Agent-Delta: I trust Charlie. Someone said so earlier, right?",
        "I think Alpha is suspicious; I think Bravo is suspicious.",
        "As I said before \u2014 with Delta gone we lose. I am mafia.",
        "\u00dcber na\u00efve evidence patterns, voting patterns, evidence!",
    ]
    speakers = list(roles)
    first = game(
        messages=[(speakers[at % 4], lines[at % 7], 1 + at // 8) for at in range(24)],
        roles=roles,
        votes=[(1, "Agent-Alpha", "Agent-Charlie"), (2, "Agent-Charlie", "Agent-Bravo")],
        eliminations=[(1, "Agent-Delta")],
        links={3: 1, 9: None, 12: 14},
    )
    second = game(messages=[(f"Player {at % 30}", lines[(at * 3) % 7], 2) for at in range(90)])
    claims = [
        "In round 1, Agent-Alpha, Agent-Bravo and Agent-Charlie have also voted for Agent-Delta.",
        "Agent-Bravo has already voted out Agent-Delta in round 1, and I voted for Agent-Alpha.",
        "As I said before, Agent-Charlie's first vote for Agent-Bravo was strange.",
        "Earlier Agent-Delta was then killed, so everyone voted to eliminate Agent-Delta and Agent-Bravo.",
        "My earlier vote against Agent-Alpha stands; the village had already lynched Agent-Delta.",
    ]
    third = game(
        messages=[(speakers[at % 4], claims[at % 5], 1 + at // 5) for at in range(20)],
        roles=roles,
        votes=[(1, name, "Agent-Delta") for name in speakers[:3]] + [(2, "Agent-Charlie", "Agent-Bravo")],
        eliminations=[(1, "Agent-Delta")],
    )
    return [first, second, third]


def fixed_games() -> Iterator[tuple[str, GameRecord]]:
    """The games and what they are called: three that are made here, and those of the demo."""
    for number, made in enumerate(made_games(), start=1):
        yield f"made {number}", made
    for path in sorted((ROOT / "discussions" / "demo" / "transcripts").glob("*.json")):
        for number, read in enumerate(read_transcripts(path.read_bytes(), path.name).games, start=1):
            yield f"{path.stem} {number}", read.record


def fixed_answers() -> list[str]:
    """Answers of models in the shapes that are understood, one that is cut, and one that is none."""
    given = {
        "accuracy": 7,
        "completeness": 8,
        "conciseness": 6,
        "clarity": 9,
        "overall": 7.5,
        "notes": 'a "b" {c}',
    }
    whole = {"evaluations": {"Response A": given, "Response B": given | {"accuracy": 3}}}
    asked = json.dumps(whole | {"ranking": ["Response A", "Response B"]}, indent=1)
    return [
        asked,
        f"Here {{it}} is:\n```json\n{asked}\n```\nDone.",
        f"> ```\n> ```\n\nFirst {{ {{ a try.\n{asked}\n// the end",
        asked.replace('"accuracy"', '/* why * not */ "accuracy"'),
        json.dumps({"scores": {"A": given, "B": given}}),
        json.dumps([{"response": "Response A"} | given, {"response": "Response B"} | given]),
        asked[: len(asked) // 2],
        "I cannot evaluate these responses.",
    ]


def compute_readings() -> dict[str, str]:
    """Hashes of each answer as each reader reads it, and stores it, under each shipped response version."""
    found = {}
    for reader in range(1, READER + 1):
        for number in RESPONSE_NUMBERS:
            version = response_version(number)
            for at, text in enumerate(fixed_answers(), start=1):
                record = read_review(text, ["Response A", "Response B"], version, reader=reader)
                place = f"reader {reader}, response {number}, answer {at}"
                found[place] = _hash(record)
                found[f"{place}, completed"] = _hash(_complete(record, text, version, reader))
    return found


def _complete(record: ReviewRecord, text: str, version: RubricRecord, reader: int) -> list[object]:
    """What is made of a reading before it is stored: remarks on claims, two calls in one, a correction."""
    labels = ["Response A", "Response B"]
    whole = read_review('{"scores": {"Response A": 7, "Response B": 5}}', labels, version, reader=reader)
    correction = Correction({"Response A": {"accuracy": 9, HOLISTIC: 8}}, "Misread", [["Response B"]])
    return [
        claimed_flags({"Response A": text, "Response B": "None."}, record, version),
        merge_calls(whole, record, version),
        apply_correction(record, correction, version),
    ]


def _hash(value: object) -> str:
    return hashlib.sha256(msgspec.json.encode(value, enc_hook=str)).hexdigest()[:12]


def compute_golden() -> Golden:
    """What the present code gives; a hash covers a metric's measurement with its findings, and its diagnostics."""
    hashes: Hashes = {}
    games = list(fixed_games())
    for number in DISCUSSION_NUMBERS:
        version = rubric(number=number)
        for name, record in games:
            found = measure_game(record, version)
            shown = build_diagnostics(record, version, found)
            hashes[f"{number} {name}"] = {
                key: hashlib.sha256(
                    msgspec.json.encode([one, shown[key]] if key in shown else [one])
                ).hexdigest()[:12]
                for key, one in found.items()
            }
    return Golden(CODE_VERSION, hashes, compute_readings())


def compare(kept: Golden, found: Golden) -> str:
    """What is wrong with the golden file, with what to do; "" if its version and its bytes are those of the code."""
    reads = [place for place, one in kept.readings.items() if found.readings.get(place) != one]
    if reads:
        return (
            f"{len(reads)} answers are not read as they were: {'; '.join(reads[:20])}. If that is wanted, "
            "raise READER in rubric/reviews/core/answer_record.py and keep how the earlier reader reads."
        )
    if missing := sorted(found.readings.keys() - kept.readings.keys()):
        return f"golden.json lacks {missing[0]}. Write it again: {RENEW}"
    if kept.code_version != found.code_version:
        return (
            f"golden.json is of code {kept.code_version}, and CODE_VERSION is {found.code_version}. "
            f"Write it again: {RENEW}"
        )
    differs = find_differing(kept.hashes, found.hashes)
    if not differs:
        return ""
    return (
        f"{len(differs)} results of code {kept.code_version} are not what they were: {'; '.join(differs[:20])}"
        f"{'; ...' if len(differs) > 20 else ''}. If that is wanted, raise CODE_VERSION in "
        "discussions/metrics/core/registry.py, so that games can be measured again, and write golden.json again: "
        f"{RENEW}"
    )


def find_differing(kept: Hashes, found: Hashes) -> list[str]:
    """The places and metrics that differ, with those that only one side has."""
    return [
        f"{place}: {metric}"
        for place in sorted({*kept, *found})
        for metric in sorted({*kept.get(place, {}), *found.get(place, {})})
        if kept.get(place, {}).get(metric) != found.get(place, {}).get(metric)
    ]


def read_golden() -> Golden:
    """The golden file."""
    return msgspec.json.decode(FILE.read_bytes(), type=Golden)


def write_golden() -> str:
    """Write the golden file, a line for each game and rubric version; return why not if the version was not raised."""
    found = compute_golden()
    if FILE.exists():
        kept = read_golden()
        # New games, versions and readers may come; what was there must give the same, or the version rises.
        is_same = kept.code_version == CODE_VERSION
        there = {
            place: found.hashes.get(place, {}) if is_same else kept.hashes[place] for place in kept.hashes
        }
        readings = {place: found.readings.get(place, "") for place in kept.readings}
        if said := compare(kept, Golden(kept.code_version, there, readings)):
            return said
    lines = [f"  {json.dumps(place)}: {json.dumps(hashes)}" for place, hashes in found.hashes.items()]
    body, readings = ",\n".join(lines), json.dumps(found.readings, indent=1).replace("\n", "\n ")
    FILE.write_text(
        f'{{\n "code_version": "{found.code_version}",\n "readings": {readings},\n "hashes": {{\n{body}\n }}\n}}\n'
    )
    return ""


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    django.setup()  # tells the rubric what the metrics need
    sys.exit((compare(read_golden(), compute_golden()) if "--check" in sys.argv else write_golden()) or 0)
