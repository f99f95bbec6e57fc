"""One target under the fuzzer: `python -m tests.fuzz.run TARGET CORPUS... -flag=...`, as tools/fuzz.py starts it.

The readers are imported with counters in them, so that an input that takes a new way through them is kept.
"""

import sys
from random import Random

import atheris

with atheris.instrument_imports(include=["rubric", "workspace.core", "discussions.transcripts"]):
    from tests.fuzz.targets import TARGETS

from tests.fuzz.mutating import mutated


def mutate(data: bytes, most: int, seed: int) -> bytes:
    """Two inputs of three are changed as JSON and words, the others as bytes by the fuzzer itself."""
    if seed % 3:
        changed = mutated(data, Random(seed))
        if len(changed) <= most:
            return changed
    return atheris.Mutate(data, most)


def main(name: str, arguments: list[str]) -> None:
    """Never comes back: the fuzzer ends the process."""
    atheris.Setup([name, *arguments], TARGETS[name].run, custom_mutator=mutate)
    atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
