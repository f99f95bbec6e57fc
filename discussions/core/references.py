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

    def since(self, at: datetime | None = None) -> datetime | None:
        """Since when it can be a reference, now or then: a baseline from its opening, a change while it is kept."""
        if self.kind == BASELINE:
            return self.created_at
        kept = None
        for moment, choice in self.decisions:
            if at is None or moment <= at:
                kept = (kept or moment) if choice == KEEP else None
        return kept


def reference_of(chain: Iterable[Link], at: datetime | None = None) -> int | None:
    """The reference of a stage's iterations, given in order: now, or as it was then; None before the first baseline.

    It is the baseline opened or the change kept last, but for those that a kept change was built on. A reverted or
    inconclusive change leaves it at what it was, as does one that is not decided.
    """
    found = [(since, link) for link in chain if (since := link.since(at)) is not None]
    built_on = {link.compared_with for _since, link in found}
    ends = [(since, link.number, link.id) for since, link in found if link.id not in built_on]
    return max(ends)[2] if ends else None


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
