"""A key with a character that no database stores is named in the refusal without it."""

from tests.factories.reading import read_transcripts


def test_a_refusal_names_keys_without_what_cannot_be_stored():
    read = read_transcripts(b'{"c\\u0000ntent": 1, "day": 2, "vote": 3}\n{"c\\u0000ntent": 1}\n', "log.jsonl")
    (fault,) = read.faults
    assert "c\ufffdntent" in fault.message and "\x00" not in fault.message
