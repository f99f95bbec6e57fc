"""What is fuzzed: the readers of what comes from outside, each with what it promises and with inputs to start from.

A target is a function of bytes that raises when a promise is broken. It is given nothing else, so that one file
repeats a finding; what varies besides (labels, limits) is chosen by the bytes.
"""

from collections.abc import Callable
from typing import NamedTuple
from zlib import crc32

from tests.fuzz import archive, converters, own_logs, recipe, review, strict_json, transcript, version

LONG_ONE_IN = 64


class Target(NamedTuple):
    """One reader: the check of one input, the check that many of it are read in time, and the inputs to start from."""

    check: Callable[[bytes], None]
    check_long: Callable[[bytes], None]
    seeds: Callable[[], list[bytes]]

    def run(self, data: bytes) -> None:
        """Both checks; the long one, which is slow, for one input in 64, the same ones every time."""
        self.check(data)
        if crc32(data) % LONG_ONE_IN == 0:
            self.check_long(data)


TARGETS = {
    "recipe": Target(recipe.check, recipe.check_long, recipe.seeds),
    "review": Target(review.check, review.check_long, review.seeds),
    "strict_json": Target(strict_json.check, strict_json.check_long, strict_json.seeds),
    "version": Target(version.check, version.check_long, version.seeds),
    "transcript": Target(transcript.check, transcript.check_long, transcript.seeds),
    "own_logs": Target(own_logs.check, own_logs.check_long, own_logs.seeds),
    "archive": Target(archive.check, archive.check_long, archive.seeds),
    "converters": Target(converters.check, converters.check_long, converters.seeds),
}
