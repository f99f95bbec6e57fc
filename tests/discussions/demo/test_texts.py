"""The texts of the demo's comparisons: no reviewer says of a response what another one says word for word."""

from collections import Counter

import msgspec

from discussions.demo.actions.scene import FOLDER


def test_every_note_on_a_response_is_its_reviewers_own():
    files = sorted((FOLDER / "comparisons").glob("*-reviews.jsonl"))
    lines = [msgspec.json.decode(line) for file in files for line in file.read_bytes().splitlines() if line]
    notes = [
        (line["comparison"], response, said["notes"])
        for line in lines
        for response, said in line.get("scores", {}).items()
        if isinstance(said, dict) and said.get("notes")
    ]
    assert (len(files), len(notes) > 30) == (4, True)
    assert [note for note, count in Counter(notes).items() if count > 1] == []
