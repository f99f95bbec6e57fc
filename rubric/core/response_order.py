"""What reviewers see instead of authors: responses under letters, in an order drawn for each review."""

import random
from collections.abc import Mapping, Sequence
from string import ascii_uppercase

LABELS = tuple(f"Response {letter}" for letter in ascii_uppercase)


def labels(count: int) -> list[str]:
    """The first `count` labels, starting with "Response A"; there are 26."""
    return list(LABELS[:count])


def shuffle(numbers: Sequence[int], seed: str) -> list[int]:
    """The numbers in the random order that the seed gives; the same seed and numbers always give the same order."""
    shuffled = sorted(numbers)
    random.Random(seed).shuffle(shuffled)
    return shuffled


def order_places(taken: Mapping[int, int], seed: str) -> list[int]:
    """Comparisons in the order for one person: fewest taken places first, then at random.

    Each person has a different order, so each pair of people shares different comparisons, and the design is connected.
    """
    position = {key: at for at, key in enumerate(shuffle(list(taken), seed))}
    return sorted(taken, key=lambda key: (taken[key], position[key]))


def map_labels(order: Sequence[int]) -> dict[str, int]:
    return dict(zip(LABELS, order, strict=False))
