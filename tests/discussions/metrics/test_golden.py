"""Bytes of measurements change only with CODE_VERSION, on the Python that is here; `make pythons` tries the others."""

from pathlib import Path

import msgspec.json
import pytest

from discussions.metrics.core.registry import CODE_VERSION
from rubric.reviews.core.answer_record import READER
from rubric.versions.queries import DISCUSSION_NUMBERS, RESPONSE_NUMBERS
from tests.discussions.metrics import golden
from tests.discussions.metrics.golden import (
    Golden,
    compare,
    compute_golden,
    fixed_answers,
    read_golden,
    write_golden,
)


@pytest.fixture(scope="module")
def found() -> Golden:
    return compute_golden()


def test_outputs_change_only_with_the_code_version(found: Golden) -> None:
    assert compare(read_golden(), found) == ""


def test_every_shipped_version_and_every_metric_is_kept(found: Golden) -> None:
    kept = read_golden().hashes
    numbers = [place.split()[0] for place in kept]
    assert {numbers.count(number) for number in DISCUSSION_NUMBERS} == {len(kept) // len(DISCUSSION_NUMBERS)}
    assert len(kept) > 60
    assert {len(hashes) for hashes in kept.values()} == {6}


def test_a_changed_byte_is_named_with_what_to_do(found: Golden) -> None:
    place, metric = "1.1 made 1", "memory_accuracy"
    changed = msgspec.json.decode(msgspec.json.encode(found), type=Golden)
    changed.hashes[place][metric] = "0" * 12
    said = compare(changed, found)
    assert said.startswith(
        f"1 results of code {CODE_VERSION} are not what they were: {place}: {metric}. If that is wanted, raise"
    )
    assert "raise CODE_VERSION in discussions/metrics/core/registry.py" in said
    assert said.endswith("write golden.json again: .venv/bin/python -m tests.discussions.metrics.golden")


def test_a_raised_version_asks_for_a_new_file(found: Golden) -> None:
    said = compare(Golden("0.9.9", found.hashes, found.readings), found)
    assert said.startswith(
        f"golden.json is of code 0.9.9, and CODE_VERSION is {CODE_VERSION}. Write it again: "
    )


def test_the_file_is_not_written_over_while_the_version_is_the_same(
    found: Golden, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "golden.json"
    monkeypatch.setattr(golden, "FILE", file)
    monkeypatch.setattr(golden, "compute_golden", lambda: found)
    fewer = dict(list(found.hashes.items())[:5])
    file.write_bytes(msgspec.json.encode(Golden(CODE_VERSION, fewer, {})))
    assert write_golden() == "", "games may be added"
    assert read_golden() == found
    changed = fewer | {"1.0 made 1": fewer["1.0 made 1"] | {"coherence": "0" * 12}}
    file.write_bytes(msgspec.json.encode(Golden(CODE_VERSION, changed, {})))
    assert "1.0 made 1: coherence" in write_golden()
    assert read_golden().hashes == changed
    file.write_bytes(msgspec.json.encode(Golden("0.9.9", changed, {})))
    assert write_golden() == ""
    assert read_golden() == found


def test_a_reader_reads_for_ever_as_it_did(
    found: Golden, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = "reader 1, response 1.0, answer 1"
    assert len(found.readings) == 2 * READER * len(RESPONSE_NUMBERS) * len(fixed_answers())
    assert len(set(found.readings.values())) > len(fixed_answers())
    other = Golden("0.9.9", found.hashes, found.readings | {place: "0" * 12})
    assert compare(other, found).startswith(
        f"1 answers are not read as they were: {place}. If that is wanted, raise"
    )
    less = {name: one for name, one in found.readings.items() if name != place}
    assert compare(Golden(CODE_VERSION, found.hashes, less), found).startswith(f"golden.json lacks {place}.")
    file = tmp_path / "golden.json"
    monkeypatch.setattr(golden, "FILE", file)
    monkeypatch.setattr(golden, "compute_golden", lambda: found)
    file.write_bytes(msgspec.json.encode(other))
    assert place in write_golden(), "a raised CODE_VERSION does not cover it"
