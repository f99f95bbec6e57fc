"""What differs between two versions of a rubric, for people to read."""

import re
from collections import Counter
from difflib import SequenceMatcher

from msgspec import Struct

from rubric.core.records import Criterion, RubricRecord
from rubric.versions.core.draft import criterion_texts, list_entries, value_text
from rubric.versions.core.game_specs import add_defaults

Span = tuple[int, int]
LEAST_WORDS, MOST_WORDS = 3, 1000
WORD = re.compile(r"\w+|[^\w\s]")
ADDED, REMOVED, CHANGED = "added", "removed", "changed"


class Change(Struct, frozen=True):
    """One value that differs: its name in the JSON, and the value in both versions; "" if a version has none."""

    name: str
    before: str
    after: str


class CriterionChange(Struct, frozen=True):
    """A criterion that was added, removed or changed, with what differs."""

    key: str
    label: str
    how: str
    changes: list[Change]


class ListChange(Struct, frozen=True):
    """A list whose entries differ; `is_reordered` if they are the same entries in another order."""

    name: str
    added: list[str]
    removed: list[str]
    is_reordered: bool


class Differences(Struct, frozen=True):
    """Everything that differs. `general` holds name, source and the order of the criteria."""

    general: list[Change]
    criteria: list[CriterionChange]
    parameters: list[Change]
    lists: list[ListChange]

    @property
    def count(self) -> int:
        changed = sum(len(criterion.changes) for criterion in self.criteria)
        return len(self.general) + changed + len(self.parameters) + len(self.lists)


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


def differences(before: RubricRecord, after: RubricRecord, *, has_weights: bool = True) -> Differences:
    """What changes from one version to the other; without `has_weights`, weights are left out.

    The version number does not count as a difference.
    """
    return Differences(
        general=_general(before, after),
        criteria=_criteria(before, after, has_weights=has_weights),
        parameters=_changes(
            {name: value_text(value) for name, value in add_defaults(before).items()},
            {name: value_text(value) for name, value in add_defaults(after).items()},
        ),
        lists=_lists(list_entries(before.lists), list_entries(after.lists)),
    )


def _general(before: RubricRecord, after: RubricRecord) -> list[Change]:
    shared = {criterion.key for criterion in before.criteria} & {
        criterion.key for criterion in after.criteria
    }
    orders = [
        ", ".join(criterion.key for criterion in record.criteria if criterion.key in shared)
        for record in (before, after)
    ]
    values = (
        {"name": record.name, "kind": record.kind, "source": record.source, "order": order}
        for record, order in zip((before, after), orders, strict=True)
    )
    return _changes(*values)


def _criteria(before: RubricRecord, after: RubricRecord, *, has_weights: bool) -> list[CriterionChange]:
    old = {criterion.key: criterion for criterion in before.criteria}
    new = {criterion.key: criterion for criterion in after.criteria}
    found = []
    for key in dict.fromkeys((*old, *new)):
        changes = _changes(*(_texts(record.get(key), has_weights=has_weights) for record in (old, new)))
        if changes:
            how = ADDED if key not in old else REMOVED if key not in new else CHANGED
            found.append(CriterionChange(key, (new.get(key) or old[key]).label, how, changes))
    return found


def _texts(criterion: Criterion | None, *, has_weights: bool) -> dict[str, str]:
    """The texts of a criterion without its key, which identifies it."""
    if criterion is None:
        return {}
    left_out = ("key",) if has_weights else ("key", "weight")
    return {name: text for name, text in criterion_texts(criterion).items() if name not in left_out}


def _changes(before: dict[str, str], after: dict[str, str]) -> list[Change]:
    return [
        Change(name, before.get(name, ""), after.get(name, ""))
        for name in dict.fromkeys((*before, *after))
        if before.get(name, "") != after.get(name, "")
    ]


def _lists(before: dict[str, list[str]], after: dict[str, list[str]]) -> list[ListChange]:
    found = []
    for name in dict.fromkeys((*before, *after)):
        old, new = before.get(name, []), after.get(name, [])
        if old != new:
            added, removed = Counter(new) - Counter(old), Counter(old) - Counter(new)
            is_reordered = not added and not removed
            found.append(ListChange(name, list(added.elements()), list(removed.elements()), is_reordered))
    return found
