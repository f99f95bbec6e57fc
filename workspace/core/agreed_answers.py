"""Calibration rounds of games and of comparisons: when one is passed, and where many differ from its keys."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from msgspec import Struct

MOST_MISSED = 20


class RoundResult(Struct, frozen=True, kw_only=True):
    """All items of a round together: `alike` of `count` answers as agreed. `passes` is None while items are missing."""

    done: int
    asked: int
    alike: int
    count: int
    passes: bool | None

    @property
    def percent(self) -> float | None:
        return 100 * self.alike / self.count if self.count else None


def agrees_enough(alike: int, count: int, percent: int) -> bool:
    """Whether at least `percent` % of the answers are as agreed; true when there are no answers.

    Percent agreement with an expert key is the rule of screening rounds in the literature (Mitra, Hutto and Gilbert,
    CHI 2015); all answers weigh the same.
    """
    return count == 0 or 100 * alike >= percent * count


def list_missed(
    people: Iterable[Mapping[int, Any]], words: Callable[[int, Any], tuple[Any, ...]]
) -> list[dict[str, Any]]:
    """On what at least two people differ from the key, the most frequent first: perhaps the key is wrong.

    `people` has for each person item -> its comparison with the key; `words` of an item and one of its `differences`
    are the same for people who differ on the same subject, and sort the entries.
    """
    taken, missed = Counter[int](), Counter[tuple[int, tuple[Any, ...]]]()
    for compared_by_item in people:
        for item, compared in compared_by_item.items():
            taken[item] += 1
            missed.update((item, words(item, difference)) for difference in compared.differences)
    entries = sorted((-count, about, taken[item]) for (item, about), count in missed.items() if count > 1)
    return [
        {"people": -count, "of_people": of_people, "words": about}
        for count, about, of_people in entries[:MOST_MISSED]
    ]
