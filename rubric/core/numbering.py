"""The numbers of a rubric's versions."""

import re
from collections.abc import Collection

LONGEST_NUMBER = 20
_NUMBER = re.compile(r"[0-9A-Za-z](?:[0-9A-Za-z._-]*[0-9A-Za-z])?")


def is_number(text: str) -> bool:
    """Whether a version can be called that: letters, digits, points and hyphens, since it is part of addresses."""
    return len(text) <= LONGEST_NUMBER and _NUMBER.fullmatch(text) is not None


def next_number(taken: Collection[str]) -> str:
    """The number after the highest one: 1.0, 1.1 ... 1.9, 1.10; "1.0" when there is none yet."""
    counted = [
        tuple(map(int, each.split("."))) for each in taken if re.fullmatch(r"\d{1,6}(?:\.\d{1,6}){0,2}", each)
    ]
    if not counted:
        highest: tuple[int, ...] = (1, -1)
    else:
        highest = max(counted)
        highest = highest if len(highest) > 1 else (*highest, 0)
    found = (*highest[:-1], highest[-1] + 1)
    while (text := ".".join(map(str, found))) in taken:
        found = (*found[:-1], found[-1] + 1)
    return text
