"""The rubric versions that come with the site, read from disk once."""

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from msgspec.structs import replace

from rubric.core.reading_versions import read_version
from rubric.core.records import RubricRecord

FIRST_VERSIONS = Path(__file__).parent / "first_versions"


@lru_cache
def first_version_bytes(name: str) -> bytes:
    """The JSON of a shipped version, for instance "discussion-1.0"; raises FileNotFoundError for any other name."""
    return (FIRST_VERSIONS / f"{name}.json").read_bytes()


def first_discussion_version() -> RubricRecord:
    """Version 1.0 of the discussion rubric, as shipped; raises ValueError when the file was damaged."""
    return _shipped("discussion-1.0")


def first_response_version(weights: Mapping[str, float] | None = None) -> RubricRecord:
    """Version 1.0 of the response rubric, with other weights where the installation gives them, keyed by criterion.

    Raises ValueError when the file was damaged, KeyError when a criterion has no weight.
    """
    shipped = _shipped("response-1.0")
    if weights is None or all(weights[each.key] == each.weight for each in shipped.criteria):
        return shipped
    criteria = [replace(each, weight=float(weights[each.key])) for each in shipped.criteria]
    return replace(
        shipped, criteria=criteria, source=f"{shipped.source}, with the weights of this installation"
    )


@lru_cache
def _shipped(name: str) -> RubricRecord:
    found = read_version(first_version_bytes(name))
    if isinstance(found, RubricRecord):
        return found
    raise ValueError("\n".join(f"{problem.place}: {problem.message}" for problem in found))
