"""The rubric versions that come with the site, read from disk once."""

from functools import lru_cache
from pathlib import Path

from rubric.core.reading_versions import read_version
from rubric.core.records import RubricRecord

FIRST_VERSIONS = Path(__file__).parent / "first_versions"


@lru_cache
def first_version_bytes(name: str) -> bytes:
    """The JSON of a shipped version, for instance "discussion-1.0"; raises FileNotFoundError for any other name."""
    return (FIRST_VERSIONS / f"{name}.json").read_bytes()


@lru_cache
def first_discussion_version() -> RubricRecord:
    """Version 1.0 of the discussion rubric, as shipped; raises ValueError when the file was damaged."""
    found = read_version(first_version_bytes("discussion-1.0"))
    if isinstance(found, RubricRecord):
        return found
    raise ValueError("\n".join(f"{problem.place}: {problem.message}" for problem in found))
