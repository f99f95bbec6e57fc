"""The reader of rubric versions: a version that stands and comes back the same, or faults, each with its place."""

import json
from typing import Any

from discussions.metrics.core.registry import game_specs
from rubric.core.records import RubricRecord
from rubric.core.weights import weight_problems
from rubric.versions.core.draft import draft_texts, read_draft
from rubric.versions.core.game_specs import register_game_specs
from rubric.versions.core.version_json import publishing_problems, read_version
from rubric.versions.queries import first_version_bytes
from tests.fuzz.promises import check_sentences, check_storable, in_time, longer, numbers_in
from workspace.core.canonical import canonical_bytes

# A fuzzing run starts no site, which would register them.
register_game_specs(game_specs)


def check(data: bytes, read: Any = read_version) -> None:
    """Everything that holds of every version. Raises when it does not."""
    found = in_time(read, data)
    check_storable(found)
    assert found == read(data), "read twice, it says something else"
    if not isinstance(found, RubricRecord):
        assert found, "neither a version nor a fault"
        check_sentences(*(problem.message for problem in found))
        assert all(not problem.pointer or problem.pointer.startswith("/") for problem in found), (
            "a place is no pointer"
        )
        return
    written = numbers_in(data.decode("utf-8"))
    numbers = [number for problem in found.criteria for number in (problem.weight, problem.threshold)]
    numbers += [value for value in found.parameters.values() if not isinstance(value, bool | str)]
    assert {float(number) for number in numbers if number is not None} <= written, (
        "a number that nobody wrote"
    )
    assert not weight_problems({problem.key: problem.weight for problem in found.criteria})
    assert read(canonical_bytes(found)) == found, "stored and read again, it is another"
    saved = in_time(lambda texts: read_draft(texts, found), draft_texts(found))
    if publishing_problems(found):
        assert not isinstance(saved, RubricRecord), "saved without words"
    else:
        assert saved == found, "opened and saved"


def check_long(data: bytes) -> None:
    """The same many times over is read in time."""
    for case in longer(data):
        in_time(read_version, case)


def seeds() -> list[bytes]:
    """The shipped versions, as they are and in parts, and what is none."""
    response = json.loads(first_version_bytes("response-1.0"))
    small = {"key": "a", "label": "A", "description": "", "weight": 1}
    return [
        *(first_version_bytes(name) for name in ("discussion-1.0", "response-1.0")),
        json.dumps(response | {"criteria": [small]}).encode(),
        json.dumps(response | {"criteria": [small | {"weight": "1"}], "parameters": {}}).encode(),
        json.dumps(response | {"kind": "discussion"}).encode(),
        json.dumps(response | {"criteria": [small | {"weight": 0.5}, small | {"weight": 0.5}]}).encode(),
        b"{}",
        b"[]",
        b"",
    ]
