"""Which iteration of a stage the next change is compared with: the newest baseline, or the change kept last.

Source: the rubric's "Iteration Cycle" (a kept change is what the next one builds on, a reverted one is taken back).
"""

from collections.abc import Iterable, Sequence
from datetime import datetime

from msgspec import Struct

from discussions.core.compared import KEEP
from discussions.core.iteration_moves import BASELINE


class Link(Struct, frozen=True):
    """One iteration of the chain: its decisions as (moment, choice), in the order in which they were recorded."""

    id: int
    number: int
    kind: str
    created_at: datetime
    compared_with: int | None = None
    decisions: Sequence[tuple[datetime, str]] = ()

    def choice(self, at: datetime | None = None) -> str:
        """The decision that stands, or stood then; "" while there is none."""
        made = [choice for moment, choice in self.decisions if at is None or moment <= at]
        return made[-1] if made else ""


def reference_of(chain: Iterable[Link], at: datetime | None = None) -> int | None:
    """The reference of a stage's iterations, given in order: now, or as it was then; None before the first baseline.

    A reverted or inconclusive change leaves it at what it was, as does one that is not decided.
    """
    found = None
    for link in chain:
        if link.kind == BASELINE or link.choice(at) == KEEP:
            found = link.id
    return found


def baseline_of(chain: Iterable[Link]) -> int | None:
    """The newest baseline of a stage's iterations, given in order."""
    return next((link.id for link in reversed(list(chain)) if link.kind == BASELINE), None)


def chain_faults(chain: Sequence[Link]) -> Iterable[str]:
    """What does not fit in a stage's chain: each change was compared with the reference of its time."""
    for place, link in enumerate(chain):
        if link.kind == BASELINE:
            continue
        expected = reference_of(chain[:place], at=link.created_at)
        if link.compared_with != expected:
            yield f"Iteration {link.number} is compared with another iteration than the reference of its time."
