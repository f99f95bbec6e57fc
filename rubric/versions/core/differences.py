"""What differs between two versions of a rubric, for people to read."""

import re
from collections import Counter
from collections.abc import Iterator
from difflib import SequenceMatcher

from msgspec import Struct
from msgspec.structs import replace

from rubric.core.records import Criterion, RubricRecord
from rubric.versions.core.draft import criterion_texts, list_entries, value_text
from rubric.versions.core.game_specs import add_defaults

Span = tuple[int, int]
LEAST_WORDS, MOST_WORDS = 3, 1000
WORD = re.compile(r"\w+|[^\w\s]")
CRITERION, PARAMETER, LIST, VERSION = "criterion", "parameter", "list", "version"
ADDED, REMOVED = "added", "removed"


class Change(Struct, frozen=True):
    """One value that differs: what it belongs to, its name in the JSON, and both values; "" if a version has none.

    `part` is "criterion" (`label` is its label), "parameter", "list" or "version"; `how` is told by the first change
    of a criterion that was added or removed. Of a list the values are the entries that only one version has, one a
    line; both are "" when the order alone differs.
    """

    part: str
    name: str
    before: str
    after: str
    label: str = ""
    how: str = ""


def mark_words(before: str, after: str) -> tuple[list[Span], list[Span]]:
    """The stretches of words that differ, as offsets in both texts; none if they have no word in common.

    Of a text with fewer words than `LEAST_WORDS`, such as a number, and of a long one, nothing is marked.
    """
    words = [list(WORD.finditer(text)) for text in (before, after)]
    first, other = ([match[0] for match in found] for found in words)
    counts = (len(first), len(other))
    if not set(first) & set(other) or min(counts) < LEAST_WORDS or max(counts) > MOST_WORDS:
        return [], []
    steps = SequenceMatcher(None, first, other, autojunk=False).get_opcodes()
    changed = [(step[1:3], step[3:5]) for step in steps if step[0] != "equal"]
    return (
        [_enclose(words[0], *own) for own, _others in changed if own[0] < own[1]],
        [_enclose(words[1], *own) for _others, own in changed if own[0] < own[1]],
    )


def _enclose(words: list[re.Match[str]], start: int, end: int) -> Span:
    return words[start].start(), words[end - 1].end()


def differences(before: RubricRecord, after: RubricRecord, *, has_weights: bool = True) -> list[Change]:
    """What changes from one version to the other: criteria, parameters, lists, the version's own texts.

    Without `has_weights`, weights are left out. The version number does not count as a difference.
    """
    parameters = (
        {name: value_text(value) for name, value in add_defaults(record).items()}
        for record in (before, after)
    )
    return [
        *_criteria(before, after, has_weights=has_weights),
        *_changes(PARAMETER, *parameters),
        *_lists(list_entries(before.lists), list_entries(after.lists)),
        *_changes(VERSION, *_general(before, after)),
    ]


def _general(before: RubricRecord, after: RubricRecord) -> Iterator[dict[str, str]]:
    """Name, kind, source and the order of the criteria that both have."""
    shared = {criterion.key for criterion in before.criteria} & {
        criterion.key for criterion in after.criteria
    }
    orders = [
        ", ".join(criterion.key for criterion in record.criteria if criterion.key in shared)
        for record in (before, after)
    ]
    return (
        {"name": record.name, "kind": record.kind, "source": record.source, "order": order}
        for record, order in zip((before, after), orders, strict=True)
    )


def _criteria(before: RubricRecord, after: RubricRecord, *, has_weights: bool) -> Iterator[Change]:
    old = {criterion.key: criterion for criterion in before.criteria}
    new = {criterion.key: criterion for criterion in after.criteria}
    for key in dict.fromkeys((*old, *new)):
        texts = (_texts(record.get(key), has_weights=has_weights) for record in (old, new))
        how = ADDED if key not in old else REMOVED if key not in new else ""
        for change in _changes(CRITERION, *texts):
            yield replace(change, label=(new.get(key) or old[key]).label, how=how)
            how = ""


def _texts(criterion: Criterion | None, *, has_weights: bool) -> dict[str, str]:
    """The texts of a criterion without its key, which identifies it."""
    if criterion is None:
        return {}
    left_out = ("key",) if has_weights else ("key", "weight")
    return {name: text for name, text in criterion_texts(criterion).items() if name not in left_out}


def _changes(part: str, before: dict[str, str], after: dict[str, str]) -> list[Change]:
    return [
        Change(part, name, before.get(name, ""), after.get(name, ""))
        for name in dict.fromkeys((*before, *after))
        if before.get(name, "") != after.get(name, "")
    ]


def _lists(before: dict[str, list[str]], after: dict[str, list[str]]) -> Iterator[Change]:
    for name in dict.fromkeys((*before, *after)):
        old, new = before.get(name, []), after.get(name, [])
        if old != new:
            added, removed = Counter(new) - Counter(old), Counter(old) - Counter(new)
            yield Change(LIST, name, "\n".join(removed.elements()), "\n".join(added.elements()))
