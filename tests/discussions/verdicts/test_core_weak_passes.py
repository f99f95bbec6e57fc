"""A pass with nothing, or with few references, to count: which lines are one, and how it is said."""

import pytest

from discussions.core.outcome import ManualCheck, OutcomeLine
from discussions.verdicts.pages.lines import describe_weak_pass


def line(key: str, below: int, *, passes: bool | None = True, **given: object) -> OutcomeLine:
    """A line of 80 % or more."""
    return OutcomeLine(key, key, "percent", 80.0, below, below, 100.0, passes, **given)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("found", "is_weak", "says"),
    [
        (line("memory_accuracy", 0, is_applicable=False), True, "Memory: no references"),
        (line("memory_accuracy", 1), True, "Memory: 1 reference"),
        (line("memory_accuracy", 4), True, "Memory: 4 references"),
        (line("memory_accuracy", 5), False, ""),
        (line("memory_accuracy", 4, passes=False), False, ""),
        (line("memory_accuracy", 4, passes=None), False, ""),
        (line("coherence", 3), False, ""),
        (line("coherence", 0, is_applicable=False), True, "Coherence: nothing to count"),
        (
            line("personality_diversity", 0, is_applicable=False,
                 manual_check=ManualCheck(5, 5, 4, passes=True, decides=True)),
            False, "",
        ),
    ],
)  # fmt: skip
def test_a_pass_with_little_to_count_is_weak(found: OutcomeLine, is_weak: bool, says: str) -> None:
    assert found.is_weak_pass is is_weak
    assert not says or describe_weak_pass(found) == says
