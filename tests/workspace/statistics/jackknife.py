"""The jackknife by computing anew: what the closed forms are compared with."""

from collections.abc import Callable, Hashable, Sequence

import numpy as np

from workspace.statistics.estimates import Interval, jackknife_t


def jackknife_over_groups(
    groups: Sequence[Hashable],
    value_of: Callable[[list[int]], float | None],
    units: int | None = None,
) -> Interval | None:
    """The interval when whole groups are left out; `value_of` gives the value for the items with these indices.

    `units` of the groups show the rarer answer; None where that does not matter.
    """
    value = value_of(list(range(len(groups))))
    if value is None:
        return None
    kept = [[at for at, group in enumerate(groups) if group != left] for left in dict.fromkeys(groups)]
    values = [value_of(indices) if indices else None for indices in kept]
    found = np.array([np.nan if value is None else value for value in values])
    return jackknife_t(value, found, units=units)[0]
