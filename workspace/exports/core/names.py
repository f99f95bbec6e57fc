"""What people are called in an export: by their names, or by pseudonyms that are stable within the export."""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping

from workspace.core.canonical import bytes_hash


def name_people(people: Iterable[tuple[int, str, str]]) -> dict[int, str]:
    """Key -> name, from (key, name, e-mail address); people who share a name have their address behind it."""
    listed = list(people)
    counts = Counter(name for _key, name, _email in listed)
    return {key: name if counts[name] == 1 else f"{name} ({email})" for key, name, email in listed}


def assign_pseudonyms(groups: Mapping[str, Iterable[Hashable]], seed: str) -> dict[Hashable, str]:
    """Key -> "Evaluator 1", from the word of each group -> its keys. A key of several groups is named by the first.

    The numbers follow the seed alone, so they say nothing of the order in which people joined.
    """
    assigned: dict[Hashable, str] = {}
    for word, keys in groups.items():
        new = {key for key in keys if key not in assigned}
        ordered = sorted(new, key=lambda key: bytes_hash(f"{seed} {word} {key}".encode()))
        assigned |= {key: f"{word} {number}" for number, key in enumerate(ordered, start=1)}
    return assigned
